//! The part of the kept sets that is indexed at one time: their prefixes as posting lists.
//!
//! All kept sets when they fit; then a feature that stands in a single prefix needs no list.
//! Else as many as fit: then every feature has one, since a set outside may probe with it,
//! and a table leads from features to lists.

use super::kept::{About, Kept, KeptIdx, KeptSet};
use super::postings::{NO_LIST, Posting, Postings, with_room};
use crate::error::{Error, Result};
use crate::hash::FixedMap;
use hashbrown::hash_map::Entry as MapEntry;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};

/// A prefix feature of a set that has a list.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// The list of the feature.
    pub list: u32,
    /// Place of the feature in the set's order, from 0.
    pub position: u32,
}

/// Sets with posting lists for their prefixes.
#[derive(Debug)]
pub struct Index {
    /// The sets.
    pub sets: Sets,
    /// The lists; empty at first.
    pub postings: Postings,
    lists: Option<ListTable>,
}

/// What filters and lists need of the sets in an index.
#[derive(Debug)]
pub struct Sets {
    slots: Vec<Slot>,
    ranges: Vec<SlotRange>,
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    kept: KeptIdx,
    num_entries: u32,
    first_entry: usize,
    bitmap: usize,
    bitmap_len: u32,
    about: About,
}

/// Sets that were indexed by one task.
#[derive(Debug, Default)]
struct SlotRange {
    entries: Vec<Entry>,
    bitmaps: Vec<u64>,
}

/// Sets of a range.
const RANGE: usize = 1 << 12;

/// Bytes of an index for each prefix feature of its sets: posting, entry, lengths and start
/// of a list, and while it is built feature and place.
const ENTRY_BYTES: u64 = (size_of::<Posting>() + size_of::<Entry>() + 24 + 16) as u64;
/// And the way from a feature to its list.
const TABLE_BYTES: u64 = 30;
/// Bytes of an index for each set: slot, bitmap, place, marks of two threads.
const SET_BYTES: u64 = size_of::<Slot>() as u64 + 24;

/// Bytes that a set takes in an index at most.
pub fn bytes_of(kept: &Kept, set: KeptIdx, complete: bool) -> u64 {
    let entry = ENTRY_BYTES + if complete { 0 } else { TABLE_BYTES };
    let bitmap = u64::from(kept.size(set)) / 4;
    kept.num_listed(set) * entry + bitmap + SET_BYTES
}

impl Index {
    /// Indexes these sets; `complete` when no other set will probe.
    pub fn build(kept: &Kept, sets: &[KeptIdx], complete: bool) -> Result<Index> {
        let read: Vec<(Vec<Slot>, SlotRange, RangeFeatures)> = sets
            .par_chunks(RANGE)
            .map(|sets| read_range(kept, sets))
            .collect::<Result<_>>()?;
        let mut slots = Vec::with_capacity(sets.len());
        let (mut ranges, mut features) = (Vec::new(), Vec::new());
        for (range_slots, range, range_features) in read {
            slots.extend(range_slots);
            ranges.push(range);
            features.push(range_features);
        }
        let (lists, table) = number_lists(features, complete)?;
        let entries = slots.par_chunks_mut(RANGE).zip(&mut ranges).enumerate();
        entries.for_each(|(number, (slots, range))| {
            let mut place = 0;
            for slot in slots {
                slot.first_entry = range.entries.len();
                for position in 0..slot.about.num_prefix {
                    if let Some(list) = lists.list_at(number, place) {
                        let position = slot.about.num_single + position;
                        range.entries.push(Entry {
                            list,
                            position: within(&slot.about, position),
                        });
                    }
                    place += 1;
                }
                let num_entries = range.entries.len() - slot.first_entry;
                slot.num_entries = u32::try_from(num_entries).unwrap_or(u32::MAX);
            }
        });
        Ok(Index {
            sets: Sets { slots, ranges },
            postings: with_room(&lists.lens),
            lists: table,
        })
    }

