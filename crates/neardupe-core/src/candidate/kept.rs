//! The sets that can have a partner: their features, bitmaps and prefixes, in memory.
//!
//! Built from chunks, one for each segment of features, that were selected in parallel.
//! Sets are numbered by descending size, so a smaller number is a set at least as large.

use super::bitmap::{self, Sketch};
use super::counts::Rarity;
use super::filter::Filters;
use super::postings::{Postings, number_lists};
use super::prefix::PrefixSelector;
use crate::error::Result;
use crate::threshold::Threshold;
use rayon::prelude::*;

/// Number of a kept set: 0 is the largest.
pub type KeptIdx = u32;

/// A prefix feature of a set that some other set's prefix has too.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// The list of the feature.
    pub list: u32,
    /// Place of the feature in the set's order, from 0.
    pub position: u32,
}

/// The sets of one segment that can have a partner.
#[derive(Debug, Default)]
pub struct SelectedChunk {
    features: Vec<u64>,
    bitmaps: Vec<u64>,
    sets: Vec<SelectedSet>,
    pub(super) prefixes: PrefixBuckets,
}

/// Prefix features and their places in the chunk, split by hash for parallel sorting.
#[derive(Debug, Default)]
pub(super) struct PrefixBuckets {
    pub(super) buckets: Vec<(Vec<u64>, Vec<u32>)>,
    pub(super) num_slots: u32,
}

/// Number of buckets of prefix features.
pub(super) const NUM_BUCKETS: usize = 64;

#[derive(Debug, Clone, Copy)]
struct SelectedSet {
    set: u32,
    size: u32,
    start: usize,
    bitmap: usize,
    sketch: Sketch,
    num_shared: u32,
    num_single: u32,
    first_slot: u32,
    num_slots: u32,
}

/// Selects sets that can have a partner from the features of a segment.
#[derive(Debug)]
pub struct Selector {
    threshold: Threshold,
    filters: Filters,
    prefixes: PrefixSelector,
    prefix: Vec<u64>,
}

impl Selector {
    /// A selector for one worker.
    pub fn new(threshold: Threshold, filters: Filters) -> Self {
        let (prefixes, prefix) = (PrefixSelector::default(), Vec::new());
        Selector {
            threshold,
            filters,
            prefixes,
            prefix,
        }
    }

    /// Adds the set, whose features begin at `start` of the chunk, if it can have a partner.
    pub fn select(
        &mut self,
        set: u32,
        start: usize,
        features: &[u64],
        rarities: &[Rarity],
        chunk: &mut SelectedChunk,
    ) {
        let size = u32::try_from(features.len()).unwrap_or(u32::MAX);
        let len = self.filters.prefix_len(self.threshold, size);
        self.prefix.clear();
        let single = self
            .prefixes
            .select(features, rarities, len, &mut self.prefix);
        let Some(num_single) = single else { return };
        let bitmap_start = chunk.bitmaps.len();
        let shared = features
            .iter()
            .zip(rarities)
            .filter(|&(_, &rarity)| rarity > 0);
        let num_shared = rarities.iter().filter(|&&rarity| rarity > 0).count();
        let mut sketch = Sketch::default();
        if self.filters.bitmap {
            let shared = shared.map(|(&feature, _)| feature);
            sketch = bitmap::build(shared, size, &mut chunk.bitmaps);
        }
        let (first_slot, num_slots) = chunk.prefixes.add(&self.prefix);
        chunk.sets.push(SelectedSet {
            set,
            size,
            start,
            bitmap: bitmap_start,
            sketch,
            num_shared: u32::try_from(num_shared).unwrap_or(u32::MAX),
            num_single,
            first_slot,
            num_slots,
        });
    }
}

impl SelectedChunk {
    /// Takes the features that the selected sets refer to.
    pub fn with_features(mut self, features: Vec<u64>) -> Self {
        self.features = features;
        self
    }
}

impl PrefixBuckets {
    fn add(&mut self, prefix: &[u64]) -> (u32, u32) {
        if self.buckets.is_empty() {
            self.buckets.resize_with(NUM_BUCKETS, Default::default);
        }
        let first = self.num_slots;
        for &feature in prefix {
            let bucket = &mut self.buckets[(feature >> 58) as usize];
            bucket.0.push(feature);
            bucket.1.push(self.num_slots);
            self.num_slots += 1;
        }
        (first, self.num_slots - first)
    }
}

