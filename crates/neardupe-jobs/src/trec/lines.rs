//! Lines of a file, unpacked, with their places; and what was wrong with some of them.
//!
//! A line that cannot be read is data, not an accident: it is noted with its number and offset,
//! and the next one is read. Files are small against collections, so each is unpacked into
//! memory.

use neardupe_core::document::BadKind;
use neardupe_core::error::{Error, Result};
use neardupe_io::compress;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::Path;

/// A line that could not be used.
#[derive(Debug, Clone, Serialize, PartialEq, Eq)]
pub struct BadLine {
    /// The file.
    pub path: String,
    /// Its number, from 1.
    pub number: u64,
    /// Where it begins, in bytes of the unpacked file.
    pub offset: u64,
    /// The kind of fault.
    pub kind: BadKind,
    /// What is wrong, for a person.
    pub detail: String,
}

/// All lines that could not be used.
#[derive(Debug, Default)]
pub struct BadLines {
    /// In the order in which they were met.
    pub lines: Vec<BadLine>,
    /// Stop at the first one.
    pub strict: bool,
}

impl BadLines {
    /// Notes a line; an error when the first one must stop the job.
    pub fn add(&mut self, line: BadLine) -> Result<()> {
        if self.strict {
            let place = format!("{}:{}", line.path, line.number);
            let message =
                format!("{}; `strict` stops at the first bad record", line.detail);
            return Err(Error::input(place, message));
        }
        self.lines.push(line);
        Ok(())
    }

    /// How many there are.
    pub fn len(&self) -> u64 {
        self.lines.len() as u64
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// How many there are of each kind.
    pub fn kinds(&self) -> BTreeMap<&'static str, u64> {
        let mut kinds = BTreeMap::new();
        for line in &self.lines {
            *kinds.entry(line.kind.name()).or_insert(0) += 1;
        }
        kinds
    }

    /// Writes `bad-records.jsonl`.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let path = folder.join("bad-records.jsonl");
        let failed = |error: std::io::Error| Error::io(&path, error);
        let mut out = BufWriter::new(File::create(&path).map_err(failed)?);
        for line in &self.lines {
            let json = serde_json::to_string(line)
                .map_err(|error| Error::Internal(error.to_string()))?;
            writeln!(out, "{json}").map_err(failed)?;
        }
        out.flush().map_err(failed)
    }
}

/// What a line is: its text, or what is wrong with it.
pub(super) type Parsed<T> = std::result::Result<T, (BadKind, String)>;

/// A line that breaks the rules of its format.
pub(super) fn format<T>(detail: impl Into<String>) -> Parsed<T> {
    Err((BadKind::Format, detail.into()))
}

/// Where a line stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct LinePosition {
    pub(super) number: u64,
    pub(super) offset: u64,
}

/// Hands on each line of a file that is not blank, unpacked, without its end. A line that is not
/// UTF-8, that `each` refuses, or at which a packed file is damaged is noted in the list that
/// is handed back.
pub(super) fn for_each_line(
    path: &Path,
    mut each: impl FnMut(&str, LinePosition) -> Parsed<()>,
) -> Result<Vec<BadLine>> {
    let shown = path.display().to_string();
    if path.is_dir() {
        return Err(Error::input(shown, "a folder, where a file is needed"));
    }
    let (_, mut reader) = compress::open(path).map_err(|error| Error::io(path, error))?;
    let mut bytes = Vec::new();
    let ended = reader.read_to_end(&mut bytes);
    let mut bad = Vec::new();
    let mut note = |number: u64, offset: usize, kind: BadKind, detail: String| {
        bad.push(BadLine {
            path: shown.clone(),
            number,
            offset: offset as u64,
            kind,
            detail,
        });
    };
    let (mut number, mut start) = (0, 0);
    while start < bytes.len() {
        let end = memchr::memchr(b'\n', &bytes[start..]);
        let end = end.map_or(bytes.len(), |end| start + end);
        number += 1;
        let is_cut = ended.is_err() && end == bytes.len();
        let mut line = bytes[start..end].trim_ascii();
        if number == 1 {
            line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        }
        if !line.is_empty() && !is_cut {
            let parsed = match std::str::from_utf8(line) {
                Ok(text) => each(
                    text,
                    LinePosition {
                        number,
                        offset: start as u64,
                    },
                ),
                Err(_) => Err((BadKind::InvalidUtf8, "not UTF-8".to_owned())),
            };
            if let Err((kind, detail)) = parsed {
                note(number, start, kind, detail);
            }
        }
        start = end + 1;
    }
    if let Err(error) = ended {
        let detail = format!("the packed file is damaged here: {error}");
        note(number.max(1), bytes.len(), BadKind::Compression, detail);
    }
    Ok(bad)
}
