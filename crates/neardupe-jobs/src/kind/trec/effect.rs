//! `trec effect`: measures and the order of systems, before and after.

use super::facts::{
    PROGRAM, TrecBadFacts, TrecNearFacts, TrecOutcome, TrecQrelsFacts, TrecRunFacts,
    VERSION, allowed, bad_lines, completed_tolerance, near_note, page_notes, run_facts,
};
use super::matching::{FileMatching, TrecMatching};
use super::near::{NearPlace, TrecNearOptions, TrecNearSpec};
use super::values::{LeastSimilarity, Millionths, QrelsFormatSpec, needed_runs};
use crate::exec::Exec;
use crate::kind::find::all_options;
use crate::numbers::plural;
use crate::param::{CommaList, required};
use crate::spec::ToleranceSpec;
use crate::trec::{Ids, effect_page, read_runs, write_effect};
use neardupe_core::error::{Error, Result};
use neardupe_core::trec::{Effect, EffectConfig, Measure, Run, effect, with_threads};
use neardupe_io::output::{ResultFolder, ResultKind};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::PathBuf;

crate::params! {
    /// What near-duplicates do to measures and to the order of systems.
    pub struct EffectSpec {
        [ format: QrelsFormatSpec, near: TrecNearSpec, tolerance: ToleranceSpec ]
        /// Runs, or folders of them: topic Q0 document rank score tag
        runs: Vec<PathBuf> => value("RUN").positional().required();
        /// Qrels: topic, iteration or subtopic, document, label; or prels
        qrels: PathBuf => value("FILE").required();
        /// P@K, recall, recall@K, AP, nDCG, nDCG@K, ERR@K, RBP:P, and for diversity qrels
        /// alpha-nDCG@K, ERR-IA@K; by default P@10,P@20,recall@1000,AP,nDCG@10,nDCG@20,ERR@20,RBP:0.8,
        /// and alpha-nDCG@20,ERR-IA@20
        measures: CommaList<Measure> => value("LIST");
        /// Topics of the qrels for which a run has nothing count as 0, as with trec_eval -c
        complete: bool => switch();
        /// Least similarity of pairs; what they connect is a group [default: 0.5, or the
        /// threshold of `result` where that is higher]
        threshold: Millionths => value("T").short('t');
        /// Folder for tables, figures and the page; replaced only if it is of neardupe
        output: PathBuf => value("DIR").short('o').free();
    }
}

/// Which runs are measured, and how.
pub struct EffectJob {
    /// As typed: files and folders.
    runs: Vec<PathBuf>,
    /// What is relevant.
    qrels: PathBuf,
    /// None for the usual ones, which depend on the qrels.
    measures: Option<CommaList<Measure>>,
    /// Whether topics without results count as 0.
    complete: bool,
    /// How qrels are read.
    format: QrelsFormatSpec,
    /// From where on documents count as near-duplicates.
    least: LeastSimilarity,
    /// Where near-duplicates come from.
    near: NearPlace,
    /// How many bad records are allowed.
    tolerance: ToleranceSpec,
    /// Without it no tables are written.
    output: Option<PathBuf>,
}

/// What is asked, as the summary has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct EffectOptions {
    /// Whether topics without results count.
    pub complete: bool,
    /// The runs.
    pub inputs: Vec<PathBuf>,
    /// What is measured.
    pub measures: Vec<String>,
    /// Where near-duplicates come from.
    pub near_duplicates: TrecNearOptions,
    /// The qrels.
    pub qrels: PathBuf,
    /// Least similarity of pairs.
    pub threshold: String,
}

/// A run under one policy and measure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EffectRunRow {
    /// Mean over topics after.
    pub after: f64,
    /// Mean over topics before.
    pub before: f64,
    /// How probable such a change is by chance; none for fewer than two topics.
    pub p: Option<f64>,
    /// 1 and the number of runs with a higher mean after.
    pub rank_after: u64,
    /// The same before.
    pub rank_before: u64,
    /// The run.
    pub run: String,
}

