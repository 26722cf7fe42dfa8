//! Similar pairs between two sides: some sets are indexed, some probe, some do both.
//!
//! Sets come in no order of size here, so prefixes are full on both sides, and the sets that
//! are only indexed are never compared with each other.

use super::all_pairs::probe;
use super::prober::{Join, JoinSettings};
use super::window::{Probers, Window};
use crate::candidate::ledger::Ledger;
use crate::candidate::open_sets::OpenSets;
use crate::candidate::schedule::Schedule;
use crate::document::{Progress, check_cancelled};
use crate::error::Result;
use crate::numbers::{Column, OpenIdx};
use crate::pair::SetPair;
use rayon::prelude::*;

/// Sets that one thread probes with before it takes the next.
const TASK: usize = 64;

/// Which sets are on which side; a set may be on both.
#[derive(Debug, Clone, Copy)]
pub struct Sides<'a> {
    /// Whether a set is indexed.
    pub indexed: &'a Column<OpenIdx, bool>,
    /// Whether a set probes.
    pub probes: &'a Column<OpenIdx, bool>,
}

impl Sides<'_> {
    /// Whether the pair is reported when `set` meets `other` in a list: a pair that is met
    /// from both ends is reported from one.
    fn is_reported_by(self, set: OpenIdx, other: OpenIdx) -> bool {
        // Both are indexed and both probe: each meets the other. The pair is reported by the one with the larger number.
        let met_again = self.probes[other] && self.indexed[set];
        set != other && (!met_again || other < set)
    }
}

/// Finds all pairs of a windowed and a probing set, in no order, each once.
pub fn cross_pairs(
    open: &OpenSets,
    sides: Sides<'_>,
    settings: &JoinSettings,
    progress: &dyn Progress,
    mut found: impl FnMut(SetPair) -> Result<()>,
) -> Result<Ledger> {
    let on = |side: &Column<OpenIdx, bool>| -> Vec<OpenIdx> {
        open.all().filter(|&set| side[set]).collect()
    };
    let (indexed, probing) = (on(sides.indexed), on(sides.probes));
    let mut ledger = Ledger::default();
    let mut first = 0;
    while first < indexed.len() {
        let (mut window, end) = Window::next_of(open, &indexed, first, settings)?;
        window.lists.postings.keep_ordered_from(settings.long_list);
        let mut schedule = Schedule::new(settings.bounds, false);
        // All at once, and by their full prefixes: probing sets of any size follow, so nothing can enter later.
        for slot in window.lists.sets.all() {
            let (sets, postings) = (&window.lists.sets, &mut window.lists.postings);
            schedule.insert(sets, slot, 0, postings, |_| ());
        }
        window.lists.postings.tidy();
        let join = Join {
            open,
            sets: &window.lists.sets,
            settings,
        };
        let probers = Probers::new(&join);
        for batch in probing.chunks(settings.batch_len) {
            let outside = window.outside(open, batch)?;
            let pairs: Vec<Vec<SetPair>> = batch
                .par_chunks(TASK)
                .zip(outside.par_chunks(TASK))
                .map(|(sets, outside)| {
                    let mut prober = probers.own();
                    let mut pairs = Vec::new();
                    for (&set, outside) in sets.iter().zip(outside) {
                        let set = window.probing(set, outside);
                        let postings = &window.lists.postings;
                        let reports = |other| sides.is_reported_by(set.idx, other);
                        probe(
                            &join,
                            postings,
                            &set,
                            false,
                            reports,
                            &mut prober,
                            &mut pairs,
                        );
                    }
                    pairs
                })
                .collect();
            probers.check_failure()?;
            pairs.into_iter().flatten().try_for_each(&mut found)?;
            check_cancelled(progress)?;
        }
        progress.advance((end - first) as u64);
        ledger.add(&probers.ledger());
        first = end;
    }
    Ok(ledger)
}