    /// The lists of a set that is not in the index.
    pub fn entries_of(&self, set: &KeptSet<'_>) -> Vec<Entry> {
        let Some(table) = &self.lists else {
            return Vec::new();
        };
        let positions = set.about.num_single..;
        let features = set.prefix.iter().zip(positions);
        let entries = features.filter_map(|(&feature, position)| {
            let list = table.get(feature)?;
            let position = within(&set.about, position);
            Some(Entry { list, position })
        });
        entries.collect()
    }
}

/// A place in the order of a set. Keys in the place of features have none, and there may be
/// more of them than the set has features.
#[inline]
fn within(about: &About, position: u32) -> u32 {
    position.min(about.size.saturating_sub(1))
}

impl Sets {
    /// Number of sets.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// The set at a place.
    #[inline]
    pub fn kept(&self, slot: u32) -> KeptIdx {
        self.slots[slot as usize].kept
    }

    /// What filters look at first.
    #[inline]
    pub fn about(&self, slot: u32) -> &About {
        &self.slots[slot as usize].about
    }

    /// Bitmap of a set; empty when the bitmap filter is off.
    #[inline]
    pub fn bitmap(&self, slot: u32) -> &[u64] {
        let place = &self.slots[slot as usize];
        let range = &self.ranges[slot as usize / RANGE];
        &range.bitmaps[place.bitmap..place.bitmap + place.bitmap_len as usize]
    }

    /// Prefix of a set, by position, as far as it has lists.
    #[inline]
    pub fn entries(&self, slot: u32) -> &[Entry] {
        let place = &self.slots[slot as usize];
        let range = &self.ranges[slot as usize / RANGE];
        &range.entries[place.first_entry..place.first_entry + place.num_entries as usize]
    }
}

/// Prefix features of a range that are worth a list.
struct RangeFeatures {
    /// Features and their places in the range, split by hash.
    buckets: Vec<(Vec<u64>, Vec<u32>)>,
    /// Places of all prefix features.
    num_places: usize,
}

const NUM_BUCKETS: usize = 64;

#[inline]
fn bucket_of(feature: u64) -> usize {
    (feature >> 58) as usize
}

fn read_range(
    kept: &Kept,
    sets: &[KeptIdx],
) -> Result<(Vec<Slot>, SlotRange, RangeFeatures)> {
    let mut slots = Vec::with_capacity(sets.len());
    let mut range = SlotRange::default();
    let mut buckets: Vec<(Vec<u64>, Vec<u32>)> = Vec::new();
    buckets.resize_with(NUM_BUCKETS, Default::default);
    let mut place = 0u32;
    for &number in sets {
        let set = kept.get(number)?;
        slots.push(Slot {
            kept: number,
            num_entries: 0,
            first_entry: 0,
            bitmap: range.bitmaps.len(),
            bitmap_len: u32::try_from(set.bitmap.len()).unwrap_or(u32::MAX),
            about: set.about,
        });
        range.bitmaps.extend_from_slice(&set.bitmap);
        for &feature in set.prefix.iter() {
            if kept.wants(feature) {
                let (features, places) = &mut buckets[bucket_of(feature)];
                features.push(feature);
                places.push(place);
            }
            place = place.checked_add(1).ok_or_else(|| too_many(usize::MAX))?;
        }
    }
    let features = RangeFeatures {
        buckets,
        num_places: place as usize,
    };
    Ok((slots, range, features))
}

/// Which list each prefix feature of each range belongs to.
struct Lists {
    firsts: Vec<usize>,
    list_at: Vec<AtomicU32>,
    lens: Vec<u32>,
}

impl Lists {
    #[inline]
    fn list_at(&self, range: usize, place: usize) -> Option<u32> {
        let list = self.list_at[self.firsts[range] + place].load(Ordering::Relaxed);
        (list != NO_LIST).then_some(list)
    }
}

/// The way from features to lists.
#[derive(Debug)]
struct ListTable {
    buckets: Vec<(u32, FixedMap<u64, u32>)>,
}

