//! The sets that are indexed at one time.

use super::prober::{Join, JoinSettings, Outside, Prober, ProbingSet};
use crate::candidate::ledger::Ledger;
use crate::candidate::open_sets::OpenSets;
use crate::candidate::posting_window::{PostingWindow, bytes_of};
use crate::error::Result;
use crate::hash::FixedMap;
use crate::numbers::{OpenIdx, SlotIdx, of_len};
use rayon::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A window over some of the open sets, and where each is in it.
#[derive(Debug)]
pub struct Window {
    /// The posting lists of its sets.
    pub lists: PostingWindow,
    /// The slot of each set; None when all sets are in, in their order.
    slots: Option<FixedMap<OpenIdx, SlotIdx>>,
}

impl Window {
    /// Whether a window of all sets fits.
    pub fn fits_all(open: &OpenSets, settings: &JoinSettings) -> bool {
        // An upper bound: features of a single prefix get no list in a complete window, and are counted here.
        let bytes = open.all().map(|set| bytes_of(open, set, true));
        bytes.sum::<u64>() <= settings.window_bytes
    }

    /// A window of all sets.
    pub fn of_all(open: &OpenSets) -> Result<Self> {
        let sets: Vec<OpenIdx> = open.all().collect();
        let lists = PostingWindow::build(open, &sets, true)?;
        Ok(Window { lists, slots: None })
    }

    /// A window of all sets when it fits, else of as many from `first` on as do; the place
    /// after the last of them.
    pub fn next(
        open: &OpenSets,
        sets: &[OpenIdx],
        first: usize,
        settings: &JoinSettings,
    ) -> Result<(Self, usize)> {
        if first == 0 && Window::fits_all(open, settings) {
            return Ok((Window::of_all(open)?, sets.len()));
        }
        Window::next_of(open, sets, first, settings)
    }

    /// A window of as many from `first` on as fit, whatever other sets there are; the place
    /// after the last of them.
    pub fn next_of(
        open: &OpenSets,
        sets: &[OpenIdx],
        first: usize,
        settings: &JoinSettings,
    ) -> Result<(Self, usize)> {
        let mut bytes = 0;
        let fits = |&&set: &&OpenIdx| {
            bytes += bytes_of(open, set, false);
            bytes <= settings.window_bytes
        };
        // One set fits any window.
        let len = sets[first..].iter().take_while(fits).count().max(1);
        let end = first + len;
        Ok((Window::of(open, &sets[first..end])?, end))
    }

    /// A window of some sets.
    pub fn of(open: &OpenSets, sets: &[OpenIdx]) -> Result<Self> {
        let lists = PostingWindow::build(open, sets, false)?;
        let slots = SlotIdx::first(of_len(sets.len()));
        let slots = sets.iter().copied().zip(slots).collect();
        let slots = Some(slots);
        Ok(Window { lists, slots })
    }

    /// The slot of a set, if it is in the window.
    pub fn slot(&self, set: OpenIdx) -> Option<SlotIdx> {
        match &self.slots {
            None => Some(SlotIdx::new(set.get())),
            Some(slots) => slots.get(&set).copied(),
        }
    }

    /// Fetches those of `sets` that are not in the window.
    pub fn outside<'k>(
        &self,
        open: &'k OpenSets,
        sets: &[OpenIdx],
    ) -> Result<Vec<Option<Outside<'k>>>> {
        if self.slots.is_none() {
            return Ok(sets.iter().map(|_| None).collect());
        }
        // Fetched in parallel for a batch at a time: from a file each set costs a read.
        let load = |&set: &OpenIdx| match self.slot(set) {
            Some(_) => Ok(None),
            None => Outside::load(open, &self.lists, set).map(Some),
        };
        sets.par_iter().with_min_len(16).map(load).collect()
    }

    /// A set as it probes.
    pub fn probing<'a>(
        &'a self,
        set: OpenIdx,
        outside: &'a Option<Outside<'_>>,
    ) -> ProbingSet<'a> {
        match outside {
            Some(outside) => outside.probing(),
            None => {
                let slot = self.slot(set).expect("a set that is not outside");
                ProbingSet::of_window(&self.lists.sets, slot)
            }
        }
    }
}

/// A prober for each thread.
#[derive(Debug)]
pub struct Probers {
    probers: Vec<Mutex<Prober>>,
}

impl Probers {
    /// Probers for a window.
    pub fn new(join: &Join<'_>) -> Self {
        let threads = 0..rayon::current_num_threads();
        Probers {
            probers: threads
                .map(|_| Mutex::new(Prober::new(join.sets)))
                .collect(),
        }
    }

    /// The prober of this thread.
    pub fn own(&self) -> MutexGuard<'_, Prober> {
        // Never contended: a thread of the pool locks its own one. The lock is there for the compiler.
        let thread = rayon::current_thread_index().unwrap_or(0);
        lock(&self.probers[thread])
    }

    /// An error that a prober met.
    pub fn check_failure(&self) -> Result<()> {
        let mut probers = self.probers.iter();
        probers.try_for_each(|prober| lock(prober).check_failure())
    }

    /// What all probers looked at.
    pub fn ledger(self) -> Ledger {
        let mut ledger = Ledger::default();
        for prober in &self.probers {
            ledger.add(&lock(prober).ledger);
        }
        ledger
    }
}

/// A prober whose thread panicked is used on: the panic is passed on by the pool.
fn lock(prober: &Mutex<Prober>) -> MutexGuard<'_, Prober> {
    prober.lock().unwrap_or_else(PoisonError::into_inner)
}
