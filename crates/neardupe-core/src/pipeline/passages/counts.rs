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

    fn place(&self, seed: u64) -> (&AtomicU8, u32) {
        let mixed = mix(seed);
        let counter = (mixed >> 2) as usize & (self.counters.len() - 1);
        (&self.counters[counter], (mixed & 3) as u32 * 2)
    }

    /// Seeds occur. Counters are touched before they are changed: many can be fetched from memory
    /// at a time, but a change of one waits for the one before.
    pub(super) fn add_all(&self, seeds: &[u64]) {
        let touched = seeds.iter().fold(0, |touched, &seed| {
            touched | self.place(seed).0.load(Ordering::Relaxed)
        });
        std::hint::black_box(touched);
        for &seed in seeds {
            self.add(seed);
        }
    }

    /// A seed occurs.
    fn add(&self, seed: u64) {
        let (counter, shift) = self.place(seed);
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
        (counter.load(Ordering::Relaxed) >> shift) & 2 != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_seed_that_occurs_twice_is_missed_and_few_others_are_kept() {
        let counts = SeedCounts::new(1000, 1 << 20);
        let seeds: Vec<u64> = (0..1000).map(mix).collect();
        counts.add_all(&seeds);
        counts.add_all(&seeds[..100]);
        assert!((0..100).all(|seed| counts.is_shared(mix(seed))));
        let kept = (100..1000).filter(|&seed| counts.is_shared(mix(seed)));
        assert!(kept.count() < 300);
    }
}
