//! The rarity of every head feature of a collection, chunk by chunk.
//!
//! All features are counted, then all are looked up. When the counters do not fit, that is
//! done for some parts of the feature space at a time (see [`super::chunk`]), and rarities
//! wait in a work file until all parts are done. When they fit, which is the case of a
//! single range of parts, rarities are used as soon as they are known.
//!
//! What must not change: features are regrouped in the order in which they stand, within each part, and rarities are
//! read back with one cursor a part in that same order. Nothing else leads from a rarity to its feature. And all
//! features are counted before the first is looked up: a count that is too low would lose a pair.

use super::chunk::{Chunk, SetChunk, part_ranges};
use super::counts::{Counts, Rarity};
use super::partition::{NUM_PARTS, Partition, cursors, part_of};
use crate::document::{Progress, check_cancelled};
use crate::error::Result;
use crate::numbers::in_memory;
use crate::store::{Budget, WorkDir};
use rayon::prelude::*;
use std::ops::Range;

/// Features regrouped together at most: enough that the counters of a part, once in cache,
/// serve many features.
const GROUP_FEATURES: u64 = 24 << 20;
/// Name of the work file in which rarities wait.
const SCRATCH: &str = "rarities";

/// How features are counted and looked up.
#[derive(Clone, Copy)]
#[expect(missing_debug_implementations, reason = "progress has none")]
pub struct Ranking<'a> {
    /// Memory for counters and groups.
    pub budget: &'a Budget,
    /// Where rarities wait.
    pub work: &'a WorkDir,
    /// Parts that make up the heads.
    pub head_parts: usize,
    /// Hears how many features were counted and looked up.
    pub progress: &'a dyn Progress,
}

/// Gives the rarities of a chunk's head features in their order.
#[derive(Debug)]
pub struct RarityReader {
    /// By part, and in order of the features within each.
    rarities: Vec<Rarity>,
    cursors: [u32; NUM_PARTS],
}

impl RarityReader {
    /// The rarities of the next features.
    #[inline]
    pub fn read(&mut self, features: &[u64], rarities: &mut Vec<Rarity>) {
        rarities.clear();
        rarities.extend(features.iter().map(|&feature| {
            // 256 cursors stay in the first-level cache, and each reads on where it was: no search, no hash. Here
            // features and answers meet again.
            let cursor = &mut self.cursors[part_of(feature)];
            let rarity = self.rarities[*cursor as usize];
            *cursor += 1;
            rarity
        }));
    }

    /// A reader at the first feature of every part.
    fn new(rarities: Vec<Rarity>, starts: &[u32; NUM_PARTS + 1]) -> Self {
        let mut cursors = [0; NUM_PARTS];
        cursors.copy_from_slice(&starts[..NUM_PARTS]);
        RarityReader { rarities, cursors }
    }
}

