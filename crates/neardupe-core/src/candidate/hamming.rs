//! All pairs of 64-bit codes that differ in at most k bits.
//!
//! Two codes that differ in k bits agree in one of k + 1 blocks of bits (Manku, Jain, Das Sarma,
//! WWW 2007): codes are sorted by each block in turn, and only codes with the same block are
//! compared. Where so many have the same block that comparing them all would cost more than
//! sorting them again, the rest of their bits is cut into k + 1 blocks in the same way, and so
//! on: that is the cost model, and it holds for any k, any number of codes and codes that are
//! all alike in some of their bits. A pair is told of at the first block in which it agrees,
//! so each is told once.

use rayon::prelude::*;

/// Comparing two codes costs about this share of what sorting one once more does.
const SORT_COST: usize = 24;

/// A stretch of the join: codes that agree in all bits but the free ones.
#[derive(Debug, Clone)]
struct Level {
    free: u64,
    /// Blocks in which a pair must differ: else it was told of before.
    differing: Vec<u64>,
}

/// Calls `found` with the places of each pair of codes at most `distance` bits apart, the
/// smaller place first, each pair once, in no order. Codes are different from each other:
/// equal ones are grouped before.
pub fn pairs_within(codes: &[u64], distance: u32, found: impl Fn(u32, u32) + Sync) {
    let distance = distance.min(u64::BITS);
    if distance == 0 {
        return;
    }
    let mut items: Vec<(u64, u32)> = codes.iter().copied().zip(0u32..).collect();
    let level = Level {
        free: u64::MAX,
        differing: Vec::new(),
    };
    join(&mut items, distance, &level, &found);
}

/// The pairs of some codes that agree in all bits that are not free.
fn join(
    items: &mut [(u64, u32)],
    distance: u32,
    level: &Level,
    found: &(impl Fn(u32, u32) + Sync),
) {
    let blocks = blocks_of(level.free, distance + 1);
    let too_few = items.len() <= SORT_COST * 2 * (distance as usize + 1);
    if too_few || blocks.is_empty() {
        compare_all(items, distance, &level.differing, found);
        return;
    }
    for (number, &block) in blocks.iter().enumerate() {
        items.par_sort_unstable_by_key(|&(code, place)| (code & block, place));
        let mut differing = level.differing.clone();
        differing.extend(&blocks[..number]);
        let inner = Level {
            free: level.free & !block,
            differing,
        };
        let mut runs: Vec<&mut [(u64, u32)]> = items
            .chunk_by_mut(|left, right| left.0 & block == right.0 & block)
            .filter(|run| run.len() > 1)
            .collect();
        runs.par_iter_mut()
            .for_each(|run| join(run, distance, &inner, found));
    }
}

/// Compares each with each.
fn compare_all(
    items: &[(u64, u32)],
    distance: u32,
    differing: &[u64],
    found: &impl Fn(u32, u32),
) {
    for (at, &(left, place)) in items.iter().enumerate() {
        for &(right, other) in &items[at + 1..] {
            let difference = left ^ right;
            if difference.count_ones() <= distance
                && differing.iter().all(|block| difference & block != 0)
            {
                found(place.min(other), place.max(other));
            }
        }
    }
}

/// The free bits cut into so many blocks of about the same number of bits; none when there
/// are fewer bits than blocks.
fn blocks_of(free: u64, num_blocks: u32) -> Vec<u64> {
    let num_bits = free.count_ones();
    if num_bits < num_blocks {
        return Vec::new();
    }
    let mut rest = free;
    (0..num_blocks)
        .map(|number| {
            let len =
                (number + 1) * num_bits / num_blocks - number * num_bits / num_blocks;
            let mut block = 0;
            for _ in 0..len {
                // The highest bits first: sorted by them, codes are sorted as numbers.
                let bit = 1u64 << (63 - rest.leading_zeros());
                block |= bit;
                rest ^= bit;
            }
            block
        })
        .collect()
}

/// Codes to be asked for those near another one.
#[derive(Debug)]
pub struct HammingIndex {
    distance: u32,
    /// The codes sorted by each block in turn.
    tables: Vec<(u64, Vec<(u64, u32)>)>,
}

impl HammingIndex {
    /// An index that is asked for codes at most `distance` bits apart.
    pub fn new(codes: &[u64], distance: u32) -> Self {
        let distance = distance.min(u64::BITS);
        let blocks = match blocks_of(u64::MAX, distance + 1) {
            blocks if blocks.is_empty() => vec![0],
            blocks => blocks,
        };
        let table = |&block: &u64| {
            let mut table: Vec<(u64, u32)> = codes.iter().copied().zip(0u32..).collect();
            table.par_sort_unstable_by_key(|&(code, place)| (code & block, place));
            (block, table)
        };
        HammingIndex {
            distance,
            tables: blocks.iter().map(table).collect(),
        }
    }