/// All runs under one policy and measure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EffectTable {
    /// The measure.
    pub measure: String,
    /// The policy.
    pub policy: String,
    /// Runs in their order.
    pub runs: Vec<EffectRunRow>,
    /// Kendall's tau-b of the means before and after.
    pub tau: Option<f64>,
    /// tau-AP of the means after against those before.
    pub tau_ap: Option<f64>,
}

/// What was asked and what was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EffectSummary {
    /// Bad records.
    pub bad: TrecBadFacts,
    /// The command.
    pub command: String,
    /// By policy, then by measure.
    pub effect: Vec<EffectTable>,
    /// Groups of near-duplicates.
    pub groups: u64,
    /// How much files have in common.
    pub matching: TrecMatching,
    /// Near-duplicates.
    pub near_duplicates: TrecNearFacts,
    /// What is noteworthy about the runs.
    pub notes: Vec<String>,
    /// What was asked.
    pub options: EffectOptions,
    /// The program.
    pub program: String,
    /// The qrels.
    pub qrels: TrecQrelsFacts,
    /// The runs.
    pub runs: TrecRunFacts,
    /// Version of the program.
    pub version: String,
}

/// What the job leaves.
pub type EffectOutcome = TrecOutcome<EffectSummary>;

impl EffectSpec {
    /// The job of this description.
    pub fn validate(self) -> Result<EffectJob> {
        let runs = needed_runs(self.runs)?;
        let qrels = required("qrels", self.qrels)?;
        let least = LeastSimilarity::of(self.threshold);
        Ok(EffectJob {
            runs,
            qrels,
            measures: self.measures,
            complete: self.complete.unwrap_or(false),
            format: self.format,
            least,
            near: self.near.validate(least.millionths)?,
            tolerance: self.tolerance,
            output: self.output,
        })
    }
}

impl EffectJob {
    /// The parameters as they are used; measures depend on the qrels unless they are given.
    pub fn options(&self) -> Map<String, Value> {
        all_options(&EffectSpec {
            format: self.format.completed(),
            near: self.near.spec.clone(),
            tolerance: completed_tolerance(&self.tolerance),
            runs: Some(self.runs.clone()),
            qrels: Some(self.qrels.clone()),
            measures: self.measures.clone(),
            complete: Some(self.complete),
            threshold: self.least.given(),
            output: self.output.clone(),
        })
    }

    /// What is measured with these qrels.
    fn measures(&self, is_diversity: bool) -> Result<Vec<Measure>> {
        let Some(CommaList(given)) = &self.measures else {
            return Ok(Measure::usual(is_diversity));
        };
        let mut measures: Vec<Measure> = Vec::new();
        for &measure in given {
            // A measure of subtopics would be 0 everywhere without them.
            if measure.is_of_diversity() && !is_diversity {
                let message = format!(
                    "{measure} needs qrels with subtopics; these have none (`qrels-format diversity` \
                     says that they have)"
                );
                return Err(Error::config("measures", message));
            }
            if !measures.contains(&measure) {
                measures.push(measure);
            }
        }
        Ok(measures)
    }

