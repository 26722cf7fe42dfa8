//! Which documents are near-duplicates of each other: groups, or pairs with a similarity.
//!
//! Groups are an equivalence and have no similarity: two documents of one group are
//! near-duplicates at every threshold. Pairs need not be transitive. Similarities are whole
//! millionths, so that nothing is decided by rounding.

use crate::numbers::{MaybeNumber, of_len};
use std::cmp::Reverse;

/// The similarity of documents with equal features, in millionths; and of all documents of a
/// group.
pub const SIMILARITY_ONE: u32 = 1_000_000;

/// Near-duplicates.
#[derive(Debug, Clone)]
pub enum Near {
    /// Documents of one group are near-duplicates.
    Groups(Groups),
    /// Documents of a pair are, from its similarity down.
    Pairs(PairList),
}

impl Near {
    /// Groups: pairs at or above `threshold` are joined, so that what is connected is one
    /// group. Groups are returned as they are.
    pub fn groups(&self, threshold: u32) -> Groups {
        match self {
            Near::Groups(groups) => groups.clone(),
            Near::Pairs(pairs) => pairs.closure(threshold),
        }
    }

    /// Whether a document is in a group or a pair with another one.
    pub fn has(&self, document: u32) -> bool {
        match self {
            Near::Groups(groups) => groups.of(document).is_some(),
            Near::Pairs(pairs) => !pairs.of(document).is_empty(),
        }
    }
}

/// Documents in groups of two or more, each in one at most.
#[derive(Debug, Clone, Default)]
pub struct Groups {
    of: Vec<MaybeNumber>,
    members: Vec<Vec<u32>>,
}

impl Groups {
    /// Groups from lists of documents. Lists that share a document become one group.
    pub fn new(lists: &[Vec<u32>]) -> Self {
        let links = lists.iter().flat_map(|list| {
            let first = list.first().copied();
            list.iter()
                .map(move |&document| (first.unwrap_or(document), document))
        });
        Self::of_links(links)
    }

    fn of_links(links: impl Iterator<Item = (u32, u32)>) -> Self {
        let mut parents: Vec<u32> = Vec::new();
        for (left, right) in links {
            let most = left.max(right) as usize;
            while parents.len() <= most {
                // Not above `most`, a number of 32 bits.
                parents.push(of_len(parents.len()));
            }
            let (left, right) = (root(&mut parents, left), root(&mut parents, right));
            // The smaller number leads: groups do not depend on the order of links.
            parents[left.max(right) as usize] = left.min(right);
        }
        let mut sizes = vec![0u32; parents.len()];
        let documents = 0..of_len(parents.len());
        let roots: Vec<u32> = documents.map(|it| root(&mut parents, it)).collect();
        for &root in &roots {
            sizes[root as usize] += 1;
        }
        let mut groups = Groups {
            of: vec![MaybeNumber::NONE; roots.len()],
            members: Vec::new(),
        };
        let mut numbers = vec![MaybeNumber::NONE; roots.len()];
        for (document, &root) in (0u32..).zip(&roots) {
            if sizes[root as usize] < 2 {
                continue;
            }
            let number = numbers[root as usize].get().unwrap_or_else(|| {
                let next = of_len(groups.members.len());
                numbers[root as usize] = MaybeNumber::some(next);
                groups.members.push(Vec::new());
                next
            });
            groups.of[document as usize] = MaybeNumber::some(number);
            groups.members[number as usize].push(document);
        }
        groups
    }

    /// The group of a document that is in one.
    #[inline]
    pub fn of(&self, document: u32) -> Option<u32> {
        self.of.get(document as usize)?.get()
    }

    /// Documents of a group, in the order of their numbers.
    pub fn members(&self, group: u32) -> &[u32] {
        &self.members[group as usize]
    }

    /// How many groups there are.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }
}

