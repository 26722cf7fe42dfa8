//! `trec check-qrels`: groups whose documents were judged differently.

use super::facts::{
    PROGRAM, TrecBadFacts, TrecNearFacts, TrecOutcome, TrecQrelsFacts, VERSION, allowed,
    bad_lines, completed_tolerance, near_note,
};
use super::matching::{FileMatching, TrecMatching};
use super::near::{NearPlace, TrecNearOptions, TrecNearSpec};
use super::values::{LeastSimilarity, Millionths, QrelsFormatSpec};
use crate::exec::Exec;
use crate::kind::find::all_options;
use crate::param::required;
use crate::spec::ToleranceSpec;
use crate::trec::{Ids, QrelsFile};
use neardupe_core::error::Result;
use neardupe_core::trec::{Disagreement, inconsistent};
use neardupe_io::output::table::Table;
use neardupe_io::output::{ResultFolder, ResultKind};
use neardupe_io::tables::{Inconsistent, InconsistentRow};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

crate::params! {
    /// Groups whose documents were judged differently for a topic.
    pub struct CheckQrelsSpec {
        [ format: QrelsFormatSpec, near: TrecNearSpec, tolerance: ToleranceSpec ]
        /// Qrels: topic, iteration or subtopic, document, label; or prels
        qrels: PathBuf => value("FILE").required();
        /// Least similarity of pairs; what they connect is a group [default: 0.5, or the
        /// threshold of `result` where that is higher]
        threshold: Millionths => value("T").short('t');
        /// Folder for inconsistent.csv and the summary; replaced only if it is of neardupe
        output: PathBuf => value("DIR").short('o').free();
    }
}

/// Which qrels are checked, and by what.
pub struct CheckQrelsJob {
    qrels: PathBuf,
    format: QrelsFormatSpec,
    least: LeastSimilarity,
    near: NearPlace,
    tolerance: ToleranceSpec,
    output: Option<PathBuf>,
}

/// What is asked, as the summary has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct CheckQrelsOptions {
    /// The qrels.
    pub inputs: Vec<String>,
    /// Where near-duplicates come from.
    pub near_duplicates: TrecNearOptions,
    /// Least similarity of pairs.
    pub threshold: String,
}

/// A document and its label.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgedDocument {
    /// The document.
    pub id: String,
    /// Its label.
    pub label: i32,
}

/// A group with different labels for a topic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgedDifferently {
    /// Whether some are relevant and some are not.
    pub about_relevance: bool,
    /// The documents that were judged.
    pub judged: Vec<JudgedDocument>,
    /// The subtopic, where qrels have some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subtopic: Option<String>,
    /// The topic.
    pub topic: String,
}

/// What was asked and what was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckQrelsSummary {
    /// Bad records.
    pub bad: TrecBadFacts,
    /// The command.
    pub command: String,
    /// Groups with two or more documents judged for a topic.
    pub compared: u64,
    /// Those with different labels.
    pub groups: Vec<JudgedDifferently>,
    /// How many they are.
    pub inconsistent: u64,
    /// How many of them are relevant and not relevant.
    pub inconsistent_about_relevance: u64,
    /// How much files have in common.
    pub matching: TrecMatching,
    /// Near-duplicates.
    pub near_duplicates: TrecNearFacts,
    /// What was asked.
    pub options: CheckQrelsOptions,
    /// The program.
    pub program: String,
    /// The qrels.
    pub qrels: TrecQrelsFacts,
    /// Version of the program.
    pub version: String,
}

/// What the job leaves.
pub type CheckQrelsOutcome = TrecOutcome<CheckQrelsSummary>;

impl CheckQrelsSpec {
    /// The job of this description.
    pub fn validate(self) -> Result<CheckQrelsJob> {
        let qrels = required("qrels", self.qrels)?;
        let least = LeastSimilarity::of(self.threshold);
        Ok(CheckQrelsJob {
            qrels,
            format: self.format,
            least,
            near: self.near.validate(least.millionths)?,
            tolerance: self.tolerance,
            output: self.output,
        })
    }
}

