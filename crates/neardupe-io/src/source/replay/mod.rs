//! A second look at a file: the records of the first one, in the same order, each with its
//! bytes as they are in the unpacked file.
//!
//! Nothing is parsed in another way than the first time: ranges and blocks of lines, entries
//! and row groups come from the code that read them first. One thread goes through a file
//! from its start to its end, so positions need not be known: the order is enough.

mod entries;
mod tee;

use super::block::{LineBlock, for_each_raw_line};
use super::csv::CsvEntries;
use super::format::{Layout, Trailing};
use super::formats::InputFormat;
use super::parquet::ParquetFile;
use super::read::FileSource;
use super::reader::WantedFields;
use super::stream::{BlockStream, Bounded, CountedRead};
use super::text_maker::TextMaker;
use super::values::{TextKind, Values};
use super::whole_rows::WholeRows;
use super::work::ReadTask;
use super::{jsonl, plain_text, range, read_tasks};
use crate::compress::{self, Compression};
use entries::EntryStream;
use neardupe_core::document::{Progress, check_cancelled};
use neardupe_core::error::{Error, Result};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes looked at for the keys of the first line.
const FIRST_BYTES: u64 = 1 << 18;

/// Bytes handed on at a time of a line that is too long to be held.
const LONG_BYTES: u64 = 1 << 20;

/// What bytes of a file are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Of a document, by its number.
    Document(u32),
    /// Of a bad record.
    Bad,
    /// Of an entry that holds no text by its own account.
    Skipped,
    /// Between the records: the head of a table, blank lines, the root of XML.
    Between,
}

/// Some bytes of a file.
#[derive(Debug, Clone, Copy)]
pub struct Piece<'a> {
    /// To which record the bytes belong.
    pub part: Part,
    /// A document comes in one piece; what ends its line or separates it may follow.
    pub bytes: &'a [u8],
    /// The first piece of its record.
    pub is_first: bool,
    /// A gzip member begins here.
    pub begins_member: bool,
}

impl<'a> Piece<'a> {
    /// A whole record by itself, in no member of its own.
    fn of(part: Part, bytes: &'a [u8]) -> Self {
        Piece {
            part,
            bytes,
            is_first: true,
            begins_member: false,
        }
    }
}

