//! What a format does when a table is read: it makes rows of the bytes of a file.
//!
//! Errors name the file and the place in it, because a result may have been copied, cut or edited
//! since it was written.

use crate::tables::RawRow;
use neardupe_core::error::{Error, Result};
use std::path::Path;

/// One format: turns the bytes of a file into rows.
pub(super) trait RowReader: Send {
    /// The next row, or none at the end of a complete file.
    fn next_row(&mut self) -> Result<Option<RawRow>>;

    /// Where the last row was: `line 7`.
    fn place(&self) -> String;
}

/// A damaged place of a file.
pub(super) fn damaged(path: &Path, place: &str, what: impl AsRef<str>) -> Error {
    Error::Corrupt {
        path: path.to_path_buf(),
        message: format!("{place}: {}", what.as_ref()),
    }
}
