//! Bad records, which are neither kept nor removed: their bytes, in the format of their file.
//!
//! Where records cannot be cut out, since a compressed file is damaged or a record is too long to
//! be held, the file as a whole is copied. So nothing of the input is lost, whatever is wrong
//! with it.

use super::copy_bad_file;
use super::pack::Packer;
use neardupe_core::error::Result;
use neardupe_io::compress::Compression;
use neardupe_io::source::replay::Piece;
use std::path::{Path, PathBuf};

/// Writes the bad records of a file.
pub(super) struct BadWriter {
    path: PathBuf,
    compression: Compression,
    /// What comes before the first record of a table.
    head: Vec<u8>,
    out: Option<Packer>,
    is_whole: bool,
}

impl BadWriter {
    pub(super) fn new(path: PathBuf, compression: Compression) -> Self {
        BadWriter {
            path,
            compression,
            head: Vec::new(),
            out: None,
            is_whole: false,
        }
    }

    /// Bytes that must come before the first bad record.
    pub(super) fn head(&mut self, bytes: &[u8]) {
        self.head.extend_from_slice(bytes);
    }

    /// Bytes of a bad record, or around one.
    pub(super) fn write(&mut self, piece: &Piece<'_>) -> Result<()> {
        if self.is_whole {
            return Ok(());
        }
        let out = match &mut self.out {
            Some(out) => out,
            none => {
                let mut out = Packer::create(self.path.clone(), self.compression)?;
                out.write(&self.head)?;
                none.insert(out)
            }
        };
        if piece.begins_member {
            out.begin_member()?;
        }
        out.write(piece.bytes)
    }

    /// Whether a bad record has been written.
    pub(super) fn has_any(&self) -> bool {
        self.out.is_some()
    }

    /// A bad record that cannot be cut out: the whole file is copied instead.
    pub(super) fn take_whole(&mut self) {
        self.is_whole = true;
        self.out = None;
    }

    /// Completes the file; `from` is where it comes from.
    pub(super) fn finish(self, from: &Path) -> Result<()> {
        if self.is_whole {
            return copy_bad_file(from, &self.path);
        }
        match self.out {
            Some(out) => out.finish(),
            None => Ok(()),
        }
    }
}
