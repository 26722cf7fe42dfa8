//! Second stage: features are counted, and sets that can have a partner are selected.

use super::banded::banded;
use super::common::without_common;
use super::context::{OPEN, RankContext, SELECTED};
use super::leveled::leveled_sets;
use crate::candidate::chunk::{Chunk, ChunkFile, open_chunks};
use crate::candidate::open_sets::{OpenSets, OpenSetsFile};
use crate::error::Result;

/// The sets that can have a partner, by the way of the method: as the exact join has them, by keys, or by prefixes at
/// several levels of sampling.
pub(in crate::pipeline) fn open_sets(
    context: &RankContext<'_>,
    chunks: Vec<Chunk>,
) -> Result<OpenSets> {
    let (config, work) = (context.config, context.work);
    if let Some((file, _)) = work.stage::<OpenSetsFile>(SELECTED)? {
        return OpenSets::open(work, &file);
    }
    if let Some(keys) = config.keys(context.sets.totals().0) {
        return banded(context, chunks, &*keys);
    }
    if let Some(plan) = &config.sampling.adaptive {
        return context.select(chunks, |chunk, rarities| {
            leveled_sets(context, plan, chunk, rarities)
        });
    }
    let open = match work.stage::<ChunkFile>(OPEN)? {
        Some((file, _)) => open_chunks(work, &file)?,
        None => match config.sampling.commonality {
            None => context.sieve(chunks)?,
            Some(most) => context.sieve(without_common(context, chunks, most)?)?,
        },
    };
    context.rank(open)
}
