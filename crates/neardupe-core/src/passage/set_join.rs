//! Which sets of features resemble each other: the exact join of documents, over sentences.
//!
//! Sets are interned, so each is joined once, however many sentences have it. The steps are
//! those of `find`: features are counted, sets that cannot have a partner are dropped
//! ([`SetJoin::kept`]), and the others are joined by prefixes ([`SetJoin::pairs`]). No pair is
//! lost: filters are exact.

use crate::candidate::chunk::{Chunk, SetChunk};
use crate::candidate::filter::Filters;
use crate::candidate::ledger::Ledger;
use crate::candidate::open_sets::{OpenSets, OpenSetsWriter, SelectedChunk};
use crate::candidate::partition::NUM_PARTS;
use crate::candidate::postings::LONG_LIST;
use crate::candidate::ranking::{Ranking, RarityReader};
use crate::candidate::select::select;
use crate::candidate::sieve::SetRules;
use crate::document::Progress;
use crate::error::Result;
use crate::join::{JoinSettings, all_pairs};
use crate::numbers::SetIdx;
use crate::pair::SetPair;
use crate::similarity::{Bounds, Similarity};
use crate::store::{Budget, WorkDir};
use crate::threshold::Threshold;

/// Postings from which a list is gone through by many searches together, as for documents.
const SHARED_LIST: usize = 512;
/// Sets are small: more of them are a batch than of documents.
const BATCH_LEN: usize = 1 << 11;

/// A bit for each set, by its number: 64 sets a word, the lowest bit first.
#[derive(Debug, Default, Clone)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    pub(super) fn new(len: u32) -> Self {
        Bits(vec![0; (len as usize).div_ceil(64)])
    }

    pub(super) fn set(&mut self, at: u32) {
        self.0[at as usize / 64] |= 1 << (at % 64);
    }

    pub(super) fn get(&self, at: u32) -> bool {
        self.0[at as usize / 64] >> (at % 64) & 1 == 1
    }
}

/// The settings and resources of a join of sets.
#[derive(Clone, Copy)]
pub(super) struct SetJoin<'a> {
    pub(super) tau: Threshold,
    /// The sets that are joined.
    pub(super) wanted: &'a Bits,
    pub(super) budget: &'a Budget,
    /// Bytes that others hold at the same time.
    pub(super) held: u64,
    pub(super) work: &'a WorkDir,
    pub(super) progress: &'a dyn Progress,
}

impl SetJoin<'_> {
    /// Gives the numbers of each pair of sets at or above the threshold to `found`, in no
    /// order.
    pub(super) fn pairs(
        &self,
        open: &OpenSets,
        mut found: impl FnMut(SetIdx, SetIdx) -> Result<()>,
    ) -> Result<Ledger> {
        let settings = JoinSettings {
            bounds: self.bounds(),
            filters: Filters::default(),
            long_list: LONG_LIST,
            shared_list: SHARED_LIST,
            batch_len: BATCH_LEN,
            // Posting lists get what open sets and the sorters of rows leave of the
            // budget; with less room the join goes through more windows, with the same
            // pairs.
            window_bytes: self.budget.window_beside(open.memory_bytes() + self.held),
        };
        self.progress.begin("join", u64::from(open.len()));
        all_pairs(open, &settings, self.progress, |pair: SetPair| {
            // The join numbers the open sets anew; here the numbers are those of
            // `Sentences` again.
            found(open.set(pair.left), open.set(pair.right))
        })
    }

    /// What the threshold means for sizes and overlaps.
    fn bounds(&self) -> Bounds {
        Bounds::new(Similarity::Resemblance, self.tau)
    }

    /// The sets that can have a partner; in a work file if the chunks are.
    pub(super) fn kept(&self, chunks: Vec<Chunk>, spilled: bool) -> Result<OpenSets> {
        let num_features: u64 = chunks.iter().map(Chunk::num_features).sum();
        // Features are gone through twice: counted, then ranked.
        self.progress.begin("select", num_features * 2);
        let ranking = Ranking {
            budget: self.budget,
            work: self.work,
            head_parts: NUM_PARTS,
            progress: self.progress,
        };
        let visit =
            |chunk: SetChunk, rarities: RarityReader| Ok(self.select(chunk, rarities));
        if !spilled {
            let mut selected = Vec::new();
            ranking.for_each_chunk(chunks, visit, |chunk| {
                selected.push(chunk);
                Ok(())
            })?;
            return Ok(OpenSets::in_memory(selected));
        }
        let mut out = OpenSetsWriter::create(self.work, "sentence-kept")?;
        ranking.for_each_chunk(chunks, visit, |chunk| out.write(&chunk))?;
        OpenSets::open(self.work, &out.finish()?)
    }

    /// Of a chunk the sets that can have a partner. Sets that are not wanted (frequent ones,
    /// and second copies) are dropped here, although they were counted: counts that are too
    /// high keep a set too many, never one too few.
    fn select(&self, chunk: SetChunk, mut reader: RarityReader) -> SelectedChunk {
        let rules = SetRules {
            bounds: self.bounds(),
            filters: Filters::default(),
        };
        let rarities = |features: &[u64], rarities: &mut _| {
            reader.read(features, rarities);
        };
        let is_wanted = |set: SetIdx| self.wanted.get(set.get());
        // No data beside the features: sentences have no signatures of other methods.
        select(&rules, chunk, rarities, is_wanted, |_| &[])
    }
}
