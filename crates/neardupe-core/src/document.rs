//! What travels through the flow: records, documents, their places, and bad records.

mod memory;
mod page_sample;

pub use memory::{MemoryDocument, MemoryRow, MemoryRows, MemorySource};
pub use page_sample::{PageSample, SharedMain, main_hash};

use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub use crate::numbers::DocIdx;

/// Where a record stands: file, block of the file, and place in the block. The order of
/// positions is the order of the input. Blocks of one file are read in parallel, so the
/// number of a record in its file is known only when all blocks before it are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Position {
    /// Place of the file in the sorted list of files.
    pub file: u32,
    /// Place of the block in its file.
    pub block: u32,
    /// Place of the record in its block.
    pub index: u32,
}

/// A stretch of a text, in bytes, end exclusive. Fronts show code points instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// Byte after the last.
    pub end: usize,
}

/// What a stretch of a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RegionKind {
    /// The title.
    Title,
    /// A heading of any level.
    Heading,
    /// Bold or strong text.
    Bold,
    /// Italic or emphasised text.
    Italic,
    /// Everything that is not the title.
    Body,
}

/// A tagged stretch of a document's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Region {
    /// What it is.
    pub kind: RegionKind,
    /// Where it is in the text.
    pub span: Span,
}

/// A link that leads out of a document.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Link {
    /// Where it leads, as written.
    pub target: String,
    /// Its text, as a stretch of the document's text.
    pub span: Span,
}

/// A raw entry that became a document: borrowed from the reader's buffers.
#[derive(Debug, Clone, Copy, Default)]
pub struct Record<'a> {
    /// The id as given, if there is one.
    pub id: Option<&'a str>,
    /// The decoded text.
    pub text: &'a str,
    /// Tagged stretches of the text, where they were asked for and the format has them.
    pub regions: &'a [Region],
    /// Links out of the document, where they were asked for and the format has them.
    pub links: &'a [Link],
    /// What was noticed while the text was made, where it was asked for.
    pub remarks: &'a [String],
    /// One value for each metadata field asked for, in that order.
    pub metadata: &'a [Option<String>],
    /// Where it was read.
    pub position: Position,
}

/// Why a record could not become a document.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum BadKind {
    /// Not valid JSON, or not an object.
    Json,
    /// Bytes that are not UTF-8.
    InvalidUtf8,
    /// No text under any of the text keys, or not a string.
    MissingText,
    /// An id or metadata value of a kind that cannot be used.
    BadField,
    /// Longer than the limit.
    TooLong,
    /// A compressed file ended early or is damaged.
    Compression,
    /// A file or record that holds no text at all.
    Binary,
    /// An entry that breaks the rules of its format: framing, lengths, tags.
    Format,
    /// The system could not read the file.
    Unreadable,
    /// The file changed while it was read.
    Changed,
}

impl BadKind {
    /// All kinds. The order is stored: new ones come last.
    pub const ALL: [BadKind; 10] = [
        BadKind::Json,
        BadKind::InvalidUtf8,
        BadKind::MissingText,
        BadKind::BadField,
        BadKind::TooLong,
        BadKind::Compression,
        BadKind::Binary,
        BadKind::Format,
        BadKind::Unreadable,
        BadKind::Changed,
    ];

    /// The name used in outputs.
    pub fn name(self) -> &'static str {
        match self {
            BadKind::Json => "json",
            BadKind::InvalidUtf8 => "invalid-utf8",
            BadKind::MissingText => "missing-text",
            BadKind::BadField => "bad-field",
            BadKind::TooLong => "too-long",
            BadKind::Compression => "compression",
            BadKind::Binary => "binary",
            BadKind::Format => "format",
            BadKind::Unreadable => "unreadable",
            BadKind::Changed => "changed",
        }
    }
}

/// A record that could not become a document, with the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadRecord {
    /// Where it was read.
    pub position: Position,
    /// Byte offset of its start in the (decompressed) file.
    pub offset: u64,
    /// The kind of fault.
    pub kind: BadKind,
    /// What exactly was wrong, for a person.
    pub detail: String,
}

/// Takes what a source reads. A job has one sink for each thread.
pub trait Sink: Send {
    /// Whether the record at this place is wanted: what is not need not be parsed.
    fn wants(&self, _position: Position) -> bool {
        true
    }
    /// A record that is a document.
    fn document(&mut self, record: &Record<'_>) -> Result<()>;
    /// A record that is not.
    fn bad_record(&mut self, bad: BadRecord) -> Result<()>;
    /// Gives back the memory of buffers: they grew for a large record, and the next one is probably small.
    fn give_back(&mut self) {}
}

/// Which documents a file holds, when new ones are compared with old ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// Documents that are there already, and stay.
    Old,
    /// Documents that are looked at.
    #[default]
    New,
}

/// Where records come from. It is read part by part: what has been read of a job that was
/// interrupted is not read again.
pub trait Source: Sync {
    /// Bytes to read, as far as known before reading.
    fn total_bytes(&self) -> u64;
    /// The files in order, as they are now. None when they can be read only once, as
    /// standard input can: such a job cannot be resumed.
    fn origins(&self) -> Result<Option<Vec<Origin>>>;
    /// Names of the files, in order.
    fn file_names(&self) -> Vec<String>;
    /// The side of a file. Old files come before all new ones.
    fn side(&self, file: u32) -> Side;
    /// Number of parts, at least one. It depends on the files alone.
    fn num_parts(&self) -> Result<u32>;
    /// Reads one part, one thread for each sink. Parts are read in order, each once.
    fn read_part(
        &self,
        part: u32,
        sinks: Vec<&mut dyn Sink>,
        progress: &dyn Progress,
    ) -> Result<PartRead>;
}

