//! The log of documents and bad records: everything about them but their features.
//!
//! Threads append to logs of their own while they read; later a record is found by its offset.
//! A log is a list of blocks in memory, or a work file of one frame for each block. Every
//! record has a checksum of its own, so one can be read without its block.

use crate::document::{BadKind, BadRecord, Position, Record, WorkFile};
use crate::error::{Error, Result};
use crate::hash::text_identity;
use crate::numbers::{LogOffset, SetIdx, narrow_or, of_len};
use crate::store::frame::HEADER_BYTES;
use crate::store::{FrameFile, FrameWriter, WorkDir};
use bytemuck::{Pod, Zeroable};
use std::borrow::Cow;
use xxhash_rust::xxh3::xxh3_64;

/// Bytes of a block.
const BLOCK_BYTES: usize = 1 << 18;
/// Bytes that are fetched to read one record; most are shorter.
const GUESS_BYTES: usize = 512;
/// Characters of a document kept to show it by.
const PREVIEW_CHARS: usize = 64;
/// Length of a value or an id that is not there.
const NO_LEN: u32 = u32::MAX;

/// What the log says of the set of a record.
///
/// In the four bytes that are stored, the two upper bits are marks, so there are 2^30 sets at most; the two largest
/// numbers stand for documents without a set and for bad records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(transparent)]
pub(in crate::pipeline) struct MarkedSet(u32);

/// Text but no feature: the text as a whole stands for the document.
const FEATURELESS: u32 = 1 << 31;
/// No whole shingle.
const SHORTER: u32 = 1 << 30;

impl MarkedSet {
    /// The document has no text, so it has no set.
    pub(in crate::pipeline) const NONE: Self = MarkedSet(u32::MAX);
    /// The record did not become a document.
    const BAD: Self = MarkedSet(u32::MAX - 1);
    /// Number of sets that there can be, so that no mark is part of a number.
    pub(in crate::pipeline) const MAX_SETS: u32 = SHORTER - 2;

    /// A set with its marks.
    pub(in crate::pipeline) fn new(
        set: SetIdx,
        is_featureless: bool,
        is_shorter: bool,
    ) -> Self {
        debug_assert!(set.get() < Self::MAX_SETS);
        let mut marked = set.get();
        if is_featureless {
            marked |= FEATURELESS;
        }
        if is_shorter {
            marked |= SHORTER;
        }
        MarkedSet(marked)
    }

    /// The set, if the document has one.
    pub(in crate::pipeline) fn set(self) -> Option<SetIdx> {
        let set = SetIdx::new(self.0 & !(FEATURELESS | SHORTER));
        (self != Self::NONE).then_some(set)
    }

    /// Whether it stands for a text without a feature.
    pub(in crate::pipeline) fn is_featureless(self) -> bool {
        self.0 & FEATURELESS != 0
    }

    /// Whether it stands for a text without a whole shingle.
    pub(in crate::pipeline) fn is_shorter(self) -> bool {
        self.0 & SHORTER != 0
    }

    /// The four bytes.
    pub(in crate::pipeline) fn bits(self) -> u32 {
        self.0
    }

    /// The reverse of [`MarkedSet::bits`].
    pub(in crate::pipeline) fn of_bits(bits: u32) -> Self {
        MarkedSet(bits)
    }
}

/// The fixed part of a logged record. It is stored as it is: the order of the fields must not change.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Fixed {
    /// Bytes of the whole record.
    len: u32,
    /// Checksum of all that follows.
    check: u32,
    file: u32,
    block: u32,
    index: u32,
    set: MarkedSet,
    /// Number of characters; the kind of fault of a bad record.
    chars: u32,
    id_len: u32,
    preview_len: u32,
    num_metadata: u32,
    /// Hash of the text; the offset of a bad record.
    text_hash: [u64; 2],
    /// Hash of the text under the key of the job.
    text_key: u64,
}

/// Bytes before the id.
const FIXED_BYTES: usize = size_of::<Fixed>();

