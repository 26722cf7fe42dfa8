//! All pairs of 64-bit codes that differ in at most k bits.
//!
//! Two codes that differ in k bits agree in one of k + 1 blocks of bits (Manku, Jain, Das Sarma,
//! WWW 2007): codes are sorted by each block in turn, and only codes with the same block are
//! compared. Where so many have the same block that comparing them all would cost more than
//! sorting them again, the rest of their bits is cut into k + 1 blocks in the same way, and so
//! on: that is the cost model, and it holds for any k, any number of codes and codes that are
//! all alike in some of their bits. A pair is reported at the first block in which it agrees,
//! so each is reported once.

use super::filter::Within;
use super::popcnt::counting_bits;
use rayon::prelude::*;

/// Comparing two codes costs about this share of what sorting one once more does.
const SORT_COST: usize = 24;

/// A stretch of the join: codes that agree in all bits but the free ones.
#[derive(Debug, Clone)]
struct Level {
    free: u64,
    /// Blocks in which a pair must differ: else it was reported before.
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
    // Below this, sorting once more for each block costs more than comparing all.
    let too_few = items.len() <= SORT_COST * 2 * (distance as usize + 1);
    if too_few || blocks.is_empty() {
        compare_all(items, distance, &level.differing, found);
        return;
    }
    for (number, &block) in blocks.iter().enumerate() {
        // Places break ties, so that the order does not depend on threads.
        items.par_sort_unstable_by_key(|&(code, place)| (code & block, place));
        // A pair that agrees in an earlier block was reported there.
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
    counting_bits(|| {
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
    });
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

/// Keys of codes: two codes that are near share one.
///
/// With `k` bits that may differ and `m` blocks, at least `m - k` blocks agree: one key for
/// each choice of so many blocks. More blocks make more keys, and longer ones, which fewer
/// codes share by chance.
#[derive(Debug, Clone)]
pub struct BlockKeys {
    /// The bits of each key.
    masks: Vec<u64>,
}

/// Making and storing a key costs about as much as comparing so many codes.
const KEY_COST: f64 = 30.0;
/// Codes of real documents agree in some bits more often than by chance.
const SKEW: f64 = 8.0;
/// Keys of a code at most.
const MAX_KEYS: usize = 70;

impl BlockKeys {
    /// The keys that cost least for so many codes.
    pub fn new(within: Within, num_codes: u64) -> Self {
        let free = !within.exact;
        let distance = within.distance.min(free.count_ones());
        let most = free.count_ones().min(distance + 8);
        let few = |num_blocks: &u32| num_choices(*num_blocks, distance) <= MAX_KEYS;
        let numbers = (distance + 1..=most).take_while(few);
        let choices = numbers.map(|num_blocks| {
            let blocks = blocks_of(free, num_blocks);
            chosen_masks(&blocks, num_blocks - distance, within.exact)
        });
        let choices =
            choices.filter(|masks| !masks.is_empty() && masks.len() <= MAX_KEYS);
        let cheapest = choices
            .min_by(|one, other| cost(one, num_codes).total_cmp(&cost(other, num_codes)));
        BlockKeys {
            // With no block that must agree each code is compared with each.
            masks: cheapest.unwrap_or_else(|| vec![within.exact]),
        }
    }

    /// Keys of a code.
    pub fn num_keys(&self) -> usize {
        self.masks.len()
    }

    /// Keys of a code at most, however many codes there are.
    pub fn most_keys(within: Within) -> usize {
        BlockKeys::new(within, 1 << 40).num_keys()
    }

    /// Comparisons of a code with others, as far as it can be known before.
    pub fn comparisons(&self, num_codes: u64) -> f64 {
        self.masks
            .iter()
            .map(|mask| sharing(*mask, num_codes))
            .sum()
    }

    /// Appends the keys of a code.
    pub fn keys(&self, code: u64, keys: &mut Vec<u64>) {
        let masks = self.masks.iter().zip(1u64..);
        keys.extend(masks.map(|(mask, number)| {
            crate::hash::numbered(code & mask, number, 0x626c_6f63_6b73_2121)
        }));
    }
}

/// How many codes are expected to share the bits of a key.
fn sharing(mask: u64, num_codes: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    let codes = num_codes as f64;
    let bits = mask.count_ones().cast_signed();
    (codes * SKEW * 0.5f64.powi(bits)).min(codes)
}

/// What looking up all keys of a code costs: each key, and the codes behind it.
fn cost(masks: &[u64], num_codes: u64) -> f64 {
    masks
        .iter()
        .map(|mask| KEY_COST + sharing(*mask, num_codes))
        .sum()
}

/// In how many ways `left_out` of the blocks can be left out; more of them for more blocks.
fn num_choices(num_blocks: u32, left_out: u32) -> usize {
    let left_out = left_out.min(num_blocks - left_out);
    let mut ways = 1usize;
    for step in 0..left_out {
        // Each step is a number of ways itself, so nothing is lost by the division.
        ways = ways.saturating_mul((num_blocks - step) as usize) / (step as usize + 1);
        if ways > MAX_KEYS {
            break;
        }
    }
    ways
}

/// All choices of so many of the blocks, each as the bits of its blocks and `exact`.
fn chosen_masks(blocks: &[u64], number: u32, exact: u64) -> Vec<u64> {
    let Some((first, rest)) = blocks.split_first() else {
        return if number == 0 { vec![exact] } else { Vec::new() };
    };
    let mut masks = chosen_masks(rest, number, exact);
    if let Some(fewer) = number.checked_sub(1) {
        masks.extend(chosen_masks(rest, fewer, exact | first));
    }
    masks
}

/// Codes to be asked for those near another one.
#[derive(Debug)]
pub struct CodeLookup {
    distance: u32,
    /// The codes sorted by each block in turn.
    tables: Vec<(u64, Vec<(u64, u32)>)>,
}

impl CodeLookup {
    /// Tables to ask for codes at most `distance` bits apart.
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
        CodeLookup {
            distance,
            tables: blocks.iter().map(table).collect(),
        }
    }

    /// Places and distances of the codes near one, the nearest first.
    pub fn near(&self, code: u64) -> Vec<(u32, u32)> {
        let mut near = counting_bits(|| self.unordered(code));
        near.sort_unstable();
        near.into_iter()
            .map(|(distance, place)| (place, distance))
            .collect()
    }

    /// Distances and places of the codes near one.
    #[inline(always)]
    fn unordered(&self, code: u64) -> Vec<(u32, u32)> {
        let mut near = Vec::new();
        for (number, (block, table)) in self.tables.iter().enumerate() {
            let key = code & block;
            // The table is sorted by these bits alone, so those that agree stand together.
            let start = table.partition_point(|(other, _)| other & block < key);
            let same = table[start..].iter();
            for &(other, place) in same.take_while(|(other, _)| other & block == key) {
                let difference = code ^ other;
                let earlier = &self.tables[..number];
                // Each code once: at the first block in which it agrees.
                if difference.count_ones() <= self.distance
                    && earlier.iter().all(|(block, _)| difference & block != 0)
                {
                    near.push((difference.count_ones(), place));
                }
            }
        }
        near
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
            let base = if codes.is_empty() { asked } else { *from.get(&codes) };
            let asked = flips.into_iter().fold(base, |code, bit| code ^ (1 << bit));
            let mut expected: Vec<(u32, u32)> = codes
                .iter()
                .zip(0u32..)
                .map(|(code, place)| ((code ^ asked).count_ones(), place))
                .filter(|&(apart, _)| apart <= distance)
                .collect();
            expected.sort_unstable();
            let found = CodeLookup::new(&codes, distance).near(asked);
            let found: Vec<(u32, u32)> =
                found.into_iter().map(|(place, apart)| (apart, place)).collect();
            prop_assert_eq!(found, expected);
        }
    }

