//! A file of rows: the front over the formats, each of which has a file of its own.

use super::csv::Csv;
use super::jsonl::Jsonl;
use super::lines::RowLines;
use super::parquet::Parquet;
use super::row::{RowFormat, RowOut, RowWriter};
use super::tsv::Tsv;
use super::xml::Xml;
use crate::tables::{Cell, Declared, FileFormat, Formats, Layout, OutputFormat, Schema};
use neardupe_core::error::{Error, Result};
use std::fs::File;
use std::io;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Writes the rows of one table.
pub struct Table<T> {
    /// The file.
    file: TableFile,
    /// Binds rows to their table, so that rows of another one do not compile.
    table: PhantomData<T>,
}

/// Makes rows of a table on any thread, where rows are bytes.
pub struct RowMaker<T> {
    /// Makes the bytes.
    format: Arc<dyn RowFormat>,
    /// Declared columns that the job has: fewer without sides.
    num_declared: usize,
    table: PhantomData<fn() -> T>,
}

impl<T: Declared> Table<T> {
    /// Begins the file of the table, with the ending of the format that was chosen, or of the one
    /// in which the table always is.
    pub fn create(folder: &Path, layout: &Layout, chosen: OutputFormat) -> Result<Self> {
        let schema = Schema::of(T::DECLARATION, layout);
        let format = T::DECLARATION.formats.of(chosen);
        Ok(Table {
            file: TableFile::create(folder, schema, format)?,
            table: PhantomData,
        })
    }

    /// Begins the file of a table that always has the same format, and no columns that depend on
    /// the job.
    pub fn create_fixed(folder: &Path) -> Result<Self> {
        debug_assert!(
            T::DECLARATION.formats != Formats::Chosen,
            "a format to choose"
        );
        Table::create(folder, &Layout::default(), OutputFormat::default())
    }

    /// Writes a row.
    pub fn row(&mut self, row: &T::Row<'_>) -> Result<()> {
        let num_declared = self.file.schema.num_declared;
        T::cells(row, num_declared, |cells| self.file.row(cells))
    }

    /// Writes rows.
    pub fn rows<'a>(
        &mut self,
        rows: impl Iterator<Item = Result<T::Row<'a>>>,
    ) -> Result<()> {
        for row in rows {
            self.row(&row?)?;
        }
        Ok(())
    }

    /// What makes rows, when they are bytes: they are given to `made`.
    pub fn maker(&self) -> Option<RowMaker<T>> {
        match &self.file.writer {
            Writer::Lines(lines) => Some(RowMaker {
                format: lines.format().clone(),
                num_declared: self.file.schema.num_declared,
                table: PhantomData,
            }),
            Writer::Other(_) => None,
        }
    }

    /// Takes rows that were made by the format.
    pub fn made(&mut self, rows: &[u8]) -> Result<()> {
        let written = match &mut self.file.writer {
            Writer::Lines(lines) => lines.made(rows),
            Writer::Other(_) => Err(io::Error::other("rows are not bytes here")),
        };
        written.map_err(|error| Error::io(&self.file.path, error))
    }

    /// Writes what is left and makes sure it is on disk.
    pub fn finish(self) -> Result<()> {
        self.file.finish()
    }
}

impl<T: Declared> RowMaker<T> {
    /// Adds the bytes of a row.
    pub fn row(&self, row: &T::Row<'_>, out: &mut Vec<u8>) -> io::Result<()> {
        let mut out = RowOut::to_memory(out);
        T::cells(row, self.num_declared, |cells| {
            self.format.row(cells, &mut out)
        })
    }
}

/// Writes cells, whatever their table.
struct TableFile {
    /// Path of the file, for messages.
    path: PathBuf,
    /// Its columns.
    schema: Arc<Schema>,
    /// The format at work.
    writer: Writer,
}

/// How rows are taken.
enum Writer {
    /// Rows are bytes that any thread can make.
    Lines(Box<RowLines>),
    /// Rows are gathered and encoded together, as in Parquet.
    Other(Box<dyn RowWriter>),
}

impl TableFile {
    /// Begins the file `TABLE.FORMAT` in a folder.
    fn create(folder: &Path, schema: Schema, format: FileFormat) -> Result<Self> {
        let path = folder.join(format!("{}.{}", schema.table, format.name()));
        let schema = Arc::new(schema);
        let writer = begin(&path, &schema, format);
        Ok(TableFile {
            writer: writer.map_err(|error| Error::io(&path, error))?,
            schema,
            path,
        })
    }

