//! Apache Parquet, compressed by Zstandard.
//!
//! Whole numbers are signed 64-bit integers (Spark knows no unsigned ones), ratios the
//! doubles nearest to their six decimals, lists non-null lists of strings. The schema of
//! Arrow is not stored: it would say nothing that the Parquet types do not.
//!
//! Rows are gathered in Arrow builders, handed on in batches, and written in row groups;
//! both are bounded in rows and in bytes, so memory does not grow with the table.

use super::row::{Cell, Column, ColumnKind, RowWriter, Schema};
use arrow_array::builder::{
    Float64Builder, Int64Builder, LargeListBuilder, LargeStringBuilder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema as ArrowSchema};
use neardupe_core::threshold::six_decimals;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use std::fs::File;
use std::io;
use std::sync::Arc;

/// Rows gathered before they are encoded.
const BATCH_ROWS: usize = 1 << 13;
/// Bytes of text gathered before they are encoded.
const BATCH_BYTES: usize = 1 << 20;
/// Rows of a row group. Readers work on row groups in parallel; they want 100,000 and more.
const ROW_GROUP_ROWS: usize = 1 << 17;
/// Encoded bytes of a row group: they wait in memory until it is complete.
const ROW_GROUP_BYTES: usize = 1 << 26;
/// A row lies within one page, and the size of a page is a signed 32-bit number, which the
/// library does not check: half of that leaves room for the lengths of the items.
const MAX_ROW_BYTES: usize = 1 << 30;

pub(super) struct Parquet {
    writer: ArrowWriter<File>,
    schema: Arc<ArrowSchema>,
    builders: Vec<Builder>,
    num_rows: usize,
    num_bytes: usize,
}

/// The values of a column that are not yet encoded. Offsets have 64 bits: the members of a
/// giant cluster are one value.
enum Builder {
    Text(LargeStringBuilder),
    Number(Int64Builder),
    Ratio(Float64Builder),
    List(LargeListBuilder<LargeStringBuilder>),
}

impl Parquet {
    pub(super) fn begin(file: File, schema: &Schema) -> io::Result<Self> {
        let fields: Vec<Field> = schema.columns.iter().map(field).collect();
        let arrow_schema = Arc::new(ArrowSchema::new(fields));
        let about =
            |key: &str, value: &str| KeyValue::new(key.to_owned(), value.to_owned());
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_max_row_group_row_count(Some(ROW_GROUP_ROWS))
            .set_max_row_group_bytes(Some(ROW_GROUP_BYTES))
            .set_key_value_metadata(Some(vec![
                about("program", "neardupe"),
                about("version", env!("CARGO_PKG_VERSION")),
            ]))
            .build();
        let options = ArrowWriterOptions::new()
            .with_properties(properties)
            .with_skip_arrow_metadata(true)
            .with_schema_root(schema.table.to_owned());
        let writer =
            ArrowWriter::try_new_with_options(file, arrow_schema.clone(), options);
        Ok(Parquet {
            writer: writer.map_err(cause)?,
            schema: arrow_schema,
            builders: schema.columns.iter().map(Builder::of).collect(),
            num_rows: 0,
            num_bytes: 0,
        })
    }

    fn write_batch(&mut self) -> io::Result<()> {
        let columns = self.builders.iter_mut().map(Builder::take).collect();
        let batch = RecordBatch::try_new(self.schema.clone(), columns);
        let batch = batch.map_err(io::Error::other)?;
        self.num_rows = 0;
        self.num_bytes = 0;
        self.writer.write(&batch).map_err(cause)
    }
}

impl RowWriter for Parquet {
    fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        let num_bytes = cells.iter().map(text_bytes).sum();
        check_row(num_bytes)?;
        for (builder, cell) in self.builders.iter_mut().zip(cells) {
            builder.append(cell)?;
        }
        self.num_rows += 1;
        self.num_bytes += num_bytes;
        if self.num_rows >= BATCH_ROWS || self.num_bytes >= BATCH_BYTES {
            self.write_batch()?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<File> {
        self.write_batch()?;
        self.writer.finish().map_err(cause)?;
        // `into_inner` would make a text of what the system says.
        self.writer.inner().try_clone()
    }
}

impl Builder {
    fn of(column: &Column) -> Self {
        match column.kind {
            ColumnKind::Text | ColumnKind::OptionalText => {
                Builder::Text(LargeStringBuilder::new())
            }
            ColumnKind::Number | ColumnKind::OptionalNumber => {
                Builder::Number(Int64Builder::new())
            }
            ColumnKind::Ratio | ColumnKind::OptionalRatio => {
                Builder::Ratio(Float64Builder::new())
            }
            ColumnKind::List(_) => {
                let items = LargeListBuilder::new(LargeStringBuilder::new());
                Builder::List(items.with_field(item_field()))
            }
        }
    }

