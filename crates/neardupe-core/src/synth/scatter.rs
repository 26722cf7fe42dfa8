//! A pseudo-random permutation of the documents that needs no memory.
//!
//! The specification numbers documents by rank: clusters first, each in one piece. The permutation
//! turns a rank into the document's place in the collection, so that neighbours in the
//! specification lie far apart in the file. It is a Feistel network over the next even number of
//! bits; results outside the collection are sent through again until they fall inside.

use super::random::{Purpose, Random, mix};

const NUM_ROUNDS: usize = 4;

/// A bijection of `0..documents` onto itself.
pub(super) struct Scatter {
    documents: u64,
    half_bits: u32,
    keys: [u64; NUM_ROUNDS],
}

impl Scatter {
    pub(super) fn new(seed: u64, documents: u64) -> Self {
        let bits = u64::BITS - documents.saturating_sub(1).leading_zeros();
        let mut random = Random::keyed(seed, Purpose::Scatter, 0);
        Self {
            documents,
            half_bits: bits.div_ceil(2).max(1),
            keys: std::array::from_fn(|_| random.bits()),
        }
    }

    /// The place in the collection of the document with this rank.
    pub(super) fn document_of(&self, rank: u64) -> u64 {
        debug_assert!(rank < self.documents);
        let mut value = rank;
        loop {
            let (mut left, mut right) = self.split(value);
            for key in self.keys {
                (left, right) = (right, left ^ self.round(right, key));
            }
            value = self.join(left, right);
            if value < self.documents {
                return value;
            }
        }
    }

    /// The rank of the document at this place; undoes [`Scatter::document_of`].
    pub(super) fn rank_of(&self, document: u64) -> u64 {
        debug_assert!(document < self.documents);
        let mut value = document;
        loop {
            let (mut left, mut right) = self.split(value);
            for key in self.keys.iter().rev() {
                (left, right) = (right ^ self.round(left, *key), left);
            }
            value = self.join(left, right);
            if value < self.documents {
                return value;
            }
        }
    }

    fn split(&self, value: u64) -> (u64, u64) {
        (value >> self.half_bits, value & self.mask())
    }

    fn join(&self, left: u64, right: u64) -> u64 {
        (left << self.half_bits) | right
    }

    fn round(&self, half: u64, key: u64) -> u64 {
        mix(half ^ key) & self.mask()
    }

    fn mask(&self) -> u64 {
        (1 << self.half_bits) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::Scatter;

    #[test]
    fn every_document_has_exactly_one_rank() {
        for documents in [1, 2, 3, 5, 64, 1000, 4097] {
            let scatter = Scatter::new(3, documents);
            let mut seen: Vec<u64> = (0..documents)
                .map(|rank| scatter.document_of(rank))
                .collect();
            for (rank, &document) in (0..).zip(&seen) {
                assert_eq!(scatter.rank_of(document), rank);
            }
            seen.sort_unstable();
            assert!(seen.into_iter().eq(0..documents));
        }
    }

    #[test]
    fn neighbours_in_rank_lie_far_apart() {
        let scatter = Scatter::new(1, 100_000);
        let total: u64 = (0..999)
            .map(|rank| {
                scatter
                    .document_of(rank)
                    .abs_diff(scatter.document_of(rank + 1))
            })
            .sum();
        let mean = total / 999;
        // Two random places lie a third of the collection apart on average.
        assert!((28_000..39_000).contains(&mean), "mean distance {mean}");
    }
}
