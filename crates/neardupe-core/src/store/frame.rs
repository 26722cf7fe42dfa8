//! Files of checked frames: each a stretch of data with its length and checksum in front.
//!
//! A frame is verified whenever it is read, so damage is noticed before anything wrong is
//! computed from it. Frames are written one after the other and read in any order. Files
//! are read through the system, not mapped: mapped pages would count as resident memory.

use super::own_files::create_own_file;
use crate::document::WorkFile;
use crate::error::{Error, Result};
use crate::numbers::in_memory;
use bytemuck::Pod;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// Length in bytes and checksum of the data.
pub const HEADER_BYTES: usize = 16;
/// Bytes that are gathered before they are written.
const BUFFER_BYTES: usize = 1 << 17;

/// Writes a file of frames.
pub struct FrameWriter {
    path: PathBuf,
    out: BufWriter<File>,
    checksum: Box<Xxh3>,
    bytes: u64,
}

impl std::fmt::Debug for FrameWriter {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            out,
            "FrameWriter({}, {} bytes)",
            self.path.display(),
            self.bytes
        )
    }
}

impl FrameWriter {
    /// Begins a file of ours.
    pub fn create(folder: &Path, name: &str) -> Result<Self> {
        let path = folder.join(name);
        let file = create_own_file(folder, name)?;
        Ok(FrameWriter {
            path,
            out: BufWriter::with_capacity(BUFFER_BYTES, file),
            checksum: Box::default(),
            bytes: 0,
        })
    }

    /// Bytes written so far: where the next frame begins.
    pub fn position(&self) -> u64 {
        self.bytes
    }

    /// Appends a frame; where it begins.
    pub fn frame<T: Pod>(&mut self, data: &[T]) -> Result<u64> {
        let data: &[u8] = bytemuck::cast_slice(data);
        let start = self.bytes;
        let mut header = [0u8; HEADER_BYTES];
        header[..8].copy_from_slice(&(data.len() as u64).to_le_bytes());
        header[8..].copy_from_slice(&xxh3_64(data).to_le_bytes());
        for bytes in [&header[..], data] {
            let written = self.out.write_all(bytes);
            written.map_err(|error| Error::io(&self.path, error))?;
            self.checksum.update(bytes);
            self.bytes += bytes.len() as u64;
        }
        Ok(start)
    }

    /// Ends the file.
    pub fn finish(mut self) -> Result<WorkFile> {
        let flushed = self.out.flush();
        flushed.map_err(|error| Error::io(&self.path, error))?;
        let name = self.path.file_name().unwrap_or_default();
        Ok(WorkFile {
            name: name.to_string_lossy().into_owned(),
            bytes: self.bytes,
            checksum: format!("{:016x}", self.checksum.digest()),
        })
    }
}

/// A file of frames, open for reading by any thread.
#[derive(Debug)]
pub struct FrameFile {
    path: PathBuf,
    file: File,
    bytes: u64,
}

impl FrameFile {
    /// Opens a complete file.
    pub fn open(path: &Path) -> Result<Self> {
        let open = || {
            let file = File::open(path)?;
            let bytes = file.metadata()?.len();
            Ok((file, bytes))
        };
        let (file, bytes) = open().map_err(|error| Error::io(path, error))?;
        let path = path.to_path_buf();
        Ok(FrameFile { path, file, bytes })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its size.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Reads the frame that begins at `start` into `data`; where the next one begins.
    pub fn read<T: Pod>(&self, start: u64, data: &mut Vec<T>) -> Result<u64> {
        let mut header = [0u8; HEADER_BYTES];
        self.read_at(&mut header, start)?;
        let (len, checksum) = header.split_at(8);
        let len = u64::from_le_bytes(len.try_into().unwrap_or_default());
        let checksum = u64::from_le_bytes(checksum.try_into().unwrap_or_default());
        let first = start + HEADER_BYTES as u64;
        let item = size_of::<T>() as u64;
        // A length that was damaged must not become an allocation.
        if len > self.bytes.saturating_sub(first) || !len.is_multiple_of(item) {
            return Err(self.corrupt(start, "a length that cannot be"));
        }
        #[expect(clippy::cast_possible_truncation, reason = "not longer than the file")]
        data.resize((len / item) as usize, T::zeroed());
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(data);
        self.read_at(bytes, first)?;
        // Whoever gets data gets what was written.
        if xxh3_64(bytes) != checksum {
            return Err(self.corrupt(start, "a checksum that does not fit its data"));
        }
        Ok(first + len)
    }

    /// Where the frame after the one that begins at `start` does.
    pub fn skip(&self, start: u64) -> Result<u64> {
        let mut len = [0u8; 8];
        self.read_at(&mut len, start)?;
        Ok((start + HEADER_BYTES as u64).saturating_add(u64::from_le_bytes(len)))
    }

    /// Reads up to `most` bytes from `start` on, as they are: whoever asks verifies them.
    pub fn read_unverified(
        &self,
        start: u64,
        most: usize,
        bytes: &mut Vec<u8>,
    ) -> Result<()> {
        let left = self.bytes.saturating_sub(start);
        let len = in_memory(left).min(most);
        bytes.resize(len, 0);
        self.read_at(bytes, start)
    }

    /// An error that names this file.
    pub fn corrupt(&self, start: u64, what: &str) -> Error {
        corrupt(&self.path, format!("{what}, at byte {start}"))
    }

    /// Fills `bytes` from `start` on. Threads may read one file at the same time.
    fn read_at(&self, bytes: &mut [u8], start: u64) -> Result<()> {
        use std::os::unix::fs::FileExt;
        let read = self.file.read_exact_at(bytes, start);
        read.map_err(|error| match error.kind() {
            std::io::ErrorKind::UnexpectedEof => self.corrupt(start, "an early end"),
            _ => Error::io(&self.path, error),
        })
    }
}

/// A damaged work file.
pub(super) fn corrupt(path: &Path, what: String) -> Error {
    Error::Corrupt {
        path: path.to_path_buf(),
        message: format!("{what}; start again without `resume`"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::own_files::begin_own_files;
    use super::*;

    #[test]
    fn frames_come_back_and_every_damaged_byte_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        begin_own_files(folder.path()).unwrap();
        let mut writer = FrameWriter::create(folder.path(), "f").unwrap();
        let numbers: Vec<u64> = (0..9).collect();
        let first = writer.frame(&numbers).unwrap();
        let second = writer.frame(b"some text").unwrap();
        let written = writer.finish().unwrap();
        let file = FrameFile::open(&path).unwrap();
        let (mut read, mut text) = (Vec::<u64>::new(), Vec::<u8>::new());
        assert_eq!(file.read(first, &mut read).unwrap(), second);
        assert_eq!(file.read(second, &mut text).unwrap(), written.bytes);
        assert_eq!((&read[..], &text[..]), (&numbers[..], &b"some text"[..]));
        let whole = std::fs::read(&path).unwrap();
        assert_eq!(format!("{:016x}", xxh3_64(&whole)), written.checksum);
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 4;
            std::fs::write(&path, &damaged).unwrap();
            let file = FrameFile::open(&path).unwrap();
            let outcome = file
                .read(first, &mut read)
                .and_then(|_| file.read(second, &mut text));
            let message = outcome.unwrap_err().to_string();
            assert!(message.contains("/f: damaged"), "{message}");
        }
    }
}