impl ListTable {
    #[inline]
    fn get(&self, feature: u64) -> Option<u32> {
        let (first, lists) = &self.buckets[bucket_of(feature)];
        lists.get(&feature).map(|list| first + list)
    }
}

/// Numbers the prefix features; those of a single prefix only when not `complete`.
fn number_lists(
    ranges: Vec<RangeFeatures>,
    complete: bool,
) -> Result<(Lists, Option<ListTable>)> {
    let mut firsts = Vec::with_capacity(ranges.len());
    let mut num_places = 0;
    for range in &ranges {
        firsts.push(num_places);
        num_places += range.num_places;
    }
    let mut list_at = Vec::new();
    list_at.resize_with(num_places, || AtomicU32::new(NO_LIST));
    // Turned from ranges of buckets to buckets of ranges, so each bucket is seen whole.
    let mut buckets: Vec<Bucket> = Vec::new();
    buckets.resize_with(NUM_BUCKETS, Vec::new);
    for (range, &first) in ranges.into_iter().zip(&firsts) {
        for (bucket, (features, places)) in buckets.iter_mut().zip(range.buckets) {
            bucket.push((first, features, places));
        }
    }
    let counted: Vec<Counted> = buckets
        .par_iter()
        .map(|bucket| Counted::of(bucket, complete))
        .collect();
    let mut lens = Vec::new();
    let mut first_lists = Vec::new();
    for bucket in &counted {
        first_lists.push(u32::try_from(lens.len()).map_err(|_| too_many(num_places))?);
        lens.extend_from_slice(&bucket.lens);
    }
    if lens.len() as u64 >= u64::from(NO_LIST) {
        return Err(too_many(num_places));
    }
    let numbered = buckets.into_par_iter().zip(&counted).zip(&first_lists);
    numbered.for_each(|((bucket, counted), &first_list)| {
        for (first, features, places) in bucket {
            for (feature, place) in features.into_iter().zip(places) {
                if let Some(&list) = counted.lists.get(&feature)
                    && list != NO_LIST
                {
                    let at = first + place as usize;
                    list_at[at].store(first_list + list, Ordering::Relaxed);
                }
            }
        }
    });
    let table = (!complete).then(|| ListTable {
        buckets: first_lists
            .into_iter()
            .zip(counted)
            .map(|(first, counted)| (first, counted.lists))
            .collect(),
    });
    let lists = Lists {
        firsts,
        list_at,
        lens,
    };
    Ok((lists, table))
}

/// Of each range: its first place, and features with their places.
type Bucket = Vec<(usize, Vec<u64>, Vec<u32>)>;

/// The features of a bucket, numbered as they were met.
struct Counted {
    lists: FixedMap<u64, u32>,
    lens: Vec<u32>,
}

impl Counted {
    fn of(bucket: &Bucket, complete: bool) -> Self {
        let mut counted = Counted {
            lists: FixedMap::default(),
            lens: Vec::new(),
        };
        let Counted { lists, lens } = &mut counted;
        let begin = |lens: &mut Vec<u32>, len: u32| {
            lens.push(len);
            u32::try_from(lens.len() - 1).unwrap_or(NO_LIST)
        };
        for &feature in bucket.iter().flat_map(|(_, features, _)| features) {
            match lists.entry(feature) {
                MapEntry::Vacant(entry) => {
                    entry.insert(if complete { NO_LIST } else { begin(lens, 1) });
                }
                MapEntry::Occupied(mut entry) => match *entry.get() {
                    NO_LIST => {
                        entry.insert(begin(lens, 2));
                    }
                    list => lens[list as usize] += 1,
                },
            }
        }
        counted
    }
}

fn too_many(num_places: usize) -> Error {
    Error::Limit {
        what: "posting lists".to_owned(),
        asked: num_places as u64,
        allowed: u64::from(NO_LIST),
        remedy: "raise `threshold` or split the collection".to_owned(),
    }
}
