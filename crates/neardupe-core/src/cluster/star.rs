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

use super::search::{Best, Searching, StarSearch, most_waited_for, scan_together};
use crate::candidate::ledger::Ledger;
use crate::candidate::open_sets::OpenSets;
use crate::candidate::posting_window::bytes_of;
use crate::candidate::schedule::Schedule;
use crate::document::{Progress, check_cancelled};
use crate::error::{Error, Result};
use crate::hash::FixedSet;
use crate::join::window::{Probers, Window};
use crate::join::{Join, JoinSettings, Outside, Prober};
use crate::numbers::{Column, Idx, ListIdx, MaybePriorityRank, OpenIdx, PriorityRank};
use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;

/// What became of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It leads a cluster (perhaps of itself alone).
    Representative,
    /// It belongs to another document.
    Member {
        /// The representative.
        of: PriorityRank,
        /// Number of common features.
        overlap: u32,
    },
}

/// Documents that one thread probes with at a time. They go through long lists together, so it is a compromise: more of
/// them share the postings that come from memory, fewer share the work among threads evenly.
const TASK: usize = 32;

/// The best representative of a document so far, as it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct BestSoFar {
    /// The representative; none as long as the document may become one.
    pub of: MaybePriorityRank,
    /// Number of common features.
    pub overlap: u32,
}

impl BestSoFar {
    /// Belongs to this representative.
    fn of(rank: PriorityRank, overlap: u32) -> Self {
        BestSoFar {
            of: rank.into(),
            overlap,
        }
    }
}

/// How far the documents are settled: what has to be kept to go on later.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StarState {
    /// So many documents are settled, the first by priority.
    pub settled: usize,
    /// What each document belongs to so far.
    pub bests: Column<PriorityRank, BestSoFar>,
    /// What the join has looked at.
    pub ledger: Ledger,
}

impl StarState {
    /// Nothing is settled.
    pub fn new(num_documents: usize) -> Self {
        StarState {
            settled: 0,
            bests: Column::filled(BestSoFar::default(), num_documents),
            ledger: Ledger::default(),
        }
    }

    /// What became of each document, when all are settled.
    pub fn roles(&self) -> impl Iterator<Item = Role> {
        let bests = self.bests.rows().iter();
        bests.map(|&BestSoFar { of, overlap }| match of.get() {
            None => Role::Representative,
            Some(of) => Role::Member { of, overlap },
        })
    }
}

/// The documents to settle.
#[derive(Clone, Copy)]
#[expect(missing_debug_implementations, reason = "progress has none")]
pub struct StarTask<'a> {
    /// The sets.
    pub open: &'a OpenSets,
    /// What is asked for.
    pub settings: &'a JoinSettings,
    /// The set of each document, in priority order.
    pub order: &'a Column<PriorityRank, OpenIdx>,
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
        if self.within {
            self.order.len()
        } else {
            self.num_fixed
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
    let StarTask { open, order, .. } = *task;
    // The representatives of a job that is resumed: a settled document that belongs to none leads.
    let mut leaders = Column::filled(MaybePriorityRank::NONE, open.len() as usize);
    for (rank, &set) in order.iter().take(state.settled) {
        if state.bests[rank].of.is_none() {
            leaders[set] = rank.into();
        }
    }
    task.progress.advance(state.settled as u64);
    // With all sets in one window features of a single prefix get no list. After a resume that would be more work than
    // needed: later documents have been compared with the settled ones, which need no room in a window of the rest.
    let complete = state.settled == 0 && Window::fits_all(open, task.settings);
    let last = task.num_settled();
    while state.settled < last {
        let (window, end) = if complete {
            (Window::of_all(open)?, last)
        } else {
            next_window(task, state, &leaders)?
        };
        let mut star = Star::new(task, state, leaders, window);
        star.settle_window(end)?;
        star.probe_rest(end)?;
        let ledger;
        (leaders, ledger) = star.finish();
        state.ledger.add(&ledger);
        state.settled = end;
        if end < last {
            window_done(state)?;
        }
    }
    Ok(())
}

