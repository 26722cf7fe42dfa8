//! Lines: of a range of a file, of a block, of a stream.

use super::super::block::{Block, LineBlock, for_each_line};
use super::super::stream::BlockStream;
use super::super::{jsonl, plain_text, range};
use super::Reader;
use neardupe_core::document::{BadKind, BlockRead, Position};
use neardupe_core::error::Result;
use std::fs::File;
use std::io::{self, Read};
use std::sync::atomic::AtomicU64;

impl Reader<'_> {
    /// The lines that begin in `start..end` of a file that is not compressed.
    pub(super) fn range(
        &mut self,
        file: u32,
        number: u32,
        start: u64,
        end: u64,
    ) -> Result<()> {
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
    pub(super) fn lines_of(&mut self, block: &LineBlock) -> Result<()> {
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

    pub(super) fn stream_lines(
        &mut self,
        file: u32,
        reader: Box<dyn Read + Send>,
        packed: &AtomicU64,
    ) -> Result<()> {
        let max_bytes = self.source.options.max_record_bytes;
        let mut stream = BlockStream::new(reader);
        let mut told = 0;
        for number in 0u32.. {
            if !self.goes_on()? {
                return Ok(());
            }
            let mut block = stream.next_block(max_bytes);
            (block.file, block.number) = (file, number);
            let last = BlockStream::is_last(&block);
            self.offer(Block::Lines(block), packed, &mut told)?;
            if last {
                break;
            }
        }
        self.bytes_of_stream(file, told);
        Ok(())
    }
}
