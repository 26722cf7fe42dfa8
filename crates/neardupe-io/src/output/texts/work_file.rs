//! A file of the work directory that is known by its checksum.

use neardupe_core::document::WorkFile;
use neardupe_core::error::{Error, Result};
use neardupe_core::store::create_own_file;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::Xxh3;

/// A file in the making.
pub(super) struct WorkFileWriter {
    /// Name in the work directory.
    name: String,
    /// The whole path, for messages.
    path: PathBuf,
    /// The file, with a buffer in front.
    out: BufWriter<File>,
    /// Checksum of the bytes so far.
    hash: Xxh3,
    /// How many these are.
    bytes: u64,
}

impl WorkFileWriter {
    /// Begins a file; an older one of this name was of a part that was not completed.
    pub(super) fn create(folder: &Path, name: String) -> Result<Self> {
        let path = folder.join(&name);
        let file = create_own_file(folder, &name)?;
        Ok(WorkFileWriter {
            name,
            path,
            out: BufWriter::with_capacity(1 << 18, file),
            hash: Xxh3::new(),
            bytes: 0,
        })
    }

    /// Bytes written so far.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Appends bytes, and counts them into the checksum.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let written = self.out.write_all(bytes);
        written.map_err(|error| Error::io(&self.path, error))?;
        self.hash.update(bytes);
        self.bytes += bytes.len() as u64;
        Ok(())
    }

    /// Completes the file: when its checksum is known it is on the disk.
    pub(super) fn finish(mut self) -> Result<WorkFile> {
        let flushed = self.out.flush();
        let synced = flushed.and_then(|()| self.out.get_ref().sync_data());
        synced.map_err(|error| Error::io(&self.path, error))?;
        Ok(WorkFile {
            name: self.name,
            bytes: self.bytes,
            checksum: format!("{:016x}", self.hash.digest()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use xxhash_rust::xxh3::xxh3_64;

    #[test]
    fn the_checksum_is_that_of_all_bytes() {
        let folder = tempfile::tempdir().unwrap();
        neardupe_core::store::begin_own_files(folder.path()).unwrap();
        for (name, pieces) in [("empty", 0u32), ("short", 3), ("long", 100_000)] {
            let mut file =
                WorkFileWriter::create(folder.path(), name.to_owned()).unwrap();
            for piece in 0..pieces {
                file.write(&piece.to_le_bytes()).unwrap();
            }
            assert_eq!(file.bytes(), u64::from(pieces) * 4);
            let done = file.finish().unwrap();
            let bytes = fs::read(folder.path().join(&done.name)).unwrap();
            assert_eq!(done.bytes, bytes.len() as u64);
            assert_eq!(done.checksum, format!("{:016x}", xxh3_64(&bytes)));
        }
    }
}
