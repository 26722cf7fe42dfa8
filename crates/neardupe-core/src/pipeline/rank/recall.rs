//! What an approximate method finds, measured on this collection.
//!
//! Of a sample of the sets all similar pairs are found by the exact join; whether the method
//! would have compared the two sets of a pair follows from these sets alone, whether or not the
//! job compares them (old documents with each other, say). Which sets are
//! in the sample follows from their features, so it is the same in every run.

use super::context::RankContext;
use crate::candidate::bitmap::{common_keys, of_keys};
use crate::candidate::chunk::{Chunk, SetChunk, SetSpan};
use crate::candidate::filter::Filters;
use crate::error::{Error, Result};
use crate::hash::{self, FixedMap};
use crate::join::{JoinSettings, all_pairs};
use crate::numbers::{OpenIdx, of_len};
use crate::pair::SetPair;
use crate::pipeline::config::FindConfig;
use crate::pipeline::method::{Keys, Method};
use serde::{Deserialize, Serialize};

/// Features of a sample at most, and keys, whatever the memory: 16 MB each, and as much again to
/// join them.
pub const MAX_FEATURES: u64 = 2 << 20;
/// Pairs of a sample at most: beyond that it says no more, and a giant cluster has too many.
const MAX_PAIRS: u64 = 100_000;
/// Name of the stage.
const STAGE: &str = "recall";

/// What a method finds of a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Recall {
    /// Sets of the sample.
    pub sets: u64,
    /// One in so many sets is in the sample.
    pub one_in: u64,
    /// Similar pairs among them.
    pub pairs: u64,
    /// Those of them that the method compares.
    pub found: u64,
}

/// Measures what keys find of the pairs at or above the threshold.
pub(in crate::pipeline) fn measure_recall(
    context: &RankContext<'_>,
    chunks: &[Chunk],
    keys: &dyn Keys,
) -> Result<Recall> {
    if let Some((recall, _)) = context.work.stage::<Recall>(STAGE)? {
        return Ok(recall);
    }
    let (num_sets, num_features) = context.sets.totals();
    let num_keys = num_sets * context.config.num_keys() as u64;
    let mut one_in = num_features.max(num_keys).div_ceil(MAX_FEATURES).max(1);
    let recall = loop {
        let sample = sample(context, chunks, one_in)?;
        match recall_of(context, sample, one_in, keys)? {
            Some(recall) => break recall,
            // Too many pairs: a sample of a quarter has about a sixteenth of them.
            None => one_in *= 4,
        }
    };
    if context.spilled {
        context.work.commit(STAGE, &recall, Vec::new(), &[])?;
    }
    Ok(recall)
}

/// One in so many sets, chosen by their features.
pub(in crate::pipeline) fn sample(
    context: &RankContext<'_>,
    chunks: &[Chunk],
    one_in: u64,
) -> Result<SetChunk> {
    let mut sample = SetChunk::default();
    for chunk in chunks {
        let chunk = chunk.read()?;
        for span in &chunk.spans {
            let features = chunk.set(span);
            if context.sets.is_canonical(span.set) && is_chosen(features, one_in) {
                sample.spans.push(SetSpan {
                    start: of_len(sample.features.len()),
                    head: span.len,
                    ..*span
                });
                sample.features.extend_from_slice(features);
            }
        }
    }
    Ok(sample)
}

/// What keys find of a sample; None when it has too many pairs.
fn recall_of(
    context: &RankContext<'_>,
    sample: SetChunk,
    one_in: u64,
    keys: &dyn Keys,
) -> Result<Option<Recall>> {
    let filters = context.config.filters();
    let config = FindConfig {
        method: Method::Exact,
        filters: Filters {
            signature: None,
            ..context.config.filters
        },
        ..context.config.clone()
    };
    let exact = RankContext {
        config: &config,
        spilled: false,
        ..*context
    };
    let mut recall = Recall {
        sets: sample.spans.len() as u64,
        one_in,
        ..Recall::default()
    };
    let open = exact.rank(vec![Chunk::Memory(sample)])?;
    let settings = JoinSettings {
        bounds: config.bounds(),
        filters: config.filters,
        long_list: config.long_list,
        shared_list: config.shared_list,
        batch_len: config.batch_len,
        window_bytes: config.budget.window_beside(open.memory_bytes()),
    };
    let mut known: FixedMap<OpenIdx, Vec<u64>> = FixedMap::default();
    let mut values = Vec::new();
    let joined = all_pairs(&open, &settings, context.progress, |pair: SetPair| {
        recall.pairs += 1;
        if recall.pairs > MAX_PAIRS {
            return Err(Error::Cancelled);
        }
        if let Some(needed) = filters.signature {
            let sketch = |set: OpenIdx| of_keys(context.sets.keys(open.set(set)));
            let [left, right] = [pair.left, pair.right].map(sketch);
            recall.found += u64::from(common_keys(&left, &right) >= needed);
            return Ok(());
        }
        if let Some(within) = filters.within {
            let code = |set: OpenIdx| context.sets.code(open.set(set)).unwrap_or(0);
            let near = within.holds(code(pair.left), code(pair.right));
            recall.found += u64::from(near);
            return Ok(());
        }
        for set in [pair.left, pair.right] {
            if !known.contains_key(&set) {
                let mut own = Vec::new();
                let side = (context.sets.side(), open.set(set));
                keys.of(&open.features(set)?, side, &mut values, &mut own);
                known.insert(set, own);
            }
        }
        let right = &known[&pair.right];
        let meet = known[&pair.left].iter().any(|key| right.contains(key));
        recall.found += u64::from(meet);
        Ok(())
    });
    match joined {
        Ok(_) => Ok(Some(recall)),
        // The job itself may have been cancelled, too.
        Err(_) if recall.pairs > MAX_PAIRS && !context.progress.is_cancelled() => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Whether a set is in a sample of one in so many: by its features alone, in any order.
pub fn is_chosen(features: &[u64], one_in: u64) -> bool {
    #[expect(clippy::cast_possible_truncation, reason = "half of a hash")]
    let hash = hash::mix(hash::set(features) as u64);
    hash.is_multiple_of(one_in)
}
