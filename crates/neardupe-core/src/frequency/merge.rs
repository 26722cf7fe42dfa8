//! Tables of parts of a collection, added up.
//!
//! Where all tables are complete (counted with a `min_df` of 1), the sum is what counting all
//! documents together would have given. A table that has left out rare features does not say
//! how many documents have one that is missing: anything from none to its
//! [`DfTable::min_df`] - 1. In the sum it counts as none, so numbers can be too low, by at most
//! [`DfTable::uncertainty`]; and a feature that no table has may have had the sum of all that
//! was left out, so what is not more frequent than that is left out of the sum, too.

use super::runs::{CountRow, Runs};
use super::sums::CountSums;
use super::table::{DfTable, Facts};
use crate::document::{Progress, check_cancelled};
use crate::error::{Error, Result};
use crate::numbers::saturated;
use crate::store::WorkDir;

/// Adds tables up that are read one after the other. What does not fit in memory goes to the
/// work directory.
#[derive(Debug)]
pub struct Merger<'a> {
    facts: Option<Facts>,
    runs: Runs<'a>,
    memory: Vec<Vec<CountRow>>,
    /// Bytes that may be held, and that are.
    most: u64,
    held: u64,
    /// The most that a feature in no table can have had.
    left_out: u64,
    /// The least that any table has left out.
    least_left_out: u64,
}

impl<'a> Merger<'a> {
    /// A merger that holds up to `bytes` besides the table that is added.
    pub fn new(work: &'a WorkDir, bytes: u64) -> Self {
        Merger {
            facts: None,
            runs: Runs::new(work),
            memory: Vec::new(),
            most: bytes,
            held: 0,
            left_out: 0,
            least_left_out: 0,
        }
    }

    /// Adds a table; its specification must be that of the first one.
    pub fn add(&mut self, table: &DfTable, progress: &dyn Progress) -> Result<()> {
        check_cancelled(progress)?;
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
                // Numbers from files, which may say anything. A wrong number of documents would be
                // a wrong weight for every feature; a bound at its end only says that nothing is
                // known.
                let documents = facts.num_documents.checked_add(table.num_documents());
                facts.num_documents = documents.ok_or_else(|| {
                    let message = "the tables together have more documents than 64 bits can \
                                   count, so the number in one of them is wrong; build it again";
                    Error::input("merge", message)
                })?;
                facts.uncertainty = facts.uncertainty.saturating_add(table.uncertainty());
                self.least_left_out = self.least_left_out.min(left_out);
            }
        }
        self.left_out = self.left_out.saturating_add(left_out);
        let rows = table.entries().map(|(feature, df)| CountRow {
            feature,
            count: u64::from(df),
        });
        let rows: Vec<CountRow> = rows.collect();
        let bytes = size_of_val(&*rows) as u64;
        // Rows of all tables are held at most as long as they take half of the memory; the other
        // half is for the sum. Rows of the work directory and of memory are merged alike.
        if self.held + bytes > self.most / 2 {
            return self.runs.put(&rows);
        }
        self.held += bytes;
        self.memory.push(rows);
        Ok(())
    }

    /// The sum, without features of fewer than `min_df` documents, and with at most
    /// `max_entries` of them.
    pub fn finish(
        self,
        min_df: u32,
        max_entries: usize,
        progress: &dyn Progress,
    ) -> Result<DfTable> {
        let Some(mut facts) = self.facts else {
            return Err(Error::input("merge", "no table was named"));
        };
        // What is in the sum was in at least one of the tables.
        let gap = self.left_out - self.least_left_out;
        facts.uncertainty = facts.uncertainty.saturating_add(gap);
        let least = saturated(self.left_out.saturating_add(1));
        facts.min_df = least.max(min_df);
        let sums = CountSums {
            runs: &self.runs,
            memory: &self.memory,
            max_entries,
            max_bytes: self.most,
        };
        Ok(sums.table(facts, progress)?.0)
    }
}
