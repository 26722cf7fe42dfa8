//! The part of the open sets that is indexed at one time: their prefixes as posting lists.
//!
//! All open sets when they fit; then a feature that stands in a single prefix needs no list.
//! Else as many as fit: then every feature has one, since a set outside may probe with it,
//! and a table leads from features to lists.

use super::open_sets::{About, OpenSet, OpenSets};
use super::postings::{Posting, Postings, with_room};
use crate::error::Result;
use crate::hash::FixedMap;
use crate::numbers::{ListIdx, MaybeList, OpenIdx, SlotIdx, narrow_or, of_len};
use hashbrown::hash_map::Entry as MapEntry;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};

/// A prefix feature of a set that has a list.
#[derive(Debug, Clone, Copy)]
pub struct PrefixEntry {
    /// The list of the feature.
    pub list: ListIdx,
    /// Place of the feature in the set's order, from 0.
    pub position: u32,
}

/// Sets with posting lists for their prefixes.
#[derive(Debug)]
pub struct PostingWindow {
    /// The sets.
    pub sets: WindowSets,
    /// The lists; empty at first.
    pub postings: Postings,
    lists: Option<ListTable>,
}

/// What filters and lists need of the sets in a window.
#[derive(Debug)]
pub struct WindowSets {
    slots: Vec<Slot>,
    ranges: Vec<SlotRange>,
}

/// All that a probe may ask of an indexed set, side by side.
#[derive(Debug, Clone, Copy)]
struct Slot {
    /// The set.
    idx: OpenIdx,
    /// Prefix features that have a list.
    num_entries: u32,
    /// The first of them in the range.
    first_entry: usize,
    /// First word of its bitmap in the range.
    bitmap: usize,
    bitmap_len: u32,
    /// What filters look at first.
    about: About,
}

/// Sets that were indexed by one task.
#[derive(Debug, Default)]
struct SlotRange {
    entries: Vec<PrefixEntry>,
    bitmaps: Vec<u64>,
}

/// Sets of a range: enough for a task, and a power of two, since it divides slots.
const RANGE: usize = 1 << 12;

/// Bytes of a window for each prefix feature of its sets: posting, entry, lengths and start
/// of a list, and while it is built feature and place.
const ENTRY_BYTES: u64 =
    (size_of::<Posting>() + size_of::<PrefixEntry>() + 24 + 16) as u64;
/// And the way from a feature to its list.
const TABLE_BYTES: u64 = 30;
/// Bytes of a window for each set: slot, bitmap, place, marks of two threads.
const SET_BYTES: u64 = size_of::<Slot>() as u64 + 24;

/// Bytes that a set takes in a window at most.
pub fn bytes_of(open: &OpenSets, set: OpenIdx, complete: bool) -> u64 {
    let entry = ENTRY_BYTES + if complete { 0 } else { TABLE_BYTES };
    let bitmap = u64::from(open.size(set)) / 4;
    open.num_listed(set) * entry + bitmap + SET_BYTES
}

impl PostingWindow {
    /// Indexes these sets; `complete` when no other set will probe.
    pub fn build(
        open: &OpenSets,
        sets: &[OpenIdx],
        complete: bool,
    ) -> Result<PostingWindow> {
        // The sets of a range are fetched by one task: bitmaps and entries of a range stand in one buffer, so that a window
        // has thousands of allocations and not millions.
        let read: Vec<(Vec<Slot>, SlotRange, RangeFeatures)> = sets
            .par_chunks(RANGE)
            .map(|sets| read_range(open, sets))
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
            // The same walk as in `read_range`, so places come in the same order.
            let mut place = 0;
            for slot in slots {
                slot.first_entry = range.entries.len();
                for position in 0..slot.about.num_prefix {
                    if let Some(list) = lists.list_at(number, place) {
                        let position = slot.about.num_single + position;
                        range.entries.push(PrefixEntry {
                            list,
                            position: within(&slot.about, position),
                        });
                    }
                    place += 1;
                }
                let num_entries = range.entries.len() - slot.first_entry;
                slot.num_entries = of_len(num_entries);
            }
        });
        Ok(PostingWindow {
            sets: WindowSets { slots, ranges },
            postings: with_room(&lists.lens),
            lists: table,
        })
    }

    /// The lists of a set that is not in the window.
    pub fn entries_of(&self, set: &OpenSet<'_>) -> Vec<PrefixEntry> {
        let Some(table) = &self.lists else {
            return Vec::new();
        };
        let positions = set.about.num_single..;
        let features = set.prefix.iter().zip(positions);
        let entries = features.filter_map(|(&feature, position)| {
            let list = table.get(feature)?;
            let position = within(&set.about, position);
            Some(PrefixEntry { list, position })
        });
        entries.collect()
    }
}

