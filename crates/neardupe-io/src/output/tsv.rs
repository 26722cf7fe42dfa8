//! Tab-separated values with a header line.
//!
//! A tab, line feed, carriage return or backslash in a value is written as `\t`, `\n`,
//! `\r`, `\\`, a list as a JSON array, and an absent value as nothing.

use super::row::{RowFormat, RowOut};
use crate::tables::{Cell, Schema};
use std::io::{self, Write};
use std::sync::Arc;

/// Writes rows of TSV.
pub(super) struct Tsv {
    /// Names of the columns, for the header.
    schema: Arc<Schema>,
}

impl Tsv {
    /// A format for tables of this schema.
    pub(super) fn new(schema: Arc<Schema>) -> Self {
        Tsv { schema }
    }
}

impl RowFormat for Tsv {
    fn begin(&self, out: &mut Vec<u8>) -> io::Result<()> {
        let mut separator = "";
        for column in &self.schema.columns {
            out.write_all(separator.as_bytes())?;
            // The name of a metadata field is as free as its value.
            write_escaped(out, &column.name)?;
            separator = "\t";
        }
        out.write_all(b"\n")
    }

    fn row(&self, cells: &[Cell<'_>], out: &mut RowOut<'_>) -> io::Result<()> {
        let mut separator = "";
        for cell in cells {
            out.write_all(separator.as_bytes())?;
            match cell {
                Cell::Text(text) => write_escaped(out, text)?,
                Cell::Maybe(text) => write_escaped(out, text.unwrap_or_default())?,
                Cell::Number(number) => write!(out, "{number}")?,
                Cell::Ratio(ratio) => write!(out, "{ratio}")?,
                Cell::MaybeNumber(_)
                | Cell::Integer(_)
                | Cell::MaybeRatio(_)
                | Cell::Decimal(..)
                | Cell::MaybeDecimal(..) => {
                    let number = cell.number().unwrap_or_default();
                    out.write_all(number.as_bytes())?;
                }
                Cell::List(items) => items.write_json(out)?,
            }
            separator = "\t";
        }
        out.write_all(b"\n")
    }

    fn end(&self, _out: &mut Vec<u8>) -> io::Result<()> {
        Ok(())
    }
}

/// Writes a value with its tabs, line ends and backslashes escaped, so that a row is always one
/// line.
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
