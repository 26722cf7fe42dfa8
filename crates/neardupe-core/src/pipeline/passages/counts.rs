//! Which seeds occur only once: most of them do, and lead nowhere.
//!
//! Two bits a counter, that seeds share: it may say twice of a seed that occurs once, never the
//! other way. A counter is a byte of memory that nobody has touched for long, so seeds are
//! sorted by parts of the counters first and counted many at a time, one thread in a part.

use crate::hash::mix;
use crate::numbers::in_memory;
use std::sync::{Mutex, PoisonError};

/// Bits of a seed that choose its part: the counters of one fit in the cache of a core.
const PART_BITS: u32 = 6;
/// Seeds of a part that are counted together.
const SEEDS: usize = 512;

/// Where the counter of a seed is: its part, its byte, its place in there.
#[derive(Clone, Copy)]
struct CounterSlot {
    part: usize,
    byte: usize,
    shift: u32,
}

impl CounterSlot {
    /// Among parts of so many bytes, a power of two.
    #[inline]
    fn new(seed: u64, part_len: usize) -> Self {
        let mixed = mix(seed);
        CounterSlot {
            part: (mixed >> (64 - PART_BITS)) as usize,
            byte: (mixed >> 2) as usize & (part_len - 1),
            shift: (mixed & 3) as u32 * 2,
        }
    }
}

/// Counters of seeds, while they are counted.
#[derive(Debug)]
pub(super) struct SeedCounts {
    /// Four counters a byte.
    parts: Vec<Mutex<Vec<u8>>>,
    part_len: usize,
}

impl SeedCounts {
    /// Counters for about `seeds` seeds, within `bytes`.
    pub(super) fn new(seeds: u64, bytes: u64) -> Self {
        // After rounding, a byte or two for each seed, so four to eight counters: at most one seed
        // of five then shares its counter with another, and is looked at in vain. With less memory
        // more are; the result is the same.
        let wanted = (seeds * 2).clamp(1 << 10, bytes.max(1 << 10));
        let len = in_memory(wanted);
        let part_len = (len.next_power_of_two() / 2) >> PART_BITS;
        let part = || Mutex::new(vec![0; part_len]);
        SeedCounts {
            parts: std::iter::repeat_with(part).take(1 << PART_BITS).collect(),
            part_len,
        }
    }

    /// All seeds were counted.
    pub(super) fn done(self) -> SharedSeeds {
        let parts = self
            .parts
            .into_iter()
            .map(|part| part.into_inner().unwrap_or_else(PoisonError::into_inner));
        SharedSeeds {
            parts: parts.collect(),
            part_len: self.part_len,
        }
    }

    /// Counts seeds of one part.
    fn add(&self, part: usize, seeds: &mut Vec<u64>) {
        let mut counters = self.parts[part]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        for seed in seeds.drain(..) {
            let place = CounterSlot::new(seed, self.part_len);
            let counter = &mut counters[place.byte];
            // From 00 to 01, from 01 to 11, and there it remains: the upper bit says "more than
            // once".
            let once = (*counter >> place.shift) & 1;
            *counter |= (1 + once) << place.shift;
        }
    }
}

/// Which seeds may occur more than once.
#[derive(Debug, Default)]
pub(super) struct SharedSeeds {
    parts: Vec<Vec<u8>>,
    part_len: usize,
}

impl SharedSeeds {
    /// Whether a seed may occur more than once.
    #[inline]
    pub(super) fn contains(&self, seed: u64) -> bool {
        let place = CounterSlot::new(seed, self.part_len);
        (self.parts[place.part][place.byte] >> place.shift) & 2 != 0
    }
}

/// Counts seeds for one thread.
#[derive(Debug)]
pub(super) struct SeedCounter {
    parts: Vec<Vec<u64>>,
}

impl SeedCounter {
    pub(super) fn new() -> Self {
        SeedCounter {
            parts: vec![Vec::new(); 1 << PART_BITS],
        }
    }

    /// A seed occurs.
    #[inline]
    pub(super) fn add(&mut self, seed: u64, counts: &SeedCounts) {
        let place = CounterSlot::new(seed, counts.part_len);
        let part = &mut self.parts[place.part];
        part.push(seed);
        // One lock for many seeds, and all of them go to counters that fit in the cache.
        if part.len() == SEEDS {
            counts.add(place.part, part);
        }
    }

    /// Counts what is left.
    pub(super) fn finish(&mut self, counts: &SeedCounts) {
        for (part, seeds) in self.parts.iter_mut().enumerate() {
            counts.add(part, seeds);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_seed_that_occurs_twice_is_missed_and_few_others_are_kept() {
        let counts = SeedCounts::new(1000, 1 << 20);
        let seeds: Vec<u64> = (0..1000).map(mix).collect();
        for (first, last) in [(0, 1000), (0, 100)] {
            let mut counter = SeedCounter::new();
            // Often enough for some to be counted before the end.
            for &seed in seeds[first..last].iter().cycle().take(last) {
                counter.add(seed, &counts);
            }
            counter.finish(&counts);
        }
        let shared = counts.done();
        assert!((0..100).all(|seed| shared.contains(mix(seed))));
        let kept = (100..1000).filter(|&seed| shared.contains(mix(seed)));
        assert!(kept.count() < 300);
    }
}
