//! `sample commonality:N`: features of more than N documents count for no overlap.
//!
//! Counts are exact. Small counters that features share, so never too low, first show which
//! features can have so many documents at all; only these few are counted one by one. Such a feature is replaced, in each set that has it, by one that no
//! other set has: it still counts for the size, and is never shared again. Nothing else in
//! the flow has to know. Sets that are equal were brought together before and stay equal.

use super::documents::{Documents, NO_SET};
use super::prepare::Prepare;
use crate::candidate::chunk::{Chunk, ChunkWriter, SetChunk, open_chunks, part_ranges};
use crate::candidate::common::{DocumentCounts, make_own};
use crate::candidate::partition::{NUM_PARTS, part_of};
use crate::document::check_cancelled;
use crate::error::Result;
use crate::hash::{self, FixedSet};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

/// Bytes of a counted feature in its map, while the map grows.
const COUNTED_BYTES: u64 = 64;

/// Counters of one byte that features share.
struct Shared {
    counters: Vec<AtomicU8>,
    /// A counter above this may be that of a common feature.
    most: u8,
}

impl Shared {
    fn new(num_features: u64, most_bytes: u64, most: u32) -> Self {
        let wanted = (num_features * 2).clamp(64, most_bytes.max(64));
        let len = usize::try_from(wanted)
            .unwrap_or(1 << 30)
            .next_power_of_two()
            / 2;
        let mut counters = Vec::new();
        counters.resize_with(len, || AtomicU8::new(0));
        // A full counter tells nothing.
        let most = u8::try_from(most).unwrap_or(u8::MAX).min(u8::MAX - 1);
        Shared { counters, most }
    }

    fn counter(&self, feature: u64) -> &AtomicU8 {
        #[expect(clippy::cast_possible_truncation, reason = "a place among them")]
        let place = hash::mix(feature) as usize & (self.counters.len() - 1);
        &self.counters[place]
    }

    fn add(&self, feature: u64, weight: u32) {
        let weight = u8::try_from(weight).unwrap_or(u8::MAX);
        let add = |count: u8| (count < u8::MAX).then(|| count.saturating_add(weight));
        let counter = self.counter(feature);
        let _ = counter.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
    }

    fn may_be_common(&self, feature: u64) -> bool {
        self.counter(feature).load(Ordering::Relaxed) > self.most
    }
}

impl Prepare<'_> {
    /// The sets without what more than `most` documents have.
    pub(super) fn without_common(
        &self,
        chunks: Vec<Chunk>,
        most: u32,
    ) -> Result<Vec<Chunk>> {
        let num_features: u64 = chunks.iter().map(Chunk::num_features).sum();
        self.progress.begin("commonality", num_features * 3);
        let weights = weights(self.documents);
        let shared = Shared::new(num_features, self.config.budget.counters, most);
        self.each_feature(&chunks, &weights, |feature, weight| {
            shared.add(feature, weight);
        })?;
        let num_open = AtomicU64::new(0);
        self.each_feature(&chunks, &weights, |feature, _| {
            if shared.may_be_common(feature) {
                num_open.fetch_add(1, Ordering::Relaxed);
            }
        })?;
        let num_open = num_open.load(Ordering::Relaxed);
        let rounds = (num_open * COUNTED_BYTES).div_ceil(self.config.budget.group);
        let rounds = usize::try_from(rounds).unwrap_or(usize::MAX).max(1);
        let mut common: FixedSet<u64> = FixedSet::default();
        for parts in part_ranges(NUM_PARTS, rounds) {
            self.count(&chunks, &parts, &weights, &shared, most, &mut common)?;
        }
        drop(shared);
        let ranked = self.config.sampling.smallest.is_some();
        let replace = |chunk: Chunk| -> Result<SetChunk> {
            let mut chunk = chunk.load()?;
            self.progress.advance(chunk.features.len() as u64);
            make_own(&mut chunk, &common, ranked);
            Ok(chunk)
        };
        if !self.spilled {
            let replaced = chunks.into_par_iter().map(replace);
            return replaced.map(|chunk| chunk.map(Chunk::Memory)).collect();
        }
        let mut out =
            ChunkWriter::create(self.work, "uncommon", self.config.head_parts())?;
        for chunk in chunks {
            out.write(&replace(chunk)?)?;
        }
        open_chunks(self.work, &out.finish()?)
    }

    /// Visits all features, each with the number of documents that its set stands for.
    fn each_feature(
        &self,
        chunks: &[Chunk],
        weights: &[u32],
        visit: impl Fn(u64, u32) + Sync,
    ) -> Result<()> {
        chunks.par_iter().try_for_each(|chunk| {
            let chunk = chunk.read()?;
            for span in &chunk.spans {
                let weight = weights[span.set as usize];
                // A set for which another equal one stands has no documents.
                if weight > 0 {
                    let features = chunk.set(span).iter();
                    features.for_each(|&feature| visit(feature, weight));
                }
            }
            self.progress.advance(chunk.features.len() as u64);
            check_cancelled(self.progress)
        })
    }

    /// Adds the features of `parts` that more than `most` documents have.
    fn count(
        &self,
        chunks: &[Chunk],
        parts: &Range<usize>,
        weights: &[u32],
        shared: &Shared,
        most: u32,
        common: &mut FixedSet<u64>,
    ) -> Result<()> {
        let mut counts: Vec<DocumentCounts> = Vec::new();
        counts.resize_with(parts.len(), DocumentCounts::default);
        for some in chunks.chunks(rayon::current_num_threads()) {
            let regrouped: Vec<Vec<Vec<(u64, u32)>>> = some
                .par_iter()
                .map(|chunk| Ok(regroup(&*chunk.read()?, parts, weights, shared)))
                .collect::<Result<_>>()?;
            counts
                .par_iter_mut()
                .enumerate()
                .for_each(|(part, counts)| {
                    regrouped.iter().for_each(|chunk| counts.add(&chunk[part]));
                });
            check_cancelled(self.progress)?;
        }
        common.extend(counts.into_iter().flat_map(|counts| counts.above(most)));
        Ok(())
    }
}

/// Number of documents that have each set.
fn weights(documents: &Documents) -> Vec<u32> {
    let mut weights = vec![0u32; documents.set_table().len()];
    for document in 0..documents.len() {
        let set = documents.set(document);
        if set != NO_SET {
            weights[set as usize] += 1;
        }
    }
    weights
}

/// The features of `parts` that may be common, by part, each with the number of documents that its set stands
/// for.
fn regroup(
    chunk: &SetChunk,
    parts: &Range<usize>,
    weights: &[u32],
    shared: &Shared,
) -> Vec<Vec<(u64, u32)>> {
    let mut regrouped: Vec<Vec<(u64, u32)>> = vec![Vec::new(); parts.len()];
    for span in &chunk.spans {
        let weight = weights[span.set as usize];
        // A set for which another equal one stands has no documents.
        if weight == 0 {
            continue;
        }
        for &feature in chunk.set(span) {
            let part = part_of(feature);
            if parts.contains(&part) && shared.may_be_common(feature) {
                regrouped[part - parts.start].push((feature, weight));
            }
        }
    }
    regrouped
}
