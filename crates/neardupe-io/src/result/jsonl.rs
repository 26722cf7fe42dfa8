//! Rows of JSON lines.
//!
//! Keys that this version does not know are passed over, so a result of a later version can be read
//! as far as its tables are the same. A line that was cut off is damage and not the end.

use super::reader::{RowReader, damaged};
use crate::tables::raw::{KnownColumn, known};
use crate::tables::{ColumnDeclaration, ColumnKind, RawRow, Value};
use neardupe_core::error::{Error, Result};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// Reads rows of JSON lines.
pub(super) struct Jsonl {
    /// The file, which every error names.
    path: PathBuf,
    /// Columns that rows may have.
    columns: &'static [ColumnDeclaration],
    /// The file, line by line.
    lines: BufReader<File>,
    /// The line read last, without its end.
    line: Vec<u8>,
    /// Number of that line, from 1.
    number: u64,
}

impl Jsonl {
    /// Opens a file; it has no header.
    pub(super) fn open(
        path: &Path,
        columns: &'static [ColumnDeclaration],
    ) -> Result<Self> {
        let file = File::open(path).map_err(|error| Error::io(path, error))?;
        Ok(Jsonl {
            path: path.to_path_buf(),
            columns,
            lines: BufReader::with_capacity(1 << 16, file),
            line: Vec::new(),
            number: 0,
        })
    }
}

impl RowReader for Jsonl {
    fn next_row(&mut self) -> Result<Option<RawRow>> {
        if !next_line(
            &self.path,
            &mut self.lines,
            &mut self.line,
            &mut self.number,
        )? {
            return Ok(None);
        }
        let mut json = serde_json::Deserializer::from_slice(&self.line);
        let row = RowOf(self.columns).deserialize(&mut json);
        // Anything after the object is damage.
        let row = row.and_then(|row| json.end().map(|()| row));
        row.map(Some).map_err(|error| {
            let place = format!("line {}, column {}", self.number, error.column());
            // The library counts lines from the beginning of this one.
            let text = error.to_string();
            let what = text.split(" at line ").next().unwrap_or(&text);
            damaged(&self.path, &place, what)
        })
    }

    fn place(&self) -> String {
        format!("line {}", self.number)
    }
}

/// Reads the next line, without its end, into `line`. A file that was cut off within a line
/// is damaged, since every line that is written has an end.
pub(super) fn next_line(
    path: &Path,
    lines: &mut impl BufRead,
    line: &mut Vec<u8>,
    number: &mut u64,
) -> Result<bool> {
    line.clear();
    let read = lines.read_until(b'\n', line);
    if read.map_err(|error| Error::io(path, error))? == 0 {
        return Ok(false);
    }
    *number += 1;
    if line.pop() != Some(b'\n') {
        return Err(damaged(
            path,
            &format!("line {number}"),
            "the file ends within it",
        ));
    }
    Ok(true)
}

/// Makes a row of an object.
struct RowOf(&'static [ColumnDeclaration]);

impl<'de> DeserializeSeed<'de> for RowOf {
    type Value = RawRow;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<RawRow, D::Error> {
        json.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for RowOf {
    type Value = RawRow;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawRow, A::Error> {
        let mut row = RawRow::new(self.0);
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            match known(self.0, &key) {
                KnownColumn::Declared(at, kind) => {
                    row.values[at] = match kind {
                        ColumnKind::Text | ColumnKind::OptionalText => {
                            map.next_value::<Option<_>>()?.map(Value::Text)
                        }
                        ColumnKind::Number | ColumnKind::OptionalNumber => {
                            map.next_value::<Option<_>>()?.map(Value::Number)
                        }
                        ColumnKind::Integer => {
                            map.next_value::<Option<_>>()?.map(Value::Integer)
                        }
                        ColumnKind::Ratio
                        | ColumnKind::OptionalRatio
                        | ColumnKind::Decimal
                        | ColumnKind::OptionalDecimal => {
                            map.next_value::<Option<_>>()?.map(Value::Ratio)
                        }
                        ColumnKind::List(_) => {
                            map.next_value::<Option<_>>()?.map(Value::List)
                        }
                    };
                }
                KnownColumn::Metadata(field) => {
                    let value = map.next_value()?;
                    row.metadata.push((field.to_owned(), value));
                }
                KnownColumn::Other => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(row)
    }
}
