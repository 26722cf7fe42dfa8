//! The distinct feature sets of a collection as numbers, made for being compared in samples.
//!
//! A sample keeps the features whose hash leaves one remainder, its *class*. Features that several
//! sets share are numbered by class, and within a class from the rarest to the most frequent. So a
//! set, as its numbers in order, is one class after the other, each with its rarest features
//! first: those by which a similar set must be found, the prefix, are the first of each class.
//! They are listed with the sets that have them.

use crate::candidate::chunk::Chunk;
use crate::document::{Progress, check_cancelled};
use crate::error::{Error, Result};
use crate::feature::Sampling;
use crate::numbers::{MaybeNumber, in_memory, narrow, of_len};
use crate::store::budget::{DOCUMENT_BYTES, MIN_MEMORY};
use crate::threshold::Threshold;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

/// What is known of a set before its features are looked at.
#[derive(Debug, Clone, Copy)]
pub(super) struct SetFacts {
    /// Documents that it stands for.
    pub(super) weight: u32,
    /// Words of its documents.
    pub(super) num_words: u32,
    /// Size group of its documents.
    pub(super) group: u8,
}

/// All sets.
#[derive(Debug)]
pub(super) struct StudySets {
    pub(super) facts: Vec<SetFacts>,
    /// Number of classes, a power of two.
    pub(super) num_classes: usize,
    /// The smallest similarity, which decides about prefixes.
    pub(super) threshold: Threshold,
    /// Features of each set in each class, single ones too.
    sizes: Vec<u32>,
    /// Where the numbers of each set begin.
    starts: Vec<usize>,
    numbers: Vec<u32>,
    /// The first number of each class, and the number after the last.
    class_starts: Vec<u32>,
    /// Class and bucket of each number.
    cells: Vec<u16>,
    /// Where the list of each number begins.
    list_starts: Vec<u64>,
    lists: Vec<u32>,
    /// Features of more documents than the first are in the next bucket, and so on.
    limits: Vec<u32>,
    /// Pairs of documents that share a feature, counted for each feature, by bucket.
    pub(super) pair_records: Vec<u128>,
    /// Lists that were too long to be used.
    pub(super) long_lists: u64,
}

/// Bits of a cell that are the bucket.
const BUCKET_BITS: u32 = 4;
/// Most buckets.
pub(super) const MAX_BUCKETS: usize = 1 << BUCKET_BITS;
/// Features whose rows are sorted together, at least: 16 MiB.
const ROWS_TOGETHER: u64 = 1 << 19;

/// Bytes of a row twice: they are gathered, then put together.
const ROW_BYTES: u64 = 2 * size_of::<FeatureRow>() as u64;

/// How sets are made.
pub(super) struct MakeSets<'a> {
    pub(super) num_classes: usize,
    /// The smallest similarity, which decides about prefixes.
    pub(super) threshold: Threshold,
    /// Features of more documents than the first are in the next bucket, and so on.
    pub(super) limits: &'a [u32],
    /// Sets of a list at most.
    pub(super) max_list: usize,
    /// Bytes that may be used.
    pub(super) memory: u64,
    pub(super) progress: &'a dyn Progress,
}

/// A feature of a set: class and hash together, so that rows are sorted by class first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct FeatureRow {
    key: u64,
    set: u32,
}

impl StudySets {
    /// Counts the pairs of documents that share a feature of so many documents; its bucket.
    fn add_pair_records(&mut self, documents: u64) -> usize {
        let bucket = bucket_of(&self.limits, documents);
        self.pair_records[bucket] +=
            u128::from(documents) * u128::from(documents - 1) / 2;
        bucket
    }

    /// Features of a set in each class.
    pub(super) fn sizes(&self, set: usize) -> &[u32] {
        &self.sizes[set * self.num_classes..(set + 1) * self.num_classes]
    }

    /// The shared features of a set, in order.
    pub(super) fn numbers(&self, set: usize) -> &[u32] {
        &self.numbers[self.starts[set]..self.starts[set + 1]]
    }

    /// Those of one class.
    pub(super) fn in_class(&self, set: usize, class: usize) -> &[u32] {
        let numbers = self.numbers(set);
        let before = |border: u32| numbers.partition_point(|&number| number < border);
        &numbers[before(self.class_starts[class])..before(self.class_starts[class + 1])]
    }