/// A window of the sets that can become representatives, as many as fit, and the place up
/// to which documents can be settled with it.
fn next_window(
    task: &StarTask<'_>,
    state: &StarState,
    leaders: &Leaders,
) -> Result<(Window, usize)> {
    let mut candidates = Vec::new();
    let mut known: FixedSet<OpenIdx> = FixedSet::default();
    let mut bytes = 0;
    let mut end = state.settled;
    for &set in &task.order.rows()[state.settled..task.num_settled()] {
        let best = state.bests[PriorityRank::of_index(end)];
        // A document that found a representative in an earlier window, or whose set one has, is settled: it never
        // enters a list, so it takes no room. The others might all become representatives.
        let decided = best.of.is_some() || leaders[set].is_some();
        if !decided && known.insert(set) {
            bytes += bytes_of(task.open, set, false);
            // One set fits any window.
            if bytes > task.settings.window_bytes && !candidates.is_empty() {
                break;
            }
            candidates.push(set);
        }
        end += 1;
    }
    Ok((Window::of(task.open, &candidates)?, end))
}

/// The representative that has a set, if one has it.
type Leaders = Column<OpenIdx, MaybePriorityRank>;

/// The documents of one window and those after it.
struct Star<'a> {
    task: &'a StarTask<'a>,
    state: &'a mut StarState,
    /// The sets that can become representatives, and their lists.
    window: Window,
    /// Representatives that are not in all their lists yet.
    waiting: Schedule,
    leaders: Leaders,
    /// One for each thread, while a batch probes.
    probers: Probers,
    /// And one for the step that is not parallel.
    settler: Prober,
    /// Lists that got a representative in this batch.
    touched: Touched,
}

impl<'a> Star<'a> {
    fn new(
        task: &'a StarTask<'a>,
        state: &'a mut StarState,
        leaders: Leaders,
        mut window: Window,
    ) -> Self {
        let settings = task.settings;
        window.lists.postings.keep_ordered_from(settings.long_list);
        let filters = settings.filters;
        let delayed = task.by_descending_size && filters.prefix && filters.length;
        let join = Join {
            open: task.open,
            sets: &window.lists.sets,
            settings,
        };
        let (probers, settler) = (Probers::new(&join), Prober::new(join.sets));
        Star {
            task,
            state,
            window,
            waiting: Schedule::new(settings.bounds, delayed),
            leaders,
            probers,
            settler,
            touched: Touched::new(),
        }
    }

    /// What the next window has to know.
    fn finish(self) -> (Leaders, Ledger) {
        let mut ledger = self.probers.ledger();
        ledger.add(&self.settler.ledger);
        (self.leaders, ledger)
    }

    /// Settles the documents up to `end`, in the order of priority.
    ///
    /// Why batches give what one document after the other would: a document is compared with the representatives made
    /// before its batch by `probe_batch`, and with those made within it by `probe_new`. Together these are all that come
    /// before it. A better representative found late only raises what is looked for, so it does not matter in which
    /// order the two halves are seen.
    fn settle_window(&mut self, end: usize) -> Result<()> {
        let mut first = self.state.settled;
        // Old documents first: representatives without being compared, so they only enter.
        let fixed = self.task.num_fixed.clamp(first, end);
        for batch in
            self.task.order.rows()[first..fixed].chunks(self.task.settings.batch_len)
        {
            let smallest = self.begin_batch(batch);
            for (rank, &set) in PriorityRank::of_index(first).onward().zip(batch) {
                if self.leaders[set].is_none() {
                    self.represent(rank, set, smallest)?;
                }
            }
            first += batch.len();
            self.end_batch(batch.len())?;
        }
        for batch in
            self.task.order.rows()[first..end].chunks(self.task.settings.batch_len)
        {
            let smallest = self.begin_batch(batch);
            let outside = self.window.outside(self.task.open, batch)?;
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
        // Fixed documents belong to themselves, whatever window they are in.
        let window_end = first;
        let mut first = first.max(task.num_fixed);
        // Smaller sets than this are similar to none of the window.
        let sizes = task.order.rows()[settled..window_end].iter();
        let sizes = sizes.map(|&set| task.open.size(set));
        let least = task.settings.bounds.min_size(sizes.min().unwrap_or(0));
        // Nothing enters any more, so batches can be larger: less waiting at their ends.
        for batch in task.order.rows()[first..].chunks(task.settings.batch_len * 8) {
            // All that follow are smaller still.
            if task.by_descending_size && task.open.size(batch[0]) < least {
                break;
            }
            self.begin_batch(batch);
            let outside = self.window.outside(task.open, batch)?;
            let bests = self.probe_batch(first, batch, &outside)?;
            let ranks = PriorityRank::of_index(first).onward();
            for ((&set, best), rank) in batch.iter().zip(bests).zip(ranks) {
                if let Some(own) = self.leaders[set].get() {
                    self.state.bests[rank] = BestSoFar::of(own, task.open.size(set));
                } else if let Some(best) = best {
                    self.state.bests[rank] = BestSoFar::of(best.rank, best.overlap);
                }
            }
            first += batch.len();
            self.end_batch(0)?;
        }
        Ok(())
    }

    /// From now on only sets as small as those of this batch probe.
    fn begin_batch(&mut self, batch: &[OpenIdx]) -> u32 {
        let sizes = batch.iter().map(|&set| self.task.open.size(set));
        // With an order by size this is the last of the batch; otherwise nothing waits, so
        // the size does not matter.
        let smallest = sizes.min().unwrap_or(0);
        let lists = &mut self.window.lists;
        self.waiting
            .advance(&lists.sets, smallest, &mut lists.postings);
        lists.postings.tidy();
        smallest
    }

    /// Reports errors that probers met and the progress; the place at which a job can be stopped.
    fn end_batch(&mut self, settled: usize) -> Result<()> {
        self.probers.check_failure()?;
        self.settler.check_failure()?;
        self.task.progress.advance(settled as u64);
        check_cancelled(self.task.progress)
    }

    /// What probers have in common.
    fn join(&self) -> Join<'_> {
        Join {
            open: self.task.open,
            sets: &self.window.lists.sets,
            settings: self.task.settings,
        }
    }

