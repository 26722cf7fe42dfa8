//! What a format does: it takes the cells of rows.

use crate::tables::Cell;
use std::fs::File;
use std::io;

/// A format in which rows are bytes that do not depend on the rows before: any thread can make
/// them.
pub(super) trait RowFormat: Send + Sync {
    /// What stands before the first row.
    fn begin(&self, out: &mut Vec<u8>) -> io::Result<()>;

    /// A row that fits the schema of the table.
    fn row(&self, cells: &[Cell<'_>], out: &mut Vec<u8>) -> io::Result<()>;

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
