//! First stage: records become logged documents and distinct feature sets.
//!
//! Each thread has a [`SetCollector`]. Equal texts and equal sets are noticed as they come:
//! whoever has a text or a set first keeps its features, later ones only refer to it.
//! Who was first does not matter, since the sets are equal. When equal documents are compared
//! like any others ([`FindConfig::keep_exact`]), each has a set of its own.

use super::claims::{Claimed, Claims};
use super::doc_log::{Log, LogWriter, MarkedSet};
use crate::candidate::chunk::{Chunk, ChunkFile, ChunkWriter, SetChunk, SetSpan};
use crate::candidate::partition::part_of;
use crate::candidate::side::SideLayout;
use crate::document::{BadRecord, Progress, Record, Sink, WorkFile, check_cancelled};
use crate::error::{Error, Result};
use crate::hash::{self, TextKey};
use crate::numbers::{SetIdx, narrow};
use crate::pipeline::config::FindConfig;
use crate::pipeline::features::set_maker::{Blocks, MadeSet, SetMaker};
use crate::store::WorkDir;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// Sets in a chunk at most: what is held for each must stay small beside the features.
const MAX_CHUNK_SETS: usize = 1 << 16;

/// What a message about a set of more features than fit 32 bits counts.
const FEATURES: &str = "features of a document";

/// What all collectors of a job share.
pub(in crate::pipeline) struct ReadShared<'a> {
    /// What was asked for.
    pub(in crate::pipeline) config: &'a FindConfig,
    /// Where everything goes that does not fit.
    pub(in crate::pipeline) work: &'a WorkDir,
    /// Asked now and then whether to stop.
    pub(in crate::pipeline) progress: &'a dyn Progress,
    /// Which documents are compared at all.
    pub(in crate::pipeline) blocks: Blocks,
    /// Under what texts are known to be equal.
    pub(in crate::pipeline) text_key: TextKey,
    /// Texts that were met, with their sets and marks.
    pub(in crate::pipeline) texts: Claims,
    /// Sets that were met.
    pub(in crate::pipeline) sets: Claims,
    /// The number of the next set.
    pub(in crate::pipeline) next_set: AtomicU32,
    /// Equal sets may have been put away twice.
    pub(in crate::pipeline) forgot: AtomicBool,
    /// The metadata fields that a document has had a value in.
    pub(in crate::pipeline) seen_fields: Vec<AtomicBool>,
    /// Bytes of chunks and logs in memory.
    held: AtomicU64,
    /// Everything goes to the work directory from now on.
    pub(in crate::pipeline) spilling: AtomicBool,
}

impl<'a> ReadShared<'a> {
    /// Nothing met yet.
    pub(in crate::pipeline) fn new(
        config: &'a FindConfig,
        work: &'a WorkDir,
        progress: &'a dyn Progress,
    ) -> Self {
        let budget = &config.budget;
        ReadShared {
            config,
            work,
            progress,
            blocks: Blocks::of(config),
            text_key: TextKey::new(config.key),
            texts: Claims::new(budget.claims / 2),
            sets: Claims::new(budget.claims / 2),
            next_set: AtomicU32::new(0),
            forgot: AtomicBool::new(false),
            seen_fields: config
                .metadata
                .iter()
                .map(|_| AtomicBool::new(false))
                .collect(),
            held: AtomicU64::new(0),
            spilling: AtomicBool::new(budget.checkpoint),
        }
    }

    /// Whether everything goes to the work directory.
    pub(in crate::pipeline) fn is_spilling(&self) -> bool {
        self.spilling.load(Ordering::Relaxed)
    }

    /// Asks for room in memory; when there is none, everything spills from now on.
    ///
    /// Nothing is given back: a job that has once gone to the work directory stays there, so that each part is either
    /// in memory as a whole or entered in the manifest as a whole.
    fn hold(&self, bytes: u64) -> bool {
        if self.is_spilling() {
            return false;
        }
        let held = self.held.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if held > self.config.budget.features {
            self.spilling.store(true, Ordering::Relaxed);
            return false;
        }
        true
    }

