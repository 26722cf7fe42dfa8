//! One thread that reads: ranges, streams, row groups, whole documents, and blocks that
//! other threads hand on.

mod hand_on;

use super::block::{Block, EntryBlock, LineBlock, RowsBlock, for_each_line};
use super::csv::CsvEntries;
use super::detect;
use super::discover::InputFile;
use super::entries::{Entries, Entry};
use super::fields::Fields;
use super::format::{FieldNames, Layout};
use super::formats::InputFormat;
use super::parquet::ParquetFile;
use super::read::{BLOCK_BYTES, FileSource};
use super::stream::{BlockStream, Bounded, CountedRead, Fault as StreamFault};
use super::text_maker::TextMaker;
use super::values::{Fault, TextKind, Values};
use super::waiting::WaitingRead;
use super::whole_rows::WholeRows;
use super::work::{Next, ReadTask, Work};
use super::{jsonl, plain_text, range, read_tasks};
use crate::compress::{self, Compression};
use hand_on::HandOn;
use neardupe_core::document::{
    BadKind, BlockRead, Position, Progress, Sink, check_cancelled,
};
use neardupe_core::error::Result;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Entries of a block at most: what they hold around their texts takes memory too.
const BLOCK_ENTRIES: usize = 4096;
/// Values kept to be used again, and the largest texts worth keeping: a thread that only
/// takes blocks would otherwise pile up their buffers.
const MAX_SPARE: usize = 64;
/// Values with more text than this are dropped.
const MAX_SPARE_BYTES: u64 = 1 << 18;

/// Bytes of text for a byte of a compressed one, at least as many as usual.
const USUAL_EXPANSION: u64 = 8;

/// The wanted fields, by how a format names its own.
#[derive(Debug, Clone)]
pub(super) struct WantedFields {
    /// As typed, for formats whose fields users name.
    pub(super) free: Arc<Fields>,
    /// For formats that know their fields.
    pub(super) known: Arc<Fields>,
}

impl WantedFields {
    /// The wanted fields of a format.
    pub(super) fn of(&self, format: InputFormat) -> &Arc<Fields> {
        match format.spec().fields {
            FieldNames::Free => &self.free,
            FieldNames::Known { .. } | FieldNames::None => &self.known,
        }
    }
}

/// One thread that reads.
pub(super) struct Reader<'a> {
    /// What is read.
    source: &'a FileSource,
    /// Tasks and blocks, shared with the other threads.
    work: &'a Work,
    /// For the board, and to stop early.
    progress: &'a dyn Progress,
    /// Which fields are read, per format.
    wanted: WantedFields,
    /// Where documents and bad records go.
    hand_on: HandOn<'a>,
    /// Values of a line or a whole document, used again and again.
    values: Values,
    /// Values of entries that were worked on.
    spare: Vec<Values>,
    /// Bytes of a range or of a whole document.
    buffer: Vec<u8>,
    /// The file of the range that was read last: the next range is mostly of the same file.
    open: Option<(u32, File)>,
    /// The Parquet file whose footer was read last, for the same reason.
    parquet: Option<(u32, ParquetFile)>,
    whole_rows: WholeRows,
    /// What each block had, for the numbers of records that follow once all blocks are known.
    pub(super) reports: Vec<BlockRead>,
}

impl<'a> Reader<'a> {
    /// A reader of one thread. It opens nothing until it has work.
    pub(super) fn new(
        source: &'a FileSource,
        wanted: WantedFields,
        work: &'a Work,
        sink: &'a mut dyn Sink,
        progress: &'a dyn Progress,
    ) -> Self {
        let charset = source.options.text.charset;
        Reader {
            source,
            work,
            progress,
            values: Values::new(Arc::clone(&wanted.free), charset),
            spare: Vec::new(),
            wanted,
            hand_on: HandOn::new(source, sink),
            buffer: Vec::new(),
            open: None,
            parquet: None,
            whole_rows: WholeRows::default(),
            reports: Vec::new(),
        }
    }

    /// Adds what this thread noticed to the counts of all threads.
    pub(super) fn maker(&self) -> &TextMaker {
        &self.hand_on.maker
    }

