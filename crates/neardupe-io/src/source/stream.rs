//! A stream cut into blocks of whole lines.
//!
//! The unpacking is done by one thread, since no compression here can be entered in the middle; so
//! this is kept to finding line feeds. What costs time, parsing and making features, is done by the
//! threads that take the blocks.

use super::block::LineBlock;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts what passes.
pub(super) struct CountedRead {
    /// What is counted.
    pub(super) inner: Box<dyn Read + Send>,
    /// Bytes so far. Another thread reads it for the progress, in no order with anything else.
    pub(super) count: Arc<AtomicU64>,
}

impl Read for CountedRead {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.count.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// Bytes that may be unpacked whatever the size of what they were packed in.
const FREE_BYTES: u64 = 256 << 20;

/// Ends a stream that unpacks to far more than real text does.
pub(super) struct Bounded {
    /// What unpacks.
    pub(super) inner: Box<dyn Read + Send>,
    /// Bytes read so far, as stored.
    pub(super) packed: Arc<AtomicU64>,
    /// Bytes given out so far.
    pub(super) unpacked: u64,
    /// Most unpacked bytes for a packed one.
    pub(super) max_expansion: u64,
}

impl Read for Bounded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let packed = self.packed.load(Ordering::Relaxed);
        // The limit grows with what was read, so that a bomb is noticed wherever in the file it is. Small files may
        // expand more: gzip reaches a thousandfold on repetitive data.
        let allowed = packed.saturating_mul(self.max_expansion).max(FREE_BYTES);
        if self.unpacked > allowed {
            return Err(io::Error::other(format!(
                "unpacks to more than {} times its size; `max-expansion` raises the limit",
                self.max_expansion
            )));
        }
        let read = self.inner.read(buffer)?;
        self.unpacked += read as u64;
        Ok(read)
    }
}

/// Ends a stream with a fault that was met earlier: no reader has to give it twice.
pub(super) struct Fault(pub(super) Option<io::Error>);

impl Read for Fault {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

/// Cuts a stream into blocks of whole lines.
pub(super) struct BlockStream {
    /// The unpacked stream.
    reader: Box<dyn Read + Send>,
    /// The start of a line whose end has not been read.
    rest: Vec<u8>,
    /// Place of `rest` in the stream.
    offset: u64,
}

impl BlockStream {
    /// Cuts a stream from its start.
    pub(super) fn new(reader: Box<dyn Read + Send>) -> Self {
        BlockStream {
            reader,
            rest: Vec::new(),
            offset: 0,
        }
    }

    /// Whether this was the last block: a stream ends with an empty or a broken one.
    pub(super) fn is_last(block: &LineBlock) -> bool {
        block.broken.is_some() || (block.bytes.is_empty() && block.too_long.is_none())
    }

    /// The next block: whole lines of about a mebibyte, or one longer line. A line over
    /// `max_bytes` is passed over and noted, so memory stays bounded.
    pub(super) fn next_block(&mut self, max_bytes: u64) -> LineBlock {
        let mut bytes = std::mem::take(&mut self.rest);
        let offset = self.offset;
        let mut block = LineBlock {
            offset,
            ..LineBlock::default()
        };
        loop {
            let searched = bytes.len();
            match (&mut self.reader)
                .take(super::read::BLOCK_BYTES)
                .read_to_end(&mut bytes)
            {
                // A last line without a line feed is a line too.
                Ok(0) => break,
                Ok(_) => {}
                Err(error) => {
                    // What came before the fault is good up to its last whole line.
                    let whole = memchr::memrchr(b'\n', &bytes).map_or(0, |at| at + 1);
                    bytes.truncate(whole);
                    block.broken = Some(format!("{error}; the rest of the file is lost"));
                    break;
                }
            }
            // Only what is new is searched: a line of any length costs time linear in its length.
            // The last line feed: what follows it begins the next block.
            if let Some(at) = memchr::memrchr(b'\n', &bytes[searched..]) {
                self.rest = bytes.split_off(searched + at + 1);
                break;
            }
            if bytes.len() as u64 > max_bytes {
                // `bytes` is one line so far: a line always begins a block.
                block.too_long = Some(offset);
                self.offset += bytes.len() as u64;
                self.skip_line();
                bytes.clear();
                block.bytes = bytes;
                return block;
            }
        }
        self.offset += bytes.len() as u64;
        block.bytes = bytes;
        block
    }

    /// Drops everything up to the next line feed.
    fn skip_line(&mut self) {
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            let read = (&mut self.reader)
                .take(super::read::BLOCK_BYTES)
                .read_to_end(&mut bytes);
            if let Err(error) = read {
                // This line is reported as too long in any case, and the fault is a bad record of its own.
                // The next block records it.
                self.reader = Box::new(Fault(Some(error)));
            }
            if let Some(at) = memchr::memchr(b'\n', &bytes) {
                self.offset += at as u64 + 1;
                self.rest = bytes.split_off(at + 1);
                return;
            }
            self.offset += bytes.len() as u64;
            if bytes.is_empty() {
                return;
            }
        }
    }
}
