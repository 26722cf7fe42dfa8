//! Comma-separated values with a header line (RFC 4180), but with `\n` at the end of a line.
//!
//! A value with a comma, a quotation mark, a carriage return or a line feed stands between quotation
//! marks, and each of its own is doubled. A list is a JSON array, and an absent value is nothing.
//!
//! Only small tables are written so: those of studies and evaluation, which go into spreadsheets
//! and plots.

use super::row::{RowFormat, RowOut};
use crate::tables::{Cell, Schema};
use std::io::{self, Write};
use std::sync::Arc;

/// Writes rows of CSV.
pub(super) struct Csv {
    /// Names of the columns, for the header.
    schema: Arc<Schema>,
}

impl Csv {
    /// A format for tables of this schema.
    pub(super) fn new(schema: Arc<Schema>) -> Self {
        Csv { schema }
    }
}

impl RowFormat for Csv {
    fn begin(&self, out: &mut Vec<u8>) -> io::Result<()> {
        let names = self.schema.columns.iter().map(|column| &*column.name);
        write_line(out, names, write_quoted)
    }

    fn row(&self, cells: &[Cell<'_>], out: &mut RowOut<'_>) -> io::Result<()> {
        write_line(out, cells, |out, cell| match cell {
            Cell::Text(text) => write_quoted(out, text),
            Cell::Maybe(text) => write_quoted(out, text.unwrap_or_default()),
            Cell::List(items) => {
                let mut json = Vec::new();
                items.write_json(&mut json)?;
                write_quoted(out, &String::from_utf8_lossy(&json))
            }
            Cell::Number(_)
            | Cell::MaybeNumber(_)
            | Cell::Integer(_)
            | Cell::Ratio(..)
            | Cell::MaybeRatio(_)
            | Cell::Decimal(..)
            | Cell::MaybeDecimal(..) => {
                out.write_all(cell.number().unwrap_or_default().as_bytes())
            }
        })
    }

    fn end(&self, _out: &mut Vec<u8>) -> io::Result<()> {
        Ok(())
    }
}

/// Writes values with commas between them and a line feed at the end.
fn write_line<T, W: Write>(
    out: &mut W,
    values: impl IntoIterator<Item = T>,
    write: impl Fn(&mut W, T) -> io::Result<()>,
) -> io::Result<()> {
    for (at, value) in values.into_iter().enumerate() {
        if at > 0 {
            out.write_all(b",")?;
        }
        write(out, value)?;
    }
    out.write_all(b"\n")
}

/// Writes a text, quoted only where it must be: most ids and words need no quotation marks.
fn write_quoted(out: &mut impl Write, text: &str) -> io::Result<()> {
    if text.contains([',', '"', '\n', '\r']) {
        write!(out, "\"{}\"", text.replace('"', "\"\""))
    } else {
        out.write_all(text.as_bytes())
    }
}
