//! `sample commonality:N`: features of more than N documents count for no overlap.
//!
//! Counts are exact. Small counters that features share, so never too low, first show which
//! features can have so many documents at all; only these few are counted one by one. Such a feature is replaced, in each set that has it, by one that no
//! other set has: it still counts for the size, and is never shared again. Nothing else in
//! the flow has to know. Sets that are equal were brought together before and stay equal.

use super::context::RankContext;
use crate::candidate::chunk::{Chunk, ChunkWriter, SetChunk, open_chunks, part_ranges};
use crate::candidate::common::{DocumentCounts, make_own};
use crate::candidate::partition::{NUM_PARTS, part_of};
use crate::document::check_cancelled;
use crate::error::Result;
use crate::hash::{self, FixedSet};
use crate::numbers::{Column, SetIdx, in_memory};
use crate::pipeline::read::documents::Documents;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

/// Bytes of a counted feature in its map, while the map grows.
const COUNTED_BYTES: u64 = 64;

/// Counters of one byte that features share.
struct SharedCounters {
    counters: Vec<AtomicU8>,
    /// A counter above this may be that of a common feature.
    most: u8,
}

impl SharedCounters {
    /// One or two counters a feature, or as many as fit: with fewer more features look common, and are counted one by
    /// one.
    fn new(num_features: u64, most_bytes: u64, most: u32) -> Self {
        let wanted = (num_features * 2).clamp(64, most_bytes.max(64));
        let len = in_memory(wanted).next_power_of_two() / 2;
        let mut counters = Vec::new();
        counters.resize_with(len, || AtomicU8::new(0));
        // A full counter says nothing.
        let most = u8::try_from(most).unwrap_or(u8::MAX).min(u8::MAX - 1);
        SharedCounters { counters, most }
    }

    /// The counter of a feature. Its hash is mixed again: features of one part agree in their top bits.
    fn counter(&self, feature: u64) -> &AtomicU8 {
        #[expect(clippy::cast_possible_truncation, reason = "a place among them")]
        let place = hash::mix(feature) as usize & (self.counters.len() - 1);
        &self.counters[place]
    }

    /// Adds documents to a feature, up to the largest count.
    fn add(&self, feature: u64, weight: u32) {
        let weight = u8::try_from(weight).unwrap_or(u8::MAX);
        // Stays at the largest: a counter that is full says that features may be common, whatever it would be.
        let add = |count: u8| (count < u8::MAX).then(|| count.saturating_add(weight));
        let counter = self.counter(feature);
        let _ = counter.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
    }

    /// Whether a feature can have more documents than are allowed. Counters are never too low.
    fn may_be_common(&self, feature: u64) -> bool {
        self.counter(feature).load(Ordering::Relaxed) > self.most
    }
}

/// The sets without what more than `most` documents have.
pub(super) fn without_common(
    context: &RankContext<'_>,
    chunks: Vec<Chunk>,
    most: u32,
) -> Result<Vec<Chunk>> {
    let num_features: u64 = chunks.iter().map(Chunk::num_features).sum();
    context.progress.begin("commonality", num_features * 3);
    let weights = weights(context.documents);
    // Three passes: shared counters, which features may be common by them, and these few counted one by one. The second
    // only says how much memory the third needs.
    let shared = SharedCounters::new(num_features, context.config.budget.counters, most);
    each_feature(context, &chunks, &weights, |feature, weight| {
        shared.add(feature, weight);
    })?;
    let num_open = AtomicU64::new(0);
    each_feature(context, &chunks, &weights, |feature, _| {
        if shared.may_be_common(feature) {
            num_open.fetch_add(1, Ordering::Relaxed);
        }
    })?;
    let num_open = num_open.load(Ordering::Relaxed);
    let rounds = (num_open * COUNTED_BYTES).div_ceil(context.config.budget.group);
    let rounds = in_memory(rounds).max(1);
    let mut common: FixedSet<u64> = FixedSet::default();
    for parts in part_ranges(NUM_PARTS, rounds) {
        count(
            context,
            &chunks,
            &parts,
            &weights,
            &shared,
            most,
            &mut common,
        )?;
    }
    drop(shared);
    let ranked = context.config.sampling.smallest.is_some();
    let replace = |chunk: Chunk| -> Result<SetChunk> {
        let mut chunk = chunk.load()?;
        context.progress.advance(chunk.features.len() as u64);
        make_own(&mut chunk, &common, ranked);
        Ok(chunk)
    };
    if !context.spilled {
        let replaced = chunks.into_par_iter().map(replace);
        return replaced.map(|chunk| chunk.map(Chunk::Memory)).collect();
    }
    let mut out =
        ChunkWriter::create(context.work, "uncommon", context.config.head_parts())?;
    for chunk in chunks {
        out.write(&replace(chunk)?)?;
    }
    open_chunks(context.work, &out.finish()?)
}

/// Visits all features, each with the number of documents that its set stands for.
fn each_feature(
    context: &RankContext<'_>,
    chunks: &[Chunk],
    weights: &Column<SetIdx, u32>,
    visit: impl Fn(u64, u32) + Sync,
) -> Result<()> {
    chunks.par_iter().try_for_each(|chunk| {
        let chunk = chunk.read()?;
        for span in &chunk.spans {
            let weight = weights[span.set];
            // A set for which another equal one stands has no documents.
            if weight > 0 {
                let features = chunk.set(span).iter();
                features.for_each(|&feature| visit(feature, weight));
            }
        }
        context.progress.advance(chunk.features.len() as u64);
        check_cancelled(context.progress)
    })
}

/// Adds the features of `parts` that more than `most` documents have.
fn count(
    context: &RankContext<'_>,
    chunks: &[Chunk],
    parts: &Range<usize>,
    weights: &Column<SetIdx, u32>,
    shared: &SharedCounters,
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
        check_cancelled(context.progress)?;
    }
    common.extend(counts.into_iter().flat_map(|counts| counts.above(most)));
    Ok(())
}

/// Number of documents that have each set.
fn weights(documents: &Documents) -> Column<SetIdx, u32> {
    let mut weights = Column::filled(0, documents.set_table().len());
    for set in documents.all().filter_map(|one| documents.set(one)) {
        weights[set] += 1;
    }
    weights
}

/// The features of `parts` that may be common, by part, each with the number of documents that its set stands
/// for.
fn regroup(
    chunk: &SetChunk,
    parts: &Range<usize>,
    weights: &Column<SetIdx, u32>,
    shared: &SharedCounters,
) -> Vec<Vec<(u64, u32)>> {
    let mut regrouped: Vec<Vec<(u64, u32)>> = vec![Vec::new(); parts.len()];
    for span in &chunk.spans {
        let weight = weights[span.set];
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
