//! One set against the posting lists: which of its candidates are similar.

use super::scan::Probed;
use crate::candidate::bitmap::Sketch;
use crate::candidate::filter::{Filters, Limits, Passed, PostingPair};
use crate::candidate::ledger::Ledger;
use crate::candidate::open_sets::{About, OpenSet, OpenSets};
use crate::candidate::popcnt::counting_bits;
use crate::candidate::posting_window::{PostingWindow, PrefixEntry, WindowSets};
use crate::candidate::postings::Posting;
use crate::error::{Error, Result};
use crate::numbers::{Column, OpenIdx, SlotIdx};
use crate::similarity::Bounds;
use crate::verify::Verifier;

/// What a join is asked to do.
#[derive(Debug, Clone, Copy)]
pub struct JoinSettings {
    /// The smallest similarity that counts.
    pub bounds: Bounds,
    /// The filters that are on.
    pub filters: Filters,
    /// Postings from which a list is kept in order.
    pub long_list: u32,
    /// Postings from which a list is gone through by many searches together.
    pub shared_list: usize,
    /// Sets or documents that are probed in parallel before they are settled.
    pub batch_len: usize,
    /// Bytes of a window.
    pub window_bytes: u64,
}

/// What all probers of a join share while a window is joined.
#[derive(Debug, Clone, Copy)]
pub struct Join<'a> {
    /// All sets.
    pub open: &'a OpenSets,
    /// Those that are indexed.
    pub sets: &'a WindowSets,
    /// What is asked for.
    pub settings: &'a JoinSettings,
}

/// A set as it probes.
#[derive(Debug, Clone, Copy)]
pub struct ProbingSet<'a> {
    /// The set.
    pub idx: OpenIdx,
    /// What filters look at first.
    pub about: &'a About,
    bitmap: &'a [u64],
    /// Its prefix, by position, as far as it has lists.
    pub entries: &'a [PrefixEntry],
}

/// What a set that is not in the window probes with.
#[derive(Debug)]
pub struct Outside<'a> {
    idx: OpenIdx,
    set: OpenSet<'a>,
    entries: Vec<PrefixEntry>,
}

impl<'a> Outside<'a> {
    /// Fetches a set and looks up its lists.
    pub fn load(open: &'a OpenSets, lists: &PostingWindow, idx: OpenIdx) -> Result<Self> {
        let set = open.get(idx)?;
        let entries = lists.entries_of(&set);
        Ok(Outside { idx, set, entries })
    }

    /// The set as it probes.
    pub fn probing(&self) -> ProbingSet<'_> {
        ProbingSet {
            idx: self.idx,
            about: &self.set.about,
            bitmap: &self.set.bitmap,
            entries: &self.entries,
        }
    }
}

impl<'a> ProbingSet<'a> {
    /// A set of the window as it probes.
    pub fn of_window(sets: &'a WindowSets, slot: SlotIdx) -> Self {
        ProbingSet {
            idx: sets.open_idx(slot),
            about: sets.about(slot),
            bitmap: sets.bitmap(slot),
            entries: sets.entries(slot),
        }
    }
}

impl JoinSettings {
    /// Smallest reach of a posting that can be similar within `bounds` to a set of this size.
    #[inline]
    pub fn min_reach(&self, bounds: Bounds, size: u32, only_larger: bool) -> u32 {
        if !self.filters.position {
            return 0;
        }
        let min_other = if only_larger {
            size
        } else {
            bounds.min_size(size)
        };
        bounds.min_reach(self.bounds, size, min_other)
    }

    /// Positions of a set that must be looked up when its partners are at least as large
    /// (`only_larger`), or of any size.
    #[inline]
    pub fn prefix_len(&self, bounds: Bounds, size: u32, only_larger: bool) -> u32 {
        if only_larger {
            self.filters.prefix_len_for_larger(bounds, size)
        } else {
            self.filters.prefix_len(bounds, size)
        }
    }
}

