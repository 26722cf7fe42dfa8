//! Parity bitmaps: a bound on the overlap of two sets from a few machine words.
//!
//! Bit b of a set's bitmap is the parity of the number of its features that fall on b. A
//! bit in which two bitmaps differ comes from at least one feature that only one of the
//! sets has, so the sets differ in at least as many features as the bitmaps in bits
//! (Sandes, Teodoro, Melo: Bitmap filter, Information Systems 2020). Features that occur in
//! a single set are left out: that they differ is known, and without them a few bits show
//! much more. A small bitmap, the sketch, travels with every posting; a large one, with
//! about as many bits as features, is looked at after that.

/// A bitmap has one word at least.
const MIN_BITS: u32 = 64;
/// And one KiB at most.
const MAX_BITS: u32 = 1 << 13;

/// A small bitmap of fixed size.
pub type Sketch = [u64; 4];

/// Keys of a signature that fit a sketch.
pub const MOST_KEYS: usize = 16;

/// The keys of a signature as a sketch: 16 bits of each. A key that is missing is 0.
pub fn of_keys(keys: &[u64]) -> Sketch {
    let mut sketch = Sketch::default();
    for (at, &key) in keys.iter().take(MOST_KEYS).enumerate() {
        let short = if key == 0 { 0 } else { (key >> 49 << 1) | 1 };
        sketch[at / 4] |= (short & 0xffff) << (at % 4 * 16);
    }
    sketch
}

/// Keys that two sketches of signatures have in common. Two different keys look the same once in
/// 32,768 times: then one more pair is compared.
#[inline]
pub fn common_keys(left: &Sketch, right: &Sketch) -> u32 {
    let mut common = 0;
    for (left, right) in left.iter().zip(right) {
        for lane in [0, 16, 32, 48] {
            let (one, other) = (left >> lane & 0xffff, right >> lane & 0xffff);
            common += u32::from(one == other && one != 0);
        }
    }
    common
}

/// Number of 64-bit words in the bitmap of a set of this size.
pub fn num_words(size: u32) -> usize {
    (size.clamp(MIN_BITS, MAX_BITS).next_power_of_two() / 64) as usize
}

/// Appends the bitmap of the given features of a set of this size; returns their sketch.
pub fn build(
    features: impl Iterator<Item = u64>,
    size: u32,
    bitmaps: &mut Vec<u64>,
) -> Sketch {
    let start = bitmaps.len();
    let words = num_words(size);
    bitmaps.resize(start + words, 0);
    let bitmap = &mut bitmaps[start..];
    let mut sketch = Sketch::default();
    for feature in features {
        let word = (feature >> 6) as usize & (words - 1);
        // Other bits of the feature for the sketch than for the bitmap, so that one may show what the other hides.
        bitmap[word] ^= 1 << (feature & 63);
        sketch[((feature >> 30) & 3) as usize] ^= 1 << ((feature >> 24) & 63);
    }
    sketch
}

/// Number of bits in which two bitmaps differ, the longer one folded to the shorter.
#[inline]
pub fn difference(left: &[u64], right: &[u64]) -> u32 {
    if left.len() == right.len() {
        return left
            .iter()
            .zip(right)
            .map(|(a, b)| (a ^ b).count_ones())
            .sum();
    }
    let (long, short) = if left.len() > right.len() {
        (left, right)
    } else {
        (right, left)
    };
    let mut differing = 0;
    for (place, &word) in short.iter().enumerate() {
        // Lengths are powers of two: parity of a longer bitmap, folded, is that of a shorter one.
        let fold = long.iter().skip(place).step_by(short.len());
        differing += (fold.fold(0, |sum, word| sum ^ word) ^ word).count_ones();
    }
    differing
}

/// Largest overlap of sets that have these numbers of features in their bitmaps, which
/// differ in this many bits.
#[inline]
pub fn max_overlap(left_len: u32, right_len: u32, difference: u32) -> u32 {
    (left_len + right_len).saturating_sub(difference) / 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn keys_are_common_at_the_same_place() {
        let keys: Vec<u64> = (1..=16).map(mix).collect();
        let mut other = keys.clone();
        other.swap(0, 1);
        other[5] = 0;
        let common = |one: &[u64], two: &[u64]| common_keys(&of_keys(one), &of_keys(two));
        assert_eq!(common(&keys, &keys), 16);
        assert_eq!(common(&keys, &other), 13);
        assert_eq!(common(&[0; 11], &[0; 11]), 0);
        assert_eq!(common(&keys[..3], &keys), 3);
    }

    proptest! {
        #[test]
        fn the_bound_is_never_below_the_overlap(
            left in prop::collection::btree_set(0u64..400, 1..300),
            right in prop::collection::btree_set(0u64..400, 1..300),
        ) {
            let build = |set: &BTreeSet<u64>| {
                let mut bitmap = Vec::new();
                let len = u32::try_from(set.len()).unwrap();
                let sketch = build(set.iter().map(|&value| mix(value)), len, &mut bitmap);
                (len, bitmap, sketch)
            };
            let overlap = left.intersection(&right).count();
            let (left, right) = (build(&left), build(&right));
            for difference in [difference(&left.1, &right.1), difference(&left.2, &right.2)] {
                let bound = max_overlap(left.0, right.0, difference);
                prop_assert!(bound as usize >= overlap);
            }
        }
    }
}
