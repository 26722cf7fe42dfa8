//! Star clusters from a list of all similar pairs, without the documents.
//!
//! The definition, applied to pairs that are known: documents in the order of keeping; each is
//! a representative unless a representative before it is similar; else it belongs to the most
//! similar one, ties to one with the very same features, then to the earlier. Pairs come sorted by their later document, so each
//! document is settled when its pairs have passed.

use crate::numbers::{Column, PriorityRank};
use crate::ratio::Ratio;
use crate::similarity::Bounds;
use bytemuck::{Pod, Zeroable};
use std::cmp::Ordering;

/// A pair as it is sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub struct PlacedPair {
    /// The document that is kept later.
    pub later: PriorityRank,
    /// The document that is kept before it.
    pub earlier: PriorityRank,
    /// Number of common features.
    pub overlap: u32,
}

/// What a document belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Belongs {
    /// The representative.
    pub to: PriorityRank,
    /// Number of common features.
    pub overlap: u32,
}

/// Settles documents while their pairs pass, sorted.
#[derive(Debug)]
pub struct Stars<'a> {
    sizes: &'a Column<PriorityRank, u32>,
    bounds: Bounds,
    only_larger: bool,
    settled: Column<PriorityRank, Option<Belongs>>,
}

impl<'a> Stars<'a> {
    /// No pair has passed. `sizes` are numbers of features. With `only_larger` a
    /// document can only belong to one at least as large.
    pub fn new(
        sizes: &'a Column<PriorityRank, u32>,
        bounds: Bounds,
        only_larger: bool,
    ) -> Self {
        Stars {
            sizes,
            bounds,
            only_larger,
            settled: Column::filled(None, sizes.len()),
        }
    }

    /// The next pair.
    pub fn pair(&mut self, pair: PlacedPair) {
        let (sizes, bounds) = (self.sizes, self.bounds);
        let size = |document: PriorityRank| sizes[document];
        if self.only_larger && size(pair.earlier) < size(pair.later) {
            return;
        }
        // All pairs of the earlier document have passed.
        if self.settled[pair.earlier].is_some() {
            return;
        }
        let best = &mut self.settled[pair.later];
        let ratio = |to: PriorityRank, overlap: u32| {
            Ratio::new(
                overlap.into(),
                bounds.whole(overlap, size(pair.later), size(to)),
            )
        };
        let equal = |to: PriorityRank, overlap: u32| {
            overlap == size(pair.later) && overlap == size(to)
        };
        // Pairs of one later document come by their earlier one, so of two that are equally similar the first stays.
        let better = best.is_none_or(|best| {
            let found = ratio(pair.earlier, pair.overlap);
            match found.compare(ratio(best.to, best.overlap)) {
                Ordering::Greater => true,
                Ordering::Less => false,
                Ordering::Equal => {
                    equal(pair.earlier, pair.overlap) && !equal(best.to, best.overlap)
                }
            }
        });
        if better {
            *best = Some(Belongs {
                to: pair.earlier,
                overlap: pair.overlap,
            });
        }
    }

    /// All pairs have passed. The representative of each document; none for
    /// representatives and for documents that are similar to none.
    pub fn finish(self) -> Column<PriorityRank, Option<Belongs>> {
        self.settled
    }
}

/// The representative of each document, given all pairs in order (see [`Stars`]).
pub fn star_of_pairs(
    pairs: impl IntoIterator<Item = PlacedPair>,
    sizes: &Column<PriorityRank, u32>,
    bounds: Bounds,
    only_larger: bool,
) -> Column<PriorityRank, Option<Belongs>> {
    let mut stars = Stars::new(sizes, bounds, only_larger);
    pairs.into_iter().for_each(|pair| stars.pair(pair));
    stars.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::similarity::Similarity;

    fn pair(later: u32, earlier: u32, overlap: u32) -> PlacedPair {
        PlacedPair {
            later: PriorityRank::new(later),
            earlier: PriorityRank::new(earlier),
            overlap,
        }
    }

    #[test]
    fn a_member_hides_nothing_and_ties_go_to_the_earlier() {
        // 1 belongs to 0; 2 is similar to 1 only, so it is a representative; 3 is as similar
        // to 0 as to 2, and more to 1, which is none.
        let pairs = vec![pair(1, 0, 9), pair(2, 1, 9), pair(3, 0, 8), pair(3, 1, 10)];
        let pairs = [pairs, vec![pair(3, 2, 8)]].concat();
        let belongs = |to, overlap| {
            Some(Belongs {
                to: PriorityRank::new(to),
                overlap,
            })
        };
        let bounds = Bounds::new(Similarity::Resemblance, "0.5".parse().unwrap());
        assert_eq!(
            star_of_pairs(pairs, &Column::filled(10, 4), bounds, false).rows(),
            [None, belongs(0, 9), None, belongs(0, 8)]
        );
        let pairs = [pair(2, 0, 8), pair(2, 1, 9)];
        let found = star_of_pairs(pairs, &Column::filled(10, 3), bounds, false);
        assert_eq!(found[PriorityRank::new(2)], belongs(1, 9));
    }
}