/// Checks postings; one for each thread.
///
/// What it must keep: a pair is verified at most once per probe (`seen`), the set that probes stays in the table of
/// the verifier until another one probes, and the ledger counts every posting that was looked at, also those that a
/// filter dropped at once.
#[derive(Debug)]
pub struct Prober {
    /// What was looked at so far.
    pub ledger: Ledger,
    verifier: Verifier,
    /// The probe in which a set was last a candidate. Probes at work at the same time may
    /// overwrite each other's marks: then a candidate is verified twice.
    seen: Column<SlotIdx, u32>,
    last_probe: u32,
    spare: Vec<Probe>,
    failure: Option<Error>,
}

/// A set that probes.
#[derive(Debug)]
pub struct Probe {
    /// The lists it has been through.
    pub probed: Probed,
    number: u32,
    num_shared: u32,
    sketch: Sketch,
    limits: ProbeLimits,
}

/// Limits for the partners of a probing set: all that the filters ask of it, calculated once for each probe.
#[derive(Debug)]
struct ProbeLimits {
    size: u32,
    /// Sizes that a partner can have.
    sizes: (u32, u32),
    /// Smallest overlaps by size of the other set: a division for each posting would cost
    /// as much as all the rest.
    least: Vec<Least>,
    least_of: Option<Bounds>,
    epoch: u32,
}

/// The limits within bounds that may have risen since the probe began.
struct LimitsWithin<'a> {
    limits: &'a mut ProbeLimits,
    bounds: Bounds,
}

impl Limits for LimitsWithin<'_> {
    #[inline(always)]
    fn sizes(&self) -> (u32, u32) {
        self.limits.sizes
    }

    #[inline(always)]
    fn min_overlap(&mut self, right_size: u32) -> u32 {
        self.limits.min_overlap(self.bounds, right_size)
    }
}

impl Prober {
    /// A prober for the sets of a window.
    pub fn new(sets: &WindowSets) -> Self {
        Prober {
            ledger: Ledger::default(),
            verifier: Verifier::default(),
            seen: Column::filled(0, sets.len()),
            last_probe: 0,
            spare: Vec::new(),
            failure: None,
        }
    }

    /// An error that was met on the way: what was found since is not complete.
    pub fn check_failure(&mut self) -> Result<()> {
        match self.failure.take() {
            None => Ok(()),
            Some(error) => Err(error),
        }
    }

    /// Begins to probe with a set.
    pub fn begin(&mut self, settings: &JoinSettings, set: &ProbingSet<'_>) -> Probe {
        self.last_probe += 1;
        let mut probe = self.spare.pop().unwrap_or_else(Probe::blank);
        let size = set.about.size;
        let bounds = settings.bounds;
        probe.probed.clear();
        probe.number = self.last_probe;
        probe.num_shared = set.about.num_shared;
        probe.sketch = set.about.sketch;
        probe.limits.size = size;
        probe.limits.sizes = (bounds.min_size(size), bounds.max_size(size));
        probe.limits.least_of = None;
        probe
    }

    /// Gives the buffers of a probe back.
    pub fn end(&mut self, probe: Probe) {
        self.spare.push(probe);
    }

    /// Overlap with the set of a posting, met at `position` of the probing set, if it has
    /// not been a candidate of this probe before and is similar within `bounds`, which may
    /// have risen since the probe began.
    #[inline(always)]
    pub fn check(
        &mut self,
        join: &Join<'_>,
        set: &ProbingSet<'_>,
        probe: &mut Probe,
        position: u32,
        posting: &Posting,
        bounds: Bounds,
    ) -> Option<u32> {
        // This runs for every posting that is not skipped, so it looks at nothing but the posting (64 bytes) and the
        // probe: the other set itself is not touched. The filters are those of `Filters::passes`, in order of their
        // cost; `join` and `set` are only handed on.
        let pair = PostingPair {
            sizes: [probe.limits.size, posting.size],
            positions: [position, posting.position],
            num_shared: [&probe.num_shared, &posting.num_shared],
            sketches: [&probe.sketch, &posting.sketch],
        };
        let limits = &mut probe.limits;
        let mut limits = LimitsWithin { limits, bounds };
        let filters = &join.settings.filters;
        let passed = filters.passes_counted(&pair, &mut limits, &mut self.ledger);
        let Passed::Candidate { min_overlap } = passed else {
            return None;
        };
        self.verify(join, set, probe, posting, bounds, min_overlap)
    }

