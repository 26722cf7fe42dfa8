//! What one setting did, and which pairs it found: their number and a digest.

use crate::candidate::ledger::Ledger;
use crate::hash;
use crate::numbers::SetIdx;
use std::time::Duration;

/// What one setting did.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) ledger: Ledger,
    pub(super) pairs: Pairs,
    pub(super) prepared: Duration,
    pub(super) joined: Duration,
}

/// The pairs that were found, in any order.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pairs {
    pub(super) count: u64,
    pub(super) digest: u64,
}

impl Pairs {
    /// Takes a pair. The digest is a sum, so it does not depend on the order of pairs.
    pub(super) fn add(&mut self, one: SetIdx, other: SetIdx, overlap: u32) {
        let (first, second) = (one.min(other), one.max(other));
        let sets = (u64::from(first.get()) << 32) | u64::from(second.get());
        self.count += 1;
        let pair = hash::mix(hash::mix(sets) ^ u64::from(overlap));
        self.digest = self.digest.wrapping_add(pair);
    }

    /// The pairs of both.
    pub(super) fn merge(self, other: Pairs) -> Pairs {
        Pairs {
            count: self.count + other.count,
            digest: self.digest.wrapping_add(other.digest),
        }
    }
}