    /// What earlier windows found for a document.
    fn best_before(&self, document: PriorityRank) -> Option<Best> {
        let BestSoFar { of, overlap } = self.state.bests[document];
        let rank = of.get()?;
        let (open, order) = (self.task.open, self.task.order);
        let (size, other) = open.sizes(order[document], order[rank]);
        Some(Best {
            rank,
            overlap,
            whole: self.task.settings.bounds.whole(overlap, size, other),
        })
    }

    /// The best earlier representative of each document of a batch, looked for in parallel. Nothing is changed while it
    /// runs: lists grow in `settle` only.
    fn probe_batch(
        &self,
        first: usize,
        batch: &[OpenIdx],
        outside: &[Option<Outside<'_>>],
    ) -> Result<Vec<Option<Best>>> {
        let join = self.join();
        let searching = Searching {
            join: &join,
            only_larger: self.task.looks_for_larger(),
            leaders: &self.leaders,
        };
        let tasks = batch.par_chunks(TASK).zip(outside.par_chunks(TASK));
        let probe = |(number, (sets, outside)): (usize, (&[OpenIdx], &[_]))| {
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
        sets: &[OpenIdx],
        outside: &[Option<Outside<'_>>],
        prober: &mut Prober,
    ) -> Vec<Option<Best>> {
        let (settings, postings) = (self.task.settings, &self.window.lists.postings);
        let mut searches: Vec<StarSearch<'_>> = Vec::with_capacity(sets.len());
        let ranks = PriorityRank::of_index(first).onward();
        for ((&set, outside), rank) in sets.iter().zip(outside).zip(ranks) {
            let probing = self.window.probing(set, outside);
            let probe = prober.begin(settings, &probing);
            let best = self.best_before(rank);
            let mut search = StarSearch::new(searching, probing, probe, best);
            // When a representative has the very same set there is nothing to look for.
            // (It is settled by the caller, with an overlap of its full size.)
            search.done = self.leaders[set].is_some();
            search.run(postings, prober);
            searches.push(search);
        }
        // Each search stops at its next long list. The list that most of them wait for is gone through by all these
        // together; then they run on. A search that waits for another list loses nothing but time: its lists come in
        // its own order, whatever the others do, so skipped groups stay right.
        while let Some(list) = most_waited_for(&searches) {
            let mut together: Vec<&mut StarSearch<'_>> = searches
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
        let finish = |search: StarSearch<'_>| {
            let best = search.best;
            prober.end(search.probe);
            best
        };
        searches.into_iter().map(finish).collect()
    }

    /// Decides for each document of a batch, in order, what it belongs to, given what the probes found among earlier
    /// representatives. The only step that is not parallel.
    fn settle(
        &mut self,
        first: usize,
        batch: &[OpenIdx],
        outside: &[Option<Outside<'_>>],
        bests: &[Option<Best>],
        smallest: u32,
    ) -> Result<()> {
        self.touched.clear();
        let mut any_new = false;
        // In order: a document may belong to one that became a representative a moment ago.
        for (at, &set) in batch.iter().enumerate() {
            let rank = PriorityRank::of_index(first + at);
            if let Some(own) = self.leaders[set].get() {
                self.state.bests[rank] = BestSoFar::of(own, self.task.open.size(set));
                continue;
            }
            // Before the first new representative of the batch there is nothing more to compare with.
            let mut best = bests[at];
            if any_new {
                best = self.probe_new(set, &outside[at], best, first);
            }
            if let Some(best) = best {
                self.state.bests[rank] = BestSoFar::of(best.rank, best.overlap);
                continue;
            }
            self.represent(rank, set, smallest)?;
            any_new = true;
        }
        Ok(())
    }

    /// Makes a document the representative of its set.
    fn represent(
        &mut self,
        rank: PriorityRank,
        set: OpenIdx,
        smallest: u32,
    ) -> Result<()> {
        let slot = self.window.slot(set).ok_or_else(|| {
            Error::Internal("a representative without a slot in the window".to_owned())
        })?;
        self.leaders[set] = rank.into();
        let (lists, touched) = (&mut self.window.lists, &mut self.touched);
        let (sets, postings) = (&lists.sets, &mut lists.postings);
        self.waiting
            .insert(sets, slot, smallest, postings, |list| touched.set(list));
        Ok(())
    }

    /// Compares a document with the representatives made in its own batch: they stand at
    /// the ends of the lists.
    fn probe_new(
        &mut self,
        set: OpenIdx,
        outside: &Option<Outside<'_>>,
        best: Option<Best>,
        first: usize,
    ) -> Option<Best> {
        let join = Join {
            open: self.task.open,
            sets: &self.window.lists.sets,
            settings: self.task.settings,
        };
        let searching = Searching {
            join: &join,
            only_larger: self.task.looks_for_larger(),
            leaders: &self.leaders,
        };
        let first = MaybePriorityRank::from(PriorityRank::of_index(first));
        let settler = &mut self.settler;
        let probing = self.window.probing(set, outside);
        let probe = settler.begin(join.settings, &probing);
        let mut search = StarSearch::new(&searching, probing, probe, best);
        for entry in probing.entries {
            if entry.position >= search.prefix_len {
                break;
            }
            // Most lists got nothing in this batch. The filter errs on one side only: a list that got something is
            // never passed over.
            if !self.touched.get(entry.list) {
                continue;
            }
            settler.ledger.lookups += 1;
            // From the newest on, until those of earlier batches begin: new ones are appended, and lists are put in
            // order between batches only.
            for posting in self.window.lists.postings.list(entry.list).iter().rev() {
                let representative = join.sets.open_idx(posting.slot);
                // None comes last, but only representatives are in lists.
                if self.leaders[representative] < first {
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
///
/// One bit for all lists whose numbers agree in their lower bits. Cleared for each batch, which costs 64 KiB of writes:
/// little beside a batch of 512 probes.
struct Touched {
    bits: Vec<u64>,
}

/// 64 KiB of bits.
const TOUCHED_BITS: usize = 1 << 19;

impl Touched {
    fn new() -> Self {
        Touched {
            bits: vec![0; TOUCHED_BITS / 64],
        }
    }

    /// Begins another batch.
    fn clear(&mut self) {
        self.bits.fill(0);
    }

    /// A list has got a posting.
    fn set(&mut self, list: ListIdx) {
        let bit = list.index() % TOUCHED_BITS;
        self.bits[bit / 64] |= 1 << (bit % 64);
    }

    /// Whether a list may have got one.
    fn get(&self, list: ListIdx) -> bool {
        let bit = list.index() % TOUCHED_BITS;
        self.bits[bit / 64] & (1 << (bit % 64)) != 0
    }
}