impl Ranking<'_> {
    /// Visits every chunk with the rarities of its head features at hand: `visit` on any
    /// thread, `take` with what it made, in the order of the chunks.
    pub fn for_each_chunk<T: Send>(
        &self,
        chunks: Vec<Chunk>,
        visit: impl Fn(SetChunk, RarityReader) -> Result<T> + Sync,
        mut take: impl FnMut(T) -> Result<()>,
    ) -> Result<()> {
        let num_heads: u64 = chunks.iter().map(Chunk::num_heads).sum();
        let bytes = Counts::bytes_for(num_heads);
        let wanted = bytes.div_ceil(self.budget.counters.max(1));
        let ranges = part_ranges(self.head_parts, in_memory(wanted));
        match &ranges[..] {
            [parts] => {
                let counts = self.count(&chunks, num_heads, parts, 1)?;
                self.use_at_once(chunks, &counts, parts, visit, take)
            }
            ranges => {
                // Every chunk is regrouped once for each range of parts, twice: to count and to look up. From a file
                // only the slices of these parts are read.
                let stored = self.look_up_in_rounds(&chunks, num_heads, ranges)?;
                let mut first = 0;
                for group in self.batches(chunks) {
                    let first_of_group = first;
                    first += group.len();
                    let made: Vec<Result<T>> = group
                        .into_par_iter()
                        .enumerate()
                        .map(|(at, chunk)| {
                            let chunk = chunk.load()?;
                            let rarities = stored.rarities(first_of_group + at)?;
                            let reader = RarityReader::new(rarities, &starts_of(&chunk));
                            visit(chunk, reader)
                        })
                        .collect();
                    made.into_iter().try_for_each(|made| take(made?))?;
                    check_cancelled(self.progress)?;
                }
                drop(stored);
                self.work.remove(SCRATCH)
            }
        }
    }

    /// Counts the features of some parts.
    fn count(
        &self,
        chunks: &[Chunk],
        num_heads: u64,
        parts: &Range<usize>,
        num_ranges: usize,
    ) -> Result<Counts> {
        // Features are spread evenly over the parts, since these are bits of a hash.
        let share = num_heads * parts.len() as u64 / self.head_parts.max(1) as u64;
        let mut counts = Counts::new(share, parts, self.budget.counters);
        let mut partitions = Vec::new();
        for group in self.groups(chunks, num_ranges) {
            self.regroup(group, parts, &mut partitions)?;
            counts.add(&partitions);
            self.progress
                .advance(num_heads_of(group) / num_ranges as u64);
            check_cancelled(self.progress)?;
        }
        Ok(counts)
    }

    /// Looks up group by group, and visits the chunks of a group before the next one is looked up.
    fn use_at_once<T: Send>(
        &self,
        chunks: Vec<Chunk>,
        counts: &Counts,
        parts: &Range<usize>,
        visit: impl Fn(SetChunk, RarityReader) -> Result<T> + Sync,
        mut take: impl FnMut(T) -> Result<()>,
    ) -> Result<()> {
        let (mut partitions, mut by_part) = (Vec::new(), Vec::new());
        // Groups are cut from borrowed chunks, and taken apart by their lengths: chunks are given away one by one, so
        // that the memory of each is free as soon as it was visited.
        let lens: Vec<usize> = self.groups(&chunks, 1).map(<[Chunk]>::len).collect();
        let mut chunks = chunks.into_iter();
        for len in lens {
            let group: Vec<Chunk> = chunks.by_ref().take(len).collect();
            // In the case of a single range, groups are regrouped a second time here: to hold all of them would cost four bytes a
            // feature.
            self.regroup(&group, parts, &mut partitions)?;
            counts.rarities(&partitions, &mut by_part);
            let places = cursors(&partitions);
            self.progress.advance(num_heads_of(&group));
            let mut first = 0;
            for batch in self.batches(group) {
                let (partitions, places) = (&partitions[first..], &places[first..]);
                first += batch.len();
                // Chunks in parallel; what is made of them is taken in their order, so nothing depends on threads.
                let made: Vec<Result<T>> = batch
                    .into_par_iter()
                    .enumerate()
                    .map(|(at, chunk)| {
                        let partition = &partitions[at];
                        let rarities = flat(&by_part, parts, &places[at], partition);
                        let reader = RarityReader::new(rarities, partition.starts());
                        visit(chunk.load()?, reader)
                    })
                    .collect();
                made.into_iter().try_for_each(|made| take(made?))?;
            }
            check_cancelled(self.progress)?;
        }
        Ok(())
    }

    /// Counts and looks up one range of parts after the other; rarities go to a file.
    fn look_up_in_rounds(
        &self,
        chunks: &[Chunk],
        num_heads: u64,
        ranges: &[Range<usize>],
    ) -> Result<StoredRarities> {
        let mut out = self.work.create(SCRATCH)?;
        let mut places = vec![Vec::with_capacity(ranges.len()); chunks.len()];
        let (mut partitions, mut by_part) = (Vec::new(), Vec::new());
        for parts in ranges {
            let counts = self.count(chunks, num_heads, parts, ranges.len())?;
            let mut first = 0;
            for group in self.groups(chunks, ranges.len()) {
                self.regroup(group, parts, &mut partitions)?;
                counts.rarities(&partitions, &mut by_part);
                let cursors = cursors(&partitions);
                for (at, partition) in partitions.iter().enumerate() {
                    let rarities = flat(&by_part, parts, &cursors[at], partition);
                    places[first + at].push(out.frame(&rarities)?);
                }
                first += group.len();
                self.progress
                    .advance(num_heads_of(group) / ranges.len() as u64);
                check_cancelled(self.progress)?;
            }
        }
        let file = self.work.open(&out.finish()?)?;
        Ok(StoredRarities { file, places })
    }

    /// Regroups the heads of chunks in parallel, into buffers that are used again.
    fn regroup(
        &self,
        group: &[Chunk],
        parts: &Range<usize>,
        partitions: &mut Vec<Partition>,
    ) -> Result<()> {
        partitions.resize_with(group.len(), Partition::default);
        let pairs = partitions.par_iter_mut().zip(group);
        pairs.try_for_each(|(partition, chunk)| {
            chunk.regroup(self.head_parts, parts, partition)
        })
    }

    /// Chunks that are regrouped together.
    fn groups<'c>(
        &self,
        chunks: &'c [Chunk],
        num_ranges: usize,
    ) -> impl Iterator<Item = &'c [Chunk]> + use<'c> {
        // A regrouped feature takes four bytes, its rarity two more.
        let most = (self.budget.group / 6).min(GROUP_FEATURES);
        let mut rest = chunks;
        std::iter::from_fn(move || {
            let mut total = 0;
            let mut len = 0;
            while let Some(chunk) = rest.get(len) {
                total += chunk.num_heads() / num_ranges as u64;
                // One chunk at least, however large.
                if len > 0 && total > most {
                    break;
                }
                len += 1;
            }
            let (group, after) = rest.split_at(len);
            rest = after;
            (len > 0).then_some(group)
        })
    }

    /// Chunks that are visited at the same time: when they come from a file, what they hold
    /// and what is made of them is in memory together.
    fn batches(&self, chunks: Vec<Chunk>) -> impl Iterator<Item = Vec<Chunk>> {
        let in_memory = chunks.iter().all(|chunk| matches!(chunk, Chunk::Memory(_)));
        let len = if in_memory {
            chunks.len().max(1)
        } else {
            rayon::current_num_threads()
        };
        let mut chunks = chunks.into_iter();
        std::iter::from_fn(move || {
            let batch: Vec<Chunk> = chunks.by_ref().take(len).collect();
            (!batch.is_empty()).then_some(batch)
        })
    }
}