/// How many files hold old documents.
pub fn num_old_files(source: &dyn Source) -> Result<u32> {
    let num_files = u32::try_from(source.file_names().len())?;
    let sides: Vec<Side> = (0..num_files).map(|file| source.side(file)).collect();
    if !sides.is_sorted() {
        let message = "a source has old files after new ones".to_owned();
        return Err(Error::Internal(message));
    }
    Ok(u32::try_from(
        sides.partition_point(|side| *side == Side::Old),
    )?)
}

/// A file as it was when a job began: when it has changed, the job cannot be resumed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// Where it is.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// When it was last changed, in nanoseconds since 1970.
    pub modified: i128,
}

/// What was read of one part of a source.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartRead {
    /// Its blocks, in no order.
    pub blocks: Vec<BlockRead>,
    /// What was noticed about documents while their text was made, and how often.
    pub remarks: BTreeMap<String, u64>,
    /// Pages whose main content was chosen; empty where full texts were asked for.
    pub pages: PageSample,
    /// Files that the source itself wrote to the work directory on the way.
    pub files: Vec<WorkFile>,
}

/// What was read of one block of a file. Something that is known of the file as a whole,
/// such as that it cannot be read, is a block with the number [`BlockRead::WHOLE_FILE`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockRead {
    /// The file.
    pub file: u32,
    /// The block.
    pub block: u32,
    /// Lines, or other places of records.
    pub places: u32,
    /// Records, bad ones included.
    pub records: u64,
    /// Entries that hold no text by their own account.
    pub skipped: u64,
    /// Bytes, as stored.
    pub bytes: u64,
}

impl BlockRead {
    /// No block: the file as a whole. The number is stored, so it is not an option.
    pub const WHOLE_FILE: u32 = u32::MAX;

    /// Whether this is about the file as a whole.
    pub fn is_of_whole_file(&self) -> bool {
        self.block == Self::WHOLE_FILE
    }
}

/// A complete file of the work directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkFile {
    /// Its name in the work directory.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// Its checksum, xxh3 of all bytes, in hexadecimal.
    pub checksum: String,
}

/// Hears how far a job is. The core prints nothing itself.
pub trait Progress: Sync {
    /// A stage begins; `total` is in bytes or documents, 0 when not known.
    fn begin(&self, stage: &'static str, total: u64);
    /// This much more of the stage is done.
    fn advance(&self, amount: u64);
    /// A message for the user, once.
    fn note(&self, _message: &str) {}
    /// Whether the job was asked to stop.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// Ends a job that was asked to stop.
pub fn check_cancelled(progress: &dyn Progress) -> Result<()> {
    if progress.is_cancelled() {
        return Err(Error::Cancelled);
    }
    Ok(())
}

/// Progress that goes nowhere: for tests, and jobs within jobs.
#[derive(Debug, Default, Clone, Copy)]
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _stage: &'static str, _total: u64) {}
    fn advance(&self, _amount: u64) {}
}

/// What was read of a source.
#[derive(Debug, Clone, Default)]
pub struct SourceRead {
    /// Its files, in order.
    pub files: Vec<FileRead>,
    /// What was noticed about documents while their text was made, and how often.
    pub remarks: BTreeMap<String, u64>,
}

/// What was read of one file.
#[derive(Debug, Clone, Default)]
pub struct FileRead {
    /// Its name relative to the argument under which it was found.
    pub name: String,
    /// Bytes read, as stored.
    pub bytes: u64,
    /// Records read, bad ones included.
    pub records: u64,
    /// Entries that hold no text by their own account: no records.
    pub skipped: u64,
    /// Lines (or other places of records) before each block.
    pub places_before: Vec<u64>,
}

impl SourceRead {
    /// Puts the blocks of all parts together, so that records can be numbered.
    pub fn gather(names: Vec<String>, parts: &[PartRead]) -> Self {
        let mut read = SourceRead::default();
        read.files.extend(names.into_iter().map(|name| FileRead {
            name,
            ..FileRead::default()
        }));
        let mut blocks = Vec::new();
        for part in parts {
            blocks.extend_from_slice(&part.blocks);
            for (remark, count) in &part.remarks {
                *read.remarks.entry(remark.clone()).or_insert(0) += count;
            }
        }
        // Parts and threads give blocks in any order; record numbers count through them in theirs.
        blocks.sort_unstable_by_key(|block| (block.file, block.block));
        let mut places = vec![0u64; read.files.len()];
        for block in blocks {
            let file = &mut read.files[block.file as usize];
            let places = &mut places[block.file as usize];
            if !block.is_of_whole_file() {
                // A damaged row group leaves out the blocks after the damage.
                file.places_before.resize(block.block as usize + 1, *places);
                *places += u64::from(block.places);
            }
            file.records += block.records;
            file.skipped += block.skipped;
            file.bytes += block.bytes;
        }
        read
    }
}

impl FileRead {
    /// Number of a record in its file, from 1: for text by lines its line number.
    pub fn record_number(&self, position: Position) -> u64 {
        let before = self.places_before.get(position.block as usize).copied();
        before.unwrap_or(0) + u64::from(position.index) + 1
    }
}
