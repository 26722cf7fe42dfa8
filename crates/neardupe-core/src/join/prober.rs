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

/// Checks postings for one set after the other; one for each thread.
#[derive(Debug)]
pub struct Prober {
    /// What was looked at so far.
    pub ledger: Ledger,
    /// The lists of the probe at hand.
    pub probed: Probed,
    verifier: Verifier,
    /// The probe in which a set was last a candidate.
    seen: Vec<u32>,
    probe: u32,
    /// Smallest overlaps by size of the other set: a division for each posting would cost
    /// as much as all the rest.
    bounds: Vec<Bound>,
    bounds_of: Option<Threshold>,
    epoch: u32,
    sizes: (u32, u32),
    /// Of the probing set.
    size: u32,
    num_shared: u32,
    sketch: Sketch,
}

impl Prober {
    /// A prober for sets of `kept`.
    pub fn new(kept: &Kept) -> Self {
        Prober {
            seen: vec![0; kept.len() as usize],
            ..Prober::empty()
        }
    }

    /// A prober for nothing, to stand in while the real one is out.
    pub fn empty() -> Self {
        Prober {
            ledger: Ledger::default(),
            probed: Probed::default(),
            verifier: Verifier::default(),
            seen: Vec::new(),
            probe: 0,
            bounds: vec![Bound::default(); NUM_BOUNDS],
            bounds_of: None,
            epoch: 0,
            sizes: (0, 0),
            size: 0,
            num_shared: 0,
            sketch: Sketch::default(),
        }
    }

    /// Begins with another set.
    pub fn begin(&mut self, join: &Join<'_>, set: KeptIdx) {
        self.probe += 1;
        self.probed.clear();
        self.bounds_of = None;
        let size = join.kept.size(set);
        self.sizes = (join.threshold.min_size(size), join.threshold.max_size(size));
        self.size = size;
        self.num_shared = join.kept.num_shared(set);
        self.sketch = join.kept.sketch(set);
    }

    /// Overlap with the set of a posting, met at `position` of the probing set, if it has
    /// not been a candidate of this probe before and reaches `threshold`, which may have
    /// risen since the probe began.
    #[inline]
    pub fn check(
        &mut self,
        join: &Join<'_>,
        set: KeptIdx,
        position: u32,
        posting: &Posting,
        threshold: Threshold,
    ) -> Option<u32> {
        self.ledger.postings += 1;
        if join.filters.length
            && (posting.size < self.sizes.0 || posting.size > self.sizes.1)
        {
            return None;
        }
        self.ledger.after_length += 1;
        let size = self.size;
        let min_overlap = self.min_overlap(threshold, size, posting.size);
        // Features before a common one are not common: they were met at earlier positions.
        let possible = (size - position).min(posting.size - posting.position);
        if join.filters.position && possible < min_overlap {
            return None;
        }
        self.ledger.after_position += 1;
        let (own, other) = (self.num_shared, posting.num_shared);
        if join.filters.bitmap {
            let difference = bitmap::difference(&self.sketch, &posting.sketch);
            if bitmap::max_overlap(own, other, difference) < min_overlap {
                return None;
            }
        }
        let seen = &mut self.seen[posting.set as usize];
        if std::mem::replace(seen, self.probe) == self.probe {
            return None;
        }
        self.ledger.candidates += 1;
        if join.filters.bitmap {
            let (left, right) = (join.kept.bitmap(set), join.kept.bitmap(posting.set));
            let difference = bitmap::difference(left, right);
            if bitmap::max_overlap(own, other, difference) < min_overlap {
                return None;
            }
        }
        self.ledger.verified += 1;
        let overlap = self
            .verifier
            .overlap(join.kept, set, posting.set, min_overlap)?;
        self.ledger.found += 1;
        Some(overlap)
    }

    #[inline]
    fn min_overlap(&mut self, threshold: Threshold, size: u32, other: u32) -> u32 {
        if self.bounds_of != Some(threshold) {
            self.bounds_of = Some(threshold);
            self.epoch += 1;
        }
        let bound = &mut self.bounds[other as usize % NUM_BOUNDS];
        if bound.epoch != self.epoch || bound.other != other {
            let min_overlap = threshold.min_overlap(size, other);
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

const NUM_BOUNDS: usize = 256;
