//! Star clusters: a document is a representative iff no representative before it in
//! priority order is similar to it; every other one belongs to the most similar
//! representative before it, ties to the earlier one.
//!
//! Documents are taken in batches. The documents of a batch probe the posting lists of the
//! representatives so far in parallel; then the batch is settled in order, and each document
//! is also compared with the representatives made in its own batch. Only representatives
//! are in the lists, so k near-copies cost k probes of one list, not k^2. A probe that has
//! found a representative looks on only for a better one, with the threshold raised to the
//! resemblance found: of a near-copy hardly anything is left to look up.

use super::search::{Best, Search, most_waited_for, scan_together};
use crate::candidate::kept::KeptIdx;
use crate::candidate::ledger::Ledger;
use crate::candidate::postings::Postings;
use crate::candidate::schedule::Schedule;
use crate::join::{Join, Prober};
use rayon::prelude::*;
use std::sync::{Mutex, PoisonError};

/// What became of a document, by its place in priority order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It leads a cluster (perhaps of itself alone).
    Representative,
    /// It belongs to the representative at this place of the order.
    Member {
        /// Place of the representative.
        of: u32,
        /// Number of common features.
        overlap: u32,
    },
}

const TASK: usize = 32;
const NO_PLACE: u32 = u32::MAX;

/// Settles documents given as the sets they have, in priority order. With
/// `by_descending_size` that order must be one of descending size.
pub fn star(
    join: &Join<'_>,
    postings: &mut Postings,
    order: &[KeptIdx],
    by_descending_size: bool,
) -> (Vec<Role>, Ledger) {
    postings.keep_ordered_from(join.long_list);
    let delayed = by_descending_size && join.filters.prefix && join.filters.length;
    let mut star = Star {
        join,
        only_larger: by_descending_size,
        schedule: Schedule::new(join.kept, join.threshold, delayed),
        places: vec![NO_PLACE; join.kept.len() as usize],
        roles: Vec::with_capacity(order.len()),
        settler: Some(Prober::new(join.kept)),
        touched: Touched::new(),
    };
    let probers: Vec<Mutex<Prober>> = (0..rayon::current_num_threads())
        .map(|_| Mutex::new(Prober::new(join.kept)))
        .collect();
    for batch in order.chunks(join.batch_len) {
        let sizes = batch.iter().map(|&set| join.kept.size(set));
        let smallest = sizes.min().unwrap_or(0);
        star.schedule.advance(smallest, postings);
        postings.tidy();
        let bests = star.probe_batch(batch, postings, &probers);
        star.settle(batch, &bests, smallest, postings);
    }
    let mut ledger = Ledger::default();
    ledger.add(
        &star
            .settler
            .map_or(Ledger::default(), |settler| settler.ledger),
    );
    for prober in probers {
        ledger.add(
            &prober
                .into_inner()
                .unwrap_or_else(PoisonError::into_inner)
                .ledger,
        );
    }
    (star.roles, ledger)
}

pub(super) struct Star<'a> {
    pub(super) join: &'a Join<'a>,
    pub(super) only_larger: bool,
    schedule: Schedule<'a>,
    /// Place of the representative that has a set.
    pub(super) places: Vec<u32>,
    roles: Vec<Role>,
    settler: Option<Prober>,
    touched: Touched,
}

