//! One thread that reads: ranges, streams, whole documents, blocks that streams hand on.

use super::detect::{self, InputFormat};
use super::discover::InputFile;
use super::fields::Fields;
use super::jsonl;
use super::lines::{Block, for_each_line};
use super::plain_text;
use super::read::FileSource;
use super::stream::{BlockStream, Counted, Fault};
use super::values::Values;
use super::work::{Next, Task, Work};
use crate::compress;
use neardupe_core::document::{BadKind, BadRecord, Position, Progress, Record, Sink};
use neardupe_core::error::{Error, Result};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes read at once to complete the last line of a range.
const EXTEND_BYTES: u64 = 1 << 16;

/// Hands on a bad record. When that ends the job, the message says where it stands.
fn bad_record(sink: &mut dyn Sink, input: &InputFile, bad: BadRecord) -> Result<()> {
    let offset = bad.offset;
    sink.bad_record(bad).map_err(|error| match error {
        Error::Input { what, message } => {
            let path = input.path.as_deref().unwrap_or(Path::new(&input.name));
            Error::input(
                format!("{}: {what} at byte {offset}", path.display()),
                message,
            )
        }
        other => other,
    })
}

/// The texts of a record as one.
fn join<'v>(values: &'v Values, joined: &'v mut String) -> &'v str {
    if let [one] = &values.texts[..] {
        return &one.value;
    }
    joined.clear();
    for text in values.texts.iter().filter(|text| text.present) {
        if !joined.is_empty() {
            joined.push('\n');
        }
        joined.push_str(&text.value);
    }
    joined
}

/// A file of which nothing can be read.
pub(super) fn whole_file(file: u32, kind: BadKind, detail: String) -> BadRecord {
    let position = Position {
        file,
        block: 0,
        index: 0,
    };
    BadRecord {
        position,
        offset: 0,
        kind,
        detail,
    }
}

/// What was read of one block.
#[derive(Debug, Clone, Copy)]
pub(super) struct BlockReport {
    pub(super) file: u32,
    pub(super) block: u32,
    pub(super) places: u32,
    pub(super) records: u64,
    pub(super) bytes: u64,
}

