//! The filters of the join. Each can be switched off, which costs time; all but the signature
//! filter drop candidates without losing a pair.
//!
//! [`Filters::passes`] is the cascade: whoever lets two sets meet (the join over posting
//! lists, `explain` for two documents, a query) takes the pair through it. The prefix filter
//! is no step of it: a pair that it drops never meets.

use super::bitmap::{self, Sketch};
use super::ledger::Ledger;
use super::partition::NUM_PARTS;
use crate::similarity::Bounds;

/// One filter by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filter {
    /// Sets of too different sizes cannot be similar.
    Length,
    /// Similar sets share one of their rarest features.
    Prefix,
    /// The places of the first common feature bound the overlap.
    Position,
    /// The parity bitmaps of two sets bound their difference from below.
    Bitmap,
    /// Sets that share no key of their signatures are not compared: similar ones can be lost.
    Signature,
}

/// Which filters are on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Filters {
    /// See [`Filter::Length`].
    pub length: bool,
    /// See [`Filter::Prefix`].
    pub prefix: bool,
    /// See [`Filter::Position`].
    pub position: bool,
    /// See [`Filter::Bitmap`].
    pub bitmap: bool,
    /// Sets are looked up by keys of their signatures and not by their features: all of them
    /// count, and their order says nothing.
    pub keys: bool,
    /// Sets are similar only if their simhashes are.
    pub within: Option<Within>,
    /// Sets are compared only if they share so many keys of their signatures. Unlike the
    /// others this filter loses pairs.
    pub signature: Option<u32>,
}

/// How near two codes must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Within {
    /// Bits in which they may differ.
    pub distance: u32,
    /// Bits in which they must not.
    pub exact: u64,
}

impl Within {
    /// Whether two codes are near enough.
    #[inline]
    pub fn holds(self, left: u64, right: u64) -> bool {
        let difference = left ^ right;
        difference & self.exact == 0 && difference.count_ones() <= self.distance
    }
}

impl Default for Filters {
    fn default() -> Self {
        Filters {
            length: true,
            prefix: true,
            position: true,
            bitmap: true,
            keys: false,
            within: None,
            signature: None,
        }
    }
}

impl Filters {
    /// The filters that hold when sets are looked up by keys.
    pub fn by_keys(self) -> Self {
        Filters {
            prefix: false,
            position: false,
            keys: true,
            signature: None,
            ..self
        }
    }

    /// Switches one filter off.
    pub fn without(mut self, filter: Filter) -> Self {
        match filter {
            Filter::Length => self.length = false,
            Filter::Prefix => self.prefix = false,
            Filter::Position => self.position = false,
            Filter::Bitmap => self.bitmap = false,
            Filter::Signature => self.signature = None,
        }
        self
    }

    /// How many of its rarest features a set must be looked up by: every partner has one
    /// of them.
    #[inline]
    pub fn prefix_len(self, bounds: Bounds, size: u32) -> u32 {
        if self.keys {
            // Keys are no ranked features: each of them is looked up, however many there are.
            return u32::MAX;
        }
        if !self.prefix {
            return size;
        }
        bounds.prefix_len(size)
    }

    /// Number of parts of the feature space (see [`super::partition`]) that make up the head
    /// of a set: about twice as many features as its prefix has, so that most sets without
    /// a partner show it by their heads alone. All parts when that would save nothing.
    pub fn head_parts(self, bounds: Bounds) -> usize {
        if self.keys {
            // No heads are made of features.
            return NUM_PARTS;
        }
        const SAMPLE: u32 = 1 << 16;
        let prefix = self.prefix_len(bounds, SAMPLE) as usize;
        // 1.9 times the prefix and four parts more: with less a set without a partner too often stays open by chance, since
        // features fall into parts at random.
        let parts = (prefix * 19 / 10 * NUM_PARTS).div_ceil(SAMPLE as usize) + 4;
        if parts * 4 > NUM_PARTS * 3 {
            NUM_PARTS
        } else {
            parts
        }
    }

    /// Like [`Filters::prefix_len`] when every partner is at least as large.
    #[inline]
    pub fn prefix_len_for_larger(self, bounds: Bounds, size: u32) -> u32 {
        if !self.prefix || !self.length {
            return self.prefix_len(bounds, size);
        }
        bounds.prefix_len_for_larger(size)
    }
}

