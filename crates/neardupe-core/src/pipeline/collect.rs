//! First stage: records become logged documents and distinct feature sets.
//!
//! Each thread has a [`Collector`]. Equal texts and equal sets are noticed as they come:
//! whoever has a text or a set first keeps its features, later ones only refer to it.
//! Who was first does not matter, since the sets are equal. When equal documents are compared
//! like any others ([`FindConfig::keep_exact`]), each has a set of its own.

use super::claims::{Claimed, Claims};
use super::config::FindConfig;
use super::doc_log::{Log, LogWriter};
use super::documents::{FEATURELESS, NO_SET, SHORTER};
use super::set_maker::{Blocks, MadeSet, SetMaker};
use crate::candidate::chunk::{Chunk, ChunkFile, ChunkWriter, SetChunk, SetSpan};
use crate::candidate::partition::part_of;
use crate::candidate::side::SideLayout;
use crate::document::{BadRecord, Progress, Record, Sink, WorkFile, check_cancelled};
use crate::error::{Error, Result};
use crate::hash;
use crate::store::WorkDir;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// Sets in a chunk at most: what is held for each must stay small beside the features.
const MAX_CHUNK_SETS: usize = 1 << 16;

/// What all collectors of a job share.
pub(super) struct Shared<'a> {
    pub(super) config: &'a FindConfig,
    pub(super) work: &'a WorkDir,
    pub(super) progress: &'a dyn Progress,
    pub(super) blocks: Blocks,
    pub(super) texts: Claims,
    pub(super) sets: Claims,
    pub(super) next_set: AtomicU32,
    /// Equal sets may have been put away twice.
    pub(super) forgot: AtomicBool,
    /// The metadata fields that a document has had a value in.
    pub(super) seen_fields: Vec<AtomicBool>,
    /// Bytes of chunks and logs in memory.
    held: AtomicU64,
    /// Everything goes to the work directory from now on.
    pub(super) spilling: AtomicBool,
}

impl<'a> Shared<'a> {
    /// Nothing met yet.
    pub(super) fn new(
        config: &'a FindConfig,
        work: &'a WorkDir,
        progress: &'a dyn Progress,
    ) -> Self {
        let budget = &config.budget;
        Shared {
            config,
            work,
            progress,
            blocks: Blocks::of(config),
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

    pub(super) fn is_spilling(&self) -> bool {
        self.spilling.load(Ordering::Relaxed)
    }

    /// Asks for room in memory; when there is none, everything spills from now on.
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
    pub(super) fn see_fields(&self, metadata: &[Option<String>]) {
        for (seen, value) in self.seen_fields.iter().zip(metadata) {
            if value.is_some() && !seen.load(Ordering::Relaxed) {
                seen.store(true, Ordering::Relaxed);
            }
        }
    }

    /// The set of a text that has been met.
    fn set_of_text(&self, text_key: u128) -> Option<u32> {
        match self.config.keep_exact {
            true => None,
            false => self.texts.get(text_key),
        }
    }

    /// Remembers a text and its set.
    fn claim_text(&self, text_key: u128, set: u32) {
        if !self.config.keep_exact {
            self.texts.claim(text_key, || set);
        }
    }

    /// Claims the set of these features; a number for it when nobody has it yet.
    fn claim_set(&self, hash: u128) -> SetClaim {
        if self.config.keep_exact {
            return SetClaim::New(self.new_set());
        }
        let mut new = NO_SET;
        let claimed = self.sets.claim(hash, || {
            new = self.new_set();
            new
        });
        match claimed {
            Claimed::Known(set) => SetClaim::Known(set),
            Claimed::First => SetClaim::New(new),
            Claimed::NoRoom => {
                self.forgot.store(true, Ordering::Relaxed);
                SetClaim::New(self.new_set())
            }
        }
    }

    fn new_set(&self) -> u32 {
        self.next_set.fetch_add(1, Ordering::Relaxed)
    }
}

/// What became of the features of a document.
enum SetClaim {
    /// Another document has this set.
    Known(u32),
    /// They are a new set, to be put away.
    New(u32),
}

/// Takes the records of one thread, of one part of the source.
pub(super) struct Collector<'a> {
    shared: &'a Shared<'a>,
    maker: SetMaker,
    sets: SetWriter,
    log: LogWriter,
}

/// Puts new sets away, in chunks.
struct SetWriter {
    /// Part and thread, to name files by.
    name: String,
    side_layout: SideLayout,
    head_parts: usize,
    open: SetChunk,
    chunks: Vec<Chunk>,
    out: Option<ChunkWriter>,
}

/// What one thread collected of one part: in memory, or in files.
pub(super) struct Collected {
    side_layout: SideLayout,
    pub(super) chunks: Vec<Chunk>,
    pub(super) chunk_file: Option<ChunkFile>,
    pub(super) log: Log,
    pub(super) log_file: Option<WorkFile>,
    name: String,
}

impl<'a> Collector<'a> {
    /// The collector of one thread.
    pub(super) fn new(shared: &'a Shared<'a>, name: String) -> Result<Self> {
        let maker = SetMaker::new(shared.config)?;
        let sets = SetWriter {
            name,
            side_layout: maker.side_layout().clone(),
            head_parts: shared.config.head_parts(),
            open: SetChunk::default(),
            chunks: Vec::new(),
            out: None,
        };
        Ok(Collector {
            shared,
            maker,
            sets,
            log: LogWriter::default(),
        })
    }

