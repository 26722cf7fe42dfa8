//! One thread that reads: ranges, streams, row groups, whole documents, and blocks that
//! other threads hand on.

use super::block::{Block, EntryBlock, LineBlock, RowsBlock, for_each_line};
use super::detect::{self, InputFormat};
use super::discover::InputFile;
use super::entries::{Entries, Entry};
use super::fields::Fields;
use super::parquet::ParquetFile;
use super::read::{BLOCK_BYTES, FileSource};
use super::stream::{BlockStream, Bounded, Counted, Fault as StreamFault};
use super::text_maker::TextMaker;
use super::values::{Fault, TextKind, Values};
use super::work::{Next, Task, Work};
use super::{formats, jsonl, plain_text, range};
use crate::compress;
use neardupe_core::document::{BadKind, BadRecord, Position, Progress, Record, Sink};
use neardupe_core::error::{Error, Result};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Entries of a block at most: what they hold around their texts takes memory too.
const BLOCK_ENTRIES: usize = 4096;

/// What was read of one block.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct BlockReport {
    pub(super) file: u32,
    pub(super) block: u32,
    pub(super) places: u32,
    pub(super) records: u64,
    pub(super) skipped: u64,
    pub(super) bytes: u64,
}

/// The wanted fields, by how a format names its own.
#[derive(Debug, Clone)]
pub(super) struct Wanted {
    /// As typed, for formats whose fields users name.
    pub(super) free: Arc<Fields>,
    /// For formats that know their fields.
    pub(super) known: Arc<Fields>,
}

/// One thread that reads.
pub(super) struct Reader<'a> {
    source: &'a FileSource,
    work: &'a Work,
    progress: &'a dyn Progress,
    wanted: Wanted,
    hand_on: HandOn<'a>,
    /// Values of a line or a whole document, used again and again.
    values: Values,
    /// Values of entries that were worked on.
    spare: Vec<Values>,
    buffer: Vec<u8>,
    open: Option<(u32, File)>,
    parquet: Option<(u32, ParquetFile)>,
    pub(super) reports: Vec<BlockReport>,
}

/// Where documents and bad records go.
struct HandOn<'a> {
    source: &'a FileSource,
    sink: &'a mut dyn Sink,
    maker: TextMaker,
}

impl HandOn<'_> {
    fn document(&mut self, values: &Values, position: Position) -> Result<()> {
        let made = self.maker.make(values);
        self.sink.document(&Record {
            id: values.id.as_deref().filter(|id| !id.is_empty()),
            text: made.text,
            regions: &made.parts.regions,
            links: &made.parts.links,
            remarks: made.remarks,
            metadata: &values.metadata,
            position,
        })
    }

    /// Hands on a bad record. When that ends the job, the message says where it stands.
    fn bad(&mut self, position: Position, offset: u64, fault: Fault) -> Result<()> {
        let (kind, detail) = fault;
        let bad = BadRecord {
            position,
            offset,
            kind,
            detail,
        };
        self.sink.bad_record(bad).map_err(|error| match error {
            Error::Input { what, message } => {
                let input = &self.source.files[position.file as usize];
                let path = input.path.as_deref().unwrap_or(Path::new(&input.name));
                let what = format!("{}: {what} at byte {offset}", path.display());
                Error::input(what, message)
            }
            other => other,
        })
    }
}

impl<'a> Reader<'a> {
    pub(super) fn new(
        source: &'a FileSource,
        wanted: Wanted,
        work: &'a Work,
        sink: &'a mut dyn Sink,
        progress: &'a dyn Progress,
    ) -> Self {
        let text = &source.options.text;
        Reader {
            source,
            work,
            progress,
            values: Values::new(Arc::clone(&wanted.free), text.charset),
            spare: Vec::new(),
            wanted,
            hand_on: HandOn {
                source,
                sink,
                maker: TextMaker::new(text),
            },
            buffer: Vec::new(),
            open: None,
            parquet: None,
            reports: Vec::new(),
        }
    }

    /// Adds what this thread noticed to the counts of all threads.
    pub(super) fn maker(&self) -> &TextMaker {
        &self.hand_on.maker
    }

