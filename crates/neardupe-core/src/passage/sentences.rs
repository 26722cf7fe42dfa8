//! The sentences of a collection, gathered by any number of threads.
//!
//! A sentence is one row: the identity of its signature, its document, its number. Equal
//! signatures come together when the rows are sorted, so they are interned without a table
//! of them in memory. Features are put away once for each set, as far as sets can be
//! remembered; a set that was put away twice is recognized in the sorted rows
//! ([`groups`](super::groups)).
//!
//! Numbers of sets depend on which thread comes first. No result does: what follows uses them
//! only to say that two rows are about the same set.

use super::sentence_pairs::{DiagonalConfig, Matching};
use crate::candidate::chunk::{Chunk, ChunkWriter, SetChunk, SetSpan, open_chunks};
use crate::candidate::partition::NUM_PARTS;
use crate::error::{Error, Result};
use crate::hash::{self, FixedSet};
use crate::numbers::{SetIdx, in_memory, narrow};
use crate::store::{Budget, Rows, Sorter, WorkDir};
use bytemuck::{Pod, Zeroable};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Rows that a thread gathers before it asks for the sorter.
const GATHERED: usize = 1 << 10;
/// Parts of the table of remembered sets, each behind its own lock, so that threads seldom wait for
/// each other.
const SHARDS: usize = 64;
/// Bytes of a remembered set: 16 of identity, in a table that is at least half full when it has
/// grown.
const REMEMBERED_BYTES: u64 = 40;
/// Sets in a chunk at most.
const MAX_CHUNK_SETS: usize = 1 << 18;
/// Documents, sentences and sets that can be numbered: the largest number stands for rows about sets.
const MOST_NUMBERS: u32 = u32::MAX - 1;
/// The document of rows that are about a set: they come after all of its sentences.
const OF_SET: u32 = u32::MAX;

/// A sentence, or a set that was put away. The order of the fields is the order of the sort: rows
/// of one signature come together, sentences by document, the row about the set last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub struct SentenceRow {
    /// Identity of the set, or the key.
    pub identity: [u64; 2],
    /// The document; `OF_SET` when the row is about a set.
    document: u32,
    /// The sentence; or the number of the set.
    number: u32,
}

/// What a row is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowSubject {
    /// A sentence of a document.
    Sentence {
        /// The document.
        document: u32,
        /// Its number in the document.
        sentence: u32,
    },
    /// A set whose features were put away, by its number.
    Set(u32),
}

impl SentenceRow {
    /// What it is about. Rows have one form, since the sorter keeps them as bytes.
    pub fn subject(&self) -> RowSubject {
        if self.document == OF_SET {
            RowSubject::Set(self.number)
        } else {
            RowSubject::Sentence {
                document: self.document,
                sentence: self.number,
            }
        }
    }
}

/// The sentences of a collection while they are gathered: the part that all threads share.
#[derive(Debug)]
pub struct Sentences<'w> {
    pub(super) config: DiagonalConfig,
    pub(super) work: &'w WorkDir,
    rows: Mutex<Sorter<'w, SentenceRow>>,
    remembered: Vec<Mutex<FixedSet<u128>>>,
    /// Sets that each shard remembers at most.
    most_remembered: usize,
    num_sets: AtomicU32,
    sets: Mutex<SetStore<'w>>,
    num_signed: AtomicU64,
    num_unsigned: AtomicU64,
    num_features: AtomicU64,
}

/// All sentences, sorted by signature, and the features of their sets.
#[derive(Debug)]
pub(super) struct Gathered {
    pub(super) rows: Rows<SentenceRow>,
    pub(super) chunks: Vec<Chunk>,
    pub(super) spilled: bool,
    /// Numbers of sets are below this.
    pub(super) num_sets: u32,
    pub(super) num_signed: u64,
    pub(super) num_unsigned: u64,
    pub(super) num_features: u64,
}

impl<'w> Sentences<'w> {
    /// An empty collection. `config.budget` is shared out among rows, features and remembered sets.
    pub fn new(config: &DiagonalConfig, work: &'w WorkDir) -> Self {
        let budget = &config.budget;
        let most = budget.claims / 2 / REMEMBERED_BYTES / SHARDS as u64;
        Sentences {
            config: *config,
            work,
            rows: Mutex::new(Sorter::new(work, "sentences", budget.rows)),
            remembered: (0..SHARDS).map(|_| Mutex::default()).collect(),
            most_remembered: in_memory(most),
            num_sets: AtomicU32::new(0),
            sets: Mutex::new(SetStore::new(work, budget)),
            num_signed: AtomicU64::new(0),
            num_unsigned: AtomicU64::new(0),
            num_features: AtomicU64::new(0),
        }
    }

