//! The exact overlap of two candidates, with an early end below what is needed.
//!
//! The features of one set are put into a flat table once, and each candidate's features
//! are looked up in it: no set is ever sorted. Sets are in no order related to their
//! overlap, so two sets that are far apart show it after a small part of them.

use crate::candidate::kept::{Kept, KeptIdx};
use crate::error::Result;
use crate::feature::FeatureTable;
use crate::hash;
use crate::similarity::Bounds;

/// Verifies candidates of one set after the other.
#[derive(Debug, Default)]
pub struct Verifier {
    table: FeatureTable,
    loaded: Option<KeptIdx>,
    ranks: Vec<u64>,
}

/// Features looked up between two checks for an early end.
const STEP: usize = 32;

impl Verifier {
    /// Overlap of two sets, as `bounds` count it, if it is at least `min_overlap`.
    pub fn overlap(
        &mut self,
        kept: &Kept,
        left: KeptIdx,
        right: KeptIdx,
        bounds: Bounds,
        min_overlap: u32,
    ) -> Result<Option<u32>> {
        if self.loaded != Some(left) {
            let features = kept.features(left)?;
            self.table.reset(features.len());
            for &feature in features.iter() {
                self.table.insert(feature);
            }
            self.loaded = Some(left);
        }
        let features = kept.features(right)?;
        let Some(overlap) = self.count(&features, min_overlap) else {
            return Ok(None);
        };
        let sizes = u64::from(kept.size(left)) + u64::from(kept.size(right));
        match bounds.smallest() {
            Some(most) if sizes - u64::from(overlap) > u64::from(most) => {
                let overlap = self.among_smallest(&kept.features(left)?, &features, most);
                Ok((overlap >= min_overlap).then_some(overlap))
            }
            _ => Ok(Some(overlap)),
        }
    }

    /// How many of the `most` smallest features of both sets together both have. `left` is
    /// in the table, and the union has more than that many.
    fn among_smallest(&mut self, left: &[u64], right: &[u64], most: u32) -> u32 {
        let ranks = &mut self.ranks;
        ranks.clear();
        ranks.extend(left.iter().map(|&feature| hash::rank(feature)));
        let only_right = right.iter().filter(|&&one| !self.table.contains(one));
        ranks.extend(only_right.map(|&feature| hash::rank(feature)));
        let (_, &mut last, _) = ranks.select_nth_unstable(most as usize - 1);
        let counted = right.iter().filter(|&&feature| {
            hash::rank(feature) <= last && self.table.contains(feature)
        });
        u32::try_from(counted.count()).unwrap_or(u32::MAX)
    }

    fn count(&self, features: &[u64], min_overlap: u32) -> Option<u32> {
        let mut missing_allowed = u32::try_from(features.len())
            .ok()?
            .checked_sub(min_overlap)?;
        let mut overlap = 0;
        for step in features.chunks(STEP) {
            let mut hits = 0;
            for &feature in step {
                hits += u32::from(self.table.contains(feature));
            }
            #[expect(clippy::cast_possible_truncation, reason = "at most STEP")]
            let misses = step.len() as u32 - hits;
            missing_allowed = missing_allowed.checked_sub(misses)?;
            overlap += hits;
        }
        Some(overlap)
    }
}