impl Star<'_> {
    fn probe_batch(
        &self,
        batch: &[KeptIdx],
        postings: &Postings,
        probers: &[Mutex<Prober>],
    ) -> Vec<Option<Best>> {
        let probe = |sets: &[KeptIdx]| -> Vec<Option<Best>> {
            let thread = rayon::current_thread_index().unwrap_or(0);
            let mut prober = probers[thread]
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            self.probe_task(sets, postings, &mut prober)
        };
        batch.par_chunks(TASK).flat_map_iter(probe).collect()
    }

    /// Probes with some sets. Each goes through its lists in order, but very long lists are
    /// gone through together by all that have come to them, a stretch at a time: the
    /// postings of a giant cluster do not fit the cache, and are fetched once for all.
    fn probe_task(
        &self,
        sets: &[KeptIdx],
        postings: &Postings,
        prober: &mut Prober,
    ) -> Vec<Option<Best>> {
        let mut searches: Vec<Search<'_>> = Vec::with_capacity(sets.len());
        for &set in sets {
            let probe = prober.begin(self.join, set);
            let mut search = Search::new(self, probe, None);
            // When a representative has the very same set there is nothing to look for.
            search.done = self.places[set as usize] != NO_PLACE;
            search.run(postings, prober);
            searches.push(search);
        }
        while let Some(list) = most_waited_for(&searches) {
            let mut together: Vec<&mut Search<'_>> = searches
                .iter_mut()
                .filter(|search| search.waits_for() == Some(list))
                .collect();
            scan_together(postings, list, &mut together, prober);
            for search in together {
                search.probe.probed.add(list);
                search.next += 1;
                search.run(postings, prober);
            }
        }
        let finish = |search: Search<'_>| {
            let best = search.best;
            prober.end(search.probe);
            best
        };
        searches.into_iter().map(finish).collect()
    }

    fn settle(
        &mut self,
        batch: &[KeptIdx],
        bests: &[Option<Best>],
        smallest: u32,
        postings: &mut Postings,
    ) {
        let first_place = self.roles.len();
        self.touched.clear();
        let mut any_new = false;
        for (&set, &best) in batch.iter().zip(bests) {
            let place = self.roles.len();
            let own = self.places[set as usize];
            if own != NO_PLACE {
                let overlap = self.join.kept.size(set);
                self.roles.push(Role::Member { of: own, overlap });
                continue;
            }
            let best = if any_new {
                self.probe_new(set, best, first_place, postings)
            } else {
                best
            };
            if let Some(best) = best {
                self.roles.push(Role::Member {
                    of: best.place,
                    overlap: best.overlap,
                });
                continue;
            }
            self.roles.push(Role::Representative);
            self.places[set as usize] = u32::try_from(place).unwrap_or(NO_PLACE);
            let touched = &mut self.touched;
            self.schedule
                .insert(set, smallest, postings, |list| touched.set(list));
            any_new = true;
        }
    }

    /// Compares a document with the representatives made in its own batch: they stand at
    /// the ends of the lists.
    fn probe_new(
        &mut self,
        set: KeptIdx,
        best: Option<Best>,
        first_place: usize,
        postings: &Postings,
    ) -> Option<Best> {
        let mut settler = std::mem::take(&mut self.settler);
        let best = settler.as_mut().and_then(|settler| {
            let probe = settler.begin(self.join, set);
            let mut search = Search::new(self, probe, best);
            for entry in self.join.kept.entries(set) {
                if entry.position >= search.prefix_len {
                    break;
                }
                if !self.touched.get(entry.list) {
                    continue;
                }
                settler.ledger.lookups += 1;
                for posting in postings.list(entry.list).iter().rev() {
                    if (self.places[posting.set as usize] as usize) < first_place {
                        break;
                    }
                    search.consider(entry.position, posting, settler);
                }
            }
            settler.end(search.probe);
            search.best
        });
        self.settler = settler;
        best
    }
}

/// Which lists may have got a posting in this batch: a small filter that stays in cache.
struct Touched {
    bits: Vec<u64>,
}

const TOUCHED_BITS: usize = 1 << 19;

impl Touched {
    fn new() -> Self {
        Touched {
            bits: vec![0; TOUCHED_BITS / 64],
        }
    }

    fn clear(&mut self) {
        self.bits.fill(0);
    }

    fn set(&mut self, list: u32) {
        let bit = list as usize % TOUCHED_BITS;
        self.bits[bit / 64] |= 1 << (bit % 64);
    }

    fn get(&self, list: u32) -> bool {
        let bit = list as usize % TOUCHED_BITS;
        self.bits[bit / 64] & (1 << (bit % 64)) != 0
    }
}
