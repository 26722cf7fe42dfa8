//! What a job found.

use super::documents::Documents;
use crate::candidate::ledger::Ledger;
use crate::document::{BadRecord, DocIdx, FileRead};
use crate::pair::Pair;
use serde::Serialize;
use std::collections::BTreeMap;

/// Why a document is a duplicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// Its text equals that of the representative.
    EqualText,
    /// Its feature set equals that of the representative.
    EqualFeatures,
    /// Its resemblance with the representative reaches the threshold.
    Similar,
    /// Only a chain of similar documents leads to the representative (components).
    Linked,
}

impl Rule {
    /// The name used in outputs.
    pub fn name(self) -> &'static str {
        match self {
            Rule::EqualText => "equal-text",
            Rule::EqualFeatures => "equal-features",
            Rule::Similar => "similar",
            Rule::Linked => "linked",
        }
    }
}

/// A document that is not kept, and the one that is kept in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Duplicate {
    /// The duplicate.
    pub document: DocIdx,
    /// The representative of its cluster.
    pub representative: DocIdx,
    /// Number of common features.
    pub overlap: u32,
    /// Why.
    pub rule: Rule,
}

/// Documents that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cluster {
    /// The one that is kept; its id names the cluster.
    pub representative: DocIdx,
    /// All members by id, the representative included.
    pub members: Vec<DocIdx>,
}

/// Numbers of a job.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Records read: documents and bad records.
    pub records: u64,
    /// Records that became documents.
    pub documents: u64,
    /// Records that did not.
    pub bad_records: u64,
    /// Entries that hold no text by their own account, such as images of a crawl.
    pub skipped_records: u64,
    /// Documents without a word; never a duplicate of anything.
    pub empty: u64,
    /// Documents with a word whose text another document before them has too.
    pub equal_text: u64,
    /// Further documents whose feature set another document before them has too.
    pub equal_features: u64,
    /// Documents that belong to another one's cluster.
    pub duplicates: u64,
    /// Clusters of two or more documents.
    pub clusters: u64,
    /// Pairs written.
    pub pairs: u64,
    /// Distinct features summed over distinct sets.
    pub features: u64,
    /// Bytes read, as stored.
    pub bytes: u64,
}

/// Everything a job found, in the order in which it is written.
#[derive(Debug)]
pub struct FindResult {
    /// The documents.
    pub documents: Documents,
    /// Duplicates by id.
    pub duplicates: Vec<Duplicate>,
    /// Clusters by the representative's id.
    pub clusters: Vec<Cluster>,
    /// Pairs by left and right id.
    pub pairs: Vec<Pair>,
    /// Bad records by place.
    pub bad_records: Vec<BadRecord>,
    /// The files read.
    pub files: Vec<FileRead>,
    /// What was noticed about documents while their text was made, and how often.
    pub remarks: BTreeMap<String, u64>,
    /// What the join looked at.
    pub ledger: Ledger,
    /// Numbers.
    pub totals: Totals,
    /// Segments of features that went to the work directory.
    pub spilled_segments: u64,
}