/// The document that leads. Each step halves the way for the next search (path halving).
fn root(parents: &mut [u32], mut document: u32) -> u32 {
    while parents[document as usize] != document {
        let above = parents[parents[document as usize] as usize];
        parents[document as usize] = above;
        document = above;
    }
    document
}

/// Pairs with their similarities, by document.
#[derive(Debug, Clone, Default)]
pub struct PairList {
    /// Where the neighbors of each document begin.
    starts: Vec<usize>,
    /// Neighbors and similarities, by the number of the neighbor.
    neighbors: Vec<(u32, u32)>,
}

impl PairList {
    /// Pairs of two documents with a similarity in millionths. A pair with itself is passed
    /// over; of a pair that comes twice the higher similarity counts.
    pub fn new(pairs: &[(u32, u32, u32)]) -> Self {
        let mut both: Vec<(u32, u32, u32)> = pairs
            .iter()
            .filter(|(left, right, _)| left != right)
            .flat_map(|&(left, right, similarity)| {
                [(left, right, similarity), (right, left, similarity)]
            })
            .collect();
        both.sort_unstable_by_key(|&(left, right, similarity)| {
            (left, right, Reverse(similarity))
        });
        // Of a pair that comes twice the higher similarity is first, and it is the one that remains.
        both.dedup_by_key(|&mut (left, right, _)| (left, right));
        let documents = both.last().map_or(0, |&(left, ..)| left as usize + 1);
        // Counting, then adding up: `starts[d]` is where the neighbors of document `d` begin.
        let mut starts = vec![0; documents + 1];
        for &(left, ..) in &both {
            starts[left as usize + 1] += 1;
        }
        for at in 0..documents {
            starts[at + 1] += starts[at];
        }
        let neighbors = both.into_iter();
        PairList {
            starts,
            neighbors: neighbors
                .map(|(_, right, similarity)| (right, similarity))
                .collect(),
        }
    }

    /// The near-duplicates of a document, with similarities.
    #[inline]
    pub fn of(&self, document: u32) -> &[(u32, u32)] {
        let document = document as usize;
        match self.starts.get(document + 1) {
            Some(&end) => &self.neighbors[self.starts[document]..end],
            None => &[],
        }
    }

    /// Number of pairs.
    pub fn len(&self) -> usize {
        self.neighbors.len() / 2
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.neighbors.is_empty()
    }

    /// The lowest similarity of all.
    pub fn lowest(&self) -> Option<u32> {
        self.neighbors
            .iter()
            .map(|&(_, similarity)| similarity)
            .min()
    }

    fn closure(&self, threshold: u32) -> Groups {
        // One more start than documents, whose numbers have 32 bits.
        let documents = 0..of_len(self.starts.len().saturating_sub(1));
        Groups::of_links(documents.flat_map(|left| {
            let near = self.of(left).iter();
            near.filter(move |&&(_, similarity)| similarity >= threshold)
                .map(move |&(right, _)| (left, right))
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_that_share_a_document_are_one_group() {
        let groups = Groups::new(&[vec![5, 1], vec![7, 8], vec![1, 9], vec![3], vec![]]);
        assert_eq!(groups.len(), 2);
        assert_eq!(groups.members(0), [1, 5, 9]);
        assert_eq!(groups.of(8), groups.of(7));
        assert_eq!((groups.of(3), groups.of(100)), (None, None));
    }

    #[test]
    fn pairs_are_joined_from_the_threshold_up() {
        let pairs = PairList::new(&[
            (0, 1, 900_000),
            (2, 1, 500_000),
            (1, 0, 800_000),
            (4, 4, 7),
        ]);
        assert_eq!(pairs.len(), 2);
        assert_eq!(pairs.of(1), [(0, 900_000), (2, 500_000)]);
        assert_eq!(pairs.of(9), []);
        let near = Near::Pairs(pairs);
        assert_eq!(near.groups(500_000).members(0), [0, 1, 2]);
        assert_eq!(near.groups(500_001).members(0), [0, 1]);
    }
}
