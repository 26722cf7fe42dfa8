//! The join for two documents, step by step: what each filter sees, needs and decides.
//!
//! Every number comes from the functions that the join itself uses. Counts are exact here,
//! where the join has approximate ones that err upwards only: its order of features may be
//! another one, which changes what is looked at and never what is found.

mod count;

pub use count::{FeatureCounts, count_features};

use super::compare::Overlap;
use crate::candidate::bitmap::{self, Sketch};
use crate::candidate::filter::{Dropped, Filters, Passed, PostingPair};
use crate::numbers::of_len;
use crate::similarity::Bounds;
use std::cmp::Ordering;
use std::ops::RangeInclusive;

/// One of the two documents in the order of the join.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ordered {
    /// Its features from the rarest to the most frequent, equally rare ones by value.
    pub features: Vec<u64>,
    /// In how many sets of the collection each occurs.
    pub counts: Vec<u32>,
    /// How many of the first ones belong to the prefix.
    pub prefix_len: u32,
    /// How many occur in no other set.
    pub num_single: u32,
}

impl Ordered {
    /// Puts the features of a document in the order of the join.
    fn new(features: &[u64], counts: &FeatureCounts, bounds: Bounds) -> Self {
        let count = |&feature: &u64| (counts.of(feature), feature);
        let mut order: Vec<(u32, u64)> = features.iter().map(count).collect();
        order.sort_unstable();
        let prefix_len = match size(features) {
            0 => 0,
            size => bounds.prefix_len(size),
        };
        let single = order.iter().filter(|&&(count, _)| count <= 1).count();
        Ordered {
            prefix_len,
            num_single: of_len(single),
            features: order.iter().map(|&(_, feature)| feature).collect(),
            counts: order.iter().map(|&(count, _)| count).collect(),
        }
    }

    /// Number of features.
    pub fn size(&self) -> u32 {
        size(&self.features)
    }

    /// The features that are looked up.
    fn prefix(&self) -> &[u64] {
        &self.features[..self.prefix_len as usize]
    }

    /// The features that another set has too: only these are in bitmaps.
    fn shared(&self) -> impl Iterator<Item = u64> {
        let pairs = self.features.iter().zip(&self.counts);
        pairs
            .filter(|&(_, &count)| count > 1)
            .map(|(&feature, _)| feature)
    }
}

/// A feature that both documents have in their prefixes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Common {
    /// The feature.
    pub feature: u64,
    /// In how many sets it occurs.
    pub count: u32,
    /// Its place in the order of the left document, from 0.
    pub left_position: u32,
    /// Its place in the order of the right document, from 0.
    pub right_position: u32,
}

/// What the bitmap filter sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BitmapStep {
    /// Features of the left document that another set has, too.
    pub left_shared: u32,
    /// Those of the right document.
    pub right_shared: u32,
    /// Bits in which the sketches differ, and the largest overlap that allows.
    pub sketch: (u32, u32),
    /// Bits in which the bitmaps differ, and the largest overlap that allows.
    pub bitmap: (u32, u32),
}

/// How the join decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// A document without text is never a duplicate.
    Empty,
    /// The feature sets are equal: they are put together before the join.
    Equal,
    /// The length filter drops the pair.
    Length,
    /// The prefix filter drops the pair: it never becomes a candidate.
    Prefix,
    /// The position filter drops the pair.
    Position,
    /// The bitmap filter drops the pair.
    Bitmap,
    /// Verification finds too few common features.
    TooFew,
    /// The pair is found.
    Similar,
}

impl Verdict {
    /// The name used in outputs.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Empty => "empty",
            Verdict::Equal => "equal-features",
            Verdict::Length => "dropped-by-length",
            Verdict::Prefix => "dropped-by-prefix",
            Verdict::Position => "dropped-by-position",
            Verdict::Bitmap => "dropped-by-bitmap",
            Verdict::TooFew => "not-similar",
            Verdict::Similar => "similar",
        }
    }
}

/// The join for two documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinSteps {
    /// The left document.
    pub left: Ordered,
    /// The right document.
    pub right: Ordered,
    /// Sizes that partners of the left document can have.
    pub sizes: RangeInclusive<u32>,
    /// Smallest overlap at which documents of these sizes are similar.
    pub needed: u32,
    /// Features that both prefixes have, in order.
    pub common: Vec<Common>,
    /// Largest overlap that is still possible at the first of them.
    pub possible: Option<u32>,
    /// What the bitmap filter sees.
    pub bitmap: BitmapStep,
    /// What verification counts.
    pub overlap: Overlap,
    /// What is decided.
    pub verdict: Verdict,
}

