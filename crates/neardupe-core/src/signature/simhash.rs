//! Simhash: 64 bits, few of which differ between similar documents (Charikar 2002; for documents
//! Manku, Jain, Das Sarma: Detecting near-duplicates for web crawling, WWW 2007).
//!
//! Each feature has a hash and a weight. For every bit the weights of the features that have it are
//! added and those of the others subtracted; the bit is set when the sum is above 0. Weights are
//! integers, so a code does not depend on the order of addition.

/// The largest weight of features that are added together by [`Simhasher::add_all`]: with it
/// 127 of them fit 31 bits.
pub const MOST: i32 = 1 << 24;
/// So many of the largest weights fit a short number: 127 x 2^24 is below 2^31. A longer row would
/// overflow without notice in a release build.
const IN_A_ROW: usize = 127;

/// For each byte its bits as masks, the lowest bit first: -1 (all ones) where the bit is set,
/// otherwise zero. The table has 8 KiB, so it stays in the first-level cache.
static BITS: [[i32; 8]; 256] = masks_of_bytes();

const fn masks_of_bytes() -> [[i32; 8]; 256] {
    let mut masks = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            if (byte >> bit) & 1 == 1 {
                masks[byte][bit] = -1;
            }
            bit += 1;
        }
        byte += 1;
    }
    masks
}

/// Adds up weighted features.
#[derive(Debug, Clone)]
pub struct Simhasher {
    sums: [i64; 64],
}

impl Default for Simhasher {
    fn default() -> Self {
        Simhasher { sums: [0; 64] }
    }
}

impl Simhasher {
    /// Begins anew.
    pub fn clear(&mut self) {
        self.sums = [0; 64];
    }

    /// Adds features with weights of up to [`MOST`], as [`Simhasher::add`] does one by one.
    pub fn add_all(&mut self, features: &[(u64, i32)]) {
        for some in features.chunks(IN_A_ROW) {
            // Of each bit the weights of the features that have it, in short numbers: twice
            // that, less all weights, is what those with the bit have more than the others.
            let mut with_bit = [0i32; 64];
            let mut all = 0i64;
            for &(hash, weight) in some {
                all += i64::from(weight);
                let bytes = hash.to_le_bytes();
                // Eight sums at a time, which compiles to a few vector operations, and no branch on
                // bits that are random.
                for (byte, sums) in bytes.iter().zip(with_bit.chunks_exact_mut(8)) {
                    let masks = &BITS[usize::from(*byte)];
                    for (sum, mask) in sums.iter_mut().zip(masks) {
                        *sum += weight & mask;
                    }
                }
            }
            for (sum, with_bit) in self.sums.iter_mut().zip(with_bit) {
                *sum += 2 * i64::from(with_bit) - all;
            }
        }
    }

    /// Adds a feature by its hash. The hash must have all its bits well mixed.
    #[inline]
    pub fn add(&mut self, hash: u64, weight: i64) {
        for (bit, sum) in self.sums.iter_mut().enumerate() {
            // All ones where the bit is not set: a subtraction without a branch.
            let sign = ((hash >> bit) & 1).wrapping_sub(1).cast_signed();
            *sum += (weight ^ sign) - sign;
        }
    }

    /// The sums of all bits.
    pub fn sums(&self) -> &[i64; 64] {
        &self.sums
    }

    /// The code of what was added.
    pub fn code(&self) -> u64 {
        let bits = self.sums.iter().enumerate();
        // Ties are 0: `>` and not `>=` is part of what a stored code means.
        bits.fold(0, |code, (bit, &sum)| code | (u64::from(sum > 0) << bit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;
    use proptest::prelude::*;

    fn slow(features: &[(u64, i64)]) -> u64 {
        let mut code = 0;
        for bit in 0..64 {
            let mut sum = 0;
            for &(hash, weight) in features {
                match hash >> bit & 1 {
                    1 => sum += weight,
                    _ => sum -= weight,
                }
            }
            if sum > 0 {
                code |= 1 << bit;
            }
        }
        code
    }

    proptest! {
        #[test]
        fn a_code_is_what_the_definition_says(
            features in prop::collection::vec((any::<u64>(), 0i64..1 << 20), 0..60),
        ) {
            let mut hasher = Simhasher::default();
            features.iter().for_each(|&(hash, weight)| hasher.add(hash, weight));
            prop_assert_eq!(hasher.code(), slow(&features));
            let sums = *hasher.sums();
            hasher.clear();
            features.iter().rev().for_each(|&(hash, weight)| hasher.add(hash, weight));
            prop_assert_eq!(hasher.sums(), &sums);
        }

        #[test]
        fn features_together_are_features_one_by_one(
            features in prop::collection::vec((any::<u64>(), 0..=MOST), 0..400),
            all_most in any::<bool>(),
        ) {
            let weight = |weight| if all_most { MOST } else { weight };
            let features: Vec<(u64, i32)> =
                features.into_iter().map(|(hash, one)| (hash, weight(one))).collect();
            let (mut together, mut alone) = (Simhasher::default(), Simhasher::default());
            together.add_all(&features);
            for &(hash, weight) in &features {
                alone.add(hash, i64::from(weight));
            }
            prop_assert_eq!(together.sums(), alone.sums());
        }
    }

    /// Two sets of equally weighted features differ in a bit with about the probability of
    /// the angle between them.
    #[test]
    fn similar_sets_have_near_codes() {
        let code = |range: std::ops::Range<u64>| {
            let mut hasher = Simhasher::default();
            range.for_each(|number| hasher.add(mix(number), 1));
            hasher.code()
        };
        let base = code(0..1000);
        let near = (base ^ code(10..1010)).count_ones();
        let far = (base ^ code(1000..2000)).count_ones();
        assert!(near <= 8, "{near}");
        assert!((16..=48).contains(&far), "{far}");
        assert_eq!(Simhasher::default().code(), 0);
    }
}
