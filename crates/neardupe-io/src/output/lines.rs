//! Files of formats in which a row is some bytes.
//!
//! The buffer is there so that a row costs no call of the system, and is flushed by `finish`, where
//! errors are still reported.

use super::row::{RowFormat, RowOut, RowWriter};
use crate::tables::Cell;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::sync::Arc;

/// Bytes gathered before they are handed to the system.
const BUFFER_BYTES: usize = 1 << 18;

/// A file of which the rows are bytes.
pub(super) struct RowLines {
    /// Makes the bytes of a row.
    format: Arc<dyn RowFormat>,
    /// The file, with a buffer in front.
    out: BufWriter<File>,
    /// The bytes of one row, in memory that is used again.
    row: Vec<u8>,
}

impl RowLines {
    /// Writes what stands before the first row.
    pub(super) fn begin(file: File, format: Arc<dyn RowFormat>) -> io::Result<Self> {
        let mut out = BufWriter::with_capacity(BUFFER_BYTES, file);
        let mut row = Vec::new();
        format.begin(&mut row)?;
        out.write_all(&row)?;
        Ok(RowLines { format, out, row })
    }

    /// Adds rows that were made elsewhere.
    pub(super) fn made(&mut self, rows: &[u8]) -> io::Result<()> {
        self.out.write_all(rows)
    }

    /// What makes the bytes, to be shared with other threads.
    pub(super) fn format(&self) -> &Arc<dyn RowFormat> {
        &self.format
    }
}

impl RowWriter for RowLines {
    fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        self.row.clear();
        let mut out = RowOut::to_file(&mut self.row, &mut self.out);
        self.format.row(cells, &mut out)?;
        self.out.write_all(&self.row)
    }

    fn finish(mut self: Box<Self>) -> io::Result<File> {
        self.row.clear();
        self.format.end(&mut self.row)?;
        self.out.write_all(&self.row)?;
        // Not dropped: dropping a buffered writer ignores errors, and a full disk would go unnoticed.
        self.out
            .into_inner()
            .map_err(io::IntoInnerError::into_error)
    }
}