    /// All records have come.
    pub(super) fn finish(mut self) -> Result<Collected> {
        self.sets.put_away(self.shared)?;
        if self.shared.is_spilling() {
            let name = format!("log-{}", self.sets.name);
            self.log.write_blocks(self.shared.work, &name)?;
        }
        let (log, log_file) = self.log.finish()?;
        let sets = self.sets;
        let mut collected = Collected {
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

    /// The set of a record, with what is marked on it; [`NO_SET`] when it has none.
    fn set_of(&mut self, record: &Record<'_>, text_hash: u128) -> Result<u32> {
        let Some(text_key) = self.maker.sign(record, text_hash) else {
            return Ok(NO_SET);
        };
        if let Some(set) = self.shared.set_of_text(text_key) {
            return Ok(set);
        }
        let set = match self.maker.make(record, text_key) {
            None => NO_SET,
            Some(mut made) => {
                let mut marked = self.sets.put(self.shared, &mut made)?;
                if made.is_featureless {
                    marked |= FEATURELESS;
                }
                if made.is_shorter {
                    marked |= SHORTER;
                }
                marked
            }
        };
        self.shared.claim_text(text_key, set);
        Ok(set)
    }

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
    fn put(&mut self, shared: &Shared<'_>, made: &mut MadeSet<'_>) -> Result<u32> {
        let new = match shared.claim_set(made.hash) {
            SetClaim::Known(set) => return Ok(set),
            SetClaim::New(set) => set,
        };
        if new >= SHORTER - 2 {
            narrow(usize::MAX)?;
        }
        self.store(shared, new, made)?;
        Ok(new)
    }

    /// Puts the open chunk away.
    fn put_away(&mut self, shared: &Shared<'_>) -> Result<()> {
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
        shared: &Shared<'_>,
        set: u32,
        made: &mut MadeSet<'_>,
    ) -> Result<()> {
        let head = head_first(made.features, self.head_parts);
        let len = made.features.len();
        let most = shared.config.budget.chunk_features;
        let full = self.open.features.len() + len > most
            || self.open.spans.len() >= MAX_CHUNK_SETS;
        if full {
            self.put_away(shared)?;
        }
        if self.open.features.capacity() == 0 {
            self.open.features.reserve_exact(most.max(len));
        }
        self.open.spans.push(SetSpan {
            set,
            start: narrow(self.open.features.len())?,
            len: narrow(len)?,
            head: narrow(head)?,
        });
        self.open.hashes.push(made.hash);
        self.open.side.extend_from_slice(made.side);
        self.open.features.extend_from_slice(made.features);
        Ok(())
    }
}

impl Collected {
    /// Writes what is in memory to files.
    pub(super) fn spill(&mut self, work: &WorkDir, head_parts: usize) -> Result<()> {
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

fn narrow(value: usize) -> Result<u32> {
    u32::try_from(value).map_err(|_| Error::Limit {
        what: "documents, or features of a document".to_owned(),
        asked: value as u64,
        allowed: u64::from(u32::MAX),
        remedy: "split the collection".to_owned(),
    })
}

impl Sink for Collector<'_> {
    fn document(&mut self, record: &Record<'_>) -> Result<()> {
        self.shared.see_fields(record.metadata);
        let text_hash = hash::text(record.text);
        let set = self.set_of(record, text_hash)?;
        let chars = narrow(record.text.chars().count())?;
        self.log.document(record, set, text_hash, chars)?;
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
