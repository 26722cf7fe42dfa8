//! Features that more than so many documents have: counted, and replaced by features that no
//! other set has, so that they count for the size of a set and for no overlap.

use super::chunk::SetChunk;
use crate::hash::{self, FixedMap, FixedSet};

/// In how many documents features occur, exactly. Counts of any slices of a collection add up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DocumentCounts {
    counts: FixedMap<u64, u64>,
}

impl DocumentCounts {
    /// Counts one slice: features of sets, each with the number of documents that have the
    /// set.
    pub fn add(&mut self, slice: &[(u64, u32)]) {
        for &(feature, weight) in slice {
            *self.counts.entry(feature).or_insert(0) += u64::from(weight);
        }
    }

    /// Adds the counts of other slices.
    pub fn merge(&mut self, other: DocumentCounts) {
        let counts = other.counts.into_iter();
        counts.for_each(|(feature, count)| {
            *self.counts.entry(feature).or_insert(0) += count;
        });
    }

    /// The features that more than `most` documents have, in no order.
    pub fn above(self, most: u32) -> impl Iterator<Item = u64> {
        let counts = self.counts.into_iter();
        let common = counts.filter(move |&(_, count)| count > u64::from(most));
        common.map(|(feature, _)| feature)
    }
}

/// Replaces common features by ones that only their set has, in the same part. With `ranked` also
/// at the same place of the order ([`hash::rank`]): the half that says this stays, and the number of
/// the set, which no other has, goes into the other half. Counters do not distinguish such features from
/// each other, so it is done only where the order matters.
pub fn make_own(chunk: &mut SetChunk, common: &FixedSet<u64>, ranked: bool) {
    const PART: u64 = 0xff << 56;
    const PLACE: u64 = 0xffff_ffff << 32;
    for at in 0..chunk.spans.len() {
        let span = chunk.spans[at];
        let start = span.start as usize;
        for feature in &mut chunk.features[start..start + span.len as usize] {
            if common.contains(feature) {
                let set = u64::from(span.set.get());
                let (own, stays) = if ranked {
                    (hash::mix(*feature) ^ set, PLACE)
                } else {
                    (hash::numbered(*feature, set, 0), PART)
                };
                // Never 0, which stands for no feature in tables.
                *feature = hash::nonzero((*feature & stays) | (own & !stays));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;
    use crate::numbers::SetIdx;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn slices_add_up_in_any_order(
            slices in prop::collection::vec(
                prop::collection::vec((0u64..20, 1u32..4), 0..30), 3
            ),
            most in 0u32..20,
        ) {
            let counts: Vec<DocumentCounts> = slices
                .iter()
                .map(|slice| {
                    let mut counts = DocumentCounts::default();
                    counts.add(slice);
                    counts
                })
                .collect();
            let merged = |order: [usize; 3]| {
                let mut merged = DocumentCounts::default();
                for at in order {
                    merged.merge(counts[at].clone());
                }
                merged
            };
            // First the last two, then the first.
            let mut nested = counts[1].clone();
            nested.merge(counts[2].clone());
            let mut first = counts[0].clone();
            first.merge(nested);
            prop_assert_eq!(&first, &merged([0, 1, 2]));
            prop_assert_eq!(&first, &merged([2, 0, 1]));
            let sum = |feature: u64| -> u32 {
                let of = slices.iter().flatten().filter(|one| one.0 == feature);
                of.map(|one| one.1).sum()
            };
            let expected: BTreeSet<u64> = (0..20).filter(|&one| sum(one) > most).collect();
            prop_assert_eq!(first.above(most).collect::<BTreeSet<u64>>(), expected);
        }

        #[test]
        fn what_is_common_is_never_shared_again_and_counts_for_the_size(
            sets in prop::collection::vec(prop::collection::btree_set(0u64..30, 0..20), 1..8),
            common in prop::collection::btree_set(0u64..30, 0..10),
            ranked in any::<bool>(),
        ) {
            let mut chunk = SetChunk::default();
            for (number, set) in (0u32..).zip(&sets) {
                let features: Vec<u64> = set.iter().map(|&value| mix(value + 1)).collect();
                chunk.push(SetIdx::new(number), &features);
            }
            let set_aside: FixedSet<u64> = common.iter().map(|&value| mix(value + 1)).collect();
            make_own(&mut chunk, &set_aside, ranked);
            let made: Vec<BTreeSet<u64>> =
                chunk.spans.iter().map(|span| chunk.set(span).iter().copied().collect()).collect();
            for (at, (set, one)) in sets.iter().zip(&made).enumerate() {
                prop_assert_eq!(one.len(), set.len());
                for (other_set, other) in sets.iter().zip(&made).skip(at + 1) {
                    let shared = set.intersection(other_set);
                    let shared = shared.filter(|value| !common.contains(value));
                    prop_assert_eq!(one.intersection(other).count(), shared.count());
                }
            }
        }
    }
}
