//! How much each stage may hold: shares of the memory that was asked for.
//!
//! No result depends on any of these numbers. What grows with the number of documents alone
//! (about [`DOCUMENT_BYTES`] each) is not shared out but checked, and taken from what the
//! join may use.

use crate::error::{Error, Result};

/// The smallest memory that can be asked for.
pub const MIN_MEMORY: u64 = 256 << 20;
/// Held for each document at most, whatever its length.
pub const DOCUMENT_BYTES: u64 = 80;
/// The program itself, its threads and buffers.
const PROGRAM_BYTES: u64 = 24 << 20;
/// What a thread that reads needs at least.
const READER_BYTES: u64 = 24 << 20;

/// Shares of the memory of a job, in bytes unless said otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// All of it.
    pub memory: u64,
    /// Threads that read at the same time: each has buffers of its own.
    pub read_threads: usize,
    /// Features gathered by a thread before they are put away (a number).
    pub chunk_features: usize,
    /// Features held in memory; beyond that everything goes to the work directory.
    pub features: u64,
    /// Hashes of texts and sets that are remembered while reading.
    pub claims: u64,
    /// Counters of features.
    pub counters: u64,
    /// Features that are regrouped together.
    pub group: u64,
    /// Posting lists of the join, and all that belongs to them.
    pub index: u64,
    /// Rows that are sorted in memory.
    pub rows: u64,
    /// Put everything into the work directory from the start, so that it can be resumed
    /// even if it would fit in memory.
    pub checkpoint: bool,
    /// Leave the features of all sets in the work directory, so that they can be searched
    /// when the job is done.
    pub keep_features: bool,
}

impl Budget {
    /// Shares out `memory` among stages that run one after the other.
    pub fn new(memory: u64, threads: usize) -> Self {
        let usable = memory.saturating_sub(PROGRAM_BYTES).max(16 << 20);
        let most_readers = usize::try_from(usable / 2 / READER_BYTES).unwrap_or(1);
        let read_threads = threads.clamp(1, most_readers.max(1));
        let per_thread = usable / 16 / read_threads as u64;
        let chunk_bytes = per_thread.clamp(1 << 20, 16 << 20);
        let chunk_features = (chunk_bytes / 8) as usize;
        Budget {
            memory,
            read_threads,
            chunk_features,
            features: usable / 10 * 7,
            claims: usable / 6,
            counters: usable / 4,
            group: usable / 4,
            index: usable / 4 * 3,
            rows: usable / 8,
            checkpoint: false,
            keep_features: false,
        }
    }

    /// What is left for the join beside `held` bytes that stay.
    pub fn window_beside(&self, held: u64) -> u64 {
        self.index.saturating_sub(held).max(self.index / 8)
    }

    /// Whether this many documents can be held at all.
    pub fn check_documents(&self, documents: u64) -> Result<()> {
        let needed = documents * DOCUMENT_BYTES + PROGRAM_BYTES;
        if needed <= self.memory {
            return Ok(());
        }
        Err(Error::Limit {
            what: format!("{documents} documents, {DOCUMENT_BYTES} bytes of memory each"),
            asked: needed,
            allowed: self.memory,
            remedy: format!("raise `memory` to {}M", needed.div_ceil(1 << 20)),
        })
    }
}
