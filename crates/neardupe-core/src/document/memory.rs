//! Documents that are in memory already, as a source.

use super::{
    BadKind, BadRecord, BlockRead, Origin, PartRead, Position, Progress, Record, Side,
    Sink, Source, check_cancelled,
};
use crate::error::Result;
use crate::numbers::narrow;
use crate::threads::at_once;
use std::borrow::Cow;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

/// Rows in memory, which any thread may look at in any order: a list, the columns of a table.
pub trait MemoryRows: Sync {
    /// How many there are.
    fn num_rows(&self) -> usize;

    /// One of them.
    fn row(&self, number: usize) -> MemoryRow<'_>;

    /// Bytes of all texts; 0 when that is not known without reading them.
    fn text_bytes(&self) -> u64 {
        0
    }
}

/// A row: a document, or the reason why it is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemoryRow<'a> {
    /// A document.
    Document(MemoryDocument<'a>),
    /// A bad record, with the reason for a person.
    Bad(BadKind, String),
}

/// A document in memory. What is borrowed is not copied.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemoryDocument<'a> {
    /// Its id; one without is named after its source and its number, from 1.
    pub id: Option<Cow<'a, str>>,
    /// Its text.
    pub text: Cow<'a, str>,
    /// One value for each metadata field that the job asks for, in that order.
    pub metadata: Cow<'a, [Option<String>]>,
}

impl MemoryDocument<'_> {
    fn row(&self) -> MemoryRow<'_> {
        MemoryRow::Document(MemoryDocument {
            id: self.id.as_deref().map(Cow::Borrowed),
            text: Cow::Borrowed(&self.text),
            metadata: Cow::Borrowed(&self.metadata),
        })
    }
}

impl MemoryRows for Vec<MemoryDocument<'_>> {
    fn num_rows(&self) -> usize {
        self.len()
    }

    fn row(&self, number: usize) -> MemoryRow<'_> {
        self[number].row()
    }

    fn text_bytes(&self) -> u64 {
        self.iter().map(|document| document.text.len() as u64).sum()
    }
}

impl<R: MemoryRows + ?Sized> MemoryRows for &R {
    fn num_rows(&self) -> usize {
        (**self).num_rows()
    }

    fn row(&self, number: usize) -> MemoryRow<'_> {
        (**self).row(number)
    }

    fn text_bytes(&self) -> u64 {
        (**self).text_bytes()
    }
}

/// How rows are shared among threads.
#[derive(Debug, Clone, Copy)]
struct Shares {
    /// Rows that a thread takes at a time.
    rows_of_block: usize,
    /// Blocks of a part; a job in parts puts away what it has read.
    blocks_of_part: usize,
}

/// A source of rows in memory.
///
/// ```
/// use neardupe_core::document::{MemorySource, Silent};
/// use neardupe_core::pipeline::{FindConfig, find};
///
/// let source = MemorySource::of_texts(["to be or not to be", "To be, or not to be?", "else"]);
/// let result = find(&source, &FindConfig::new("work".into()), &Silent)?;
/// assert_eq!(result.duplicates.len(), 1);
/// # Ok::<(), neardupe_core::error::Error>(())
/// ```
#[derive(Debug)]
pub struct MemorySource<R> {
    /// Each is what a file is for other sources.
    tables: Vec<MemoryTable<R>>,
    shares: Shares,
}

/// One input, which has a name and a side as a file has.
#[derive(Debug)]
struct MemoryTable<R> {
    name: String,
    side: Side,
    rows: R,
}

impl<'a> MemorySource<Vec<MemoryDocument<'a>>> {
    /// Texts without ids: they are called `memory:1`, `memory:2` and so on.
    pub fn of_texts<T: Into<Cow<'a, str>>>(texts: impl IntoIterator<Item = T>) -> Self {
        let documents = texts.into_iter().map(|text| MemoryDocument {
            text: text.into(),
            ..MemoryDocument::default()
        });
        MemorySource::new("memory", documents.collect())
    }

    /// Texts with their ids.
    pub fn of_documents<I: Into<Cow<'a, str>>, T: Into<Cow<'a, str>>>(
        documents: impl IntoIterator<Item = (I, T)>,
    ) -> Self {
        let documents = documents.into_iter().map(|(id, text)| MemoryDocument {
            id: Some(id.into()),
            text: text.into(),
            ..MemoryDocument::default()
        });
        MemorySource::new("memory", documents.collect())
    }
}