/// Hears what is in a file.
pub trait Visitor {
    /// The next document; its number.
    fn document(&mut self, text: &str) -> Result<u32>;
    /// A bad record.
    fn bad(&mut self) -> Result<()>;
    /// An entry that holds no text by its own account.
    fn skipped(&mut self) -> Result<()>;
    /// The next bytes. Row groups and files that are one document have no pieces.
    fn piece(&mut self, piece: &Piece<'_>) -> Result<()>;
    /// The bytes of the bad record met last cannot be cut out of the file.
    fn uncut(&mut self) -> Result<()> {
        Ok(())
    }
    /// All rows of a row group have been handed on.
    fn group_end(&mut self, _group: usize) -> Result<()> {
        Ok(())
    }
}

/// The names of the fields of a file, as far as its first record or its schema shows them.
pub(super) fn field_names(source: &FileSource, file: u32) -> Result<Vec<String>> {
    let Some(kind) = source.kind_of(file)? else {
        return Ok(Vec::new());
    };
    let path = source.path(file)?;
    match kind.format.spec().layout {
        Layout::Columns => {
            // A fault is recorded when the file is read.
            let parquet = ParquetFile::open(
                path,
                &source.tasks()?.wanted.free,
                source.options.limits(),
            );
            Ok(parquet.map_or_else(|_| Vec::new(), |parquet| parquet.field_names()))
        }
        Layout::Table { delimiter } => {
            let (_, reader) =
                compress::open(path).map_err(|error| Error::io(path, error))?;
            Ok(entries::table_names(source, delimiter, reader)?)
        }
        Layout::Lines => {
            let (_, reader) =
                compress::open(path).map_err(|error| Error::io(path, error))?;
            Ok(first_keys(reader))
        }
        // Their fields are known.
        Layout::Entries(_) | Layout::Document { .. } => Ok(Vec::new()),
    }
}

/// The first column under one of these metadata fields that is no single value by the schema
/// of its file: file, field, and what it is.
pub(super) fn unusable_column(
    source: &FileSource,
    fields: &[&str],
) -> Result<Option<(String, String, &'static str)>> {
    // Files are asked in order, so the message names the same file on every machine.
    for (file, input) in (0u32..).zip(&source.files) {
        let Some(path) = &input.path else { continue };
        if !has_schema(source, file)? {
            continue;
        }
        let wanted = &source.tasks()?.wanted.free;
        let opened = ParquetFile::open(path, wanted, source.options.limits());
        // A fault is recorded when the file is read.
        let Ok(parquet) = opened else { continue };
        for (number, found) in parquet.unusable_metadata() {
            let field = &source.options.keys.metadata[number];
            if fields.contains(&field.as_str()) {
                return Ok(Some((input.name.clone(), field.clone(), found)));
            }
        }
    }
    Ok(None)
}

/// Whether a file says itself which columns it has, and of which types.
fn has_schema(source: &FileSource, file: u32) -> Result<bool> {
    let kind = source.kind_of(file)?;
    Ok(kind.is_some_and(|kind| match kind.format.spec().layout {
        Layout::Columns => true,
        Layout::Lines
        | Layout::Table { .. }
        | Layout::Entries(_)
        | Layout::Document { .. } => false,
    }))
}

/// The columns that hold the text, of a table.
pub(super) fn text_columns(source: &FileSource, file: u32) -> Result<Vec<usize>> {
    let path = source.path(file)?;
    let key = source.options.keys.text.first().map_or("", String::as_str);
    if has_schema(source, file)? {
        let fields = &source.tasks()?.wanted.free;
        let parquet = ParquetFile::open(path, fields, source.options.limits());
        return Ok(parquet.map_or_else(|_| Vec::new(), |it| it.text_columns()));
    }
    let names = field_names(source, file)?;
    // Some writers put blanks around the names of columns; the reader of tables accepts these
    // too.
    let is_key = |(_, name): &(usize, &String)| *name == key || name.trim() == key;
    let columns = names.iter().enumerate().filter(is_key);
    Ok(columns.map(|(number, _)| number).collect())
}

/// Goes through a file again.
pub(super) fn replay(
    source: &FileSource,
    file: u32,
    visitor: &mut dyn Visitor,
    progress: &dyn Progress,
) -> Result<()> {
    let all = source.tasks()?;
    let mut again = Again {
        source,
        file,
        values: Values::new(Arc::clone(&all.wanted.free), source.options.text.charset),
        wanted: all.wanted.clone(),
        maker: TextMaker::new(&source.options.text),
        whole_rows: WholeRows::default(),
        visitor,
        progress,
    };
    // Found unreadable the first time: one bad record stands for the whole file.
    if all.is_unreadable(file) {
        return again.visitor.bad();
    }
    // Ranges of one file share one open file.
    let mut open = None;
    for task in all.tasks_of(file) {
        check_cancelled(progress)?;
        match *task {
            ReadTask::Range { start, end, .. } => again.range(&mut open, start, end)?,
            ReadTask::Stream { format, .. } => again.stream(format)?,
            ReadTask::RowGroup { group, .. } => again.row_group(group)?,
            ReadTask::Document { is_html, .. } => again.document(is_html)?,
        }
    }
    Ok(())
}

/// The keys of the first line.
fn first_keys(reader: impl Read) -> Vec<String> {
    let mut head = Vec::new();
    // A fault is recorded when the file is read.
    let _ = reader.take(FIRST_BYTES).read_to_end(&mut head);
    // Excel and some editors put a byte order mark before the first line.
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&head);
    let mut lines = head.split(|&byte| byte == b'\n');
    let mut keys = Vec::new();
    if let Some(line) = lines.find(|line| !line.trim_ascii().is_empty()) {
        jsonl::for_each_key(line, |key| keys.push(key.to_owned()));
    }
    keys
}

/// A file that is gone through again.
struct Again<'a> {
    /// The source that read the file first; its options are used unchanged.
    source: &'a FileSource,
    /// Number of the file in the source.
    file: u32,
    /// Which fields are read, per format.
    wanted: WantedFields,
    /// Fields of the current record, in memory that is used again.
    values: Values,
    /// Makes the same text as the first time, so the visitor can compare.
    maker: TextMaker,
    whole_rows: WholeRows,
    /// Receives documents and bytes in the order of the file.
    visitor: &'a mut dyn Visitor,
    /// For the board, and to stop early.
    progress: &'a dyn Progress,
}

