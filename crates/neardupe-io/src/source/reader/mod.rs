//! One thread that reads: ranges, streams, row groups, whole documents, and blocks that
//! other threads hand on.

mod entries;
mod hand_on;
mod lines;
mod rows;
mod stream;

use super::block::Block;
use super::discover::InputFile;
use super::fields::Fields;
use super::format::FieldNames;
use super::formats::InputFormat;
use super::parquet::ParquetFile;
use super::plain_text;
use super::read::FileSource;
use super::text_maker::TextMaker;
use super::values::{Fault, TextKind, Values};
use super::work::{Next, ReadTask, Work};
use crate::compress;
use hand_on::HandOn;
use neardupe_core::document::{
    BadKind, BlockRead, Position, Progress, Sink, check_cancelled,
};
use neardupe_core::error::Result;
use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;

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
    source: &'a FileSource,
    work: &'a Work,
    progress: &'a dyn Progress,
    wanted: WantedFields,
    hand_on: HandOn<'a>,
    /// Values of a line or a whole document, used again and again.
    values: Values,
    /// Values of entries that were worked on.
    spare: Vec<Values>,
    buffer: Vec<u8>,
    open: Option<(u32, File)>,
    parquet: Option<(u32, ParquetFile)>,
    pub(super) reports: Vec<BlockRead>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(
        source: &'a FileSource,
        wanted: WantedFields,
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
            check_cancelled(self.progress)?;
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
                    self.work.stream_done();
                    outcome?;
                }
                Next::Task(ReadTask::RowGroup {
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

    /// Whether a stream goes on to its next block: not when another thread failed.
    fn goes_on(&self) -> Result<bool> {
        check_cancelled(self.progress)?;
        Ok(!self.work.is_stopped())
    }

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

    /// A file that is one document.
    fn document(&mut self, file: u32, is_html: bool) -> Result<()> {
        let input = self.input(file);
        let opened = match &input.path {
            Some(path) => compress::open(path),
            None => Err(io::Error::other("it has no path")),
        };
        match opened {
            Ok((_, reader)) => self.one_document(file, is_html, reader)?,
            Err(error) => self.unreadable(file, &error)?,
        }
        self.progress.advance(input.bytes);
        Ok(())
    }

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
        if let Some(report) = self.reports.last_mut() {
            report.bytes = input.bytes;
        }
        Ok(())
    }
}