    /// Writes a row; its cells must fit the schema.
    fn row(&mut self, cells: &[Cell<'_>]) -> Result<()> {
        debug_assert!(self.schema.fits(cells), "cells of another table");
        let written = match &mut self.writer {
            Writer::Lines(lines) => lines.row(cells),
            Writer::Other(writer) => writer.row(cells),
        };
        written.map_err(|error| Error::io(&self.path, error))
    }

    /// Ends the file and waits until it is on disk, since the folder is renamed right after.
    fn finish(self) -> Result<()> {
        let file = match self.writer {
            Writer::Lines(lines) => lines.finish(),
            Writer::Other(writer) => writer.finish(),
        };
        let written = file.and_then(|file| file.sync_data());
        written.map_err(|error| Error::io(&self.path, error))
    }
}

/// Writes a file of one row, whatever its table.
#[cfg(test)]
pub(crate) fn write_row(
    folder: &Path,
    schema: Schema,
    format: FileFormat,
    cells: &[Cell<'_>],
) -> Result<PathBuf> {
    let mut file = TableFile::create(folder, schema, format)?;
    file.row(cells)?;
    let path = file.path.clone();
    file.finish().map(|()| path)
}

fn begin(path: &Path, schema: &Arc<Schema>, format: FileFormat) -> io::Result<Writer> {
    let file = File::create(path)?;
    let format: Arc<dyn RowFormat> = match format {
        FileFormat::Of(OutputFormat::Jsonl) => Arc::new(Jsonl::new(schema)?),
        FileFormat::Of(OutputFormat::Tsv) => Arc::new(Tsv::new(schema.clone())),
        FileFormat::Of(OutputFormat::Xml) => Arc::new(Xml::new(schema.clone())),
        FileFormat::Csv => Arc::new(Csv::new(schema.clone())),
        FileFormat::Of(OutputFormat::Parquet) => {
            return Ok(Writer::Other(Box::new(Parquet::begin(file, schema)?)));
        }
    };
    Ok(Writer::Lines(Box::new(RowLines::begin(file, format)?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::ColumnKind;
    use crate::tables::Items;
    use neardupe_core::ratio::Ratio;

    fn all_formats() -> impl Iterator<Item = FileFormat> {
        let chosen = OutputFormat::ALL.into_iter().map(FileFormat::Of);
        chosen.chain([FileFormat::Csv])
    }

    #[test]
    fn values_with_separators_stay_on_one_line() {
        let folder = tempfile::tempdir().unwrap();
        let columns = [
            ("id", ColumnKind::Text),
            ("n", ColumnKind::Number),
            ("r", ColumnKind::Ratio),
            ("m", ColumnKind::List("item")),
        ];
        for format in all_formats() {
            let schema = Schema::new("t", "row", &columns);
            let mut table = TableFile::create(folder.path(), schema, format).unwrap();
            let list = ["a\tb", "c"].map(Into::into);
            let row = [
                Cell::Text("x\ty\n"),
                Cell::Number(2),
                Cell::Ratio(Ratio::new(2, 3)),
                Cell::List(Items::Given(&list)),
            ];
            table.row(&row).unwrap();
            table.finish().unwrap();
        }
        let read =
            |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!(
            read("t.jsonl"),
            "{\"id\":\"x\\ty\\n\",\"n\":2,\"r\":0.666667,\"m\":[\"a\\tb\",\"c\"]}\n"
        );
        assert_eq!(
            read("t.tsv"),
            "id\tn\tr\tm\nx\\ty\\n\t2\t0.666667\t[\"a\\tb\",\"c\"]\n"
        );
        // A line feed stays within its quotes, as RFC 4180 has it.
        assert_eq!(
            read("t.csv"),
            "id,n,r,m\n\"x\ty\n\",2,0.666667,\"[\"\"a\\tb\"\",\"\"c\"\"]\"\n"
        );
        assert_eq!(
            read("t.xml"),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <t xmlns=\"urn:neardupe:result:1\">\n\
             <row id=\"x&#9;y&#10;\" n=\"2\" r=\"0.666667\">\
             <item>a&#9;b</item><item>c</item></row>\n\
             </t>\n"
        );
    }

    #[test]
    fn absent_numbers_are_written_as_absent() {
        let folder = tempfile::tempdir().unwrap();
        let columns = [
            ("n", ColumnKind::OptionalNumber),
            ("r", ColumnKind::OptionalRatio),
        ];
        for format in all_formats() {
            let schema = Schema::new("t", "row", &columns);
            let mut table = TableFile::create(folder.path(), schema, format).unwrap();
            for (number, ratio) in [(Some(7), Some(Ratio::new(1, 2))), (None, None)] {
                let row = [Cell::MaybeNumber(number), Cell::MaybeRatio(ratio)];
                table.row(&row).unwrap();
            }
            table.finish().unwrap();
        }
        let read =
            |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        let lines = "{\"n\":7,\"r\":0.500000}\n{\"n\":null,\"r\":null}\n";
        assert_eq!(read("t.jsonl"), lines);
        assert_eq!(read("t.tsv"), "n\tr\n7\t0.500000\n\t\n");
        assert_eq!(read("t.csv"), "n,r\n7,0.500000\n,\n");
        let xml = read("t.xml");
        assert!(
            xml.contains("<row n=\"7\" r=\"0.500000\"/>\n<row/>"),
            "{xml}"
        );
    }
}
