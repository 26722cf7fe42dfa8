//! MinHash values of a set: the share of values in which two sets agree estimates their
//! resemblance (Broder 1997).
//!
//! Computed by fast similarity sketching (Dahlgaard, Knudsen, Thorup: Fast Similarity
//! Sketching, FOCS 2017): in each round every feature falls into one of the bins with a new
//! hash, a bin keeps the smallest hash of the first round that reached it, and rounds go on
//! until no bin is empty; from round `t` on a round is for one bin alone, so `2t` rounds are
//! enough. A large set takes one round, a small one several: about `|x| + t ln t` hashes
//! instead of `|x| t`. Every value is one of a MinHash (two sets agree in it with a
//! probability of exactly their resemblance), and the estimate varies no more than with `t`
//! independent hash functions, also for sets that are smaller than the signature. One
//! permutation with densification needs another method for those.

use crate::hash::mix;

/// Bits of a value that hold the hash; those above hold the round. So of two values the one of the
/// earlier round is the smaller, and within a round the one with the smaller hash: the minimum of
/// whole values is what the paper asks for.
const HASH_BITS: u32 = 48;
/// The bits of the hash.
const HASH_MASK: u64 = (1 << HASH_BITS) - 1;
/// A bin that no feature has reached; larger than any value.
const EMPTY: u64 = u64::MAX;

/// Most values of a signature: the number of rounds, up to twice as many, must fit above the hash.
const MOST_VALUES: usize = 1 << 14;

/// Computes signatures.
#[derive(Debug, Clone)]
pub struct MinHasher {
    num_values: usize,
    seed: u64,
}

impl MinHasher {
    /// Signatures of so many values.
    pub fn new(num_values: usize, seed: u64) -> Self {
        MinHasher {
            num_values: num_values.clamp(1, MOST_VALUES),
            seed: mix(seed ^ 0x6d69_6e68_6173_6821),
        }
    }

    /// Number of values of a signature.
    pub fn num_values(&self) -> usize {
        self.num_values
    }

    /// Puts the signature of a set into `values`. A set without features has none. `features` may
    /// come in any order, each once or more often. Signatures are comparable only if made with the
    /// same number of values and the same seed.
    pub fn sign(&self, features: &[u64], values: &mut Vec<u64>) {
        values.clear();
        if features.is_empty() {
            return;
        }
        values.resize(self.num_values, EMPTY);
        let bins = self.num_values as u64;
        let mut empty = self.num_values;
        for round in 0..2 * bins {
            let seed = self.round_seed(round);
            let high = round << HASH_BITS;
            // A feature goes into one bin per round. Bins that were reached in an earlier round
            // keep their value, since this round's `high` is above it: no test is needed.
            if round < bins {
                for &feature in features {
                    let (bin, hash) = in_bin(mix(feature ^ seed), bins);
                    let value = &mut values[bin];
                    empty -= usize::from(*value == EMPTY);
                    *value = (*value).min(high | hash);
                }
            } else {
                // Second half: round `bins + b` is for bin `b`, and every feature takes part. After
                // it no bin is empty, so 2 `bins` rounds always end the loop.
                let bin = usize::try_from(round - bins).unwrap_or(0);
                // A bin that was reached before keeps what it has.
                if values[bin] == EMPTY {
                    let hashes = features.iter().map(|feature| mix(feature ^ seed));
                    let least = hashes.map(|hash| hash & HASH_MASK).min();
                    values[bin] = high | least.unwrap_or(HASH_MASK);
                    empty -= 1;
                }
            }
            // Both sets of a pair stop by themselves: a value depends on the set alone, not on when
            // the loop ends, since later rounds change no bin that was reached.
            if empty == 0 {
                break;
            }
        }
    }

    fn round_seed(&self, round: u64) -> u64 {
        mix(self
            .seed
            .wrapping_add(round.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }
}

/// The bin that a hash falls into, and what is left of it.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "less than the number of bins"
)]
fn in_bin(hash: u64, bins: u64) -> (usize, u64) {
    // The upper bits choose the bin, without a division; the lower 48 are the hash, so the two
    // hardly depend on each other.
    let bin = (u128::from(hash) * u128::from(bins)) >> 64;
    (bin as usize, hash & HASH_MASK)
}