    /// The features of a class by which similar sets are found.
    pub(super) fn prefix(&self, set: usize, class: usize) -> &[u32] {
        let shared = self.in_class(set, class);
        let size = self.sizes(set)[class];
        let singles = size as usize - shared.len();
        let len = prefix_len(self.threshold, size) as usize;
        &shared[..len.saturating_sub(singles)]
    }

    /// The sets that are found by a feature, in order.
    pub(super) fn list(&self, number: u32) -> &[u32] {
        // Positions in `lists`, which is in memory: none is cut.
        #[expect(clippy::cast_possible_truncation, reason = "a position in memory")]
        let start_of = |number: usize| self.list_starts[number] as usize;
        let number = number as usize;
        &self.lists[start_of(number)..start_of(number + 1)]
    }

    /// Pairs of sets that meet in lists, once for each list.
    pub(super) fn num_visits(&self) -> u64 {
        let lists = self.list_starts.windows(2).map(|ends| ends[1] - ends[0]);
        lists.map(|len| len * len.saturating_sub(1) / 2).sum()
    }

    /// Class and bucket of a feature.
    pub(super) fn cell(&self, number: u32) -> (usize, usize) {
        let cell = usize::from(self.cells[number as usize]);
        (cell >> BUCKET_BITS, cell & (MAX_BUCKETS - 1))
    }

    /// Features of a set by bucket. Those that no other set has are those of its own documents, as
    /// many as it stands for.
    pub(super) fn by_bucket(&self, set: usize) -> [u32; MAX_BUCKETS] {
        let mut buckets = [0; MAX_BUCKETS];
        let shared = self.numbers(set);
        for &number in shared {
            buckets[self.cell(number).1] += 1;
        }
        let size: u32 = self.sizes(set).iter().sum();
        // The shared features are some of all.
        let own = size - of_len(shared.len());
        buckets[bucket_of(&self.limits, self.facts[set].weight.into())] += own;
        buckets
    }

    /// Number of sets.
    pub(super) fn len(&self) -> usize {
        self.facts.len()
    }
}

/// The bucket of a feature of so many documents.
fn bucket_of(limits: &[u32], documents: u64) -> usize {
    let above = |&&limit: &&u32| documents > u64::from(limit);
    limits.iter().take_while(above).count()
}

/// The class of a feature: what `sample mod:N,R` keeps of it.
#[expect(
    clippy::cast_possible_truncation,
    reason = "below the number of classes"
)]
fn class_of(feature: u64, num_classes: usize) -> usize {
    Sampling::remainder(feature, num_classes as u64) as usize
}

