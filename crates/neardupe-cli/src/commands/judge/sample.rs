//! The sample: pairs of all similarities, the same for everyone who asks with the same seed.

use anyhow::Result;
use neardupe_core::error::Error;
use neardupe_core::eval::strata::{Drawn, Sampler, Strata, share_out};
use neardupe_core::hash;
use neardupe_core::pipeline::PairsMode;
use neardupe_core::threshold::six_decimals;
use neardupe_io::result::ResultReader;

/// How a sample is drawn.
#[derive(Debug)]
pub(super) struct Drawing {
    pub(super) seed: u64,
    pub(super) strata: u32,
    pub(super) per_stratum: usize,
    /// So many in all, in the place of so many for each stratum.
    pub(super) total: Option<usize>,
}

/// A pair of the sample.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SampledPair {
    pub(super) left: String,
    pub(super) right: String,
    /// As the result has it, with six decimals.
    pub(super) similarity: String,
    pub(super) overlap: u32,
    pub(super) left_size: u32,
    pub(super) right_size: u32,
    pub(super) stratum: usize,
}

/// The strata of a result.
pub(super) fn strata(result: &ResultReader, drawing: &Drawing) -> Result<Strata> {
    let summary = result.summary();
    if summary.pairs()? == PairsMode::None {
        let message = "the result has no pairs; run find with --pairs all or evidence";
        return Err(Error::input(result.folder().display().to_string(), message).into());
    }
    Ok(Strata::new(summary.threshold()?, drawing.strata))
}

/// Draws the sample, by stratum.
pub(super) fn draw(
    result: &ResultReader,
    drawing: &Drawing,
) -> Result<Vec<Drawn<SampledPair>>> {
    let strata = strata(result, drawing)?;
    let similarity = result.summary().similarity()?;
    let most = drawing.total.unwrap_or(drawing.per_stratum);
    let mut sampler = Sampler::new(drawing.seed, strata.len(), most);
    for pair in result.pairs()? {
        let pair = pair?;
        let (part, whole) =
            similarity.ratio(pair.overlap, pair.left_size, pair.right_size);
        let stratum = strata.of(part, whole);
        sampler.add(stratum, &pair.left, &pair.right, || SampledPair {
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
/// nobody can tell from the one before.
pub(super) fn in_order(drawn: &[Drawn<SampledPair>], seed: u64) -> Vec<SampledPair> {
    let mut pairs: Vec<SampledPair> = drawn
        .iter()
        .flat_map(|d| d.sample.iter().cloned())
        .collect();
    let key = |pair: &SampledPair| {
        let side = hash::bytes(pair.right.as_bytes(), hash::mix(seed ^ 0x006a_7564_6765));
        hash::mix(hash::bytes(pair.left.as_bytes(), side))
    };
    pairs.sort_by_cached_key(|pair| (key(pair), pair.clone()));
    pairs
}