/// All sets that can have a partner.
#[derive(Debug)]
pub struct Kept {
    chunks: Vec<(Vec<u64>, Vec<u64>)>,
    places: Vec<Place>,
    entries: Vec<Vec<Entry>>,
}

#[derive(Debug, Clone, Copy)]
struct Place {
    set: u32,
    size: u32,
    chunk: u32,
    num_entries: u32,
    num_shared: u32,
    start: usize,
    bitmap: usize,
    first_entry: usize,
    sketch: Sketch,
}

/// Sets whose entries are stored together.
const ENTRY_RANGE: usize = 1 << 12;

impl Kept {
    /// Numbers the sets and makes empty posting lists for their prefixes.
    pub fn build(chunks: Vec<SelectedChunk>) -> Result<(Kept, Postings)> {
        let mut order: Vec<(u32, SelectedSet)> = Vec::new();
        let (mut contents, mut buckets) = (Vec::new(), Vec::new());
        for (number, chunk) in (0u32..).zip(chunks) {
            order.extend(chunk.sets.iter().map(|&set| (number, set)));
            contents.push((chunk.features, chunk.bitmaps));
            buckets.push(chunk.prefixes);
        }
        order.par_sort_unstable_by_key(|(_, set)| (std::cmp::Reverse(set.size), set.set));
        let lists = number_lists(buckets)?;
        let ranges: Vec<(Vec<Place>, Vec<Entry>)> = order
            .par_chunks(ENTRY_RANGE)
            .map(|range| {
                let mut places = Vec::with_capacity(range.len());
                let mut entries = Vec::new();
                for &(chunk, set) in range {
                    let first_entry = entries.len();
                    for slot in 0..set.num_slots {
                        if let Some(list) = lists.list_at(chunk, set.first_slot + slot) {
                            entries.push(Entry {
                                list,
                                position: set.num_single + slot,
                            });
                        }
                    }
                    places.push(Place {
                        set: set.set,
                        size: set.size,
                        chunk,
                        num_entries: u32::try_from(entries.len() - first_entry)
                            .unwrap_or(u32::MAX),
                        start: set.start,
                        bitmap: set.bitmap,
                        first_entry,
                        num_shared: set.num_shared,
                        sketch: set.sketch,
                    });
                }
                (places, entries)
            })
            .collect();
        let mut kept = Kept {
            chunks: contents,
            places: Vec::new(),
            entries: Vec::new(),
        };
        for (places, entries) in ranges {
            kept.places.extend(places);
            kept.entries.push(entries);
        }
        Ok((kept, lists.into_postings()))
    }

    /// Number of kept sets.
    #[expect(clippy::cast_possible_truncation, reason = "sets are numbered by u32")]
    pub fn len(&self) -> u32 {
        self.places.len() as u32
    }

    /// Whether no set can have a partner.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Number of the set among all sets of the collection.
    pub fn set(&self, kept: KeptIdx) -> u32 {
        self.places[kept as usize].set
    }

    /// Number of features of a set.
    #[inline]
    pub fn size(&self, kept: KeptIdx) -> u32 {
        self.places[kept as usize].size
    }

    /// Features of a set, in no order.
    #[inline]
    pub fn features(&self, kept: KeptIdx) -> &[u64] {
        let place = &self.places[kept as usize];
        let end = place.start + place.size as usize;
        &self.chunks[place.chunk as usize].0[place.start..end]
    }

    /// Bitmap of a set; only when the bitmap filter is on.
    #[inline]
    pub fn bitmap(&self, kept: KeptIdx) -> &[u64] {
        let place = &self.places[kept as usize];
        let end = place.bitmap + bitmap::num_words(place.size);
        &self.chunks[place.chunk as usize].1[place.bitmap..end]
    }

    /// Small bitmap of a set; only when the bitmap filter is on.
    #[inline]
    pub fn sketch(&self, kept: KeptIdx) -> Sketch {
        self.places[kept as usize].sketch
    }

    /// Number of features of a set that another kept set may have: those in its bitmaps.
    #[inline]
    pub fn num_shared(&self, kept: KeptIdx) -> u32 {
        self.places[kept as usize].num_shared
    }

    /// Prefix of a set, by position, without features that no other prefix has.
    #[inline]
    pub fn entries(&self, kept: KeptIdx) -> &[Entry] {
        let place = &self.places[kept as usize];
        let end = place.first_entry + place.num_entries as usize;
        &self.entries[kept as usize / ENTRY_RANGE][place.first_entry..end]
    }
}
