//! Entries: of a stream, of a block.

use super::super::block::{Block, EntryBlock};
use super::super::entries::{Entries, Entry};
use super::super::formats::InputFormat;
use super::super::read::BLOCK_BYTES;
use super::super::values::Values;
use super::Reader;
use neardupe_core::document::{BlockRead, Position, check_cancelled};
use neardupe_core::error::Result;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// Entries of a block at most: what they hold around their texts takes memory too.
const BLOCK_ENTRIES: usize = 4096;
/// Values kept to be used again, and the largest texts worth keeping: a thread that only
/// takes blocks would otherwise pile up their buffers.
const MAX_SPARE: usize = 64;
const MAX_SPARE_BYTES: u64 = 1 << 18;

impl Reader<'_> {
    pub(super) fn stream_entries(
        &mut self,
        file: u32,
        format: InputFormat,
        mut entries: Box<dyn Entries>,
        packed: &AtomicU64,
    ) -> Result<()> {
        let fields = Arc::clone(self.wanted.of(format));
        let charset = self.source.options.text.charset;
        let mut told = 0;
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
            self.offer(Block::Entries(block), packed, &mut told)?;
            if last {
                break;
            }
        }
        self.bytes_of_stream(file, told);
        Ok(())
    }

    /// The records of a block of entries.
    pub(super) fn entries_of(&mut self, block: EntryBlock) -> Result<()> {
        let num_entries = block.entries.len();
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
                    if self.spare.len() < MAX_SPARE
                        && values.num_bytes() < MAX_SPARE_BYTES
                    {
                        self.spare.push(values);
                    }
                }
                Err(fault) => self.hand_on.bad(position, offset, fault)?,
            }
        }
        self.reports.push(BlockRead {
            file: block.file,
            block: block.number,
            places: u32::try_from(num_entries).unwrap_or(u32::MAX),
            records: num_entries as u64,
            skipped: block.skipped,
            bytes: 0,
        });
        Ok(())
    }
}
