//! Rows of a group, decoded a block at a time.

use super::super::scalars::{self, Scalar};
use super::super::values::{Fault, Values};
use super::chunk::{FileChunks, open_column};
use super::column::ParquetColumn;
use super::{GroupRows, ParquetFile, guarded};
use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use ::parquet::data_type::{AsBytes, ByteArray, DataType, FixedLenByteArray, Int96};
use ::parquet::errors::{ParquetError, Result as Decoded};
use neardupe_core::document::BadKind;
use std::sync::Arc;

/// The rows of a group that have not been read yet.
pub(in super::super) struct RowGroup {
    /// The footer, shared with all groups of the file.
    file: ParquetFile,
    /// Which group, and how it is divided into blocks.
    group: GroupRows,
    /// One for each wanted column, once the file is open.
    readers: Option<Vec<ColumnReader>>,
    /// Rows that no block has handed out yet; zero after a fault.
    rows_left: u32,
}

impl RowGroup {
    /// Rows of the group with this number; opens nothing yet, so tasks can be made for all
    /// groups at once.
    pub(super) fn new(file: &ParquetFile, number: usize) -> Self {
        let group = file.0.groups[number].0;
        RowGroup {
            file: file.clone(),
            group,
            readers: None,
            rows_left: group.rows,
        }
    }

    /// The next block: as many rows as there are in a block of this group, or as are left.
    /// A fault is the end of the group, for where the next row begins is not known.
    pub(in super::super) fn next_block(&mut self) -> Option<Result<RowBlock, Fault>> {
        let rows_left = self.rows_left;
        if rows_left == 0 {
            return None;
        }
        let rows = rows_left.min(self.group.rows_per_block);
        // The library may panic on damaged pages. All decoding runs behind this guard.
        let cells = match guarded(|| self.decode(rows)) {
            Ok(cells) => cells,
            Err((kind, detail)) => {
                self.rows_left = 0;
                let GroupRows { number, rows, .. } = self.group;
                let lost = if rows_left == rows {
                    format!("its {rows} rows are lost")
                } else {
                    format!("the last {rows_left} of its {rows} rows are lost")
                };
                let detail = format!("row group {number}: {detail}; {lost}");
                return Some(Err((kind, detail)));
            }
        };
        self.rows_left -= rows;
        Some(Ok(RowBlock {
            file: self.file.clone(),
            rows,
            cells,
        }))
    }

    /// Decodes the next rows of every wanted column. Columns are read in step: after a fault in
    /// one of them the others are ahead of it, so the group cannot go on.
    fn decode(&mut self, rows: u32) -> Decoded<Vec<Cells>> {
        let footer = &*self.file.0;
        let (group, chunks) = &footer.groups[self.group.number];
        // Files are opened with the first block, so that a table of a thousand groups does not
        // hold a thousand open files.
        let readers = match &mut self.readers {
            Some(readers) => readers,
            closed => {
                let file = Arc::new(FileChunks::open(&footer.path, footer.limits.part)?);
                let columns = footer.wanted.columns.iter().zip(chunks);
                let readers: Decoded<_> = columns
                    .map(|(column, chunk)| {
                        open_column(&file, &column.stored, chunk, group.rows.into())
                    })
                    .collect();
                closed.insert(readers?)
            }
        };
        let rows = usize::try_from(rows)?;
        let columns = footer.wanted.columns.iter().zip(readers);
        columns
            .map(|(column, reader)| Cells::decode(column, reader, rows))
            .collect()
    }
}

/// Some rows of a group, decoded.
#[derive(Debug)]
pub(in super::super) struct RowBlock {
    /// The footer says which column goes to which field.
    file: ParquetFile,
    /// Rows of the block. A block may have rows without wanted values.
    rows: u32,
    /// One for each wanted column.
    cells: Vec<Cells>,
}

impl RowBlock {
    /// How many rows.
    pub(in super::super) fn len(&self) -> u32 {
        self.rows
    }

    /// Bytes of the values that have any length.
    pub(in super::super) fn num_bytes(&self) -> u64 {
        let of_cells = |cells: &Cells| match &cells.values {
            CellValues::Bytes(all) => all.iter().map(|value| value.len() as u64).sum(),
            CellValues::Fixed(all) => all.iter().map(|value| value.len() as u64).sum(),
            _ => 0u64,
        };
        self.cells.iter().map(of_cells).sum()
    }

    /// Reads a row into `values`; the fault says what is wrong.
    pub(in super::super) fn read(
        &self,
        row: u32,
        values: &mut Values,
    ) -> Result<(), Fault> {
        let row = row as usize;
        values.clear();
        let footer = &*self.file.0;
        // Lengths are summed before any text is decoded or copied.
        let bytes = self.cells.iter().map(|cells| cells.bytes(row));
        if bytes.sum::<usize>() as u64 > footer.limits.record {
            let detail = format!(
                "longer than {} bytes; `max-record-bytes` raises the limit",
                footer.limits.record
            );
            return Err((BadKind::TooLong, detail));
        }
        for (column, cells) in footer.wanted.columns.iter().zip(&self.cells) {
            if let Some(place) = cells.place(row) {
                let scalar = cells.values.get(place);
                scalars::put(&column.targets, column.meaning, scalar, values);
            }
        }
        // Lists and objects under a wanted name are refused for every row: the schema is the
        // same for all.
        for (targets, found) in &footer.wanted.refused {
            values.refuse(targets, found);
        }
        values.check()
    }
}

/// The values of a column in a block.
#[derive(Debug)]
struct Cells {
    /// Only the values that are there. Nulls take no room here.
    values: CellValues,
    /// For each row the place of its value, where rows can be null.
    places: Option<Vec<u32>>,
}

