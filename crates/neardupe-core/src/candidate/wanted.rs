//! Which features will be looked up at all, where sets are indexed by more than they are
//! looked up by.
//!
//! A set that may contain others is indexed by all its features, but a set looks for the
//! larger ones that contain it by a few of its rarest only. A feature that is in nobody's
//! few needs no list: at a threshold of 0.8 that is most of them.

use super::open_sets::OpenSets;
use crate::error::Result;
use crate::numbers::{Column, OpenIdx, in_memory, of_len};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bits for each feature that is looked up: about one in nine of the others slips through,
/// which costs a list and changes nothing.
const BITS_PER_FEATURE: u64 = 8;

/// The features that are looked up, and perhaps some more.
#[derive(Debug)]
pub struct WantedFeatures {
    bits: Vec<AtomicU64>,
    /// How many of its features each open set is indexed by.
    num_listed: Column<OpenIdx, u32>,
}

impl WantedFeatures {
    /// `prefix_len` is how many of its rarest features a set of that size is looked up by.
    pub fn new(open: &OpenSets, prefix_len: impl Fn(u32) -> u32 + Sync) -> Result<Self> {
        let sets: Vec<OpenIdx> = open.all().collect();
        let looked_up = sets
            .iter()
            .map(|&set| u64::from(prefix_len(open.size(set))))
            .sum::<u64>();
        let num_bits = (looked_up * BITS_PER_FEATURE).next_power_of_two().max(64);
        let num_words = in_memory(num_bits / 64);
        let mut wanted = WantedFeatures {
            bits: Vec::new(),
            num_listed: Column::default(),
        };
        wanted.bits.resize_with(num_words, || AtomicU64::new(0));
        sets.par_iter().try_for_each(|&set| -> Result<()> {
            let set = open.get(set)?;
            let len = prefix_len(set.about.size).saturating_sub(set.about.num_single);
            for &feature in set.prefix.iter().take(len as usize) {
                let (word, bit) = wanted.place(feature);
                wanted.bits[word].fetch_or(bit, Ordering::Relaxed);
            }
            Ok(())
        })?;
        let num_listed = sets.par_iter().map(|&set| {
            let set = open.get(set)?;
            let listed = set.prefix.iter().filter(|&&feature| wanted.has(feature));
            Ok(of_len(listed.count()))
        });
        wanted.num_listed = Column::of(num_listed.collect::<Result<_>>()?);
        Ok(wanted)
    }

    /// The word and the bit of a feature: some of its bits, which are those of a hash already.
    fn place(&self, feature: u64) -> (usize, u64) {
        let word = (feature >> 6) as usize & (self.bits.len() - 1);
        (word, 1 << (feature & 63))
    }

    /// Whether a feature may be looked up.
    #[inline]
    pub fn has(&self, feature: u64) -> bool {
        let (word, bit) = self.place(feature);
        // A word in memory at random, for each feature of an indexed set: it is asked once, when a window is made.
        self.bits[word].load(Ordering::Relaxed) & bit != 0
    }

    /// How many of its features a set is indexed by.
    pub fn num_listed(&self, set: OpenIdx) -> u64 {
        u64::from(self.num_listed[set])
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> u64 {
        (self.bits.len() * 8 + self.num_listed.len() * 4) as u64
    }
}
