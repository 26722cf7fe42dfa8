//! Parquet: tables stored column by column, in groups of rows.
//!
//! The footer is read once; then any thread can read any group, in blocks whose number and
//! size follow from the footer alone. Only the wanted columns are read and decoded.
//!
//! Columns are decoded as they are stored, not by way of Arrow: an Arrow array of strings is
//! all UTF-8 or an error, and an array of repeated strings may be many times the size of what
//! is stored. Here a string is a part of its page, also one out of a dictionary, and bytes
//! that are not UTF-8 are the matter of one row.
//!
//! `chunk` reads the file, `footer` and `page` look at what is read before the library decodes
//! it, `column` finds the wanted columns, `block` decodes their rows; `scalars`, a folder up,
//! writes values as JSON would. `copy` writes some rows of a file to another one.

mod block;
mod chunk;
mod column;
pub mod copy;
mod footer;
mod page;
#[cfg(test)]
mod tests;

use super::csv::no_text_column;
use super::fields::{Fields, Target};
use super::format::{FieldNames, FormatSpec, Guess, Layout, Sign};
use super::values::Fault;
use crate::panics;
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
pub(super) use block::{RowBlock, RowGroup};
use chunk::FileChunks;
use column::{ParquetColumn, WantedColumn};
use neardupe_core::document::BadKind;
use neardupe_core::store::RecordRoom;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Stored bytes of the wanted columns in a block, before compression.
const BLOCK_BYTES: u64 = 4 << 20;
/// Most rows of a block: what is kept of a row besides its bytes adds up.
const MAX_BLOCK_ROWS: u32 = 1 << 13;

/// Parquet as a format. Groups can be read in any order, so its layout is its own.
pub(super) const PARQUET: FormatSpec = FormatSpec {
    name: "parquet",
    title: "Parquet",
    endings: &["parquet", "pq"],
    sign: Sign::Bytes(b"PAR1"),
    guess: Guess::Never,
    layout: Layout::Columns,
    fields: FieldNames::Free,
    record: "a row; only the wanted columns are decoded, row groups in parallel",
    id: "column `id-key`, strings or numbers",
    text: "columns `text-key`, strings",
};

/// A file whose footer has been read. Holds no open file, and is cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct ParquetFile(Arc<Footer>);

/// What is known of a file.
#[derive(Debug)]
struct Footer {
    /// Opened again by each task.
    path: PathBuf,
    /// Names of the outermost fields, for messages and for `field_names`.
    names: Vec<String>,
    /// The columns that are read.
    wanted: WantedColumn,
    /// Each group with its chunks of the wanted columns, in the order of these columns.
    groups: Vec<(GroupRows, Vec<ColumnChunkMetaData>)>,
    /// Limit of the bytes of one row, over the wanted columns.
    limits: Limits,
}

/// Bytes of a page for a byte of the longest record: a page holds some of them.
const PART_OF_RECORD: u64 = 2;

/// Bytes that may be read at once.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Of a row.
    pub(super) record: u64,
    /// Of a page or the footer, which are decoded as a whole; None where memory is not bounded.
    pub(super) part: Option<PartLimit>,
}

/// The longest part, and the memory with which it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct PartLimit {
    pub(super) bytes: u64,
    pub(super) memory: u64,
}

impl PartLimit {
    /// The limit that follows from the room for records.
    pub(super) fn of(room: &RecordRoom) -> Self {
        let most = room.most();
        PartLimit {
            bytes: most.saturating_mul(PART_OF_RECORD),
            memory: room.memory_for(most),
        }
    }
}

/// A group of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct GroupRows {
    /// Number in the file.
    pub(super) number: usize,
    pub(super) rows: u32,
    /// Rows of each of its blocks but the last.
    pub(super) rows_per_block: u32,
}

impl GroupRows {
    /// How many blocks it is read in.
    pub(super) fn blocks(&self) -> u32 {
        self.rows.div_ceil(self.rows_per_block)
    }
}

impl ParquetFile {
    /// Reads the footer. Values that come out of a row that is longer than a record may be are
    /// not made into a document.
    pub(super) fn open(
        path: &Path,
        fields: &Fields,
        limits: Limits,
    ) -> Result<Self, Fault> {
        let chunks = FileChunks::open(path, limits.part)
            .map_err(|error| (BadKind::Unreadable, error.to_string()))?;
        let footer = guarded(|| footer::read(&chunks));
        let metadata = footer.map_err(|(kind, detail)| match kind {
            BadKind::TooLong => (kind, detail),
            _ => (kind, format!("no Parquet file, or not all of it: {detail}")),
        })?;
        let schema = metadata.file_metadata().schema_descr();
        let wanted = WantedColumn::find(schema, fields);
        let columns = schema.root_schema().get_fields().iter();
        let names: Vec<String> = columns.map(|column| column.name().to_owned()).collect();
        if !wanted.has_text() {
            return Err(no_text_column(&fields.keys.text, &names));
        }
        Ok(ParquetFile(Arc::new(Footer {
            path: path.to_owned(),
            names,
            groups: groups(metadata.row_groups(), &wanted.columns)?,
            wanted,
            limits,
        })))
    }

    /// The names of its fields, of the outermost level.
    pub(super) fn field_names(&self) -> Vec<String> {
        self.0.names.clone()
    }