/// A place in the order of a set. Keys that replace features have none, and there may be
/// more of them than the set has features.
#[inline]
fn within(about: &About, position: u32) -> u32 {
    position.min(about.size.saturating_sub(1))
}

impl WindowSets {
    /// Number of sets.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// All slots.
    pub fn all(&self) -> impl Iterator<Item = SlotIdx> + use<> {
        SlotIdx::first(of_len(self.slots.len()))
    }

    /// The set of a slot.
    #[inline]
    pub fn open_idx(&self, slot: SlotIdx) -> OpenIdx {
        self.slots[slot.index()].idx
    }

    /// What filters look at first.
    #[inline]
    pub fn about(&self, slot: SlotIdx) -> &About {
        &self.slots[slot.index()].about
    }

    /// Bitmap of a set; empty when the bitmap filter is off.
    #[inline]
    pub fn bitmap(&self, slot: SlotIdx) -> &[u64] {
        let place = &self.slots[slot.index()];
        let range = &self.ranges[slot.index() / RANGE];
        &range.bitmaps[place.bitmap..place.bitmap + place.bitmap_len as usize]
    }

    /// Prefix of a set, by position, as far as it has lists.
    #[inline]
    pub fn entries(&self, slot: SlotIdx) -> &[PrefixEntry] {
        let place = &self.slots[slot.index()];
        let range = &self.ranges[slot.index() / RANGE];
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

/// Buckets of features: more than threads, so that none waits for the largest.
const NUM_BUCKETS: usize = 64;

/// The bucket of a feature: its top bits, as evenly spread as features are.
#[inline]
fn bucket_of(feature: u64) -> usize {
    (feature >> 58) as usize
}

/// Fetches the sets of a range: what filters need of them, and their prefix features by bucket.
fn read_range(
    open: &OpenSets,
    sets: &[OpenIdx],
) -> Result<(Vec<Slot>, SlotRange, RangeFeatures)> {
    let mut slots = Vec::with_capacity(sets.len());
    let mut range = SlotRange::default();
    let mut buckets: Vec<(Vec<u64>, Vec<u32>)> = Vec::new();
    buckets.resize_with(NUM_BUCKETS, Default::default);
    let mut place = 0;
    for &number in sets {
        let set = open.get(number)?;
        slots.push(Slot {
            idx: number,
            num_entries: 0,
            first_entry: 0,
            bitmap: range.bitmaps.len(),
            bitmap_len: of_len(set.bitmap.len()),
            about: set.about,
        });
        range.bitmaps.extend_from_slice(&set.bitmap);
        for &feature in set.prefix.iter() {
            // With containment, a feature that nobody looks up needs no list.
            if open.wants(feature) {
                let (features, places) = &mut buckets[bucket_of(feature)];
                features.push(feature);
                places.push(narrow_lists(place)?);
            }
            place += 1;
        }
    }
    let features = RangeFeatures {
        buckets,
        num_places: place,
    };
    Ok((slots, range, features))
}

/// Which list each prefix feature of each range belongs to.
struct PrefixLists {
    firsts: Vec<usize>,
    list_at: Vec<AtomicU32>,
    lens: Vec<u32>,
}

impl PrefixLists {
    /// The list of a prefix feature, by its range and its place there; none for one that has no list.
    #[inline]
    fn list_at(&self, range: usize, place: usize) -> Option<ListIdx> {
        let list = self.list_at[self.firsts[range] + place].load(Ordering::Relaxed);
        MaybeList::of_bits(list).get()
    }
}

/// The way from features to lists.
#[derive(Debug)]
struct ListTable {
    buckets: Vec<(u32, FixedMap<u64, MaybeList>)>,
}

impl ListTable {
    /// The list of a feature, for sets that probe from outside.
    #[inline]
    fn get(&self, feature: u64) -> Option<ListIdx> {
        let (first, lists) = &self.buckets[bucket_of(feature)];
        let list = lists.get(&feature)?.get()?;
        Some(ListIdx::new(first + list.get()))
    }
}

/// Numbers the prefix features; those of a single prefix only when not `complete`.
///
/// In four steps, so that threads share nothing that they write: ranges of sets put their features into buckets by hash,
/// each bucket is numbered by one thread from 0, the buckets get their first numbers, and each bucket writes the lists
/// of its places. Which number a list gets depends on the order of sets alone.
fn number_lists(
    ranges: Vec<RangeFeatures>,
    complete: bool,
) -> Result<(PrefixLists, Option<ListTable>)> {
    let mut firsts = Vec::with_capacity(ranges.len());
    // Places are numbered through all ranges: each prefix feature of the window has one.
    let mut num_places = 0;
    for range in &ranges {
        firsts.push(num_places);
        num_places += range.num_places;
    }
    let mut list_at = Vec::new();
    list_at.resize_with(num_places, || AtomicU32::new(MaybeList::NONE.bits()));
    // Turned from ranges of buckets to buckets of ranges, so each bucket is seen whole.
    let mut buckets: Vec<Bucket> = Vec::new();
    // Moved, not copied: a bucket gets the vectors of all ranges.
    buckets.resize_with(NUM_BUCKETS, Vec::new);
    for (range, &first) in ranges.into_iter().zip(&firsts) {
        for (bucket, (features, places)) in buckets.iter_mut().zip(range.buckets) {
            bucket.push((first, features, places));
        }
    }
    let counted: Vec<CountedFeatures> = buckets
        .par_iter()
        .map(|bucket| CountedFeatures::of(bucket, complete))
        .collect();
    let mut lens = Vec::new();
    let mut first_lists = Vec::new();
    for bucket in &counted {
        first_lists.push(narrow_lists(lens.len())?);
        lens.extend_from_slice(&bucket.lens);
    }
    narrow_lists(lens.len())?;
    let numbered = buckets.into_par_iter().zip(&counted).zip(&first_lists);
    numbered.for_each(|((bucket, counted), &first_list)| {
        for (first, features, places) in bucket {
            for (feature, place) in features.into_iter().zip(places) {
                let list = counted.lists.get(&feature).copied().unwrap_or_default();
                if let Some(list) = list.get() {
                    // Relaxed: every place is written once, by the bucket of its feature, and read after all have ended.
                    let at = first + place as usize;
                    let list = MaybeList::from(ListIdx::new(first_list + list.get()));
                    list_at[at].store(list.bits(), Ordering::Relaxed);
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
    let lists = PrefixLists {
        firsts,
        list_at,
        lens,
    };
    Ok((lists, table))
}

/// Of each range: its first place, and features with their places.
type Bucket = Vec<(usize, Vec<u64>, Vec<u32>)>;

/// The features of a bucket, numbered as they were met.
struct CountedFeatures {
    /// The list of each feature, from 0 in each bucket; none for a feature met once that needs none.
    lists: FixedMap<u64, MaybeList>,
    lens: Vec<u32>,
}

impl CountedFeatures {
    /// Numbers the features of a bucket that are worth a list, and counts their sets.
    fn of(bucket: &Bucket, complete: bool) -> Self {
        let mut counted = CountedFeatures {
            lists: FixedMap::default(),
            lens: Vec::new(),
        };
        let CountedFeatures { lists, lens } = &mut counted;
        let begin = |lens: &mut Vec<u32>, len: u32| {
            lens.push(len);
            // A bucket has no more lists than features, which fit 32 bits.
            MaybeList::from(ListIdx::new(of_len(lens.len() - 1)))
        };
        for &feature in bucket.iter().flat_map(|(_, features, _)| features) {
            match lists.entry(feature) {
                MapEntry::Vacant(entry) => {
                    // In a complete window a feature met once has no list until it is met again. In one that others
                    // probe from outside every feature has.
                    entry.insert(if complete {
                        MaybeList::NONE
                    } else {
                        begin(lens, 1)
                    });
                }
                MapEntry::Occupied(mut entry) => match entry.get().get() {
                    None => {
                        entry.insert(begin(lens, 2));
                    }
                    Some(list) => lens[list.index()] += 1,
                },
            }
        }
        counted
    }
}

/// Numbers of lists, and of prefix features of one task, must fit 32 bits.
fn narrow_lists(num_lists: usize) -> Result<u32> {
    let remedy = "raise `threshold` or split the collection";
    narrow_or(num_lists, "posting lists", remedy)
}
