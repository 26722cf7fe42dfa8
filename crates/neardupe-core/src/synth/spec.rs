//! Who copies whom: the role of every document, computed from its rank.
//!
//! Ranks number the documents in the order of the specification: first the clusters from the
//! largest on, each in one piece with its base in front; then the documents that receive
//! a passage; then, in the same order, those that give it; then all others. Receivers and
//! givers are in no cluster and serve once, so that the planted passages are all there
//! are apart from boilerplate. Only the cluster boundaries are stored: about 0.1 numbers
//! per document.

use super::giant::{DOCUMENT_WORDS, Giant};
use super::length::words_at;
use super::random::{Purpose, Random, exp, ln};
use super::scatter::Scatter;
use super::shape::Shape;

/// Percentages of all documents in the shape `web`.
const EXACT_COPIES: u64 = 15;
const NEAR_DUPLICATES: u64 = 20;
const PASSAGES: u64 = 5;

const MAX_CLUSTER_SIZE: u64 = 2000;
/// The weight of a cluster size is `size^-EXPONENT`.
const CLUSTER_SIZE_EXPONENT: f64 = 2.3;
/// A larger cluster takes a length from the middle of the curve: one book copied a
/// thousand times would outweigh the rest of the collection.
const LARGE_CLUSTER: u64 = 16;

/// Words changed in a near-duplicate, as a share of all: from the first up to the second.
const EDIT_RATES: (f64, f64) = (0.002, 0.15);

const DOCUMENTS_PER_HOST: u64 = 50;

/// What a collection is made from.
pub(super) struct CollectionSpec {
    pub(super) seed: u64,
    pub(super) documents: u64,
    pub(super) shape: Shape,
    pub(super) scatter: Scatter,
    /// Rank of each cluster's base, then the rank after the last cluster.
    starts: Vec<u64>,
    num_passages: u64,
    pub(super) giant: Giant,
}

/// What one document is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    /// Has a text of its own: a base, a giver of a passage, or neither.
    Own,
    /// Has the text of the base with this rank.
    Exact { base: u64 },
    /// Has an edited text of the base with this rank.
    Near { base: u64 },
    /// Has a text of its own with a passage from the document with this rank.
    Receives { giver: u64 },
}

/// The parts of an own text in words: navigation, body, footer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Outline {
    pub(super) host: u64,
    pub(super) navigation: u32,
    pub(super) body: u32,
    pub(super) footer: u32,
}

impl Outline {
    pub(super) fn words(&self) -> u32 {
        self.navigation + self.body + self.footer
    }
}

impl CollectionSpec {
    pub(super) fn new(seed: u64, documents: u64, shape: Shape) -> Self {
        let starts = match shape {
            Shape::Web => cluster_starts(seed, documents),
            Shape::NearCopies | Shape::Spread if documents > 1 => vec![0, documents],
            _ => vec![0],
        };
        let num_passages = match shape {
            Shape::Web => documents * PASSAGES / 100,
            Shape::Passages(_) => documents / 3,
            _ => 0,
        };
        let scatter = Scatter::new(seed, documents);
        let giant = Giant::new(seed, shape);
        Self {
            seed,
            documents,
            shape,
            scatter,
            starts,
            num_passages,
            giant,
        }
    }

    pub(super) fn random(&self, purpose: Purpose, number: u64) -> Random {
        Random::keyed(self.seed, purpose, number)
    }

    pub(super) fn num_clusters(&self) -> usize {
        self.starts.len() - 1
    }

    pub(super) fn num_passages(&self) -> u64 {
        self.num_passages
    }

    /// The ranks of a cluster's members; the first is its base.
    pub(super) fn members(&self, cluster: usize) -> std::ops::Range<u64> {
        self.starts[cluster]..self.starts[cluster + 1]
    }

    /// The ranks of the documents that receive a passage.
    pub(super) fn receivers(&self) -> std::ops::Range<u64> {
        let first = self.num_clustered();
        first..first + self.num_passages
    }

