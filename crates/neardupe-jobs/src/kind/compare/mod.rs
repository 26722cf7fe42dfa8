//! `compare`: two documents, every similarity of theirs, and how they differ.
//!
//! Two documents need no collection: features are made as `find` would make them, and every
//! similarity is exact. Parameters that need a collection (counted antecedents, frequencies of
//! the input) are refused.

mod difference;
mod facts;
mod named;

pub use difference::{DifferenceShown, DifferenceSpec, TextDifference};
pub use facts::{
    CompareDifferences, CompareFacts, CompareSide, CompareStretch, CompareSummary,
    FeatureSimilarities,
};
pub(super) use facts::{decimal, similarities};
pub use named::NamedDocument;

use super::find::{FindJob, FindSpec, all_options, check_antecedents, idle_hashes};
use super::reading::{of_reading, reading_job};
use crate::exec::Exec;
use crate::spec::ReadingSpec;
use neardupe_core::error::{Error, Result};
use serde_json::{Map, Value};

crate::params! {
    /// Two documents.
    pub struct CompareSpec {
        [ reading: ReadingSpec, shown: DifferenceSpec ]
        /// A file of one document, - for standard input, or INPUT#ID: a document by its id in a
        /// file, folder or glob
        left: String => value("A").positional().required();
        /// The other document, named in the same way
        right: String => value("B").positional().required();
    }
}

/// Which documents, and how they are compared.
pub struct CompareJob {
    /// The parameters that were given, for warnings about those without effect.
    given: ReadingSpec,
    /// All parameters, as they are used.
    spec: CompareSpec,
    /// How the documents are read and made into features.
    job: FindJob,
    /// As typed: a file, `-`, or `INPUT#ID`.
    left: String,
    /// The same.
    right: String,
    /// How differences are shown.
    shown: DifferenceShown,
}

/// Two documents and how they differ.
#[derive(Debug, Clone)]
pub struct CompareOutcome {
    /// Everything in numbers.
    pub summary: CompareSummary,
    /// The documents and their similarities.
    pub facts: CompareFacts,
    /// How their texts differ.
    pub difference: TextDifference,
    /// How the documents were named.
    pub names: (String, String),
    /// How differences are shown.
    pub shown: DifferenceShown,
    /// Warnings.
    pub warnings: Vec<String>,
}

impl CompareSpec {
    /// The job of this description.
    pub fn validate(self) -> Result<CompareJob> {
        let shown = self.shown.validate()?;
        let job = reading_job(&self.reading, &[], FindSpec::default())?;
        // The most frequent words of two documents mean nothing.
        check_antecedents(&job)?;
        let missing = |param: &str| Error::config(param, "names no document");
        let left = self.left.ok_or_else(|| missing("left"))?;
        let right = self.right.ok_or_else(|| missing("right"))?;
        Ok(CompareJob {
            given: self.reading,
            spec: CompareSpec {
                reading: job.spec.reading.clone(),
                shown: shown.spec(),
                left: Some(left.clone()),
                right: Some(right.clone()),
            },
            job,
            left,
            right,
            shown,
        })
    }
}

impl CompareJob {
    /// The parameters as they are used.
    pub fn options(&self) -> Map<String, Value> {
        all_options(&self.spec)
    }

    /// Reads and compares the documents, and writes the page.
    pub fn run(self, exec: &Exec<'_>) -> Result<CompareOutcome> {
        let left = NamedDocument::parse(&self.left)?;
        let right = NamedDocument::parse(&self.right)?;
        let (left, right) = named::fetch_two(&left, &right, &self.job, exec.progress)?;
        let facts = CompareFacts::new(left, right, &self.job.config);
        let (left, right) = (&facts.left.text, &facts.right.text);
        let difference = TextDifference::new(left, right);
        let diff = difference.of(left, right);
        let page = facts.page(&self.left, &self.right);
        self.shown.write_page(&diff, page)?;
        // After reading: only now is it known what had an effect.
        let mut warnings = of_reading(&self.given, &self.job);
        warnings.extend(idle_hashes(&self.job));
        Ok(CompareOutcome {
            summary: facts.summary(&diff, !self.shown.no_text),
            facts,
            difference,
            names: (self.left, self.right),
            shown: self.shown,
            warnings,
        })
    }
}
