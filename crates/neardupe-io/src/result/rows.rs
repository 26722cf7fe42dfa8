//! The rows of a table that is read.

use super::csv::Csv;
use super::jsonl::Jsonl;
use super::parquet::Parquet;
use super::reader::{RowReader, damaged};
use super::tsv::Tsv;
use super::xml::Xml;
use crate::tables::{ColumnDeclaration, FileFormat, OutputFormat, RawRow, StoredRow};
use neardupe_core::error::{Error, Result};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

/// The rows of a table in order, before it is known what they mean.
pub(super) struct RawRows {
    /// The file, which every error names.
    path: PathBuf,
    /// The format at work; None after the end or an error.
    reader: Option<Box<dyn RowReader>>,
    /// How many there must be, by the summary.
    expected: Option<u64>,
    /// Rows so far.
    num_rows: u64,
}

impl RawRows {
    /// Opens the file of a table with these columns.
    pub(super) fn open(
        path: PathBuf,
        format: FileFormat,
        columns: &'static [ColumnDeclaration],
        expected: Option<u64>,
    ) -> Result<Self> {
        let reader: Box<dyn RowReader> = match format {
            FileFormat::Of(OutputFormat::Jsonl) => Box::new(Jsonl::open(&path, columns)?),
            FileFormat::Of(OutputFormat::Tsv) => Box::new(Tsv::open(&path, columns)?),
            FileFormat::Of(OutputFormat::Parquet) => {
                Box::new(Parquet::open(&path, columns)?)
            }
            FileFormat::Of(OutputFormat::Xml) => Box::new(Xml::open(&path, columns)?),
            FileFormat::Csv => Box::new(Csv::open(&path, columns)?),
        };
        Ok(RawRows {
            path,
            reader: Some(reader),
            expected,
            num_rows: 0,
        })
    }

    /// The next row, as `make` makes it; after an error there are no more.
    pub(super) fn next<T>(
        &mut self,
        make: impl FnOnce(RawRow) -> Result<T, String>,
    ) -> Option<Result<T>> {
        let row = self.read(make).transpose();
        // After damage nobody knows where the next row begins, so the rest of the file is not guessed at.
        if !matches!(row, Some(Ok(_))) {
            self.reader = None;
        }
        row
    }

    /// The next row. At the end the number of rows is compared with the summary: a file that
    /// lost its last lines is found by that alone.
    fn read<T>(
        &mut self,
        make: impl FnOnce(RawRow) -> Result<T, String>,
    ) -> Result<Option<T>> {
        let Some(reader) = &mut self.reader else {
            return Ok(None);
        };
        let Some(raw) = reader.next_row()? else {
            return match self.expected {
                Some(expected) if expected != self.num_rows => Err(Error::Corrupt {
                    path: self.path.clone(),
                    message: format!(
                        "it has {} rows, but summary.json says {expected}",
                        self.num_rows
                    ),
                }),
                _ => Ok(None),
            };
        };
        self.num_rows += 1;
        make(raw)
            .map(Some)
            .map_err(|what| damaged(&self.path, &reader.place(), what))
    }
}

/// The rows of a table, in order. After an error there are no more.
pub struct StoredRows<T> {
    /// Rows before they have a type.
    raw: RawRows,
    /// Their type.
    kind: PhantomData<T>,
}

impl<T> std::fmt::Debug for StoredRows<T> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let RawRows { path, num_rows, .. } = &self.raw;
        write!(out, "StoredRows({}, {num_rows})", path.display())
    }
}

impl<T: StoredRow> StoredRows<T> {
    /// Opens the file of a table.
    pub(super) fn open(
        path: PathBuf,
        format: FileFormat,
        expected: Option<u64>,
    ) -> Result<Self> {
        Ok(StoredRows {
            raw: RawRows::open(path, format, T::COLUMNS, expected)?,
            kind: PhantomData,
        })
    }

    /// The file that is read.
    pub fn path(&self) -> &Path {
        &self.raw.path
    }

    /// Where the last row was: `line 7`.
    pub fn place(&self) -> String {
        let place = self.raw.reader.as_ref().map(|reader| reader.place());
        place.unwrap_or_else(|| "the end".to_owned())
    }
}

