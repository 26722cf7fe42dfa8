//! The store of `history`: codes of versions, kept from run to run, so that the next crawl can be
//! compared with the last one without its texts.
//!
//! The file is JSON lines: a head that says what it is and how the codes were made, a line for each
//! version, by id and date, and a last line with their number and a checksum (XXH3, 64 bits) of all
//! bytes before it, line ends included. It is read and written line by line, so its size does not
//! matter, and replaced as a whole or not at all. The format is described in `docs/formats.md`; another
//! one needs another `VERSION`.
//!
//! A store that is cut short or edited is refused as a whole: a missing version would make a
//! changed page look new without a warning.

use neardupe_core::error::{Error, Result};
use neardupe_core::pipeline::history::rules::{Date, VersionContent};
use neardupe_core::pipeline::history::{HistoryResult, StoredVersion};
use neardupe_io::output::beside;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::Xxh3;

/// Says in the head what the file is: other JSON lines are refused by it.
const KIND: &str = "history";
/// The version of the format. Older programs refuse a newer one.
const VERSION: u32 = 1;
/// Longer lines are not ours: an id is a part of a record, which has 128 MB unless more is allowed.
/// Without a limit a file of another kind would be read into memory as one line.
const MAX_LINE_BYTES: u64 = 256 << 20;
/// What a user can do about a damaged store.
const REMEDY: &str = "start a new store, or restore a copy of this one";

/// The first line: what a store is.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    /// Always `history`.
    neardupe: String,
    /// Of the format.
    version: u32,
    /// How the codes were made, and of which part of a page: only codes of one identity are compared.
    identity: String,
}

/// A line of the file: one version of a document.
#[derive(Debug, Serialize, Deserialize)]
struct StoreLine {
    /// Of the document.
    id: String,
    /// Of the version, as `Date` writes it.
    date: String,
    /// A hash of the text, 32 hexadecimal digits.
    text: String,
    /// The simhash, 16 hexadecimal digits; None for a text without features.
    code: Option<String>,
}

/// The last line of a store, by which a file that was cut short is recognized.
#[derive(Debug, Serialize, Deserialize)]
struct End {
    /// Lines between the head and the end.
    versions: u64,
    /// Of all bytes before this line, 16 hexadecimal digits.
    checksum: String,
}

/// Reads a store, version by version. The checksum is compared at the end: until then nothing that was
/// read may be printed or written.
pub struct StoreReader {
    /// For messages.
    path: PathBuf,
    /// Read forwards once.
    input: BufReader<File>,
    /// Of the lines so far. Boxed, since its state has half a kilobyte.
    checksum: Box<Xxh3>,
    /// The line that was read last, with its line end.
    line: Vec<u8>,
    /// Versions so far; the last line must say the same number.
    num_versions: u64,
    /// The end or an error was returned: nothing comes after it.
    is_done: bool,
}

impl std::fmt::Debug for StoreReader {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "StoreReader({})", self.path.display())
    }
}

