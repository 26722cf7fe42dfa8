//! The exact overlap of two candidates, with an early end below what is needed.
//!
//! The features of one set are put into a flat table once, and each candidate's features
//! are looked up in it: no set is ever sorted. Sets are in no order related to their
//! overlap, so two sets that are far apart show it after a small part of them.

use crate::candidate::kept::{Kept, KeptIdx};
use crate::error::Result;
use crate::feature::FeatureTable;

/// Verifies candidates of one set after the other.
#[derive(Debug, Default)]
pub struct Verifier {
    table: FeatureTable,
    loaded: Option<KeptIdx>,
}

/// Features looked up between two checks for an early end.
const STEP: usize = 32;

impl Verifier {
    /// Overlap of two sets if it is at least `min_overlap`.
    pub fn overlap(
        &mut self,
        kept: &Kept,
        left: KeptIdx,
        right: KeptIdx,
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
        Ok(self.count(&kept.features(right)?, min_overlap))
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
