//! Work shared by the threads that read: tasks known from the start, and blocks that a
//! stream hands on while it is unpacked.
//!
//! There is one lock and one list, because it is asked for about once per mebibyte of input. Who
//! waits for work is woken when a block comes or a stream ends.

use super::block::Block;
use super::formats::InputFormat;
use std::collections::VecDeque;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Bytes that wait for a thread, for each block that may wait: that of Parquet is the largest.
const MAX_WAITING_BYTES: u64 = 5 << 20;

/// Something to read.
#[derive(Debug, Clone, Copy)]
pub(super) enum ReadTask {
    /// The lines that begin in a range of an unpacked file.
    Range {
        /// Number of the file in the source.
        file: u32,
        /// Number of the block in the file.
        block: u32,
        /// First byte.
        start: u64,
        /// Byte after the last one.
        end: u64,
    },
    /// A file that can only be read from its start; the format of a pipe is detected by its
    /// first bytes.
    Stream {
        /// Number of the file in the source.
        file: u32,
        /// None where it is not known yet.
        format: Option<InputFormat>,
        /// Where to begin and how many bytes to read: everything, but for a sample.
        start: u64,
        /// Stored bytes; None for all.
        most: Option<u64>,
    },
    /// A row group of a Parquet file, and the number of its first block.
    RowGroup {
        /// Number of the file in the source.
        file: u32,
        /// Number of the group in the file.
        group: usize,
        /// Its blocks are numbered from here on.
        first_block: u32,
        /// How many blocks to read: all, but for a sample.
        most: Option<u32>,
    },
    /// A file that is one document.
    Document { file: u32, is_html: bool },
}

impl ReadTask {
    /// The file it is a part of.
    pub(super) fn file(&self) -> u32 {
        match *self {
            ReadTask::Range { file, .. }
            | ReadTask::Stream { file, .. }
            | ReadTask::RowGroup { file, .. }
            | ReadTask::Document { file, .. } => file,
        }
    }
}

/// What a thread does next.
#[derive(Debug)]
pub(super) enum Next {
    /// Something to read.
    Task(ReadTask),
    /// Something another thread has read.
    Block(Block),
    /// Nothing is left, or a thread failed.
    Done,
}

/// The list of work.
#[derive(Debug)]
pub(super) struct Work {
    /// The lists, behind one lock: it is taken once per mebibyte of input.
    state: Mutex<WorkState>,
    /// Wakes those who wait for a block or the end of a stream.
    changed: Condvar,
    /// Blocks that may wait: two per other thread keep them busy and bound memory.
    max_waiting: usize,
    /// Set when the job is asked to stop: for pipes, where reading waits for others.
    pub(super) is_asked_to_stop: Arc<AtomicBool>,
}

/// What is left to do.
#[derive(Debug)]
struct WorkState {
    /// Tasks in the order of the input.
    tasks: VecDeque<ReadTask>,
    /// Blocks that wait, the oldest first.
    blocks: VecDeque<Block>,
    /// Bytes of these blocks.
    waiting: u64,
    /// Tasks at work that may still hand on blocks.
    open_streams: usize,
    /// A thread failed.
    stopped: bool,
}

impl WorkState {
    /// The block that has waited longest.
    fn pop(&mut self) -> Option<Block> {
        let block = self.blocks.pop_front()?;
        self.waiting -= block.num_bytes();
        Some(block)
    }
}

impl Work {
    /// The work of one part for so many threads.
    pub(super) fn new(tasks: VecDeque<ReadTask>, threads: usize) -> Self {
        let blocks = VecDeque::new();
        let state = WorkState {
            tasks,
            blocks,
            waiting: 0,
            open_streams: 0,
            stopped: false,
        };
        // One thread has nobody to hand anything to.
        let max_waiting = 2 * threads.saturating_sub(1);
        Work {
            state: Mutex::new(state),
            changed: Condvar::new(),
            max_waiting,
            is_asked_to_stop: Arc::default(),
        }
    }

    /// A poisoned lock is used on: the lists are changed in single steps.
    fn lock(&self) -> MutexGuard<'_, WorkState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Blocks first, so that memory is freed before more is read.
    pub(super) fn next(&self) -> Next {
        let mut state = self.lock();
        loop {
            if state.stopped {
                return Next::Done;
            }
            if let Some(block) = state.pop() {
                return Next::Block(block);
            }
            if let Some(task) = state.tasks.pop_front() {
                // These hand on blocks, so others must wait for them even when no task is left.
                if let ReadTask::Stream { .. } | ReadTask::RowGroup { .. } = task {
                    state.open_streams += 1;
                }
                return Next::Task(task);
            }
            // No task, no block, and nobody who could hand one on.
            if state.open_streams == 0 {
                return Next::Done;
            }
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Hands a block to another thread. When enough are waiting, gives back the oldest:
    /// none waits for the end of a stream.
    pub(super) fn offer(&self, block: Block) -> Option<Block> {
        let mut state = self.lock();
        // The thread that reads a stream becomes a worker when enough blocks wait: the memory for blocks is
        // bounded, and one thread alone makes progress.
        state.waiting += block.num_bytes();
        state.blocks.push_back(block);
        // Blocks of large records are larger than others.
        let most = self.max_waiting as u64 * MAX_WAITING_BYTES;
        if state.blocks.len() > self.max_waiting || state.waiting > most {
            return state.pop();
        }
        drop(state);
        self.changed.notify_one();
        None
    }

    /// A stream has been read to its end.
    pub(super) fn stream_done(&self) {
        self.lock().open_streams -= 1;
        self.changed.notify_all();
    }

    /// Whether a thread failed.
    pub(super) fn is_stopped(&self) -> bool {
        self.lock().stopped
    }

    /// A thread failed: the others stop too.
    pub(super) fn stop(&self) {
        self.lock().stopped = true;
        self.changed.notify_all();
    }
}
