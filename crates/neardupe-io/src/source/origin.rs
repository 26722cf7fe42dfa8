//! Files as they are now: how an interrupted job decides whether it can go on.
//!
//! Path, length and time of change are compared, as `make` does; contents are not read for it. A
//! job cannot be resumed when one of them has changed: half a result of old and half of new records
//! would be of no collection at all.

use super::discover::InputFile;
use super::read_tasks::ReadTasks;
use neardupe_core::document::Origin;
use std::fs::Metadata;
use std::path::Path;
use std::time::UNIX_EPOCH;

/// The files in order; None when one of them can be read only once.
pub(super) fn origins(files: &[InputFile], tasks: &ReadTasks) -> Option<Vec<Origin>> {
    let origin = |(file, input): (u32, &InputFile)| {
        let path = input.path.as_ref().filter(|_| input.regular)?;
        // A file that the system refuses now may be let through later, unchanged. Then it
        // would be read, and parts would be others: it must count as changed.
        let metadata = if tasks.is_refused(file) {
            None
        } else {
            path.metadata().ok()
        };
        Some(Origin {
            path: path.to_string_lossy().into_owned(),
            bytes: metadata.as_ref().map_or(0, Metadata::len),
            modified: metadata.as_ref().map_or(0, modified),
        })
    };
    (0u32..).zip(files).map(origin).collect()
}

/// What shows that a file was truncated, replaced or written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileState {
    bytes: u64,
    modified: i128,
    /// Device and number, by which another file of the same name, size and time is known.
    place: (u64, u64),
}

impl FileState {
    /// None when the system does not show the file.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let metadata = path.metadata().ok()?;
        Some(FileState {
            bytes: metadata.len(),
            modified: modified(&metadata),
            place: place(&metadata),
        })
    }

    pub(super) fn bytes(self) -> u64 {
        self.bytes
    }
}

#[cfg(unix)]
fn place(metadata: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt as _;
    (metadata.dev(), metadata.ino())
}

#[cfg(not(unix))]
fn place(_: &Metadata) -> (u64, u64) {
    (0, 0)
}

/// Nanoseconds since 1970, below zero before; 0 where the system does not say.
fn modified(metadata: &Metadata) -> i128 {
    let nanos = |time: std::time::Duration| i128::try_from(time.as_nanos()).unwrap_or(0);
    match metadata
        .modified()
        .map(|time| time.duration_since(UNIX_EPOCH))
    {
        Ok(Ok(since)) => nanos(since),
        Ok(Err(before)) => -nanos(before.duration()),
        Err(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::read::ReadOptions;
    use super::*;
    use neardupe_core::document::Side;
    use std::fs::{self, File};
    use std::time::Duration;

    fn input(path: &Path) -> InputFile {
        InputFile {
            path: Some(path.to_path_buf()),
            name: "a".to_owned(),
            bytes: 0,
            regular: true,
            side: Side::New,
        }
    }

    fn of(files: &[InputFile]) -> Option<Vec<Origin>> {
        origins(
            files,
            &ReadTasks::new(files, &ReadOptions::default()).unwrap(),
        )
    }

    #[test]
    fn a_file_is_known_by_size_and_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        fs::write(&path, "{\"text\":\"a\"}\n").unwrap();
        let origin = |time| {
            File::open(&path).unwrap().set_modified(time).unwrap();
            of(&[input(&path)]).unwrap().remove(0)
        };
        let late = origin(UNIX_EPOCH + Duration::from_nanos(1_700_000_000_123_456_789));
        assert_eq!(late.bytes, 13);
        assert_eq!(late.modified, 1_700_000_000_123_456_789);
        assert_eq!(late.path, path.to_str().unwrap());
        let early = origin(UNIX_EPOCH - Duration::from_secs(5));
        assert_eq!(early.modified, -5_000_000_000);
    }

    #[test]
    fn what_cannot_be_read_has_neither() {
        let folder = tempfile::tempdir().unwrap();
        let gone = of(&[input(&folder.path().join("gone"))]).unwrap();
        // It is there, but not as a file whose bytes could be read.
        let refused = of(&[input(folder.path())]).unwrap();
        for origin in gone.iter().chain(&refused) {
            assert_eq!((origin.bytes, origin.modified), (0, 0));
        }
    }

    #[test]
    fn what_can_be_read_once_has_no_origin() {
        let folder = tempfile::tempdir().unwrap();
        let there = input(folder.path());
        assert_eq!(of(&[there.clone(), InputFile::stream("stdin")]), None);
        let pipe = InputFile {
            regular: false,
            side: Side::New,
            ..there
        };
        assert_eq!(of(&[pipe]), None);
    }
}