    /// Metadata fields that are no single value by the schema, by number, and what they are.
    pub(super) fn unusable_metadata(&self) -> Vec<(usize, &'static str)> {
        let refused = self.0.wanted.refused.iter();
        let numbers = refused.flat_map(|(targets, found)| {
            targets.iter().map(move |&target| (target, *found))
        });
        let metadata = numbers.filter_map(|(target, found)| match target {
            Target::Metadata(number) => Some((number, found)),
            Target::Text(_) | Target::Id => None,
        });
        metadata.collect()
    }

    /// The stored columns of the texts.
    pub(super) fn text_columns(&self) -> Vec<usize> {
        let is_text = |column: &&ParquetColumn| {
            let mut targets = column.targets.iter();
            targets.any(|target| matches!(target, Target::Text(_)))
        };
        let columns = self.0.wanted.columns.iter().filter(is_text);
        columns.map(|column| column.number).collect()
    }

    /// The stored columns that are read.
    pub(super) fn read_columns(&self) -> Vec<usize> {
        let columns = self.0.wanted.columns.iter();
        columns.map(|column| column.number).collect()
    }

    /// The groups of rows in the order of the file.
    pub(super) fn groups(&self) -> Vec<GroupRows> {
        self.0.groups.iter().map(|(group, _)| *group).collect()
    }

    /// Reads the rows of a group. The file is opened with the first block.
    pub(super) fn read(&self, group: usize) -> RowGroup {
        RowGroup::new(self, group)
    }
}

/// Numbers the rows, and finds the stored columns of each group.
fn groups(
    groups: &[RowGroupMetaData],
    columns: &[ParquetColumn],
) -> Result<Vec<(GroupRows, Vec<ColumnChunkMetaData>)>, Fault> {
    let broken = |detail: String| (BadKind::Format, detail);
    let (mut num_rows, mut num_blocks) = (0u64, 0u64);
    let mut all = Vec::with_capacity(groups.len());
    // Groups keep their numbers also when they are empty: task numbers and bad records refer
    // to them.
    for (number, group) in groups.iter().enumerate() {
        let rows = u32::try_from(group.num_rows()).map_err(|_| {
            broken(format!("row group {number} of {} rows", group.num_rows()))
        })?;
        let chunks: Option<Vec<_>> = columns
            .iter()
            .map(|column| group.columns().get(column.number).cloned())
            .collect();
        let chunks = chunks.ok_or_else(|| {
            broken(format!("row group {number} does not have all columns"))
        })?;
        // Sizes of the footer are signed and may be wrong. A negative one counts as nothing,
        // and a sum cannot overflow.
        let sum = |bytes: fn(&ColumnChunkMetaData) -> i64| {
            let bytes = chunks
                .iter()
                .map(|chunk| u64::try_from(bytes(chunk)).unwrap_or(0));
            bytes.fold(0u64, u64::saturating_add)
        };
        let group = GroupRows {
            number,
            rows,
            rows_per_block: rows_per_block(
                rows,
                sum(ColumnChunkMetaData::uncompressed_size),
            ),
        };
        num_rows += u64::from(group.rows);
        num_blocks += u64::from(group.blocks());
        all.push((group, chunks));
    }
    // Blocks are numbered in 32 bits.
    if num_blocks > u64::from(u32::MAX) {
        return Err(broken(format!("{num_rows} rows are too many")));
    }
    Ok(all)
}

/// How many rows take about the bytes of a block, where `rows` take `bytes`.
fn rows_per_block(rows: u32, bytes: u64) -> u32 {
    rows_for(BLOCK_BYTES, rows.into(), bytes, MAX_BLOCK_ROWS)
}

/// How many rows take about `wanted` bytes, where `rows` take `bytes`; at least one, and at most
/// `most`.
fn rows_for(wanted: u64, rows: u64, bytes: u64, most: u32) -> u32 {
    // In 128 bits, because both factors come from the file and may be large.
    let rows = u128::from(wanted) * u128::from(rows) / u128::from(bytes.max(1));
    u32::try_from(rows).map_or(most, |rows| rows.clamp(1, most))
}

/// A part of a file that does not fit in memory. The library passes errors on as they are.
#[derive(Debug)]
struct TooLong {
    what: &'static str,
    bytes: u64,
    limit: PartLimit,
}

impl TooLong {
    /// The memory that would be enough.
    fn needed(&self) -> u64 {
        let times = self.bytes.div_ceil(self.limit.bytes.max(1));
        self.limit.memory.saturating_mul(times.next_power_of_two())
    }
}

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TooLong { what, bytes, limit } = self;
        let most = limit.bytes;
        let needed = self.needed() >> 20;
        write!(
            f,
            "{what} of {bytes} bytes, longer than {most} bytes, the most with this `memory`; \
             {needed}M are enough"
        )
    }
}

impl std::error::Error for TooLong {}

/// Runs a part of the library on bytes that may be anything. It answers most nonsense with
/// an error, some with a panic.
fn guarded<T>(decode: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, Fault> {
    match panics::guarded(decode) {
        Some(Ok(value)) => Ok(value),
        // The disk and not the file is at fault. Such a record is unreadable and is not said
        // to be damaged.
        Some(Err(ParquetError::External(error))) if error.is::<std::io::Error>() => {
            Err((BadKind::Unreadable, error.to_string()))
        }
        Some(Err(ParquetError::External(error))) if error.is::<TooLong>() => {
            Err((BadKind::TooLong, error.to_string()))
        }
        Some(Err(error)) => {
            let detail = error.to_string();
            let detail = detail.strip_prefix("Parquet error: ").unwrap_or(&detail);
            Err((BadKind::Format, detail.to_owned()))
        }
        None => Err((BadKind::Format, "damaged beyond decoding".to_owned())),
    }
}
