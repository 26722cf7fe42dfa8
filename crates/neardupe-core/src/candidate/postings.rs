//! Posting lists over prefix features.
//!
//! A feature that stands in a single prefix gets no list. Every list has room for all sets that might enter it, so sets can be added one by
//! one, in any order, while the join goes on.

use super::bitmap::Sketch;
use super::kept::{KeptIdx, NUM_BUCKETS, PrefixBuckets};
use crate::error::{Error, Result};
use crate::hash::FixedMap;
use bytemuck::{Zeroable, zeroed_vec};
use hashbrown::hash_map::Entry;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};

/// A set in the list of one of its prefix features.
#[derive(Debug, Clone, Copy, Default, Zeroable)]
#[repr(C)]
pub struct Posting {
    /// The set.
    pub set: KeptIdx,
    /// Its size, here so that most postings are dismissed without another look.
    pub size: u32,
    /// Place of the feature in the set's order.
    pub position: u32,
    /// Largest size of a set that can still be a partner when this is the first feature
    /// they share.
    pub reach: u32,
    /// The two lists that the set entered just before this one.
    pub previous: [u32; 2],
    /// Number of its features that another set may have.
    pub num_shared: u32,
    /// Small bitmap of these.
    pub sketch: Sketch,
}

/// In the place of a previous list where there is none.
pub const NO_LIST: u32 = u32::MAX;

/// Posting lists, filled as the join goes on.
///
/// A long list is kept in order but for its newest postings: grouped by previous lists, and
/// by descending reach in each group. A probe that has been through a list skips the groups
/// that come from it, since it has met all their sets; and it leaves a group at the first
/// posting whose reach is too small. One previous list alone would leave a tenth of a
/// giant cluster to be met again in every list, two leave a hundredth.
#[derive(Debug)]
pub struct Postings {
    starts: Vec<u64>,
    lens: Vec<u32>,
    /// How many postings of a list are in order.
    ordered: Vec<u32>,
    postings: Vec<Posting>,
    /// Lists whose newest postings are many enough to be put in order.
    untidy: Vec<u32>,
    long_list: u32,
}

impl Postings {
    /// Number of lists.
    pub fn num_lists(&self) -> usize {
        self.lens.len()
    }

    /// Lists of this many postings and more are kept in order.
    pub fn keep_ordered_from(&mut self, long_list: u32) {
        self.long_list = long_list.max(1);
    }

    /// Empties all lists.
    pub fn clear(&mut self) {
        self.lens.fill(0);
        self.ordered.fill(0);
        self.untidy.clear();
    }

    /// Adds a posting to the end of a list.
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "within the postings in memory"
    )]
    pub fn push(&mut self, list: u32, posting: Posting) {
        let number = list as usize;
        let len = self.lens[number];
        let at = self.starts[number] as usize + len as usize;
        debug_assert!((at as u64) < self.starts[number + 1]);
        self.postings[at] = posting;
        self.lens[number] = len + 1;
        let ordered = self.ordered[number];
        if len + 1 - ordered == self.long_list.max(ordered / 16) {
            self.untidy.push(list);
        }
    }

    /// Puts the newest postings of long lists in order.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "within the postings in memory"
    )]
    pub fn tidy(&mut self) {
        for list in std::mem::take(&mut self.untidy) {
            let number = list as usize;
            let (start, len) = (self.starts[number] as usize, self.lens[number]);
            // A stable sort finds the part that is in order and merges the rest into it.
            self.postings[start..start + len as usize].sort_by_key(|posting| {
                (posting.previous, std::cmp::Reverse(posting.reach))
            });
            self.ordered[number] = len;
        }
    }

    /// What was added to a list, the newest last.
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "within the postings in memory"
    )]
    pub fn list(&self, list: u32) -> &[Posting] {
        let list = list as usize;
        let start = self.starts[list] as usize;
        &self.postings[start..start + self.lens[list] as usize]
    }

    /// A list as its part in order and its newest postings.
    #[inline]
    pub fn parts(&self, list: u32) -> (&[Posting], &[Posting]) {
        self.list(list)
            .split_at(self.ordered[list as usize] as usize)
    }
}