/// What is known of a document.
#[derive(Debug, Clone, Copy)]
pub(in crate::pipeline) struct LoggedDocument<'a> {
    /// Where it was read.
    pub(in crate::pipeline) position: Position,
    /// Its feature set.
    pub(in crate::pipeline) set: MarkedSet,
    /// Number of characters.
    pub(in crate::pipeline) chars: u32,
    /// The public hash of its text: the same in every job.
    pub(in crate::pipeline) text_hash: u128,
    /// Identity of its text, under the key of the job.
    pub(in crate::pipeline) text_key: u128,
    /// The id as given.
    pub(in crate::pipeline) id: Option<&'a str>,
    /// Its first characters.
    pub(in crate::pipeline) preview: &'a str,
    metadata: &'a [u8],
    num_metadata: u32,
}

/// A record of the log.
#[derive(Debug)]
pub(in crate::pipeline) enum Logged<'a> {
    /// A document.
    Document(LoggedDocument<'a>),
    /// A record that did not become one.
    Bad(BadRecord),
}

impl LoggedDocument<'_> {
    /// Its metadata, in the order of the fields asked for.
    pub(in crate::pipeline) fn metadata(&self) -> Vec<Option<String>> {
        let mut rest = self.metadata;
        let mut values = Vec::new();
        for _ in 0..self.num_metadata {
            let Some((len, after)) = rest.split_at_checked(4) else {
                break;
            };
            let len = u32::from_le_bytes(len.try_into().unwrap_or_default());
            if len == NO_LEN {
                values.push(None);
                rest = after;
                continue;
            }
            let (value, after) = after.split_at_checked(len as usize).unwrap_or_default();
            values.push(Some(String::from_utf8_lossy(value).into_owned()));
            rest = after;
        }
        values
    }
}

/// Appends a record: the fixed part, then its parts one after the other.
fn append(fixed: Fixed, parts: &[&[u8]], out: &mut Vec<u8>) -> Result<()> {
    let start = out.len();
    out.extend_from_slice(bytemuck::bytes_of(&fixed));
    for part in parts {
        out.extend_from_slice(part);
    }
    let what = "bytes of id and metadata of a document";
    let len = narrow_or(out.len() - start, what, "leave out the metadata")?;
    // The length and the checksum are known last, and written over the zeros that were put there.
    let check = check_of(&out[start + 8..]);
    out[start..start + 4].copy_from_slice(&len.to_le_bytes());
    out[start + 4..start + 8].copy_from_slice(&check.to_le_bytes());
    Ok(())
}

/// The checksum of a record: 32 bits, since a block or file has another one.
#[expect(clippy::cast_possible_truncation, reason = "half of the checksum")]
fn check_of(bytes: &[u8]) -> u32 {
    xxh3_64(bytes) as u32
}

/// A hash as two words, the lower one first.
#[expect(clippy::cast_possible_truncation, reason = "cut in two halves")]
fn halves(hash: u128) -> [u64; 2] {
    [hash as u64, (hash >> 64) as u64]
}

/// The reverse of [`halves`].
fn rejoined([low, high]: [u64; 2]) -> u128 {
    u128::from(low) | (u128::from(high) << 64)
}

/// A length below [`NO_LEN`].
fn narrow(len: usize) -> Result<u32> {
    narrow_or(len, "bytes of an id or a field", "leave out the metadata")
}

