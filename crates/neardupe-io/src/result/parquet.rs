//! Rows of Parquet.
//!
//! Files that pandas or Spark have written again are read too: strings and lists may have 32-bit or
//! 64-bit offsets, and columns may come in any order.

use super::reader::{RowReader, damaged};
use crate::panics::guarded;
use crate::tables::raw::{KnownColumn, known};
use crate::tables::{ColumnDeclaration, RawRow, Value};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use neardupe_core::error::{Error, Result};
use parquet::arrow::arrow_reader::{
    ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use std::fs::File;
use std::path::{Path, PathBuf};

/// Rows decoded at a time; few, since a row may hold the members of a giant cluster.
const BATCH_ROWS: usize = 256;

/// Reads rows of Parquet.
pub(super) struct Parquet {
    /// The file, which every error names.
    path: PathBuf,
    /// Columns that rows may have.
    columns: &'static [ColumnDeclaration],
    /// Decodes the file, batch by batch.
    batches: ParquetRecordBatchReader,
    /// The batch at hand.
    batch: Option<RecordBatch>,
    /// The next row of it.
    at: usize,
    /// Number of the row read last, from 1.
    number: u64,
}

impl Parquet {
    /// Opens a file and reads its footer; one that makes the library panic is damaged.
    pub(super) fn open(
        path: &Path,
        columns: &'static [ColumnDeclaration],
    ) -> Result<Self> {
        let file = File::open(path).map_err(|error| Error::io(path, error))?;
        let open = || {
            let builder = ParquetRecordBatchReaderBuilder::try_new(file)?;
            builder.with_batch_size(BATCH_ROWS).build()
        };
        let batches = guarded(open)
            .ok_or_else(|| damaged(path, "footer", "not a Parquet file"))?
            .map_err(|error| damaged(path, "footer", error.to_string()))?;
        Ok(Parquet {
            path: path.to_path_buf(),
            columns,
            batches,
            batch: None,
            at: 0,
            number: 0,
        })
    }

    /// The row at `at`. A column of a declared name must have the declared type; others are
    /// passed over.
    fn row(&self, batch: &RecordBatch) -> Result<RawRow, String> {
        let mut row = RawRow::new(self.columns);
        for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
            let value = |column| {
                let value = cell(column, self.at);
                value.ok_or_else(|| {
                    let kind = field.data_type();
                    format!("{}: a column of type {kind}", field.name())
                })
            };
            let valid = column.is_valid(self.at);
            match known(self.columns, field.name()) {
                KnownColumn::Declared(at, kind) if valid => {
                    let value = value(column)?;
                    if !value.is_of(kind) {
                        return Err(format!("{}: a value of another type", field.name()));
                    }
                    row.values[at] = Some(value);
                }
                KnownColumn::Metadata(name) => {
                    let text = if valid {
                        match value(column)? {
                            Value::Text(text) => Some(text),
                            _ => return Err(format!("{}: not a text", field.name())),
                        }
                    } else {
                        None
                    };
                    row.metadata.push((name.to_owned(), text));
                }
                KnownColumn::Declared(..) | KnownColumn::Other => {}
            }
        }
        Ok(row)
    }
}

impl RowReader for Parquet {
    fn next_row(&mut self) -> Result<Option<RawRow>> {
        loop {
            if let Some(batch) = &self.batch
                && self.at < batch.num_rows()
            {
                let row = self.row(batch);
                self.at += 1;
                self.number += 1;
                return row
                    .map(Some)
                    .map_err(|what| damaged(&self.path, &self.place(), what));
            }
            let after = format!("after row {}", self.number);
            let batches = &mut self.batches;
            let next = guarded(|| batches.next())
                .ok_or_else(|| damaged(&self.path, &after, "a broken page"))?;
            match next {
                None => return Ok(None),
                Some(Err(error)) => {
                    return Err(damaged(&self.path, &after, error.to_string()));
                }
                Some(Ok(batch)) => self.batch = Some(batch),
            }
            self.at = 0;
        }
    }

    fn place(&self) -> String {
        format!("row {}", self.number)
    }
}

/// The value of a column that is not null there, if it is of a type that is written.
fn cell(column: &dyn Array, at: usize) -> Option<Value> {
    Some(match column.data_type() {
        DataType::Int64 => {
            let number = column.as_primitive::<Int64Type>().value(at);
            // Only columns of integers may have negative numbers, so a negative number is refused in others.
            u64::try_from(number).map_or(Value::Integer(number), Value::Number)
        }
        DataType::Float64 => Value::Ratio(column.as_primitive::<Float64Type>().value(at)),
        DataType::Utf8 | DataType::LargeUtf8 => Value::Text(text(column, at)?),
        DataType::List(_) => Value::List(texts(&*column.as_list::<i32>().value(at))?),
        DataType::LargeList(_) => {
            Value::List(texts(&*column.as_list::<i64>().value(at))?)
        }
        _ => return None,
    })
}

/// A text of a column of texts.
fn text(column: &dyn Array, at: usize) -> Option<String> {
    let text = match column.data_type() {
        DataType::Utf8 => column.as_string::<i32>().value(at),
        DataType::LargeUtf8 => column.as_string::<i64>().value(at),
        _ => return None,
    };
    Some(text.to_owned())
}

/// The texts of a list; None when its items are not texts.
fn texts(items: &dyn Array) -> Option<Vec<String>> {
    (0..items.len()).map(|at| text(items, at)).collect()
}
