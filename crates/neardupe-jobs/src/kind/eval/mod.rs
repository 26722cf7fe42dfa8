//! `eval`: how good a result is, by what is known to be right.
//!
//! The result says what it is (`find` or `passages`), and parameters of the other kind are
//! refused. The collection is read only where it must be: for a truth in a field, to leave out
//! ids that are not in it, and for measures by sentences. It must then be the collection of the
//! result, which is checked by the number of documents.

mod documents;
mod labels;
mod passages;
mod report;

pub use labels::{LabelSpec, TruthColumns};
pub use report::{
    EvalKindRow, EvalPassageTruth, EvalPassagesReport, EvalReport, EvalSample,
    EvalSummary, EvalSweepRow, EvalTruth,
};

use super::find::{FindJob, all_options};
use super::stored;
use crate::exec::Exec;
use crate::param::{CommaList, ParamValue, required};
use crate::truth::{Between, TruthOptions};
use neardupe_core::error::{Error, Result};
use neardupe_core::threshold::Threshold;
use neardupe_io::result::ResultReader;
use neardupe_io::source::FileSource;
use serde_json::{Map, Value, json};
use std::path::PathBuf;

crate::params! {
    /// A result against what is known to be right.
    pub struct EvalSpec {
        [ labels: LabelSpec ]
        /// Folder that `find` or `passages` wrote
        result: PathBuf => value("RESULT").positional().required();
        /// Pairs (TSV, CSV, JSON lines) or groups (JSON lines with "ids") that are duplicates; for
        /// a result of passages a table of passages, or a folder with XML files of PAN
        truth: PathBuf => value("FILE");
        /// Field of the documents: those with the same value are duplicates
        truth_field: String => value("FIELD");
        /// Files of the collection: ids of the truth that are not in it are left out, and passages
        /// are measured by sentences too [default with `truth-field`: the inputs of the result]
        input: Vec<String> => value("FILE").list();
        /// Take what is connected by pairs as duplicates of each other, in the truth and the result
        closure: bool => switch();
        /// Where predicted duplicates are taken from: pairs or clusters [default: pairs if the
        /// result has all of them, else clusters]
        by: EvalBy => value("WHICH");
        /// Thresholds to compare, separated by commas; needs a result with `pairs all`
        sweep: CommaList<Threshold> => value("T,T,...");
        /// Pairs of documents whose passages count neither as right nor as wrong
        ignore_pairs: PathBuf => value("FILE").heading("Passages");
        /// Count only passages between a document whose id begins with the one, and a document
        /// whose id begins with the other
        between: Between => value("PREFIX,PREFIX").heading("Passages");
    }
}

/// Where predicted duplicates are taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EvalBy {
    /// The table of pairs.
    Pairs,
    /// The clusters.
    Clusters,
}

neardupe_core::named!(EvalBy as "by" {
    Pairs = "pairs",
    Clusters = "clusters",
});

impl ParamValue for EvalBy {
    const VALUES: &'static [&'static str] = EvalBy::NAMES;

    fn from_text(text: &str) -> Result<Self> {
        text.parse()
    }

    fn to_json(&self) -> Value {
        json!(self.name())
    }
}

impl ParamValue for Between {
    fn from_text(text: &str) -> Result<Self> {
        let both = labels::two(text).map(|(one, other)| Between(one, other));
        both.ok_or_else(|| {
            let message =
                format!("{text:?} is not two beginnings of ids, as susp-,source-");
            Error::config("between", message)
        })
    }

    fn to_json(&self) -> Value {
        json!(format!("{},{}", self.0, self.1))
    }
}

/// What is compared with what.
#[derive(Debug, Clone)]
pub struct EvalJob {
    /// All parameters, as they were given.
    spec: EvalSpec,
    /// The result that is measured.
    result: PathBuf,
    /// What it is measured against.
    truth: EvalAgainst,
    /// Whether pairs are joined to groups on both sides.
    closure: bool,
}

/// What is known to be right.
#[derive(Debug, Clone)]
enum EvalAgainst {
    /// A file, and how it is read.
    File(PathBuf, TruthOptions),
    /// A field of the documents.
    Field(String),
}

/// What came of it.
#[derive(Debug, Clone)]
pub struct EvalOutcome {
    /// All measures.
    pub summary: EvalSummary,
    /// What the user should know.
    pub warnings: Vec<String>,
}

impl EvalSpec {
    /// The job of this description.
    pub fn validate(self) -> Result<EvalJob> {
        let closure = self.closure == Some(true);
        let options = self.labels.options(closure)?;
        let truth = match (&self.truth, &self.truth_field) {
            (Some(_), Some(_)) => {
                let message = "`truth` says too what is right; choose one";
                return Err(Error::config("truth-field", message));
            }
            (Some(path), None) => EvalAgainst::File(path.clone(), options),
            (None, Some(field)) => EvalAgainst::Field(field.clone()),
            (None, None) => {
                let message =
                    "nothing to compare with: name a file, or take `truth-field`";
                return Err(Error::config("truth", message));
            }
        };
        Ok(EvalJob {
            result: required("result", self.result.clone())?,
            truth,
            closure,
            spec: EvalSpec {
                closure: Some(closure),
                ..self
            },
        })
    }
}

impl EvalJob {
    /// The parameters as they are used; null where the result decides.
    pub fn options(&self) -> Map<String, Value> {
        all_options(&self.spec)
    }

    /// Compares.
    pub fn run(self, exec: &Exec<'_>) -> Result<EvalOutcome> {
        let result = ResultReader::open(&self.result)?;
        let mut warnings = Vec::new();
        // The kind of the result decides; parameters of the other kind are refused there.
        let summary = if result.summary().is_of_passages() {
            EvalSummary::Passages(Box::new(passages::run(
                &self,
                &result,
                exec,
                &mut warnings,
            )?))
        } else {
            EvalSummary::Documents(Box::new(documents::run(
                &self,
                &result,
                exec,
                &mut warnings,
            )?))
        };
        Ok(EvalOutcome { summary, warnings })
    }

    /// The files that were named.
    fn input(&self) -> &[String] {
        self.spec.input.as_deref().unwrap_or_default()
    }
}

/// Refuses parameters that a result of another kind needs.
fn refuse(given: &[(&str, bool)], message: &str) -> Result<()> {
    match given.iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((param, _)) => Err(Error::config(*param, message)),
    }
}

/// The files of a collection, to be read as the result says, with a further field.
fn source(
    result: &ResultReader,
    inputs: &[String],
    field: Option<&str>,
) -> Result<(FileSource, FindJob)> {
    let job = stored::job(result, field)?;
    let discovered = job.discover_at(inputs)?;
    let read = job.read.clone().for_files(&discovered.files);
    Ok((FileSource::new(discovered.files, read), job))
}

/// Refuses other documents than those of the result.
///
/// Ids alone would not show it: a larger collection has all of them.
fn check_documents(result: &ResultReader, read: u64) -> Result<()> {
    let summary = result.summary();
    let documents = summary.count("documents")?;
    if read != documents {
        let message = format!(
            "{read} documents were read, but the result is of {documents}; name the files that \
             {} read",
            summary.command
        );
        return Err(Error::config("input", message));
    }
    Ok(())
}