/// Values as they are stored. Those of bytes are parts of their page.
#[derive(Debug)]
pub(super) enum CellValues {
    /// Flags.
    Bool(Vec<bool>),
    /// Whole numbers, dates, times and small decimals; their `Meaning` says which.
    Int32(Vec<i32>),
    /// The same in 64 bits, and timestamps.
    Int64(Vec<i64>),
    /// Timestamps of Hive and old Spark: nanoseconds of a day and a Julian day.
    Int96(Vec<Int96>),
    /// Single precision.
    Float(Vec<f32>),
    /// Double precision.
    Double(Vec<f64>),
    /// Strings of any length, mostly texts. Each refers to its page and copies nothing.
    Bytes(Vec<ByteArray>),
    /// Strings of one length: UUIDs, half floats, large decimals.
    Fixed(Vec<FixedLenByteArray>),
}

// What a scalar means as text is decided in `scalars`, one place for Parquet and Arrow.
impl CellValues {
    /// One of them.
    fn get(&self, place: usize) -> Scalar<'_> {
        match self {
            CellValues::Bool(all) => Scalar::Bool(all[place]),
            CellValues::Int32(all) => Scalar::Int32(all[place]),
            CellValues::Int64(all) => Scalar::Int64(all[place]),
            CellValues::Int96(all) => match *all[place].data() {
                [low, high, day] => scalars::julian(low, high, day),
                // The library's own type is an array of three.
                _ => Scalar::Double(f64::NAN),
            },
            CellValues::Float(all) => Scalar::Float(all[place]),
            CellValues::Double(all) => Scalar::Double(all[place]),
            CellValues::Bytes(all) => Scalar::Bytes(all[place].data()),
            CellValues::Fixed(all) => Scalar::Bytes(all[place].as_bytes()),
        }
    }
}

/// The place of a null, in four bytes a row. No value has this place: a block has at most
/// [`MAX_BLOCK_ROWS`](super::MAX_BLOCK_ROWS).
const NONE: u32 = u32::MAX;

impl Cells {
    /// Decodes `rows` rows of a column. The variant of the reader follows from the stored type,
    /// so each arm differs only in the type it takes.
    fn decode(
        column: &ParquetColumn,
        reader: &mut ColumnReader,
        rows: usize,
    ) -> Decoded<Self> {
        let mut levels = Vec::new();
        let values = match reader {
            ColumnReader::BoolColumnReader(reader) => {
                CellValues::Bool(take(column, reader, rows, &mut levels)?)
            }
            ColumnReader::Int32ColumnReader(reader) => {
                CellValues::Int32(take(column, reader, rows, &mut levels)?)
            }
            ColumnReader::Int64ColumnReader(reader) => {
                CellValues::Int64(take(column, reader, rows, &mut levels)?)
            }
            ColumnReader::Int96ColumnReader(reader) => {
                CellValues::Int96(take(column, reader, rows, &mut levels)?)
            }
            ColumnReader::FloatColumnReader(reader) => {
                CellValues::Float(take(column, reader, rows, &mut levels)?)
            }
            ColumnReader::DoubleColumnReader(reader) => {
                CellValues::Double(take(column, reader, rows, &mut levels)?)
            }
            ColumnReader::ByteArrayColumnReader(reader) => {
                CellValues::Bytes(take(column, reader, rows, &mut levels)?)
            }
            ColumnReader::FixedLenByteArrayColumnReader(reader) => {
                CellValues::Fixed(take(column, reader, rows, &mut levels)?)
            }
        };
        // A value is there at the deepest level; at any other it, or what it is in, is null.
        let present = column.stored.max_def_level();
        let places = (present > 0).then(|| {
            let mut next = 0;
            let place = |&level: &i16| {
                if level != present {
                    return NONE;
                }
                next += 1;
                next - 1
            };
            levels.iter().map(place).collect()
        });
        Ok(Cells { values, places })
    }

    /// Where the value of a row is; None for null.
    fn place(&self, row: usize) -> Option<usize> {
        match &self.places {
            None => Some(row),
            Some(places) => Some(places[row])
                .filter(|&place| place != NONE)
                .map(|place| place as usize),
        }
    }

    /// Bytes of a value that has any length.
    fn bytes(&self, row: usize) -> usize {
        match (&self.values, self.place(row)) {
            (CellValues::Bytes(values), Some(place)) => values[place].len(),
            (CellValues::Fixed(values), Some(place)) => values[place].len(),
            _ => 0,
        }
    }
}

/// The next values of a column, and the levels of its rows.
fn take<T: DataType>(
    column: &ParquetColumn,
    reader: &mut ColumnReaderImpl<T>,
    rows: usize,
    levels: &mut Vec<i16>,
) -> Decoded<Vec<T::T>> {
    let mut values = Vec::new();
    // Only whole rows are asked for: a record that is cut between two calls would shift all
    // rows after it.
    let (read, num_values, _) =
        reader.read_records(rows, Some(levels), None, &mut values)?;
    let level = column.stored.max_def_level();
    let present = levels.iter().filter(|&&found| found == level).count();
    let consistent = match level {
        0 => num_values == rows,
        // Number of levels, of values and of rows must fit together. A page that says
        // otherwise would put values into wrong rows.
        _ => levels.len() == rows && present == num_values,
    };
    if read != rows || !consistent || values.len() != num_values {
        let detail = format!("column {} ends early", column.stored.name());
        return Err(ParquetError::General(detail));
    }
    Ok(values)
}
