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
//!
//! When the lists of all sets do not fit, documents are settled window by window: those of a
//! window as above, and all after it probe the representatives of the window and remember the
//! best. A document that has found one will be no representative, so it needs no room in
//! the lists of later windows.

use super::search::{Best, Search, Searching, most_waited_for, scan_together};
use crate::candidate::index::bytes_of;
use crate::candidate::kept::{Kept, KeptIdx};
use crate::candidate::ledger::Ledger;
use crate::candidate::schedule::Schedule;
use crate::document::{Progress, check_cancelled};
use crate::error::{Error, Result};
use crate::hash::FixedSet;
use crate::join::window::{Probers, Window};
use crate::join::{Join, JoinSettings, Outside, Prober};
use rayon::prelude::*;

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

/// How far the documents are settled: what has to be kept to go on later.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StarState {
    /// Documents before this place are settled.
    pub settled: usize,
    /// Of each document the place of its best representative so far, and the overlap.
    pub bests: Vec<[u32; 2]>,
    /// What the join has looked at.
    pub ledger: Ledger,
}

impl StarState {
    /// Nothing is settled.
    pub fn new(num_documents: usize) -> Self {
        StarState {
            settled: 0,
            bests: vec![[NO_PLACE, 0]; num_documents],
            ledger: Ledger::default(),
        }
    }

    /// What became of each document, when all are settled.
    pub fn roles(&self) -> impl Iterator<Item = Role> {
        self.bests.iter().map(|&[of, overlap]| match of {
            NO_PLACE => Role::Representative,
            of => Role::Member { of, overlap },
        })
    }
}

/// The documents to settle.
#[derive(Clone, Copy)]
#[expect(missing_debug_implementations, reason = "progress has none")]
pub struct StarTask<'a> {
    /// The sets.
    pub kept: &'a Kept,
    /// What is asked for.
    pub settings: &'a JoinSettings,
    /// The set of each document, in priority order.
    pub order: &'a [KeptIdx],
    /// The first of them are representatives whatever they resemble, and are not compared
    /// with each other.
    pub num_fixed: usize,
    /// Whether the others are compared with each other, and not only with the fixed ones.
    pub within: bool,
    /// Whether that order is one of descending size.
    pub by_descending_size: bool,
    /// Whether a document can only belong to one that is at least as large: containment,
    /// where only the contained side can be removed.
    pub only_larger: bool,
    /// Hears how many documents are settled.
    pub progress: &'a dyn Progress,
}

impl StarTask<'_> {
    /// Documents that are settled in windows; those after them only look for their best.
    pub fn num_settled(&self) -> usize {
        match self.within {
            true => self.order.len(),
            false => self.num_fixed,
        }
    }

    /// Whether partners are at least as large, by order or by definition.
    fn looks_for_larger(&self) -> bool {
        self.by_descending_size || self.only_larger
    }
}

/// Settles documents from where `state` is; `window_done` hears of each window but the last.
pub fn star(
    task: &StarTask<'_>,
    state: &mut StarState,
    mut window_done: impl FnMut(&StarState) -> Result<()>,
) -> Result<()> {
    let StarTask { kept, order, .. } = *task;
    let mut places = vec![NO_PLACE; kept.len() as usize];
    for (place, &set) in (0u32..).zip(&order[..state.settled]) {
        if state.bests[place as usize][0] == NO_PLACE {
            places[set as usize] = place;
        }
    }
    task.progress.advance(state.settled as u64);
    let complete = state.settled == 0 && Window::fits_all(kept, task.settings);
    let last = task.num_settled();
    while state.settled < last {
        let (window, end) = if complete {
            (Window::of_all(kept)?, last)
        } else {
            next_window(task, state, &places)?
        };
        let mut star = Star::new(task, state, places, window);
        star.settle_window(end)?;
        star.probe_rest(end)?;
        let ledger;
        (places, ledger) = star.finish();
        state.ledger.add(&ledger);
        state.settled = end;
        if end < last {
            window_done(state)?;
        }
    }
    Ok(())
}

/// An index of the sets that can become representatives, as many as fit, and the place up
/// to which documents can be settled with it.
fn next_window(
    task: &StarTask<'_>,
    state: &StarState,
    places: &[u32],
) -> Result<(Window, usize)> {
    let mut candidates = Vec::new();
    let mut known: FixedSet<KeptIdx> = FixedSet::default();
    let mut bytes = 0;
    let mut end = state.settled;
    for &set in &task.order[state.settled..task.num_settled()] {
        let decided = state.bests[end][0] != NO_PLACE || places[set as usize] != NO_PLACE;
        if !decided && known.insert(set) {
            bytes += bytes_of(task.kept, set, false);
            // One set fits any index.
            if bytes > task.settings.index_bytes && !candidates.is_empty() {
                break;
            }
            candidates.push(set);
        }
        end += 1;
    }
    Ok((Window::of(task.kept, &candidates)?, end))
}