impl<R: MemoryRows> MemorySource<R> {
    /// Rows; documents without an id are named after `name`.
    pub fn new(name: &str, rows: R) -> Self {
        MemorySource {
            tables: vec![MemoryTable {
                name: name.to_owned(),
                side: Side::New,
                rows,
            }],
            shares: Shares {
                rows_of_block: 1 << 10,
                blocks_of_part: 1 << 10,
            },
        }
    }

    /// More rows of the same side, after those that are there.
    pub fn and(mut self, name: &str, rows: R) -> Self {
        let (name, side) = (name.to_owned(), Side::New);
        self.tables.push(MemoryTable { name, side, rows });
        self
    }

    /// Old documents, which a job with `against` compares the others with.
    pub fn against(mut self, name: &str, rows: R) -> Self {
        let (name, side) = (name.to_owned(), Side::Old);
        let before = self.tables.iter();
        // After the old ones and before the new ones: a source has its old files first.
        let place = before.filter(|table| table.side == Side::Old).count();
        self.tables.insert(place, MemoryTable { name, side, rows });
        self
    }

    /// Rows that a thread takes at a time, and blocks of them in a part.
    pub fn shared_by(mut self, rows_of_block: usize, blocks_of_part: usize) -> Self {
        self.shares = Shares {
            rows_of_block: rows_of_block.max(1),
            blocks_of_part: blocks_of_part.max(1),
        };
        self
    }

    /// All blocks in order: the table, the number of the block in it, its first row.
    fn blocks(&self) -> impl Iterator<Item = (usize, usize, usize)> {
        let step = self.shares.rows_of_block;
        (0..).zip(&self.tables).flat_map(move |(table, rows)| {
            let starts = (0..rows.rows.num_rows()).step_by(step);
            starts
                .enumerate()
                .map(move |(block, start)| (table, block, start))
        })
    }
}

/// Blocks and rows have numbers of 32 bits.
const ROWS: &str = "rows of a source in memory";

impl<R: MemoryRows> Source for MemorySource<R> {
    fn total_bytes(&self) -> u64 {
        self.tables
            .iter()
            .map(|table| table.rows.text_bytes())
            .sum()
    }

    /// No files, but rows can be read again.
    fn origins(&self) -> Result<Option<Vec<Origin>>> {
        Ok(Some(Vec::new()))
    }

    fn file_names(&self) -> Vec<String> {
        self.tables.iter().map(|table| table.name.clone()).collect()
    }

    fn side(&self, file: u32) -> Side {
        self.tables[file as usize].side
    }

    fn num_parts(&self) -> Result<u32> {
        let parts = self.blocks().count().div_ceil(self.shares.blocks_of_part);
        narrow(parts.max(1), ROWS)
    }

    fn read_part(
        &self,
        part: u32,
        sinks: Vec<&mut dyn Sink>,
        progress: &dyn Progress,
    ) -> Result<PartRead> {
        let len = self.shares.blocks_of_part;
        let blocks: Vec<_> = self.blocks().skip(part as usize * len).take(len).collect();
        let next = AtomicU32::new(0);
        let shared = Mutex::new((PartRead::default(), None));
        at_once(sinks, |sink| {
            // The last block first: no result may depend on the order.
            let take = || {
                let taken = next.fetch_add(1, Ordering::Relaxed) as usize;
                blocks.len().checked_sub(taken + 1).map(|at| blocks[at])
            };
            while let Some(block) = take() {
                let read = self.read_block(block, sink, progress);
                let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
                match read {
                    Ok(read) => shared.0.blocks.push(read),
                    Err(error) => {
                        shared.1.get_or_insert(error);
                        // The other threads find no block any more. Half of the largest number, so that it cannot wrap while they ask.
                        next.store(u32::MAX / 2, Ordering::Relaxed);
                    }
                }
            }
        });
        match shared.into_inner().unwrap_or_else(PoisonError::into_inner) {
            (_, Some(error)) => Err(error),
            (read, None) => Ok(read),
        }
    }
}

