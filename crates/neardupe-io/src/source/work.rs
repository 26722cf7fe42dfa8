//! Work shared by the threads that read: tasks known from the start, and blocks that a
//! stream hands on while it is unpacked.

use super::block::Block;
use super::formats::InputFormat;
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Something to read.
#[derive(Debug, Clone, Copy)]
pub(super) enum ReadTask {
    /// The lines that begin in a range of an unpacked file.
    Range {
        file: u32,
        block: u32,
        start: u64,
        end: u64,
    },
    /// A file that can only be read from its start; the format of a pipe is detected by its
    /// first bytes.
    Stream {
        file: u32,
        format: Option<InputFormat>,
        /// Where to begin and how many bytes to read: everything, but for a sample.
        start: u64,
        most: Option<u64>,
    },
    /// A row group of a Parquet file, and the number of its first block.
    RowGroup {
        file: u32,
        group: usize,
        first_block: u32,
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
    Task(ReadTask),
    Block(Block),
    Done,
}

/// The list of work.
#[derive(Debug)]
pub(super) struct Work {
    state: Mutex<WorkState>,
    changed: Condvar,
    max_waiting: usize,
}

#[derive(Debug)]
struct WorkState {
    tasks: VecDeque<ReadTask>,
    blocks: VecDeque<Block>,
    open_streams: usize,
    stopped: bool,
}

impl Work {
    pub(super) fn new(tasks: VecDeque<ReadTask>, threads: usize) -> Self {
        let blocks = VecDeque::new();
        let state = WorkState {
            tasks,
            blocks,
            open_streams: 0,
            stopped: false,
        };
        // One thread has nobody to hand anything to.
        let max_waiting = 2 * threads.saturating_sub(1);
        Work {
            state: Mutex::new(state),
            changed: Condvar::new(),
            max_waiting,
        }
    }

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
            if let Some(block) = state.blocks.pop_front() {
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
        state.blocks.push_back(block);
        if state.blocks.len() > self.max_waiting {
            return state.blocks.pop_front();
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