impl StoreReader {
    /// Opens a store; none when there is none yet. `identity` is how codes are made in this
    /// run: others are refused.
    pub fn open(path: &Path, identity: &str) -> Result<Option<Self>> {
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::io(path, error)),
        };
        // A folder can be opened, and fails only when it is read.
        if file.metadata().is_ok_and(|about| !about.is_file()) {
            return Err(foreign(path));
        }
        let mut reader = StoreReader {
            path: path.to_path_buf(),
            input: BufReader::with_capacity(1 << 17, file),
            checksum: Box::default(),
            line: Vec::new(),
            num_versions: 0,
            is_done: false,
        };
        reader.next_line()?;
        let head = serde_json::from_slice::<Head>(&reader.line).ok();
        let head = head.filter(|head| head.neardupe == KIND);
        let head = head.ok_or_else(|| foreign(path))?;
        if head.version != VERSION {
            return Err(Error::Format {
                path: path.to_path_buf(),
                expected: format!("a store of version {VERSION}"),
                found: format!("version {}", head.version),
                remedy: "start a new store".to_owned(),
            });
        }
        if head.identity != identity {
            let message = format!(
                "the codes in {} were made as {}, those of this run as {identity}: with another \
                 table, or other options of texts, features or weights; codes of different \
                 tables are never compared; use the options of the store, or start a new one",
                path.display(),
                head.identity
            );
            return Err(Error::config("store", message));
        }
        // The head is a part of what the checksum protects.
        reader.checksum.update(&reader.line);
        Ok(Some(reader))
    }

    /// Reads a line, with its line end; an empty one at the end of the file. A line beyond the limit is
    /// cut, has no line end, and is refused for that.
    fn next_line(&mut self) -> Result<()> {
        use std::io::Read;
        self.line.clear();
        let mut limited = self.input.by_ref().take(MAX_LINE_BYTES);
        let read = limited.read_until(b'\n', &mut self.line);
        read.map_err(|error| Error::io(&self.path, error))?;
        Ok(())
    }

    /// A store that cannot be trusted, with what can be done.
    fn corrupt(&self, what: &str) -> Error {
        Error::Corrupt {
            path: self.path.clone(),
            message: format!("{what}; {REMEDY}"),
        }
    }

    /// The next version, or None after the end of a store that is whole.
    fn read(&mut self) -> Result<Option<StoredVersion>> {
        self.next_line()?;
        if !self.line.ends_with(b"\n") {
            return Err(self.corrupt("it ends early"));
        }
        // The end has other fields, so it never parses as a version, nor a version as the end.
        if let Ok(line) = serde_json::from_slice::<StoreLine>(&self.line) {
            self.checksum.update(&self.line);
            self.num_versions += 1;
            let version = of_line(line);
            return version
                .map(Some)
                .ok_or_else(|| self.corrupt("a version in it cannot be read"));
        }
        let end = serde_json::from_slice::<End>(&self.line);
        let end = end.map_err(|_| self.corrupt("a line in it is not a version"))?;
        let checksum = format!("{:016x}", self.checksum.digest());
        if (end.versions, &end.checksum) != (self.num_versions, &checksum) {
            let what = "its checksum does not match: it was changed or cut short";
            return Err(self.corrupt(what));
        }
        self.next_line()?;
        if self.line.is_empty() {
            Ok(None)
        } else {
            Err(self.corrupt("there is more after its end"))
        }
    }
}

impl Iterator for StoreReader {
    type Item = Result<StoredVersion>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_done {
            return None;
        }
        let next = self.read().transpose();
        self.is_done = !matches!(next, Some(Ok(_)));
        next
    }
}

/// Refuses a file that is something else; it is never overwritten.
fn foreign(path: &Path) -> Error {
    let message = format!(
        "{} exists and is not a store of neardupe history; it is left alone, choose another name",
        path.display()
    );
    Error::config("store", message)
}

/// A version from its line; None where a field has not the form in which it was written.
fn of_line(line: StoreLine) -> Option<StoredVersion> {
    let code = line.code.map(|code| u64::from_str_radix(&code, 16).ok());
    Some(StoredVersion {
        id: line.id,
        date: Date::parse(&line.date)?,
        content: VersionContent {
            text: u128::from_str_radix(&line.text, 16).ok()?,
            code: match code {
                None => None,
                Some(code) => Some(code?),
            },
        },
    })
}

/// Writes the versions of a result as a store: complete, or not at all. The caller holds the work
/// directory beside the store, so no other job writes it at the same time.
pub fn write_store(path: &Path, identity: &str, result: &HistoryResult) -> Result<()> {
    // In the same folder, so that renaming is one step of the system.
    let partial = beside(path, "partial");
    let written = write_partial(&partial, identity, result).and_then(|()| {
        fs::rename(&partial, path).map_err(|error| Error::io(path, error))
    });
    if written.is_err() {
        // The first error counts; a file that cannot be removed is replaced the next time.
        let _ = fs::remove_file(&partial);
    }
    written
}

/// Writes the whole store under another name. `append` reuses one line as its buffer.
fn write_partial(path: &Path, identity: &str, result: &HistoryResult) -> Result<()> {
    let refused = |error| Error::io(path, error);
    let file = File::create(path).map_err(refused)?;
    let mut out = BufWriter::with_capacity(1 << 17, file);
    let mut checksum = Box::<Xxh3>::default();
    let mut num_versions = 0;
    let mut line = Vec::new();
    begin(&mut line, identity)?;
    checksum.update(&line);
    out.write_all(&line).map_err(refused)?;
    result.for_each_stored(|version| {
        append(&mut line, version)?;
        checksum.update(&line);
        num_versions += 1;
        out.write_all(&line).map_err(refused)
    })?;
    let end = End {
        versions: num_versions,
        checksum: format!("{:016x}", checksum.digest()),
    };
    put(&mut line, &end)?;
    // On the disk before it takes the name of the old store, which is the only copy of its codes.
    let write = || {
        out.write_all(&line)?;
        out.into_inner()?.sync_all()
    };
    write().map_err(refused)
}

