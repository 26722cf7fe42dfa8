//! From chunks to the sets that can have a partner, with their prefixes and bitmaps.
//!
//! The step after the sieve, with the rarities of all features at hand. Sets that the sieve left open by their heads
//! alone are dropped here if the rest of their features shows that they have no partner.

use super::chunk::SetChunk;
use super::counts::Rarity;
use super::open_sets::{SelectedChunk, Selector};
use super::sieve::SetRules;
use crate::numbers::SetIdx;

/// Selects the sets of a chunk that can have a partner, of those that are `wanted`. `rarities`
/// looks up how rare features are; it is asked for the features of every set, in their order.
/// `signature` has the keys of a set, if it has any.
pub fn select<'a>(
    rules: &SetRules,
    chunk: SetChunk,
    mut rarities: impl FnMut(&[u64], &mut Vec<Rarity>),
    wanted: impl Fn(SetIdx) -> bool,
    signature: impl Fn(SetIdx) -> &'a [u64],
) -> SelectedChunk {
    let mut selector = Selector::new(rules.bounds, rules.filters);
    let mut of_set = Vec::new();
    for span in &chunk.spans {
        let features = chunk.set(span);
        // For every set, wanted or not: rarities come in the order of all features.
        rarities(features, &mut of_set);
        if wanted(span.set) {
            selector.select(*span, features, &of_set, signature(span.set));
        }
    }
    selector.finish(chunk)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidate::filter::Filters;
    use crate::similarity::{Bounds, Similarity};

    #[test]
    fn selected_sets_come_with_what_an_index_needs() {
        let bounds = Bounds::new(Similarity::Resemblance, "0.5".parse().unwrap());
        let rules = SetRules {
            bounds,
            filters: Filters::default(),
        };
        let mut chunk = SetChunk::default();
        // A feature of rarity 0 is its own; 7 is the rarest of the others.
        chunk.push(SetIdx::new(4), &[100, 7, 8, 9]);
        chunk.push(SetIdx::new(5), &[101, 102, 103, 9]);
        chunk.push(SetIdx::new(6), &[7, 8, 9]);
        let rarities = |features: &[u64], rarities: &mut Vec<Rarity>| {
            rarities.clear();
            let of = |&one: &u64| match one {
                100.. => 0,
                7 => 1,
                _ => 2,
            };
            rarities.extend(features.iter().map(of));
        };
        let selected = select(&rules, chunk, rarities, |set| set.get() != 6, |_| &[]);
        let sets: Vec<_> = selected.iter().collect();
        // Set 5 has too many features of its own, set 6 was not wanted.
        assert_eq!(sets.len(), 1);
        assert_eq!((sets[0].span.set.get(), sets[0].about.size), (4, 4));
        assert_eq!((sets[0].about.num_single, sets[0].about.num_shared), (1, 3));
        assert_eq!(sets[0].features, [100, 7, 8, 9]);
        let prefix_len = rules.filters.prefix_len(bounds, 4);
        assert_eq!(sets[0].prefix, &[7, 8, 9][..prefix_len as usize - 1]);
        let bits: u32 = sets[0].bitmap.iter().map(|word| word.count_ones()).sum();
        assert!(bits > 0 && bits <= 3);
    }
}