/// Features in the heads of some chunks.
fn num_heads_of(group: &[Chunk]) -> u64 {
    group.iter().map(Chunk::num_heads).sum()
}

/// The rarities of one chunk, by part: copied together from the buffers of the group, where each part has those of all
/// chunks one after the other. A copy of one byte a feature, which makes the reader free of the group.
fn flat(
    by_part: &[Vec<Rarity>],
    parts: &Range<usize>,
    cursors: &[u32; NUM_PARTS],
    partition: &Partition,
) -> Vec<Rarity> {
    let starts = partition.starts();
    let mut flat = Vec::with_capacity(starts[NUM_PARTS] as usize);
    for part in parts.clone() {
        let start = cursors[part] as usize;
        let len = (starts[part + 1] - starts[part]) as usize;
        flat.extend_from_slice(&by_part[part - parts.start][start..start + len]);
    }
    flat
}

/// Where each part of a chunk begins among its regrouped features.
fn starts_of(chunk: &SetChunk) -> [u32; NUM_PARTS + 1] {
    let mut starts = [0; NUM_PARTS + 1];
    for head in chunk.heads() {
        for &feature in head {
            starts[part_of(feature) + 1] += 1;
        }
    }
    for part in 0..NUM_PARTS {
        starts[part + 1] += starts[part];
    }
    starts
}

/// Rarities of all chunks in a file, a frame for each range of parts.
struct StoredRarities {
    file: crate::store::FrameFile,
    places: Vec<Vec<u64>>,
}

impl StoredRarities {
    /// The rarities of a chunk, range after range as they were looked up: by part, as [`RarityReader`] has them.
    fn rarities(&self, chunk: usize) -> Result<Vec<Rarity>> {
        let mut rarities = Vec::new();
        let mut range = Vec::new();
        for &place in &self.places[chunk] {
            self.file.read(place, &mut range)?;
            rarities.extend_from_slice(&range);
        }
        Ok(rarities)
    }
}