    fn append(&mut self, cell: &Cell<'_>) -> io::Result<()> {
        match (self, cell) {
            (Builder::Text(texts), Cell::Text(text)) => texts.append_value(text),
            (Builder::Text(texts), Cell::Maybe(text)) => texts.append_option(*text),
            (Builder::Number(numbers), Cell::Number(number)) => {
                let number = i64::try_from(*number).map_err(io::Error::other)?;
                numbers.append_value(number);
            }
            (Builder::Number(numbers), Cell::MaybeNumber(number)) => {
                let number = number.map(i64::try_from).transpose();
                numbers.append_option(number.map_err(io::Error::other)?);
            }
            (Builder::Ratio(ratios), Cell::MaybeRatio(_)) => {
                let ratio = cell.number().map(|ratio| ratio.parse()).transpose();
                ratios.append_option(ratio.map_err(io::Error::other)?);
            }
            (Builder::Ratio(ratios), Cell::Ratio(part, whole)) => {
                // By way of the text: the double that readers of the other formats get.
                let ratio = six_decimals(*part, *whole).parse();
                ratios.append_value(ratio.map_err(io::Error::other)?);
            }
            (Builder::List(lists), Cell::List(items)) => {
                for item in *items {
                    lists.values().append_value(item);
                }
                lists.append(true);
            }
            _ => return Err(io::Error::other("a cell is not of the type of its column")),
        }
        Ok(())
    }

    fn take(&mut self) -> ArrayRef {
        match self {
            Builder::Text(texts) => Arc::new(texts.finish()),
            Builder::Number(numbers) => Arc::new(numbers.finish()),
            Builder::Ratio(ratios) => Arc::new(ratios.finish()),
            Builder::List(lists) => Arc::new(lists.finish()),
        }
    }
}

fn field(column: &Column) -> Field {
    let (data_type, nullable) = match column.kind {
        ColumnKind::Text => (DataType::LargeUtf8, false),
        ColumnKind::OptionalText => (DataType::LargeUtf8, true),
        ColumnKind::Number => (DataType::Int64, false),
        ColumnKind::OptionalNumber => (DataType::Int64, true),
        ColumnKind::Ratio => (DataType::Float64, false),
        ColumnKind::OptionalRatio => (DataType::Float64, true),
        ColumnKind::List(_) => (DataType::LargeList(Arc::new(item_field())), false),
    };
    Field::new(&column.name, data_type, nullable)
}

/// An item of a list, under the name that the Parquet format gives it.
fn item_field() -> Field {
    Field::new("element", DataType::LargeUtf8, false)
}

fn text_bytes(cell: &Cell<'_>) -> usize {
    match cell {
        Cell::Text(text) => text.len(),
        Cell::Maybe(text) => text.map_or(0, str::len),
        Cell::List(items) => items.iter().map(|item| item.len()).sum(),
        Cell::Number(_)
        | Cell::MaybeNumber(_)
        | Cell::Ratio(..)
        | Cell::MaybeRatio(_) => 0,
    }
}

fn check_row(num_bytes: usize) -> io::Result<()> {
    if num_bytes <= MAX_ROW_BYTES {
        return Ok(());
    }
    let message = format!(
        "a row of {num_bytes} bytes, but a row of Parquet may have {MAX_ROW_BYTES}; \
         use another `output-format`"
    );
    Err(io::Error::new(io::ErrorKind::FileTooLarge, message))
}

/// What the system said, where the system was the cause.
fn cause(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(refused) => *refused,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::file::reader::{FileReader, SerializedFileReader};

    #[test]
    fn a_row_that_no_page_can_hold_is_refused() {
        assert!(check_row(MAX_ROW_BYTES).is_ok());
        let error = check_row(MAX_ROW_BYTES + 1).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
    }

    #[test]
    fn row_groups_are_bounded_in_rows_and_bytes() {
        let columns = [("id", ColumnKind::Text), ("n", ColumnKind::Number)];
        let schema = Schema::new("t", "row", &columns);
        let rows_of_groups = |num_rows: usize, id: &dyn Fn(usize) -> String| {
            let file = tempfile::tempfile().unwrap();
            let mut table = Parquet::begin(file.try_clone().unwrap(), &schema).unwrap();
            for number in 0..num_rows {
                let row = [Cell::Text(&id(number)), Cell::Number(number as u64)];
                table.row(&row).unwrap();
                assert!(table.writer.memory_size() < 2 * ROW_GROUP_BYTES);
            }
            Box::new(table).finish().unwrap();
            let reader = SerializedFileReader::new(file).unwrap();
            let groups = reader.metadata().row_groups().iter();
            groups.map(|group| group.num_rows()).collect::<Vec<_>>()
        };
        let short = rows_of_groups(ROW_GROUP_ROWS + 5, &|number| number.to_string());
        assert_eq!(short, [ROW_GROUP_ROWS as i64, 5]);
        // Bytes that do not compress, 1 MB a row.
        let mut state = 1_u64;
        let noise: String = std::iter::repeat_with(|| {
            state = 6_364_136_223_846_793_005_u64.wrapping_mul(state) + 1;
            char::from(b' ' + state.to_be_bytes()[2] % 95)
        })
        .take(1 << 20)
        .collect();
        let long = rows_of_groups(100, &|number| noise.clone() + &number.to_string());
        assert!(
            long.len() > 1 && long.iter().sum::<i64>() == 100,
            "{long:?}"
        );
    }
}
