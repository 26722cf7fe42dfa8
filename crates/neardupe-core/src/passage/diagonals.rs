//! From pairs of sentences to maximal diagonals (the pdc-mr paper, section 4.3, Algorithm 2).
//!
//! The paper takes pairs one by one, follows the diagonal from each and eliminates what it
//! has followed. Sorted by diagonal and then by sentence, a diagonal is met at its root, and
//! what would be eliminated stands next: a run of rows, gone through once.

use super::expand::{MIDDLE, MatchRow};
use crate::error::Result;
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

/// Follows diagonals while pairs of sentences pass, in the order of [`MatchRow`].
#[derive(Debug)]
pub struct DiagonalLines<Visit> {
    gamma: u32,
    found: Visit,
    num_pairs: u64,
    /// The root of the diagonal, and its length.
    open: Option<(MatchRow, u32)>,
}

impl<Visit: FnMut(Diagonal) -> Result<()>> DiagonalLines<Visit> {
    /// Gives the diagonals longer than `gamma` to `found`, by documents and then by lines.
    pub fn new(gamma: u32, found: Visit) -> Self {
        DiagonalLines {
            gamma,
            found,
            num_pairs: 0,
            open: None,
        }
    }

    /// The next pair.
    #[inline]
    pub fn row(&mut self, row: MatchRow) -> Result<()> {
        // Rows come by (left, right, diagonal, first). So the open diagonal grows at its
        // end only, and the first row that does not continue it proves that nothing after
        // it will.
        if let Some((root, len)) = &mut self.open {
            let same_line = (root.left, root.right, root.diagonal)
                == (row.left, row.right, row.diagonal);
            if same_line && row.first == root.first + *len - 1 {
                // Sentences that share several keys come several times.
                return Ok(());
            }
            if same_line && row.first == root.first + *len {
                *len += 1;
                self.num_pairs += 1;
                return Ok(());
            }
        }
        // Another line, or a gap in this one: the row is the root of a new diagonal.
        self.num_pairs += 1;
        let closed = self.open.replace((row, 1));
        self.close(closed)
    }

    /// All pairs have passed; the number of different ones.
    pub fn finish(mut self) -> Result<u64> {
        let closed = self.open.take();
        self.close(closed)?;
        Ok(self.num_pairs)
    }

    fn close(&mut self, closed: Option<(MatchRow, u32)>) -> Result<()> {
        match closed {
            Some((root, len)) if len > self.gamma => (self.found)(diagonal(root, len)),
            _ => Ok(()),
        }
    }
}

/// Gives the diagonals longer than `gamma` to `found`, by documents and then by lines; the
/// number of different pairs of sentences. `matches` come in order.
pub fn diagonals(
    matches: impl IntoIterator<Item = MatchRow>,
    gamma: u32,
    found: impl FnMut(Diagonal) -> Result<()>,
) -> Result<u64> {
    let mut lines = DiagonalLines::new(gamma, found);
    matches.into_iter().try_for_each(|row| lines.row(row))?;
    lines.finish()
}

fn diagonal(root: MatchRow, len: u32) -> Diagonal {
    Diagonal {
        left: root.left,
        right: root.right,
        left_first: root.first,
        // `MIDDLE` is added so that lines with a smaller right sentence stay positive. Taken
        // off again, such a line wraps around, and adding `first` wraps back.
        right_first: root.diagonal.wrapping_sub(MIDDLE).wrapping_add(root.first),
        len,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_on_a_line_are_one_diagonal() {
        let row = |left, right, diagonal: u32, first| MatchRow {
            left,
            right,
            diagonal: MIDDLE + diagonal,
            first,
        };
        let matches = [
            row(0, 1, 0, 3),
            row(0, 1, 0, 4),
            // Met by another key.
            row(0, 1, 0, 4),
            row(0, 1, 0, 5),
            // A gap, another line, another document.
            row(0, 1, 0, 7),
            row(0, 1, 2, 8),
            row(0, 2, 2, 9),
            row(0, 2, 2, 10),
        ];
        let mut found = Vec::new();
        let num_pairs = diagonals(matches, 1, |one| {
            found.push((
                one.left,
                one.right,
                one.left_first,
                one.right_first,
                one.len,
            ));
            Ok(())
        });
        assert_eq!(num_pairs.unwrap(), 7);
        assert_eq!(found, [(0, 1, 3, 3, 3), (0, 2, 9, 11, 2)]);
    }
}
