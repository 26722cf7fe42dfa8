//! Rows of comma-separated values with a header line, as `output/csv.rs` writes them.
//!
//! A value may have line feeds, so a row is as many lines as it takes until its quotation marks are
//! even: a mark within a value is doubled, so only an open value leaves one over.
//!
//! Columns are found by the names in the header, so their order does not matter. An empty value is
//! an absent one unless its column is required, as in TSV.

use super::jsonl::next_line;
use super::reader::{RowReader, damaged};
use crate::tables::raw::{KnownColumn, known, typed};
use crate::tables::{ColumnDeclaration, RawRow};
use neardupe_core::error::{Error, Result};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// Reads rows of CSV.
pub(super) struct Csv {
    /// The file, which every error names.
    path: PathBuf,
    /// Columns that rows may have.
    columns: &'static [ColumnDeclaration],
    /// The names of the header, in the order of the file.
    header: Vec<String>,
    /// The file, line by line.
    lines: BufReader<File>,
    /// The line read last, without its end.
    line: Vec<u8>,
    /// Number of that line, from 1.
    number: u64,
}

impl Csv {
    /// Opens a file and reads its header.
    pub(super) fn open(
        path: &Path,
        columns: &'static [ColumnDeclaration],
    ) -> Result<Self> {
        let file = File::open(path).map_err(|error| Error::io(path, error))?;
        let mut csv = Csv {
            path: path.to_path_buf(),
            columns,
            header: Vec::new(),
            lines: BufReader::with_capacity(1 << 16, file),
            line: Vec::new(),
            number: 0,
        };
        let Some(header) = csv.next_values()? else {
            let what = "the file is empty, without its header";
            return Err(damaged(path, "line 1", what));
        };
        csv.header = header;
        Ok(csv)
    }

    /// The values of the next row.
    fn next_values(&mut self) -> Result<Option<Vec<String>>> {
        let mut row: Vec<u8> = Vec::new();
        loop {
            let is_first = row.is_empty();
            if !next_line(
                &self.path,
                &mut self.lines,
                &mut self.line,
                &mut self.number,
            )? {
                if is_first {
                    return Ok(None);
                }
                let what = "a quotation mark that is never closed";
                return Err(damaged(&self.path, &self.place(), what));
            }
            row.extend_from_slice(&self.line);
            // Counted again for each line of a row: rows over many lines are rare, and short.
            let marks = row.iter().filter(|&&byte| byte == b'"').count();
            if marks % 2 == 0 {
                break;
            }
            row.push(b'\n');
        }
        let text = std::str::from_utf8(&row)
            .map_err(|_| damaged(&self.path, &self.place(), "not UTF-8"))?;
        values(text)
            .map(Some)
            .map_err(|what| damaged(&self.path, &self.place(), what))
    }

    /// A row of values by the names of the header. Columns may come in any order, and unknown
    /// ones are passed over.
    fn row(&self, values: Vec<String>) -> Result<RawRow, String> {
        if values.len() != self.header.len() {
            let (found, expected) = (values.len(), self.header.len());
            return Err(format!(
                "{found} values, but the header has {expected} columns"
            ));
        }
        let mut row = RawRow::new(self.columns);
        for (name, text) in self.header.iter().zip(values) {
            match known(self.columns, name) {
                // Nothing stands for an absent value.
                KnownColumn::Declared(at, _)
                    if text.is_empty() && !self.columns[at].is_required() => {}
                KnownColumn::Declared(at, kind) => {
                    let value = typed(kind, text);
                    row.values[at] =
                        Some(value.map_err(|what| format!("{name}: {what}"))?);
                }
                KnownColumn::Metadata(field) => {
                    let value = Some(text).filter(|text| !text.is_empty());
                    row.metadata.push((field.to_owned(), value));
                }
                KnownColumn::Other => {}
            }
        }
        Ok(row)
    }
}

impl RowReader for Csv {
    fn next_row(&mut self) -> Result<Option<RawRow>> {
        let Some(values) = self.next_values()? else {
            return Ok(None);
        };
        let row = self.row(values);
        row.map(Some)
            .map_err(|what| damaged(&self.path, &self.place(), what))
    }

    fn place(&self) -> String {
        format!("line {}", self.number)
    }
}

/// The values of a row, without their quotation marks.
fn values(row: &str) -> Result<Vec<String>, String> {
    let mut values = Vec::new();
    let mut rest = row;
    loop {
        // After a closed value only a comma or the end may follow; anything else is damage and
        // is reported.
        let mut value = String::new();
        if let Some(quoted) = rest.strip_prefix('"') {
            rest = quoted;
            loop {
                let Some((part, after)) = rest.split_once('"') else {
                    return Err("a quotation mark that is never closed".to_owned());
                };
                value.push_str(part);
                rest = after;
                let Some(after) = rest.strip_prefix('"') else {
                    break;
                };
                value.push('"');
                rest = after;
            }
        } else {
            let end = rest.find(',').unwrap_or(rest.len());
            value.push_str(&rest[..end]);
            rest = &rest[end..];
        }
        values.push(value);
        match rest.strip_prefix(',') {
            Some(after) => rest = after,
            None if rest.is_empty() => return Ok(values),
            None => return Err("text after a closing quotation mark".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotation_marks_hold_values_together() {
        let read = |row: &str| values(row);
        assert_eq!(read("a,,1").unwrap(), ["a", "", "1"]);
        assert_eq!(read("\"a,\"\"b\"\"\nc\",2").unwrap(), ["a,\"b\"\nc", "2"]);
        assert_eq!(read("\"\"").unwrap(), [""]);
        assert_eq!(read("").unwrap(), [""]);
        assert!(read("\"a\"b,2").is_err());
        assert!(read("\"a").is_err());
    }
}
