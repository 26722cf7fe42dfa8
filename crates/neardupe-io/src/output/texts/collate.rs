//! Puts the rows of all threads and parts together, in the order of the input.

use super::offsets::{self, TextOffsets};
use super::{OFFSETS, ROWS, is_ours};
use neardupe_core::document::{DocIdx, PartRead, Position};
use neardupe_core::error::{Error, Result};
use neardupe_core::pipeline::documents::Documents;
use std::fs::File;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Writes `texts.jsonl`. Parts follow each other in the input, so the rows of one part are
/// in memory at a time.
pub(super) fn write(
    path: &Path,
    folder: &Path,
    parts: &[PartRead],
    documents: &Documents,
) -> Result<()> {
    let file = File::create(path).map_err(|error| Error::io(path, error))?;
    let mut texts = PartTexts {
        path,
        out: BufWriter::with_capacity(1 << 18, file),
        documents,
        num_written: 0,
        last: None,
        bytes: Vec::new(),
    };
    for part in parts {
        texts.add_part(folder, part)?;
    }
    if texts.num_written != documents.len() {
        return Err(Error::Corrupt {
            path: folder.to_path_buf(),
            message: format!(
                "texts of {} documents, where {} were read",
                texts.num_written,
                documents.len()
            ),
        });
    }
    let written = texts.out.flush();
    let synced = written.and_then(|()| texts.out.get_ref().sync_data());
    synced.map_err(|error| Error::io(path, error))
}

/// `texts.jsonl` in the making.
struct PartTexts<'a> {
    /// `texts.jsonl` itself, for messages.
    path: &'a Path,
    /// The file, with a buffer in front.
    out: BufWriter<File>,
    /// Gives each document its id.
    documents: &'a Documents,
    /// Documents are numbered in the order of the input: this is the next.
    num_written: u32,
    /// Position of the row written last: rows must come in the order of the input.
    last: Option<Position>,
    /// A row, in memory that is used again.
    bytes: Vec<u8>,
}

/// The rows that one thread wrote.
struct RowsFile {
    /// The file, which every error names.
    path: PathBuf,
    /// Rows are read from here in any order.
    file: File,
    /// Its length, so that damaged offsets take no memory.
    bytes: u64,
}

impl RowsFile {
    /// Opens the rows that one thread wrote for a part.
    fn open(path: PathBuf) -> Result<Self> {
        let opened = File::open(&path).and_then(|file| {
            let bytes = file.metadata()?.len();
            Ok((file, bytes))
        });
        let (file, bytes) = opened.map_err(|error| Error::io(&path, error))?;
        Ok(RowsFile { path, file, bytes })
    }

    /// An error that names the file.
    fn corrupt(&self, message: &str) -> Error {
        Error::Corrupt {
            path: self.path.clone(),
            message: message.to_owned(),
        }
    }

    /// Reads a row. Offsets come from another file, so they are checked against the length
    /// first.
    fn read(&mut self, row: TextOffsets, bytes: &mut Vec<u8>) -> Result<()> {
        let end = row.start.checked_add(row.len);
        if end.is_none_or(|end| end > self.bytes) {
            return Err(self.corrupt("it ends before its last row"));
        }
        bytes.clear();
        let mut read = || {
            self.file.seek(SeekFrom::Start(row.start))?;
            (&self.file).take(row.len).read_to_end(bytes)
        };
        let read = read().map_err(|error| Error::io(&self.path, error))?;
        if read as u64 == row.len {
            Ok(())
        } else {
            Err(self.corrupt("it ends within a row"))
        }
    }
}

impl PartTexts<'_> {
    /// Writes the rows of a part. Each thread has its own file, so the offsets of all are
    /// sorted by position first.
    fn add_part(&mut self, folder: &Path, part: &PartRead) -> Result<()> {
        let mut files = Vec::new();
        let mut rows: Vec<(TextOffsets, usize)> = Vec::new();
        let ours = part.files.iter().filter(|file| is_ours(&file.name));
        for stem in ours.filter_map(|file| file.name.strip_suffix(OFFSETS)) {
            let index = offsets::read(&folder.join(format!("{stem}{OFFSETS}")))?;
            rows.extend(index.into_iter().map(|row| (row, files.len())));
            files.push(RowsFile::open(folder.join(format!("{stem}{ROWS}")))?);
        }
        rows.sort_unstable_by_key(|(row, _)| row.position);
        for (row, file) in rows {
            let file = &mut files[file];
            if self.last.is_some_and(|last| last >= row.position) {
                return Err(file.corrupt("it has a row of another part"));
            }
            if self.num_written >= self.documents.len() {
                return Err(file.corrupt("it has more rows than documents were read"));
            }
            file.read(row, &mut self.bytes)?;
            self.add_row()?;
            self.last = Some(row.position);
        }
        Ok(())
    }

    /// The row in `bytes`, with the id of the next document in front.
    fn add_row(&mut self) -> Result<()> {
        let id = self.documents.id(DocIdx::new(self.num_written))?;
        let mut write = || {
            self.out.write_all(b"{\"id\":")?;
            serde_json::to_writer(&mut self.out, &id)?;
            self.out.write_all(&self.bytes)
        };
        write().map_err(|error| Error::io(self.path, error))?;
        self.num_written += 1;
        Ok(())
    }
}
