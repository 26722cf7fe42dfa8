//! What a job found.

use super::assemble::field_values::FieldValues;
use super::assemble::priority_ranks::PriorityRanks;
use super::assemble::ranked;
pub use super::assemble::rows::{
    Cluster, Duplicate, MemberRow, PairRow, Rule, RuleCounts,
};
use super::compare_filters::FilterComparison;
use super::rank::recall::Recall;
use super::read::documents::Documents;
use super::read::ids::IdOrder;
use crate::candidate::ledger::Ledger;
use crate::document::PartRead;
use crate::error::Result;
use crate::pair::Pair;
use crate::similarity::Similarity;
use crate::store::Rows;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Numbers of a job.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Records read: documents and bad records.
    pub records: u64,
    /// Records that became documents.
    pub documents: u64,
    /// Those of them that new ones are compared with.
    pub old_documents: u64,
    /// Records that did not.
    pub bad_records: u64,
    /// Entries that hold no text by their own account, such as images of a crawl.
    pub skipped_records: u64,
    /// Documents without text: kept, never a duplicate of anything.
    pub empty: u64,
    /// Documents whose text has no word, or no spot signature where those are compared: they are
    /// duplicates of equal texts only.
    pub featureless: u64,
    /// Documents that have words but no whole shingle: they can be equal to others, but are contained
    /// in none.
    pub shorter_than_shingle: u64,
    /// The duplicates by what they have in common with the document that is kept.
    #[serde(flatten)]
    pub rules: RuleCounts,
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
    /// How similarity was measured.
    pub similarity: Similarity,
    /// Whether new documents were compared with old ones.
    pub against: bool,
    /// The first files hold the old ones.
    pub num_old_files: u32,
    /// The documents.
    pub documents: Documents,
    /// Those that have a similar one, in the order of their ids.
    pub order: IdOrder,
    /// Duplicates by id.
    pub duplicates: Vec<Duplicate>,
    /// Clusters by the representative's id.
    pub clusters: Rows<MemberRow>,
    /// Pairs by left and right id.
    pub pairs: Rows<PairRow>,
    /// The order in which their documents are kept; only when all pairs are asked for.
    pub priority_ranks: Option<PriorityRanks>,
    /// What was read, part by part.
    pub parts: Vec<PartRead>,
    /// What was noticed about documents while their text was made, and how often.
    pub remarks: BTreeMap<String, u64>,
    /// Metadata fields that were asked for and that no document has a value in.
    pub unseen_fields: Vec<String>,
    /// What the field holds that decides which documents are kept; None for a rule without one.
    pub keep_values: Option<FieldValues>,
    /// What the fields hold whose numbers are weights of a code.
    pub numeric_values: Vec<FieldValues>,
    /// What the join looked at.
    pub ledger: Ledger,
    /// What an approximate method finds of a sample; None of an exact one.
    pub recall: Option<Recall>,
    /// What each filter of the join is worth, where that was asked for.
    pub filters: Option<FilterComparison>,
    /// How simhashes were made, where the method made some: only codes of the same making can
    /// be compared.
    pub codes: Option<String>,
    /// Numbers.
    pub totals: Totals,
    /// Whether the features went to the work directory.
    pub spilled: bool,
    /// Windows in which the join was done; one when its index fitted.
    pub join_windows: u64,
}

impl FindResult {
    /// Calls `visit` with each pair, in order.
    pub fn for_each_pair(
        &self,
        mut visit: impl FnMut(&Pair) -> Result<()>,
    ) -> Result<()> {
        let pair = |row| ranked::pair_of(&self.documents, &self.order, row);
        self.pairs.for_each(|row| visit(&pair(row)))
    }

    /// The pairs in order, for those who take them one by one.
    pub fn each_pair(&self) -> impl Iterator<Item = Result<Pair>> + '_ {
        let pair = |row| ranked::pair_of(&self.documents, &self.order, row);
        self.pairs.iter().map(move |row| row.map(pair))
    }

    /// Calls `visit` with each cluster, in order.
    pub fn for_each_cluster(
        &self,
        mut visit: impl FnMut(&Cluster) -> Result<()>,
    ) -> Result<()> {
        self.each_cluster().try_for_each(|cluster| visit(&cluster?))
    }

    /// The clusters in order, for those who take them one by one.
    pub fn each_cluster(&self) -> impl Iterator<Item = Result<Cluster>> + '_ {
        let mut members = self.clusters.iter();
        let mut rows: Vec<MemberRow> = Vec::new();
        std::iter::from_fn(move || {
            loop {
                let row = match members.next() {
                    Some(Err(error)) => {
                        rows.clear();
                        return Some(Err(error));
                    }
                    Some(Ok(row)) => Some(row),
                    None => None,
                };
                let of_last = rows.last().is_some_and(|last| {
                    row.is_some_and(|row| last.representative == row.representative)
                });
                if of_last || rows.is_empty() {
                    rows.push(row?);
                    continue;
                }
                let cluster = ranked::cluster_of(&self.order, &rows);
                rows.clear();
                rows.extend(row);
                return Some(Ok(cluster));
            }
        })
    }
}