    /// Takes work until none is left, the job is cancelled or another thread failed.
    pub(super) fn run(&mut self) -> Result<()> {
        loop {
            check_cancelled(self.progress)?;
            self.give_back();
            match self.work.next() {
                Next::Done => return Ok(()),
                Next::Block(block) => self.block(block)?,
                Next::Task(ReadTask::Range {
                    file,
                    block,
                    start,
                    end,
                }) => {
                    self.range(file, block, start, end)?;
                    self.progress.advance(end - start);
                }
                Next::Task(ReadTask::Document { file, is_html }) => {
                    self.document(file, is_html)?;
                }
                Next::Task(ReadTask::Stream {
                    file,
                    format,
                    start,
                    most,
                }) => {
                    let outcome = self.stream(file, format, start, most);
                    // Before the outcome is looked at: others wait for open streams, also when
                    // this one failed.
                    self.work.stream_done();
                    outcome?;
                }
                Next::Task(ReadTask::RowGroup {
                    file,
                    group,
                    first_block,
                    most,
                }) => {
                    let outcome = self.row_group(file, group, first_block, most);
                    self.work.stream_done();
                    outcome?;
                }
            }
        }
    }

    /// Gives back the memory of buffers that grew for a large record.
    fn give_back(&mut self) {
        // The room is held until the buffers are gone.
        let (was_large, _held) = self.hand_on.take_was_large();
        if was_large {
            let charset = self.source.options.text.charset;
            self.values = Values::new(Arc::clone(&self.wanted.free), charset);
            self.buffer = Vec::new();
        }
    }

    /// Whether a stream goes on to its next block: not when another thread failed.
    fn goes_on(&mut self) -> Result<bool> {
        self.give_back();
        check_cancelled(self.progress)?;
        Ok(!self.work.is_stopped())
    }