/// The share of values in which two signatures agree.
#[expect(clippy::cast_precision_loss, reason = "an estimate")]
pub fn estimate(left: &[u64], right: &[u64]) -> f64 {
    let equal = left.iter().zip(right).filter(|(one, other)| one == other);
    match left.len() {
        0 => 0.0,
        len => equal.count() as f64 / len as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition: of each bin the first round that reaches it, and the smallest hash of
    /// that round.
    fn slow(hasher: &MinHasher, features: &[u64]) -> Vec<u64> {
        let bins = hasher.num_values as u64;
        let reached = |round: u64, bin: u64| -> Option<u64> {
            let seed = hasher.round_seed(round);
            let hashes = features.iter().map(|feature| mix(feature ^ seed));
            let fall = hashes.filter(|&hash| {
                if round < bins {
                    ((u128::from(hash) * u128::from(bins)) >> 64) as u64 == bin
                } else {
                    round - bins == bin
                }
            });
            fall.map(|hash| hash & HASH_MASK).min()
        };
        let value = |bin: u64| {
            let mut rounds = 0..2 * bins;
            rounds.find_map(|round| Some((round << HASH_BITS) | reached(round, bin)?))
        };
        (0..bins).map(|bin| value(bin).unwrap()).collect()
    }

    fn sets(common: u64, left: u64, right: u64, salt: u64) -> (Vec<u64>, Vec<u64>) {
        let feature = |number: u64| mix(number ^ mix(salt));
        let range = |start: u64, len: u64| (start..start + len).map(feature);
        let both = range(0, common);
        (
            both.clone().chain(range(1 << 40, left)).collect(),
            both.chain(range(2 << 40, right)).collect(),
        )
    }

    proptest! {
        #[test]
        fn a_signature_is_what_the_definition_says(
            features in prop::collection::btree_set(1u64.., 1..80),
            num_values in 1usize..40,
            seed in 0u64..4,
        ) {
            let features: Vec<u64> = features.into_iter().collect();
            let hasher = MinHasher::new(num_values, seed);
            let mut values = Vec::new();
            hasher.sign(&features, &mut values);
            prop_assert_eq!(&values, &slow(&hasher, &features));
            let mut turned = features.clone();
            turned.reverse();
            let mut again = Vec::new();
            hasher.sign(&turned, &mut again);
            prop_assert_eq!(values, again);
        }

        /// Over many seeds the estimates of a pair have the resemblance as their mean and
        /// vary no more than with independent hash functions; sets of a few features too.
        #[test]
        fn an_estimate_is_within_five_standard_errors(
            common in 1u64..60,
            left in 0u64..40,
            right in 0u64..40,
            scale in prop::sample::select(vec![1u64, 3, 20]),
            salt in 0u64..1000,
        ) {
            let (left, right) = sets(common * scale, left * scale, right * scale, salt);
            let union = (left.len() + right.len()) as u64 - common * scale;
            let truth = (common * scale) as f64 / union as f64;
            const SEEDS: u64 = 40;
            const VALUES: usize = 64;
            let (mut one, mut other) = (Vec::new(), Vec::new());
            let mut sum = 0.0;
            for seed in 0..SEEDS {
                let hasher = MinHasher::new(VALUES, mix(seed ^ salt << 20));
                hasher.sign(&left, &mut one);
                hasher.sign(&right, &mut other);
                sum += estimate(&one, &other);
            }
            let mean = sum / SEEDS as f64;
            let cases = SEEDS as f64 * VALUES as f64;
            let error = (truth * (1.0 - truth) / cases).sqrt();
            // One case in 16,000 lies beyond four errors, which is one run of 256 cases in 60; one
            // in 1.7 million lies beyond five.
            prop_assert!((mean - truth).abs() <= 5.0 * error + 1e-9,
                "{mean} for {truth}, error {error}");
        }
    }

    #[test]
    fn three_standard_errors_hold_for_997_of_1000_pairs() {
        let mut beyond = 0;
        for salt in 0..1000u64 {
            let (common, own) = (3 + salt % 97, salt % 31);
            let (left, right) = sets(common, own, salt % 17, salt);
            let union = (left.len() + right.len()) as u64 - common;
            let truth = common as f64 / union as f64;
            let hasher = MinHasher::new(128, salt);
            let (mut one, mut other) = (Vec::new(), Vec::new());
            hasher.sign(&left, &mut one);
            hasher.sign(&right, &mut other);
            let error = (truth * (1.0 - truth) / 128.0).sqrt();
            beyond += u32::from((estimate(&one, &other) - truth).abs() > 3.0 * error);
        }
        // 2.7 are expected of a normal distribution.
        assert!(beyond <= 8, "{beyond} of 1000");
    }

    #[test]
    fn equal_sets_agree_and_disjoint_ones_do_not() {
        let hasher = MinHasher::new(200, 1);
        let (mut one, mut other) = (Vec::new(), Vec::new());
        for len in [1u64, 2, 5, 50, 5000] {
            let (left, right) = sets(0, len, len, len);
            hasher.sign(&left, &mut one);
            hasher.sign(&left, &mut other);
            assert_eq!(one, other);
            assert!(estimate(&one, &other) > 0.999);
            hasher.sign(&right, &mut other);
            assert!(estimate(&one, &other) < 0.001);
        }
        hasher.sign(&[], &mut one);
        assert!(one.is_empty());
    }

    /// Fixed for good: signatures of one version are compared with those of the next.
    #[test]
    fn values_never_change() {
        let mut values = Vec::new();
        MinHasher::new(4, 0).sign(&[1, 2, 3], &mut values);
        assert_eq!(values, VECTOR);
    }

    const VECTOR: [u64; 4] = [
        293_071_269_440_806,
        87_696_839_127_543,
        115_191_825_974_420,
        88_652_544_020_302,
    ];
}
