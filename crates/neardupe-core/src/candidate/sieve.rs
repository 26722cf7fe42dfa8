//! Which sets can still have a partner, by how many of their features no other set has.
//!
//! A filter that loses nothing: counts of features are never too low, so a feature that is taken for single is; and a
//! head is a part of the set, so the single features in it are some of those in the set. It costs one rarity for each
//! feature of the heads, and on most collections leaves a small part of the sets to be ranked in full.

use super::chunk::SetChunk;
use super::counts::Rarity;
use super::filter::Filters;
use crate::numbers::{SetIdx, of_len};
use crate::similarity::Bounds;

/// What decides whether two sets are a pair, as far as sets are chosen by it.
#[derive(Debug, Clone, Copy)]
pub struct SetRules {
    /// The smallest similarity that counts.
    pub bounds: Bounds,
    /// The filters that are on.
    pub filters: Filters,
}

/// Whether a set of `len` features can have a partner, given that `num_single` of them are
/// known to occur in no other set. Every partner has one of as many of its features as a
/// prefix has, whichever these are: with as many single ones there is none.
#[inline]
pub fn is_open(rules: &SetRules, len: u32, num_single: u32) -> bool {
    num_single < rules.filters.prefix_len(rules.bounds, len)
}

/// The sets of a chunk that their heads leave open, of those that are `wanted`, each with all
/// its features. `rarities` looks up how rare features are; it is asked for the head of every
/// set, in their order.
pub fn sieve(
    rules: &SetRules,
    chunk: &SetChunk,
    mut rarities: impl FnMut(&[u64], &mut Vec<Rarity>),
    wanted: impl Fn(SetIdx) -> bool,
) -> SetChunk {
    let mut open = SetChunk::default();
    let mut of_head = Vec::new();
    for span in &chunk.spans {
        // Also of a set that is not wanted: rarities come in the order of all heads, and one that is not read would be
        // taken for the next set's.
        rarities(chunk.head(span), &mut of_head);
        // No branch: a sum of comparisons.
        let num_single = of_head.iter().filter(|&&rarity| rarity == 0).count();
        if is_open(rules, span.len, of_len(num_single)) && wanted(span.set) {
            open.push(span.set, chunk.set(span));
        }
    }
    open
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidate::chunk::SetSpan;
    use crate::hash::mix;
    use crate::similarity::Similarity;
    use crate::verify;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn a_set_with_a_partner_stays_open_whatever_its_head(
            sets in prop::collection::vec(prop::collection::btree_set(0u64..60, 1..20), 1..12),
            threshold in prop::sample::select(vec!["0.2", "0.5", "0.8", "1"]),
            head_ratio in 0u32..5,
            unwanted in 0u32..12,
        ) {
            let bounds = Bounds::new(Similarity::Resemblance, threshold.parse().unwrap());
            let rules = SetRules { bounds, filters: Filters::default() };
            let sets: BTreeSet<Vec<u64>> = sets
                .iter()
                .map(|set| set.iter().map(|&value| mix(value + 1)).collect())
                .collect();
            let sets: Vec<Vec<u64>> = sets.into_iter().collect();
            let count = |feature: u64| sets.iter().filter(|set| set.contains(&feature)).count();
            let mut chunk = SetChunk::default();
            for (number, set) in (0u32..).zip(&sets) {
                chunk.push(SetIdx::new(number), set);
                let span = chunk.spans.last_mut().unwrap();
                *span = SetSpan { head: span.len * head_ratio / 4, ..*span };
            }
            let rarities = |features: &[u64], rarities: &mut Vec<Rarity>| {
                rarities.clear();
                rarities.extend(features.iter().map(|&one| Rarity::from(count(one) > 1)));
            };
            let open = sieve(&rules, &chunk, rarities, |set| set.get() != unwanted);
            let numbers: Vec<u32> = open.spans.iter().map(|span| span.set.get()).collect();
            prop_assert!(!numbers.contains(&unwanted));
            for (number, set) in (0u32..).zip(&sets) {
                let others = sets.iter().filter(|other| *other != set);
                let size = |set: &[u64]| u32::try_from(set.len()).unwrap();
                let has_partner = others.into_iter().any(|other| {
                    bounds.reached(verify::overlap(set, other), size(set), size(other))
                });
                if has_partner && number != unwanted {
                    let at = numbers.iter().position(|&one| one == number);
                    prop_assert!(at.is_some(), "{number} was dropped");
                    prop_assert_eq!(open.set(&open.spans[at.unwrap()]), &set[..]);
                }
            }
            if head_ratio == 0 {
                // Nothing was looked at, so nothing is known.
                prop_assert_eq!(numbers.len(), sets.len() - usize::from((unwanted as usize) < sets.len()));
            }
        }
    }
}
