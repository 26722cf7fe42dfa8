//! All similar pairs of sets: the exact self-join.
//!
//! Sets are numbered by descending size. Each set probes for the sets before it, which are at
//! least as large, so its short prefix is enough; and sets enter lists step by step as sizes
//! fall (see [`crate::candidate::schedule`]).

use super::prober::{Join, JoinSettings, Prober, ProbingSet};
use super::scan::scan;
use super::window::{Probers, Window};
use crate::candidate::kept::{Kept, KeptIdx};
use crate::candidate::ledger::Ledger;
use crate::candidate::popcnt::counting_bits;
use crate::candidate::postings::{Posting, Postings};
use crate::candidate::schedule::Schedule;
use crate::document::{Progress, check_cancelled};
use crate::error::Result;
use crate::pair::SetPair;
use rayon::prelude::*;

const TASK: usize = 64;

/// Finds all pairs, in no order.
pub fn all_pairs(
    kept: &Kept,
    settings: &JoinSettings,
    progress: &dyn Progress,
    mut found: impl FnMut(SetPair) -> Result<()>,
) -> Result<Ledger> {
    let sets: Vec<KeptIdx> = (0..kept.len()).collect();
    let mut ledger = Ledger::default();
    let mut first = 0;
    while first < sets.len() {
        let (window, end) = Window::next(kept, &sets, first, settings)?;
        let mut pairs = WindowPairs::new(kept, settings, window);
        for batch in sets[first..end].chunks(settings.batch_len) {
            pairs.enter(batch);
            pairs.probe(batch, &mut found)?;
            progress.advance(batch.len() as u64);
            check_cancelled(progress)?;
        }
        // Smaller sets than this are similar to none of the window.
        let smallest = settings.bounds.min_size(kept.size(sets[end - 1]));
        let reached = sets[end..].iter();
        let reached = reached
            .take_while(|&&set| kept.size(set) >= smallest)
            .count();
        for batch in sets[end..end + reached].chunks(settings.batch_len) {
            pairs.probe(batch, &mut found)?;
            check_cancelled(progress)?;
        }
        ledger.add(&pairs.probers.ledger());
        first = end;
    }
    Ok(ledger)
}

/// The pairs of one window.
struct WindowPairs<'a> {
    kept: &'a Kept,
    settings: &'a JoinSettings,
    window: Window,
    waiting: Schedule,
    probers: Probers,
}

impl<'a> WindowPairs<'a> {
    fn new(kept: &'a Kept, settings: &'a JoinSettings, mut window: Window) -> Self {
        window.index.postings.keep_ordered_from(settings.long_list);
        let delayed = settings.filters.prefix && settings.filters.length;
        let join = Join {
            kept,
            sets: &window.index.sets,
            settings,
        };
        let probers = Probers::new(&join);
        WindowPairs {
            kept,
            settings,
            window,
            waiting: Schedule::new(settings.bounds, delayed),
            probers,
        }
    }

    /// Puts the sets of a batch into lists.
    fn enter(&mut self, batch: &[KeptIdx]) {
        let smallest = batch.last().map_or(0, |&set| self.kept.size(set));
        for &set in batch {
            let Some(slot) = self.window.slot(set) else {
                continue;
            };
            let index = &mut self.window.index;
            let (sets, postings) = (&index.sets, &mut index.postings);
            self.waiting.insert(sets, slot, smallest, postings, |_| ());
        }
    }

    fn probe(
        &mut self,
        batch: &[KeptIdx],
        found: &mut impl FnMut(SetPair) -> Result<()>,
    ) -> Result<()> {
        let smallest = batch.last().map_or(0, |&set| self.kept.size(set));
        let index = &mut self.window.index;
        self.waiting
            .advance(&index.sets, smallest, &mut index.postings);
        index.postings.tidy();
        let window = &self.window;
        let outside = window.outside(self.kept, batch)?;
        let join = Join {
            kept: self.kept,
            sets: &window.index.sets,
            settings: self.settings,
        };
        let pairs: Vec<Vec<SetPair>> = batch
            .par_chunks(TASK)
            .zip(outside.par_chunks(TASK))
            .map(|(sets, outside)| {
                let mut prober = self.probers.own();
                let mut pairs = Vec::new();
                for (&set, outside) in sets.iter().zip(outside) {
                    let set = window.probing(set, outside);
                    let postings = &window.index.postings;
                    // Sets of the own batch that come later find the pair from their side.
                    let reports = |other| other < set.kept;
                    probe(
                        &join,
                        postings,
                        &set,
                        true,
                        reports,
                        &mut prober,
                        &mut pairs,
                    );
                }
                pairs
            })
            .collect();
        self.probers.check_failure()?;
        pairs.into_iter().flatten().try_for_each(found)
    }
}

/// Finds the similar sets of one set that `reports` says it has to tell of.
pub(super) fn probe(
    join: &Join<'_>,
    postings: &Postings,
    set: &ProbingSet<'_>,
    only_larger: bool,
    reports: impl Fn(KeptIdx) -> bool,
    prober: &mut Prober,
    found: &mut Vec<SetPair>,
) {
    let settings = join.settings;
    let mut probe = prober.begin(settings, set);
    let mut probed = std::mem::take(&mut probe.probed);
    let (size, bounds) = (set.about.size, settings.bounds);
    let len = settings.prefix_len(bounds, size, only_larger);
    let min_reach = settings.min_reach(bounds, size, only_larger);
    let entries = set.entries.iter();
    for entry in entries.take_while(|entry| entry.position < len) {
        prober.ledger.lookups += 1;
        let mut visit = |posting: &Posting| {
            let other = join.sets.kept(posting.slot);
            if reports(other) {
                let position = entry.position;
                let overlap =
                    prober.check(join, set, &mut probe, position, posting, bounds);
                found.extend(overlap.map(|overlap| SetPair {
                    left: set.kept.min(other),
                    right: set.kept.max(other),
                    overlap,
                }));
            }
            min_reach
        };
        let passed = counting_bits(|| {
            scan(postings, entry.list, &mut probed, min_reach, &mut visit)
        });
        prober.ledger.postings += passed;
    }
    probe.probed = probed;
    prober.end(probe);
}