impl<R: MemoryRows> MemorySource<R> {
    /// Reads the rows of one block.
    fn read_block(
        &self,
        (table, block, start): (usize, usize, usize),
        sink: &mut dyn Sink,
        progress: &dyn Progress,
    ) -> Result<BlockRead> {
        check_cancelled(progress)?;
        let rows = &self.tables[table].rows;
        let end = rows.num_rows().min(start + self.shares.rows_of_block);
        let (file, block) = (narrow(table, ROWS)?, narrow(block, ROWS)?);
        let mut bytes = 0;
        for (index, number) in (0u32..).zip(start..end) {
            let position = Position { file, block, index };
            // A row that is not wanted still has its place: positions are those of the whole input.
            if !sink.wants(position) {
                continue;
            }
            match rows.row(number) {
                MemoryRow::Document(document) => {
                    bytes += document.text.len() as u64;
                    sink.document(&Record {
                        id: document.id.as_deref(),
                        text: &document.text,
                        metadata: &document.metadata,
                        position,
                        ..Record::default()
                    })?;
                }
                MemoryRow::Bad(kind, detail) => sink.bad_record(BadRecord {
                    position,
                    offset: 0,
                    kind,
                    detail,
                })?,
            }
        }
        progress.advance(bytes);
        let len = narrow(end - start, ROWS)?;
        Ok(BlockRead {
            file,
            block,
            places: len,
            records: u64::from(len),
            skipped: 0,
            bytes,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Silent;
    use super::*;

    /// What came, as file, number, id and text.
    #[derive(Default)]
    struct Seen(Vec<(Position, Option<String>, String)>);

    impl Sink for Seen {
        fn document(&mut self, record: &Record<'_>) -> Result<()> {
            let id = record.id.map(str::to_owned);
            self.0.push((record.position, id, record.text.to_owned()));
            Ok(())
        }

        fn bad_record(&mut self, bad: BadRecord) -> Result<()> {
            self.0
                .push((bad.position, None, format!("bad: {}", bad.detail)));
            Ok(())
        }
    }

    fn read(source: &dyn Source, threads: usize) -> Vec<(Option<String>, String)> {
        let mut sinks: Vec<Seen> = Vec::new();
        sinks.resize_with(threads, Seen::default);
        let mut records = 0;
        for part in 0..source.num_parts().unwrap() {
            let sinks = sinks.iter_mut().map(|sink| sink as &mut dyn Sink);
            let read = source.read_part(part, sinks.collect(), &Silent).unwrap();
            records += read.blocks.iter().map(|block| block.records).sum::<u64>();
        }
        let mut seen: Vec<_> = sinks.into_iter().flat_map(|sink| sink.0).collect();
        assert_eq!(records, seen.len() as u64);
        seen.sort();
        seen.into_iter().map(|(_, id, text)| (id, text)).collect()
    }

    #[test]
    fn every_row_comes_once_however_rows_are_shared() {
        let texts: Vec<String> = (0..50).map(|number| format!("t{number:02}")).collect();
        for (rows, blocks, threads) in [(1, 1, 1), (7, 2, 3), (1, 9, 2), (100, 1, 4)] {
            let source = MemorySource::of_texts(&texts).shared_by(rows, blocks);
            let seen = read(&source, threads);
            let expected: Vec<_> =
                texts.iter().map(|text| (None, text.clone())).collect();
            assert_eq!(seen, expected);
        }
        assert!(read(&MemorySource::of_texts([""; 0]), 2).is_empty());
    }

    #[test]
    fn old_documents_come_first_and_are_told_from_new_ones() {
        let of = |texts: &[&'static str]| -> Vec<MemoryDocument<'static>> {
            let document = |text: &&'static str| MemoryDocument {
                text: Cow::Borrowed(*text),
                ..MemoryDocument::default()
            };
            texts.iter().map(document).collect()
        };
        let source = MemorySource::new("new", of(&["c"]))
            .and("more", of(&["d"]))
            .against("old", of(&["a"]))
            .against("older", of(&["b"]));
        assert_eq!(source.file_names(), ["old", "older", "new", "more"]);
        let sides: Vec<Side> = (0..4).map(|file| source.side(file)).collect();
        assert_eq!(sides, [Side::Old, Side::Old, Side::New, Side::New]);
        let texts: Vec<_> = read(&source, 2).into_iter().map(|(_, text)| text).collect();
        assert_eq!(texts, ["a", "b", "c", "d"]);
    }

    struct Faulty;

    impl MemoryRows for Faulty {
        fn num_rows(&self) -> usize {
            2
        }

        fn row(&self, number: usize) -> MemoryRow<'_> {
            match number {
                0 => MemoryRow::Bad(BadKind::MissingText, "null".to_owned()),
                _ => MemoryRow::Document(MemoryDocument::default()),
            }
        }
    }

    #[test]
    fn a_row_that_is_no_document_is_a_bad_record() {
        let seen = read(&MemorySource::new("rows", Faulty), 1);
        assert_eq!(seen[0].1, "bad: null");
        assert_eq!(seen[1].1, "");
    }
}
