//! `judge`: people look at a sample of the pairs of a result; what they say shows how good the
//! whole result is.
//!
//! A job draws the sample and opens the labels; asking is the business of a front, which keeps each answer
//! with [`JudgeLabels::put`]. With `report` it sums up what all judges said.
//!
//! People look at pairs of all similarities, not at the most similar ones, so that precision can
//! be given by stratum. The sample depends on the ids and the seed alone: several judges get the
//! same pairs without a file being passed around, and a judge who goes on later gets the rest.

mod labels;
mod report;
mod sample;
mod texts;

pub use labels::{JudgeLabel, JudgeLabels, JudgeRow};
pub use report::{
    JudgeAgreement, JudgeCounts, JudgeKindCounts, JudgeStratum, JudgeSummary,
};
pub use sample::JudgePair;
pub use texts::JudgeTexts;

use super::find::all_options;
use crate::exec::Exec;
use crate::param::{Within, required};
use neardupe_core::error::{Error, Result};
use neardupe_io::result::ResultReader;
use sample::JudgeDrawing;
use serde_json::{Map, Value};
use std::path::PathBuf;

/// Strata, and pairs of each, by default.
const USUAL: u64 = 10;

crate::params! {
    /// A sample of the pairs of a result, and what judges say of it.
    pub struct JudgeSpec {
        /// Folder that `find` wrote
        result: PathBuf => value("RESULT").positional().required();
        /// Sum up what all judges said, without asking anything
        report: bool => switch();
        /// Name of who judges; each has labels of their own for the same sample [default: judge]
        judge: String => value("NAME");
        /// Folder of the labels, one file for each judge [default: RESULT.labels, beside the result]
        labels: PathBuf => value("DIR");
        /// Strata of equal width between the threshold and 1 [default: 10]
        strata: Within<1, 1000> => value("N");
        /// Pairs drawn from each stratum [default: 10]
        per_stratum: Within<1, 1_000_000> => value("N");
        /// Pairs drawn in all, evenly from the strata
        sample: Within<1, 1_000_000> => value("N");
        /// Seed of the sample; all judges need the same [default: 0]
        seed: Within<0, { u64::MAX }> => value("N");
        /// Files of the collection, for the texts [default: texts.jsonl of the result, or its inputs]
        input: Vec<String> => value("FILE").list();
        /// Show no text
        no_text: bool => switch();
    }
}

/// What is asked for.
#[derive(Debug, Clone)]
pub struct JudgeJob {
    spec: JudgeSpec,
    result: PathBuf,
    judge: String,
    drawing: JudgeDrawing,
}

/// What came of it.
#[derive(Debug)]
pub enum JudgeOutcome {
    /// Pairs to be judged.
    Sample(Box<JudgeSample>),
    /// What all judges said.
    Report(Box<JudgeSummary>),
}

/// Pairs to be judged, and where labels are kept.
#[derive(Debug)]
pub struct JudgeSample {
    /// The folder of the result, as it was named.
    pub result: PathBuf,
    /// The pairs, in the order in which they are asked.
    pub pairs: Vec<JudgePair>,
    /// Their texts, if they are shown.
    pub texts: Option<JudgeTexts>,
    /// What the judge said so far.
    pub labels: JudgeLabels,
    /// Who judges.
    pub judge: String,
    /// What the user should know: why there are no texts.
    pub warnings: Vec<String>,
}

impl JudgeSpec {
    /// The job of this description.
    pub fn validate(self) -> Result<JudgeJob> {
        if self.per_stratum.is_some() && self.sample.is_some() {
            let message = "`sample` says how many are drawn in all; choose one";
            return Err(Error::config("per-stratum", message));
        }
        let strata = self.strata.unwrap_or(Within(USUAL));
        let per_stratum = self.per_stratum.unwrap_or(Within(USUAL));
        let seed = self.seed.unwrap_or(Within(0));
        let judge = self.judge.clone().unwrap_or_else(|| "judge".to_owned());
        labels::check_name(&judge)?;
        Ok(JudgeJob {
            result: required("result", self.result.clone())?,
            drawing: JudgeDrawing {
                seed: seed.0,
                strata: strata.u32(),
                per_stratum: per_stratum.usize(),
                total: self.sample.map(Within::usize),
            },
            spec: JudgeSpec {
                report: Some(self.report == Some(true)),
                judge: Some(judge.clone()),
                strata: Some(strata),
                per_stratum: self.sample.is_none().then_some(per_stratum),
                seed: Some(seed),
                no_text: Some(self.no_text == Some(true)),
                ..self
            },
            judge,
        })
    }
}

impl JudgeJob {
    /// The parameters as they are used; null where the result decides.
    pub fn options(&self) -> Map<String, Value> {
        all_options(&self.spec)
    }

    /// Draws the sample, or sums up what was said of it.
    pub fn run(self, exec: &Exec<'_>) -> Result<JudgeOutcome> {
        let result = ResultReader::open(&self.result)?;
        result.check_ids_of_sides()?;
        let folder = match &self.spec.labels {
            Some(folder) => folder.clone(),
            None => labels::beside(&self.result)?,
        };
        if self.spec.report == Some(true) {
            let judges = labels::read_all(&folder)?;
            let report = report::report(&result, &self.drawing, &judges)?;
            return Ok(JudgeOutcome::Report(Box::new(report)));
        }
        let sample = sample::draw(&result, &self.drawing)?;
        let pairs = sample::in_order(&sample, self.drawing.seed);
        if pairs.is_empty() {
            let message = "the result has no pairs: there is nothing to judge";
            return Err(Error::input(self.result.display().to_string(), message));
        }
        let labels = JudgeLabels::open(&folder, &self.judge)?;
        let input = self.spec.input.as_deref().unwrap_or_default();
        let mut warnings = Vec::new();
        let texts = if self.spec.no_text == Some(true) {
            None
        } else {
            let fetched =
                texts::fetch(&result, input, &pairs, exec.progress, &mut warnings)?;
            fetched.map_err(|reason| warnings.push(reason)).ok()
        };
        Ok(JudgeOutcome::Sample(Box::new(JudgeSample {
            result: self.result,
            pairs,
            texts,
            labels,
            judge: self.judge,
            warnings,
        })))
    }
}