    /// A collector for one thread.
    pub fn collector(&self) -> SentenceCollector<'_, 'w> {
        SentenceCollector {
            shared: self,
            rows: Vec::with_capacity(GATHERED),
            open: SetChunk::default(),
            features: Vec::new(),
            num_signed: 0,
            num_unsigned: 0,
            num_features: 0,
        }
    }

    /// The number of a set that is not remembered yet; none when it is, and its features are
    /// away. When a shard is full, new sets are no longer remembered: such a set is put away
    /// each time that it occurs, which costs room but changes no result.
    fn new_set(&self, identity: u128) -> Result<Option<u32>> {
        #[expect(clippy::cast_possible_truncation, reason = "a part of the hash")]
        let shard = (identity >> 64) as usize % SHARDS;
        let mut remembered = lock(&self.remembered[shard]);
        if remembered.contains(&identity) {
            return Ok(None);
        }
        if remembered.len() < self.most_remembered {
            remembered.insert(identity);
        }
        // The lock is for the table alone.
        drop(remembered);
        // A number of its own is all that is asked for: no other memory depends on the
        // order.
        let set = self.num_sets.fetch_add(1, Ordering::Relaxed);
        if set < MOST_NUMBERS {
            Ok(Some(set))
        } else {
            Err(too_many("different sentences", u64::from(set)))
        }
    }

    pub(super) fn finish(self) -> Result<Gathered> {
        // The sort that follows needs the room.
        drop(self.remembered);
        let rows = self.rows.into_inner();
        let sets = self.sets.into_inner();
        let sets = sets.unwrap_or_else(PoisonError::into_inner);
        let (chunks, spilled) = sets.finish()?;
        Ok(Gathered {
            rows: rows.unwrap_or_else(PoisonError::into_inner).finish()?,
            chunks,
            spilled,
            num_sets: self.num_sets.into_inner(),
            num_signed: self.num_signed.into_inner(),
            num_unsigned: self.num_unsigned.into_inner(),
            num_features: self.num_features.into_inner(),
        })
    }
}

/// Takes a lock. A thread that panicked ends the job anyway, so a poisoned lock is no reason for a
/// second panic.
fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Numbers of documents, sentences and sets are stored in 32 bits.
fn too_many(what: &str, number: u64) -> Error {
    Error::Limit {
        what: what.to_owned(),
        asked: number,
        allowed: u64::from(MOST_NUMBERS),
        remedy: "take the collection in parts".to_owned(),
    }
}

/// Takes the sentences of one thread. Nothing is complete before [`SentenceCollector::finish`].
#[derive(Debug)]
pub struct SentenceCollector<'a, 'w> {
    shared: &'a Sentences<'w>,
    rows: Vec<SentenceRow>,
    open: SetChunk,
    features: Vec<u64>,
    num_signed: u64,
    num_unsigned: u64,
    num_features: u64,
}

