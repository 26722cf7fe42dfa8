//! From pairs of sentences to maximal diagonals (the pdc-mr paper, section 4.3, Algorithm 2).
//!
//! The paper takes pairs one by one, follows the diagonal from each and eliminates what it
//! has followed. Sorted by diagonal and then by sentence, a diagonal is met at its root, and
//! what would be eliminated stands next: a run of rows, gone through once.

use super::expand::{MIDDLE, MatchRow};
use super::ticker::Ticker;
use crate::document::Progress;
use crate::error::Result;
use crate::store::Rows;
use bytemuck::{Pod, Zeroable};

/// A maximal diagonal: `len` sentences from `left_first` in document `left` match those from
/// `right_first` in `right`, one by one, and the pairs before and after do not. Documents are
/// in order; in one document the left sentences come first. Sentences count from 0.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Pod, Zeroable,
)]
#[repr(C)]
pub struct Diagonal {
    /// The document with the smaller number.
    pub left: u32,
    /// The other one, or the same.
    pub right: u32,
    /// First sentence in the left document.
    pub left_first: u32,
    /// First sentence in the right document.
    pub right_first: u32,
    /// Number of sentences.
    pub len: u32,
}

/// Gives the diagonals longer than `gamma` to `found`, by documents and then by lines; the
/// number of different pairs of sentences.
pub(super) fn diagonals(
    matches: &Rows<MatchRow>,
    gamma: u32,
    progress: &dyn Progress,
    mut found: impl FnMut(Diagonal) -> Result<()>,
) -> Result<u64> {
    let mut ticker = Ticker::telling(progress);
    let mut num_pairs = 0;
    // The root of the diagonal, and its length.
    let mut open: Option<(MatchRow, u32)> = None;
    let mut close = |open: Option<(MatchRow, u32)>| match open {
        Some((root, len)) if len > gamma => found(diagonal(root, len)),
        _ => Ok(()),
    };
    matches.for_each(|row| {
        ticker.tick()?;
        if let Some((root, len)) = &mut open {
            let same_line = (root.left, root.right, root.diagonal)
                == (row.left, row.right, row.diagonal);
            if same_line && row.first == root.first + *len - 1 {
                // Sentences that share several keys come several times.
                return Ok(());
            }
            if same_line && row.first == root.first + *len {
                *len += 1;
                num_pairs += 1;
                return Ok(());
            }
        }
        num_pairs += 1;
        close(open.replace((row, 1)))
    })?;
    close(open)?;
    Ok(num_pairs)
}

fn diagonal(root: MatchRow, len: u32) -> Diagonal {
    Diagonal {
        left: root.left,
        right: root.right,
        left_first: root.first,
        // The line may lie below the middle one.
        right_first: root.diagonal.wrapping_sub(MIDDLE).wrapping_add(root.first),
        len,
    }
}