/// What the filters look at of two sets that meet, the left one and the right one.
#[derive(Debug, Clone, Copy)]
pub struct PostingPair<'a> {
    /// Numbers of features.
    pub sizes: [u32; 2],
    /// Places of the first common feature in the order of each set.
    pub positions: [u32; 2],
    /// Numbers of features that another set may have. By reference, so that the inner loop of
    /// the join reads them of the few postings that come so far.
    pub num_shared: [&'a u32; 2],
    /// Sketches of these features; or codes, or keys of signatures.
    pub sketches: [&'a Sketch; 2],
}

impl<'a> PostingPair<'a> {
    /// Two sets of which only the sizes are known: what is not known drops no pair.
    pub fn of_sizes(sizes: &'a [u32; 2]) -> Self {
        PostingPair {
            sizes: *sizes,
            positions: [0; 2],
            num_shared: [&sizes[0], &sizes[1]],
            sketches: [&[0; 4]; 2],
        }
    }

    /// Largest overlap that is still possible: features before the first common one are not
    /// common.
    #[inline(always)]
    pub fn possible(&self) -> u32 {
        let [left, right] = self.sizes;
        let [left_position, right_position] = self.positions;
        (left - left_position).min(right - right_position)
    }
}

/// What the bounds say about the partners of the left set.
pub trait Limits {
    /// Smallest and largest size.
    fn sizes(&self) -> (u32, u32);
    /// Smallest overlap with a set of this size.
    fn min_overlap(&mut self, right_size: u32) -> u32;
}

/// Limits that are computed when they are asked for.
#[derive(Debug, Clone, Copy)]
struct OfBounds {
    bounds: Bounds,
    size: u32,
}

impl Limits for OfBounds {
    #[inline]
    fn sizes(&self) -> (u32, u32) {
        (
            self.bounds.min_size(self.size),
            self.bounds.max_size(self.size),
        )
    }

    #[inline]
    fn min_overlap(&mut self, right_size: u32) -> u32 {
        self.bounds.min_overlap(self.size, right_size)
    }
}

/// What the cascade decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passed {
    /// The pair is worth verifying: it is similar from this overlap on.
    Candidate {
        /// The smallest overlap that is enough.
        min_overlap: u32,
    },
    /// A filter drops the pair.
    Dropped(Dropped),
}

/// The filter that drops a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dropped {
    /// See [`Filter::Length`].
    Length,
    /// See [`Filter::Position`].
    Position,
    /// The codes are too far apart ([`Filters::within`]).
    Code,
    /// See [`Filter::Signature`].
    Signature,
    /// See [`Filter::Bitmap`]: the sketches alone show it.
    Bitmap,
}

impl Filters {
    /// Takes a pair through the filters.
    pub fn passes(self, pair: &PostingPair<'_>, bounds: Bounds) -> Passed {
        let size = pair.sizes[0];
        let mut limits = OfBounds { bounds, size };
        self.passes_counted(pair, &mut limits, &mut Ledger::default())
    }

    /// Takes a pair through the filters and counts in the ledger how far it comes. The inner
    /// loop of the join: `limits` are remembered there, since a division for each posting
    /// would cost as much as all the rest. `self` is a reference for the same reason: with
    /// copies of the filters and of `num_shared` the loop took a tenth more instructions.
    #[inline(always)]
    pub fn passes_counted(
        &self,
        pair: &PostingPair<'_>,
        limits: &mut impl Limits,
        ledger: &mut Ledger,
    ) -> Passed {
        let right_size = pair.sizes[1];
        ledger.postings += 1;
        if self.length {
            // Two comparisons with numbers that are in registers: cheapest, so first.
            let (min_size, max_size) = limits.sizes();
            if right_size < min_size || right_size > max_size {
                return Passed::Dropped(Dropped::Length);
            }
        }
        ledger.after_length += 1;
        let min_overlap = limits.min_overlap(right_size);
        // Sets are in one order, and this is the first feature they share: those before it, in either set, are not common.
        if self.position && pair.possible() < min_overlap {
            return Passed::Dropped(Dropped::Position);
        }
        ledger.after_position += 1;
        let [left, right] = pair.sketches;
        // One of three, by the method; which one is the same for the whole join, so the branch is predicted.
        if let Some(within) = self.within {
            if !within.holds(left[0], right[0]) {
                return Passed::Dropped(Dropped::Code);
            }
        } else if let Some(needed) = self.signature {
            if bitmap::common_keys(left, right) < needed {
                return Passed::Dropped(Dropped::Signature);
            }
        } else if self.bitmap {
            let num_shared = pair.num_shared.map(|&num_shared| num_shared);
            if !may_overlap(num_shared, left, right, min_overlap) {
                return Passed::Dropped(Dropped::Bitmap);
            }
        }
        Passed::Candidate { min_overlap }
    }

