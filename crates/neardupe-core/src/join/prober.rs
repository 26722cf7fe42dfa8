//! One set against the posting lists: which of its candidates are similar.

use super::scan::Probed;
use crate::candidate::bitmap::{self, Sketch};
use crate::candidate::filter::Filters;
use crate::candidate::kept::{Kept, KeptIdx};
use crate::candidate::ledger::Ledger;
use crate::candidate::postings::Posting;
use crate::threshold::Threshold;
use crate::verify::Verifier;

/// What all probers of a join share.
#[derive(Debug, Clone, Copy)]
pub struct Join<'a> {
    /// The sets.
    pub kept: &'a Kept,
    /// The smallest resemblance that counts.
    pub threshold: Threshold,
    /// The filters that are on.
    pub filters: Filters,
    /// Postings from which a list is kept in order.
    pub long_list: u32,
    /// Postings from which a list is gone through by many searches together.
    pub shared_list: usize,
    /// Sets or documents that are probed in parallel before they are settled.
    pub batch_len: usize,
}

impl Join<'_> {
    /// Smallest reach of a posting that can reach `threshold` with a set of this size.
    #[inline]
    pub fn min_reach(&self, threshold: Threshold, size: u32, only_larger: bool) -> u32 {
        if !self.filters.position {
            return 0;
        }
        let min_other = if only_larger {
            size
        } else {
            threshold.min_size(size)
        };
        threshold.min_reach(self.threshold, size, min_other)
    }

    /// Positions of a set that must be looked up when its partners are at least as large
    /// (`only_larger`), or of any size.
    #[inline]
    pub fn prefix_len(&self, threshold: Threshold, size: u32, only_larger: bool) -> u32 {
        if only_larger {
            self.filters.prefix_len_for_larger(threshold, size)
        } else {
            self.filters.prefix_len(threshold, size)
        }
    }
}

/// Checks postings; one for each thread.
#[derive(Debug)]
pub struct Prober {
    /// What was looked at so far.
    pub ledger: Ledger,
    verifier: Verifier,
    /// The probe in which a set was last a candidate. Probes at work at the same time may
    /// overwrite each other's marks: then a candidate is verified twice.
    seen: Vec<u32>,
    last_probe: u32,
    spare: Vec<Probe>,
}

/// A set that probes.
#[derive(Debug)]
pub struct Probe {
    /// The set.
    pub set: KeptIdx,
    /// The lists it has been through.
    pub probed: Probed,
    number: u32,
    size: u32,
    num_shared: u32,
    sketch: Sketch,
    /// Sizes that a partner can have.
    sizes: (u32, u32),
    /// Smallest overlaps by size of the other set: a division for each posting would cost
    /// as much as all the rest.
    bounds: Vec<Bound>,
    bounds_of: Option<Threshold>,
    epoch: u32,
}

impl Prober {
    /// A prober for sets of `kept`.
    pub fn new(kept: &Kept) -> Self {
        Prober {
            ledger: Ledger::default(),
            verifier: Verifier::default(),
            seen: vec![0; kept.len() as usize],
            last_probe: 0,
            spare: Vec::new(),
        }
    }

    /// Begins to probe with a set.
    pub fn begin(&mut self, join: &Join<'_>, set: KeptIdx) -> Probe {
        self.last_probe += 1;
        let mut probe = self.spare.pop().unwrap_or_else(Probe::blank);
        let size = join.kept.size(set);
        probe.set = set;
        probe.probed.clear();
        probe.number = self.last_probe;
        probe.size = size;
        probe.num_shared = join.kept.num_shared(set);
        probe.sketch = join.kept.sketch(set);
        probe.sizes = (join.threshold.min_size(size), join.threshold.max_size(size));
        probe.bounds_of = None;
        probe
    }

    /// Gives the buffers of a probe back.
    pub fn end(&mut self, probe: Probe) {
        self.spare.push(probe);
    }

    /// Overlap with the set of a posting, met at `position` of the probing set, if it has
    /// not been a candidate of this probe before and reaches `threshold`, which may have
    /// risen since the probe began.
    #[inline(always)]
    pub fn check(
        &mut self,
        join: &Join<'_>,
        probe: &mut Probe,
        position: u32,
        posting: &Posting,
        threshold: Threshold,
    ) -> Option<u32> {
        self.ledger.postings += 1;
        if join.filters.length
            && (posting.size < probe.sizes.0 || posting.size > probe.sizes.1)
        {
            return None;
        }
        self.ledger.after_length += 1;
        let min_overlap = probe.min_overlap(threshold, posting.size);
        // Features before a common one are not common: they were met at earlier positions.
        let possible = (probe.size - position).min(posting.size - posting.position);
        if join.filters.position && possible < min_overlap {
            return None;
        }
        self.ledger.after_position += 1;
        let (own, other) = (probe.num_shared, posting.num_shared);
        if join.filters.bitmap {
            let difference = bitmap::difference(&probe.sketch, &posting.sketch);
            if bitmap::max_overlap(own, other, difference) < min_overlap {
                return None;
            }
        }
        self.verify(join, probe, posting, min_overlap)
    }

    /// What the filters that need only the posting have left: few, so apart from the loop.
    #[inline(never)]
    fn verify(
        &mut self,
        join: &Join<'_>,
        probe: &Probe,
        posting: &Posting,
        min_overlap: u32,
    ) -> Option<u32> {
        let (own, other) = (probe.num_shared, posting.num_shared);
        let seen = &mut self.seen[posting.set as usize];
        if std::mem::replace(seen, probe.number) == probe.number {
            return None;
        }
        self.ledger.candidates += 1;
        if join.filters.bitmap {
            let left = join.kept.bitmap(probe.set);
            let difference = bitmap::difference(left, join.kept.bitmap(posting.set));
            if bitmap::max_overlap(own, other, difference) < min_overlap {
                return None;
            }
        }
        self.ledger.verified += 1;
        let overlap =
            self.verifier
                .overlap(join.kept, probe.set, posting.set, min_overlap)?;
        self.ledger.found += 1;
        Some(overlap)
    }
}

impl Probe {
    fn blank() -> Self {
        Probe {
            set: 0,
            probed: Probed::default(),
            number: 0,
            size: 0,
            num_shared: 0,
            sketch: Sketch::default(),
            sizes: (0, 0),
            bounds: vec![Bound::default(); NUM_BOUNDS],
            bounds_of: None,
            epoch: 0,
        }
    }

    #[inline]
    fn min_overlap(&mut self, threshold: Threshold, other: u32) -> u32 {
        if self.bounds_of != Some(threshold) {
            self.bounds_of = Some(threshold);
            self.epoch += 1;
        }
        let bound = &mut self.bounds[other as usize % NUM_BOUNDS];
        if bound.epoch != self.epoch || bound.other != other {
            let min_overlap = threshold.min_overlap(self.size, other);
            *bound = Bound {
                epoch: self.epoch,
                other,
                min_overlap,
            };
        }
        bound.min_overlap
    }
}

/// Smallest overlap with a set of size `other`, good in one epoch: the same probing set and
/// threshold.
#[derive(Debug, Clone, Copy, Default)]
struct Bound {
    epoch: u32,
    other: u32,
    min_overlap: u32,
}

const NUM_BOUNDS: usize = 64;