/// Reads the record at the start of `bytes`; None when it is damaged or not all there.
fn parse(bytes: &[u8]) -> Option<(Logged<'_>, usize)> {
    let fixed: Fixed = bytemuck::pod_read_unaligned(bytes.get(..FIXED_BYTES)?);
    // A damaged length leads to bytes that are not there, or to a checksum of other bytes. Nothing else is read before
    // the checksum fits.
    let whole = bytes.get(..fixed.len as usize)?;
    if check_of(whole.get(8..)?) != fixed.check {
        return None;
    }
    let position = Position {
        file: fixed.file,
        block: fixed.block,
        index: fixed.index,
    };
    let rest = whole.get(FIXED_BYTES..)?;
    if fixed.set == MarkedSet::BAD {
        let kinds = BadKind::ALL;
        let bad = BadRecord {
            position,
            offset: fixed.text_hash[0],
            kind: *kinds.get(fixed.chars as usize)?,
            detail: String::from_utf8_lossy(rest).into_owned(),
        };
        return Some((Logged::Bad(bad), whole.len()));
    }
    let id_len = if fixed.id_len == NO_LEN {
        0
    } else {
        fixed.id_len
    };
    let (id, rest) = rest.split_at_checked(id_len as usize)?;
    let (preview, metadata) = rest.split_at_checked(fixed.preview_len as usize)?;
    let id = std::str::from_utf8(id).ok()?;
    let document = LoggedDocument {
        position,
        set: fixed.set,
        chars: fixed.chars,
        text_hash: rejoined(fixed.text_hash),
        text_key: text_identity(rejoined(fixed.text_hash), fixed.text_key),
        id: (fixed.id_len != NO_LEN).then_some(id),
        preview: std::str::from_utf8(preview).ok()?,
        metadata,
        num_metadata: fixed.num_metadata,
    };
    Some((Logged::Document(document), whole.len()))
}

/// Takes the records of one thread.
#[derive(Debug, Default)]
pub(in crate::pipeline) struct LogWriter {
    block: Vec<u8>,
    blocks: Vec<Vec<u8>>,
    out: Option<FrameWriter>,
}

impl LogWriter {
    /// Appends a document, with the public hash of its text and the one under the key of the job.
    pub(in crate::pipeline) fn document(
        &mut self,
        record: &Record<'_>,
        set: MarkedSet,
        (text_hash, text_key): (u128, u64),
        chars: u32,
    ) -> Result<()> {
        let preview = preview(record.text);
        let mut metadata = Vec::new();
        for value in record.metadata {
            let len = match value {
                Some(value) => narrow(value.len())?,
                None => NO_LEN,
            };
            metadata.extend_from_slice(&len.to_le_bytes());
            metadata.extend_from_slice(value.as_deref().unwrap_or_default().as_bytes());
        }
        let fixed = Fixed {
            len: 0,
            check: 0,
            file: record.position.file,
            block: record.position.block,
            index: record.position.index,
            set,
            chars,
            id_len: match record.id {
                Some(id) => narrow(id.len())?,
                None => NO_LEN,
            },
            preview_len: of_len(preview.len()),
            num_metadata: of_len(record.metadata.len()),
            text_hash: halves(text_hash),
            text_key,
        };
        let id = record.id.unwrap_or_default().as_bytes();
        append(fixed, &[id, preview.as_bytes(), &metadata], &mut self.block)
    }

    /// Appends a bad record.
    pub(in crate::pipeline) fn bad(&mut self, bad: &BadRecord) -> Result<()> {
        let kind = BadKind::ALL.iter().position(|&kind| kind == bad.kind);
        let fixed = Fixed {
            file: bad.position.file,
            block: bad.position.block,
            index: bad.position.index,
            set: MarkedSet::BAD,
            chars: of_len(kind.unwrap_or_default()),
            text_hash: [bad.offset, 0],
            ..Fixed::zeroed()
        };
        append(fixed, &[bad.detail.as_bytes()], &mut self.block)
    }

    /// Whether a block is full and wants to be put away.
    pub(in crate::pipeline) fn is_full(&self) -> bool {
        self.block.len() >= BLOCK_BYTES
    }

    /// Puts the block away in memory; its size.
    pub(in crate::pipeline) fn keep_block(&mut self) -> u64 {
        let mut block = std::mem::take(&mut self.block);
        // Blocks grow by doubling; what is kept is counted by its length.
        block.shrink_to_fit();
        let bytes = block.len() as u64;
        self.blocks.push(block);
        bytes
    }

