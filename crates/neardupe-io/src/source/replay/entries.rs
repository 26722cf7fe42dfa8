//! Entries of a stream with their bytes: what the format's own reader has cut is found again
//! in what has passed it.

use super::super::csv::CsvEntries;
use super::super::entries::{Entries, Entry};
use super::super::format::Trailing;
use super::super::formats::InputFormat;
use super::super::read::FileSource;
use super::super::values::Values;
use super::tee::Tee;
use super::{Again, Part, Piece};
use crate::compress::{self, MemberStarts};
use neardupe_core::error::{Error, Result};
use std::io::{self, Read};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// Bytes held beyond what records may have: what readers read ahead.
const AHEAD_BYTES: usize = 16 << 20;
/// Bytes handed on at a time of what has to be read again.
const CHUNK_BYTES: u64 = 1 << 20;

/// An unpacked file whose entries are gone through.
pub(super) struct EntryStream<'a> {
    /// The format whose reader cuts the entries.
    pub(super) format: InputFormat,
    /// What of the bytes between two entries belongs to the first.
    pub(super) trailing: Trailing,
    /// Where gzip members begin, in bytes of the unpacked stream; empty for other files.
    pub(super) members: &'a MemberStarts,
    /// Bytes read so far, as stored.
    pub(super) packed: &'a AtomicU64,
}

/// The bytes of a stream, as they are handed on.
struct Bytes<'a> {
    /// Holds what has passed the reader and was not handed on yet.
    tee: Tee,
    /// Where members begin, to copy a WARC file member by member.
    members: &'a MemberStarts,
    /// Who owns the bytes between two entries.
    trailing: Trailing,
    /// What was read last, and where it ends.
    last: (Part, u64),
}

/// The names of the columns of a table.
pub(super) fn table_names(
    source: &FileSource,
    delimiter: u8,
    reader: Box<dyn Read + Send>,
) -> Result<Vec<String>> {
    let options = &source.options;
    // One row is read for the sake of the head before it; the row itself is not used.
    let mut table = CsvEntries::new(reader, delimiter, options.max_record_bytes);
    let fields = Arc::clone(&source.tasks()?.wanted.free);
    table.next(&mut Values::new(fields, options.text.charset));
    Ok(table.names().to_vec())
}

impl Again<'_> {
    /// Goes through the entries of a stream and hands on each with its bytes. The reader says
    /// only where an entry begins and ends; the bytes are those that the tee has kept.
    pub(super) fn stream_entries(
        &mut self,
        stream: &EntryStream<'_>,
        reader: Box<dyn Read + Send>,
        open: impl FnOnce(Box<dyn Read + Send>, u64) -> Box<dyn Entries>,
    ) -> Result<()> {
        let max_bytes = self.max_bytes();
        // A limit beyond the memory of a machine is none there.
        let most = usize::try_from(max_bytes).unwrap_or(usize::MAX);
        // A reader makes room by doubling it, so it may be ahead by another record.
        let most = most.saturating_mul(2).saturating_add(AHEAD_BYTES);
        let (tee, reader) = Tee::new(reader, most);
        let mut entries = open(Box::new(reader), max_bytes);
        let fields = Arc::clone(self.wanted.of(stream.format));
        self.values = Values::new(fields, self.source.options.text.charset);
        let mut bytes = Bytes {
            tee,
            members: stream.members,
            trailing: stream.trailing,
            last: (Part::Between, 0),
        };
        let mut reported = 0;
        loop {
            self.values.clear();
            let part = match entries.next(&mut self.values) {
                Entry::Record(_) => {
                    let made = self.maker.make(&self.values);
                    Part::Document(self.visitor.document(made.text)?)
                }
                Entry::Bad(..) => {
                    self.visitor.bad()?;
                    Part::Bad
                }
                Entry::Skipped => {
                    self.visitor.skipped()?;
                    Part::Skipped
                }
                Entry::End => break,
            };
            // Spans are known only after the entry has been read, so what stands before it is
            // handed on now.
            let Range { start, end } = entries.span();
            self.between(&mut bytes, start)?;
            // Everything before `end` has been handed on and is forgotten: memory does not
            // grow with the file.
            self.hand_on(&bytes, part, start, end, true)?;
            bytes.tee.discard(end);
            bytes.members.discard(end);
            bytes.last = (part, end);
            self.advance(stream.packed, &mut reported)?;
        }
        // What stands after the last entry: the end of the root in XML, blank lines.
        let end = bytes.tee.end();
        self.between(&mut bytes, end)
    }

    /// Hands on what stands between the last entry and `end`.
    fn between(&mut self, bytes: &mut Bytes<'_>, end: u64) -> Result<()> {
        let (part, start) = bytes.last;
        let own = match (bytes.trailing, part) {
            (_, Part::Between) => 0,
            (Trailing::Gap, _) => end.saturating_sub(start),
            (Trailing::Line, _) => bytes
                .tee
                .with(start, end, |gap| rest_of_line(gap) as u64)
                .unwrap_or(0),
        };
        self.hand_on(bytes, part, start, start + own, false)?;
        self.hand_on(bytes, Part::Between, start + own, end, true)
    }

    /// Hands on the bytes of one part. What is no longer held is read again from the file;
    /// only a bad record is then reported as one that cannot be cut out.
    fn hand_on(
        &mut self,
        bytes: &Bytes<'_>,
        part: Part,
        start: u64,
        end: u64,
        is_first: bool,
    ) -> Result<()> {
        if start >= end {
            return Ok(());
        }
        let begins_member = bytes.members.begins_at(start);
        let visitor = &mut *self.visitor;
        let held = bytes.tee.with(start, end, |bytes| {
            visitor.piece(&Piece {
                part,
                bytes,
                is_first,
                begins_member,
            })
        });
        match held {
            Some(outcome) => outcome,
            // Everything before it would be unpacked again, for each such record.
            None if part == Part::Bad && !is_first => Ok(()),
            None if part == Part::Bad => self.visitor.uncut(),
            None => self.read_again(part, start, end, is_first, begins_member),
        }
    }

    /// Hands on what is too long to be held.
    fn read_again(
        &mut self,
        part: Part,
        start: u64,
        end: u64,
        is_first: bool,
        begins_member: bool,
    ) -> Result<()> {
        let path = self.path()?.to_path_buf();
        let refused = |error| Error::io(&path, error);
        let (_, mut reader) = compress::open(&path).map_err(refused)?;
        io::copy(&mut (&mut reader).take(start), &mut io::sink()).map_err(refused)?;
        // A document must come in one piece, so it is held as a whole; anything else comes in
        // parts.
        let chunk_bytes = match part {
            Part::Document(_) => end - start,
            _ => CHUNK_BYTES,
        };
        let (mut at, mut bytes) = (start, Vec::new());
        while at < end {
            bytes.clear();
            let wanted = chunk_bytes.min(end - at);
            let read = (&mut reader).take(wanted).read_to_end(&mut bytes);
            if read.map_err(refused)? as u64 != wanted {
                return Err(Error::input(
                    path.display().to_string(),
                    "it became shorter",
                ));
            }
            self.visitor.piece(&Piece {
                part,
                bytes: &bytes,
                is_first: is_first && at == start,
                begins_member: begins_member && at == start,
            })?;
            at += wanted;
        }
        Ok(())
    }
}

/// Bytes up to the end of the line, when nothing but blanks is before it.
fn rest_of_line(gap: &[u8]) -> usize {
    let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\r');
    let blanks = gap.iter().take_while(is_blank).count();
    match gap.get(blanks) {
        Some(b'\n') => blanks + 1,
        _ => 0,
    }
}