/// The documents of one window and those after it.
struct Star<'a> {
    task: &'a StarTask<'a>,
    state: &'a mut StarState,
    window: Window,
    waiting: Schedule,
    /// Place of the representative that has a set.
    places: Vec<u32>,
    probers: Probers,
    settler: Prober,
    touched: Touched,
}

impl<'a> Star<'a> {
    fn new(
        task: &'a StarTask<'a>,
        state: &'a mut StarState,
        places: Vec<u32>,
        mut window: Window,
    ) -> Self {
        let settings = task.settings;
        window.index.postings.keep_ordered_from(settings.long_list);
        let filters = settings.filters;
        let delayed = task.by_descending_size && filters.prefix && filters.length;
        let join = Join {
            kept: task.kept,
            sets: &window.index.sets,
            settings,
        };
        let (probers, settler) = (Probers::new(&join), Prober::new(join.sets));
        Star {
            task,
            state,
            window,
            waiting: Schedule::new(settings.bounds, delayed),
            places,
            probers,
            settler,
            touched: Touched::new(),
        }
    }

    fn finish(self) -> (Vec<u32>, Ledger) {
        let mut ledger = self.probers.ledger();
        ledger.add(&self.settler.ledger);
        (self.places, ledger)
    }

    /// Settles the documents up to `end`.
    fn settle_window(&mut self, end: usize) -> Result<()> {
        let mut first = self.state.settled;
        let fixed = self.task.num_fixed.clamp(first, end);
        for batch in self.task.order[first..fixed].chunks(self.task.settings.batch_len) {
            let smallest = self.begin_batch(batch);
            for (place, &set) in (first..).zip(batch) {
                if self.places[set as usize] == NO_PLACE {
                    self.represent(place, set, smallest)?;
                }
            }
            first += batch.len();
            self.end_batch(batch.len())?;
        }
        for batch in self.task.order[first..end].chunks(self.task.settings.batch_len) {
            let smallest = self.begin_batch(batch);
            let outside = self.window.outside(self.task.kept, batch)?;
            let bests = self.probe_batch(first, batch, &outside)?;
            self.settle(first, batch, &outside, &bests, smallest)?;
            first += batch.len();
            self.end_batch(batch.len())?;
        }
        Ok(())
    }

    /// Lets the documents from `first` on find representatives of this window.
    fn probe_rest(&mut self, first: usize) -> Result<()> {
        let (task, settled) = (self.task, self.state.settled);
        let window_end = first;
        let mut first = first.max(task.num_fixed);
        // Smaller sets than this are similar to none of the window.
        let sizes = task.order[settled..window_end].iter();
        let sizes = sizes.map(|&set| task.kept.size(set));
        let least = task.settings.bounds.min_size(sizes.min().unwrap_or(0));
        for batch in task.order[first..].chunks(task.settings.batch_len * 8) {
            if task.by_descending_size && task.kept.size(batch[0]) < least {
                break;
            }
            self.begin_batch(batch);
            let outside = self.window.outside(task.kept, batch)?;
            let bests = self.probe_batch(first, batch, &outside)?;
            for ((&set, best), at) in batch.iter().zip(bests).zip(first..) {
                let own = self.places[set as usize];
                if own != NO_PLACE {
                    self.state.bests[at] = [own, task.kept.size(set)];
                } else if let Some(best) = best {
                    self.state.bests[at] = [best.place, best.overlap];
                }
            }
            first += batch.len();
            self.end_batch(0)?;
        }
        Ok(())
    }

    /// From now on only sets as small as those of this batch probe.
    fn begin_batch(&mut self, batch: &[KeptIdx]) -> u32 {
        let sizes = batch.iter().map(|&set| self.task.kept.size(set));
        let smallest = sizes.min().unwrap_or(0);
        let index = &mut self.window.index;
        self.waiting
            .advance(&index.sets, smallest, &mut index.postings);
        index.postings.tidy();
        smallest
    }

    fn end_batch(&mut self, settled: usize) -> Result<()> {
        self.probers.check_failure()?;
        self.settler.check_failure()?;
        self.task.progress.advance(settled as u64);
        check_cancelled(self.task.progress)
    }