impl SentenceCollector<'_, '_> {
    /// Takes all sentences of a document, each given by its features.
    pub fn document<'f>(
        &mut self,
        document: u32,
        sentences: impl IntoIterator<Item = &'f [u64]>,
    ) -> Result<()> {
        // Sentences without features are numbered too: a diagonal must not leap over them.
        for (number, features) in (0..).zip(sentences) {
            self.sentence(document, number, features)?;
        }
        Ok(())
    }

    /// Takes a sentence: its document, its number in the document (from 0) and its features, none
    /// of them 0. Without features it matches nothing.
    pub fn sentence(
        &mut self,
        document: u32,
        sentence: u32,
        features: &[u64],
    ) -> Result<()> {
        if features.is_empty() {
            self.num_unsigned += 1;
            return Ok(());
        }
        // This number marks rows about sets.
        if document == OF_SET {
            return Err(too_many("documents", u64::from(document)));
        }
        if sentence > MAX_SENTENCE {
            return Err(too_many("sentences of a document", u64::from(sentence)));
        }
        self.num_signed += 1;
        self.features.clear();
        self.features.extend_from_slice(features);
        self.features.sort_unstable();
        self.features.dedup();
        self.num_features += self.features.len() as u64;
        match self.shared.config.matching {
            Matching::SharedKey => {
                // Each key is a signature of its own: one row per key, no set to
                // join.
                for at in 0..self.features.len() {
                    let identity = [self.features[at], 0];
                    self.put(identity, document, sentence)?;
                }
                Ok(())
            }
            Matching::Resemblance(tau) => {
                let identity = hash::set(&self.features);
                let tau = tau.ratio();
                // With tau = 1 only equal sets match, and those the sorted rows
                // show: no features are stored.
                if tau.part < tau.whole
                    && let Some(set) = self.shared.new_set(identity)?
                {
                    self.store_set(set)?;
                    self.put(parted(identity), OF_SET, set)?;
                }
                self.put(parted(identity), document, sentence)
            }
        }
    }

    /// Adds a row; every [`GATHERED`] rows go to the shared sorter.
    fn put(&mut self, identity: [u64; 2], document: u32, sentence: u32) -> Result<()> {
        self.rows.push(SentenceRow {
            identity,
            document,
            number: sentence,
        });
        if self.rows.len() >= GATHERED {
            self.flush()
        } else {
            Ok(())
        }
    }

    fn flush(&mut self) -> Result<()> {
        // One lock for many rows (`GATHERED`).
        let mut sorter = lock(&self.shared.rows);
        self.rows.drain(..).try_for_each(|row| sorter.push(row))
    }

    /// Puts the features at hand into the open chunk.
    fn store_set(&mut self, set: u32) -> Result<()> {
        let most = self.shared.config.budget.chunk_features;
        let full = self.open.features.len() + self.features.len() > most
            || self.open.spans.len() >= MAX_CHUNK_SETS;
        if full {
            self.put_away()?;
        }
        let narrow = |number: usize| narrow(number, "features of a sentence");
        let len = narrow(self.features.len())?;
        self.open.spans.push(SetSpan {
            set: SetIdx::new(set),
            start: narrow(self.open.features.len())?,
            len,
            // Sets are small: a part of one would prove little, so the head is all of it.
            head: len,
        });
        self.open.features.extend_from_slice(&self.features);
        Ok(())
    }

    /// Hands the open chunk to the shared store.
    fn put_away(&mut self) -> Result<()> {
        if self.open.spans.is_empty() {
            return Ok(());
        }
        let chunk = std::mem::take(&mut self.open);
        // The chunk is complete: under the lock it is only moved, or written.
        lock(&self.shared.sets).put(chunk)
    }

    /// All sentences of this thread have come.
    pub fn finish(mut self) -> Result<()> {
        self.flush()?;
        self.put_away()?;
        let shared = self.shared;
        shared
            .num_signed
            .fetch_add(self.num_signed, Ordering::Relaxed);
        let unsigned = &shared.num_unsigned;
        unsigned.fetch_add(self.num_unsigned, Ordering::Relaxed);
        let features = &shared.num_features;
        features.fetch_add(self.num_features, Ordering::Relaxed);
        Ok(())
    }
}

/// The largest number of a sentence: differences of two, with
/// [`MIDDLE`](super::expand::MIDDLE) added, fit 32 bits.
const MAX_SENTENCE: u32 = (1 << 31) - 2;

#[expect(clippy::cast_possible_truncation, reason = "the two halves")]
/// The halves of an identity, the upper one first, so that rows sort as identities do. (Rows are
/// plain bytes aligned to 8; `u128` would add 8 bytes of padding to each.)
fn parted(identity: u128) -> [u64; 2] {
    [(identity >> 64) as u64, identity as u64]
}

/// Chunks of sets: in memory as long as they fit, else all of them in one work file.
#[derive(Debug)]
struct SetStore<'w> {
    work: &'w WorkDir,
    chunks: Vec<SetChunk>,
    bytes: u64,
    most_bytes: u64,
    out: Option<ChunkWriter>,
}

impl<'w> SetStore<'w> {
    fn new(work: &'w WorkDir, budget: &Budget) -> Self {
        SetStore {
            work,
            chunks: Vec::new(),
            bytes: 0,
            // Rows of sentences are held beside them, and bitmaps and prefixes later.
            most_bytes: budget.features / 3,
            out: None,
        }
    }

    fn put(&mut self, mut chunk: SetChunk) -> Result<()> {
        let bytes = chunk.features.len() * 8 + chunk.spans.len() * size_of::<SetSpan>();
        self.bytes += bytes as u64;
        if let Some(out) = &mut self.out {
            // Once one chunk is in the file all later ones are: the join reads from one
            // source.
            return out.write(&chunk);
        }
        chunk.features.shrink_to_fit();
        chunk.spans.shrink_to_fit();
        self.chunks.push(chunk);
        if self.bytes > self.most_bytes {
            let mut out = ChunkWriter::create(self.work, "sentence-sets", NUM_PARTS)?;
            let held = std::mem::take(&mut self.chunks);
            held.iter().try_for_each(|chunk| out.write(chunk))?;
            self.out = Some(out);
        }
        Ok(())
    }

    /// The chunks, and whether they are in a file.
    fn finish(self) -> Result<(Vec<Chunk>, bool)> {
        match self.out {
            None => {
                let chunks = self.chunks.into_iter().map(Chunk::Memory);
                Ok((chunks.collect(), false))
            }
            Some(out) => Ok((open_chunks(self.work, &out.finish()?)?, true)),
        }
    }
}