    /// Notes which fields a document has.
    pub(in crate::pipeline) fn see_fields(&self, metadata: &[Option<String>]) {
        for (seen, value) in self.seen_fields.iter().zip(metadata) {
            // A load first: after the first documents no line of the cache is written to any more.
            if value.is_some() && !seen.load(Ordering::Relaxed) {
                seen.store(true, Ordering::Relaxed);
            }
        }
    }

    /// The set of a text that has been met.
    fn set_of_text(&self, text_key: u128) -> Option<MarkedSet> {
        if self.config.keep_exact {
            return None;
        }
        self.texts.get(text_key).map(MarkedSet::of_bits)
    }

    /// Remembers a text and its set.
    fn claim_text(&self, text_key: u128, set: MarkedSet) {
        if !self.config.keep_exact {
            self.texts.claim(text_key, || set.bits());
        }
    }

    /// Claims the set of these features; a number for it when nobody has it yet.
    fn claim_set(&self, hash: u128) -> SetClaim {
        if self.config.keep_exact {
            return SetClaim::New(self.new_set());
        }
        let mut new = None;
        let claimed = self.sets.claim(hash, || new.insert(self.new_set()).get());
        match claimed {
            Claimed::Known(set) => SetClaim::Known(SetIdx::new(set)),
            Claimed::First => SetClaim::New(new.expect("the claim was made with it")),
            Claimed::NoRoom => {
                self.forgot.store(true, Ordering::Relaxed);
                SetClaim::New(self.new_set())
            }
        }
    }

    /// The next number. Which set gets which depends on threads, but no result does: results are in the order of
    /// documents and ids.
    fn new_set(&self) -> SetIdx {
        SetIdx::new(self.next_set.fetch_add(1, Ordering::Relaxed))
    }
}

/// What became of the features of a document.
enum SetClaim {
    /// Another document has this set.
    Known(SetIdx),
    /// They are a new set, to be put away.
    New(SetIdx),
}

/// Takes the records of one thread, of one part of the source.
pub(in crate::pipeline) struct SetCollector<'a> {
    shared: &'a ReadShared<'a>,
    maker: SetMaker,
    sets: SetWriter,
    log: LogWriter,
}

/// Puts new sets away, in chunks: one chunk is open and takes sets until it is full.
struct SetWriter {
    /// Part and thread, to name files by.
    name: String,
    /// What stands beside the features.
    side_layout: SideLayout,
    /// Parts of the feature space that make up heads.
    head_parts: usize,
    /// The chunk that takes sets.
    open: SetChunk,
    /// Full chunks in memory.
    chunks: Vec<Chunk>,
    /// The file of full chunks, once there is one.
    out: Option<ChunkWriter>,
}

/// What one thread collected of one part: in memory, or in files.
pub(in crate::pipeline) struct CollectedPart {
    side_layout: SideLayout,
    /// In memory; empty when they are in a file.
    pub(in crate::pipeline) chunks: Vec<Chunk>,
    /// Where they are otherwise.
    pub(in crate::pipeline) chunk_file: Option<ChunkFile>,
    pub(in crate::pipeline) log: Log,
    /// The file of the log, if it is in one.
    pub(in crate::pipeline) log_file: Option<WorkFile>,
    name: String,
}

impl<'a> SetCollector<'a> {
    /// The collector of one thread.
    pub(in crate::pipeline) fn new(
        shared: &'a ReadShared<'a>,
        name: String,
    ) -> Result<Self> {
        let maker = SetMaker::new(shared.config)?;
        let sets = SetWriter {
            name,
            side_layout: maker.side_layout().clone(),
            head_parts: shared.config.head_parts(),
            open: SetChunk::default(),
            chunks: Vec::new(),
            out: None,
        };
        Ok(SetCollector {
            shared,
            maker,
            sets,
            log: LogWriter::default(),
        })
    }