impl<T: StoredRow> Iterator for StoredRows<T> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Result<T>> {
        self.raw.next(T::from_raw)
    }
}

#[cfg(test)]
mod tests {
    use super::RawRows;
    use crate::output::table::{Table, write_row};
    use crate::result::ResultReader;
    use crate::tables::column::Limits;
    use crate::tables::{
        Cell, ColumnDeclaration, ColumnKind, Copies, CopyRow, Items, Layout,
        OutputFormat, PassageRow, Passages, Schema, StoredCopy, StoredPassage, Value,
        tables,
    };
    use neardupe_core::ratio::Ratio;
    use serde_json::json;
    use std::borrow::Cow;
    use std::fs;
    use std::path::Path;

    /// A result with one passage and one copy.
    fn write(folder: &Path, format: OutputFormat, row: &StoredPassage, num_rows: u64) {
        let layout = Layout::default();
        let mut passages = Table::<Passages>::create(folder, &layout, format).unwrap();
        passages
            .row(&PassageRow {
                left: Cow::Borrowed(&row.left),
                left_start: row.left_start.into(),
                left_end: row.left_end.into(),
                right: Cow::Borrowed(&row.right),
                right_start: row.right_start.into(),
                right_end: row.right_end.into(),
                left_sentences: Cow::Borrowed(&row.left_sentences),
                right_sentences: Cow::Borrowed(&row.right_sentences),
                words: row.words.into(),
                similarity: Ratio::new(3, 4),
                left_share: Ratio::new(1, 2),
                right_share: Ratio::new(1, 1),
                kind: Cow::Borrowed(&row.kind),
            })
            .unwrap();
        passages.finish().unwrap();
        let mut copies = Table::<Copies>::create(folder, &layout, format).unwrap();
        let (id, copy_of) = (Cow::Borrowed(&*row.right), Cow::Borrowed(&*row.left));
        copies.row(&CopyRow { id, copy_of }).unwrap();
        copies.finish().unwrap();
        let summary = json!({
            "program": "neardupe", "version": "0", "command": "passages",
            "options": {"output-format": format.name()},
            "counts": {"passages": num_rows, "copies": 1},
        });
        fs::write(folder.join("summary.json"), summary.to_string()).unwrap();
    }

    fn row() -> StoredPassage {
        StoredPassage {
            left: "a\t\"<\\\u{1}é".to_owned(),
            left_start: 0,
            left_end: 70_000,
            right: "b & c".to_owned(),
            right_start: 5,
            right_end: u32::MAX,
            left_sentences: "1-7".to_owned(),
            right_sentences: "2-2".to_owned(),
            words: 44,
            similarity: 0.75,
            left_share: 0.5,
            right_share: 1.0,
            kind: "quotation".to_owned(),
        }
    }

