//! Tables as CSV.

use neardupe_core::error::{Error, Result};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// A table in the making.
#[derive(Debug)]
pub struct Csv {
    path: PathBuf,
    out: BufWriter<File>,
}

impl Csv {
    /// Begins a table with its header.
    pub fn create(folder: &Path, name: &str, header: &[&str]) -> Result<Self> {
        let path = folder.join(name);
        let file = File::create(&path).map_err(|error| Error::io(&path, error))?;
        let mut csv = Csv {
            path,
            out: BufWriter::new(file),
        };
        csv.row(header)?;
        Ok(csv)
    }

    /// Writes a row.
    pub fn row<T: AsRef<str>>(&mut self, cells: &[T]) -> Result<()> {
        let cells: Vec<String> = cells.iter().map(|cell| quoted(cell.as_ref())).collect();
        writeln!(self.out, "{}", cells.join(","))
            .map_err(|error| Error::io(&self.path, error))
    }

    /// Ends the table.
    pub fn finish(mut self) -> Result<()> {
        self.out
            .flush()
            .map_err(|error| Error::io(&self.path, error))
    }
}

fn quoted(cell: &str) -> String {
    match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.to_owned(),
    }
}
