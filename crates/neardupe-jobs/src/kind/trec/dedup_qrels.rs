//! `trec dedup-qrels`: one document a group, or labels passed on within groups.

use super::facts::{
    PROGRAM, TrecBadFacts, TrecNearFacts, TrecOutcome, TrecQrelsFacts, VERSION, allowed,
    bad_lines, completed_tolerance, near_note,
};
use super::matching::{FileMatching, TrecMatching};
use super::near::{NearPlace, TrecNearOptions, TrecNearSpec};
use super::values::{LeastSimilarity, Millionths, QrelsFormatSpec, QrelsPolicy};
use crate::exec::Exec;
use crate::kind::find::all_options;
use crate::param::required;
use crate::spec::ToleranceSpec;
use crate::trec::{Ids, QrelsFile, write_qrels};
use neardupe_core::error::Result;
use neardupe_core::trec::{Judgment, drop_near, propagate};
use neardupe_io::output::table::Table;
use neardupe_io::output::{ResultFolder, ResultKind};
use neardupe_io::tables::{Dropped, DroppedRow};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

crate::params! {
    /// Qrels with one document a group, or with labels passed on within groups.
    pub struct DedupQrelsSpec {
        [ format: QrelsFormatSpec, near: TrecNearSpec, tolerance: ToleranceSpec ]
        /// Qrels: topic, iteration or subtopic, document, label; or prels
        qrels: PathBuf => value("FILE").required();
        /// drop: of each group one document is kept in a topic, the one with the highest label, of
        /// several the first. propagate: all documents of a group get its highest label, judged or
        /// not [default: drop]
        policy: QrelsPolicy => value("POLICY");
        /// Least similarity of pairs; what they connect is a group [default: 0.5, or the
        /// threshold of `result` where that is higher]
        threshold: Millionths => value("T").short('t');
        /// Folder for qrels.txt, dropped.csv and the summary; replaced only if it is of neardupe
        output: PathBuf => value("DIR").short('o').required().free();
    }
}

/// Which qrels are written again, and how.
pub struct DedupQrelsJob {
    qrels: PathBuf,
    policy: QrelsPolicy,
    format: QrelsFormatSpec,
    least: LeastSimilarity,
    near: NearPlace,
    tolerance: ToleranceSpec,
    output: PathBuf,
}

/// What is asked, as the summary has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct DedupQrelsOptions {
    /// The qrels.
    pub inputs: Vec<String>,
    /// Where near-duplicates come from.
    pub near_duplicates: TrecNearOptions,
    /// What becomes of the judgments of a group.
    pub policy: String,
    /// Least similarity of pairs.
    pub threshold: String,
}

/// What became of judgments.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DedupQrelsChanges {
    /// Judgments of documents that were not judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added: Option<u64>,
    /// Judgments that were removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropped: Option<u64>,
    /// Judgments whose label was raised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raised: Option<u64>,
}

/// What was asked and what was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DedupQrelsSummary {
    /// Bad records.
    pub bad: TrecBadFacts,
    /// What became of judgments.
    pub changes: DedupQrelsChanges,
    /// The command.
    pub command: String,
    /// Judgments that were written.
    pub judgments_after: u64,
    /// Judgments that were read.
    pub judgments_before: u64,
    /// How much files have in common.
    pub matching: TrecMatching,
    /// Near-duplicates.
    pub near_duplicates: TrecNearFacts,
    /// What was asked.
    pub options: DedupQrelsOptions,
    /// The program.
    pub program: String,
    /// The qrels.
    pub qrels: TrecQrelsFacts,
    /// Version of the program.
    pub version: String,
}

/// What the job leaves.
pub type DedupQrelsOutcome = TrecOutcome<DedupQrelsSummary>;

impl DedupQrelsSpec {
    /// The job of this description.
    pub fn validate(self) -> Result<DedupQrelsJob> {
        let qrels = required("qrels", self.qrels)?;
        let output = required("output", self.output)?;
        let least = LeastSimilarity::of(self.threshold);
        Ok(DedupQrelsJob {
            qrels,
            policy: self.policy.unwrap_or_default(),
            format: self.format,
            least,
            near: self.near.validate(least.millionths)?,
            tolerance: self.tolerance,
            output,
        })
    }
}

