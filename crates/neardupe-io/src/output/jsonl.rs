//! JSON lines: one object a row, keys in the order of the columns.

use super::row::{Cell, RowWriter, Schema};
use neardupe_core::threshold::six_decimals;
use std::fs::File;
use std::io::{self, BufWriter, Write};

pub(super) struct Jsonl {
    out: BufWriter<File>,
    /// Per column what stands before its value: `{"left":`, `,"right":`.
    keys: Vec<String>,
}

impl Jsonl {
    pub(super) fn begin(out: BufWriter<File>, schema: &Schema) -> io::Result<Self> {
        let mut keys = Vec::with_capacity(schema.columns.len());
        for column in &schema.columns {
            let separator = if keys.is_empty() { "{" } else { "," };
            let key = serde_json::to_string(&column.name)?;
            keys.push(format!("{separator}{key}:"));
        }
        Ok(Jsonl { out, keys })
    }
}

impl RowWriter for Jsonl {
    fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        for (key, cell) in self.keys.iter().zip(cells) {
            self.out.write_all(key.as_bytes())?;
            match cell {
                Cell::Text(text) => serde_json::to_writer(&mut self.out, text)?,
                Cell::Maybe(text) => serde_json::to_writer(&mut self.out, text)?,
                Cell::Number(number) => write!(self.out, "{number}")?,
                Cell::Ratio(part, whole) => {
                    self.out.write_all(six_decimals(*part, *whole).as_bytes())?;
                }
                Cell::MaybeNumber(_) | Cell::MaybeRatio(_) => match cell.number() {
                    Some(number) => self.out.write_all(number.as_bytes())?,
                    None => self.out.write_all(b"null")?,
                },
                Cell::List(items) => serde_json::to_writer(&mut self.out, items)?,
            }
        }
        self.out.write_all(b"}\n")
    }

    fn finish(self: Box<Self>) -> io::Result<File> {
        self.out
            .into_inner()
            .map_err(io::IntoInnerError::into_error)
    }
}