    /// All records have come.
    pub(in crate::pipeline) fn finish(mut self) -> Result<CollectedPart> {
        self.sets.put_away(self.shared)?;
        if self.shared.is_spilling() {
            let name = format!("log-{}", self.sets.name);
            self.log.write_blocks(self.shared.work, &name)?;
        }
        let (log, log_file) = self.log.finish()?;
        let sets = self.sets;
        let mut collected = CollectedPart {
            side_layout: sets.side_layout,
            chunks: sets.chunks,
            chunk_file: None,
            log,
            log_file,
            name: sets.name,
        };
        if let Some(mut out) = sets.out {
            // Chunks that were in memory when there was still room.
            for chunk in std::mem::take(&mut collected.chunks) {
                out.write(&chunk.load()?)?;
            }
            collected.chunk_file = Some(out.finish()?);
        }
        Ok(collected)
    }

    /// The set of a record, with what is marked on it.
    fn set_of(&mut self, record: &Record<'_>, text_hash: u128) -> Result<MarkedSet> {
        let Some(text_key) = self.maker.sign(record, text_hash) else {
            return Ok(MarkedSet::NONE);
        };
        // An equal text was met: no word of this one is looked at. That is what makes exact copies cheap.
        if let Some(set) = self.shared.set_of_text(text_key) {
            return Ok(set);
        }
        let set = match self.maker.make(record, text_key) {
            None => MarkedSet::NONE,
            Some(mut made) => {
                let set = self.sets.put(self.shared, &mut made)?;
                MarkedSet::new(set, made.is_featureless, made.is_shorter)
            }
        };
        // After the set was put away: whoever finds the text may use its set at once.
        self.shared.claim_text(text_key, set);
        Ok(set)
    }

    /// Puts a full block of the log away, in memory or in the file of this thread.
    fn tend_log(&mut self) -> Result<()> {
        if !self.log.is_full() {
            return Ok(());
        }
        check_cancelled(self.shared.progress)?;
        let bytes = self.log.keep_block();
        if !self.shared.hold(bytes) {
            let name = format!("log-{}", self.sets.name);
            self.log.write_blocks(self.shared.work, &name)?;
        }
        Ok(())
    }
}

impl SetWriter {
    /// The number of a set; a new one is put away.
    fn put(&mut self, shared: &ReadShared<'_>, made: &mut MadeSet<'_>) -> Result<SetIdx> {
        let new = match shared.claim_set(made.hash) {
            SetClaim::Known(set) => return Ok(set),
            SetClaim::New(set) => set,
        };
        // The bits above are for marks. A job that could number so many sets is far from done when it is refused here.
        if new.get() >= MarkedSet::MAX_SETS {
            return Err(Error::Limit {
                what: "distinct feature sets".to_owned(),
                asked: u64::from(new.get()) + 1,
                allowed: u64::from(MarkedSet::MAX_SETS),
                remedy: "split the collection".to_owned(),
            });
        }
        self.store(shared, new, made)?;
        Ok(new)
    }

    /// Puts the open chunk away.
    fn put_away(&mut self, shared: &ReadShared<'_>) -> Result<()> {
        if self.open.spans.is_empty() {
            return Ok(());
        }
        // Keys will stand beside the features, and once more as prefixes.
        let per_set = 32 + 16 * shared.config.num_keys();
        let bytes = self.open.features.len() * 8 + self.open.spans.len() * per_set;
        let bytes = bytes as u64;
        if shared.hold(bytes) {
            let mut chunk = std::mem::take(&mut self.open);
            chunk.features.shrink_to_fit();
            self.chunks.push(Chunk::Memory(chunk));
            return Ok(());
        }
        let out = match &mut self.out {
            Some(out) => out,
            none => {
                let name = format!("features-{}", self.name);
                let work = shared.work;
                let out = ChunkWriter::create(work, &name, self.head_parts)?;
                none.insert(out.with_side(self.side_layout.clone()))
            }
        };
        out.write(&self.open)?;
        self.open.features.clear();
        self.open.spans.clear();
        self.open.hashes.clear();
        self.open.side.clear();
        Ok(())
    }