/// One thread that reads.
pub(super) struct Reader<'a> {
    source: &'a FileSource,
    work: &'a Work,
    sink: &'a mut dyn Sink,
    progress: &'a dyn Progress,
    fields: Arc<Fields>,
    values: Values,
    joined: String,
    buffer: Vec<u8>,
    open: Option<(u32, File)>,
    pub(super) reports: Vec<BlockReport>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(
        source: &'a FileSource,
        fields: Arc<Fields>,
        work: &'a Work,
        sink: &'a mut dyn Sink,
        progress: &'a dyn Progress,
    ) -> Self {
        Reader {
            source,
            values: Values::new(Arc::clone(&fields), None),
            fields,
            joined: String::new(),
            work,
            sink,
            progress,
            buffer: Vec::new(),
            open: None,
            reports: Vec::new(),
        }
    }

    /// Files that were found unreadable before reading began.
    pub(super) fn record_early(&mut self, bad: Vec<BadRecord>) -> Result<()> {
        for bad in bad {
            self.report(bad.position.file, 0, 1, 1, 0);
            self.bad_record(bad)?;
        }
        Ok(())
    }

    pub(super) fn run(&mut self) -> Result<()> {
        loop {
            match self.work.next() {
                Next::Done => return Ok(()),
                Next::Block(block) => self.lines_of(&block)?,
                Next::Task(Task::Range {
                    file,
                    block,
                    start,
                    end,
                }) => {
                    self.range(file, block, start, end)?;
                    self.progress.advance(end - start);
                }
                Next::Task(Task::Document { file }) => self.document(file)?,
                Next::Task(Task::Stream { file }) => {
                    let outcome = self.stream(file);
                    self.work.stream_done();
                    outcome?;
                }
            }
        }
    }

    fn report(&mut self, file: u32, block: u32, places: u32, records: u64, bytes: u64) {
        self.reports.push(BlockReport {
            file,
            block,
            places,
            records,
            bytes,
        });
    }

    fn bad_record(&mut self, bad: BadRecord) -> Result<()> {
        let input = &self.source.files[bad.position.file as usize];
        bad_record(self.sink, input, bad)
    }

    fn path(&self, file: u32) -> &'a Path {
        let path = self.source.files[file as usize].path.as_deref();
        path.unwrap_or(Path::new("standard input"))
    }

    /// The lines that begin in `start..end` of a file that is not compressed.
    fn range(&mut self, file: u32, block: u32, start: u64, end: u64) -> Result<()> {
        let mut buffer = std::mem::take(&mut self.buffer);
        let read = self.fill_range(file, start, end, &mut buffer);
        let (from, too_long) = match read {
            Ok(read) => read,
            Err(error) => {
                // The file was there a moment ago: what was read of it stands.
                let mut bad = whole_file(file, BadKind::Unreadable, error.to_string());
                bad.position.block = block;
                bad.offset = start;
                self.report(file, block, 1, 1, 0);
                return self.bad_record(bad);
            }
        };
        let offset = start.saturating_sub(1) + from as u64;
        buffer.drain(..from);
        let block = Block {
            file,
            number: block,
            offset,
            bytes: buffer,
            too_long,
            broken: None,
        };
        self.lines_of(&block)?;
        let last = self.reports.last_mut();
        if let Some(report) = last {
            report.bytes = end - start;
        }
        self.buffer = block.bytes;
        Ok(())
    }

    /// Fills the buffer with the byte before the range, the range, and what is needed to
    /// complete its last line. Returns where the first line begins, and the offset of a
    /// line that is too long, which is left out.
    fn fill_range(
        &mut self,
        file: u32,
        start: u64,
        end: u64,
        buffer: &mut Vec<u8>,
    ) -> io::Result<(usize, Option<u64>)> {
        if self.open.as_ref().is_none_or(|(open, _)| *open != file) {
            self.open = Some((file, File::open(self.path(file))?));
        }
        let Some((_, input)) = &mut self.open else {
            return Ok((0, None));
        };
        let first = start.saturating_sub(1);
        input.seek(SeekFrom::Start(first))?;
        buffer.clear();
        input.take(end - first).read_to_end(buffer)?;
        // A line begins in the range when the byte before it is a line feed.
        let from = match start {
            0 => 0,
            _ => match memchr::memchr(b'\n', buffer) {
                Some(at) => at + 1,
                None => buffer.len(),
            },
        };
        if from >= buffer.len() {
            buffer.clear();
            return Ok((0, None));
        }
        let max_bytes = self.source.options.max_record_bytes;
        let line_start =
            memchr::memrchr(b'\n', &buffer[from..]).map_or(from, |at| from + at + 1);
        let mut searched = line_start;
        loop {
            if memchr::memchr(b'\n', &buffer[searched..]).is_some()
                || line_start == buffer.len()
            {
                break;
            }
            searched = buffer.len();
            if (searched - line_start) as u64 > max_bytes {
                buffer.truncate(line_start);
                return Ok((from, Some(first + line_start as u64)));
            }
            if input
                .take(EXTEND_BYTES.max(searched as u64 / 2))
                .read_to_end(buffer)?
                == 0
            {
                break;
            }
        }
        // Only the first line feed after the range matters: later lines are not ours.
        if let Some(at) = memchr::memchr(b'\n', &buffer[searched..]) {
            buffer.truncate(searched + at + 1);
        }
        Ok((from, None))
    }

    /// The records of a block of whole lines.
    fn lines_of(&mut self, block: &Block) -> Result<()> {
        let mut records = 0;
        let (sink, values, fields) = (&mut *self.sink, &mut self.values, &self.fields);
        let joined = &mut self.joined;
        let input = &self.source.files[block.file as usize];
        let max_bytes = self.source.options.max_record_bytes;
        let (file, number) = (block.file, block.number);
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
            let position = Position {
                file,
                block: number,
                index,
            };
            let fault = |kind, detail| BadRecord {
                position,
                offset: offset + start as u64,
                kind,
                detail,
            };
            if line.len() as u64 > max_bytes {
                let detail = plain_text::too_long(max_bytes);
                return bad_record(sink, input, fault(BadKind::TooLong, detail));
            }
            match jsonl::read_line(line, fields, values) {
                Ok(()) => sink.document(&Record {
                    id: values.id.as_deref().filter(|id| !id.is_empty()),
                    text: join(values, joined),
                    metadata: &values.metadata,
                    position,
                    ..Record::default()
                }),
                Err((kind, detail)) => bad_record(sink, input, fault(kind, detail)),
            }
        })?;
        let ends = [
            block
                .too_long
                .map(|at| (at, BadKind::TooLong, plain_text::too_long(max_bytes))),
            block.broken.clone().map(|detail| {
                (offset + bytes.len() as u64, BadKind::Compression, detail)
            }),
        ];
        for (offset, kind, detail) in ends.into_iter().flatten() {
            let position = Position {
                file,
                block: number,
                index: places,
            };
            self.bad_record(BadRecord {
                position,
                offset,
                kind,
                detail,
            })?;
            places += 1;
            records += 1;
        }
        self.report(file, number, places, records, 0);
        Ok(())
    }

    /// A file that is one document.
    fn document(&mut self, file: u32) -> Result<()> {
        let path = self.path(file);
        let reader = match compress::open(path) {
            Ok((_, reader)) => reader,
            Err(error) => {
                return self.record_early(vec![whole_file(
                    file,
                    BadKind::Unreadable,
                    error.to_string(),
                )]);
            }
        };
        self.one_document(file, reader)?;
        self.progress
            .advance(self.source.files[file as usize].bytes);
        Ok(())
    }

    fn one_document(&mut self, file: u32, reader: impl Read) -> Result<()> {
        let input = &self.source.files[file as usize];
        let max_bytes = self.source.options.max_record_bytes;
        let position = Position {
            file,
            block: 0,
            index: 0,
        };
        match plain_text::read(reader, &mut self.buffer, max_bytes) {
            Ok(text) => {
                let metadata = vec![None; self.source.options.keys.metadata.len()];
                let id = Some(input.name.as_str());
                self.sink.document(&Record {
                    id,
                    text,
                    metadata: &metadata,
                    position,
                    ..Record::default()
                })?;
            }
            Err((kind, detail)) => self.bad_record(whole_file(file, kind, detail))?,
        }
        self.report(file, 0, 1, 1, input.bytes);
        Ok(())
    }

    /// A compressed file, a pipe or standard input: it can only be read from its start.
    fn stream(&mut self, file: u32) -> Result<()> {
        let counter = Arc::new(AtomicU64::new(0));
        let input = &self.source.files[file as usize];
        let raw: Box<dyn Read + Send> = match &input.path {
            None => Box::new(io::stdin()),
            Some(path) => match File::open(path) {
                Ok(file) => Box::new(file),
                Err(error) => {
                    let bad = whole_file(file, BadKind::Unreadable, error.to_string());
                    return self.record_early(vec![bad]);
                }
            },
        };
        let counted = Counted {
            inner: raw,
            count: Arc::clone(&counter),
        };
        let mut reader = match compress::unpack(Box::new(counted)) {
            Ok((_, reader)) => reader,
            Err(error) => {
                let bad = whole_file(file, BadKind::Unreadable, error.to_string());
                return self.record_early(vec![bad]);
            }
        };
        if !input.regular {
            let mut head = Vec::new();
            let read = reader
                .by_ref()
                .take(detect::SNIFF_BYTES)
                .read_to_end(&mut head);
            if let Err(error) = read {
                // What came before the fault is read; then the fault is recorded.
                reader = Box::new(Fault(Some(error)));
            }
            let by_name = || input.path.as_deref().and_then(detect::format_by_name);
            let format = self.source.options.format.or_else(by_name);
            let format = format.unwrap_or_else(|| detect::by_content(&head));
            let binary = detect::is_binary(&head);
            reader = Box::new(io::Cursor::new(head).chain(reader));
            if binary {
                let detail = "zero bytes: neither JSON lines nor text".to_owned();
                return self.record_early(vec![whole_file(
                    file,
                    BadKind::Binary,
                    detail,
                )]);
            }
            if format == InputFormat::Text {
                return self.one_document(file, reader);
            }
        }
        self.stream_lines(file, reader, &counter)
    }

    fn stream_lines(
        &mut self,
        file: u32,
        reader: Box<dyn Read + Send>,
        counter: &AtomicU64,
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
            if let Some(block) = self.work.offer(block) {
                self.lines_of(&block)?;
            }
            let read = counter.load(Ordering::Relaxed);
            self.progress.advance(read - told);
            told = read;
            if last {
                break;
            }
        }
        // The bytes of a stream belong to no block in particular.
        self.report(file, u32::MAX, 0, 0, told);
        Ok(())
    }
}
