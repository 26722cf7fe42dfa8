//! In how many sets a feature occurs, approximately and never too low.
//!
//! Two tiers, indexed by bits of the feature: counters of two bits for the many rare
//! features, and behind those that are full counters of 32 bits for the few frequent ones.
//! Features that share a counter only raise it, so a count of one is always true. Counters
//! are met part by part (see [`super::partition`]); one thread has a part at a time, so
//! nothing is locked and the sums do not depend on the order of work.
//!
//! Counters of several processes cannot be added up; [`super::tally`] says why and has counts
//! that can.

use super::partition::{Partition, part_of, rest_of};
use crate::numbers::{in_memory, saturated};
use rayon::prelude::*;
use std::ops::Range;

/// Narrow counters for each feature: with fewer, more single features would share one.
const NARROW_PER_FEATURE: u64 = 3;
/// One wide counter for this many narrow ones.
const NARROW_PER_WIDE: usize = 64;

/// Counts of all features.
#[derive(Debug)]
pub struct Counts {
    /// Four counters of two bits in a byte, part after part.
    narrow: Vec<u8>,
    wide: Vec<u32>,
    places: CounterSpace,
    first_part: usize,
}

/// Where the counters of a feature are in its part.
#[derive(Debug, Clone, Copy)]
struct CounterSpace {
    /// Narrow counters of a part, a power of two.
    narrow: usize,
    /// Wide counters of a part, a power of two.
    wide: usize,
}

/// How rare a feature is: 0 when it occurs in a single set, more for more.
pub type Rarity = u8;

/// Number of different rarities.
pub const NUM_RARITIES: usize = 40;

impl CounterSpace {
    /// The narrow counter of a feature, from the low bits of what is left of it.
    #[inline]
    fn narrow(self, rest: u32) -> usize {
        rest as usize & (self.narrow - 1)
    }

    /// Spread by a product, so that features that share a narrow counter seldom share a
    /// wide one.
    #[inline]
    fn wide(self, rest: u32) -> usize {
        let spread = rest.wrapping_mul(0x9e37_79b1);
        (spread >> 8) as usize & (self.wide - 1)
    }
}

impl Counts {
    /// Counters for about this many features of these parts, all zero, in about
    /// `most_bytes` at most.
    pub fn new(num_features: u64, parts: &Range<usize>, most_bytes: u64) -> Self {
        let num_parts = parts.len();
        let narrow = (num_features * NARROW_PER_FEATURE).div_ceil(num_parts as u64);
        let narrow = in_memory(narrow).clamp(1 << 8, 1 << 32);
        let mut narrow = narrow.next_power_of_two();
        // Fewer counters are shared by more features: slower, never wrong.
        while narrow > 1 << 8 && bytes_of(narrow, num_parts) > most_bytes {
            narrow /= 2;
        }
        let wide = (narrow / NARROW_PER_WIDE).clamp(16, 1 << 24);
        Counts {
            narrow: vec![0; narrow / 4 * num_parts],
            wide: vec![0; wide * num_parts],
            places: CounterSpace { narrow, wide },
            first_part: parts.start,
        }
    }

    /// Bytes of counters for this many features, were there no limit.
    pub fn bytes_for(num_features: u64) -> u64 {
        // A power of two is at most twice as many; and the wide counters.
        num_features * NARROW_PER_FEATURE / 4 * 2 * 5 / 4
    }

    /// Counts features, each given once for each set that has it.
    pub fn add(&mut self, partitions: &[Partition]) {
        let (places, first_part) = (self.places, self.first_part);
        let narrow = self.narrow.par_chunks_mut(places.narrow / 4);
        let wide = self.wide.par_chunks_mut(places.wide);
        narrow
            .zip(wide)
            .enumerate()
            .for_each(|(place, (narrow, wide))| {
                for partition in partitions {
                    for &rest in partition.part(first_part + place) {
                        // A part is one thread's alone, so these are plain additions: no lock, no atomic, and
                        // sums that do not depend on the order.
                        let slot = places.narrow(rest);
                        let shift = (slot % 4) * 2;
                        let byte = &mut narrow[slot / 4];
                        if (*byte >> shift) & 3 < 3 {
                            *byte += 1 << shift;
                        } else {
                            // Full at three: what comes from now on counts in the wide one. A feature that
                            // shares it counts too much, never too little. At the largest number of 32 bits it
                            // stays: all above are equally rare.
                            let counter = &mut wide[places.wide(rest)];
                            *counter = counter.saturating_add(1);
                        }
                    }
                }
            });
    }