    /// What the filters that need only the posting have left: few, so apart from the loop.
    #[inline(never)]
    fn verify(
        &mut self,
        join: &Join<'_>,
        set: &ProbingSet<'_>,
        probe: &Probe,
        posting: &Posting,
        bounds: Bounds,
        min_overlap: u32,
    ) -> Option<u32> {
        // A pair meets once for each list that both sets are in. The mark is set before the filters that follow, since
        // what they say of a pair is the same at every meeting; what the filters before said is not.
        let seen = &mut self.seen[posting.slot];
        if std::mem::replace(seen, probe.number) == probe.number {
            return None;
        }
        self.ledger.candidates += 1;
        // At the level of a pair both sets have other sizes than their own, so what they need is known only here: the
        // bounds before exclude nothing by size.
        let min_overlap = if bounds.is_leveled() {
            let other = join.sets.open_idx(posting.slot);
            let (size, other) = join.open.sizes(set.idx, other);
            bounds.of_pair().min_overlap(size, other)
        } else {
            min_overlap
        };
        let filters = join.settings.filters;
        // A few words of each set instead of two sets that are in the cache only by luck.
        if filters.bitmap {
            let num_shared = [probe.num_shared, posting.num_shared];
            let bitmaps = [set.bitmap, join.sets.bitmap(posting.slot)];
            let passes = || filters.passes_bitmaps(num_shared, bitmaps, min_overlap);
            if !counting_bits(passes) {
                return None;
            }
        }
        self.ledger.verified += 1;
        let other = join.sets.open_idx(posting.slot);
        let overlap =
            self.verifier
                .overlap(join.open, set.idx, other, bounds, min_overlap);
        let overlap = match overlap {
            Ok(overlap) => overlap?,
            Err(error) => {
                self.failure.get_or_insert(error);
                return None;
            }
        };
        self.ledger.found += 1;
        Some(overlap)
    }
}

impl Probe {
    /// A probe with its buffers, which [`Prober::begin`] sets to a set.
    fn blank() -> Self {
        Probe {
            probed: Probed::default(),
            number: 0,
            num_shared: 0,
            sketch: Sketch::default(),
            limits: ProbeLimits {
                size: 0,
                sizes: (0, 0),
                least: vec![Least::default(); NUM_LEAST],
                least_of: None,
                epoch: 0,
            },
        }
    }
}

impl ProbeLimits {
    /// Smallest overlap with a set of this size, remembered.
    #[inline]
    fn min_overlap(&mut self, bounds: Bounds, other: u32) -> u32 {
        if self.least_of != Some(bounds) {
            self.least_of = Some(bounds);
            self.epoch += 1;
        }
        // Sizes in one list are near each other, so that a small table, addressed by the size itself, hits nearly always.
        // An entry is good for one epoch: the probe and its bounds, which rise as better representatives are found.
        let least = &mut self.least[other as usize % NUM_LEAST];
        if least.epoch != self.epoch || least.other != other {
            let min_overlap = bounds.min_overlap(self.size, other);
            *least = Least {
                epoch: self.epoch,
                other,
                min_overlap,
            };
        }
        least.min_overlap
    }
}

/// Smallest overlap with a set of size `other`, good in one epoch: the same probing set and
/// bounds.
#[derive(Debug, Clone, Copy, Default)]
struct Least {
    epoch: u32,
    other: u32,
    min_overlap: u32,
}

/// A power of two, so that the remainder is a mask. Larger tables leave the first-level cache.
const NUM_LEAST: usize = 64;
