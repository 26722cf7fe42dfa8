//! The exact overlap of two candidates, with an early end below what is needed.
//!
//! The features of one set are put into a flat table once, and each candidate's features
//! are looked up in it: no set is ever sorted. Sets are in no order related to their
//! overlap, so two sets that are far apart show it after a small part of them.
//!
//! This is the only place where overlaps are counted: the join, queries ([`Verifier`]) and
//! whoever compares two sets once ([`overlap`]) come here. Sets that are sorted anyway are
//! walked through instead ([`sorted`]), which is also the slow twin that tests compare with.

pub mod sorted;

use crate::candidate::open_sets::OpenSets;
use crate::error::Result;
use crate::feature::FeatureTable;
use crate::hash;
use crate::numbers::{OpenIdx, of_len};
use crate::similarity::Bounds;

/// Verifies candidates of one set after the other.
#[derive(Debug, Default, Clone)]
pub struct Verifier {
    table: FeatureTable,
    /// Number of features in the table.
    size: u32,
    /// The open set in the table; None for a set that was given by its features.
    loaded: Option<OpenIdx>,
    ranks: Vec<u64>,
}

/// Features looked up between two checks for an early end.
const STEP: usize = 32;

impl Verifier {
    /// A verifier that has a set loaded.
    pub fn of(features: &[u64]) -> Self {
        let mut verifier = Verifier::default();
        verifier.load(features);
        verifier
    }

    /// Takes the set that others are compared with from now on. Its features are different
    /// from each other, and none of them is 0.
    pub fn load(&mut self, features: &[u64]) {
        debug_assert!(!features.contains(&0), "0 stands for no feature");
        self.table.reset(features.len());
        for &feature in features {
            self.table.insert(feature);
        }
        self.size = size(features);
        self.loaded = None;
    }

    /// Overlap of the loaded set with another one, as `bounds` count it, if it is at least
    /// `min_overlap`.
    pub fn overlap_with(
        &mut self,
        features: &[u64],
        bounds: Bounds,
        min_overlap: u32,
    ) -> Option<u32> {
        let overlap = self.count(features, min_overlap)?;
        let sizes = u64::from(self.size) + u64::from(size(features));
        match bounds.smallest() {
            Some(most) if sizes - u64::from(overlap) > u64::from(most) => {
                let overlap = self.among_smallest(features, most);
                (overlap >= min_overlap).then_some(overlap)
            }
            _ => Some(overlap),
        }
    }

    /// Overlap of two open sets, as `bounds` count it, if it is at least `min_overlap`. The
    /// left set stays loaded, so pairs that share it should come one after the other.
    pub fn overlap(
        &mut self,
        open: &OpenSets,
        left: OpenIdx,
        right: OpenIdx,
        bounds: Bounds,
        min_overlap: u32,
    ) -> Result<Option<u32>> {
        // A set that probes is loaded for its first candidate, and stays for all others.
        if self.loaded != Some(left) {
            self.load(&open.features(left)?);
            self.loaded = Some(left);
        }
        Ok(self.overlap_with(&open.features(right)?, bounds, min_overlap))
    }

    /// How many of the `most` smallest features of both sets together both have. The union
    /// has more than that many.
    fn among_smallest(&mut self, right: &[u64], most: u32) -> u32 {
        let ranks = &mut self.ranks;
        ranks.clear();
        ranks.extend(self.table.iter().map(hash::rank));
        let only_right = right.iter().filter(|&&one| !self.table.contains(one));
        ranks.extend(only_right.map(|&feature| hash::rank(feature)));
        let (_, &mut last, _) = ranks.select_nth_unstable(most as usize - 1);
        let counted = right.iter().filter(|&&feature| {
            hash::rank(feature) <= last && self.table.contains(feature)
        });
        of_len(counted.count())
    }

    /// Overlap of the set in the table with another one, if it is at least `min_overlap`: the loop in which verification
    /// spends its time.
    #[inline]
    fn count(&self, features: &[u64], min_overlap: u32) -> Option<u32> {
        // How many features may be missing until the overlap is out of reach. Sets that are far apart end after a step
        // or two, which is why the features of a set must not be in an order that depends on their rarity.
        let mut missing_allowed = size(features).checked_sub(min_overlap)?;
        let mut overlap = 0;
        for step in features.chunks(STEP) {
            let mut hits = 0;
            // No branch within a step: whether a feature is found is random, and a wrong guess costs more than the lookup.
            for &feature in step {
                hits += u32::from(self.table.contains(feature));
            }
            #[expect(clippy::cast_possible_truncation, reason = "at most STEP")]
            let misses = step.len() as u32 - hits;
            missing_allowed = missing_allowed.checked_sub(misses)?;
            overlap += hits;
        }
        Some(overlap)
    }
}

/// Number of features that two sets have in common.
pub fn overlap(left: &[u64], right: &[u64]) -> u32 {
    Verifier::of(left).count(right, 0).unwrap_or(0)
}

/// Number of features of a set. A document of more than four billion features does not fit
/// a chunk, and fails there.
#[inline]
fn size(features: &[u64]) -> u32 {
    of_len(features.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;
    use crate::similarity::Similarity;
    use proptest::prelude::*;

    /// The definition: sorted sets, walked through; of an estimate the smallest of the union.
    fn slow(left: &[u64], right: &[u64], bounds: Bounds) -> u32 {
        let by_rank = |set: &[u64]| {
            let mut set: Vec<u64> = set.iter().map(|&one| hash::rank(one)).collect();
            set.sort_unstable();
            set
        };
        let (mut left, mut right) = (by_rank(left), by_rank(right));
        let mut union = [&left[..], &right].concat();
        union.sort_unstable();
        union.dedup();
        let most = bounds.smallest().map_or(union.len(), |most| most as usize);
        if let Some(last) = union.get(most) {
            left.retain(|one| one < last);
            right.retain(|one| one < last);
        }
        sorted::overlap(&left, &right)
    }

    fn features(values: &[u64]) -> Vec<u64> {
        values.iter().map(|&value| mix(value + 1)).collect()
    }

    proptest! {
        #[test]
        fn an_overlap_is_what_a_walk_through_sorted_sets_counts(
            sets in prop::collection::vec(
                prop::collection::hash_set(0u64..150, 0..120), 1..5
            ),
            most in prop::option::of(1u32..60),
            min_overlap in 0u32..40,
        ) {
            let similarity = most.map_or(Similarity::Resemblance, Similarity::Estimate);
            let bounds = Bounds::new(similarity, "0.5".parse().unwrap());
            let sets: Vec<Vec<u64>> = sets
                .into_iter()
                .map(|set| features(&set.into_iter().collect::<Vec<_>>()))
                .collect();
            // One verifier for all: nothing of the set before may stay.
            let mut verifier = Verifier::default();
            for left in &sets {
                verifier.load(left);
                for right in &sets {
                    let expected = slow(left, right, bounds);
                    prop_assert_eq!(
                        verifier.overlap_with(right, bounds, min_overlap),
                        (expected >= min_overlap).then_some(expected)
                    );
                    let all = Bounds::new(Similarity::Resemblance, "0.5".parse().unwrap());
                    prop_assert_eq!(overlap(left, right), slow(left, right, all));
                    prop_assert_eq!(overlap(left, right), overlap(right, left));
                }
            }
        }
    }
}
