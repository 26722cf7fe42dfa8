//! Similar pairs between two sides: some sets are indexed, some probe, some do both.
//!
//! Sets come in no order of size here, so prefixes are full on both sides, and the sets that
//! are only indexed are never compared with each other.

use super::all_pairs::probe;
use super::prober::{Join, JoinSettings};
use super::window::{Probers, Window};
use crate::candidate::kept::{Kept, KeptIdx};
use crate::candidate::ledger::Ledger;
use crate::candidate::schedule::Schedule;
use crate::document::{Progress, check_cancelled};
use crate::error::Result;
use crate::pair::SetPair;
use rayon::prelude::*;

const TASK: usize = 64;

/// Which sets are on which side; a set may be on both.
#[derive(Debug, Clone, Copy)]
pub struct Sides<'a> {
    /// Whether a set is indexed.
    pub indexed: &'a [bool],
    /// Whether a set probes.
    pub probes: &'a [bool],
}

impl Sides<'_> {
    /// Whether the pair is reported when `set` meets `other` in a list: a pair that is met
    /// from both ends is reported from one.
    fn is_reported_by(self, set: KeptIdx, other: KeptIdx) -> bool {
        let met_again = self.probes[other as usize] && self.indexed[set as usize];
        set != other && (!met_again || other < set)
    }
}

/// Finds all pairs of an indexed and a probing set, in no order, each once.
pub fn cross_pairs(
    kept: &Kept,
    sides: Sides<'_>,
    settings: &JoinSettings,
    progress: &dyn Progress,
    mut found: impl FnMut(SetPair) -> Result<()>,
) -> Result<Ledger> {
    let on = |side: &[bool]| -> Vec<KeptIdx> {
        let sets = 0..kept.len();
        sets.filter(|&set| side[set as usize]).collect()
    };
    let (indexed, probing) = (on(sides.indexed), on(sides.probes));
    let mut ledger = Ledger::default();
    let mut first = 0;
    while first < indexed.len() {
        let (mut window, end) = Window::next_of(kept, &indexed, first, settings)?;
        window.index.postings.keep_ordered_from(settings.long_list);
        let mut schedule = Schedule::new(settings.bounds, false);
        for slot in 0..window.index.sets.len() {
            let slot = u32::try_from(slot).unwrap_or(u32::MAX);
            let (sets, postings) = (&window.index.sets, &mut window.index.postings);
            schedule.insert(sets, slot, 0, postings, |_| ());
        }
        window.index.postings.tidy();
        let join = Join {
            kept,
            sets: &window.index.sets,
            settings,
        };
        let probers = Probers::new(&join);
        for batch in probing.chunks(settings.batch_len) {
            let outside = window.outside(kept, batch)?;
            let pairs: Vec<Vec<SetPair>> = batch
                .par_chunks(TASK)
                .zip(outside.par_chunks(TASK))
                .map(|(sets, outside)| {
                    let mut prober = probers.own();
                    let mut pairs = Vec::new();
                    for (&set, outside) in sets.iter().zip(outside) {
                        let set = window.probing(set, outside);
                        let postings = &window.index.postings;
                        let reports = |other| sides.is_reported_by(set.kept, other);
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