impl JoinSteps {
    /// Goes through the join of two documents given by their features; `is_equal_text` when
    /// their texts are the same.
    pub fn new(
        left: &[u64],
        right: &[u64],
        counts: &FeatureCounts,
        bounds: Bounds,
        is_equal_text: bool,
    ) -> Self {
        let overlap = Overlap::of_sets(left, right);
        let left = Ordered::new(left, counts, bounds);
        let right = Ordered::new(right, counts, bounds);
        let (one, other) = (left.size(), right.size());
        let common = common(&left, &right);
        let bitmaps = [Bitmaps::of(&left), Bitmaps::of(&right)];
        let pair = common.first().map(|first| PostingPair {
            sizes: [one, other],
            positions: [first.left_position, first.right_position],
            num_shared: [&bitmaps[0].num_shared, &bitmaps[1].num_shared],
            sketches: [&bitmaps[0].sketch, &bitmaps[1].sketch],
        });
        let needed = bounds.min_overlap(one, other);
        // Equal texts are duplicates however few features they have.
        let is_equal = one == other && overlap.overlap == one;
        // Equal sets that are too small to be similar are together only if their texts are equal, as `SetMaker` has it.
        let is_equal = is_equal && (is_equal_text || overlap.overlap >= needed);
        let verdict = match &pair {
            _ if one == 0 || other == 0 => Verdict::Empty,
            _ if is_equal => Verdict::Equal,
            Some(pair) => decide(pair, &bitmaps, bounds, overlap.overlap),
            // They never meet in a list, or what meets there is dropped by its size.
            None => match filtered(&PostingPair::of_sizes(&[one, other]), bounds) {
                Passed::Dropped(Dropped::Length) => Verdict::Length,
                _ => Verdict::Prefix,
            },
        };
        JoinSteps {
            sizes: bounds.min_size(one)..=bounds.max_size(one),
            needed,
            common,
            possible: pair.map(|pair| pair.possible()),
            bitmap: bitmap_step(&bitmaps),
            overlap,
            verdict,
            left,
            right,
        }
    }
}

/// The filters of the join, all switched on.
fn filtered(pair: &PostingPair<'_>, bounds: Bounds) -> Passed {
    Filters::default().passes(pair, bounds)
}

/// The first step that drops a pair which meets in a list.
fn decide(
    pair: &PostingPair<'_>,
    [left, right]: &[Bitmaps; 2],
    bounds: Bounds,
    overlap: u32,
) -> Verdict {
    let min_overlap = match filtered(pair, bounds) {
        Passed::Candidate { min_overlap } => min_overlap,
        Passed::Dropped(Dropped::Length) => return Verdict::Length,
        Passed::Dropped(Dropped::Position) => return Verdict::Position,
        // Neither codes nor keys of signatures are asked for.
        Passed::Dropped(Dropped::Bitmap | Dropped::Code | Dropped::Signature) => {
            return Verdict::Bitmap;
        }
    };
    let bitmaps = [&left.bitmap[..], &right.bitmap];
    let filters = Filters::default();
    let num_shared = [left.num_shared, right.num_shared];
    if !filters.passes_bitmaps(num_shared, bitmaps, min_overlap) {
        return Verdict::Bitmap;
    }
    if overlap < min_overlap {
        return Verdict::TooFew;
    }
    Verdict::Similar
}

/// Features of both prefixes, in the order that both have: one walk through both.
fn common(left: &Ordered, right: &Ordered) -> Vec<Common> {
    let (mut one, mut other) = (0, 0);
    let mut common = Vec::new();
    while one < left.prefix().len() && other < right.prefix().len() {
        let key = (left.counts[one], left.features[one]);
        match key.cmp(&(right.counts[other], right.features[other])) {
            Ordering::Less => one += 1,
            Ordering::Greater => other += 1,
            Ordering::Equal => {
                common.push(Common {
                    feature: key.1,
                    count: key.0,
                    left_position: of_len(one),
                    right_position: of_len(other),
                });
                (one, other) = (one + 1, other + 1);
            }
        }
    }
    common
}

/// The bitmaps of one document.
struct Bitmaps {
    num_shared: u32,
    sketch: Sketch,
    bitmap: Vec<u64>,
}

impl Bitmaps {
    /// As the join makes them.
    fn of(document: &Ordered) -> Self {
        let mut bitmap = Vec::new();
        let sketch = bitmap::build(document.shared(), document.size(), &mut bitmap);
        Bitmaps {
            num_shared: of_len(document.shared().count()),
            sketch,
            bitmap,
        }
    }
}

/// What the bitmaps of two documents allow.
fn bitmap_step([left, right]: &[Bitmaps; 2]) -> BitmapStep {
    let bound = |difference: u32| {
        let most = bitmap::max_overlap(left.num_shared, right.num_shared, difference);
        (difference, most)
    };
    BitmapStep {
        left_shared: left.num_shared,
        right_shared: right.num_shared,
        sketch: bound(bitmap::difference(&left.sketch, &right.sketch)),
        bitmap: bound(bitmap::difference(&left.bitmap, &right.bitmap)),
    }
}

/// Number of features.
fn size(features: &[u64]) -> u32 {
    of_len(features.len())
}

#[cfg(test)]
mod tests;
