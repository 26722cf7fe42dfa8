//! Rows in the formats we write: JSON lines and tab-separated values.
//!
//! In TSV a tab, line feed, carriage return or backslash in a value is written as `\t`,
//! `\n`, `\r`, `\\`, and a list is written as a JSON array.

use neardupe_core::error::{Error, Result};
use neardupe_core::threshold::six_decimals;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// How results are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OutputFormat {
    /// One JSON object a line.
    #[default]
    Jsonl,
    /// Tab-separated values with a header line.
    Tsv,
}

impl OutputFormat {
    /// The name, which is also the ending of files.
    pub fn name(self) -> &'static str {
        match self {
            OutputFormat::Jsonl => "jsonl",
            OutputFormat::Tsv => "tsv",
        }
    }
}

impl FromStr for OutputFormat {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "jsonl" => Ok(OutputFormat::Jsonl),
            "tsv" => Ok(OutputFormat::Tsv),
            _ => Err(Error::config(
                "--output-format",
                format!("{text:?} is not one of jsonl, tsv"),
            )),
        }
    }
}

/// A value of a row.
pub(super) enum Cell<'a> {
    Text(&'a str),
    Maybe(Option<&'a str>),
    Number(u64),
    /// A ratio, written with six decimals.
    Ratio(u64, u64),
    List(&'a [&'a str]),
}

/// Writes the rows of one file.
pub(super) struct Table {
    path: PathBuf,
    out: BufWriter<File>,
    format: OutputFormat,
    columns: Vec<String>,
}

impl Table {
    /// Begins the file `name` with the ending of the format.
    pub(super) fn create(
        folder: &Path,
        name: &str,
        format: OutputFormat,
        columns: Vec<String>,
    ) -> Result<Self> {
        let path = folder.join(format!("{name}.{}", format.name()));
        let file = File::create(&path).map_err(|error| Error::io(&path, error))?;
        let mut table = Table {
            path,
            out: BufWriter::with_capacity(1 << 18, file),
            format,
            columns,
        };
        if format == OutputFormat::Tsv {
            let header = table.columns.join("\t");
            let written = writeln!(table.out, "{header}");
            written.map_err(|error| Error::io(&table.path, error))?;
        }
        Ok(table)
    }

    pub(super) fn row(&mut self, cells: &[Cell<'_>]) -> Result<()> {
        debug_assert_eq!(cells.len(), self.columns.len());
        let written = match self.format {
            OutputFormat::Jsonl => self.json_row(cells),
            OutputFormat::Tsv => self.tsv_row(cells),
        };
        written.map_err(|error| Error::io(&self.path, error))
    }

    fn json_row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        let mut separator = "{";
        for (column, cell) in self.columns.iter().zip(cells) {
            write!(self.out, "{separator}")?;
            serde_json::to_writer(&mut self.out, column)?;
            self.out.write_all(b":")?;
            match cell {
                Cell::Text(text) => serde_json::to_writer(&mut self.out, text)?,
                Cell::Maybe(text) => serde_json::to_writer(&mut self.out, text)?,
                Cell::Number(number) => write!(self.out, "{number}")?,
                Cell::Ratio(part, whole) => {
                    self.out.write_all(six_decimals(*part, *whole).as_bytes())?;
                }
                Cell::List(items) => serde_json::to_writer(&mut self.out, items)?,
            }
            separator = ",";
        }
        self.out.write_all(b"}\n")
    }

    fn tsv_row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        let mut separator = "";
        for cell in cells {
            self.out.write_all(separator.as_bytes())?;
            match cell {
                Cell::Text(text) => write_escaped(&mut self.out, text)?,
                Cell::Maybe(text) => {
                    write_escaped(&mut self.out, text.unwrap_or_default())?
                }
                Cell::Number(number) => write!(self.out, "{number}")?,
                Cell::Ratio(part, whole) => {
                    self.out.write_all(six_decimals(*part, *whole).as_bytes())?;
                }
                Cell::List(items) => serde_json::to_writer(&mut self.out, items)?,
            }
            separator = "\t";
        }
        self.out.write_all(b"\n")
    }

    /// Writes what is left and makes sure it is on disk.
    pub(super) fn finish(mut self) -> Result<()> {
        let written = self
            .out
            .flush()
            .and_then(|()| self.out.get_ref().sync_data());
        written.map_err(|error| Error::io(&self.path, error))
    }
}

fn write_escaped(out: &mut impl Write, text: &str) -> io::Result<()> {
    if !text.contains(['\t', '\n', '\r', '\\']) {
        return out.write_all(text.as_bytes());
    }
    for ch in text.chars() {
        match ch {
            '\t' => out.write_all(b"\\t")?,
            '\n' => out.write_all(b"\\n")?,
            '\r' => out.write_all(b"\\r")?,
            '\\' => out.write_all(b"\\\\")?,
            other => write!(out, "{other}")?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_with_separators_stay_on_one_line() {
        let folder = tempfile::tempdir().unwrap();
        for format in [OutputFormat::Jsonl, OutputFormat::Tsv] {
            let columns = ["id", "n", "r", "m"].map(str::to_owned).to_vec();
            let mut table = Table::create(folder.path(), "t", format, columns).unwrap();
            let list = ["a\tb", "c"];
            let row = [
                Cell::Text("x\ty\n"),
                Cell::Number(2),
                Cell::Ratio(2, 3),
                Cell::List(&list),
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
    }
}
