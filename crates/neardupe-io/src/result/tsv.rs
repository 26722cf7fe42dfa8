//! Rows of tab-separated values with a header line.
//!
//! An empty value and none look alike; a text that may be absent is read as absent. A backslash
//! that escapes nothing is damage: the writer never leaves one.

use super::jsonl::next_line;
use super::reader::{RowReader, damaged};
use crate::tables::raw::{KnownColumn, known, typed};
use crate::tables::{ColumnDeclaration, ColumnKind, RawRow};
use neardupe_core::error::{Error, Result};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// Reads rows of TSV.
pub(super) struct Tsv {
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

impl Tsv {
    /// Opens a file and reads its header.
    pub(super) fn open(
        path: &Path,
        columns: &'static [ColumnDeclaration],
    ) -> Result<Self> {
        let file = File::open(path).map_err(|error| Error::io(path, error))?;
        let mut tsv = Tsv {
            path: path.to_path_buf(),
            columns,
            header: Vec::new(),
            lines: BufReader::with_capacity(1 << 16, file),
            line: Vec::new(),
            number: 0,
        };
        if !tsv.next_line()? {
            return Err(damaged(
                path,
                "line 1",
                "the file is empty, without its header",
            ));
        }
        let header: Result<Vec<String>, String> =
            tsv.text()?.split('\t').map(unescape).collect();
        tsv.header = header.map_err(|what| damaged(path, "line 1", what))?;
        Ok(tsv)
    }

    /// Reads the next line; false at the end.
    fn next_line(&mut self) -> Result<bool> {
        next_line(
            &self.path,
            &mut self.lines,
            &mut self.line,
            &mut self.number,
        )
    }

    /// The line as text.
    fn text(&self) -> Result<&str> {
        std::str::from_utf8(&self.line)
            .map_err(|_| damaged(&self.path, &self.place(), "not UTF-8"))
    }

    /// The row of the line. Every line must have as many values as the header.
    fn row(&self) -> Result<RawRow, String> {
        let line = std::str::from_utf8(&self.line).map_err(|_| "not UTF-8".to_owned())?;
        let num_values = line.split('\t').count();
        if num_values != self.header.len() {
            let expected = self.header.len();
            return Err(format!(
                "{num_values} values, but the header has {expected} columns"
            ));
        }
        let mut row = RawRow::new(self.columns);
        for (name, text) in self.header.iter().zip(line.split('\t')) {
            match known(self.columns, name) {
                // A list is JSON, which has its own escapes.
                KnownColumn::Declared(at, kind @ ColumnKind::List(_)) => {
                    row.values[at] = Some(typed(kind, text.to_owned())?);
                }
                // Nothing stands for an absent value.
                KnownColumn::Declared(at, _)
                    if text.is_empty() && !self.columns[at].is_required() => {}
                KnownColumn::Declared(at, kind) => {
                    let value = typed(kind, unescape(text)?);
                    row.values[at] =
                        Some(value.map_err(|what| format!("{name}: {what}"))?);
                }
                KnownColumn::Metadata(field) => {
                    let value = Some(unescape(text)?).filter(|value| !value.is_empty());
                    row.metadata.push((field.to_owned(), value));
                }
                KnownColumn::Other => {}
            }
        }
        Ok(row)
    }
}

impl RowReader for Tsv {
    fn next_row(&mut self) -> Result<Option<RawRow>> {
        if !self.next_line()? {
            return Ok(None);
        }
        let row = self.row();
        row.map(Some)
            .map_err(|what| damaged(&self.path, &self.place(), what))
    }

    fn place(&self) -> String {
        format!("line {}", self.number)
    }
}

/// A value as it was before it was written.
fn unescape(text: &str) -> Result<String, String> {
    if !text.contains('\\') {
        return Ok(text.to_owned());
    }
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(ch) = chars.next() {
        plain.push(match ch {
            '\\' => match chars.next() {
                Some('t') => '\t',
                Some('n') => '\n',
                Some('r') => '\r',
                Some('\\') => '\\',
                _ => return Err(format!("a backslash that escapes nothing in {text:?}")),
            },
            other => other,
        });
    }
    Ok(plain)
}
