//! The rarest features of a set, without sorting the set.
//!
//! All sets share one total order of features: by rarity, then by value. Similar sets
//! share one of their first few features in that order. Features of a single document come
//! first: they occupy their places, but no other document has them, so they are counted
//! and not looked up.

use super::counts::{Counts, NUM_RARITIES, Rarity};

/// Selects prefixes, reusing its buffers.
#[derive(Debug, Default)]
pub struct PrefixSelector {
    rarities: Vec<Rarity>,
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
        len: u32,
        counts: &Counts,
        prefix: &mut Vec<u64>,
    ) -> Option<u32> {
        let histogram = self.rate(features, len, counts)?;
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
        for (&feature, &rarity) in features.iter().zip(&self.rarities) {
            if rarity > 0 && usize::from(rarity) < border {
                self.chosen.push((rarity, feature));
            } else if usize::from(rarity) == border {
                self.border.push(feature);
            }
        }
        let missing = missing as usize;
        if missing > 0 && missing < self.border.len() {
            self.border.select_nth_unstable(missing - 1);
        }
        self.border.truncate(missing);
        self.border.sort_unstable();
        self.chosen.sort_unstable();
        prefix.extend(self.chosen.iter().map(|&(_, feature)| feature));
        prefix.extend(&self.border);
        Some(num_single)
    }

    /// Looks up the rarities and counts them; None as soon as `len` are single.
    fn rate(
        &mut self,
        features: &[u64],
        len: u32,
        counts: &Counts,
    ) -> Option<[u32; NUM_RARITIES]> {
        let mut histogram = [0; NUM_RARITIES];
        self.rarities.clear();
        for chunk in features.chunks(16) {
            for &feature in chunk {
                let rarity = counts.rarity(feature);
                histogram[usize::from(rarity)] += 1;
                self.rarities.push(rarity);
            }
            if histogram[0] >= len {
                return None;
            }
        }
        Some(histogram)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidate::counts::Counting;
    use crate::hash::mix;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_prefix_is_what_a_full_sort_would_give(
            sets in prop::collection::vec(
                prop::collection::btree_set(0u64..60, 1..40), 1..12),
            len in 1u32..40,
        ) {
            let counting = Counting::new(60);
            let mut buffers = counting.buffers();
            let sets: Vec<Vec<u64>> = sets
                .iter()
                .map(|set| set.iter().map(|&value| mix(value)).collect())
                .collect();
            sets.iter().for_each(|set| buffers.add(set));
            drop(buffers);
            let counts = counting.finish();
            for set in &sets {
                let mut sorted: Vec<(u8, u64)> =
                    set.iter().map(|&feature| (counts.rarity(feature), feature)).collect();
                sorted.sort_unstable();
                sorted.truncate(len as usize);
                let single = sorted.iter().filter(|&&(rarity, _)| rarity == 0).count();
                let expected: Vec<u64> =
                    sorted[single..].iter().map(|&(_, feature)| feature).collect();
                let mut prefix = Vec::new();
                let found =
                    PrefixSelector::default().select(set, len, &counts, &mut prefix);
                if single >= len as usize {
                    prop_assert_eq!(found, None);
                } else {
                    prop_assert_eq!(found, Some(u32::try_from(single).unwrap()));
                    prop_assert_eq!(prefix, expected);
                }
            }
        }
    }
}
