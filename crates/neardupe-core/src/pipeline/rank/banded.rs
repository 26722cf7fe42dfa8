//! Second stage of approximate methods: each set gets the keys of its signature in the place
//! of its rarest features.
//!
//! Two sets are compared when they share a key, as in the exact join they are when they share
//! a feature of their prefixes. So keys stand where prefixes do, and everything after (windows
//! of lists, verification, star clusters, components, new against old) is the same code. A
//! key that no other set has is as good as none: keys are counted like features, and a set
//! all of whose keys are single has no partner that could be found.

use super::context::{OPEN, RankContext};
use crate::candidate::chunk::{
    Chunk, ChunkFile, ChunkWriter, SetChunk, SetSpan, open_chunks,
};
use crate::candidate::open_sets::{OpenSets, SelectedChunk, Selector};
use crate::candidate::partition::NUM_PARTS;
use crate::candidate::ranking::RarityReader;
use crate::document::check_cancelled;
use crate::error::Result;
use crate::numbers::of_len;
use crate::pipeline::method::Keys;
use crate::pipeline::read::sets::SetTable;
use rayon::prelude::*;

/// The sets of a chunk, each with its keys in front of its features, as its head.
fn keyed(keys: &dyn Keys, chunk: &SetChunk, sets: &SetTable) -> SetChunk {
    let num_keys = keys.num_keys();
    let mut keyed = SetChunk::default();
    keyed
        .features
        .reserve(chunk.features.len() + chunk.spans.len() * num_keys);
    let mut values = Vec::new();
    for span in &chunk.spans {
        let (features, start) = (chunk.set(span), keyed.features.len());
        let side = (sets.side(), span.set);
        keys.of(features, side, &mut values, &mut keyed.features);
        let head = keyed.features.len() - start;
        keyed.features.extend_from_slice(features);
        keyed.spans.push(SetSpan {
            set: span.set,
            start: of_len(start),
            len: of_len(keyed.features.len() - start),
            head: of_len(head),
        });
    }
    keyed
}

/// The sets that share a key with another one.
pub(super) fn banded(
    context: &RankContext<'_>,
    chunks: Vec<Chunk>,
    keys: &dyn Keys,
) -> Result<OpenSets> {
    let keyed = match context.work.stage::<ChunkFile>(OPEN)? {
        Some((file, _)) => open_chunks(context.work, &file)?,
        None => sign(context, chunks, keys)?,
    };
    context.select(keyed, |chunk, rarities| {
        sharing_sets(context, chunk, rarities)
    })
}

/// Puts keys before the features of all sets.
fn sign(
    context: &RankContext<'_>,
    chunks: Vec<Chunk>,
    keys: &dyn Keys,
) -> Result<Vec<Chunk>> {
    let num_features: u64 = chunks.iter().map(Chunk::num_features).sum();
    context.progress.begin("sign", num_features);
    let signed = |chunk: Chunk| {
        let chunk = chunk.load()?;
        context.progress.advance(chunk.features.len() as u64);
        Ok(keyed(keys, &chunk, context.sets))
    };
    // As many chunks as threads: from a file, all of these are in memory at once.
    let together = rayon::current_num_threads().max(1);
    let mut chunks = chunks.into_iter();
    let mut out = if context.spilled {
        Some(ChunkWriter::create(context.work, OPEN, NUM_PARTS)?)
    } else {
        None
    };
    let mut made = Vec::new();
    loop {
        let group: Vec<Chunk> = chunks.by_ref().take(together).collect();
        if group.is_empty() {
            break;
        }
        let signed: Vec<Result<SetChunk>> = group.into_par_iter().map(signed).collect();
        for chunk in signed {
            match &mut out {
                Some(out) => out.write(&chunk?)?,
                None => made.push(Chunk::Memory(chunk?)),
            }
        }
        check_cancelled(context.progress)?;
    }
    let Some(out) = out else { return Ok(made) };
    let file = out.finish()?;
    let files = vec![file.file.clone()];
    context
        .work
        .commit(OPEN, &file, files, context.done_with())?;
    open_chunks(context.work, &file)
}

/// The sets of a chunk that share a key, each with these keys instead of its rarest features.
fn sharing_sets(
    context: &RankContext<'_>,
    chunk: SetChunk,
    reader: &mut RarityReader,
) -> SelectedChunk {
    let config = context.config;
    let mut selector = Selector::new(config.bounds(), config.filters());
    let mut rarities = Vec::new();
    for span in &chunk.spans {
        let keys = chunk.head(span);
        // Also for a set that another one stands for: rarities come in the order of all heads.
        reader.read(keys, &mut rarities);
        if !context.sets.is_canonical(span.set) {
            continue;
        }
        let keys = keys.iter().zip(&rarities);
        let shared = keys.filter(|&(_, &rarity)| rarity > 0);
        // The keys in front were the head; from here on the features alone are the set.
        let features = SetSpan {
            start: span.start + span.head,
            len: span.len - span.head,
            head: 0,
            ..*span
        };
        selector.select_by_keys(
            features,
            chunk.set(&features),
            context.sets.code(span.set).unwrap_or(0),
            shared.map(|(&key, _)| key),
        );
    }
    selector.finish(chunk)
}