    fn join(&self) -> Join<'_> {
        Join {
            kept: self.task.kept,
            sets: &self.window.index.sets,
            settings: self.task.settings,
        }
    }

    /// What earlier windows found for the document at a place.
    fn best_before(&self, at: usize) -> Option<Best> {
        let [place, overlap] = self.state.bests[at];
        if place == NO_PLACE {
            return None;
        }
        let (kept, order) = (self.task.kept, self.task.order);
        let (size, other) = kept.sizes(order[at], order[place as usize]);
        Some(Best {
            place,
            overlap,
            whole: self.task.settings.bounds.whole(overlap, size, other),
        })
    }

    fn probe_batch(
        &self,
        first: usize,
        batch: &[KeptIdx],
        outside: &[Option<Outside<'_>>],
    ) -> Result<Vec<Option<Best>>> {
        let join = self.join();
        let searching = Searching {
            join: &join,
            only_larger: self.task.looks_for_larger(),
            places: &self.places,
        };
        let tasks = batch.par_chunks(TASK).zip(outside.par_chunks(TASK));
        let probe = |(number, (sets, outside)): (usize, (&[KeptIdx], &[_]))| {
            let mut prober = self.probers.own();
            let first = first + number * TASK;
            self.probe_task(&searching, first, sets, outside, &mut prober)
        };
        let bests: Vec<Vec<Option<Best>>> = tasks.enumerate().map(probe).collect();
        Ok(bests.into_iter().flatten().collect())
    }

    /// Probes with some sets. Each goes through its lists in order, but very long lists are
    /// gone through together by all that have come to them, a stretch at a time: the
    /// postings of a giant cluster do not fit the cache, and are fetched once for all.
    fn probe_task(
        &self,
        searching: &Searching<'_>,
        first: usize,
        sets: &[KeptIdx],
        outside: &[Option<Outside<'_>>],
        prober: &mut Prober,
    ) -> Vec<Option<Best>> {
        let (settings, postings) = (self.task.settings, &self.window.index.postings);
        let mut searches: Vec<Search<'_>> = Vec::with_capacity(sets.len());
        for ((&set, outside), at) in sets.iter().zip(outside).zip(first..) {
            let probing = self.window.probing(set, outside);
            let probe = prober.begin(settings, &probing);
            let best = self.best_before(at);
            let mut search = Search::new(searching, probing, probe, best);
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
        first: usize,
        batch: &[KeptIdx],
        outside: &[Option<Outside<'_>>],
        bests: &[Option<Best>],
        smallest: u32,
    ) -> Result<()> {
        self.touched.clear();
        let mut any_new = false;
        for (at, &set) in batch.iter().enumerate() {
            let place = first + at;
            let own = self.places[set as usize];
            if own != NO_PLACE {
                self.state.bests[place] = [own, self.task.kept.size(set)];
                continue;
            }
            let mut best = bests[at];
            if any_new {
                best = self.probe_new(set, &outside[at], best, first);
            }
            if let Some(best) = best {
                self.state.bests[place] = [best.place, best.overlap];
                continue;
            }
            self.represent(place, set, smallest)?;
            any_new = true;
        }
        Ok(())
    }

    /// Makes a document the representative of its set.
    fn represent(&mut self, place: usize, set: KeptIdx, smallest: u32) -> Result<()> {
        let slot = self.window.slot(set).ok_or_else(|| {
            Error::Internal("a representative without a place in the index".to_owned())
        })?;
        self.places[set as usize] = u32::try_from(place).unwrap_or(NO_PLACE);
        let (index, touched) = (&mut self.window.index, &mut self.touched);
        let (sets, postings) = (&index.sets, &mut index.postings);
        self.waiting
            .insert(sets, slot, smallest, postings, |list| touched.set(list));
        Ok(())
    }

    /// Compares a document with the representatives made in its own batch: they stand at
    /// the ends of the lists.
    fn probe_new(
        &mut self,
        set: KeptIdx,
        outside: &Option<Outside<'_>>,
        best: Option<Best>,
        first_place: usize,
    ) -> Option<Best> {
        let join = Join {
            kept: self.task.kept,
            sets: &self.window.index.sets,
            settings: self.task.settings,
        };
        let searching = Searching {
            join: &join,
            only_larger: self.task.looks_for_larger(),
            places: &self.places,
        };
        let settler = &mut self.settler;
        let probing = self.window.probing(set, outside);
        let probe = settler.begin(join.settings, &probing);
        let mut search = Search::new(&searching, probing, probe, best);
        for entry in probing.entries {
            if entry.position >= search.prefix_len {
                break;
            }
            if !self.touched.get(entry.list) {
                continue;
            }
            settler.ledger.lookups += 1;
            for posting in self.window.index.postings.list(entry.list).iter().rev() {
                let representative = join.sets.kept(posting.slot) as usize;
                if (self.places[representative] as usize) < first_place {
                    break;
                }
                search.consider(entry.position, posting, settler);
            }
        }
        settler.end(search.probe);
        search.best
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