    #[test]
    fn every_format_is_read_back_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        for format in OutputFormat::ALL {
            let folder = folder.path().join(format.name());
            fs::create_dir(&folder).unwrap();
            write(&folder, format, &row(), 1);
            let result = ResultReader::open(&folder).unwrap();
            let passages: Result<Vec<_>, _> = result.passages().unwrap().collect();
            assert_eq!(passages.unwrap(), [row()]);
            let copies: Result<Vec<_>, _> = result.copies().unwrap().collect();
            let (id, copy_of) = (row().right, row().left);
            assert_eq!(copies.unwrap(), [StoredCopy { id, copy_of }]);
            // What only find writes is not looked for.
            let error = result.pairs().unwrap_err().to_string();
            assert!(error.contains("this needs one of find"), "{error}");
            let error = result.summary().threshold().unwrap_err().to_string();
            assert!(error.contains("this needs one of find"), "{error}");
        }
    }

    /// A value for a column of whatever table; texts with all that a format must escape.
    fn some_cell<'a>(column: &ColumnDeclaration, list: &'a [Cow<'a, str>]) -> Cell<'a> {
        match column.values.map(|values| &values.limits) {
            Some(Limits::OneOf(words)) => return Cell::Text(words[0]),
            Some(Limits::Pattern("[0-9a-f]{32}")) => {
                return Cell::Text("0123456789abcdef0123456789abcdef");
            }
            Some(Limits::Pattern("[0-9a-f]{16}")) => {
                return Cell::Text("0123456789abcdef");
            }
            Some(Limits::Pattern("[0-9]+-[0-9]+")) => return Cell::Text("1-2"),
            Some(Limits::Pattern(_)) => return Cell::Text("12"),
            Some(Limits::AtMost(_) | Limits::Decimals) | None => {}
        }
        match column.kind {
            ColumnKind::Text => Cell::Text("a\t,\"b\"\n\\ é"),
            ColumnKind::OptionalText => Cell::Maybe(None),
            ColumnKind::Number => Cell::Number(1),
            ColumnKind::OptionalNumber => Cell::MaybeNumber(None),
            ColumnKind::Integer => Cell::Integer(-2),
            ColumnKind::Ratio => Cell::Ratio(Ratio::new(1, 3)),
            ColumnKind::OptionalRatio => Cell::MaybeRatio(None),
            ColumnKind::Decimal => Cell::Decimal(-0.125, 6),
            ColumnKind::OptionalDecimal => Cell::MaybeDecimal(None, 6),
            ColumnKind::List(_) => Cell::List(Items::Given(list)),
        }
    }

    /// What a reader of a cell must get.
    fn as_read(cell: &Cell<'_>) -> Option<Value> {
        match *cell {
            Cell::Text(text) => Some(Value::Text(text.to_owned())),
            Cell::Number(number) => Some(Value::Number(number)),
            Cell::Integer(number) => Some(Value::Integer(number)),
            Cell::Ratio(..) | Cell::Decimal(..) => {
                Some(Value::Ratio(cell.number()?.parse().unwrap()))
            }
            Cell::List(items) => {
                let mut read = Vec::new();
                items
                    .each(|item| {
                        read.push(item.to_owned());
                        Ok(())
                    })
                    .unwrap();
                Some(Value::List(read))
            }
            _ => None,
        }
    }

    #[test]
    fn every_declared_table_is_read_back_in_each_of_its_formats() {
        let folder = tempfile::tempdir().unwrap();
        let list = [Cow::Borrowed("x,\"y\"\n")];
        for table in tables() {
            let mut layout = Layout::new(true, &[]);
            layout.more = vec!["n=10".to_owned()];
            let declared: Vec<Cell<'_>> = table
                .columns
                .iter()
                .map(|column| some_cell(column, &list))
                .collect();
            let more = table.more.map(|_| Cell::Text("5"));
            let cells: Vec<Cell<'_>> = declared.iter().copied().chain(more).collect();
            for chosen in OutputFormat::ALL {
                let format = table.formats.of(chosen);
                let schema = Schema::of(table, &layout);
                let path = write_row(folder.path(), schema, format, &cells).unwrap();
                let mut rows = RawRows::open(path, format, table.columns, None).unwrap();
                let name = format!("{} in {}", table.name, format.name());
                let row = rows.next(Ok).unwrap().unwrap();
                let expected: Vec<_> = declared.iter().map(as_read).collect();
                assert_eq!(row.values, expected, "{name}");
                assert_eq!((table.check)(row), Ok(()), "{name}");
                assert!(rows.next(Ok).is_none(), "{name}");
            }
        }
    }

    #[test]
    fn what_is_wrong_with_a_table_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let wrong = || {
            let result = ResultReader::open(folder).unwrap();
            let rows: Result<Vec<_>, _> = result.passages().unwrap().collect();
            rows.unwrap_err().to_string()
        };
        write(folder, OutputFormat::Jsonl, &row(), 2);
        let error = wrong();
        assert!(error.contains("1 rows, but summary.json says 2"), "{error}");
        let turned = StoredPassage {
            left_start: 9,
            left_end: 8,
            ..row()
        };
        write(folder, OutputFormat::Jsonl, &turned, 1);
        let error = wrong();
        assert!(error.contains("ends before it begins"), "{error}");
    }
}