impl Again<'_> {
    /// The path of the file; an error for standard input, which cannot be read twice.
    fn path(&self) -> Result<&Path> {
        self.source.path(self.file)
    }

    /// The limit of a record, as the first time.
    fn max_bytes(&self) -> u64 {
        self.source.options.max_record_bytes
    }

    /// Lines that begin in a part of the file, cut at the same places as the first time.
    fn range(&mut self, open: &mut Option<File>, start: u64, end: u64) -> Result<()> {
        let mut bytes = Vec::new();
        let filled = self.open(open).and_then(|input| {
            range::fill(input, start, end, self.max_bytes(), &mut bytes)
        });
        let Ok(lines) = filled else {
            return self.uncut();
        };
        let block = LineBlock {
            offset: start.saturating_sub(1) + lines.from as u64,
            too_long: lines.too_long,
            ..LineBlock::default()
        };
        self.lines(&bytes[lines.from..], &block)?;
        self.progress.advance(end - start);
        Ok(())
    }

    /// The open file; opened by the first range that needs it.
    fn open<'o>(&self, open: &'o mut Option<File>) -> io::Result<&'o mut File> {
        match open {
            Some(open) => Ok(open),
            closed => {
                let path = self.path().map_err(io::Error::other)?;
                Ok(closed.insert(File::open(path)?))
            }
        }
    }

    /// The lines of a block; its own bytes are not looked at.
    fn lines(&mut self, bytes: &[u8], block: &LineBlock) -> Result<()> {
        // Borrowed apart, because the closure below needs all of them at once.
        let max_bytes = self.max_bytes();
        let (visitor, values) = (&mut *self.visitor, &mut self.values);
        let (maker, fields) = (&mut self.maker, &self.wanted.free);
        let marked = block.offset == 0 && bytes.starts_with(b"\xef\xbb\xbf");
        let (mark, bytes) = bytes.split_at(if marked { 3 } else { 0 });
        if marked {
            visitor.piece(&Piece::of(Part::Between, mark))?;
        }
        for_each_raw_line(bytes, |raw| {
            let line = raw.trim_ascii();
            if line.is_empty() {
                return visitor.piece(&Piece::of(Part::Between, raw));
            }
            let part = match jsonl::read_record(line, max_bytes, fields, values) {
                Ok(()) => Part::Document(visitor.document(maker.make(values).text)?),
                Err(_) => {
                    visitor.bad()?;
                    Part::Bad
                }
            };
            visitor.piece(&Piece::of(part, raw))
        })?;
        // The long line is the last of its block and was never held, so it is read in parts
        // from the file.
        if let Some(start) = block.too_long {
            self.visitor.bad()?;
            self.long_line(start)?;
        }
        if block.broken.is_some() {
            self.uncut()?;
        }
        Ok(())
    }

    /// A bad record whose bytes cannot be cut out of the file.
    fn uncut(&mut self) -> Result<()> {
        self.visitor.bad()?;
        self.visitor.uncut()
    }

    /// Hands on a line that is too long to be held. In a compressed file everything before it
    /// would have to be unpacked again, for each such line: there it is not cut out.
    fn long_line(&mut self, start: u64) -> Result<()> {
        let path = self.path()?.to_path_buf();
        let refused = |error| Error::io(&path, error);
        let (compression, _) = compress::open(&path).map_err(refused)?;
        if compression != Compression::None {
            return self.visitor.uncut();
        }
        let mut input = File::open(&path).map_err(refused)?;
        input.seek(SeekFrom::Start(start)).map_err(refused)?;
        let mut bytes = Vec::new();
        // The first part is marked, so that the visitor counts the line once.
        for is_first in std::iter::once(true).chain(std::iter::repeat(false)) {
            bytes.clear();
            let read = (&mut input).take(LONG_BYTES).read_to_end(&mut bytes);
            read.map_err(refused)?;
            let end = memchr::memchr(b'\n', &bytes);
            bytes.truncate(end.map_or(bytes.len(), |at| at + 1));
            if bytes.is_empty() {
                break;
            }
            self.visitor.piece(&Piece {
                is_first,
                ..Piece::of(Part::Bad, &bytes)
            })?;
            if end.is_some() {
                break;
            }
        }
        Ok(())
    }

    /// A file that is read from its start to its end: compressed, or in a format that cannot be
    /// entered in the middle.
    fn stream(&mut self, format: Option<InputFormat>) -> Result<()> {
        let Some(format) = format else {
            let name = &self.source.files[self.file as usize].name;
            return Err(Error::input(name, "it can be read only once"));
        };
        let Ok(input) = File::open(self.path()?) else {
            return self.uncut();
        };
        // Counted before unpacking, because the size of a file on disk is what progress is
        // measured by.
        let packed = Arc::new(AtomicU64::new(0));
        let counted = CountedRead {
            inner: Box::new(input),
            count: Arc::clone(&packed),
        };
        let Ok((reader, members)) = compress::unpack_members(Box::new(counted)) else {
            return self.uncut();
        };
        // The same guard against decompression bombs as the first time: the file may have
        // changed since.
        let bounded = Bounded {
            inner: reader,
            packed: Arc::clone(&packed),
            unpacked: 0,
            max_expansion: self.source.options.max_expansion,
        };
        let stream = |trailing| EntryStream {
            format,
            trailing,
            members: &members,
            packed: &packed,
        };
        match format.spec().layout {
            Layout::Lines => self.stream_lines(Box::new(bounded), &packed),
            Layout::Document { is_html } => self.one_document(is_html, bounded),
            // Compressed as a whole: not read the first time either.
            Layout::Columns => self.visitor.bad(),
            Layout::Table { delimiter } => {
                // Nothing but line ends can stand between rows.
                let stream = stream(Trailing::Gap);
                self.stream_entries(&stream, Box::new(bounded), |reader, max_bytes| {
                    Box::new(CsvEntries::new(reader, delimiter, max_bytes))
                })
            }
            Layout::Entries(entries) => {
                let stream = stream(entries.trailing);
                self.stream_entries(&stream, Box::new(bounded), entries.open)
            }
        }
    }

    /// Reports how much of a stream has been read.
    fn advance(&self, packed: &AtomicU64, reported: &mut u64) -> Result<()> {
        let read = packed.load(Ordering::Relaxed);
        self.progress.advance(read - *reported);
        *reported = read;
        check_cancelled(self.progress)
    }

    /// Lines of a stream, block by block as the first time.
    fn stream_lines(
        &mut self,
        reader: Box<dyn Read + Send>,
        packed: &AtomicU64,
    ) -> Result<()> {
        let mut stream = BlockStream::new(reader);
        let mut reported = 0;
        loop {
            let block = stream.next_block(self.max_bytes());
            self.lines(&block.bytes, &block)?;
            self.advance(packed, &mut reported)?;
            if BlockStream::is_last(&block) {
                return Ok(());
            }
        }
    }

    /// A file that is one document. It has no pieces: it is kept or dropped as a whole.
    fn document(&mut self, is_html: bool) -> Result<()> {
        let opened = compress::open(self.path()?);
        match opened {
            Ok((_, reader)) => self.one_document(is_html, reader)?,
            Err(_) => self.visitor.bad()?,
        }
        let bytes = self.source.files[self.file as usize].bytes;
        self.progress.advance(bytes);
        Ok(())
    }

    /// Reads a whole file into memory and hands on its text.
    fn one_document(&mut self, is_html: bool, reader: impl Read) -> Result<()> {
        let mut bytes = Vec::new();
        if plain_text::read(reader, &mut bytes, self.max_bytes()).is_err() {
            return self.visitor.bad();
        }
        let kind = is_html.then_some(TextKind::Html);
        self.values.clear();
        let name = &self.source.files[self.file as usize].name;
        self.values.put_file(name, &bytes, kind);
        let made = self.maker.make(&self.values);
        self.visitor.document(made.text)?;
        Ok(())
    }

    /// Rows of a group. They have no bytes of their own; the visitor decides by their numbers
    /// and copies columns later.
    fn row_group(&mut self, group: usize) -> Result<()> {
        let limits = self.source.options.limits();
        let opened = ParquetFile::open(self.path()?, &self.wanted.free, limits);
        let Ok(parquet) = opened else {
            return self.uncut();
        };
        let groups = parquet.groups();
        // The file has fewer groups than before. What is missing was read the first time and
        // is now gone.
        if group >= groups.len() {
            return Ok(());
        }
        let checked = self
            .whole_rows
            .check(self.source, self.file, &parquet, group);
        if checked.is_err() {
            self.uncut()?;
            return self.visitor.group_end(group);
        }
        let mut rows = parquet.read(group);
        while let Some(block) = rows.next_block() {
            check_cancelled(self.progress)?;
            let Ok(block) = block else {
                self.uncut()?;
                break;
            };
            for row in 0..block.len() {
                match block.read(row, &mut self.values) {
                    Ok(()) => {
                        let made = self.maker.make(&self.values);
                        self.visitor.document(made.text)?;
                    }
                    Err(_) => self.visitor.bad()?,
                }
            }
        }
        self.visitor.group_end(group)?;
        let bytes = self.source.files[self.file as usize].bytes;
        self.progress
            .advance(read_tasks::share(bytes, group, &groups));
        Ok(())
    }
}
