//! In how many sets a feature occurs, approximately and never too low.
//!
//! Two tiers, indexed by bits of the feature: counters of two bits for the many rare
//! features, and behind those that are full counters of 32 bits for the few frequent ones.
//! Features that share a counter only raise it, so a count of one is always true.
//!
//! Counting is split by the top bits of the feature. A worker buffers features for each
//! part and applies a full buffer under the lock of that part, whose counters then fit the
//! cache: no atomic operation and hardly a cache miss for each feature. The sums do not
//! depend on the order of work.

use std::sync::{Mutex, PoisonError};

const PART_BITS: u32 = 8;
const NUM_PARTS: usize = 1 << PART_BITS;
const BUFFER: usize = 512;
/// One wide counter for this many narrow ones.
const NARROW_PER_WIDE: usize = 64;

/// Counts of all features, complete.
#[derive(Debug)]
pub struct Counts {
    parts: Vec<Part>,
    slot_mask: u64,
}

/// Counts in the making, shared by all workers.
#[derive(Debug)]
pub struct Counting {
    parts: Vec<Mutex<Part>>,
    slot_mask: u64,
}

/// What one worker has not yet handed in.
#[derive(Debug)]
pub struct CountBuffers<'a> {
    counting: &'a Counting,
    buffers: Vec<Vec<u64>>,
}

#[derive(Debug)]
struct Part {
    narrow: Vec<u8>,
    wide: Vec<u32>,
}

/// How rare a feature is: 0 when it occurs in a single set, more for more.
pub type Rarity = u8;

/// Number of different rarities.
pub const NUM_RARITIES: usize = 40;

impl Counting {
    /// Counters for about this many features.
    pub fn new(num_features: u64) -> Self {
        let slots = (num_features.max(1) * 2).next_power_of_two() >> PART_BITS;
        let slots = usize::try_from(slots).unwrap_or(usize::MAX).max(1 << 10);
        let part = || Part {
            narrow: vec![0; slots / 4],
            wide: vec![0; (slots / NARROW_PER_WIDE).max(16)],
        };
        let parts = (0..NUM_PARTS).map(|_| Mutex::new(part())).collect();
        Counting { parts, slot_mask: slots as u64 - 1 }
    }

    /// Buffers for one worker; dropped, they hand in what they hold.
    pub fn buffers(&self) -> CountBuffers<'_> {
        let buffers = (0..NUM_PARTS).map(|_| Vec::with_capacity(BUFFER)).collect();
        CountBuffers { counting: self, buffers }
    }

    /// The counts, now that every worker is done.
    pub fn finish(self) -> Counts {
        let part = |part: Mutex<Part>| part.into_inner().unwrap_or_else(PoisonError::into_inner);
        Counts {
            parts: self.parts.into_iter().map(part).collect(),
            slot_mask: self.slot_mask,
        }
    }
}

impl CountBuffers<'_> {
    /// Counts the features of one set, each given once.
    #[inline]
    pub fn add(&mut self, features: &[u64]) {
        for &feature in features {
            let part = part_of(feature);
            let buffer = &mut self.buffers[part];
            buffer.push(feature);
            if buffer.len() == BUFFER {
                hand_in(self.counting, part, buffer);
            }
        }
    }
}

impl Drop for CountBuffers<'_> {
    fn drop(&mut self) {
        for (part, buffer) in self.buffers.iter_mut().enumerate() {
            hand_in(self.counting, part, buffer);
        }
    }
}

fn hand_in(counting: &Counting, part: usize, buffer: &mut Vec<u64>) {
    let mut part = counting.parts[part].lock().unwrap_or_else(PoisonError::into_inner);
    for &feature in buffer.iter() {
        part.increment(feature, counting.slot_mask);
    }
    buffer.clear();
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "eight bits are left")]
fn part_of(feature: u64) -> usize {
    (feature >> (64 - PART_BITS)) as usize
}

/// Place of the narrow counter, from bits that the part does not use.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "masked to the number of slots")]
fn slot_of(feature: u64, slot_mask: u64) -> usize {
    ((feature >> 16) & slot_mask) as usize
}

impl Part {
    #[inline]
    fn increment(&mut self, feature: u64, slot_mask: u64) {
        let slot = slot_of(feature, slot_mask);
        let shift = (slot % 4) * 2;
        let byte = &mut self.narrow[slot / 4];
        if (*byte >> shift) & 3 < 3 {
            *byte += 1 << shift;
        } else {
            let place = self.wide_place(feature);
            self.wide[place] = self.wide[place].saturating_add(1);
        }
    }

    /// Wide counters use the low bits, so that two features that share a narrow counter
    /// seldom share a wide one.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "reduced to the number of counters")]
    fn wide_place(&self, feature: u64) -> usize {
        (feature as usize) & (self.wide.len() - 1)
    }
}

impl Counts {
    /// Rarity of a feature.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "at most 34")]
    pub fn rarity(&self, feature: u64) -> Rarity {
        let part = &self.parts[part_of(feature)];
        let slot = slot_of(feature, self.slot_mask);
        let narrow = (part.narrow[slot / 4] >> ((slot % 4) * 2)) & 3;
        if narrow < 3 {
            return narrow.saturating_sub(1);
        }
        let wide = part.wide[part.wide_place(feature)];
        2 + (32 - wide.leading_zeros()) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;

    #[test]
    fn a_feature_is_called_single_only_when_it_is() {
        let counting = Counting::new(3000);
        std::thread::scope(|scope| {
            for worker in 0..3u64 {
                let mut buffers = counting.buffers();
                scope.spawn(move || {
                    for number in 0..1000u64 {
                        buffers.add(&[mix(number), mix(1_000_000 * (worker + 1) + number)]);
                    }
                });
            }
        });
        let counts = counting.finish();
        let singles = (0..1000).filter(|&number| counts.rarity(mix(2_000_000 + number)) == 0);
        assert!(singles.count() > 500);
        assert!((0..1000).all(|number| counts.rarity(mix(number)) >= 2));
    }

    #[test]
    fn rarity_grows_with_the_count() {
        let counting = Counting::new(10);
        let mut buffers = counting.buffers();
        let mut before = 0;
        for count in 1..5000u32 {
            buffers.add(&[mix(7)]);
            if count.is_power_of_two() {
                drop(buffers);
                buffers = counting.buffers();
                let part = &counting.parts[part_of(mix(7))].lock().unwrap();
                let wide = part.wide[part.wide_place(mix(7))];
                assert!(wide >= before);
                before = wide;
            }
        }
        drop(buffers);
        let rarity = counting.finish().rarity(mix(7));
        assert_eq!(rarity, 2 + 13);
        assert!(usize::from(rarity) < NUM_RARITIES);
    }
}