    /// Rarities of the features of each part, in their order over all stretches, into one
    /// buffer a part.
    pub fn rarities(&self, partitions: &[Partition], rarities: &mut Vec<Vec<Rarity>>) {
        rarities.resize(self.wide.len() / self.places.wide, Vec::new());
        rarities
            .par_iter_mut()
            .enumerate()
            .for_each(|(place, rarities)| {
                rarities.clear();
                for partition in partitions {
                    let rests = partition.part(self.first_part + place).iter();
                    rarities.extend(rests.map(|&rest| self.rarity_in(place, rest)));
                }
            });
    }

    /// Rarity of one feature.
    pub fn rarity(&self, feature: u64) -> Rarity {
        self.rarity_in(part_of(feature) - self.first_part, rest_of(feature))
    }

    /// Rarity by the narrow counter, and by the wide one where that is full.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "at most 34")]
    fn rarity_in(&self, place: usize, rest: u32) -> Rarity {
        let slot = place * self.places.narrow + self.places.narrow(rest);
        // A count of one is 0, of two is 1; above, the logarithm of what the wide counter has.
        let narrow = (self.narrow[slot / 4] >> ((slot % 4) * 2)) & 3;
        if narrow < 3 {
            return narrow.saturating_sub(1);
        }
        let wide = self.wide[place * self.places.wide + self.places.wide(rest)];
        2 + (32 - wide.leading_zeros()) as u8
    }
}

/// Rarity of a feature that is known to occur in so many sets.
#[expect(clippy::cast_possible_truncation, reason = "at most 34")]
pub fn rarity_of(count: u64) -> Rarity {
    if count < 3 {
        return (count as u8).saturating_sub(1);
    }
    // All counts of four billion and more are equally rare.
    let wide = saturated(count - 3);
    2 + (32 - wide.leading_zeros()) as u8
}

/// Bytes of counters with this many narrow ones in each part.
fn bytes_of(narrow: usize, num_parts: usize) -> u64 {
    ((narrow / 4 + narrow / NARROW_PER_WIDE * 4) * num_parts) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidate::partition::{NUM_PARTS, cursors};
    use crate::hash::mix;

    #[test]
    fn a_feature_is_called_single_only_when_it_is() {
        let mut counts = Counts::new(4000, &(0..NUM_PARTS), u64::MAX);
        let stretches: Vec<Vec<u64>> = (0..3u64)
            .map(|worker| {
                let own = (0..1000).map(|number| mix(1_000_000 * (worker + 1) + number));
                own.chain((0..1000).map(mix)).collect()
            })
            .collect();
        let partitions: Vec<Partition> = stretches
            .iter()
            .map(|stretch| Partition::of(stretch))
            .collect();
        counts.add(&partitions[..2]);
        counts.add(&partitions[2..]);
        let singles =
            (0..1000).filter(|&number| counts.rarity(mix(2_000_000 + number)) == 0);
        assert!(singles.count() > 500);
        assert!((0..1000).all(|number| counts.rarity(mix(number)) >= 2));
    }

    #[test]
    fn rarities_come_back_in_order_of_the_features() {
        let features: Vec<u64> = (0..5000).map(|number| mix(number % 1700)).collect();
        let partitions: Vec<Partition> =
            features.chunks(999).map(Partition::of).collect();
        let mut counts = Counts::new(5000, &(0..NUM_PARTS), u64::MAX);
        counts.add(&partitions);
        let mut rarities = Vec::new();
        counts.rarities(&partitions, &mut rarities);
        let cursors = cursors(&partitions);
        for (stretch, mut cursors) in features.chunks(999).zip(cursors) {
            for &feature in stretch {
                let part = part_of(feature);
                let rarity = rarities[part][cursors[part] as usize];
                cursors[part] += 1;
                assert_eq!(rarity, counts.rarity(feature));
            }
        }
    }

    #[test]
    fn rarity_grows_with_the_count() {
        let mut before = 0;
        for doublings in 0..13 {
            let mut counts = Counts::new(10, &(0..NUM_PARTS), u64::MAX);
            counts.add(&[Partition::of(&vec![mix(7); 1 << doublings])]);
            let rarity = counts.rarity(mix(7));
            assert!(rarity >= before && usize::from(rarity) < NUM_RARITIES);
            before = rarity;
        }
        assert_eq!(before, 2 + 12);
    }
}