    /// Puts all blocks away in a file.
    pub(in crate::pipeline) fn write_blocks(
        &mut self,
        work: &WorkDir,
        name: &str,
    ) -> Result<()> {
        if self.out.is_none() {
            self.out = Some(work.create(name)?);
        }
        if let Some(out) = &mut self.out {
            for block in std::mem::take(&mut self.blocks) {
                out.frame(&block)?;
            }
            if !self.block.is_empty() {
                out.frame(&self.block)?;
                self.block.clear();
            }
        }
        Ok(())
    }

    /// Ends the log, which is in memory or, if blocks were written, in a file.
    pub(in crate::pipeline) fn finish(mut self) -> Result<(Log, Option<WorkFile>)> {
        match self.out {
            Some(out) => Ok((Log::Stored(None), Some(out.finish()?))),
            None => {
                if !self.block.is_empty() {
                    self.keep_block();
                }
                Ok((Log::memory(self.blocks), None))
            }
        }
    }
}

/// The log of one thread. Records are in the order in which the thread met them, which is no order of the input.
#[derive(Debug)]
pub(in crate::pipeline) enum Log {
    /// Blocks in memory, and where each begins.
    Memory(Vec<Vec<u8>>, Vec<u64>),
    /// A work file, once it is open.
    Stored(Option<FrameFile>),
}

impl Log {
    /// A log in memory; offsets count through its blocks as if they were one.
    fn memory(blocks: Vec<Vec<u8>>) -> Self {
        let mut start = 0;
        let starts = blocks.iter().map(|block| {
            let before = start;
            start += block.len() as u64;
            before
        });
        let starts = starts.collect();
        Log::Memory(blocks, starts)
    }

    /// Opens a complete log.
    pub(in crate::pipeline) fn open(work: &WorkDir, file: &WorkFile) -> Result<Self> {
        Ok(Log::Stored(Some(work.open(file)?)))
    }

    /// Writes a log that is in memory to a file.
    pub(in crate::pipeline) fn spill(
        &mut self,
        work: &WorkDir,
        name: &str,
    ) -> Result<Option<WorkFile>> {
        // Offsets stay what they were only if nobody has them yet: a log is spilled before documents are numbered.
        let Log::Memory(blocks, _) = self else {
            return Ok(None);
        };
        let mut out = work.create(name)?;
        for block in std::mem::take(blocks) {
            out.frame(&block)?;
        }
        let file = out.finish()?;
        *self = Log::open(work, &file)?;
        Ok(Some(file))
    }
}

/// All logs of a job.
#[derive(Debug, Default)]
pub(in crate::pipeline) struct DocLog {
    logs: Vec<Log>,
}

impl DocLog {
    /// Puts logs together.
    pub(in crate::pipeline) fn new(logs: Vec<Log>) -> Self {
        DocLog { logs }
    }

    /// Takes them apart.
    pub(in crate::pipeline) fn into_logs(self) -> Vec<Log> {
        self.logs
    }

