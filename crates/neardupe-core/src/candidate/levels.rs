//! Sizes of sets that depend on what they are compared with.
//!
//! With adaptive sampling a set has been thinned to its own ratio, and two sets are compared at the
//! coarser of their two. Kept features nest, so a feature that both sets have is one that both rules
//! keep, and the overlap is that of the sets as they are; only sizes are others. A row has the level of
//! a set (the place of its ratio among all, in the lower half of the first word) and its size at each
//! level, 0 below its own.

use crate::numbers::{OpenIdx, in_memory, of_len};

/// Numbers of features of two sets, given their rows, at the coarser of their levels.
pub fn sizes(one: &[u64], other: &[u64]) -> (u32, u32) {
    let level = level(one).max(level(other));
    let size = |row: &[u64]| size_of_word(row.get(level + 1).copied().unwrap_or(0));
    (size(one), size(other))
}

/// The place of a set's ratio among all.
#[expect(clippy::cast_possible_truncation, reason = "the lower half")]
pub fn level(row: &[u64]) -> usize {
    row.first().copied().unwrap_or(0) as u32 as usize
}

/// A size, or the lower half of a word: both fit.
fn size_of_word(word: u64) -> u32 {
    of_len(in_memory(word))
}

/// The rows of all open sets.
#[derive(Debug, Default)]
pub struct Levels {
    row_len: usize,
    rows: Vec<u32>,
}

impl Levels {
    /// Takes rows in the order of the open sets, all of the same length.
    pub fn new<'a>(rows: impl Iterator<Item = &'a [u64]>) -> Self {
        let mut levels = Levels::default();
        for row in rows {
            levels.row_len = row.len();
            levels.rows.extend(row.iter().map(|&word| match word {
                // The upper half of the first is not asked for here.
                word if word >> 32 > 0 => size_of_word(word & 0xffff_ffff),
                word => size_of_word(word),
            }));
        }
        levels
    }

    /// Numbers of features of two sets as they are compared.
    pub fn sizes(&self, left: OpenIdx, right: OpenIdx) -> (u32, u32) {
        let row = |set: OpenIdx| {
            let start = set.index() * self.row_len;
            &self.rows[start..start + self.row_len]
        };
        let (left, right) = (row(left), row(right));
        // Two rows of a few words: as cheap as two sizes.
        let level = left[0].max(right[0]) as usize;
        (left[level + 1], right[level + 1])
    }

    /// Bytes held in memory.
    pub fn memory_bytes(&self) -> u64 {
        (self.rows.len() * 4) as u64
    }
}
