//! Parity bitmaps: a bound on the overlap of two sets from a few machine words.
//!
//! Bit b of a set's bitmap is the parity of the number of its features that fall on b. A
//! bit in which two bitmaps differ comes from at least one feature that only one of the
//! sets has, so the sets differ in at least as many features as the bitmaps in bits
//! (Sandes, Teodoro, Melo: Bitmap filter, Information Systems 2020). The number of bits is
//! at least that of the features: far fewer would be filled with chance.

const MIN_BITS: u32 = 64;
const MAX_BITS: u32 = 1 << 14;

/// Number of 64-bit words in the bitmap of a set of this size.
pub fn num_words(size: u32) -> usize {
    (size.clamp(MIN_BITS / 2, MAX_BITS / 2).next_power_of_two() * 2 / 64) as usize
}

/// Appends the bitmap of a set.
pub fn build(features: &[u64], size: u32, bitmaps: &mut Vec<u64>) {
    let start = bitmaps.len();
    let words = num_words(size);
    bitmaps.resize(start + words, 0);
    let bitmap = &mut bitmaps[start..];
    for &feature in features {
        #[expect(clippy::cast_possible_truncation, reason = "reduced to a word index")]
        let word = (feature >> 6) as usize & (words - 1);
        bitmap[word] ^= 1 << (feature & 63);
    }
}

/// Number of bits in which two bitmaps differ, the longer one folded to the shorter.
#[inline]
pub fn difference(left: &[u64], right: &[u64]) -> u32 {
    if left.len() == right.len() {
        return left.iter().zip(right).map(|(a, b)| (a ^ b).count_ones()).sum();
    }
    let (long, short) = if left.len() > right.len() { (left, right) } else { (right, left) };
    let mut differing = 0;
    for (place, &word) in short.iter().enumerate() {
        let folded = long.iter().skip(place).step_by(short.len()).fold(0, |sum, word| sum ^ word);
        differing += (folded ^ word).count_ones();
    }
    differing
}

/// Largest overlap that sets of these sizes with these bitmaps can have.
#[inline]
pub fn max_overlap(left: &[u64], right: &[u64], left_size: u32, right_size: u32) -> u32 {
    let both = u64::from(left_size) + u64::from(right_size);
    let shared = both.saturating_sub(u64::from(difference(left, right))) / 2;
    u32::try_from(shared).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn the_bound_is_never_below_the_overlap(
            left in prop::collection::btree_set(0u64..400, 1..300),
            right in prop::collection::btree_set(0u64..400, 1..300),
        ) {
            let bitmap = |set: &BTreeSet<u64>| {
                let features: Vec<u64> = set.iter().map(|&value| mix(value)).collect();
                let mut bitmap = Vec::new();
                build(&features, u32::try_from(set.len()).unwrap(), &mut bitmap);
                bitmap
            };
            let overlap = left.intersection(&right).count();
            let sizes = (u32::try_from(left.len()).unwrap(), u32::try_from(right.len()).unwrap());
            let bound = max_overlap(&bitmap(&left), &bitmap(&right), sizes.0, sizes.1);
            prop_assert!(bound as usize >= overlap);
        }
    }
}
