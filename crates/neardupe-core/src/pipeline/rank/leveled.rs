//! Adaptive sampling: which features a set is looked up by.
//!
//! At each ratio at which a set may be compared it has a prefix of its own, the rarest of the
//! features that are kept at that ratio. A pair that is similar shares one in the prefixes of the
//! ratio at which it is compared, so sets are looked up by all their prefixes together. These are
//! few: at each ratio there are half as many features as at the one before.

use super::context::RankContext;
use crate::candidate::chunk::SetChunk;
use crate::candidate::counts::Rarity;
use crate::candidate::levels;
use crate::candidate::open_sets::{SelectedChunk, Selector};
use crate::candidate::prefix::PrefixSelector;
use crate::candidate::ranking::RarityReader;
use crate::feature::SamplingPlan;
use crate::numbers::of_len;

/// The sets that can have a partner at some ratio.
pub(super) fn leveled_sets(
    context: &RankContext<'_>,
    plan: &SamplingPlan,
    chunk: SetChunk,
    reader: &mut RarityReader,
) -> SelectedChunk {
    let bounds = context.config.bounds();
    let mut selector = Selector::new(bounds, context.config.filters());
    let mut prefixes = PrefixSelector::default();
    let mut rarities = Vec::new();
    let (mut kept, mut kept_rarities): (Vec<u64>, Vec<Rarity>) = Default::default();
    let mut prefix = Vec::new();
    let ratios = plan.levels();
    for span in &chunk.spans {
        let features = chunk.set(span);
        reader.read(features, &mut rarities);
        if !context.sets.is_canonical(span.set) {
            continue;
        }
        prefix.clear();
        // Its own ratio and coarser ones: at finer ones it is never compared.
        let own = levels::level(context.sets.levels(span.set));
        for &ratio in &ratios[own..] {
            kept.clear();
            kept_rarities.clear();
            for (&feature, &rarity) in features.iter().zip(&rarities) {
                if SamplingPlan::keeps(ratio, feature) {
                    kept.push(feature);
                    kept_rarities.push(rarity);
                }
            }
            let len = bounds.prefix_len(of_len(kept.len()));
            prefixes.select(&kept, &kept_rarities, len, &mut prefix);
        }
        // A feature may be in the prefixes of several ratios, and is looked up once.
        prefix.sort_unstable();
        prefix.dedup();
        selector.select_by_keys(*span, features, 0, prefix.iter().copied());
    }
    selector.finish(chunk)
}
