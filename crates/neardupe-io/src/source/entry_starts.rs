//! Places in the middle of a file where an entry begins, for samples of large files.
//!
//! A sample of a large archive must not be its first pages alone: crawls are sorted by host or by time. A format
//! says how its entries begin (`EntryStarts`), and that is searched for from any byte on. It works in unpacked
//! files and in gzip files with a member for each record, as WARC files are published; other compressions can
//! only be read from their start. A place that is found may be wrong, where a page quotes the beginning of
//! a record; a sample then has one bad record more.

use super::format::{EntryStarts, Layout};
use super::formats::InputFormat;
use crate::compress::{self, Compression};
use memchr::memmem;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// Bytes that are searched for the next entry.
const SEARCHED: u64 = 4 << 20;
/// How a gzip member begins.
const GZIP: &[u8] = &[0x1f, 0x8b, 8];

/// Where an entry begins at or after `from`; None when that is not known without reading
/// the file from its start.
pub(super) fn next_entry_start(
    path: &Path,
    format: InputFormat,
    from: u64,
) -> Option<u64> {
    let (start, is_member) = match starts(format) {
        EntryStarts::Unknown => return None,
        EntryStarts::Line(start) => (start.as_bytes(), false),
        EntryStarts::LineOrMember(start) => (start.as_bytes(), true),
    };
    let (compression, bytes) = read_from(path, from).ok()?;
    match compression {
        Compression::None => {
            let line = [b"\n", start].concat();
            let at = memmem::find(&bytes, &line)?;
            Some(from + at as u64 + 1)
        }
        Compression::Gzip if is_member => {
            // The bytes of the mark may stand anywhere: only a member that holds a record
            // counts.
            let mut members = memmem::find_iter(&bytes, GZIP);
            let at = members.find(|&at| begins_record(&bytes[at..], start))?;
            Some(from + at as u64)
        }
        Compression::Gzip | Compression::Zstd | Compression::Bzip2 | Compression::Lz4 => {
            None
        }
    }
}

/// Where entries of a format begin.
fn starts(format: InputFormat) -> EntryStarts {
    match format.spec().layout {
        Layout::Entries(entries) => entries.starts,
        // Plain lines and row groups are tasks of their own already; a quoted cell may hold line ends.
        Layout::Lines
        | Layout::Table { .. }
        | Layout::Columns
        | Layout::Document { .. } => EntryStarts::Unknown,
    }
}

/// The compression of a file, and its bytes from `from` on, at most [`SEARCHED`].
fn read_from(path: &Path, from: u64) -> io::Result<(Compression, Vec<u8>)> {
    let mut file = File::open(path)?;
    let mut head = Vec::new();
    (&mut file).take(8).read_to_end(&mut head)?;
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(SEARCHED).read_to_end(&mut bytes)?;
    Ok((compress::by_magic(&head), bytes))
}

/// Whether the content of a gzip member begins with `start`. Only as many bytes are unpacked as
/// that takes.
fn begins_record(member: &[u8], start: &[u8]) -> bool {
    let mut first = vec![0; start.len()];
    let member = io::Cursor::new(member.to_vec());
    let read = compress::unpack(Box::new(member))
        .and_then(|(_, mut unpacked)| unpacked.read_exact(&mut first));
    read.is_ok() && first == start
}
