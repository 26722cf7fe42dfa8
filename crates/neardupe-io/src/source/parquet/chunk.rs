//! Parts of a file, of which none is larger than the file: a damaged length costs no memory.

use super::footer::page_bytes;
use super::page::CheckedPages;
use super::{PartLimit, TooLong};
use ::parquet::column::reader::{ColumnReader, get_column_reader};
use ::parquet::errors::{ParquetError, Result};
use ::parquet::file::metadata::ColumnChunkMetaData;
use ::parquet::file::reader::{ChunkReader, Length};
use ::parquet::file::serialized_reader::SerializedPageReader;
use ::parquet::schema::types::ColumnDescPtr;
use bytes::Bytes;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Enough for the head of a page.
const HEAD_BYTES: usize = 1 << 10;

/// A file of which parts are read, by one thread: it has one place to read from.
pub(super) struct FileChunks {
    /// The one open file that all columns of the group read from.
    file: Arc<File>,
    /// Length when the file was opened. All places and lengths of the footer are compared with
    /// it.
    bytes: u64,
    /// Bytes of a page or the footer, where memory is bounded.
    max_part: Option<PartLimit>,
    /// The head of the page at hand was looked at: what is read next follows it.
    pub(super) peeked: AtomicBool,
}

impl FileChunks {
    /// Opens a file; its length is asked for once.
    /// The same file for another column: each has a place of its own in it.
    fn of_column(&self) -> Self {
        FileChunks {
            file: Arc::clone(&self.file),
            bytes: self.bytes,
            max_part: self.max_part,
            peeked: AtomicBool::new(false),
        }
    }

    pub(super) fn open(path: &Path, max_part: Option<PartLimit>) -> io::Result<Self> {
        let file = File::open(path)?;
        let bytes = file.metadata()?.len();
        Ok(FileChunks {
            file: Arc::new(file),
            bytes,
            max_part,
            peeked: AtomicBool::new(false),
        })
    }

    /// Refuses what is too long for the memory.
    pub(super) fn check(&self, what: &'static str, bytes: u64) -> Result<()> {
        match self.max_part {
            Some(limit) if bytes > limit.bytes => {
                Err(ParquetError::External(Box::new(TooLong {
                    what,
                    bytes,
                    limit,
                })))
            }
            _ => Ok(()),
        }
    }

    /// Looks at the head of the page that begins here: the library makes room for all of it at once,
    /// packed and unpacked.
    fn check_page(&self, start: u64) -> Result<()> {
        let mut head = [0; 32];
        let mut file = &*self.file;
        file.seek(SeekFrom::Start(start))?;
        let mut len = 0;
        while len < head.len() {
            match file.read(&mut head[len..])? {
                0 => break,
                read => len += read,
            }
        }
        match page_bytes(&head[..len]) {
            Some(bytes) => self.check("a page", bytes),
            // The library refuses it too.
            None => Ok(()),
        }
    }
}

impl Length for FileChunks {
    fn len(&self) -> u64 {
        self.bytes
    }
}

impl ChunkReader for FileChunks {
    type T = BufReader<FileFrom>;

    /// The page reader reads only the head of a page this way; `get_bytes` fetches its content as a whole.
    fn get_read(&self, start: u64) -> Result<Self::T> {
        // Only pages are read in this way.
        if self.max_part.is_some() && !self.peeked.load(Ordering::Relaxed) {
            self.check_page(start)?;
        }
        let file = Arc::clone(&self.file);
        let from = FileFrom { file, at: start };
        Ok(BufReader::with_capacity(HEAD_BYTES, from))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        // Lengths come from the file. They are checked before memory is taken for them.
        let end = start.checked_add(length as u64);
        if end.is_none_or(|end| end > self.bytes) {
            let detail = format!("{length} bytes at {start} of {}", self.bytes);
            return Err(ParquetError::EOF(detail));
        }
        let mut file = &*self.file;
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::with_capacity(length);
        file.take(length as u64).read_to_end(&mut bytes)?;
        // The length of the file was read when it was opened; somebody may have cut it since.
        if bytes.len() < length {
            return Err(ParquetError::EOF("the file became shorter".to_owned()));
        }
        Ok(bytes.into())
    }
}

/// Reads from a place of its own, whatever else is read between.
pub(super) struct FileFrom {
    /// The shared file, whose own place changes with every read of the others.
    file: Arc<File>,
    /// Where the next read begins.
    at: u64,
}

impl Read for FileFrom {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut file = &*self.file;
        // Readers of several columns share one open file, so each seeks before it reads.
        file.seek(SeekFrom::Start(self.at))?;
        let read = file.read(buffer)?;
        self.at += read as u64;
        Ok(read)
    }
}

/// A reader of a column in a group of so many rows.
pub(super) fn open_column(
    file: &Arc<FileChunks>,
    column: &ColumnDescPtr,
    chunk: &ColumnChunkMetaData,
    rows: u64,
) -> Result<ColumnReader> {
    // A dictionary page, when there is one, stands before the first data page.
    let start = chunk.dictionary_page_offset();
    let start = start.unwrap_or(chunk.data_page_offset());
    if start < 0 || chunk.compressed_size() < 0 {
        let detail = format!("column {} has no place", column.name());
        return Err(ParquetError::General(detail));
    }
    // The format allows it, but hardly any writer does it, and following paths from a data file is a risk.
    if chunk.file_path().is_some() {
        let detail = format!("column {} is in another file", column.name());
        return Err(ParquetError::General(detail));
    }
    let file = Arc::new(file.of_column());
    let pages = SerializedPageReader::new(
        Arc::clone(&file),
        chunk,
        usize::try_from(rows)?,
        None,
    )?;
    let is_repeated = column.max_rep_level() > 0;
    let num_levels = usize::from(is_repeated) + usize::from(column.max_def_level() > 0);
    // A repeated column has more values than rows; its number comes from the footer and is
    // only an upper limit.
    let max_values = if is_repeated {
        u64::try_from(chunk.num_values())?
    } else {
        rows
    };
    let pages = CheckedPages::new(pages, file, num_levels, max_values);
    Ok(get_column_reader(Arc::clone(column), Box::new(pages)))
}