/// The head as a line.
fn begin(line: &mut Vec<u8>, identity: &str) -> Result<()> {
    put(
        line,
        &Head {
            neardupe: KIND.to_owned(),
            version: VERSION,
            identity: identity.to_owned(),
        },
    )
}

/// A version as a line.
fn append(line: &mut Vec<u8>, version: &StoredVersion) -> Result<()> {
    put(
        line,
        &StoreLine {
            id: version.id.clone(),
            date: version.date.to_string(),
            text: format!("{:032x}", version.content.text),
            code: version.content.code.map(|code| format!("{code:016x}")),
        },
    )
}

/// A value as a line of JSON, replacing the content of the buffer.
fn put(line: &mut Vec<u8>, value: &impl Serialize) -> Result<()> {
    line.clear();
    let written = serde_json::to_writer(&mut *line, value);
    written.map_err(|error| Error::Internal(error.to_string()))?;
    line.push(b'\n');
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn versions() -> Vec<StoredVersion> {
        let version = |id: &str, date: &str, code| StoredVersion {
            id: id.to_owned(),
            date: Date::parse(date).unwrap(),
            content: VersionContent {
                text: 0x1234_5678,
                code,
            },
        };
        vec![
            version("http://a/\"x\"\n", "2024-01-01", Some(7)),
            version("b", "1915-01-01T10:00:00.123456Z", None),
        ]
    }

    /// A store as it is written.
    fn store(identity: &str) -> Vec<u8> {
        let (mut all, mut line) = (Vec::new(), Vec::new());
        begin(&mut line, identity).unwrap();
        all.extend_from_slice(&line);
        for version in versions() {
            append(&mut line, &version).unwrap();
            all.extend_from_slice(&line);
        }
        let end = End {
            versions: 2,
            checksum: format!("{:016x}", xxhash_rust::xxh3::xxh3_64(&all)),
        };
        put(&mut line, &end).unwrap();
        all.extend_from_slice(&line);
        all
    }

    fn read(path: &Path) -> Result<Vec<StoredVersion>> {
        StoreReader::open(path, "sim1-x")?.unwrap().collect()
    }

    #[test]
    fn versions_come_back_and_every_damaged_byte_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.jsonl");
        assert!(StoreReader::open(&path, "sim1-x").unwrap().is_none());
        let whole = store("sim1-x");
        fs::write(&path, &whole).unwrap();
        assert_eq!(read(&path).unwrap(), versions());
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            fs::write(&path, &damaged).unwrap();
            assert!(read(&path).is_err(), "byte {at}");
            fs::write(&path, &whole[..at]).unwrap();
            assert!(read(&path).is_err(), "cut at byte {at}");
        }
        let mut longer = whole;
        longer.extend_from_slice(b"x\n");
        fs::write(&path, &longer).unwrap();
        assert!(read(&path).is_err());
    }

    #[test]
    fn other_tables_versions_and_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.jsonl");
        let refused = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            read(&path).unwrap_err().to_string()
        };
        let message = refused(&store("sim1-y"));
        assert!(message.contains("made as sim1-y"), "{message}");
        assert!(message.contains("never compared"), "{message}");
        let other = String::from_utf8(store("sim1-x")).unwrap();
        let message = refused(
            other
                .replacen("\"version\":1", "\"version\":9", 1)
                .as_bytes(),
        );
        assert!(message.contains("found version 9"), "{message}");
        for text in ["", "my notes\n", "{\"id\":\"a\"}\n"] {
            let message = refused(text.as_bytes());
            assert!(message.contains("left alone"), "{message}");
        }
        let message = StoreReader::open(folder.path(), "x")
            .unwrap_err()
            .to_string();
        assert!(message.contains("left alone"), "{message}");
    }
}
