//! Disjoint sets with path halving and union by smaller root.

use crate::numbers::{Column, Idx};

/// A partition of the first `len` things of a kind.
#[derive(Debug)]
pub struct UnionFind<I> {
    parents: Column<I, I>,
}

impl<I: Idx> UnionFind<I> {
    /// Every element alone.
    pub fn new(len: u32) -> Self {
        UnionFind {
            parents: (0..len as usize).map(I::of_index).collect(),
        }
    }

    /// The smallest element of a part.
    pub fn find(&mut self, mut element: I) -> I {
        while self.parents[element] != element {
            // Path halving: every other step is skipped the next time.
            let above = self.parents[self.parents[element]];
            self.parents[element] = above;
            element = above;
        }
        element
    }

    /// Joins two parts.
    pub fn union(&mut self, left: I, right: I) {
        let (left, right) = (self.find(left), self.find(right));
        // The smaller root stays, so a part is named the same in whatever order it was joined.
        self.parents[left.max(right)] = left.min(right);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::OpenIdx;

    #[test]
    fn parts_are_named_by_their_smallest_element() {
        let mut parts = UnionFind::new(6);
        parts.union(OpenIdx::new(4), OpenIdx::new(2));
        parts.union(OpenIdx::new(5), OpenIdx::new(4));
        let found = OpenIdx::first(6).map(|element| parts.find(element).get());
        assert_eq!(found.collect::<Vec<_>>(), [0, 1, 2, 3, 2, 2]);
    }
}
