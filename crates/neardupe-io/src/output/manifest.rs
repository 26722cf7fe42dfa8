//! The manifest of a result: which files of a folder we wrote.
//!
//! A folder is a result of ours if its manifest says so and its checksum fits. Only the files that it
//! names are replaced by the next result, and only they are passed over where the folder lies among
//! the input. A file that merely looks like one of ours hides nothing and is never removed.
//!
//! The first line is `neardupe result`, a version, the kind of the result and a checksum of all that
//! follows: a line for each file with its size in bytes and its name.

use super::folder::{BAD, REMOVED, RESULT};
use crate::tables::ResultKind;
use neardupe_core::error::{Error, Result};
pub(super) use neardupe_core::store::own_files::MANIFEST;
use neardupe_core::store::own_files::OWN_FILES;
use neardupe_core::store::{files_below, listed};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::Xxh3;

const MARK: &str = "neardupe result";
const VERSION: &str = "1";

/// What a folder holds of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ResultManifest {
    pub(crate) kind: ResultKind,
    /// The files that are still there.
    files: BTreeMap<String, OwnFile>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct OwnFile {
    path: PathBuf,
    /// It has the size that was written down.
    is_unchanged: bool,
}

impl ResultManifest {
    /// The manifest of a folder. None when it has none, or when that is damaged: then nothing in it
    /// is known to be ours.
    pub(crate) fn of(folder: &Path) -> Result<Option<Self>> {
        for place in ["", RESULT] {
            let path = folder.join(place).join(MANIFEST);
            match File::open(&path) {
                Ok(file) if is_file(&path) => {
                    // `dedup` has its manifest one folder below, all others here. A collection may have a file
                    // of this name: then the other place decides.
                    let is_dedup = !place.is_empty();
                    let found = Self::read(folder, file)?
                        .filter(|it| (it.kind == ResultKind::Dedup) == is_dedup);
                    if found.is_some() {
                        return Ok(found);
                    }
                }
                _ => {}
            }
        }
        Ok(None)
    }

    /// The manifest of a folder, or of the output of `dedup` that it is a part of and no documents are
    /// in; and the folder of the manifest.
    pub(crate) fn around(folder: &Path) -> Result<Option<(&Path, Self)>> {
        if let Some(own) = Self::of(folder)? {
            return Ok(Some((folder, own)));
        }
        let name = folder.file_name();
        let is_apart = [RESULT, REMOVED, BAD]
            .iter()
            .any(|it| name == Some(it.as_ref()));
        match folder.parent() {
            Some(parent) if is_apart => {
                let found = Self::of(parent)?;
                let dedup = found.filter(|it| it.kind == ResultKind::Dedup);
                Ok(dedup.map(|it| (parent, it)))
            }
            _ => Ok(None),
        }
    }

    fn read(folder: &Path, file: File) -> Result<Option<Self>> {
        let there = files_below(folder)?;
        let mut by_name: BTreeMap<String, PathBuf> = there
            .into_iter()
            .map(|path| (listed(&path), path))
            .collect();
        let mut lines = Lines::new(file);
        let first = lines.next_line().unwrap_or_default().to_owned();
        let Some((kind, checksum)) = read_first(&first) else {
            return Ok(None);
        };
        let mut files = BTreeMap::new();
        let mut hash = Xxh3::new();
        // A manifest of more files than are there was not written for this folder as it is, unless
        // some were removed; what is read of it never takes more memory than the folder has names.
        while let Some(line) = lines.next_line() {
            hash.update(line.as_bytes());
            hash.update(b"\n");
            let (bytes, name) = line.split_once(' ').unwrap_or_default();
            if let Some(path) = by_name.remove(name) {
                let size = fs::symlink_metadata(folder.join(&path))
                    .ok()
                    .filter(fs::Metadata::is_file)
                    .map(|there| there.len());
                let is_unchanged = size.is_some() && size == bytes.parse().ok();
                files.insert(name.to_owned(), OwnFile { path, is_unchanged });
            }
        }
        let fits = lines.is_whole && format!("{:016x}", hash.digest()) == checksum;
        Ok(fits.then_some(ResultManifest { kind, files }))
    }

