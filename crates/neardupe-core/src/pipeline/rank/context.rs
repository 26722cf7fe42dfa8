//! Second stage: features are counted, and sets that can have a partner are selected.
//!
//! A feature that occurs in a single set cannot be shared: with enough of them a set has no
//! partner. Most sets of most collections have no partner,
//! and the head of a set (its features from some parts of the feature space) shows it. So
//! first heads alone are counted, over all sets, and only what they leave open is counted
//! and ranked in full: fewer features, and rarities within the sets that matter.

use crate::candidate::chunk::{Chunk, ChunkWriter, SetChunk, open_chunks};
use crate::candidate::open_sets::{OpenSets, OpenSetsWriter, SelectedChunk};
use crate::candidate::partition::NUM_PARTS;
use crate::candidate::ranking::{Ranking, RarityReader};
use crate::candidate::select::select;
use crate::candidate::sieve::{SetRules, sieve};
use crate::document::Progress;
use crate::error::Result;
use crate::pipeline::config::FindConfig;
use crate::pipeline::read::documents::Documents;
use crate::pipeline::read::parts::FEATURES;
use crate::pipeline::read::sets::SetTable;
use crate::store::WorkDir;

/// Name of the stage that leaves chunks of sets with all their features.
pub(in crate::pipeline) const OPEN: &str = "open";
/// Name of the stage that leaves the open sets; it stands in work directories.
pub(super) const SELECTED: &str = "kept";

/// What this stage works with.
#[derive(Clone, Copy)]
pub(in crate::pipeline) struct RankContext<'a> {
    /// What was asked for.
    pub(in crate::pipeline) config: &'a FindConfig,
    /// How many documents have each set is known from them.
    pub(in crate::pipeline) documents: &'a Documents,
    /// Which sets stand for themselves, and what was made of texts.
    pub(in crate::pipeline) sets: &'a SetTable,
    /// Where stages are entered, and what does not fit is put.
    pub(in crate::pipeline) work: &'a WorkDir,
    /// Hears of each pass over the features.
    pub(in crate::pipeline) progress: &'a dyn Progress,
    /// What is made goes to the work directory.
    pub(in crate::pipeline) spilled: bool,
}

impl RankContext<'_> {
    /// Drops the sets whose heads show that they have no partner.
    pub(super) fn sieve(&self, chunks: Vec<Chunk>) -> Result<Vec<Chunk>> {
        // From the bounds alone, so the same for a job that is resumed: chunks in files have their heads cut by it.
        let head_parts = self.config.head_parts();
        if head_parts == NUM_PARTS {
            // The head is the whole set: it will be looked up once, when it is ranked.
            return Ok(chunks);
        }
        let num_heads: u64 = chunks.iter().map(Chunk::num_heads).sum();
        self.progress.begin("count", num_heads * 2);
        let ranking = self.ranking(head_parts);
        let visit = |chunk: SetChunk, mut rarities: RarityReader| {
            Ok(self.sieved(&chunk, &mut rarities))
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
            // What stays open of a chunk is little: chunks are put together until one is as large as others.
            if gathered.features.len() + chunk.features.len() > most {
                out.write(&gathered)?;
                gathered.features.clear();
                gathered.spans.clear();
            }
            append(&mut gathered, &chunk);
            Ok(())
        })?;
        out.write(&gathered)?;
        // Its room is not needed while the file is opened.
        drop(gathered);
        let file = out.finish()?;
        let files = vec![file.file.clone()];
        self.work.commit(OPEN, &file, files, self.done_with())?;
        open_chunks(self.work, &file)
    }

    /// The sets of a chunk that their heads leave open, and for which no equal set stands.
    fn sieved(&self, chunk: &SetChunk, reader: &mut RarityReader) -> SetChunk {
        let rarities = |features: &[u64], rarities: &mut _| {
            reader.read(features, rarities);
        };
        let is_wanted = |set| self.sets.is_canonical(set);
        sieve(&self.set_rules(), chunk, rarities, is_wanted)
    }

    /// What decides whether a set is open.
    fn set_rules(&self) -> SetRules {
        SetRules {
            bounds: self.config.bounds(),
            filters: self.config.filters,
        }
    }

    /// Ranks the features of the open sets and selects their prefixes.
    pub(in crate::pipeline) fn rank(&self, open: Vec<Chunk>) -> Result<OpenSets> {
        self.select(open, |chunk, rarities| self.selected_sets(chunk, rarities))
    }

    /// Looks up how rare the heads of all sets are and keeps what is selected by that.
    pub(in crate::pipeline) fn select(
        &self,
        chunks: Vec<Chunk>,
        select: impl Fn(SetChunk, &mut RarityReader) -> SelectedChunk + Sync,
    ) -> Result<OpenSets> {
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
            return Ok(OpenSets::in_memory(selected));
        }
        let mut out = OpenSetsWriter::create(self.work, SELECTED)?;
        ranking.for_each_chunk(chunks, visit, |chunk| out.write(&chunk))?;
        let file = out.finish()?;
        let files = vec![file.file.clone()];
        // The open chunks have become open sets; and nobody needs the features of the others any more.
        let done_with = [self.done_with(), &[OPEN]].concat();
        self.work.commit(SELECTED, &file, files, &done_with)?;
        OpenSets::open(self.work, &file)
    }

    /// The open sets of a chunk by the exact join.
    fn selected_sets(&self, chunk: SetChunk, reader: &mut RarityReader) -> SelectedChunk {
        let rarities = |features: &[u64], rarities: &mut _| {
            reader.read(features, rarities);
        };
        let is_wanted = |set| self.sets.is_canonical(set);
        let signature = |set| self.sets.keys(set);
        select(&self.set_rules(), chunk, rarities, is_wanted, signature)
    }

    /// Stages whose files are removed now.
    pub(in crate::pipeline) fn done_with(&self) -> &'static [&'static str] {
        if self.config.budget.keep_features {
            &[]
        } else {
            &[FEATURES]
        }
    }

    /// Counting and looking up of the first parts of the feature space.
    fn ranking(&self, head_parts: usize) -> Ranking<'_> {
        Ranking {
            budget: &self.config.budget,
            work: self.work,
            head_parts,
            progress: self.progress,
        }
    }
}

/// Puts the sets of one chunk behind those of another, so that few chunks are written.
fn append(chunk: &mut SetChunk, other: &SetChunk) {
    for span in &other.spans {
        chunk.push(span.set, other.set(span));
    }
}
