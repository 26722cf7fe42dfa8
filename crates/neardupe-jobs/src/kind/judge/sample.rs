//! The sample: pairs of all similarities, the same for everyone who asks with the same seed.
//!
//! Strata have equal widths from the threshold to 1. Within one, pairs with the smallest hashes
//! are drawn: one pass, memory for the sample alone, and no dependence on the order of rows. With
//! `sample` a number in all is shared out so that small strata give what they have.

use neardupe_core::error::{Error, Result};
use neardupe_core::eval::strata::{Drawn, Sampler, Strata, share_out};
use neardupe_core::hash;
use neardupe_core::pipeline::PairsMode;
use neardupe_core::ratio::six_decimals;
use neardupe_io::result::ResultReader;
use serde::{Deserialize, Serialize};

/// How a sample is drawn.
#[derive(Debug, Clone)]
pub(super) struct JudgeDrawing {
    pub(super) seed: u64,
    pub(super) strata: u32,
    pub(super) per_stratum: usize,
    /// So many in all, not for each stratum.
    pub(super) total: Option<usize>,
}

/// A pair of the sample.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct JudgePair {
    /// The id of the one document.
    pub left: String,
    /// The id of the other.
    pub right: String,
    /// As the result has it, with six decimals.
    pub similarity: String,
    /// Features in common.
    pub overlap: u32,
    /// Features of the one.
    pub left_size: u32,
    /// Features of the other.
    pub right_size: u32,
    /// The number of its stratum.
    pub stratum: usize,
}

/// The strata of a result.
pub(super) fn strata(result: &ResultReader, drawing: &JudgeDrawing) -> Result<Strata> {
    let summary = result.summary();
    if summary.pairs()? == PairsMode::None {
        let message = "the result has no pairs; run find with `pairs all` or evidence";
        return Err(Error::input(result.folder().display().to_string(), message));
    }
    Ok(Strata::new(summary.threshold()?, drawing.strata))
}

/// Draws the sample, by stratum.
pub(super) fn draw(
    result: &ResultReader,
    drawing: &JudgeDrawing,
) -> Result<Vec<Drawn<JudgePair>>> {
    let strata = strata(result, drawing)?;
    let similarity = result.summary().similarity()?;
    let most = drawing.total.unwrap_or(drawing.per_stratum);
    let mut sampler = Sampler::new(drawing.seed, strata.len(), most);
    for pair in result.pairs()? {
        let pair = pair?;
        let (part, whole) = similarity
            .ratio(pair.overlap, pair.left_size, pair.right_size)
            .parts();
        let stratum = strata.of(part, whole);
        sampler.add(stratum, &pair.left, &pair.right, || JudgePair {
            left: pair.left.clone(),
            right: pair.right.clone(),
            similarity: six_decimals(part, whole),
            overlap: pair.overlap,
            left_size: pair.left_size,
            right_size: pair.right_size,
            stratum,
        });
    }
    let mut drawn = sampler.finish();
    if let Some(total) = drawing.total {
        let available: Vec<usize> = drawn.iter().map(|d| d.sample.len()).collect();
        let shares = share_out(total, &available);
        for (stratum, share) in drawn.iter_mut().zip(shares) {
            stratum.sample.truncate(share);
        }
    }
    Ok(drawn)
}

/// The pairs in the order in which they are asked: of all strata in turn by chance, so that
/// the pair before gives no hint.
pub(super) fn in_order(drawn: &[Drawn<JudgePair>], seed: u64) -> Vec<JudgePair> {
    let mut pairs: Vec<JudgePair> = drawn
        .iter()
        .flat_map(|d| d.sample.iter().cloned())
        .collect();
    let key = |pair: &JudgePair| {
        let side = hash::bytes(pair.right.as_bytes(), hash::mix(seed ^ 0x006a_7564_6765));
        hash::mix(hash::bytes(pair.left.as_bytes(), side))
    };
    pairs.sort_by_cached_key(|pair| (key(pair), pair.clone()));
    pairs
}
