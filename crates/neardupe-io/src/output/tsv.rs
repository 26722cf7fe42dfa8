//! Tab-separated values with a header line.
//!
//! A tab, line feed, carriage return or backslash in a value is written as `\t`, `\n`,
//! `\r`, `\\`, a list as a JSON array, and an absent value as nothing.

use super::row::{Cell, RowWriter, Schema};
use neardupe_core::threshold::six_decimals;
use std::fs::File;
use std::io::{self, BufWriter, Write};

pub(super) struct Tsv {
    out: BufWriter<File>,
}

impl Tsv {
    pub(super) fn begin(mut out: BufWriter<File>, schema: &Schema) -> io::Result<Self> {
        let mut separator = "";
        for column in &schema.columns {
            out.write_all(separator.as_bytes())?;
            // The name of a metadata field is as free as its value.
            write_escaped(&mut out, &column.name)?;
            separator = "\t";
        }
        out.write_all(b"\n")?;
        Ok(Tsv { out })
    }
}

impl RowWriter for Tsv {
    fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
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
                Cell::MaybeNumber(_) | Cell::MaybeRatio(_) => {
                    let number = cell.number().unwrap_or_default();
                    self.out.write_all(number.as_bytes())?;
                }
                Cell::List(items) => serde_json::to_writer(&mut self.out, items)?,
            }
            separator = "\t";
        }
        self.out.write_all(b"\n")
    }

    fn finish(self: Box<Self>) -> io::Result<File> {
        self.out
            .into_inner()
            .map_err(io::IntoInnerError::into_error)
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