    /// The file of this number.
    fn input(&self, file: u32) -> &'a InputFile {
        &self.source.files[file as usize]
    }

    /// A file of which nothing can be read.
    pub(super) fn whole_file(&mut self, file: u32, fault: Fault) -> Result<()> {
        self.reports.push(BlockRead {
            file,
            block: BlockRead::WHOLE_FILE,
            records: 1,
            ..BlockRead::default()
        });
        let position = Position {
            file,
            ..Position::default()
        };
        self.hand_on.bad(position, 0, fault)
    }

    /// A file that is no longer as it was before it was read. What was read of it counts; the fault stands
    /// after it, in a block of its own.
    pub(super) fn changed(&mut self, file: u32, block: u32) -> Result<()> {
        self.reports.push(BlockRead {
            file,
            block,
            places: 1,
            records: 1,
            ..BlockRead::default()
        });
        let position = Position {
            file,
            block,
            index: 0,
        };
        let detail = "the file changed while it was read";
        let fault = (BadKind::Changed, detail.to_owned());
        self.hand_on.bad(position, self.input(file).bytes, fault)
    }

    /// A file that the system refused when it was to be read.
    fn unreadable(&mut self, file: u32, error: &io::Error) -> Result<()> {
        self.whole_file(file, (BadKind::Unreadable, error.to_string()))
    }

    /// Makes documents of a block, whichever thread has read it.
    fn block(&mut self, block: Block) -> Result<()> {
        match block {
            Block::Lines(block) => self.lines_of(&block),
            Block::Entries(block) => self.entries_of(block),
            Block::Rows(block) => self.rows_of(&block),
        }
    }

    /// A file that is one document.
    fn document(&mut self, file: u32, is_html: bool) -> Result<()> {
        let input = self.input(file);
        let opened = match &input.path {
            Some(path) => compress::open(path),
            None => Err(io::Error::other("it has no path")),
        };
        let max_bytes = self.source.options.max_record_bytes;
        match opened {
            // Known before it is read.
            Ok((Compression::None, _)) if input.regular && input.bytes > max_bytes => {
                let detail = self.source.options.too_long(input.bytes);
                self.whole_file(file, (BadKind::TooLong, detail))?;
                if let Some(report) = self.reports.last_mut() {
                    report.bytes = input.bytes;
                }
            }
            Ok((compression, reader)) => {
                let times = if compression == Compression::None {
                    1
                } else {
                    USUAL_EXPANSION
                };
                self.hand_on.reserve(input.bytes.saturating_mul(times));
                self.one_document(file, is_html, reader)?;
            }
            Err(error) => self.unreadable(file, &error)?,
        }
        self.progress.advance(input.bytes);
        Ok(())
    }

    /// Reads a whole file into the buffer of this thread. A fault is one bad record.
    fn one_document(
        &mut self,
        file: u32,
        is_html: bool,
        reader: impl Read,
    ) -> Result<()> {
        let input = self.input(file);
        let max_bytes = self.source.options.max_record_bytes;
        if let Err(fault) = plain_text::read(reader, &mut self.buffer, max_bytes) {
            self.whole_file(file, fault)?;
        } else {
            let kind = is_html.then_some(TextKind::Html);
            self.values.clear();
            self.values.put_file(&input.name, &self.buffer, kind);
            let position = Position {
                file,
                ..Position::default()
            };
            self.hand_on.document(&self.values, position)?;
            self.reports.push(BlockRead {
                file,
                places: 1,
                records: 1,
                ..BlockRead::default()
            });
        }
        // Both ways above leave a report, and the bytes of the file belong to it.
        if let Some(report) = self.reports.last_mut() {
            report.bytes = input.bytes;
        }
        Ok(())
    }

    // Files that can only be read from their start.

    /// A file that can only be read from its start: compressed, a pipe, standard input, or
    /// of a format whose records have no places that could be found without reading.
    fn stream(
        &mut self,
        file: u32,
        format: Option<InputFormat>,
        start: u64,
        most: Option<u64>,
    ) -> Result<()> {
        let input = self.input(file);
        let is_stopped = Arc::clone(&self.work.is_asked_to_stop);
        let raw: Box<dyn Read + Send> = match &input.path {
            None => {
                let stream = self.source.take_stream();
                match WaitingRead::new(move || Ok(stream), is_stopped) {
                    Ok(reader) => Box::new(reader),
                    Err(error) => return self.unreadable(file, &error),
                }
            }
            Some(path) if !input.regular => {
                let path = path.clone();
                let open =
                    move || Ok(Box::new(File::open(path)?) as Box<dyn Read + Send>);
                match WaitingRead::new(open, is_stopped) {
                    Ok(reader) => Box::new(reader),
                    Err(error) => return self.unreadable(file, &error),
                }
            }
            Some(path) => match open_at(path, start) {
                Ok(file) => match most {
                    Some(most) => Box::new(file.take(most)),
                    None => Box::new(file),
                },
                Err(error) => return self.unreadable(file, &error),
            },
        };
        // Counted below the unpacking, since progress and the limit of expansion are about
        // stored bytes.
        let packed = Arc::new(AtomicU64::new(0));
        let counted = CountedRead {
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
        match format.spec().layout {
            Layout::Lines => self.stream_lines(file, reader, &packed),
            Layout::Document { is_html } => self.one_document(file, is_html, reader),
            Layout::Columns => {
                let detail = "Parquet can be read neither from a pipe nor compressed as \
                              a whole; name the file itself";
                self.whole_file(file, (BadKind::Format, detail.to_owned()))
            }
            Layout::Table { delimiter } => {
                let rows = CsvEntries::new(reader, delimiter, max_bytes);
                self.stream_entries(file, format, Box::new(rows), &packed)
            }
            Layout::Entries(entries) => {
                let entries = (entries.open)(reader, max_bytes);
                self.stream_entries(file, format, entries, &packed)
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
        let asked = self.source.options.format;
        let format = detect::format_of(asked, &head, input.path.as_deref());
        *reader = Box::new(io::Cursor::new(head).chain(rest));
        format
    }

    /// Hands a block to whoever is free, or works on the oldest that waits.
    fn offer(
        &mut self,
        block: Block,
        packed: &AtomicU64,
        reported: &mut u64,
    ) -> Result<()> {
        // Nobody is free: the block, or the oldest one that waits, is worked on here.
        if let Some(block) = self.work.offer(block) {
            self.block(block)?;
        }
        let read = packed.load(Ordering::Relaxed);
        self.progress.advance(read - *reported);
        *reported = read;
        Ok(())
    }

    /// The bytes of a stream belong to no block in particular.
    fn bytes_of_stream(&mut self, file: u32, bytes: u64) {
        self.reports.push(BlockRead {
            file,
            block: BlockRead::WHOLE_FILE,
            bytes,
            ..BlockRead::default()
        });
    }

    // Lines: of a range of a file, of a block, of a stream.

    /// The lines that begin in `start..end` of a file that is not compressed.
    fn range(&mut self, file: u32, number: u32, start: u64, end: u64) -> Result<()> {
        let mut bytes = std::mem::take(&mut self.buffer);
        let lines = match self.fill_range(file, start, end, &mut bytes) {
            Ok(lines) => lines,
            Err(error) => {
                // The file was there a moment ago: what was read of it stands.
                self.reports.push(BlockRead {
                    file,
                    block: number,
                    places: 1,
                    records: 1,
                    ..BlockRead::default()
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
        // What comes before the first line belongs to the range before.
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

    /// Reads a range, opening the file only if the range before was of another one.
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
        let Some((_, input)) = &mut self.open else {
            return Ok(range::RangeLines::default());
        };
        let Some(room) = &self.source.options.room else {
            return range::fill(input, start, end, max_bytes, bytes);
        };
        // A line that is not large, or the room for one that is.
        let small = room.large().min(max_bytes);
        let lines = range::fill(input, start, end, small, bytes)?;
        if lines.too_long.is_none() || small == max_bytes {
            return Ok(lines);
        }
        self.hand_on.reserve(max_bytes);
        range::fill(input, start, end, max_bytes, bytes)
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
        // A byte order mark at the start of a file belongs to no record; serde_json would refuse the line.
        if offset == 0
            && let Some(rest) = bytes.strip_prefix(b"\xef\xbb\xbf")
        {
            bytes = rest;
            offset = 3;
        }
        let mut places = for_each_line(bytes, |index, start, line| {
            records += 1;
            // Not wanted: the record still counts, so that numbers do not depend on who wants
            // what.
            if !hand_on.wants(at(index)) {
                return Ok(());
            }
            match jsonl::read_record(line, max_bytes, fields, values) {
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
        // A long line and a broken stream stand at the end of a block and are records of it.
        for (offset, fault) in ends.into_iter().flatten() {
            hand_on.bad(at(places), offset, fault)?;
            places += 1;
            records += 1;
        }
        self.reports.push(BlockRead {
            file,
            block: number,
            places,
            records,
            ..BlockRead::default()
        });
        Ok(())
    }

    /// Cuts a stream of lines into blocks. Parsing them, which costs most of the time, is for
    /// any thread.
    fn stream_lines(
        &mut self,
        file: u32,
        reader: Box<dyn Read + Send>,
        packed: &AtomicU64,
    ) -> Result<()> {
        let max_bytes = self.source.options.max_record_bytes;
        let mut stream = BlockStream::new(reader);
        let mut reported = 0;
        for number in 0u32.. {
            if !self.goes_on()? {
                return Ok(());
            }
            let mut block = stream.next_block(max_bytes);
            (block.file, block.number) = (file, number);
            let last = BlockStream::is_last(&block);
            self.offer(Block::Lines(block), packed, &mut reported)?;
            if last {
                break;
            }
        }
        self.bytes_of_stream(file, reported);
        Ok(())
    }

    // Entries: of a stream, of a block.

    /// Reads the entries of a stream and gathers them in blocks. The entries are decoded here;
    /// making texts and features of them is for any thread.
    fn stream_entries(
        &mut self,
        file: u32,
        format: InputFormat,
        mut entries: Box<dyn Entries>,
        packed: &AtomicU64,
    ) -> Result<()> {
        let fields = Arc::clone(self.wanted.of(format));
        let charset = self.source.options.text.charset;
        let mut reported = 0;
        for number in 0u32.. {
            if !self.goes_on()? {
                return Ok(());
            }
            let mut block = EntryBlock {
                file,
                number,
                ..EntryBlock::default()
            };
            let (mut bytes, mut last) = (0, false);
            // Blocks are measured by their texts, not by stored bytes: that is what they cost
            // in memory and in time.
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
                    Entry::Skipped => {
                        // An archive may be full of them.
                        check_cancelled(self.progress)?;
                        block.skipped += 1;
                    }
                    Entry::End => {
                        last = true;
                        break;
                    }
                }
            }
            self.offer(Block::Entries(block), packed, &mut reported)?;
            if last {
                break;
            }
        }
        self.bytes_of_stream(file, reported);
        Ok(())
    }

    /// The records of a block of entries.
    fn entries_of(&mut self, block: EntryBlock) -> Result<()> {
        let mut num_entries = 0;
        for (index, (offset, read)) in (0u32..).zip(block.entries) {
            let position = Position {
                file: block.file,
                block: block.number,
                index,
            };
            match read {
                Ok(values) => {
                    if self.hand_on.wants(position) {
                        self.hand_on.document(&values, position)?;
                    }
                    // Buffers of ordinary texts are used again; those of huge ones are given
                    // back.
                    if self.spare.len() < MAX_SPARE
                        && values.num_bytes() < MAX_SPARE_BYTES
                    {
                        self.spare.push(values);
                    }
                }
                Err(fault) => self.hand_on.bad(position, offset, fault)?,
            }
            num_entries = index + 1;
        }
        self.reports.push(BlockRead {
            file: block.file,
            block: block.number,
            places: num_entries,
            records: num_entries.into(),
            skipped: block.skipped,
            bytes: 0,
        });
        Ok(())
    }

    // Rows of Parquet: of a row group, of a block.

    /// The rows of a group of a Parquet file, block by block.
    fn row_group(
        &mut self,
        file: u32,
        number: usize,
        first_block: u32,
        most: Option<u32>,
    ) -> Result<()> {
        let input = self.input(file);
        let limits = self.source.options.limits();
        if self.parquet.as_ref().is_none_or(|(open, _)| *open != file) {
            let path = input.path.as_deref().unwrap_or(Path::new(&input.name));
            match ParquetFile::open(path, &self.wanted.free, limits) {
                Ok(parquet) => self.parquet = Some((file, parquet)),
                // The footer was read when the tasks were made, but somebody may write to the file meanwhile.
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
        let bytes = read_tasks::share(input.bytes, number, &groups);
        let checked = self.whole_rows.check(self.source, file, &parquet, number);
        if let Err(fault) = checked {
            self.progress.advance(bytes);
            self.bytes_of_stream(file, bytes);
            return self.row_fault(file, first_block, rows_left, fault);
        }
        let mut rows = parquet.read(number);
        let blocks = group.blocks();
        let wanted = most.map_or(blocks, |most| most.min(blocks));
        // Numbers of blocks go on from those of the groups before, as the footer says.
        for number in first_block.. {
            if !self.goes_on()? {
                return Ok(());
            }
            if number - first_block == wanted {
                break;
            }
            match rows.next_block() {
                None => break,
                // Where the next row begins is not known after a fault: the rows that are left
                // are one bad record, which takes the places of all of them.
                Some(Err(fault)) => {
                    self.row_fault(file, number, rows_left, fault)?;
                    break;
                }
                Some(Ok(rows)) => {
                    rows_left -= rows.len();
                    let block = RowsBlock { file, number, rows };
                    if let Some(block) = self.work.offer(Block::Rows(block)) {
                        self.block(block)?;
                    }
                }
            }
        }
        self.progress.advance(bytes);
        self.bytes_of_stream(file, bytes);
        Ok(())
    }

    /// The rest of a row group that cannot be read: one bad record instead of many.
    fn row_fault(
        &mut self,
        file: u32,
        block: u32,
        rows: u32,
        fault: Fault,
    ) -> Result<()> {
        self.reports.push(BlockRead {
            file,
            block,
            places: rows,
            records: 1,
            ..BlockRead::default()
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
        for index in 0..num_rows {
            let position = Position {
                file: block.file,
                block: block.number,
                index,
            };
            if !self.hand_on.wants(position) {
                continue;
            }
            match block.rows.read(index, &mut self.values) {
                Ok(()) => self.hand_on.document(&self.values, position)?,
                Err(fault) => self.hand_on.bad(position, 0, fault)?,
            }
        }
        self.reports.push(BlockRead {
            file: block.file,
            block: block.number,
            places: num_rows,
            records: num_rows.into(),
            ..BlockRead::default()
        });
        Ok(())
    }
}

/// Opens a file at a place; only samples begin elsewhere than at the start.
fn open_at(path: &Path, start: u64) -> io::Result<File> {
    let mut file = File::open(path)?;
    if start > 0 {
        file.seek(SeekFrom::Start(start))?;
    }
    Ok(file)
}