/// Where the group that begins at `start` of an ordered list ends.
#[inline]
pub fn group_end(ordered: &[Posting], start: usize) -> usize {
    let previous = ordered[start].previous;
    // Groups are short or very long: look ahead in growing steps, then halve.
    let mut step = 1;
    while start + step < ordered.len() && ordered[start + step].previous == previous {
        step *= 2;
    }
    let (low, high) = (start + step / 2, ordered.len().min(start + step));
    low + ordered[low..high].partition_point(|posting| posting.previous == previous)
}

/// Postings from which a list is kept in order: shorter ones are scanned faster than
/// their groups are found.
pub const LONG_LIST: u32 = 64;

/// Which list each slot of each chunk belongs to.
#[derive(Debug)]
pub(super) struct Lists {
    first_slots: Vec<u64>,
    list_of_slot: Vec<AtomicU32>,
    lens: Vec<u32>,
}

/// Numbers the prefix features that stand in two or more prefixes.
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
    // Turned from chunks of buckets to buckets of chunks, so each bucket is seen whole.
    let mut buckets: Vec<Bucket> = Vec::new();
    buckets.resize_with(NUM_BUCKETS, Vec::new);
    for (chunk, &first) in chunks.iter_mut().zip(&first_slots) {
        let parts = std::mem::take(&mut chunk.buckets);
        for (bucket, (features, slots)) in buckets.iter_mut().zip(parts) {
            bucket.push((first, features, slots));
        }
    }
    let counted: Vec<Counted> = buckets.par_iter().map(Counted::of).collect();
    let mut lens = Vec::new();
    let mut firsts = Vec::new();
    for bucket in &counted {
        firsts.push(u32::try_from(lens.len()).map_err(|_| too_many(num_slots))?);
        lens.extend_from_slice(&bucket.lens);
    }
    if lens.len() as u64 >= u64::from(NO_LIST) {
        return Err(too_many(num_slots));
    }
    let numbered = buckets.into_par_iter().zip(counted).zip(firsts);
    numbered.for_each(|((bucket, counted), first)| {
        for (first_slot, features, slots) in bucket {
            for (feature, slot) in features.into_iter().zip(slots) {
                if let Some(&list) = counted.lists.get(&feature)
                    && list != NO_LIST
                {
                    #[expect(clippy::cast_possible_truncation, reason = "checked above")]
                    let slot = (first_slot + u64::from(slot)) as usize;
                    list_of_slot[slot].store(first + list, Ordering::Relaxed);
                }
            }
        }
    });
    Ok(Lists {
        first_slots,
        list_of_slot,
        lens,
    })
}

/// Of each chunk: its first slot, and features with their slots.
type Bucket = Vec<(u64, Vec<u64>, Vec<u32>)>;

/// The features of a bucket that occur more than once, numbered as they were met.
struct Counted {
    lists: FixedMap<u64, u32>,
    lens: Vec<u32>,
}

impl Counted {
    fn of(bucket: &Bucket) -> Self {
        let mut counted = Counted {
            lists: FixedMap::default(),
            lens: Vec::new(),
        };
        for &feature in bucket.iter().flat_map(|(_, features, _)| features) {
            match counted.lists.entry(feature) {
                Entry::Vacant(entry) => {
                    entry.insert(NO_LIST);
                }
                Entry::Occupied(mut entry) => match *entry.get() {
                    NO_LIST => {
                        let list = u32::try_from(counted.lens.len()).unwrap_or(NO_LIST);
                        entry.insert(list);
                        counted.lens.push(2);
                    }
                    list => counted.lens[list as usize] += 1,
                },
            }
        }
        counted
    }
}

fn too_many(num_slots: u64) -> Error {
    Error::Limit {
        what: "posting lists".to_owned(),
        asked: num_slots,
        allowed: u64::from(NO_LIST),
        remedy: "raise --threshold or split the collection".to_owned(),
    }
}

impl Lists {
    /// The list of a slot, if its feature stands in another prefix too.
    #[inline]
    pub(super) fn list_at(&self, chunk: u32, slot: u32) -> Option<u32> {
        let at = self.first_slots[chunk as usize] + u64::from(slot);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "within the slots in memory"
        )]
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
        let num_lists = self.lens.len();
        #[expect(
            clippy::cast_possible_truncation,
            reason = "as many as slots in memory"
        )]
        let postings = zeroed_vec(total as usize);
        Postings {
            starts,
            lens: vec![0; num_lists],
            ordered: vec![0; num_lists],
            postings,
            untidy: Vec::new(),
            long_list: LONG_LIST,
        }
    }
}