    /// Calls `visit` with each record and where it begins, in no particular order.
    pub(in crate::pipeline) fn for_each(
        &self,
        mut visit: impl FnMut(LogOffset, Logged<'_>) -> Result<()>,
    ) -> Result<()> {
        for (number, log) in self.logs.iter().enumerate() {
            let mut visit_block =
                |block: &[u8], start: u64, error: &dyn Fn() -> Error| {
                    let mut at = 0;
                    while at < block.len() {
                        let (logged, len) = parse(&block[at..]).ok_or_else(error)?;
                        visit(LogOffset::new(number, start + at as u64), logged)?;
                        at += len;
                    }
                    Ok::<(), Error>(())
                };
            match log {
                Log::Memory(blocks, starts) => {
                    for (block, &start) in blocks.iter().zip(starts) {
                        visit_block(block, start, &damaged)?;
                    }
                }
                Log::Stored(None) => {}
                Log::Stored(Some(file)) => {
                    let mut block = Vec::new();
                    let mut start = 0;
                    while start < file.bytes() {
                        let next = file.read(start, &mut block)?;
                        let error = || file.corrupt(start, "a record that cannot be");
                        visit_block(&block, start + HEADER_BYTES as u64, &error)?;
                        start = next;
                    }
                }
            }
        }
        Ok(())
    }

    /// Reads a record with `read`.
    pub(in crate::pipeline) fn get<T>(
        &self,
        offset: LogOffset,
        read: impl FnOnce(Logged<'_>) -> T,
    ) -> Result<T> {
        let bytes = self.bytes(offset)?;
        let (logged, _) = parse(&bytes).ok_or_else(|| self.damaged_at(offset))?;
        Ok(read(logged))
    }

    /// Reads a document with `read`.
    pub(in crate::pipeline) fn document<T>(
        &self,
        offset: LogOffset,
        read: impl FnOnce(LoggedDocument<'_>) -> T,
    ) -> Result<T> {
        self.get(offset, |logged| match logged {
            Logged::Document(document) => Ok(read(document)),
            Logged::Bad(_) => Err(damaged()),
        })?
    }

    /// The id of a document, borrowed where it can be.
    pub(in crate::pipeline) fn id(
        &self,
        offset: LogOffset,
    ) -> Result<Option<Cow<'_, str>>> {
        match self.bytes(offset)? {
            Cow::Borrowed(bytes) => match parse(bytes) {
                Some((Logged::Document(document), _)) => {
                    Ok(document.id.map(Cow::Borrowed))
                }
                _ => Err(damaged()),
            },
            Cow::Owned(bytes) => match parse(&bytes) {
                Some((Logged::Document(document), _)) => {
                    Ok(document.id.map(|id| Cow::Owned(id.to_owned())))
                }
                _ => Err(self.damaged_at(offset)),
            },
        }
    }

    /// The bytes from the beginning of a record on, at least as far as it goes.
    #[expect(clippy::cast_possible_truncation, reason = "places in memory")]
    fn bytes(&self, offset: LogOffset) -> Result<Cow<'_, [u8]>> {
        let (log, offset) = (offset.log(), offset.byte());
        match &self.logs[log] {
            Log::Memory(blocks, starts) => {
                // Blocks are of about the same size, but not exactly: a search among their beginnings.
                let block = starts.partition_point(|&start| start <= offset) - 1;
                let at = (offset - starts[block]) as usize;
                Ok(Cow::Borrowed(&blocks[block][at..]))
            }
            Log::Stored(None) => Err(damaged()),
            Log::Stored(Some(file)) => {
                let mut bytes = Vec::new();
                // One read for most records. Frames have a checksum of their own, which is not looked at here: it would
                // need the whole block.
                file.read_unverified(offset, GUESS_BYTES, &mut bytes)?;
                let len = bytes.get(..4).map(|len| len.try_into().unwrap_or_default());
                let len = u32::from_le_bytes(len.unwrap_or_default()) as usize;
                // Only now is it known how long it is. A damaged length is found by the checksum after that.
                if len > bytes.len() {
                    file.read_unverified(offset, len, &mut bytes)?;
                }
                Ok(Cow::Owned(bytes))
            }
        }
    }

    /// The error of a record that cannot be read, with its file and its place if it has one.
    fn damaged_at(&self, offset: LogOffset) -> Error {
        match &self.logs[offset.log()] {
            Log::Stored(Some(file)) => {
                file.corrupt(offset.byte(), "a record that cannot be")
            }
            _ => damaged(),
        }
    }
}

/// The error of a record in memory that cannot be read, which is a bug.
fn damaged() -> Error {
    Error::Internal("a record in memory that cannot be read".to_owned())
}

/// The first characters of a text; shown on one line later.
fn preview(text: &str) -> &str {
    let text = text.trim_start();
    let end = text
        .char_indices()
        .nth(PREVIEW_CHARS)
        .map_or(text.len(), |(at, _)| at);
    &text[..end]
}
