//! JSON lines: one object a row, keys in the order of the columns.
//!
//! The same object in the same order of keys for every row: files can be compared with `diff`, and
//! a key is encoded once per file and not once per row.

use super::row::{RowFormat, RowOut};
use crate::tables::{Cell, Schema};
use std::io::{self, Write};

/// Writes rows of JSON lines.
pub(super) struct Jsonl {
    /// Per column what stands before its value: `{"left":`, `,"right":`.
    keys: Vec<String>,
}

impl Jsonl {
    /// Prepares the keys, which are the same in every row.
    pub(super) fn new(schema: &Schema) -> io::Result<Self> {
        let mut keys = Vec::with_capacity(schema.columns.len());
        for column in &schema.columns {
            let separator = if keys.is_empty() { "{" } else { "," };
            let key = serde_json::to_string(&column.name)?;
            keys.push(format!("{separator}{key}:"));
        }
        Ok(Jsonl { keys })
    }
}

impl RowFormat for Jsonl {
    fn begin(&self, _out: &mut Vec<u8>) -> io::Result<()> {
        Ok(())
    }

    fn row(&self, cells: &[Cell<'_>], out: &mut RowOut<'_>) -> io::Result<()> {
        for (key, cell) in self.keys.iter().zip(cells) {
            out.write_all(key.as_bytes())?;
            match cell {
                Cell::Text(text) => serde_json::to_writer(&mut *out, text)?,
                Cell::Maybe(text) => serde_json::to_writer(&mut *out, text)?,
                Cell::Number(number) => write!(out, "{number}")?,
                Cell::Ratio(ratio) => write!(out, "{ratio}")?,
                Cell::MaybeNumber(_)
                | Cell::Integer(_)
                | Cell::MaybeRatio(_)
                | Cell::Decimal(..)
                | Cell::MaybeDecimal(..) => match cell.number() {
                    Some(number) => out.write_all(number.as_bytes())?,
                    None => out.write_all(b"null")?,
                },
                Cell::List(items) => items.write_json(out)?,
            }
        }
        out.write_all(b"}\n")
    }

    fn end(&self, _out: &mut Vec<u8>) -> io::Result<()> {
        Ok(())
    }
}
