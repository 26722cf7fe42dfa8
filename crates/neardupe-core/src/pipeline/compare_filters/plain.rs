//! The two ways without a filter: obviously right, and as slow as the square of the collection.
//!
//! J. Lin, Brute Force and Indexed Approaches to Pairwise Document Similarity Comparisons with
//! MapReduce (SIGIR 2009).

use super::outcome::{Outcome, Pairs};
use crate::candidate::chunk::SetChunk;
use crate::candidate::ledger::Ledger;
use crate::document::{Progress, check_cancelled};
use crate::error::Result;
use crate::hash::FixedMap;
use crate::similarity::Bounds;
use crate::verify::sorted;
use rayon::prelude::*;
use std::ops::Range;
use std::time::Duration;

/// Sets that are compared with those before them until the job is asked whether to stop.
const BATCH: usize = 256;

/// Sets that are compared.
pub(super) struct Plain<'a> {
    sample: &'a SetChunk,
    bounds: Bounds,
    progress: &'a dyn Progress,
    clock: fn() -> Duration,
}

/// What one set, or several, found among those before them.
#[derive(Default, Clone, Copy)]
struct PlainFound {
    pairs: Pairs,
    postings: u64,
    candidates: u64,
}

impl PlainFound {
    /// The sums of both.
    fn merge(self, other: PlainFound) -> PlainFound {
        PlainFound {
            pairs: self.pairs.merge(other.pairs),
            postings: self.postings + other.postings,
            candidates: self.candidates + other.candidates,
        }
    }
}

/// Counters of one thread, all zero between two sets.
struct Counters {
    overlaps: Vec<u32>,
    met: Vec<u32>,
}

impl<'a> Plain<'a> {
    /// The sets of a sample.
    pub(super) fn new(
        sample: &'a SetChunk,
        bounds: Bounds,
        progress: &'a dyn Progress,
        clock: fn() -> Duration,
    ) -> Self {
        Plain {
            sample,
            bounds,
            progress,
            clock,
        }
    }

    /// Counts what each set has in common with those before it, over one list for each feature.
    pub(super) fn count(&self) -> Result<Outcome> {
        let began = (self.clock)();
        let mut postings: Vec<(u64, u32)> = Vec::new();
        for (number, span) in (0u32..).zip(&self.sample.spans) {
            let features = self.sample.set(span).iter();
            postings.extend(features.map(|&feature| (feature, number)));
        }
        postings.par_sort_unstable();
        let mut lists: FixedMap<u64, Range<usize>> = FixedMap::default();
        let mut start = 0;
        for list in postings.chunk_by(|left, right| left.0 == right.0) {
            lists.insert(list[0].0, start..start + list.len());
            start += list.len();
        }
        let prepared = (self.clock)();
        let num_sets = self.sample.spans.len();
        let counters = || Counters {
            overlaps: vec![0; num_sets],
            met: Vec::new(),
        };
        let found = self.batches(counters, |counters, number| {
            let mut found = PlainFound::default();
            for feature in self.sample.set(&self.sample.spans[number]) {
                let list = lists.get(feature).cloned().unwrap_or_default();
                for &(_, other) in &postings[list] {
                    // Lists are in order of sets, so those before this one come first.
                    if other as usize >= number {
                        break;
                    }
                    found.postings += 1;
                    let overlap = &mut counters.overlaps[other as usize];
                    if *overlap == 0 {
                        counters.met.push(other);
                    }
                    *overlap += 1;
                }
            }
            found.candidates = counters.met.len() as u64;
            // Only what was touched is set to zero again: clearing all would cost as much as each with each.
            for other in counters.met.drain(..) {
                let overlap = std::mem::take(&mut counters.overlaps[other as usize]);
                self.add(number, other as usize, overlap, &mut found.pairs);
            }
            found
        })?;
        Ok(self.outcome(found, 0, began, prepared))
    }

    /// Compares each set with each.
    pub(super) fn each_with_each(&self) -> Result<Outcome> {
        let began = (self.clock)();
        let features = self.sample.spans.par_iter().map(|span| {
            let mut features = self.sample.set(span).to_vec();
            features.sort_unstable();
            features
        });
        let features: Vec<Vec<u64>> = features.collect();
        let prepared = (self.clock)();
        let found = self.batches(
            || (),
            |(), number| {
                let mut found = PlainFound::default();
                for other in 0..number {
                    let overlap = sorted::overlap(&features[number], &features[other]);
                    self.add(number, other, overlap, &mut found.pairs);
                }
                found.candidates = number as u64;
                found
            },
        )?;
        Ok(self.outcome(found, found.candidates, began, prepared))
    }

    /// Takes a pair that is similar.
    fn add(&self, number: usize, other: usize, overlap: u32, pairs: &mut Pairs) {
        let [one, other] = [number, other].map(|number| self.sample.spans[number]);
        if overlap > 0 && self.bounds.reached(overlap, one.len, other.len) {
            pairs.add(one.set, other.set, overlap);
        }
    }

    /// Visits all sets in parallel, some at a time.
    fn batches<T: Send>(
        &self,
        state: impl Fn() -> T + Sync + Send,
        visit: impl Fn(&mut T, usize) -> PlainFound + Sync + Send,
    ) -> Result<PlainFound> {
        let num_sets = self.sample.spans.len();
        let mut all = PlainFound::default();
        for start in (0..num_sets).step_by(BATCH) {
            check_cancelled(self.progress)?;
            let batch = start..num_sets.min(start + BATCH);
            let found = batch
                .into_par_iter()
                .map_init(&state, &visit)
                .reduce(PlainFound::default, PlainFound::merge);
            all = all.merge(found);
        }
        Ok(all)
    }

    /// What was counted, as the join reports it.
    fn outcome(
        &self,
        found: PlainFound,
        verified: u64,
        began: Duration,
        prepared: Duration,
    ) -> Outcome {
        Outcome {
            ledger: Ledger {
                sets: self.sample.spans.len() as u64,
                postings: found.postings,
                candidates: found.candidates,
                verified,
                ..Ledger::default()
            },
            pairs: found.pairs,
            prepared: prepared.saturating_sub(began),
            joined: (self.clock)().saturating_sub(prepared),
        }
    }
}
