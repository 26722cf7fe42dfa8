//! Which seeds occur only once: most of them do, and lead nowhere.
//!
//! Two bits a counter, that seeds share: it may say twice of a seed that occurs once, never the
//! other way.

use crate::hash::mix;
use std::sync::atomic::{AtomicU8, Ordering};

/// Counters of seeds.
#[derive(Debug)]
pub(super) struct SeedCounts {
    /// Four counters each.
    counters: Vec<AtomicU8>,
}

impl SeedCounts {
    /// Counters for about `seeds` seeds, within `bytes`.
    pub(super) fn new(seeds: u64, bytes: u64) -> Self {
        let wanted = (seeds * 2).clamp(1 << 10, bytes.max(1 << 10));
        let len = usize::try_from(wanted).unwrap_or(1 << 30);
        let len = len.next_power_of_two() / 2;
        let mut counters = Vec::new();
        counters.resize_with(len, || AtomicU8::new(0));
        SeedCounts { counters }
    }

    /// Counters that nothing is asked of.
    pub(super) fn none() -> Self {
        SeedCounts {
            counters: Vec::new(),
        }
    }

    /// Where the counter of a seed is, and its place in there.
    fn place(&self, seed: u64) -> (usize, u32) {
        let mixed = mix(seed);
        let counter = (mixed >> 2) as usize & (self.counters.len() - 1);
        (counter, (mixed & 3) as u32 * 2)
    }

    /// A seed occurs.
    fn add(&self, seed: u64) {
        let (counter, shift) = self.place(seed);
        let counter = &self.counters[counter];
        let before = counter.load(Ordering::Relaxed) >> shift;
        if before & 2 != 0 {
            return;
        }
        let before = counter.fetch_or(1 << shift, Ordering::Relaxed) >> shift;
        if before & 1 != 0 {
            counter.fetch_or(2 << shift, Ordering::Relaxed);
        }
    }

    /// Whether a seed may occur more than once.
    pub(super) fn is_shared(&self, seed: u64) -> bool {
        let (counter, shift) = self.place(seed);
        (self.counters[counter].load(Ordering::Relaxed) >> shift) & 2 != 0
    }
}

/// Parts of the counters that seeds are sorted by: one fits in the cache of a core.
const PARTS: usize = 64;
/// Seeds of a part that are counted together.
const SEEDS: usize = 512;

/// Counts seeds for one thread: many of one part of the counters at a time, since a counter is a
/// byte of memory that nobody has touched for long.
#[derive(Debug)]
pub(super) struct SeedCounter {
    parts: Vec<Vec<u64>>,
}

impl SeedCounter {
    pub(super) fn new() -> Self {
        SeedCounter {
            parts: vec![Vec::new(); PARTS],
        }
    }

    /// A seed occurs.
    pub(super) fn add(&mut self, seed: u64, counts: &SeedCounts) {
        let (counter, _) = counts.place(seed);
        let part = &mut self.parts[counter * PARTS / counts.counters.len()];
        part.push(seed);
        if part.len() == SEEDS {
            part.drain(..).for_each(|seed| counts.add(seed));
        }
    }

    /// Counts what is left.
    pub(super) fn finish(&mut self, counts: &SeedCounts) {
        let seeds = self.parts.iter_mut().flat_map(|part| part.drain(..));
        seeds.for_each(|seed| counts.add(seed));
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
        assert!((0..100).all(|seed| counts.is_shared(mix(seed))));
        let kept = (100..1000).filter(|&seed| counts.is_shared(mix(seed)));
        assert!(kept.count() < 300);
    }
}
