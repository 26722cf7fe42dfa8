//! What threads hand to each other: a stretch of a file, cut but not yet worked on.
//!
//! A block is the unit that is handed from a thread that reads to one that works. It owns its
//! bytes, so neither has to wait for the other, and it knows its file and number, so results can be
//! put in order whoever worked on it.

use super::parquet::RowBlock;
use super::values::{Fault, Values};

/// A stretch of a file that any thread can work on.
#[derive(Debug)]
pub(super) enum Block {
    /// Lines, of a range or of a stream.
    Lines(LineBlock),
    /// Entries of a format with its own reader.
    Entries(EntryBlock),
    /// Rows of Parquet.
    Rows(RowsBlock),
}

impl Block {
    /// Bytes that it holds, about.
    pub(super) fn num_bytes(&self) -> u64 {
        match self {
            Block::Lines(block) => block.bytes.len() as u64,
            Block::Entries(block) => {
                let values = block
                    .entries
                    .iter()
                    .filter_map(|(_, read)| read.as_ref().ok());
                values.map(Values::num_bytes).sum()
            }
            Block::Rows(block) => block.rows.num_bytes(),
        }
    }
}

/// Rows of a Parquet file, decoded.
#[derive(Debug)]
pub(super) struct RowsBlock {
    /// Number of the file in the source.
    pub(super) file: u32,
    /// Number of the block in the file. File, block and place in the block order all records.
    pub(super) number: u32,
    /// The rows; they are turned into documents by whoever takes the block.
    pub(super) rows: RowBlock,
}

/// A stretch of whole lines.
#[derive(Debug, Default)]
pub(super) struct LineBlock {
    /// Number of the file in the source.
    pub(super) file: u32,
    /// Number of the block in the file.
    pub(super) number: u32,
    /// Place of `bytes` in the (decompressed) file.
    pub(super) offset: u64,
    /// The lines, with their line ends.
    pub(super) bytes: Vec<u8>,
    /// A line longer than the limit follows the last one; only its start is known.
    pub(super) too_long: Option<u64>,
    /// The stream broke off after the last whole line.
    pub(super) broken: Option<String>,
}

/// Entries of a format, read and decoded.
#[derive(Debug, Default)]
pub(super) struct EntryBlock {
    /// Number of the file in the source.
    pub(super) file: u32,
    /// Number of the block in the file.
    pub(super) number: u32,
    /// Where each begins in the unpacked file, and its fields or what is wrong with it.
    pub(super) entries: Vec<(u64, Result<Values, Fault>)>,
    /// Entries between them that hold no text.
    pub(super) skipped: u64,
}

/// Calls `each` with place in the block, offset and content of every line that is not
/// blank; returns the number of all lines.
pub(super) fn for_each_line<E>(
    bytes: &[u8],
    mut each: impl FnMut(u32, usize, &[u8]) -> Result<(), E>,
) -> Result<u32, E> {
    let (mut number, mut start) = (0, 0);
    for_each_raw_line(bytes, |raw| {
        let line = raw.trim_ascii();
        if !line.is_empty() {
            each(number, start, line)?;
        }
        number += 1;
        start += raw.len();
        Ok(())
    })?;
    Ok(number)
}

/// Calls `each` with every line as it is stored, with its line feed.
pub(super) fn for_each_raw_line<E>(
    bytes: &[u8],
    mut each: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let mut rest = bytes;
    while !rest.is_empty() {
        let len = memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
        let (line, after) = rest.split_at(len);
        each(line)?;
        rest = after;
    }
    Ok(())
}
