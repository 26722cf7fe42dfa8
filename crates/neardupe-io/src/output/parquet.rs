//! Apache Parquet, compressed by Zstandard.
//!
//! Whole numbers are signed 64-bit integers (Spark knows no unsigned ones), ratios the
//! doubles nearest to their six decimals, lists non-null lists of strings. The schema of
//! Arrow is not stored: it would say nothing that the Parquet types do not.
//!
//! Rows are gathered in record batches of Arrow and written in row groups; both are bounded in rows
//! and in bytes, so memory does not grow with the table.

use super::row::RowWriter;
use crate::tables::{BatchBuilder, Cell, Schema};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use std::fs::File;
use std::io;

/// Rows of a row group. Readers work on row groups in parallel; they want 100,000 and more.
const ROW_GROUP_ROWS: usize = 1 << 17;
/// Encoded bytes of a row group: they wait in memory until it is complete.
const ROW_GROUP_BYTES: usize = 1 << 26;
/// A row lies within one page, and the size of a page is a signed 32-bit number, which the
/// library does not check: half of that leaves room for the lengths of the items.
const MAX_ROW_BYTES: usize = 1 << 30;

/// Writes rows of Parquet.
pub(super) struct Parquet {
    /// Encodes batches and writes row groups.
    writer: ArrowWriter<File>,
    /// Rows that wait for their batch.
    batch: BatchBuilder,
}

impl Parquet {
    /// Writes the beginning of the file. Program and version are the only bytes that do not
    /// follow from the rows.
    pub(super) fn begin(file: File, schema: &Schema) -> io::Result<Self> {
        let batch = BatchBuilder::new(schema);
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
            ArrowWriter::try_new_with_options(file, batch.schema().clone(), options);
        Ok(Parquet {
            writer: writer.map_err(cause)?,
            batch,
        })
    }

    /// Hands the gathered rows to the encoder.
    fn write_batch(&mut self) -> io::Result<()> {
        let batch = self.batch.take()?;
        self.writer.write(&batch).map_err(cause)
    }
}

impl RowWriter for Parquet {
    fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        check_row(cells.iter().map(Cell::text_bytes).sum())?;
        self.batch.row(cells)?;
        if self.batch.is_full() {
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

/// Refuses a row that a page cannot hold, before the library writes a file that nobody can
/// read.
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
    use crate::tables::ColumnKind;
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
