//! From counts in several lists to one table.

use super::runs::{Row, Runs};
use super::table::{DfTable, Facts};
use crate::document::{Progress, check_cancelled};
use crate::error::{Error, Result};
use std::collections::BTreeMap;

/// Bytes of an entry while a table is made and written.
const ENTRY_BYTES: u64 = 32;

/// All counts, in memory and in the work directory.
pub(super) struct Sums<'a> {
    pub(super) runs: &'a Runs<'a>,
    /// Each list is in order, no feature twice.
    pub(super) memory: &'a [Vec<Row>],
    /// Entries of the table at most.
    pub(super) max_entries: usize,
    /// What may be held for the table.
    pub(super) max_bytes: u64,
}

impl Sums<'_> {
    /// The table, and how many features there are in all. The `min_df` of `facts` is the least
    /// that is wanted; a larger one is taken where there would be too many entries.
    pub(super) fn table(
        &self,
        facts: Facts,
        progress: &dyn Progress,
    ) -> Result<(DfTable, u64)> {
        // How many features have each number of documents: few numbers, whatever the size.
        let mut by_df: BTreeMap<u32, u64> = BTreeMap::new();
        self.for_each(progress, |_, df| *by_df.entry(df).or_insert(0) += 1)?;
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

    fn for_each(
        &self,
        progress: &dyn Progress,
        mut visit: impl FnMut(u64, u32),
    ) -> Result<()> {
        let mut num_visited = 0u64;
        self.runs.for_each(self.memory, |row| {
            visit(row.feature, u32::try_from(row.count).unwrap_or(u32::MAX));
            num_visited += 1;
            match num_visited.is_multiple_of(1 << 16) {
                true => check_cancelled(progress),
                false => Ok(()),
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
            return (df.saturating_add(1), num_kept);
        }
        num_kept += num_features;
    }
    (min_df.max(1), num_kept)
}
