//! Winnowing: of each run of W neighboring features one is kept, the smallest (Schleimer,
//! Wilkerson, Aiken: Winnowing, SIGMOD 2003).
//!
//! Two texts that have W neighboring features in common keep one of these in both, whatever stands
//! around them. Of equal ones the last counts, as published. A text of fewer than W features keeps
//! one. The cost is linear: each feature enters the list of open places once and leaves it once.

use crate::hash;

/// Winnows, reusing its buffers from document to document.
#[derive(Debug, Default)]
pub(super) struct Winnower {
    /// All features of a text, in its order.
    all: Vec<u64>,
    /// Places of features that may still be the smallest of a run: their order ascends.
    open: Vec<usize>,
}

/// Spreads features anew, so that those that are kept are from all over the feature space, which
/// later stages divide into parts.
const SALT: u64 = 0x1d8e_4e27_c47d_124f;

/// The order in which a feature is small.
fn order(feature: u64) -> u64 {
    hash::mix(feature ^ SALT)
}

impl Winnower {
    /// Begins another text: takes its features.
    pub(super) fn begin(&mut self) -> &mut Vec<u64> {
        self.all.clear();
        &mut self.all
    }

    /// Takes one more feature of the text.
    pub(super) fn add(&mut self, feature: u64) {
        self.all.push(feature);
    }

    /// Gives what is kept to `emit`, in the order of the text; the same place once.
    pub(super) fn choose(&mut self, window: u32, mut emit: impl FnMut(u64)) {
        // A short text is one window.
        let window = (window as usize).min(self.all.len());
        let open = &mut self.open;
        open.clear();
        let (mut first, mut last) = (0, usize::MAX);
        for (at, &feature) in self.all.iter().enumerate() {
            // Those before it that are not smaller are the smallest of no run any more.
            let own = order(feature);
            while open.len() > first
                && open.last().is_some_and(|&one| order(self.all[one]) >= own)
            {
                open.pop();
            }
            open.push(at);
            if at + 1 < window {
                continue;
            }
            // Places that have left the window. They stay in the list, below `first`, so nothing is
            // moved.
            while open[first] + window <= at {
                first += 1;
            }
            // The smallest of many windows in a row is given once.
            if open[first] != last {
                last = open[first];
                emit(self.all[last]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition: every run by itself.
    fn slow(all: &[u64], window: usize) -> Vec<u64> {
        let mut places = Vec::new();
        for (start, run) in all.windows(window.min(all.len()).max(1)).enumerate() {
            let places_of = (start..start + run.len()).rev();
            places.extend(places_of.min_by_key(|&at| order(all[at])));
        }
        places.dedup();
        places.iter().map(|&at| all[at]).collect()
    }

    proptest! {
        #[test]
        fn winnowed_features_are_those_of_the_definition(
            all in prop::collection::vec(0u64..30, 0..60),
            window in 1u32..12,
        ) {
            let mut winnower = Winnower::default();
            for _ in 0..2 {
                winnower.begin().extend(&all);
                let mut kept = Vec::new();
                winnower.choose(window, |feature| kept.push(feature));
                prop_assert_eq!(&kept, &slow(&all, window as usize));
                prop_assert_eq!(kept.is_empty(), all.is_empty());
            }
        }

        #[test]
        fn a_common_run_leaves_a_common_feature(
            before in prop::collection::vec(0u64..1000, 0..20),
            common in prop::collection::vec(0u64..1000, 5),
            after in prop::collection::vec(0u64..1000, 0..20),
        ) {
            let kept = |parts: [&[u64]; 3]| {
                let mut winnower = Winnower::default();
                winnower.begin().extend(parts.concat());
                let mut kept = Vec::new();
                winnower.choose(5, |feature| kept.push(feature));
                kept
            };
            let one = kept([&before, &common, &[]]);
            let other = kept([&[], &common, &after]);
            prop_assert!(one.iter().any(|feature| other.contains(feature)));
        }
    }
}
