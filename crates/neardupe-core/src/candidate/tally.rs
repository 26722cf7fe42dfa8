//! In how many sets a feature occurs, exactly, in a form that can be merged.
//!
//! [`Counts`](super::counts::Counts) cannot be merged as they are stored: features share a
//! narrow counter, and what comes when it is full goes to the wide counter of the feature that
//! happens to come then. When two tables are added, a narrow counter that is full now was not
//! before, and which features its excess belongs to is not stored. So whoever counts in several
//! places sends the features themselves to one [`Counts`](super::counts::Counts), or adds up tallies: sorted features
//! with their counts, 12 bytes or more for each where the counters take one.

use super::counts::{Rarity, rarity_of};
use super::partition::{part_of, rest_of};

/// Exact counts of some features. Merging is associative and commutative, so the result does
/// not depend on where and in what order was counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FeatureTally {
    /// As much of each feature as counters see, ascending, with its count.
    counts: Vec<(u64, u64)>,
}

/// What counters see of a feature: its part and what is left in it.
fn key(feature: u64) -> u64 {
    ((part_of(feature) as u64) << 32) | u64::from(rest_of(feature))
}

impl FeatureTally {
    /// Counts features, each given once for each set that has it.
    pub fn of(features: impl IntoIterator<Item = u64>) -> Self {
        let mut keys: Vec<u64> = features.into_iter().map(key).collect();
        keys.sort_unstable();
        let same = keys.chunk_by(|left, right| left == right);
        FeatureTally {
            counts: same.map(|same| (same[0], same.len() as u64)).collect(),
        }
    }

    /// The sums of two tallies.
    #[must_use]
    pub fn merge(&self, other: &FeatureTally) -> FeatureTally {
        let (mut left, mut right) = (&self.counts[..], &other.counts[..]);
        let mut counts = Vec::with_capacity(left.len().max(right.len()));
        while let ([one, rest_of_left @ ..], [two, rest_of_right @ ..]) = (left, right) {
            counts.push((one.0.min(two.0), 0));
            let sum = &mut counts.last_mut().expect("just pushed").1;
            // Both when they are equal.
            if one.0 <= two.0 {
                *sum += one.1;
                left = rest_of_left;
            }
            if two.0 <= one.0 {
                *sum += two.1;
                right = rest_of_right;
            }
        }
        counts.extend_from_slice(left);
        counts.extend_from_slice(right);
        FeatureTally { counts }
    }

    /// In how many sets a feature occurs.
    pub fn count(&self, feature: u64) -> u64 {
        let key = key(feature);
        let found = self.counts.binary_search_by_key(&key, |&(key, _)| key);
        found.map_or(0, |at| self.counts[at].1)
    }

    /// Its rarity, as counters that no other feature shares would say.
    pub fn rarity(&self, feature: u64) -> Rarity {
        rarity_of(self.count(feature))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidate::counts::Counts;
    use crate::candidate::partition::{NUM_PARTS, Partition};
    use crate::hash::mix;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn merging_is_associative_and_gives_what_counting_at_once_gives(
            stretches in prop::collection::vec(prop::collection::vec(0u64..30, 0..60), 3),
        ) {
            let stretches: Vec<Vec<u64>> = stretches
                .iter()
                .map(|values| values.iter().map(|&value| mix(value)).collect())
                .collect();
            let tallies: Vec<FeatureTally> =
                stretches.iter().map(|one| FeatureTally::of(one.iter().copied())).collect();
            let [one, two, three] = [&tallies[0], &tallies[1], &tallies[2]];
            let at_once = FeatureTally::of(stretches.concat());
            prop_assert_eq!(&one.merge(two).merge(three), &at_once);
            prop_assert_eq!(&one.merge(&two.merge(three)), &at_once);
            prop_assert_eq!(&three.merge(one).merge(two), &at_once);
            prop_assert_eq!(&at_once.merge(&FeatureTally::default()), &at_once);
            for feature in (0..30).map(mix) {
                let expected = stretches.iter().flatten().filter(|&&one| one == feature);
                prop_assert_eq!(at_once.count(feature), expected.count() as u64);
            }
        }

        #[test]
        fn counters_are_never_below_a_tally(
            values in prop::collection::vec(0u64..300, 0..900),
        ) {
            let features: Vec<u64> = values.into_iter().map(mix).collect();
            let tally = FeatureTally::of(features.iter().copied());
            let mut counts = Counts::new(300, &(0..NUM_PARTS), u64::MAX);
            counts.add(&[Partition::of(&features)]);
            for &feature in &features {
                // A counter that is full may be so by another feature.
                let single = counts.rarity(feature) == 0;
                prop_assert!(!single || tally.rarity(feature) == 0);
            }
        }
    }

    #[test]
    fn a_feature_alone_is_as_rare_by_counters_as_by_its_tally() {
        for count in (0..12).chain([99, 100, 1 << 14]) {
            let features = vec![mix(7); count];
            let mut counts = Counts::new(10, &(0..NUM_PARTS), u64::MAX);
            counts.add(&[Partition::of(&features)]);
            assert_eq!(
                FeatureTally::of(features).rarity(mix(7)),
                counts.rarity(mix(7))
            );
        }
    }
}