    /// Puts features into the open chunk as a new set.
    fn store(
        &mut self,
        shared: &ReadShared<'_>,
        set: SetIdx,
        made: &mut MadeSet<'_>,
    ) -> Result<()> {
        // The order of features within a set means nothing, so the head can come first without a mark for each feature.
        let head = head_first(made.features, self.head_parts);
        let len = made.features.len();
        let most = shared.config.budget.chunk_features;
        let full = self.open.features.len() + len > most
            || self.open.spans.len() >= MAX_CHUNK_SETS;
        if full {
            self.put_away(shared)?;
        }
        // All of a chunk at once: growing would copy it, and leave room that is counted nowhere.
        if self.open.features.capacity() == 0 {
            self.open.features.reserve_exact(most.max(len));
        }
        self.open.spans.push(SetSpan {
            set,
            start: narrow(self.open.features.len(), FEATURES)?,
            len: narrow(len, FEATURES)?,
            head: narrow(head, FEATURES)?,
        });
        self.open.hashes.push(made.hash);
        self.open.side.extend_from_slice(made.side);
        self.open.features.extend_from_slice(made.features);
        Ok(())
    }
}

impl CollectedPart {
    /// Writes what is in memory to files.
    pub(in crate::pipeline) fn spill(
        &mut self,
        work: &WorkDir,
        head_parts: usize,
    ) -> Result<()> {
        if !self.chunks.is_empty() {
            let name = format!("features-{}", self.name);
            let out = ChunkWriter::create(work, &name, head_parts)?;
            let mut out = out.with_side(self.side_layout.clone());
            for chunk in std::mem::take(&mut self.chunks) {
                out.write(&chunk.load()?)?;
            }
            self.chunk_file = Some(out.finish()?);
        }
        if let Some(file) = self.log.spill(work, &format!("log-{}", self.name))? {
            self.log_file = Some(file);
        }
        Ok(())
    }
}

/// Moves the features of the first parts to the front; how many there are.
fn head_first(features: &mut [u64], head_parts: usize) -> usize {
    let mut head = 0;
    for at in 0..features.len() {
        // No branch: the outcome is random.
        let in_head = part_of(features[at]) < head_parts;
        features.swap(at, head);
        head += usize::from(in_head);
    }
    head
}

impl Sink for SetCollector<'_> {
    fn give_back(&mut self) {
        // It was made of the same before.
        if let Ok(maker) = SetMaker::new(self.shared.config) {
            self.maker = maker;
        }
    }

    fn document(&mut self, record: &Record<'_>) -> Result<()> {
        self.shared.see_fields(record.metadata);
        let text_hash = hash::text(record.text);
        let keyed = self.shared.text_key.text(record.text);
        let set = self.set_of(record, hash::text_identity(text_hash, keyed))?;
        let chars = narrow(record.text.chars().count(), "characters of a document")?;
        self.log.document(record, set, (text_hash, keyed), chars)?;
        self.tend_log()
    }

    fn bad_record(&mut self, bad: BadRecord) -> Result<()> {
        if self.shared.config.strict {
            let what = format!("record with a fault of kind {}", bad.kind.name());
            return Err(Error::input(
                what,
                format!("{}; stopped by `strict`", bad.detail),
            ));
        }
        self.log.bad(&bad)?;
        self.tend_log()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;

    #[test]
    fn the_head_comes_first_and_nothing_is_lost() {
        for parts in [0, 1, 97, 256] {
            let mut features: Vec<u64> = (0..500).map(mix).collect();
            let head = head_first(&mut features, parts);
            assert!(
                features[..head]
                    .iter()
                    .all(|&feature| part_of(feature) < parts)
            );
            assert!(
                features[head..]
                    .iter()
                    .all(|&feature| part_of(feature) >= parts)
            );
            features.sort_unstable();
            let mut all: Vec<u64> = (0..500).map(mix).collect();
            all.sort_unstable();
            assert_eq!(features, all);
        }
    }
}
