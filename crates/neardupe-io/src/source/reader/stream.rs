//! Files that can only be read from their start.

use super::super::block::Block;
use super::super::csv::CsvEntries;
use super::super::detect;
use super::super::discover::InputFile;
use super::super::format::Layout;
use super::super::formats::InputFormat;
use super::super::stream::{Bounded, CountedRead, Fault as StreamFault};
use super::Reader;
use crate::compress;
use neardupe_core::document::{BadKind, BlockRead};
use neardupe_core::error::Result;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

fn open_at(path: &Path, start: u64) -> io::Result<File> {
    let mut file = File::open(path)?;
    if start > 0 {
        file.seek(SeekFrom::Start(start))?;
    }
    Ok(file)
}

impl Reader<'_> {
    /// A file that can only be read from its start: compressed, a pipe, standard input, or
    /// of a format whose records have no places that could be found without reading.
    pub(super) fn stream(
        &mut self,
        file: u32,
        format: Option<InputFormat>,
        start: u64,
        most: u64,
    ) -> Result<()> {
        let input = self.input(file);
        let raw: Box<dyn Read + Send> = match &input.path {
            None => self.source.take_stream(),
            Some(path) => match open_at(path, start) {
                Ok(file) => Box::new(file.take(most)),
                Err(error) => return self.unreadable(file, &error),
            },
        };
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
    pub(super) fn offer(
        &mut self,
        block: Block,
        packed: &AtomicU64,
        told: &mut u64,
    ) -> Result<()> {
        if let Some(block) = self.work.offer(block) {
            self.block(block)?;
        }
        let read = packed.load(Ordering::Relaxed);
        self.progress.advance(read - *told);
        *told = read;
        Ok(())
    }

    /// The bytes of a stream belong to no block in particular.
    pub(super) fn bytes_of_stream(&mut self, file: u32, bytes: u64) {
        self.reports.push(BlockRead {
            file,
            block: BlockRead::WHOLE_FILE,
            bytes,
            ..BlockRead::default()
        });
    }
}
