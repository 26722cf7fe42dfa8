//! Posting lists over prefix features.
//!
//! All prefix features are sorted once; a feature that stands in a single prefix gets no
//! list. Every list has room for all sets that might enter it, so sets can be added one by
//! one, in any order, while the join goes on.

use super::kept::{KeptIdx, NUM_BUCKETS, PrefixBuckets};
use crate::error::{Error, Result};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};

/// A set in the list of one of its prefix features.
#[derive(Debug, Clone, Copy, Default)]
pub struct Posting {
    /// The set.
    pub set: KeptIdx,
    /// Its size, here so that most postings are dismissed without another look.
    pub size: u32,
    /// Place of the feature in the set's order.
    pub position: u32,
}

/// Posting lists, filled as the join goes on.
#[derive(Debug)]
pub struct Postings {
    starts: Vec<u64>,
    lens: Vec<u32>,
    postings: Vec<Posting>,
}

impl Postings {
    /// Number of lists.
    pub fn num_lists(&self) -> usize {
        self.lens.len()
    }

    /// Empties all lists.
    pub fn clear(&mut self) {
        self.lens.fill(0);
    }

    /// Adds a posting to the end of a list.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "within the postings in memory")]
    pub fn push(&mut self, list: u32, posting: Posting) {
        let list = list as usize;
        let at = self.starts[list] as usize + self.lens[list] as usize;
        debug_assert!((at as u64) < self.starts[list + 1]);
        self.postings[at] = posting;
        self.lens[list] += 1;
    }

    /// What was added to a list, in order.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "within the postings in memory")]
    pub fn list(&self, list: u32) -> &[Posting] {
        let list = list as usize;
        let start = self.starts[list] as usize;
        &self.postings[start..start + self.lens[list] as usize]
    }
}

/// Which list each slot of each chunk belongs to.
#[derive(Debug)]
pub(super) struct Lists {
    first_slots: Vec<u64>,
    list_of_slot: Vec<AtomicU32>,
    lens: Vec<u32>,
}

const NO_LIST: u32 = u32::MAX;

/// Sorts the prefix features and numbers those that stand in two or more prefixes.
pub(super) fn number_lists(mut chunks: Vec<PrefixBuckets>) -> Result<Lists> {
    let mut first_slots = Vec::with_capacity(chunks.len());
    let mut num_slots = 0u64;
    for chunk in &chunks {
        first_slots.push(num_slots);
        num_slots += u64::from(chunk.num_slots);
    }
    let mut list_of_slot = Vec::new();
    list_of_slot.resize_with(
        usize::try_from(num_slots).map_err(|_| too_many(num_slots))?,
        || AtomicU32::new(NO_LIST),
    );
    // Turned from chunks of buckets to buckets of chunks, so each bucket is sorted whole.
    let mut buckets: Vec<Vec<(u64, Vec<u64>, Vec<u32>)>> = Vec::new();
    buckets.resize_with(NUM_BUCKETS, Vec::new);
    for (chunk, &first) in chunks.iter_mut().zip(&first_slots) {
        for (bucket, (features, slots)) in std::mem::take(&mut chunk.buckets).into_iter().enumerate() {
            buckets[bucket].push((first, features, slots));
        }
    }
    let runs: Vec<Vec<(u64, u64)>> = buckets.into_par_iter().map(shared_features).collect();
    let mut lens = Vec::new();
    let mut firsts = Vec::new();
    for bucket in &runs {
        firsts.push(u32::try_from(lens.len()).map_err(|_| too_many(num_slots))?);
        lens.extend(bucket.chunk_by(|left, right| left.0 == right.0).map(|run| {
            u32::try_from(run.len()).unwrap_or(u32::MAX)
        }));
    }
    if lens.len() as u64 >= u64::from(NO_LIST) {
        return Err(too_many(num_slots));
    }
    runs.into_par_iter().zip(firsts).for_each(|(bucket, first)| {
        let runs = bucket.chunk_by(|left, right| left.0 == right.0);
        for (list, run) in (first..).zip(runs) {
            for &(_, slot) in run {
                #[expect(clippy::cast_possible_truncation, reason = "checked above")]
                list_of_slot[slot as usize].store(list, Ordering::Relaxed);
            }
        }
    });
    Ok(Lists { first_slots, list_of_slot, lens })
}

fn too_many(num_slots: u64) -> Error {
    Error::Limit {
        what: "posting lists".to_owned(),
        asked: num_slots,
        allowed: u64::from(NO_LIST),
        remedy: "raise --threshold or split the collection".to_owned(),
    }
}

/// The (feature, slot) of one bucket whose feature occurs more than once, sorted.
fn shared_features(bucket: Vec<(u64, Vec<u64>, Vec<u32>)>) -> Vec<(u64, u64)> {
    let total = bucket.iter().map(|(_, features, _)| features.len()).sum();
    let mut pairs: Vec<(u64, u64)> = Vec::with_capacity(total);
    for (first, features, slots) in bucket {
        let slots = slots.into_iter().map(|slot| first + u64::from(slot));
        pairs.extend(features.into_iter().zip(slots));
    }
    pairs.sort_unstable();
    let mut shared = Vec::new();
    for run in pairs.chunk_by(|left, right| left.0 == right.0) {
        if run.len() > 1 {
            shared.extend_from_slice(run);
        }
    }
    shared
}

impl Lists {
    /// The list of a slot, if its feature stands in another prefix too.
    #[inline]
    pub(super) fn list_at(&self, chunk: u32, slot: u32) -> Option<u32> {
        let at = self.first_slots[chunk as usize] + u64::from(slot);
        #[expect(clippy::cast_possible_truncation, reason = "within the slots in memory")]
        let list = self.list_of_slot[at as usize].load(Ordering::Relaxed);
        (list != NO_LIST).then_some(list)
    }

    /// Empty lists with room for all their sets.
    pub(super) fn into_postings(self) -> Postings {
        let mut starts = Vec::with_capacity(self.lens.len() + 1);
        let mut total = 0u64;
        for &len in &self.lens {
            starts.push(total);
            total += u64::from(len);
        }
        starts.push(total);
        let lens = vec![0; self.lens.len()];
        #[expect(clippy::cast_possible_truncation, reason = "as many as slots in memory")]
        let postings = vec![Posting::default(); total as usize];
        Postings { starts, lens, postings }
    }
}
