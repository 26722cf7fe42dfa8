//! Second stage: features are counted, and sets that can have a partner are selected.
//!
//! A feature that occurs in a single set tells that its set has one partner less to hope
//! for: with enough of them there is none. Most sets of most collections have no partner,
//! and the head of a set (its features from some parts of the feature space) shows it. So
//! first heads alone are counted, over all sets, and only what they leave open is counted
//! and ranked in full: fewer features, and rarities within the sets that matter.

use super::config::FindConfig;
use super::documents::Documents;
use super::read::FEATURES;
use super::sets::SetTable;
use crate::candidate::chunk::{Chunk, ChunkFile, ChunkWriter, SetChunk, open_chunks};
use crate::candidate::kept::{Kept, KeptFile, KeptWriter, SelectedChunk};
use crate::candidate::partition::NUM_PARTS;
use crate::candidate::ranking::{Ranking, RarityReader};
use crate::candidate::select::select;
use crate::candidate::sieve::{SetRules, sieve};
use crate::document::Progress;
use crate::error::Result;
use crate::store::WorkDir;

pub(super) const OPEN: &str = "open";
const KEPT: &str = "kept";

/// What this stage works with.
#[derive(Clone, Copy)]
pub(super) struct Prepare<'a> {
    pub(super) config: &'a FindConfig,
    pub(super) documents: &'a Documents,
    pub(super) sets: &'a SetTable,
    pub(super) work: &'a WorkDir,
    pub(super) progress: &'a dyn Progress,
    /// What is made goes to the work directory.
    pub(super) spilled: bool,
}

impl Prepare<'_> {
    /// The sets that can have a partner.
    pub(super) fn kept(&self, chunks: Vec<Chunk>) -> Result<Kept> {
        if let Some((file, _)) = self.work.stage::<KeptFile>(KEPT)? {
            return Kept::open(self.work, &file);
        }
        let method = self.config.method;
        if let Some(keys) = method.keys(self.config, self.sets.totals().0) {
            return self.banded(chunks, &*keys);
        }
        if let Some(plan) = &self.config.sampling.adaptive {
            return self.select(chunks, |chunk, rarities| {
                self.leveled_sets(plan, chunk, rarities)
            });
        }
        let open = match self.work.stage::<ChunkFile>(OPEN)? {
            Some((file, _)) => open_chunks(self.work, &file)?,
            None => match self.config.sampling.commonality {
                None => self.sieve(chunks)?,
                Some(most) => self.sieve(self.without_common(chunks, most)?)?,
            },
        };
        self.rank(open)
    }

    /// Drops the sets whose heads show that they have no partner.
    fn sieve(&self, chunks: Vec<Chunk>) -> Result<Vec<Chunk>> {
        let head_parts = self.config.head_parts();
        if head_parts == NUM_PARTS {
            // The head is the whole set: it will be looked up once, when it is ranked.
            return Ok(chunks);
        }
        let num_heads: u64 = chunks.iter().map(Chunk::num_heads).sum();
        self.progress.begin("count", num_heads * 2);
        let ranking = self.ranking(head_parts);
        let visit = |chunk: SetChunk, mut rarities: RarityReader| {
            Ok(self.open_sets(&chunk, &mut rarities))
        };
        if !self.spilled {
            let mut open = Vec::new();
            ranking.for_each_chunk(chunks, visit, |chunk| {
                open.push(Chunk::Memory(chunk));
                Ok(())
            })?;
            return Ok(open);
        }
        let mut out = ChunkWriter::create(self.work, OPEN, NUM_PARTS)?;
        let most = self.config.budget.chunk_features;
        let mut gathered = SetChunk::default();
        ranking.for_each_chunk(chunks, visit, |chunk| {
            if gathered.features.len() + chunk.features.len() > most {
                out.write(&gathered)?;
                gathered.features.clear();
                gathered.spans.clear();
            }
            append(&mut gathered, &chunk);
            Ok(())
        })?;
        out.write(&gathered)?;
        drop(gathered);
        let file = out.finish()?;
        let files = vec![file.file.clone()];
        self.work.commit(OPEN, &file, files, self.done_with())?;
        open_chunks(self.work, &file)
    }

    fn open_sets(&self, chunk: &SetChunk, reader: &mut RarityReader) -> SetChunk {
        let rarities = |features: &[u64], rarities: &mut _| {
            reader.read(features, rarities);
        };
        let is_wanted = |set| self.sets.is_canonical(set);
        sieve(&self.set_rules(), chunk, rarities, is_wanted)
    }

    fn set_rules(&self) -> SetRules {
        SetRules {
            bounds: self.config.bounds(),
            filters: self.config.filters,
        }
    }

    /// Ranks the features of the open sets and selects their prefixes.
    pub(super) fn rank(&self, open: Vec<Chunk>) -> Result<Kept> {
        self.select(open, |chunk, rarities| self.selected_sets(chunk, rarities))
    }

    /// Looks up how rare the heads of all sets are and keeps what is selected by that.
    pub(super) fn select(
        &self,
        chunks: Vec<Chunk>,
        select: impl Fn(SetChunk, &mut RarityReader) -> SelectedChunk + Sync,
    ) -> Result<Kept> {
        let num_heads: u64 = chunks.iter().map(Chunk::num_heads).sum();
        self.progress.begin("select", num_heads * 2);
        let ranking = self.ranking(NUM_PARTS);
        let visit = |chunk: SetChunk, mut rarities: RarityReader| {
            Ok(select(chunk, &mut rarities))
        };
        if !self.spilled {
            let mut selected = Vec::new();
            ranking.for_each_chunk(chunks, visit, |chunk| {
                selected.push(chunk);
                Ok(())
            })?;
            return Ok(Kept::in_memory(selected));
        }
        let mut out = KeptWriter::create(self.work, KEPT)?;
        ranking.for_each_chunk(chunks, visit, |chunk| out.write(&chunk))?;
        let file = out.finish()?;
        let files = vec![file.file.clone()];
        let done_with = [self.done_with(), &[OPEN]].concat();
        self.work.commit(KEPT, &file, files, &done_with)?;
        Kept::open(self.work, &file)
    }

    fn selected_sets(&self, chunk: SetChunk, reader: &mut RarityReader) -> SelectedChunk {
        let rarities = |features: &[u64], rarities: &mut _| {
            reader.read(features, rarities);
        };
        let is_wanted = |set| self.sets.is_canonical(set);
        let signature = |set| self.sets.keys(set);
        select(&self.set_rules(), chunk, rarities, is_wanted, signature)
    }

    /// Stages whose files go now.
    pub(super) fn done_with(&self) -> &'static [&'static str] {
        match self.config.budget.keep_features {
            true => &[],
            false => &[FEATURES],
        }
    }

    fn ranking(&self, head_parts: usize) -> Ranking<'_> {
        Ranking {
            budget: &self.config.budget,
            work: self.work,
            head_parts,
            progress: self.progress,
        }
    }
}

fn append(chunk: &mut SetChunk, other: &SetChunk) {
    for span in &other.spans {
        chunk.push(span.set, other.set(span));
    }
}
