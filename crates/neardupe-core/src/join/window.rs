//! The sets that are indexed at one time.

use super::prober::{Join, JoinSettings, Outside, Prober, ProbingSet};
use crate::candidate::index::{Index, bytes_of};
use crate::candidate::kept::{Kept, KeptIdx};
use crate::candidate::ledger::Ledger;
use crate::error::Result;
use crate::hash::FixedMap;
use rayon::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// An index over some of the kept sets, and where each is in it.
#[derive(Debug)]
pub struct Window {
    /// The index.
    pub index: Index,
    /// Place of each set in the index; None when all sets are in, in their order.
    slots: Option<FixedMap<KeptIdx, u32>>,
}

impl Window {
    /// Whether an index of all sets fits.
    pub fn fits_all(kept: &Kept, settings: &JoinSettings) -> bool {
        let bytes = (0..kept.len()).map(|set| bytes_of(kept, set, true));
        bytes.sum::<u64>() <= settings.index_bytes
    }

    /// An index of all sets.
    pub fn of_all(kept: &Kept) -> Result<Self> {
        let sets: Vec<KeptIdx> = (0..kept.len()).collect();
        let index = Index::build(kept, &sets, true)?;
        Ok(Window { index, slots: None })
    }

    /// An index of all sets when it fits, else of as many from `first` on as do; the place
    /// after the last of them.
    pub fn next(
        kept: &Kept,
        sets: &[KeptIdx],
        first: usize,
        settings: &JoinSettings,
    ) -> Result<(Self, usize)> {
        if first == 0 && Window::fits_all(kept, settings) {
            return Ok((Window::of_all(kept)?, sets.len()));
        }
        Window::next_of(kept, sets, first, settings)
    }

    /// An index of as many from `first` on as fit, whatever other sets there are; the place
    /// after the last of them.
    pub fn next_of(
        kept: &Kept,
        sets: &[KeptIdx],
        first: usize,
        settings: &JoinSettings,
    ) -> Result<(Self, usize)> {
        let mut bytes = 0;
        let fits = |&&set: &&KeptIdx| {
            bytes += bytes_of(kept, set, false);
            bytes <= settings.index_bytes
        };
        // One set fits any index.
        let len = sets[first..].iter().take_while(fits).count().max(1);
        let end = first + len;
        Ok((Window::of(kept, &sets[first..end])?, end))
    }

    /// An index of some sets.
    pub fn of(kept: &Kept, sets: &[KeptIdx]) -> Result<Self> {
        let index = Index::build(kept, sets, false)?;
        let slots = sets.iter().copied().zip(0..).collect();
        let slots = Some(slots);
        Ok(Window { index, slots })
    }

    /// Place of a set in the index.
    pub fn slot(&self, set: KeptIdx) -> Option<u32> {
        match &self.slots {
            None => Some(set),
            Some(slots) => slots.get(&set).copied(),
        }
    }

    /// Fetches those of `sets` that are not in the index.
    pub fn outside<'k>(
        &self,
        kept: &'k Kept,
        sets: &[KeptIdx],
    ) -> Result<Vec<Option<Outside<'k>>>> {
        if self.slots.is_none() {
            return Ok(sets.iter().map(|_| None).collect());
        }
        let load = |&set: &KeptIdx| match self.slot(set) {
            Some(_) => Ok(None),
            None => Outside::load(kept, &self.index, set).map(Some),
        };
        sets.par_iter().with_min_len(16).map(load).collect()
    }

    /// A set as it probes.
    pub fn probing<'a>(
        &'a self,
        set: KeptIdx,
        outside: &'a Option<Outside<'_>>,
    ) -> ProbingSet<'a> {
        match outside {
            Some(outside) => outside.probing(),
            None => {
                let slot = self.slot(set).unwrap_or_default();
                ProbingSet::of_index(&self.index.sets, slot)
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
    /// Probers for an index.
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

fn lock(prober: &Mutex<Prober>) -> MutexGuard<'_, Prober> {
    prober.lock().unwrap_or_else(PoisonError::into_inner)
}
