//! A small set of features in one flat array: which were seen in this document, and which
//! belong to the document being verified.
//!
//! Open addressing at a load of at most one half. The features are hashes already, so
//! their low bits are the place. Clearing is one fill of the part in use.
//!
//! `insert` runs for every feature that is read, `contains` for the features of candidates that are
//! verified (`verify`). The table does not grow: `reset` must be given at least as many features as
//! are added, or the search for an empty slot never ends.

/// A reusable set of features. 0 marks an empty slot and is no feature
/// ([`nonzero`](crate::hash::nonzero)).
#[derive(Debug, Default, Clone)]
pub struct FeatureTable {
    slots: Vec<u64>,
    mask: usize,
}

impl FeatureTable {
    /// Empties the table and makes room for `len` features.
    pub fn reset(&mut self, len: usize) {
        let wanted = (len * 2).next_power_of_two().max(64);
        // Only the part in use is cleared: a small document after a large one stays cheap.
        if self.slots.len() < wanted {
            self.slots = vec![0; wanted];
        } else {
            self.slots[..wanted].fill(0);
        }
        self.mask = wanted - 1;
    }

    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "any bits of a hash will do"
    )]
    fn place(&self, feature: u64) -> usize {
        feature as usize & self.mask
    }

    /// Adds a feature; false when it was there.
    #[inline]
    pub fn insert(&mut self, feature: u64) -> bool {
        let mut at = self.place(feature);
        loop {
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
    }

    /// The features that were added, in no order that says anything.
    pub fn iter(&self) -> impl Iterator<Item = u64> {
        let used = self.slots.iter().take(self.mask + 1);
        used.copied().filter(|&slot| slot != 0)
    }

    /// Whether the feature was added.
    #[inline]
    pub fn contains(&self, feature: u64) -> bool {
        let mut at = self.place(feature);
        loop {
            let slot = self.slots[at];
            if slot == feature {
                return true;
            }
            if slot == 0 {
                return false;
            }
            at = (at + 1) & self.mask;
        }
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
}