    /// Writes the manifest of all that is in a folder.
    pub(super) fn write(folder: &Path, place: &Path, kind: ResultKind) -> Result<()> {
        let refused = |error: io::Error| Error::io(place, error);
        let mut text = String::new();
        // The list is removed when the manifest is there. A torn manifest of a job that was killed is
        // not one of the files of the result.
        let own = place.strip_prefix(folder).unwrap_or(place).join(MANIFEST);
        let written = files_below(folder)?.into_iter();
        for path in written.filter(|path| path != Path::new(OWN_FILES) && *path != own) {
            let there = fs::symlink_metadata(folder.join(&path)).map_err(refused)?;
            if there.is_file() {
                text += &format!("{} {}\n", there.len(), listed(&path));
            }
        }
        // It names itself: it may be replaced and removed too. Its size is not known yet.
        text += &format!("- {}\n", listed(&own));
        let mut hash = Xxh3::new();
        hash.update(text.as_bytes());
        let path = place.join(MANIFEST);
        let write = || {
            let mut file = File::create(&path)?;
            let checksum = hash.digest();
            writeln!(file, "{MARK} {VERSION} {} {checksum:016x}", kind.name())?;
            file.write_all(text.as_bytes())?;
            file.sync_all()
        };
        write().map_err(|error| Error::io(&path, error))
    }

    /// Whether a file is ours, given relative to the folder.
    pub(super) fn has(&self, file: &Path) -> bool {
        self.files.contains_key(&listed(file))
    }

    /// The files that are ours, relative to the folder.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        self.files.values().map(|file| &*file.path)
    }

    /// The files that are ours, unchanged, and no documents, relative to the folder: what is passed
    /// over where documents are looked for. What `dedup` has kept are documents like any others.
    pub(crate) fn no_documents(&self) -> impl Iterator<Item = &Path> {
        let is_result = |path: &Path| {
            let first = path.components().next();
            let first = first.map(|first| first.as_os_str());
            let apart = [RESULT, REMOVED, BAD];
            self.kind != ResultKind::Dedup
                || first.is_some_and(|first| apart.iter().any(|name| first == *name))
                || super::folder::ID_FILES
                    .iter()
                    .any(|name| path == Path::new(name))
        };
        let unchanged = self.files.values().filter(|file| {
            file.is_unchanged
                || file.path.file_name().is_some_and(|name| name == MANIFEST)
        });
        unchanged
            .map(|file| &*file.path)
            .filter(move |path| is_result(path))
    }
}

fn is_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|there| there.is_file())
}

/// The kind and the checksum in the first line.
fn read_first(line: &str) -> Option<(ResultKind, String)> {
    let rest = line.strip_prefix(MARK)?.strip_prefix(' ')?;
    let (version, rest) = rest.split_once(' ')?;
    let (kind, checksum) = rest.split_once(' ')?;
    let kind = ResultKind::named(kind)?;
    (version == VERSION).then(|| (kind, checksum.to_owned()))
}

/// Longest line of a manifest: a path has 4,096 bytes at most, each written with up to four.
const MAX_LINE: u64 = 1 << 15;

/// Lines of a file that may be anything: longer ones end the reading.
struct Lines {
    file: BufReader<File>,
    line: Vec<u8>,
    is_whole: bool,
}

impl Lines {
    fn new(file: File) -> Self {
        Lines {
            file: BufReader::new(file),
            line: Vec::new(),
            is_whole: true,
        }
    }

    fn next_line(&mut self) -> Option<&str> {
        self.line.clear();
        let mut limited = io::Read::take(&mut self.file, MAX_LINE);
        let read = limited.read_until(b'\n', &mut self.line);
        match read {
            Ok(0) => return None,
            Ok(_) if self.line.pop() == Some(b'\n') => {}
            // Cut off, too long, or not readable.
            _ => {
                self.is_whole = false;
                return None;
            }
        }
        match std::str::from_utf8(&self.line) {
            Ok(line) => Some(line),
            Err(_) => {
                self.is_whole = false;
                None
            }
        }
    }
}