    /// Places and distances of the codes near one, the nearest first.
    pub fn near(&self, code: u64) -> Vec<(u32, u32)> {
        let mut near = Vec::new();
        for (number, (block, table)) in self.tables.iter().enumerate() {
            let key = code & block;
            let start = table.partition_point(|(other, _)| other & block < key);
            let same = table[start..].iter();
            for &(other, place) in same.take_while(|(other, _)| other & block == key) {
                let difference = code ^ other;
                let earlier = &self.tables[..number];
                if difference.count_ones() <= self.distance
                    && earlier.iter().all(|(block, _)| difference & block != 0)
                {
                    near.push((difference.count_ones(), place));
                }
            }
        }
        near.sort_unstable();
        near.into_iter()
            .map(|(distance, place)| (place, distance))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;
    use proptest::prelude::*;
    use std::collections::BTreeSet;
    use std::sync::Mutex;

    fn brute_force(codes: &[u64], distance: u32) -> Vec<(u32, u32)> {
        let mut pairs = Vec::new();
        for (right, other) in (0u32..).zip(codes) {
            for (left, code) in (0u32..).zip(&codes[..right as usize]) {
                if (code ^ other).count_ones() <= distance {
                    pairs.push((left, right));
                }
            }
        }
        pairs.sort_unstable();
        pairs
    }

    fn joined(codes: &[u64], distance: u32) -> Vec<(u32, u32)> {
        let pairs = Mutex::new(Vec::new());
        pairs_within(codes, distance, |left, right| {
            pairs.lock().unwrap().push((left, right));
        });
        let mut pairs = pairs.into_inner().unwrap();
        pairs.sort_unstable();
        pairs
    }

    /// Codes of three shapes: random, clustered around a few, and alike in most bits.
    fn codes() -> impl Strategy<Value = Vec<u64>> {
        let random = prop::collection::btree_set(any::<u64>(), 0..400);
        let flipped = |(base, bits): (u64, Vec<u32>)| {
            bits.into_iter()
                .fold(mix(base), |code, bit| code ^ (1 << bit))
        };
        let near = (0u64..5, prop::collection::vec(0u32..64, 0..9)).prop_map(flipped);
        let clustered = prop::collection::btree_set(near, 0..400);
        let skewed = (0u64..1 << 12, 0u32..3)
            .prop_map(|(low, place)| 0xabcd_0000_ffff_0000 | low << (place * 16));
        let skewed = prop::collection::btree_set(skewed, 0..600);
        let all = prop_oneof![random, clustered, skewed];
        all.prop_map(|codes: BTreeSet<u64>| {
            let mut codes: Vec<u64> = codes.into_iter().collect();
            codes.sort_unstable_by_key(|&code| mix(code));
            codes
        })
    }

    proptest! {
        #[test]
        fn the_join_is_brute_force(codes in codes(), distance in 0u32..=8) {
            let expected = match distance {
                0 => Vec::new(),
                _ => brute_force(&codes, distance),
            };
            prop_assert_eq!(joined(&codes, distance), expected);
        }

        #[test]
        fn a_query_is_brute_force(
            codes in codes(),
            asked in any::<u64>(),
            from in any::<prop::sample::Index>(),
            flips in prop::collection::vec(0u32..64, 0..5),
            distance in 0u32..=8,
        ) {
            let base = match codes.is_empty() {
                true => asked,
                false => *from.get(&codes),
            };
            let asked = flips.into_iter().fold(base, |code, bit| code ^ (1 << bit));
            let mut expected: Vec<(u32, u32)> = codes
                .iter()
                .zip(0u32..)
                .map(|(code, place)| ((code ^ asked).count_ones(), place))
                .filter(|&(apart, _)| apart <= distance)
                .collect();
            expected.sort_unstable();
            let found = HammingIndex::new(&codes, distance).near(asked);
            let found: Vec<(u32, u32)> =
                found.into_iter().map(|(place, apart)| (apart, place)).collect();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn blocks_are_all_free_bits_once() {
        for free in [u64::MAX, 0xffff_0000_ff00_0ff0, 0b1011] {
            for num_blocks in 1..=free.count_ones() {
                let blocks = blocks_of(free, num_blocks);
                assert_eq!(blocks.len(), num_blocks as usize);
                assert_eq!(blocks.iter().fold(0, |all, block| all | block), free);
                let bits: u32 = blocks.iter().map(|block| block.count_ones()).sum();
                assert_eq!(bits, free.count_ones());
            }
            assert!(blocks_of(free, free.count_ones() + 1).is_empty());
        }
    }
}
