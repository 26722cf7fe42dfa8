//! A small set of features in one flat array: which were seen in this document, and which
//! belong to the document being verified.
//!
//! Open addressing at a load of at most one half. Where a feature is looked for is drawn anew in
//! each process, by one multiplication: a writer who knows the values of features cannot choose
//! words that all meet in one slot, which would make a document cost the square of its length.
//! Clearing is one fill of the part in use.
//!
//! `insert` runs for every feature that is read, `contains` for the features of candidates that are
//! verified (`verify`). The table does not grow by itself: `reset` must be given at least as many
//! features as are added, or the search for an empty slot never ends.

use crate::hash::drawn_for_this_process;

/// Slots that are looked at for one feature, at most. At a load of one half a feature is found in
/// two on average; a thousand features would have to meet by chance to reach this.
const MAX_PROBES: usize = 256;

/// A reusable set of features. 0 marks an empty slot and is no feature
/// ([`nonzero`](crate::hash::nonzero)).
#[derive(Debug, Clone)]
pub struct FeatureTable {
    slots: Vec<u64>,
    mask: usize,
    /// Odd: the upper bits of a product with it are universal (Dietzfelbinger and others, 1997).
    multiplier: u64,
    /// Leaves of a product as many bits as a slot number has.
    shift: u32,
}

impl Default for FeatureTable {
    fn default() -> Self {
        FeatureTable {
            slots: Vec::new(),
            mask: 0,
            multiplier: drawn_for_this_process() | 1,
            shift: 63,
        }
    }
}

impl FeatureTable {
    /// Empties the table and makes room for `len` features.
    pub fn reset(&mut self, len: usize) {
        self.clear((len * 2).next_power_of_two().max(64));
    }

    /// Empties the table; `wanted` slots, a power of two, are in use then.
    fn clear(&mut self, wanted: usize) {
        // Only the part in use is cleared: a small document after a large one stays cheap.
        if self.slots.len() < wanted {
            self.slots = vec![0; wanted];
        } else {
            self.slots[..wanted].fill(0);
        }
        self.mask = wanted - 1;
        self.shift = u64::BITS - wanted.trailing_zeros();
    }

    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "as many bits are left as the mask has"
    )]
    fn slot(&self, feature: u64) -> usize {
        (feature.wrapping_mul(self.multiplier) >> self.shift) as usize & self.mask
    }

    /// Adds a feature; false when it was there.
    #[inline]
    pub fn insert(&mut self, feature: u64) -> bool {
        let mut at = self.slot(feature);
        for _ in 0..MAX_PROBES {
            let slot = self.slots[at];
            if slot == 0 {
                self.slots[at] = feature;
                return true;
            }
            if slot == feature {
                return false;
            }
            // Linear probing: the next slot is usually in the same cache line.
            at = (at + 1) & self.mask;
        }
        self.spread();
        self.insert(feature)
    }

    /// Draws another multiplier and doubles the table: too many features met in one place.
    #[cold]
    #[inline(never)]
    fn spread(&mut self) {
        let features: Vec<u64> = self.iter().collect();
        self.multiplier = crate::hash::mix(self.multiplier) | 1;
        self.clear((self.mask + 1) * 2);
        for feature in features {
            self.insert(feature);
        }
    }

    /// The features that were added, in no order that says anything.
    pub fn iter(&self) -> impl Iterator<Item = u64> {
        let used = self.slots.iter().take(self.mask + 1);
        used.copied().filter(|&slot| slot != 0)
    }

    /// Whether the feature was added.
    #[inline]
    pub fn contains(&self, feature: u64) -> bool {
        let mut at = self.slot(feature);
        // `insert` puts nothing further away, so what was not met by then is not there.
        for _ in 0..MAX_PROBES {
            let slot = self.slots[at];
            if slot == feature {
                return true;
            }
            if slot == 0 {
                return false;
            }
            at = (at + 1) & self.mask;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_what_was_added_and_nothing_else() {
        let mut table = FeatureTable::default();
        for round in 1..4u64 {
            table.reset(100);
            for feature in 1..=100u64 {
                assert!(table.insert(feature * round * 64));
                assert!(!table.insert(feature * round * 64));
            }
            assert!(table.contains(64 * round));
            assert!(!table.contains(7));
        }
    }

    /// The number that, times the odd `factor`, is 1 in 64 bits (Newton's iteration).
    fn inverse(factor: u64) -> u64 {
        (0..6).fold(factor, |inverse, _| {
            let rest = 2u64.wrapping_sub(factor.wrapping_mul(inverse));
            inverse.wrapping_mul(rest)
        })
    }

    #[test]
    fn features_that_all_meet_in_one_slot_are_spread() {
        let mut table = FeatureTable::default();
        table.reset(4000);
        // Made with the multiplier of the table, which nobody outside can know.
        let back = inverse(table.multiplier);
        let features: Vec<u64> = (1..=4000u64).map(|at| at.wrapping_mul(back)).collect();
        assert!(features.iter().all(|&feature| table.slot(feature) == 0));
        assert!(features.iter().all(|&feature| table.insert(feature)));
        assert!(features.iter().all(|&feature| table.contains(feature)));
        assert!(!features.iter().any(|&feature| table.insert(feature)));
        assert_eq!(table.iter().count(), 4000);
        assert!(!table.contains(4001u64.wrapping_mul(back)));
    }
}
