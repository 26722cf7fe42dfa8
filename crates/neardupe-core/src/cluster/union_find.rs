//! Disjoint sets with path halving and union by smaller root.

/// A partition of `0..len`.
#[derive(Debug)]
pub struct UnionFind {
    parents: Vec<u32>,
}

impl UnionFind {
    /// Every element alone.
    pub fn new(len: u32) -> Self {
        UnionFind {
            parents: (0..len).collect(),
        }
    }

    /// The smallest element of a part.
    pub fn find(&mut self, mut element: u32) -> u32 {
        while self.parents[element as usize] != element {
            let above = self.parents[self.parents[element as usize] as usize];
            self.parents[element as usize] = above;
            element = above;
        }
        element
    }

    /// Joins two parts.
    pub fn union(&mut self, left: u32, right: u32) {
        let (left, right) = (self.find(left), self.find(right));
        self.parents[left.max(right) as usize] = left.min(right);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_named_by_their_smallest_element() {
        let mut parts = UnionFind::new(6);
        parts.union(4, 2);
        parts.union(5, 4);
        assert_eq!(
            (0..6).map(|e| parts.find(e)).collect::<Vec<_>>(),
            [0, 1, 2, 3, 2, 2]
        );
    }
}