    pub(super) fn role(&self, rank: u64) -> Role {
        if rank < self.num_clustered() {
            let base = self.members(self.cluster_of(rank)).start;
            if rank == base {
                return Role::Own;
            }
            let all_near = self.shape != Shape::Web;
            // Of 35 copies in a hundred documents so many are edited, the others exact.
            let drawn = self.random(Purpose::Member, rank).below(35);
            return if all_near || u64::from(drawn) < NEAR_DUPLICATES {
                Role::Near { base }
            } else {
                Role::Exact { base }
            };
        }
        if self.receivers().contains(&rank) {
            // Givers follow the receivers, in the same order: each gives once.
            return Role::Receives {
                giver: rank + self.num_passages,
            };
        }
        Role::Own
    }

    /// The parts of the own text of the document with this rank.
    pub(super) fn outline(&self, rank: u64) -> Outline {
        let host = self.host_of(rank);
        let words = self.length(rank);
        let boilerplate = match self.shape {
            Shape::Web => self.random(Purpose::Boilerplate, 2 * host).between(20, 120),
            _ => 0,
        };
        // Shorter documents have none: the boilerplate alone would make them
        // near-duplicates of each other that nobody planted. This way it explains at most
        // a resemblance of 0.2.
        let boilerplate = if words < 3 * boilerplate {
            0
        } else {
            boilerplate
        };
        let navigation = boilerplate * 3 / 5;
        let footer = boilerplate - navigation;
        Outline {
            host,
            navigation,
            body: words - boilerplate,
            footer,
        }
    }

    /// A host for this rank: few have most of the documents.
    pub(super) fn host_of(&self, rank: u64) -> u64 {
        let hosts = (self.documents / DOCUMENTS_PER_HOST).max(1);
        let drawn = self.random(Purpose::Host, rank).unit();
        scaled(drawn * drawn * drawn, hosts)
    }

    /// How many words of a near-duplicate are changed, of so many in its base.
    pub(super) fn num_changed(&self, rank: u64, words: u32) -> u32 {
        let (low, high) = EDIT_RATES;
        let drawn = self.random(Purpose::Member, rank ^ (1 << 63)).unit();
        // Evenly on a logarithmic scale: as many copies with small edits as with large ones.
        let rate = low * exp(drawn * ln(high / low));
        super::random::round(rate * f64::from(words)).max(1)
    }

    /// Words of the own text of the document with this rank.
    fn length(&self, rank: u64) -> u32 {
        let mut random = self.random(Purpose::Length, rank);
        match self.shape {
            Shape::Web => words_at(self.length_share(rank, random.unit())),
            Shape::Unrelated | Shape::Passages(_) => random.between(500, 700),
            Shape::NearCopies | Shape::Spread | Shape::Template(_) => DOCUMENT_WORDS,
        }
    }

    /// Where on the curve of lengths the document lies, from a number in `0..1`.
    fn length_share(&self, rank: u64, drawn: f64) -> f64 {
        if rank < self.num_clustered() {
            let cluster = self.cluster_of(rank);
            let members = self.members(cluster);
            // Steps of the golden ratio spread neighbours, which have about the same
            // size, evenly over the curve: independent draws of a few large clusters
            // would not.
            let offset = self.random(Purpose::Length, u64::MAX).unit();
            let drawn = (offset + cluster as f64 * 0.618_033_988_749_895).fract();
            let large = members.end - members.start > LARGE_CLUSTER;
            return if large { 0.1 + 0.8 * drawn } else { drawn };
        }
        if rank < self.receivers().end + self.num_passages {
            // A passage is at most half of the text it comes from.
            return 0.35 + 0.65 * drawn;
        }
        drawn
    }

    fn num_clustered(&self) -> u64 {
        self.starts[self.num_clusters()]
    }

    /// The cluster of a rank below [`CollectionSpec::num_clustered`].
    fn cluster_of(&self, rank: u64) -> usize {
        self.starts.partition_point(|&start| start <= rank) - 1
    }
}