    pub(super) fn run(&mut self) -> Result<()> {
        loop {
            match self.work.next() {
                Next::Done => return Ok(()),
                Next::Block(block) => self.block(block)?,
                Next::Task(Task::Range {
                    file,
                    block,
                    start,
                    end,
                }) => {
                    self.range(file, block, start, end)?;
                    self.progress.advance(end - start);
                }
                Next::Task(Task::Document { file, format }) => {
                    self.document(file, format)?;
                }
                Next::Task(Task::Stream { file, format }) => {
                    let outcome = self.stream(file, format);
                    self.work.stream_done();
                    outcome?;
                }
                Next::Task(Task::RowGroup {
                    file,
                    group,
                    first_block,
                }) => {
                    let outcome = self.row_group(file, group, first_block);
                    self.work.stream_done();
                    outcome?;
                }
            }
        }
    }

    fn input(&self, file: u32) -> &'a InputFile {
        &self.source.files[file as usize]
    }

    /// A file of which nothing can be read.
    pub(super) fn whole_file(&mut self, file: u32, fault: Fault) -> Result<()> {
        self.reports.push(BlockReport {
            file,
            places: 1,
            records: 1,
            ..BlockReport::default()
        });
        let position = Position {
            file,
            ..Position::default()
        };
        self.hand_on.bad(position, 0, fault)
    }

    fn unreadable(&mut self, file: u32, error: &io::Error) -> Result<()> {
        self.whole_file(file, (BadKind::Unreadable, error.to_string()))
    }

    fn block(&mut self, block: Block) -> Result<()> {
        match block {
            Block::Lines(block) => self.lines_of(&block),
            Block::Entries(block) => self.entries_of(block),
            Block::Rows(block) => self.rows_of(&block),
        }
    }

    /// The lines that begin in `start..end` of a file that is not compressed.
    fn range(&mut self, file: u32, number: u32, start: u64, end: u64) -> Result<()> {
        let mut bytes = std::mem::take(&mut self.buffer);
        let lines = match self.fill_range(file, start, end, &mut bytes) {
            Ok(lines) => lines,
            Err(error) => {
                // The file was there a moment ago: what was read of it stands.
                self.reports.push(BlockReport {
                    file,
                    block: number,
                    places: 1,
                    records: 1,
                    ..BlockReport::default()
                });
                let position = Position {
                    file,
                    block: number,
                    index: 0,
                };
                let fault = (BadKind::Unreadable, error.to_string());
                return self.hand_on.bad(position, start, fault);
            }
        };
        bytes.drain(..lines.from);
        let block = LineBlock {
            file,
            number,
            offset: start.saturating_sub(1) + lines.from as u64,
            bytes,
            too_long: lines.too_long,
            broken: None,
        };
        self.lines_of(&block)?;
        if let Some(report) = self.reports.last_mut() {
            report.bytes = end - start;
        }
        self.buffer = block.bytes;
        Ok(())
    }

    fn fill_range(
        &mut self,
        file: u32,
        start: u64,
        end: u64,
        bytes: &mut Vec<u8>,
    ) -> io::Result<range::RangeLines> {
        if self.open.as_ref().is_none_or(|(open, _)| *open != file) {
            let path = self.input(file).path.as_deref();
            let path = path.ok_or_else(|| io::Error::other("it has no path"))?;
            self.open = Some((file, File::open(path)?));
        }
        let max_bytes = self.source.options.max_record_bytes;
        match &mut self.open {
            Some((_, input)) => range::fill(input, start, end, max_bytes, bytes),
            None => Ok(range::RangeLines::default()),
        }
    }

    /// The records of a block of whole lines.
    fn lines_of(&mut self, block: &LineBlock) -> Result<()> {
        let mut records = 0;
        let (hand_on, values) = (&mut self.hand_on, &mut self.values);
        let fields = &self.wanted.free;
        let max_bytes = self.source.options.max_record_bytes;
        let (file, number) = (block.file, block.number);
        let at = |index| Position {
            file,
            block: number,
            index,
        };
        let mut bytes = &block.bytes[..];
        let mut offset = block.offset;
        if offset == 0
            && let Some(rest) = bytes.strip_prefix(b"\xef\xbb\xbf")
        {
            bytes = rest;
            offset = 3;
        }
        let mut places = for_each_line(bytes, |index, start, line| {
            records += 1;
            let read = match line.len() as u64 > max_bytes {
                true => Err((BadKind::TooLong, plain_text::too_long(max_bytes))),
                false => jsonl::read_line(line, fields, values),
            };
            match read {
                Ok(()) => hand_on.document(values, at(index)),
                Err(fault) => hand_on.bad(at(index), offset + start as u64, fault),
            }
        })?;
        let too_long = (BadKind::TooLong, plain_text::too_long(max_bytes));
        let end = offset + bytes.len() as u64;
        let broken = block.broken.clone();
        let ends = [
            block.too_long.map(|offset| (offset, too_long)),
            broken.map(|detail| (end, (BadKind::Compression, detail))),
        ];
        for (offset, fault) in ends.into_iter().flatten() {
            hand_on.bad(at(places), offset, fault)?;
            places += 1;
            records += 1;
        }
        self.reports.push(BlockReport {
            file,
            block: number,
            places,
            records,
            ..BlockReport::default()
        });
        Ok(())
    }

    /// A file that is one document.
    fn document(&mut self, file: u32, format: InputFormat) -> Result<()> {
        let input = self.input(file);
        let opened = match &input.path {
            Some(path) => compress::open(path),
            None => Err(io::Error::other("it has no path")),
        };
        match opened {
            Ok((_, reader)) => self.one_document(file, format, reader)?,
            Err(error) => self.unreadable(file, &error)?,
        }
        self.progress.advance(input.bytes);
        Ok(())
    }

    fn one_document(
        &mut self,
        file: u32,
        format: InputFormat,
        reader: impl Read,
    ) -> Result<()> {
        let input = self.input(file);
        let max_bytes = self.source.options.max_record_bytes;
        if let Err(fault) = plain_text::read(reader, &mut self.buffer, max_bytes) {
            self.whole_file(file, fault)?;
        } else {
            let kind = (format == InputFormat::Html).then_some(TextKind::Html);
            self.values.clear();
            self.values.put_file(&input.name, &self.buffer, kind);
            let position = Position {
                file,
                ..Position::default()
            };
            self.hand_on.document(&self.values, position)?;
            self.reports.push(BlockReport {
                file,
                places: 1,
                records: 1,
                ..BlockReport::default()
            });
        }
        if let Some(report) = self.reports.last_mut() {
            report.bytes = input.bytes;
        }
        Ok(())
    }

    /// A file that can only be read from its start: compressed, a pipe, standard input, or
    /// of a format whose records have no places that could be found without reading.
    fn stream(&mut self, file: u32, format: Option<InputFormat>) -> Result<()> {
        let input = self.input(file);
        let raw: Box<dyn Read + Send> = match &input.path {
            None => self.source.take_stream(),
            Some(path) => match File::open(path) {
                Ok(file) => Box::new(file),
                Err(error) => return self.unreadable(file, &error),
            },
        };
        let packed = Arc::new(AtomicU64::new(0));
        let counted = Counted {
            inner: raw,
            count: Arc::clone(&packed),
        };
        let unpacked = match compress::unpack(Box::new(counted)) {
            Ok((_, unpacked)) => unpacked,
            Err(error) => return self.unreadable(file, &error),
        };
        let mut reader: Box<dyn Read + Send> = Box::new(Bounded {
            inner: unpacked,
            packed: Arc::clone(&packed),
            unpacked: 0,
            max_expansion: self.source.options.max_expansion,
        });
        let format = match format {
            Some(format) => format,
            None => match self.look_ahead(input, &mut reader) {
                Ok(format) => format,
                Err(detail) => {
                    return self.whole_file(file, (BadKind::Binary, detail));
                }
            },
        };
        let max_bytes = self.source.options.max_record_bytes;
        match format {
            InputFormat::Jsonl => self.stream_lines(file, reader, &packed),
            InputFormat::Text | InputFormat::Html => {
                self.one_document(file, format, reader)
            }
            InputFormat::Parquet => {
                let detail = "Parquet can be read neither from a pipe nor compressed as \
                              a whole; name the file itself";
                self.whole_file(file, (BadKind::Format, detail.to_owned()))
            }
            _ => {
                let entries = formats::entries(format, reader, max_bytes);
                match entries {
                    Some(entries) => self.stream_entries(file, format, entries, &packed),
                    None => Ok(()),
                }
            }
        }
    }

    /// The format of a pipe by its first bytes, which are put back.
    fn look_ahead(
        &self,
        input: &InputFile,
        reader: &mut Box<dyn Read + Send>,
    ) -> Result<InputFormat, String> {
        let mut head = Vec::new();
        let read = reader.take(detect::SNIFF_BYTES).read_to_end(&mut head);
        let mut rest = std::mem::replace(reader, Box::new(io::empty()));
        if let Err(error) = read {
            // What came before the fault is read; then the fault is recorded.
            rest = Box::new(StreamFault(Some(error)));
        }
        let format = match self.source.options.format {
            Some(format) => Ok(format),
            None => detect::by_head(&head, input.path.as_deref()),
        };
        *reader = Box::new(io::Cursor::new(head).chain(rest));
        format
    }

    fn stream_lines(
        &mut self,
        file: u32,
        reader: Box<dyn Read + Send>,
        packed: &AtomicU64,
    ) -> Result<()> {
        let max_bytes = self.source.options.max_record_bytes;
        let mut stream = BlockStream::new(reader);
        let mut told = 0;
        for number in 0u32.. {
            if self.work.is_stopped() {
                return Ok(());
            }
            let mut block = stream.next_block(max_bytes);
            (block.file, block.number) = (file, number);
            let last = BlockStream::is_last(&block);
            if let Some(block) = self.work.offer(Block::Lines(block)) {
                self.block(block)?;
            }
            self.advance(packed, &mut told);
            if last {
                break;
            }
        }
        self.bytes_of_stream(file, told);
        Ok(())
    }

    fn stream_entries(
        &mut self,
        file: u32,
        format: InputFormat,
        mut entries: Box<dyn Entries>,
        packed: &AtomicU64,
    ) -> Result<()> {
        let fields = match formats::has_free_fields(format) {
            true => Arc::clone(&self.wanted.free),
            false => Arc::clone(&self.wanted.known),
        };
        let charset = self.source.options.text.charset;
        let mut told = 0;
        for number in 0u32.. {
            if self.work.is_stopped() {
                return Ok(());
            }
            let mut block = EntryBlock {
                file,
                number,
                ..EntryBlock::default()
            };
            let (mut bytes, mut last) = (0, false);
            while bytes < BLOCK_BYTES && block.entries.len() < BLOCK_ENTRIES {
                let mut values = self.spare.pop().filter(|spare| spare.is_of(&fields));
                let mut values = values
                    .take()
                    .unwrap_or_else(|| Values::new(Arc::clone(&fields), charset));
                values.clear();
                match entries.next(&mut values) {
                    Entry::Record(offset) => {
                        bytes += values.num_bytes();
                        block.entries.push((offset, Ok(values)));
                    }
                    Entry::Bad(offset, fault) => {
                        block.entries.push((offset, Err(fault)));
                    }
                    Entry::Skipped => block.skipped += 1,
                    Entry::End => {
                        last = true;
                        break;
                    }
                }
            }
            if let Some(block) = self.work.offer(Block::Entries(block)) {
                self.block(block)?;
            }
            self.advance(packed, &mut told);
            if last {
                break;
            }
        }
        self.bytes_of_stream(file, told);
        Ok(())
    }

    /// The records of a block of entries.
    fn entries_of(&mut self, block: EntryBlock) -> Result<()> {
        let num_entries = block.entries.len();
        for (index, (offset, read)) in (0u32..).zip(block.entries) {
            let position = Position {
                file: block.file,
                block: block.number,
                index,
            };
            match read {
                Ok(values) => {
                    self.hand_on.document(&values, position)?;
                    if self.spare.len() < BLOCK_ENTRIES {
                        self.spare.push(values);
                    }
                }
                Err(fault) => self.hand_on.bad(position, offset, fault)?,
            }
        }
        self.reports.push(BlockReport {
            file: block.file,
            block: block.number,
            places: u32::try_from(num_entries).unwrap_or(u32::MAX),
            records: num_entries as u64,
            skipped: block.skipped,
            bytes: 0,
        });
        Ok(())
    }

    /// The rows of a group of a Parquet file, block by block.
    fn row_group(&mut self, file: u32, number: usize, first_block: u32) -> Result<()> {
        let input = self.input(file);
        let max_bytes = self.source.options.max_record_bytes;
        if self.parquet.as_ref().is_none_or(|(open, _)| *open != file) {
            let path = input.path.as_deref().unwrap_or(Path::new(&input.name));
            match ParquetFile::open(path, &self.wanted.free, max_bytes) {
                Ok(parquet) => self.parquet = Some((file, parquet)),
                // It was whole a moment ago.
                Err(fault) => return self.row_fault(file, first_block, 1, fault),
            }
        }
        let Some((_, parquet)) = self.parquet.clone() else {
            return Ok(());
        };
        let groups = parquet.groups();
        let Some(group) = groups.get(number) else {
            return Ok(());
        };
        let mut rows_left = group.rows;
        let mut rows = parquet.read(number);
        for number in first_block.. {
            if self.work.is_stopped() {
                return Ok(());
            }
            match rows.next_block() {
                None => break,
                Some(Err(fault)) => {
                    self.row_fault(file, number, rows_left, fault)?;
                    break;
                }
                Some(Ok(rows)) => {
                    rows_left = rows_left.saturating_sub(rows.len() as u64);
                    let block = RowsBlock { file, number, rows };
                    if let Some(block) = self.work.offer(Block::Rows(block)) {
                        self.block(block)?;
                    }
                }
            }
        }
        // A file's bytes, footer and unwanted columns included, are those of its groups.
        let part = |number: usize| input.bytes * number as u64 / groups.len() as u64;
        let bytes = part(number + 1) - part(number);
        self.progress.advance(bytes);
        self.bytes_of_stream(file, bytes);
        Ok(())
    }

    /// The rest of a row group that cannot be read: one bad record in the place of many.
    fn row_fault(
        &mut self,
        file: u32,
        block: u32,
        rows: u64,
        fault: Fault,
    ) -> Result<()> {
        self.reports.push(BlockReport {
            file,
            block,
            places: u32::try_from(rows).unwrap_or(u32::MAX),
            records: 1,
            ..BlockReport::default()
        });
        let position = Position {
            file,
            block,
            index: 0,
        };
        self.hand_on.bad(position, 0, fault)
    }

    /// The records of a block of rows.
    fn rows_of(&mut self, block: &RowsBlock) -> Result<()> {
        let num_rows = block.rows.len();
        for (index, row) in (0u32..).zip(0..num_rows) {
            let position = Position {
                file: block.file,
                block: block.number,
                index,
            };
            match block.rows.read(row, &mut self.values) {
                Ok(()) => self.hand_on.document(&self.values, position)?,
                Err(fault) => self.hand_on.bad(position, 0, fault)?,
            }
        }
        self.reports.push(BlockReport {
            file: block.file,
            block: block.number,
            places: u32::try_from(num_rows).unwrap_or(u32::MAX),
            records: num_rows as u64,
            ..BlockReport::default()
        });
        Ok(())
    }

    fn advance(&self, packed: &AtomicU64, told: &mut u64) {
        let read = packed.load(Ordering::Relaxed);
        self.progress.advance(read - *told);
        *told = read;
    }

    /// The bytes of a stream belong to no block in particular.
    fn bytes_of_stream(&mut self, file: u32, bytes: u64) {
        self.reports.push(BlockReport {
            file,
            block: u32::MAX,
            bytes,
            ..BlockReport::default()
        });
    }
}
