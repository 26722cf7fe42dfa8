//! What a format does: it takes the cells of rows.

use crate::tables::Cell;
use std::fs::File;
use std::io::{self, BufWriter, Write};

/// Bytes of a row that wait in memory at most, where they go to a file.
const MAX_WAITING: usize = 1 << 20;

/// Where the bytes of rows go: to memory, or by way of it to a file. The members of one cluster may be
/// more than fit in memory.
pub(super) struct RowOut<'a> {
    bytes: &'a mut Vec<u8>,
    file: Option<&'a mut BufWriter<File>>,
}

impl<'a> RowOut<'a> {
    /// Adds to these bytes.
    pub(super) fn to_memory(bytes: &'a mut Vec<u8>) -> Self {
        RowOut { bytes, file: None }
    }

    /// Adds to these bytes, which are written to the file when there are many.
    pub(super) fn to_file(bytes: &'a mut Vec<u8>, file: &'a mut BufWriter<File>) -> Self {
        let file = Some(file);
        RowOut { bytes, file }
    }
}

impl Write for RowOut<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() > MAX_WAITING
            && let Some(file) = &mut self.file
        {
            file.write_all(self.bytes)?;
            self.bytes.clear();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A format in which rows are bytes that do not depend on the rows before: any thread can make
/// them.
pub(super) trait RowFormat: Send + Sync {
    /// What stands before the first row.
    fn begin(&self, out: &mut Vec<u8>) -> io::Result<()>;

    /// A row that fits the schema of the table.
    fn row(&self, cells: &[Cell<'_>], out: &mut RowOut<'_>) -> io::Result<()>;

    /// What stands after the last row.
    fn end(&self, out: &mut Vec<u8>) -> io::Result<()>;
}

/// Takes the rows of a file.
pub(super) trait RowWriter {
    /// Adds a row that fits the schema of the table.
    fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()>;

    /// Hands all that is left to the system and gives the file back, to be synced.
    fn finish(self: Box<Self>) -> io::Result<File>;
}