impl MakeSets<'_> {
    /// Makes the sets of chunks. `place_of` has the place of each set of the collection among
    /// `facts`, or none.
    pub(super) fn make(
        &self,
        chunks: &[Chunk],
        facts: Vec<SetFacts>,
        place_of: &[MaybeNumber],
    ) -> Result<StudySets> {
        let (sizes, num_features) = self.sizes(chunks, facts.len(), place_of)?;
        let mut starts = Vec::with_capacity(facts.len() + 1);
        let mut total = 0;
        for set in 0..facts.len() {
            starts.push(total);
            let of_set = &sizes[set * self.num_classes..(set + 1) * self.num_classes];
            total += of_set.iter().map(|&size| size as usize).sum::<usize>();
        }
        starts.push(total);
        self.check_memory(chunks, total, facts.len())?;
        let mut sets = StudySets {
            facts,
            num_classes: self.num_classes,
            threshold: self.threshold,
            sizes,
            starts,
            numbers: vec![0; total],
            class_starts: Vec::new(),
            cells: Vec::new(),
            list_starts: vec![0],
            lists: Vec::new(),
            limits: self.limits.to_vec(),
            pair_records: vec![0; self.limits.len() + 1],
            long_lists: 0,
        };
        let together = self.memory / 8 / ROW_BYTES;
        let rounds = num_features.div_ceil(together.max(ROWS_TOGETHER)).max(1);
        let step = self
            .num_classes
            .div_ceil(in_memory(rounds).min(self.num_classes));
        let mut next = sets.starts[..sets.len()].to_vec();
        self.progress.begin("features", num_features);
        // Chunks are read again in each round, since the rows of all classes together would take 16
        // bytes for each feature, twice.
        for first in (0..self.num_classes).step_by(step) {
            let classes = first..self.num_classes.min(first + step);
            let rows = self.rows(chunks, &classes, place_of)?;
            self.progress.advance(rows.len() as u64);
            self.number(&rows, &classes, &mut sets, &mut next)?;
            check_cancelled(self.progress)?;
        }
        sets.class_starts.push(narrow(sets.cells.len(), FEATURES)?);
        close_up(&mut sets, &next);
        Ok(sets)
    }

    /// Refuses what cannot be held: the features as they were read, the number of each in its set and in
    /// a list, the rows of a class, and a few bytes for each set in each trial.
    fn check_memory(
        &self,
        chunks: &[Chunk],
        num_features: usize,
        num_sets: usize,
    ) -> Result<()> {
        let is_read = |chunk: &&Chunk| matches!(chunk, Chunk::Memory(_));
        let as_read = if chunks.iter().any(|chunk| is_read(&chunk)) {
            8
        } else {
            0
        };
        let num_features = num_features as u64;
        let of_features = num_features * (as_read + 2 * size_of::<u32>() as u64);
        let of_rows = (num_features / self.num_classes as u64 * ROW_BYTES)
            .max((self.memory / 8).min(num_features * ROW_BYTES));
        let of_trials = (num_sets * self.num_classes) as u64 * 12;
        let of_documents = num_sets as u64 * DOCUMENT_BYTES;
        let asked = of_features + of_rows + of_trials + of_documents;
        let allowed = self.memory.max(MIN_MEMORY);
        if asked > allowed {
            Err(Error::Limit {
                what: "memory of a study".to_owned(),
                asked,
                allowed,
                remedy: "allow more by `memory`, choose a smaller `max-ratio`, or study a part of \
                         the collection"
                    .to_owned(),
            })
        } else {
            Ok(())
        }
    }

    /// Features of each set in each class, and of all.
    fn sizes(
        &self,
        chunks: &[Chunk],
        num_sets: usize,
        place_of: &[MaybeNumber],
    ) -> Result<(Vec<u32>, u64)> {
        let mut sizes: Vec<AtomicU32> = Vec::new();
        sizes.resize_with(num_sets * self.num_classes, AtomicU32::default);
        let counted: Result<Vec<u64>> = chunks
            .par_iter()
            .map(|chunk| {
                let chunk = chunk.read()?;
                let mut counts = vec![0u32; self.num_classes];
                let mut num_features = 0;
                for span in &chunk.spans {
                    let Some(place) = place_of[span.set.index()].get() else {
                        continue;
                    };
                    counts.fill(0);
                    for &feature in chunk.set(span) {
                        counts[class_of(feature, self.num_classes)] += 1;
                    }
                    num_features += u64::from(span.len);
                    let start = place as usize * self.num_classes;
                    // No two threads have the same set: atomic only to be written from several.
                    for (size, &count) in sizes[start..].iter().zip(&counts) {
                        size.store(count, Ordering::Relaxed);
                    }
                }
                Ok(num_features)
            })
            .collect();
        let num_features = counted?.iter().sum();
        let sizes = sizes.into_iter().map(AtomicU32::into_inner);
        Ok((sizes.collect(), num_features))
    }

    /// All features of some classes, sorted.
    fn rows(
        &self,
        chunks: &[Chunk],
        classes: &Range<usize>,
        place_of: &[MaybeNumber],
    ) -> Result<Vec<FeatureRow>> {
        let class_bits = self.num_classes.trailing_zeros();
        let parts: Vec<Vec<FeatureRow>> = chunks
            .par_iter()
            .map(|chunk| -> Result<_> {
                let chunk = chunk.read()?;
                let mut rows = Vec::new();
                for span in &chunk.spans {
                    let Some(set) = place_of[span.set.index()].get() else {
                        continue;
                    };
                    for &feature in chunk.set(span) {
                        let class = class_of(feature, self.num_classes);
                        if classes.contains(&class) {
                            // Class and upper bits: what is cut off is as good as the rest.
                            let class = (class as u64).rotate_right(class_bits);
                            let key = class | (feature >> class_bits);
                            rows.push(FeatureRow { key, set });
                        }
                    }
                }
                Ok(rows)
            })
            .collect::<Result<_>>()?;
        let mut rows = parts.concat();
        rows.par_sort_unstable();
        Ok(rows)
    }

    /// Numbers the features of some classes, and lists the sets that are found by them.
    fn number(
        &self,
        rows: &[FeatureRow],
        classes: &Range<usize>,
        sets: &mut StudySets,
        next: &mut [usize],
    ) -> Result<()> {
        let class_bits = self.num_classes.trailing_zeros();
        let class_of_row = |row: &FeatureRow| match class_bits {
            0 => 0,
            bits => row.key >> (64 - bits),
        };
        let mut singles = vec![0u32; sets.len()];
        let mut used = vec![0u32; sets.len()];
        let mut rest = rows;
        for class in classes.clone() {
            sets.class_starts.push(narrow(sets.cells.len(), FEATURES)?);
            let len = rest.partition_point(|row| class_of_row(row) == class as u64);
            let (of_class, after) = rest.split_at(len);
            rest = after;
            singles.fill(0);
            used.fill(0);
            // Rare ones first, then as they are sorted.
            let mut shared: Vec<(u32, u32)> = Vec::new();
            let mut start = 0;
            for group in of_class.chunk_by(|one, other| one.key == other.key) {
                match group {
                    [single] => {
                        singles[single.set as usize] += 1;
                        // Only equal documents share it.
                        let documents = sets.facts[single.set as usize].weight.into();
                        sets.add_pair_records(documents);
                    }
                    _ => shared.push((narrow(group.len(), FEATURES)?, start)),
                }
                start += narrow(group.len(), FEATURES)?;
            }
            shared.par_sort_unstable();
            for &(len, start) in &shared {
                let group = &of_class[start as usize..(start + len) as usize];
                let number = narrow(sets.cells.len(), FEATURES)?;
                let documents: u64 = group
                    .iter()
                    .map(|row| u64::from(sets.facts[row.set as usize].weight))
                    .sum();
                let bucket = sets.add_pair_records(documents);
                let cell = (class << BUCKET_BITS) | bucket;
                // 12 bits of class (`MAX_DIVISOR`) and 4 of bucket.
                debug_assert!(cell <= usize::from(u16::MAX));
                sets.cells.push(u16::try_from(cell).unwrap_or(u16::MAX));
                let begin = sets.lists.len();
                for row in group {
                    let set = row.set as usize;
                    sets.numbers[next[set]] = number;
                    next[set] += 1;
                    let size = sets.sizes[set * self.num_classes + class];
                    let prefix = prefix_len(self.threshold, size);
                    // Features of this set alone are its rarest: they fill the prefix first, and need
                    // no list, since they lead to no other set.
                    if used[set] + singles[set] < prefix {
                        sets.lists.push(row.set);
                    }
                    used[set] += 1;
                }
                // A list costs the square of its length. How many were left out is reported.
                if sets.lists.len() - begin > self.max_list {
                    sets.long_lists += 1;
                    sets.lists.truncate(begin);
                }
                sets.list_starts.push(sets.lists.len() as u64);
            }
        }
        Ok(())
    }
}

/// Features of a class of so many by which a similar one must be found.
fn prefix_len(threshold: Threshold, size: u32) -> u32 {
    match size {
        0 => 0,
        size => size - threshold.min_size(size) + 1,
    }
}

/// Takes out the room that was left for single features.
fn close_up(sets: &mut StudySets, ends: &[usize]) {
    let mut to = 0;
    for (set, &end) in ends.iter().enumerate() {
        let start = sets.starts[set];
        sets.numbers.copy_within(start..end, to);
        sets.starts[set] = to;
        to += end - start;
    }
    if let Some(last) = sets.starts.last_mut() {
        *last = to;
    }
    sets.numbers.truncate(to);
    sets.numbers.shrink_to_fit();
}

/// What has too many, when the numbers of shared features do not fit.
const FEATURES: &str = "features of a study";
