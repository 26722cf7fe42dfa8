//! The filter ledger: what the join looked at and what each filter left.

use serde::{Deserialize, Serialize};

/// Counts of one join. Ledgers of threads and batches add up.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    /// Distinct feature sets.
    pub sets: u64,
    /// Sets without a partner by their rare features alone; never looked up.
    pub without_partner: u64,
    /// Prefix features looked up.
    pub lookups: u64,
    /// Postings visited.
    pub postings: u64,
    /// Postings left by the length filter.
    pub after_length: u64,
    /// Postings left by the position filter.
    pub after_position: u64,
    /// Distinct candidates among these that their sketches leave.
    pub candidates: u64,
    /// Candidates left by the bitmap filter; all of them are verified.
    pub verified: u64,
    /// Pairs found at or above the threshold.
    pub found: u64,
}

impl Ledger {
    /// Adds the counts of another ledger.
    pub fn add(&mut self, other: &Ledger) {
        self.sets += other.sets;
        self.without_partner += other.without_partner;
        self.lookups += other.lookups;
        self.postings += other.postings;
        self.after_length += other.after_length;
        self.after_position += other.after_position;
        self.candidates += other.candidates;
        self.verified += other.verified;
        self.found += other.found;
    }
}
