//! From counts in several lists to one table.
//!
//! Counting and merging end here alike: the lists of threads or of tables, in memory and in the work
//! directory, are added up as they are read, so that only what the table keeps is ever held.

use super::runs::{CountRow, Runs};
use super::table::{DfTable, Facts};
use crate::document::{Progress, check_cancelled};
use crate::error::{Error, Result};
use crate::numbers::{in_memory, narrow, saturated};
use std::collections::BTreeMap;

/// Bytes of an entry while a table is made and written.
const ENTRY_BYTES: u64 = 32;

/// What has too many, when the count of a feature does not fit.
pub(super) const DOCUMENTS_WITH_ONE: &str = "documents with one feature";

/// All counts, in memory and in the work directory.
pub(super) struct CountSums<'a> {
    pub(super) runs: &'a Runs<'a>,
    /// Each list is in order, no feature twice.
    pub(super) memory: &'a [Vec<CountRow>],
    /// Entries of the table at most.
    pub(super) max_entries: usize,
    /// What may be held for the table.
    pub(super) max_bytes: u64,
}

impl CountSums<'_> {
    /// The table, and how many features there are in all. The `min_df` of `facts` is the least
    /// that is wanted; a larger one is taken where there would be too many entries.
    pub(super) fn table(
        &self,
        facts: Facts,
        progress: &dyn Progress,
    ) -> Result<(DfTable, u64)> {
        // Two passes over the sums. The first finds how many features have each number of
        // documents, from which `min_df` follows; the second takes those that remain. Merging twice
        // costs less than room for entries that are left out: about half of all words occur in one
        // document only.
        let mut by_df: BTreeMap<u32, u64> = BTreeMap::new();
        self.for_each(progress, |_, df| *by_df.entry(df).or_insert(0) += 1)?;
        // All entries of one number are kept or left out together: a choice among them would depend
        // on something that the user cannot see.
        let (min_df, num_kept) = cut_off(&by_df, facts.min_df, self.max_entries);
        let asked = num_kept * ENTRY_BYTES;
        if asked > self.max_bytes {
            return Err(Error::Limit {
                what: format!("a table of {num_kept} features"),
                asked,
                allowed: self.max_bytes,
                remedy: "lower `max-entries` or raise `memory`".to_owned(),
            });
        }
        let (mut features, mut dfs) = (Vec::new(), Vec::new());
        self.for_each(progress, |feature, df| {
            if df >= min_df {
                features.push(feature);
                dfs.push(df);
            }
        })?;
        let facts = Facts { min_df, ..facts };
        Ok((DfTable::of(facts, features, dfs), by_df.values().sum()))
    }

    /// Calls `visit` with each feature and its number of documents, in the order of the features.
    fn for_each(
        &self,
        progress: &dyn Progress,
        mut visit: impl FnMut(u64, u32),
    ) -> Result<()> {
        let mut num_visited = 0u64;
        self.runs.for_each(self.memory, |row| {
            visit(
                row.feature,
                narrow(in_memory(row.count), DOCUMENTS_WITH_ONE)?,
            );
            num_visited += 1;
            if num_visited.is_multiple_of(1 << 16) {
                check_cancelled(progress)
            } else {
                Ok(())
            }
        })
    }
}

/// The smallest `min_df`, from the one asked for on, with which the table has no more than
/// `most` entries; and how many it has then.
fn cut_off(by_df: &BTreeMap<u32, u64>, min_df: u32, most: usize) -> (u32, u64) {
    let mut num_kept = 0;
    for (&df, &num_features) in by_df.iter().rev() {
        if df < min_df {
            break;
        }
        if num_kept + num_features > most as u64 {
            // Nothing has more documents than the largest number, so the table is then empty.
            return (saturated(u64::from(df) + 1), num_kept);
        }
        num_kept += num_features;
    }
    (min_df.max(1), num_kept)
}