    /// Whether the bitmaps of a candidate leave it: the last step, and the only one that
    /// needs more than a posting carries.
    #[inline(always)]
    pub fn passes_bitmaps(
        self,
        num_shared: [u32; 2],
        bitmaps: [&[u64]; 2],
        min_overlap: u32,
    ) -> bool {
        let [left, right] = bitmaps;
        !self.bitmap || may_overlap(num_shared, left, right, min_overlap)
    }
}

/// Whether sets with these bitmaps can have so many features in common.
#[inline(always)]
fn may_overlap(
    num_shared: [u32; 2],
    left: &[u64],
    right: &[u64],
    min_overlap: u32,
) -> bool {
    // Each differing bit is a feature that only one of them has; what is left is shared at most by both, so it halves.
    let difference = bitmap::difference(left, right);
    bitmap::max_overlap(num_shared[0], num_shared[1], difference) >= min_overlap
}

crate::named!(Filter as "no-filter" {
    Length = "length",
    Prefix = "prefix",
    Position = "position",
    Bitmap = "bitmap",
    Signature = "signature",
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;
    use crate::similarity::Similarity;
    use crate::verify::Verifier;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// A set in the order of the join, as an index would hold it.
    struct Indexed {
        order: Vec<u64>,
        num_shared: u32,
        bitmap: Vec<u64>,
        sketch: Sketch,
    }

    impl Indexed {
        /// `may_be_shared` says which features another set may have: the others come first.
        fn new(features: &[u64], may_be_shared: impl Fn(u64) -> bool) -> Self {
            let mut order = features.to_vec();
            order.sort_unstable_by_key(|&feature| (may_be_shared(feature), feature));
            let shared = order.iter().copied().filter(|&one| may_be_shared(one));
            let mut bitmap = Vec::new();
            let sketch = bitmap::build(shared.clone(), narrow(order.len()), &mut bitmap);
            let num_shared = narrow(shared.count());
            Indexed {
                order,
                num_shared,
                bitmap,
                sketch,
            }
        }

        fn size(&self) -> u32 {
            narrow(self.order.len())
        }
    }

    fn narrow(len: usize) -> u32 {
        u32::try_from(len).unwrap()
    }

    fn filters(bits: u8) -> Filters {
        Filters {
            length: bits & 1 != 0,
            prefix: bits & 2 != 0,
            position: bits & 4 != 0,
            bitmap: bits & 8 != 0,
            ..Filters::default()
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn no_combination_of_filters_loses_a_similar_pair(
            base in prop::collection::btree_set(0u64..200, 1..60),
            others in prop::collection::vec((0u64..200, any::<bool>()), 0..12),
            elsewhere in prop::collection::btree_set(0u64..200, 0..100),
            threshold in prop::sample::select(vec!["0.1", "0.3", "0.5", "0.8", "0.95", "1"]),
            kind in 0u8..4,
            most in 4u32..40,
        ) {
            let similarity = match kind {
                0 => Similarity::Resemblance,
                1 => Similarity::S3,
                2 => Similarity::Containment,
                _ => Similarity::Estimate(most),
            };
            let bounds = Bounds::new(similarity, threshold.parse().unwrap());
            // Most values are in both: with few of them no pair would be similar.
            let mut values = [base.clone(), base];
            for (value, side) in others {
                values[usize::from(side)].remove(&value);
                values[usize::from(!side)].insert(value);
            }
            let features = |values: &BTreeSet<u64>| {
                let mut features: Vec<u64> = values.iter().map(|&one| mix(one + 1)).collect();
                if let Some(most) = bounds.smallest() {
                    // An estimate knows so many of each set.
                    features.sort_unstable_by_key(|&one| crate::hash::rank(one));
                    features.truncate(most as usize);
                }
                features
            };
            let [left, right] = [&values[0], &values[1]].map(features);
            let overlap = Verifier::of(&left).overlap_with(&right, bounds, 0).unwrap();
            let elsewhere: BTreeSet<u64> = elsewhere.iter().map(|&one| mix(one + 1)).collect();
            let may_be_shared = |feature: u64| {
                elsewhere.contains(&feature)
                    || (left.contains(&feature) && right.contains(&feature))
            };
            let (one, two) =
                (Indexed::new(&left, may_be_shared), Indexed::new(&right, may_be_shared));
            let first = one.order.iter().find(|&&feature| two.order.contains(&feature));
            let Some(first) = first else { return Ok(()) };
            let position =
                |set: &Indexed| narrow(set.order.iter().position(|one| one == first).unwrap());
            let pair = PostingPair {
                sizes: [one.size(), two.size()],
                positions: [position(&one), position(&two)],
                num_shared: [&one.num_shared, &two.num_shared],
                sketches: [&one.sketch, &two.sketch],
            };
            let is_similar = bounds.reached(overlap, one.size(), two.size());
            let needed = bounds.min_overlap(one.size(), two.size());
            for filters in (0..16).map(filters) {
                let passed = filters.passes(&pair, bounds);
                let bitmaps = [&one.bitmap[..], &two.bitmap];
                let in_prefixes = pair.positions[0] < filters.prefix_len(bounds, one.size())
                    && pair.positions[1] < filters.prefix_len(bounds, two.size());
                if is_similar {
                    prop_assert_eq!(passed, Passed::Candidate { min_overlap: needed });
                    let num_shared = pair.num_shared.map(|&num_shared| num_shared);
                    prop_assert!(filters.passes_bitmaps(num_shared, bitmaps, needed));
                    prop_assert!(in_prefixes);
                    let sizes = PostingPair::of_sizes(&pair.sizes);
                    prop_assert_eq!(filters.passes(&sizes, bounds), passed);
                }
                let expected = |filter: Dropped| match filter {
                    Dropped::Length => filters.length,
                    Dropped::Position => filters.position,
                    Dropped::Bitmap => filters.bitmap,
                    Dropped::Code | Dropped::Signature => false,
                };
                if let Passed::Dropped(filter) = passed {
                    prop_assert!(expected(filter), "{filter:?} is switched off");
                }
            }
        }
    }

    #[test]
    fn the_ledger_counts_how_far_a_pair_comes() {
        let bounds = Bounds::new(Similarity::Resemblance, "0.5".parse().unwrap());
        let (few, many) = ([0; 4], [u64::MAX; 4]);
        let near = Some(Within {
            distance: 3,
            exact: 1 << 60,
        });
        let all = Filters::default();
        let by_code = Filters {
            within: near,
            ..all
        };
        let by_keys = Filters {
            signature: Some(2),
            ..all
        };
        let candidate = Passed::Candidate { min_overlap: 7 };
        use Dropped::{Bitmap, Code, Length, Position, Signature};
        let dropped = Passed::Dropped;
        let cases = [
            (all, 21, [0, 0], [&few, &few], dropped(Length), (0, 0)),
            (all, 10, [4, 0], [&few, &few], dropped(Position), (1, 0)),
            (all, 10, [3, 3], [&few, &many], dropped(Bitmap), (1, 1)),
            (all, 10, [3, 3], [&many, &many], candidate, (1, 1)),
            (
                by_code,
                10,
                [0, 0],
                [&few, &[7, 0, 0, 0]],
                candidate,
                (1, 1),
            ),
            (
                by_code,
                10,
                [0, 0],
                [&few, &[15, 0, 0, 0]],
                dropped(Code),
                (1, 1),
            ),
            (
                by_code,
                10,
                [0, 0],
                [&few, &[1 << 60, 0, 0, 0]],
                dropped(Code),
                (1, 1),
            ),
            (
                by_keys,
                10,
                [0, 0],
                [&few, &few],
                dropped(Signature),
                (1, 1),
            ),
            (
                by_keys,
                10,
                [0, 0],
                [&[9, 9, 0, 0], &[9, 9, 0, 0]],
                candidate,
                (1, 1),
            ),
        ];
        for (number, (filters, size, positions, sketches, expected, after)) in
            cases.into_iter().enumerate()
        {
            let pair = PostingPair {
                sizes: [10, size],
                positions,
                num_shared: [&10, &size],
                sketches,
            };
            let mut ledger = Ledger::default();
            let mut limits = OfBounds { bounds, size: 10 };
            let passed = filters.passes_counted(&pair, &mut limits, &mut ledger);
            assert_eq!(passed, expected, "{number}");
            let counted = (ledger.after_length, ledger.after_position);
            assert_eq!((ledger.postings, counted), (1, after), "{number}");
        }
    }
}
