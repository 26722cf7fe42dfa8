//! Tables of parts of a collection, added up.
//!
//! Where all tables are complete (counted with a `min_df` of 1), the sum is what counting all
//! documents together would have given. A table that has left out rare features does not say
//! how many documents have one that is missing: anything from none to its
//! [`DfTable::min_df`] - 1. In the sum it counts as none, so numbers can be too low, by at most
//! [`DfTable::uncertainty`]; and a feature that no table has may have had the sum of all that
//! was left out, so what is not more frequent than that is left out of the sum, too.

use super::table::{DfTable, Facts};
use crate::error::{Error, Result};

/// Adds tables up, one after the other: only the sum is held.
#[derive(Debug, Default)]
pub struct Merger {
    facts: Option<Facts>,
    sums: Vec<(u64, u64)>,
    /// The most that a feature in no table can have had.
    left_out: u64,
    /// The least that any table has left out.
    least_left_out: u64,
}

impl Merger {
    /// Adds a table; its specification must be that of the first one.
    pub fn add(&mut self, table: &DfTable) -> Result<()> {
        let left_out = u64::from(table.min_df() - 1);
        match &mut self.facts {
            None => {
                self.facts = Some(table.facts());
                self.least_left_out = left_out;
            }
            Some(facts) => {
                let first = &facts.specification;
                if let Some((name, one, other)) =
                    first.differences(table.specification()).first()
                {
                    let message = format!(
                        "tables of different features cannot be added up: {name} {one} \
                         in the first, {other} in another"
                    );
                    return Err(Error::input("merge", message));
                }
                facts.num_documents =
                    facts.num_documents.saturating_add(table.num_documents());
                facts.uncertainty = facts.uncertainty.saturating_add(table.uncertainty());
                self.least_left_out = self.least_left_out.min(left_out);
            }
        }
        self.left_out = self.left_out.saturating_add(left_out);
        let sums = std::mem::take(&mut self.sums);
        self.sums = added(&sums, table);
        Ok(())
    }

    /// The sum.
    pub fn finish(self) -> Result<DfTable> {
        let Some(mut facts) = self.facts else {
            return Err(Error::input("merge", "no table was named"));
        };
        // What is in the sum was in at least one of the tables.
        facts.uncertainty += self.left_out - self.least_left_out;
        facts.min_df = u32::try_from(self.left_out + 1).unwrap_or(u32::MAX);
        let kept = self
            .sums
            .into_iter()
            .filter(|&(_, sum)| sum > self.left_out);
        let kept =
            kept.map(|(feature, sum)| (feature, u32::try_from(sum).unwrap_or(u32::MAX)));
        let (features, dfs) = kept.unzip();
        Ok(DfTable::of(facts, features, dfs))
    }
}

impl DfTable {
    /// The sum of tables of parts of a collection; see [`Merger`] for tables that are read one
    /// after the other, and the module for what is not known of rare features.
    pub fn merge(tables: &[DfTable]) -> Result<DfTable> {
        let mut merger = Merger::default();
        for table in tables {
            merger.add(table)?;
        }
        merger.finish()
    }
}

/// The sums and a table, both in order.
fn added(sums: &[(u64, u64)], table: &DfTable) -> Vec<(u64, u64)> {
    let mut added = Vec::with_capacity(sums.len().max(table.len()));
    let mut sums = sums.iter().copied().peekable();
    let mut entries = table.entries().peekable();
    loop {
        let next = match (sums.peek(), entries.peek()) {
            (None, None) => return added,
            (Some(&(one, _)), Some(&(other, _))) => one.min(other),
            (Some(&(one, _)), None) => one,
            (None, Some(&(other, _))) => other,
        };
        let sum = sums.next_if(|&(feature, _)| feature == next);
        let entry = entries.next_if(|&(feature, _)| feature == next);
        let sum = sum.map_or(0, |(_, sum)| sum);
        let df = entry.map_or(0, |(_, df)| u64::from(df));
        added.push((next, sum + df));
    }
}
