//! The rarest features of a set, without sorting the set.
//!
//! All sets share one total order of features: by rarity, then by value. Similar sets
//! share one of their first few features in that order. Features of a single document come
//! first: they occupy their places, but no other document has them, so they are counted
//! and not looked up.

use super::counts::{NUM_RARITIES, Rarity};

/// Selects prefixes, reusing its buffers.
#[derive(Debug, Default)]
pub struct PrefixSelector {
    chosen: Vec<(Rarity, u64)>,
    border: Vec<u64>,
}

impl PrefixSelector {
    /// Appends the first `len` features of the order to `prefix`, those of a single
    /// document left out, and returns how many of these there are. None when `len` or more
    /// features belong to no other document: then the set has no partner.
    pub fn select(
        &mut self,
        features: &[u64],
        rarities: &[Rarity],
        len: u32,
        prefix: &mut Vec<u64>,
    ) -> Option<u32> {
        // Counting how many features there are of each rarity replaces sorting: with it the rarity up to which all belong
        // to the prefix is known, and only the features of that one rarity have to be put in order.
        let mut histogram = [0u32; NUM_RARITIES];
        for &rarity in rarities {
            histogram[usize::from(rarity)] += 1;
        }
        if histogram[0] >= len {
            return None;
        }
        let num_single = histogram[0];
        // The rarity up to which all features are in the prefix, and how many are missing.
        let mut missing = len - num_single;
        let mut border: usize = 1;
        while border < NUM_RARITIES && histogram[border] <= missing {
            missing -= histogram[border];
            border += 1;
        }
        self.chosen.clear();
        self.border.clear();
        for (&feature, &rarity) in features.iter().zip(rarities) {
            if rarity > 0 && usize::from(rarity) < border {
                self.chosen.push((rarity, feature));
            } else if usize::from(rarity) == border {
                self.border.push(feature);
            }
        }
        let missing = missing as usize;
        // Of those exactly as rare the smallest, by a selection in linear time. The order among equally rare ones is
        // arbitrary but must be the same for all sets, or two prefixes could miss each other: it is by value.
        if missing > 0 && missing < self.border.len() {
            self.border.select_nth_unstable(missing - 1);
        }
        self.border.truncate(missing);
        // A prefix is a small part of a set, so sorting it costs little; its positions are what filters calculate with.
        self.border.sort_unstable();
        self.chosen.sort_unstable();
        prefix.extend(self.chosen.iter().map(|&(_, feature)| feature));
        prefix.extend(&self.border);
        Some(num_single)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_prefix_is_what_a_full_sort_would_give(
            set in prop::collection::btree_map(0u64..1000, 0u8..6, 1..60),
            len in 1u32..60,
        ) {
            let features: Vec<u64> = set.keys().map(|&value| mix(value)).collect();
            let rarities: Vec<Rarity> = set.values().copied().collect();
            let mut sorted: Vec<(Rarity, u64)> =
                rarities.iter().copied().zip(features.iter().copied()).collect();
            sorted.sort_unstable();
            sorted.truncate(len as usize);
            let single = sorted.iter().filter(|&&(rarity, _)| rarity == 0).count();
            let expected: Vec<u64> =
                sorted[single..].iter().map(|&(_, feature)| feature).collect();
            let mut prefix = Vec::new();
            let found =
                PrefixSelector::default().select(&features, &rarities, len, &mut prefix);
            if single >= len as usize {
                prop_assert_eq!(found, None);
            } else {
                prop_assert_eq!(found, Some(u32::try_from(single).unwrap()));
                prop_assert_eq!(prefix, expected);
            }
        }
    }
}
