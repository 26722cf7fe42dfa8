//! `explain`: why a document is where it is, and how the join decides about two.
//!
//! What a result says is read from its tables; what it cannot say (texts, features, rarities) is
//! made again from the originals with the recorded parameters. Both may differ, since files
//! change: then the rows of the result are shown with a warning, and nothing is explained from
//! texts that were never compared.

mod document;
mod originals;
mod pair;
mod role;

pub use document::{
    ExplainCluster, ExplainDocumentSummary, ExplainDuplicate, ExplainEvidence,
    ExplainedDocument,
};
pub use pair::{
    ExplainBitmap, ExplainCommon, ExplainFeature, ExplainLength, ExplainPairSummary,
    ExplainPosition, ExplainPrefix, ExplainSide, ExplainVerification, ExplainedPair,
};
pub use role::ExplainRole;

use super::compare::{DifferenceShown, DifferenceSpec};
use super::find::all_options;
use crate::exec::Exec;
use crate::spec::ReadingSpec;
use neardupe_core::error::{Error, Result};
use neardupe_io::result::ResultReader;
use originals::Originals;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::PathBuf;

crate::params! {
    /// Why a document is where it is.
    pub struct ExplainSpec {
        [ reading: ReadingSpec, shown: DifferenceSpec ]
        /// A result folder of `find`
        result: PathBuf => value("RESULT").positional().required();
        /// Id of a document
        id: String => value("ID").positional();
        /// Show the join step by step for two documents, also for two that are not similar
        pair: Vec<String> => value("ID").many(2);
        /// Where the documents are now [default: the inputs of the result]
        input: Vec<String> => value("INPUT");
    }
}

/// What is explained.
#[derive(Debug, Clone)]
enum Explained {
    Document(String),
    Pair([String; 2]),
}

/// What is explained, and by which result.
pub struct ExplainJob {
    /// All parameters: those of reading only if they were given, since the result has the others.
    spec: ExplainSpec,
    /// The parameters of reading that were given.
    given: ReadingSpec,
    result: ResultReader,
    what: Explained,
    /// Where the documents are, if not where they were.
    inputs: Vec<String>,
    shown: DifferenceShown,
}

/// What is known of one document or of two.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ExplainSummary {
    /// One document in a result.
    Document(Box<ExplainDocumentSummary>),
    /// Two documents in the join.
    Pair(Box<ExplainPairSummary>),
}

/// The same with the documents.
#[derive(Debug, Clone)]
pub enum ExplainAnswer {
    /// One document in a result.
    Document(Box<ExplainedDocument>),
    /// Two documents in the join.
    Pair(Box<ExplainedPair>),
}

/// What was found out.
#[derive(Debug, Clone)]
pub struct ExplainOutcome {
    /// As it is printed.
    pub summary: ExplainSummary,
    /// With the documents.
    pub answer: ExplainAnswer,
    /// How differences are shown.
    pub shown: DifferenceShown,
    /// Warnings.
    pub warnings: Vec<String>,
}

impl ExplainSpec {
    /// The job of this description.
    pub fn validate(self) -> Result<ExplainJob> {
        let wrong = |param: &str, message: &str| Error::config(param, message);
        let shown = self.shown.clone().validate()?;
        let folder = self.result.clone();
        let folder = folder.ok_or_else(|| wrong("result", "names no result"))?;
        let pair = self.pair.clone().unwrap_or_default();
        // One document or two: a list in the pattern says which of the wrong combinations it is.
        let what = match (self.id.clone(), &pair[..]) {
            (Some(_), [_, ..]) => {
                return Err(wrong("pair", "names two documents; leave out the id"));
            }
            (Some(id), []) => Explained::Document(id),
            (None, [left, right]) => Explained::Pair([left.clone(), right.clone()]),
            (None, []) => return Err(wrong("id", "names no document")),
            (None, _) => return Err(wrong("pair", "names two documents")),
        };
        Ok(ExplainJob {
            result: ResultReader::open(&folder)?,
            given: self.reading.clone(),
            what,
            inputs: self.input.clone().unwrap_or_default(),
            spec: ExplainSpec {
                shown: shown.spec(),
                ..self
            },
            shown,
        })
    }
}

impl ExplainJob {
    /// The parameters as they are used. How documents are read is recorded in the result, unless it was
    /// given.
    pub fn options(&self) -> Map<String, Value> {
        all_options(&self.spec)
    }

    /// Finds out, and writes the page.
    pub fn run(self, exec: &Exec<'_>) -> Result<ExplainOutcome> {
        let (summary, answer, warnings) = match &self.what {
            Explained::Pair(ids) => {
                let (pair, warnings) = pair::explain(&self, ids, exec)?;
                let summary = ExplainSummary::Pair(Box::new(pair.summary()));
                (summary, ExplainAnswer::Pair(Box::new(pair)), warnings)
            }
            Explained::Document(id) => {
                let (document, warnings) = document::explain(&self, id, exec)?;
                let summary = ExplainSummary::Document(Box::new(document.summary()));
                (
                    summary,
                    ExplainAnswer::Document(Box::new(document)),
                    warnings,
                )
            }
        };
        Ok(ExplainOutcome {
            summary,
            answer,
            shown: self.shown,
            warnings,
        })
    }

    /// The documents of the result.
    fn originals(&self) -> Result<Originals<'_>> {
        Originals::new(&self.given, &self.inputs, &self.result)
    }
}