    proptest! {
        #[test]
        fn near_codes_share_a_key_and_the_cost_decides_how_many_there_are(
            code in any::<u64>(),
            flips in prop::collection::btree_set(0u32..56, 0..=8),
            more in 0u32..4,
            num_codes in prop::sample::select(vec![10u64, 100_000, 10_000_000, 1 << 40]),
            exact in prop::sample::select(vec![0u64, 0xff << 56]),
        ) {
            let distance = u32::try_from(flips.len()).unwrap() + more;
            let within = Within { distance, exact };
            let other = flips.iter().fold(code, |code, bit| code ^ (1 << bit));
            prop_assert!(within.holds(code, other));
            let blocks = BlockKeys::new(within, num_codes);
            prop_assert!(blocks.num_keys() <= BlockKeys::most_keys(within));
            let (mut one, mut two) = (Vec::new(), Vec::new());
            blocks.keys(code, &mut one);
            blocks.keys(other, &mut two);
            prop_assert_eq!(one.len(), blocks.num_keys());
            prop_assert!(one.iter().zip(&two).any(|(one, two)| one == two));
        }
    }

    #[test]
    fn the_number_of_keys_follows_the_number_of_codes() {
        let within = |distance| Within { distance, exact: 0 };
        let keys = |distance, codes| BlockKeys::new(within(distance), codes).num_keys();
        assert_eq!((keys(0, 10), keys(0, 1 << 40)), (1, 1));
        assert_eq!((keys(3, 100_000), keys(3, 10_000_000)), (4, 10));
        assert!(keys(3, 1 << 40) > 10);
        // Where nothing is better each code is compared with each.
        assert_eq!(keys(64, 100), 1);
        assert_eq!((num_choices(5, 3), num_choices(8, 4)), (10, 70));
        assert!(num_choices(40, 32) > MAX_KEYS && keys(32, 1 << 30) == 33);
        let all = BlockKeys::new(within(64), 100).comparisons(100);
        assert!((all - 100.0).abs() < 1e-9);
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
