//! Who is a duplicate of whom: as clusters, or as pairs that need not be transitive.
//!
//! Documents are numbered in the order in which they are met, truth first, so tables over
//! documents are plain lists. Clusters are held as one number a document, pairs as one number of
//! 64 bits, and labels as votes: several people may have judged a pair, and the majority decides;
//! a tie decides nothing.

use neardupe_core::error::Result;
use neardupe_core::hash::{self, FixedMap, FixedSet};
use neardupe_core::numbers::{narrow, of_len};

/// Numbers of documents by their ids.
#[derive(Debug, Default)]
pub struct Ids {
    numbers: FixedMap<u128, u32>,
}

impl Ids {
    /// The number of a document; a new one for an id that was not met before.
    pub fn number(&mut self, id: &str) -> Result<u32> {
        // Always below the largest number, which stands for no cluster.
        let next = narrow(self.numbers.len(), "ids of a truth and a result")?;
        Ok(*self.numbers.entry(hash::text(id)).or_insert(next))
    }

    /// The number of a document that was met before.
    pub fn known(&self, id: &str) -> Option<u32> {
        self.numbers.get(&hash::text(id)).copied()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }
}

/// In no cluster.
const ALONE: u32 = u32::MAX;

/// Documents in clusters, each in one at most.
#[derive(Debug, Default)]
pub struct Partition {
    clusters: Vec<u32>,
    sizes: Vec<u64>,
}

impl Partition {
    /// Puts a document into a cluster; false if it is in another one already.
    pub fn put(&mut self, document: u32, cluster: u32) -> bool {
        let (document, number) = (document as usize, cluster as usize);
        if self.clusters.len() <= document {
            self.clusters.resize(document + 1, ALONE);
        }
        if self.sizes.len() <= number {
            self.sizes.resize(number + 1, 0);
        }
        match self.clusters[document] {
            ALONE => {
                self.clusters[document] = cluster;
                self.sizes[number] += 1;
                true
            }
            other => other == cluster,
        }
    }

    /// The cluster of a document that has another member.
    pub fn cluster(&self, document: u32) -> Option<u32> {
        let cluster = self.clusters.get(document as usize).copied();
        cluster.filter(|&cluster| cluster != ALONE && self.size(cluster) > 1)
    }

    /// Number of members.
    pub fn size(&self, cluster: u32) -> u64 {
        self.sizes[cluster as usize]
    }

    /// How many other members the cluster of a document has.
    pub fn others(&self, document: u32) -> u64 {
        self.cluster(document).map_or(0, |c| self.size(c) - 1)
    }

    /// Whether two documents are in one cluster.
    pub fn together(&self, left: u32, right: u32) -> bool {
        let cluster = self.cluster(left);
        cluster.is_some() && cluster == self.cluster(right)
    }

    /// The classes of documents that pairs connect.
    pub(super) fn of_pairs(pairs: impl Iterator<Item = (u32, u32)>) -> Self {
        let mut parents: Vec<u32> = Vec::new();
        for (left, right) in pairs {
            join(&mut parents, left, right);
        }
        Self::of_parents(parents)
    }

    /// Each class is named by its root, which is one of its documents.
    pub(super) fn of_parents(mut parents: Vec<u32>) -> Self {
        let mut partition = Partition::default();
        // One entry for each number of a document, and those have 32 bits.
        let len = of_len(parents.len());
        for document in 0..len {
            let root = root(&mut parents, document);
            partition.put(document, root);
        }
        partition
    }

    pub(super) fn len(&self) -> u32 {
        // One entry for each number of a document, and those have 32 bits.
        of_len(self.clusters.len())
    }
}

/// Joins two documents in a forest that grows with them.
pub(super) fn join(parents: &mut Vec<u32>, left: u32, right: u32) {
    let most = left.max(right) as usize;
    while parents.len() <= most {
        // Not above `most`, the number of a document.
        parents.push(of_len(parents.len()));
    }
    let (left, right) = (root(parents, left), root(parents, right));
    // The smaller number is the root: the classes have the same names in any order of pairs.
    parents[left.max(right) as usize] = left.min(right);
}

/// Halves the path while it is followed, so that later calls are short (Tarjan and van Leeuwen
/// 1984).
fn root(parents: &mut [u32], mut document: u32) -> u32 {
    while parents[document as usize] != document {
        let above = parents[parents[document as usize] as usize];
        parents[document as usize] = above;
        document = above;
    }
    document
}

/// Pairs as they were listed.
#[derive(Debug, Default)]
pub struct TruePairs {
    pairs: FixedSet<u64>,
}

/// A pair as one number, whichever side comes first.
fn key(left: u32, right: u32) -> u64 {
    (u64::from(left.min(right)) << 32) | u64::from(left.max(right))
}

impl TruePairs {
    /// Adds a pair of two documents; false if it was there.
    pub fn add(&mut self, left: u32, right: u32) -> bool {
        self.pairs.insert(key(left, right))
    }

    /// Whether a pair is listed.
    pub fn contains(&self, left: u32, right: u32) -> bool {
        self.pairs.contains(&key(left, right))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// All pairs, in no order that means anything.
    #[expect(clippy::cast_possible_truncation, reason = "both halves of a key")]
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.pairs
            .iter()
            .map(|&key| ((key >> 32) as u32, key as u32))
    }
}

/// Pairs with labels: a sample in which also pairs are listed that are no duplicates.
#[derive(Debug, Default)]
pub struct Labelled {
    /// Votes for and against.
    votes: FixedMap<u64, (u32, u32)>,
}

impl Labelled {
    /// A label of a pair.
    pub fn add(&mut self, left: u32, right: u32, positive: bool) {
        let votes = self.votes.entry(key(left, right)).or_insert((0, 0));
        if positive {
            votes.0 += 1;
        } else {
            votes.1 += 1;
        }
    }

    /// Pairs that have a label, whatever it is.
    pub fn len(&self) -> usize {
        self.votes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.votes.is_empty()
    }

    /// What most labels of a pair say; none of a pair without labels, or of as many for as
    /// against.
    pub fn label(&self, left: u32, right: u32) -> Option<bool> {
        self.votes.get(&key(left, right)).and_then(majority)
    }

    /// Positive, negative and undecided pairs.
    pub fn totals(&self) -> (u64, u64, u64) {
        let mut totals = (0, 0, 0);
        for votes in self.votes.values() {
            match majority(votes) {
                Some(true) => totals.0 += 1,
                Some(false) => totals.1 += 1,
                None => totals.2 += 1,
            }
        }
        totals
    }

    /// All labelled pairs, in no order that means anything.
    #[expect(clippy::cast_possible_truncation, reason = "both halves of a key")]
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.votes
            .keys()
            .map(|&key| ((key >> 32) as u32, key as u32))
    }
}

fn majority(votes: &(u32, u32)) -> Option<bool> {
    match votes.0.cmp(&votes.1) {
        std::cmp::Ordering::Greater => Some(true),
        std::cmp::Ordering::Less => Some(false),
        std::cmp::Ordering::Equal => None,
    }
}