/// Clusters of skewed sizes until the planned number of copies is reached, largest first.
fn cluster_starts(seed: u64, documents: u64) -> Vec<u64> {
    let largest = (documents / 200).clamp(2, MAX_CLUSTER_SIZE);
    let mut total = 0.0;
    let sums: Vec<f64> = (2..=largest)
        .map(|size| {
            total += exp(-CLUSTER_SIZE_EXPONENT * ln(size as f64));
            total
        })
        .collect();
    let mut random = Random::keyed(seed, Purpose::ClusterSizes, 0);
    let mut copies_left = documents * (EXACT_COPIES + NEAR_DUPLICATES) / 100;
    let mut sizes = Vec::new();
    while copies_left > 0 {
        let drawn = random.unit() * total;
        let wanted = 1 + sums.partition_point(|&sum| sum <= drawn) as u64;
        let copies = wanted.min(copies_left);
        copies_left -= copies;
        sizes.push(copies + 1);
    }
    sizes.sort_unstable_by(|left, right| right.cmp(left));
    let mut starts = vec![0];
    let mut end = 0;
    for size in sizes {
        end += size;
        starts.push(end);
    }
    starts
}

/// A share of `0..1` as a number in `0..limit`.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the result is below the limit"
)]
fn scaled(share: f64, limit: u64) -> u64 {
    ((share * limit as f64) as u64).min(limit - 1)
}

#[cfg(test)]
mod tests {
    use super::{CollectionSpec, Role};
    use crate::synth::Shape;

    #[test]
    fn shares_of_copies_and_passages_are_as_planned() {
        let spec = CollectionSpec::new(1, 100_000, Shape::Web);
        let (mut exact, mut near, mut received) = (0, 0, 0);
        for rank in 0..spec.documents {
            match spec.role(rank) {
                Role::Own => {}
                Role::Exact { .. } => exact += 1,
                Role::Near { .. } => near += 1,
                Role::Receives { .. } => received += 1,
            }
        }
        assert_eq!(exact + near, 35_000);
        assert!((14_500..15_500).contains(&exact), "{exact} exact copies");
        assert_eq!(received, 5_000);
    }

    #[test]
    fn cluster_sizes_are_skewed_up_to_a_two_hundredth() {
        let spec = CollectionSpec::new(1, 100_000, Shape::Web);
        let mut sizes: Vec<u64> = (0..spec.num_clusters())
            .map(|cluster| spec.members(cluster).count() as u64)
            .collect();
        sizes.sort_unstable();
        assert_eq!(sizes[0], 2);
        assert!(sizes[sizes.len() / 2] <= 3);
        let largest = sizes[sizes.len() - 1];
        assert!((300..=500).contains(&largest), "largest {largest}");
    }

    #[test]
    fn roles_refer_only_to_documents_with_an_own_text() {
        for documents in [0, 1, 2, 3, 10, 100, 3000] {
            let spec = CollectionSpec::new(5, documents, Shape::Web);
            for rank in 0..documents {
                let other = match spec.role(rank) {
                    Role::Own => continue,
                    Role::Exact { base } | Role::Near { base } => base,
                    Role::Receives { giver } => giver,
                };
                assert!(other < documents && spec.role(other) == Role::Own);
            }
        }
    }

    #[test]
    fn lengths_are_those_of_the_web() {
        let spec = CollectionSpec::new(1, 1_000_000, Shape::Web);
        let lengths: Vec<u32> = (0..spec.documents)
            .map(|rank| match spec.role(rank) {
                Role::Exact { base } | Role::Near { base } => spec.outline(base).words(),
                Role::Own | Role::Receives { .. } => spec.outline(rank).words(),
            })
            .collect();
        let share = |count: usize| count as f64 / lengths.len() as f64;
        let mean = share(lengths.iter().map(|&words| words as usize).sum());
        let short = share(lengths.iter().filter(|&&words| words < 500).count());
        let long = share(lengths.iter().filter(|&&words| words > 9000).count());
        assert!((670.0..730.0).contains(&mean), "mean {mean}");
        assert!((0.665..0.695).contains(&short), "{short} below 500 words");
        assert!((0.007..0.009).contains(&long), "{long} above 9000 words");
    }
}