impl CheckQrelsJob {
    /// The parameters as they are used.
    pub fn options(&self) -> Map<String, Value> {
        all_options(&CheckQrelsSpec {
            format: self.format.completed(),
            near: self.near.spec.clone(),
            tolerance: completed_tolerance(&self.tolerance),
            qrels: Some(self.qrels.clone()),
            threshold: self.least.given(),
            output: self.output.clone(),
        })
    }

    /// Runs the job and writes its output.
    pub fn run(mut self, exec: &Exec<'_>) -> Result<CheckQrelsOutcome> {
        let output = self.output.as_deref();
        if let Some(target) = output {
            ResultFolder::check(target, ResultKind::Trec)?;
        }
        let (mut ids, mut bad) = (Ids::default(), bad_lines(&self.tolerance));
        let mut warnings = Vec::new();
        let file = self.format.read(&self.qrels, &mut ids, &mut bad)?;
        let mut matching = FileMatching::new("qrels", &ids)?;
        let near = &mut self.near;
        let near = near.read(&mut ids, &mut bad, exec, output, &mut warnings)?;
        let least = self.least.settled(&near)?;
        matching.near(&ids, &near, self.near.origin())?;
        let groups = near.near.groups(least.millionths);
        let (found, compared) = inconsistent(&file.qrels, &groups);
        let about_relevance = found.iter().filter(|one| one.about_relevance).count();
        let shown = found.iter().map(|one| shown(one, &file, &ids));
        let summary = CheckQrelsSummary {
            bad: TrecBadFacts::new(&bad),
            command: "trec check-qrels".to_owned(),
            compared,
            groups: shown.collect(),
            inconsistent: found.len() as u64,
            inconsistent_about_relevance: about_relevance as u64,
            matching: matching.counts,
            near_duplicates: TrecNearFacts::new(&near),
            options: CheckQrelsOptions {
                inputs: vec![self.qrels.to_string_lossy().into_owned()],
                near_duplicates: self.near.options(),
                threshold: least.shown(),
            },
            program: PROGRAM.to_owned(),
            qrels: TrecQrelsFacts::new(&file),
            version: VERSION.to_owned(),
        };
        if let Some(target) = output {
            let folder = ResultFolder::create(target, ResultKind::Trec)?;
            write(folder.path(), &found, &file, &ids)?;
            bad.write(folder.path())?;
            folder.finish(&(serde_json::to_string_pretty(&summary)? + "\n"))?;
        }
        Ok(TrecOutcome {
            summary,
            warnings,
            matching: matching.lines,
            near: exec.render(&near_note(&near, &least)),
            findings: Vec::new(),
            bad,
            allow_bad_records: allowed(&self.tolerance),
            output: self.output,
        })
    }
}

fn shown(one: &Disagreement, file: &QrelsFile, ids: &Ids) -> JudgedDifferently {
    let judged = one.judged.iter().map(|&(document, label)| JudgedDocument {
        id: ids.documents.text(document).to_owned(),
        label,
    });
    let subtopic = || file.subtopics.text(one.subtopic).to_owned();
    JudgedDifferently {
        about_relevance: one.about_relevance,
        judged: judged.collect(),
        subtopic: file.qrels.is_diversity.then(subtopic),
        topic: ids.topics.text(one.topic).to_owned(),
    }
}

fn write(
    folder: &Path,
    found: &[Disagreement],
    file: &QrelsFile,
    ids: &Ids,
) -> Result<()> {
    let mut table = Table::<Inconsistent>::create_fixed(folder)?;
    for (number, one) in (1..).zip(found) {
        for &(document, label) in &one.judged {
            table.row(&InconsistentRow {
                group: number,
                topic: ids.topics.text(one.topic).into(),
                subtopic: file.subtopics.text(one.subtopic).into(),
                document: ids.documents.text(document).into(),
                label: label.into(),
                about_relevance: one.about_relevance,
            })?;
        }
    }
    table.finish()
}
