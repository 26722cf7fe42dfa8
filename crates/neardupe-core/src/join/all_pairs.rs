//! All similar pairs of sets: the exact self-join.
//!
//! Sets are numbered by descending size. Each set probes for the sets before it, which are at
//! least as large, so its short prefix is enough; and sets enter lists step by step as sizes
//! fall (see [`crate::candidate::schedule`]).

use super::prober::{Join, JoinSettings, Prober, ProbingSet};
use super::scan::scan;
use super::window::{Probers, Window};
use crate::candidate::ledger::Ledger;
use crate::candidate::open_sets::OpenSets;
use crate::candidate::popcnt::counting_bits;
use crate::candidate::postings::{Posting, Postings};
use crate::candidate::schedule::Schedule;
use crate::document::{Progress, check_cancelled};
use crate::error::Result;
use crate::numbers::OpenIdx;
use crate::pair::SetPair;
use rayon::prelude::*;

/// Sets that one thread probes with before it takes the next: enough to pay for taking them.
const TASK: usize = 64;

/// Finds all pairs, in no order.
pub fn all_pairs(
    open: &OpenSets,
    settings: &JoinSettings,
    progress: &dyn Progress,
    mut found: impl FnMut(SetPair) -> Result<()>,
) -> Result<Ledger> {
    let sets: Vec<OpenIdx> = open.all().collect();
    let mut ledger = Ledger::default();
    // One window after the other, the largest sets first. All sets after a window probe it, down to the size that can
    // still be similar to its smallest set; a set never needs a window of smaller sets, which find it from their side.
    let mut first = 0;
    while first < sets.len() {
        let (window, end) = Window::next(open, &sets, first, settings)?;
        let mut pairs = WindowPairs::new(open, settings, window);
        // Sets of the window enter and probe batch by batch. A batch enters as a whole before it probes, so that
        // its sets can be probed in parallel and find each other.
        for batch in sets[first..end].chunks(settings.batch_len) {
            pairs.enter(batch);
            pairs.probe(batch, &mut found)?;
            progress.advance(batch.len() as u64);
            check_cancelled(progress)?;
        }
        // Smaller sets than this are similar to none of the window.
        let smallest = settings.bounds.min_size(open.size(sets[end - 1]));
        let reached = sets[end..].iter();
        let reached = reached
            .take_while(|&&set| open.size(set) >= smallest)
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

/// The pairs of one window: its lists as they fill up, and what is needed to probe them.
struct WindowPairs<'a> {
    open: &'a OpenSets,
    settings: &'a JoinSettings,
    window: Window,
    waiting: Schedule,
    probers: Probers,
}

impl<'a> WindowPairs<'a> {
    /// The empty lists of a window. Sets enter late only where both filters that this rests on are switched on.
    fn new(open: &'a OpenSets, settings: &'a JoinSettings, mut window: Window) -> Self {
        window.lists.postings.keep_ordered_from(settings.long_list);
        let delayed = settings.filters.prefix && settings.filters.length;
        let join = Join {
            open,
            sets: &window.lists.sets,
            settings,
        };
        let probers = Probers::new(&join);
        WindowPairs {
            open,
            settings,
            window,
            waiting: Schedule::new(settings.bounds, delayed),
            probers,
        }
    }

    /// Puts the sets of a batch into lists.
    fn enter(&mut self, batch: &[OpenIdx]) {
        // Batches come by descending size: the last set is the smallest that will probe now.
        let smallest = batch.last().map_or(0, |&set| self.open.size(set));
        for &set in batch {
            let Some(slot) = self.window.slot(set) else {
                continue;
            };
            let lists = &mut self.window.lists;
            let (sets, postings) = (&lists.sets, &mut lists.postings);
            self.waiting.insert(sets, slot, smallest, postings, |_| ());
        }
    }

    /// Probes with the sets of a batch in parallel. The pairs of the batch are held, and given to `found` in the order
    /// of its sets, so nothing depends on threads.
    fn probe(
        &mut self,
        batch: &[OpenIdx],
        found: &mut impl FnMut(SetPair) -> Result<()>,
    ) -> Result<()> {
        let smallest = batch.last().map_or(0, |&set| self.open.size(set));
        let lists = &mut self.window.lists;
        self.waiting
            .advance(&lists.sets, smallest, &mut lists.postings);
        lists.postings.tidy();
        let window = &self.window;
        let outside = window.outside(self.open, batch)?;
        let join = Join {
            open: self.open,
            sets: &window.lists.sets,
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
                    let postings = &window.lists.postings;
                    // Sets of the own batch that come later find the pair from their side.
                    let reports = |other| other < set.idx;
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
        // A failed probe has found nothing: what was found is not complete, and is not given away.
        self.probers.check_failure()?;
        pairs.into_iter().flatten().try_for_each(found)
    }
}

/// Finds the similar sets of one set that it reports, as `reports` decides.
pub(super) fn probe(
    join: &Join<'_>,
    postings: &Postings,
    set: &ProbingSet<'_>,
    only_larger: bool,
    reports: impl Fn(OpenIdx) -> bool,
    prober: &mut Prober,
    found: &mut Vec<SetPair>,
) {
    let settings = join.settings;
    let mut probe = prober.begin(settings, set);
    // Taken out for the while, since the probe itself is lent to each check.
    let mut probed = std::mem::take(&mut probe.probed);
    let (size, bounds) = (set.about.size, settings.bounds);
    let len = settings.prefix_len(bounds, size, only_larger);
    let min_reach = settings.min_reach(bounds, size, only_larger);
    // By position: the lists of the rarest features, which are the shortest, come first, and later lists skip what was
    // met in them.
    let entries = set.entries.iter();
    for entry in entries.take_while(|entry| entry.position < len) {
        prober.ledger.lookups += 1;
        let mut visit = |posting: &Posting| {
            let other = join.sets.open_idx(posting.slot);
            if reports(other) {
                let position = entry.position;
                let overlap =
                    prober.check(join, set, &mut probe, position, posting, bounds);
                found.extend(overlap.map(|overlap| SetPair {
                    left: set.idx.min(other),
                    right: set.idx.max(other),
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