    /// Runs the job and writes its output.
    pub fn run(mut self, exec: &Exec<'_>) -> Result<EffectOutcome> {
        if let Some(target) = &self.output {
            ResultFolder::check(target, ResultKind::Trec)?;
        }
        let (mut ids, mut bad) = (Ids::default(), bad_lines(&self.tolerance));
        let mut warnings = Vec::new();
        let threads = self.near.threads;
        let set = read_runs(&self.runs, &mut ids, &mut bad, threads)?;
        let mut matching = FileMatching::new("runs", &ids)?;
        let file = self.format.read(&self.qrels, &mut ids, &mut bad)?;
        // Refused before the collection is compared, which can take long.
        matching.qrels(&ids, &set, &file, &self.qrels)?;
        let config = EffectConfig {
            measures: self.measures(file.qrels.is_diversity)?,
            complete: self.complete,
        };
        let output = self.output.as_deref();
        let near = &mut self.near;
        let near = near.read(&mut ids, &mut bad, exec, output, &mut warnings)?;
        let least = self.least.settled(&near)?;
        matching.near(&ids, &near, self.near.origin())?;
        // Whatever pairs connect is a group: qrels can only be passed on within groups.
        let groups = near.near.groups(least.millionths);
        let effect = with_threads(threads, || {
            effect(&set.runs, &file.qrels, &groups, &ids.documents, &config)
        })?;
        let known = file.qrels.topics.iter().map(|topic| topic.topic).collect();
        let (facts, mut notes) = run_facts(&set, &ids, Some((known, "the qrels")));
        notes.extend(unjudged_note(&effect, &set.runs));
        let near_text = exec.render(&near_note(&near, &least));
        let noted = page_notes(&matching, &notes);
        let findings = findings(&effect, &set.runs, &ids, &near_text, noted);
        let measures = config.measures.iter().map(Measure::to_string);
        let summary = EffectSummary {
            bad: TrecBadFacts::new(&bad),
            command: "trec effect".to_owned(),
            effect: tables(&effect, &set.runs),
            groups: groups.len() as u64,
            matching: matching.counts,
            near_duplicates: TrecNearFacts::new(&near),
            notes,
            options: EffectOptions {
                complete: self.complete,
                inputs: self.runs.clone(),
                measures: measures.collect(),
                near_duplicates: self.near.options(),
                qrels: self.qrels.clone(),
                threshold: least.shown(),
            },
            program: PROGRAM.to_owned(),
            qrels: TrecQrelsFacts::new(&file),
            runs: facts,
            version: VERSION.to_owned(),
        };
        if let Some(target) = output {
            let folder = ResultFolder::create(target, ResultKind::Trec)?;
            write_effect(folder.path(), &effect, &set.runs, &config.measures, &ids)?;
            bad.write(folder.path())?;
            effect_page(
                folder.path(),
                &effect,
                &set.runs,
                &config.measures,
                &serde_json::to_value(&summary)?,
                findings.clone(),
            )?;
            folder.finish(&(serde_json::to_string_pretty(&summary)? + "\n"))?;
        }
        Ok(TrecOutcome {
            summary,
            warnings,
            matching: matching.lines,
            near: near_text,
            findings,
            bad,
            allow_bad_records: allowed(&self.tolerance),
            output: self.output,
        })
    }
}

/// Runs that have nothing to do with the qrels.
fn unjudged_note(effect: &Effect, runs: &[Run]) -> Option<String> {
    let runs = runs.iter().zip(&effect.scores);
    let unjudged = runs.filter(|(_, scores)| scores[0].is_empty());
    let names: Vec<&str> = unjudged.map(|(run, _)| run.name.as_str()).collect();
    (!names.is_empty()).then(|| {
        let names = names.join(", ");
        format!("runs without a topic of the qrels, which count as 0: {names}")
    })
}

/// The tables of the summary, by policy, then by measure.
fn tables(effect: &Effect, runs: &[Run]) -> Vec<EffectTable> {
    let tables = effect.tables.iter().map(|table| {
        let rows = table.rows.iter().map(|row| EffectRunRow {
            after: row.after,
            before: row.before,
            p: row.test.map(|test| test.p),
            rank_after: row.rank_after as u64,
            rank_before: row.rank_before as u64,
            run: runs[row.run].name.clone(),
        });
        EffectTable {
            measure: table.measure.to_string(),
            policy: table.policy.name().to_owned(),
            runs: rows.collect(),
            tau: table.tau,
            tau_ap: table.tau_ap,
        }
    });
    tables.collect()
}

/// What the page says first: how much was measured, how to read the numbers, and what is
/// noteworthy.
fn findings(
    effect: &Effect,
    runs: &[Run],
    ids: &Ids,
    near: &str,
    notes: Vec<String>,
) -> Vec<String> {
    let scored: usize = effect.scores.iter().map(|scores| scores[0].len()).sum();
    let mut findings = vec![
        format!(
            "{}, {} scored, {}. Near-duplicates: {near}.",
            plural(runs.len() as u64, "run"),
            plural(scored as u64, "run-topic"),
            plural(ids.documents.len() as u64, "document")
        ),
        "Where near-duplicates are removed or count as not relevant, a group counts once in what \
         can be reached."
            .to_owned(),
        "p is of a paired t-test over topics, two-sided, not corrected for the number of \
         comparisons."
            .to_owned(),
    ];
    findings.extend(notes);
    findings
}
