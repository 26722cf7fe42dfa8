//! Files that outlive the job that made them: a line that says what they are and in which
//! version, the content, and a checksum of both. A damaged byte anywhere is noticed before
//! anything is believed.

use crate::error::{Error, Result};
use std::fs::{self, File};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::Xxh3;

/// Bytes of the checksum at the end.
const CHECKSUM_BYTES: usize = 8;
/// The first line is no longer than this, whatever the version.
const LINE_BYTES: usize = 64;

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seal {
    /// How the first line begins, such as `neardupe df-table`.
    pub mark: &'static str,
    /// The version that this program writes and reads.
    pub version: u32,
    /// What to do about a file that cannot be read.
    pub remedy: &'static str,
}

impl Seal {
    /// Writes a file: complete or not at all.
    pub fn write(&self, path: &Path, content: &[&[u8]]) -> Result<()> {
        let partial = partial_path(path);
        let written = self.write_partial(&partial, content).and_then(|()| {
            fs::rename(&partial, path)?;
            Ok(())
        });
        written.map_err(|error| {
            let _ = fs::remove_file(&partial);
            Error::io(path, error)
        })
    }

    /// Writes all of a file under a name that nobody reads.
    fn write_partial(&self, partial: &Path, content: &[&[u8]]) -> std::io::Result<()> {
        let mut file = File::create(partial)?;
        let mut checksum = Xxh3::new();
        let line = format!("{} {}\n", self.mark, self.version);
        for bytes in [line.as_bytes()].iter().chain(content) {
            file.write_all(bytes)?;
            checksum.update(bytes);
        }
        file.write_all(&checksum.digest().to_le_bytes())?;
        file.sync_all()
    }

    /// Reads the content of a file.
    pub fn read(&self, path: &Path) -> Result<Vec<u8>> {
        let mut bytes = fs::read(path).map_err(|error| Error::io(path, error))?;
        let Some(version) = self.version_of(&bytes) else {
            let message = format!("is not a file that begins with {:?}", self.mark);
            return Err(Error::input(path.display().to_string(), message));
        };
        if version != self.version.to_string() {
            return Err(Error::Format {
                path: path.to_path_buf(),
                expected: format!("{} version {}", self.mark, self.version),
                found: format!("version {version}"),
                remedy: self.remedy.to_owned(),
            });
        }
        let start = self.mark.len() + 1 + version.len() + 1;
        let Some(end) = bytes.len().checked_sub(CHECKSUM_BYTES) else {
            return Err(self.corrupt(path, "it ends early"));
        };
        let mut checksum = Xxh3::new();
        checksum.update(&bytes[..end]);
        if end < start || checksum.digest().to_le_bytes() != bytes[end..] {
            let what = "its checksum does not fit: it was changed or cut short";
            return Err(self.corrupt(path, what));
        }
        bytes.truncate(end);
        bytes.drain(..start);
        Ok(bytes)
    }

    /// An error that names a damaged file.
    pub fn corrupt(&self, path: &Path, what: &str) -> Error {
        Error::Corrupt {
            path: path.to_path_buf(),
            message: format!("{what}; {}", self.remedy),
        }
    }

    /// Whether nothing is lost by writing to `path`: nothing is there, or a file of this kind.
    pub fn may_replace(&self, path: &Path) -> Result<bool> {
        let mut start = Vec::new();
        let read = File::open(path)
            .and_then(|file| file.take(LINE_BYTES as u64).read_to_end(&mut start));
        match read {
            Ok(_) => Ok(self.version_of(&start).is_some()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(true),
            Err(error) if error.kind() == ErrorKind::IsADirectory => Ok(false),
            Err(error) => Err(Error::io(path, error)),
        }
    }

    /// The version in the first line of a file of this kind.
    fn version_of(&self, bytes: &[u8]) -> Option<String> {
        let line = bytes.split(|&byte| byte == b'\n').next()?;
        if line.len() >= bytes.len().min(LINE_BYTES) {
            return None;
        }
        let version = line
            .strip_prefix(self.mark.as_bytes())?
            .strip_prefix(b" ")?;
        let version = std::str::from_utf8(version).ok()?;
        let is_number =
            !version.is_empty() && version.bytes().all(|one| one.is_ascii_digit());
        is_number.then(|| version.to_owned())
    }
}

/// Where a file is until it is complete.
fn partial_path(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.partial"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEAL: Seal = Seal {
        mark: "neardupe test",
        version: 3,
        remedy: "make it again",
    };

    #[test]
    fn content_comes_back_and_every_damaged_byte_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        SEAL.write(&path, &[b"some ", b"text"]).unwrap();
        assert_eq!(SEAL.read(&path).unwrap(), b"some text");
        let whole = fs::read(&path).unwrap();
        assert!(whole.starts_with(b"neardupe test 3\nsome text"));
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            fs::write(&path, &damaged).unwrap();
            assert!(SEAL.read(&path).is_err(), "byte {at}");
            fs::write(&path, &whole[..at]).unwrap();
            assert!(SEAL.read(&path).is_err(), "cut at byte {at}");
        }
        let names = fs::read_dir(folder.path()).unwrap();
        assert_eq!(names.count(), 1);
    }

    #[test]
    fn other_files_and_versions_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        let later = Seal { version: 4, ..SEAL };
        later.write(&path, &[b"x"]).unwrap();
        assert!(SEAL.may_replace(&path).unwrap());
        let message = SEAL.read(&path).unwrap_err().to_string();
        let expected = "expected neardupe test version 3, found version 4; make it again";
        assert!(message.contains(expected), "{message}");
        for text in ["", "neardupe test", "neardupe test x\n", "my notes\n"] {
            fs::write(&path, text).unwrap();
            assert!(!SEAL.may_replace(&path).unwrap(), "{text:?}");
            let message = SEAL.read(&path).unwrap_err().to_string();
            assert!(message.contains("is not a file that"), "{message}");
        }
        assert!(!SEAL.may_replace(folder.path()).unwrap());
        assert!(SEAL.may_replace(&folder.path().join("new")).unwrap());
    }
}
