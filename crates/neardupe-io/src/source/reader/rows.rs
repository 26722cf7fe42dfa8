//! Rows of Parquet files: of a row group, of a block.

use super::super::block::{Block, RowsBlock};
use super::super::parquet::ParquetFile;
use super::super::read_tasks;
use super::super::values::Fault;
use super::Reader;
use neardupe_core::document::{BlockRead, Position};
use neardupe_core::error::Result;
use std::path::Path;

impl Reader<'_> {
    /// The rows of a group of a Parquet file, block by block.
    pub(super) fn row_group(
        &mut self,
        file: u32,
        number: usize,
        first_block: u32,
    ) -> Result<()> {
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
            if !self.goes_on()? {
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
        let bytes = read_tasks::share(input.bytes, number, &groups);
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
        self.reports.push(BlockRead {
            file,
            block,
            places: u32::try_from(rows).unwrap_or(u32::MAX),
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
    pub(super) fn rows_of(&mut self, block: &RowsBlock) -> Result<()> {
        let num_rows = block.rows.len();
        for (index, row) in (0u32..).zip(0..num_rows) {
            let position = Position {
                file: block.file,
                block: block.number,
                index,
            };
            if !self.hand_on.wants(position) {
                continue;
            }
            match block.rows.read(row, &mut self.values) {
                Ok(()) => self.hand_on.document(&self.values, position)?,
                Err(fault) => self.hand_on.bad(position, 0, fault)?,
            }
        }
        self.reports.push(BlockRead {
            file: block.file,
            block: block.number,
            places: u32::try_from(num_rows).unwrap_or(u32::MAX),
            records: num_rows as u64,
            ..BlockRead::default()
        });
        Ok(())
    }
}
