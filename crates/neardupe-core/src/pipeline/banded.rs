//! Second stage of approximate methods: each set gets the keys of its signature in the place
//! of its rarest features.
//!
//! Two sets are compared when they share a key, as in the exact join they are when they share
//! a feature of their prefixes. So keys stand where prefixes do, and everything after (windows
//! of lists, verification, star clusters, components, new against old) is the same code. A
//! key that no other set has is as good as none: keys are counted like features, and a set
//! all of whose keys are single has no partner that could be found.

use super::method::Keys;
use super::prepare::{OPEN, Prepare};
use super::sets::SetTable;
use crate::candidate::chunk::{
    Chunk, ChunkFile, ChunkWriter, SetChunk, SetSpan, open_chunks,
};
use crate::candidate::kept::{Kept, SelectedChunk, Selector};
use crate::candidate::partition::NUM_PARTS;
use crate::candidate::ranking::RarityReader;
use crate::document::check_cancelled;
use crate::error::Result;
use rayon::prelude::*;

/// The sets of a chunk, each with its keys in front of its features, as its head.
fn keyed(keys: &dyn Keys, chunk: &SetChunk, sets: &SetTable) -> SetChunk {
    let num_keys = keys.num_keys();
    let mut keyed = SetChunk::default();
    keyed
        .features
        .reserve(chunk.features.len() + chunk.spans.len() * num_keys);
    let narrow = |len: usize| u32::try_from(len).unwrap_or(u32::MAX);
    let mut values = Vec::new();
    for span in &chunk.spans {
        let (features, start) = (chunk.set(span), keyed.features.len());
        let side = (sets.side(), span.set as usize);
        keys.of(features, side, &mut values, &mut keyed.features);
        let head = keyed.features.len() - start;
        keyed.features.extend_from_slice(features);
        keyed.spans.push(SetSpan {
            set: span.set,
            start: narrow(start),
            len: narrow(keyed.features.len() - start),
            head: narrow(head),
        });
    }
    keyed
}

impl Prepare<'_> {
    /// The sets that share a key with another one.
    pub(super) fn banded(&self, chunks: Vec<Chunk>, keys: &dyn Keys) -> Result<Kept> {
        let keyed = match self.work.stage::<ChunkFile>(OPEN)? {
            Some((file, _)) => open_chunks(self.work, &file)?,
            None => self.sign(chunks, keys)?,
        };
        self.select(keyed, |chunk, rarities| self.sharing_sets(chunk, rarities))
    }

    /// Puts keys before the features of all sets.
    fn sign(&self, chunks: Vec<Chunk>, keys: &dyn Keys) -> Result<Vec<Chunk>> {
        let num_features: u64 = chunks.iter().map(Chunk::num_features).sum();
        self.progress.begin("sign", num_features);
        let signed = |chunk: Chunk| {
            let chunk = chunk.load()?;
            self.progress.advance(chunk.features.len() as u64);
            Ok(keyed(keys, &chunk, self.sets))
        };
        let together = rayon::current_num_threads().max(1);
        let mut chunks = chunks.into_iter();
        let mut out = match self.spilled {
            true => Some(ChunkWriter::create(self.work, OPEN, NUM_PARTS)?),
            false => None,
        };
        let mut made = Vec::new();
        loop {
            let group: Vec<Chunk> = chunks.by_ref().take(together).collect();
            if group.is_empty() {
                break;
            }
            let signed: Vec<Result<SetChunk>> =
                group.into_par_iter().map(signed).collect();
            for chunk in signed {
                match &mut out {
                    Some(out) => out.write(&chunk?)?,
                    None => made.push(Chunk::Memory(chunk?)),
                }
            }
            check_cancelled(self.progress)?;
        }
        let Some(out) = out else { return Ok(made) };
        let file = out.finish()?;
        let files = vec![file.file.clone()];
        self.work.commit(OPEN, &file, files, self.done_with())?;
        open_chunks(self.work, &file)
    }

    fn sharing_sets(&self, chunk: SetChunk, reader: &mut RarityReader) -> SelectedChunk {
        let config = self.config;
        let mut selector = Selector::new(config.bounds(), config.filters());
        let mut rarities = Vec::new();
        for span in &chunk.spans {
            let keys = chunk.head(span);
            reader.read(keys, &mut rarities);
            if !self.sets.is_canonical(span.set) {
                continue;
            }
            let keys = keys.iter().zip(&rarities);
            let shared = keys.filter(|&(_, &rarity)| rarity > 0);
            let features = SetSpan {
                start: span.start + span.head,
                len: span.len - span.head,
                head: 0,
                ..*span
            };
            selector.select_by_keys(
                features,
                chunk.set(&features),
                self.sets.code(span.set).unwrap_or(0),
                shared.map(|(&key, _)| key),
            );
        }
        selector.finish(chunk)
    }
}
