//! Pairs of sets and of documents.

use crate::numbers::{DocIdx, OpenIdx};

/// Two sets verified as similar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct SetPair {
    /// The set with the smaller number.
    pub left: OpenIdx,
    /// The other one.
    pub right: OpenIdx,
    /// Number of common features.
    pub overlap: u32,
}

/// Two documents verified as similar; the smaller id is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    /// Document with the smaller id.
    pub left: DocIdx,
    /// Document with the larger id.
    pub right: DocIdx,
    /// Number of common features.
    pub overlap: u32,
    /// Number of features of the left document.
    pub left_size: u32,
    /// Number of features of the right document.
    pub right_size: u32,
}

impl Pair {
    /// Number of features that one or both have.
    pub fn union(&self) -> u64 {
        u64::from(self.left_size) + u64::from(self.right_size) - u64::from(self.overlap)
    }
}