impl DedupQrelsJob {
    /// The parameters as they are used.
    pub fn options(&self) -> Map<String, Value> {
        all_options(&DedupQrelsSpec {
            format: self.format.completed(),
            near: self.near.spec.clone(),
            tolerance: completed_tolerance(&self.tolerance),
            qrels: Some(self.qrels.clone()),
            policy: Some(self.policy),
            threshold: self.least.given(),
            output: Some(self.output.clone()),
        })
    }

    /// Runs the job and writes its output.
    pub fn run(mut self, exec: &Exec<'_>) -> Result<DedupQrelsOutcome> {
        let output = self.output.as_path();
        ResultFolder::check(output, ResultKind::Trec)?;
        let (mut ids, mut bad) = (Ids::default(), bad_lines(&self.tolerance));
        let mut warnings = Vec::new();
        let file = self.format.read(&self.qrels, &mut ids, &mut bad)?;
        let mut matching = FileMatching::new("qrels", &ids)?;
        let near = &mut self.near;
        let near = near.read(&mut ids, &mut bad, exec, Some(output), &mut warnings)?;
        let least = self.least.settled(&near)?;
        matching.near(&ids, &near, self.near.origin())?;
        let groups = near.near.groups(least.millionths);
        let folder = ResultFolder::create(output, ResultKind::Trec)?;
        let (written, changes) = match self.policy {
            QrelsPolicy::Drop => {
                let (clean, dropped) = drop_near(&file.qrels, &groups);
                write_dropped(folder.path(), &dropped, &file, &ids)?;
                let changes = DedupQrelsChanges {
                    dropped: Some(dropped.len() as u64),
                    ..DedupQrelsChanges::default()
                };
                (clean, changes)
            }
            QrelsPolicy::Propagate => {
                let (all, did) = propagate(&file.qrels, &groups);
                let changes = DedupQrelsChanges {
                    added: Some(did.added),
                    dropped: None,
                    raised: Some(did.raised),
                };
                (all, changes)
            }
        };
        write_qrels(&folder.path().join("qrels.txt"), &written, &file, &ids)?;
        bad.write(folder.path())?;
        let summary = DedupQrelsSummary {
            bad: TrecBadFacts::new(&bad),
            changes,
            command: "trec dedup-qrels".to_owned(),
            judgments_after: written.len() as u64,
            judgments_before: file.qrels.len() as u64,
            matching: matching.counts,
            near_duplicates: TrecNearFacts::new(&near),
            options: DedupQrelsOptions {
                inputs: vec![self.qrels.to_string_lossy().into_owned()],
                near_duplicates: self.near.options(),
                policy: self.policy.name().to_owned(),
                threshold: least.shown(),
            },
            program: PROGRAM.to_owned(),
            qrels: TrecQrelsFacts::new(&file),
            version: VERSION.to_owned(),
        };
        folder.finish(&(serde_json::to_string_pretty(&summary)? + "\n"))?;
        Ok(TrecOutcome {
            summary,
            warnings,
            matching: matching.lines,
            near: exec.render(&near_note(&near, &least)),
            findings: Vec::new(),
            bad,
            allow_bad_records: allowed(&self.tolerance),
            output: Some(self.output),
        })
    }
}

fn write_dropped(
    folder: &Path,
    dropped: &[(u32, Judgment)],
    file: &QrelsFile,
    ids: &Ids,
) -> Result<()> {
    let mut table = Table::<Dropped>::create_fixed(folder)?;
    for (kept, one) in dropped {
        table.row(&DroppedRow {
            topic: ids.topics.text(one.topic).into(),
            subtopic: file.subtopics.text(one.subtopic).into(),
            document: ids.documents.text(one.document).into(),
            label: one.label.into(),
            kept: ids.documents.text(*kept).into(),
        })?;
    }
    table.finish()
}
