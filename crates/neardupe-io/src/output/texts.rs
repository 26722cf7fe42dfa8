//! `texts.jsonl`: the text of every document as it was compared, for offsets to refer to.
//!
//! Texts pass once, while they are read, and ids are known only at the end. So each thread
//! writes its rows of a part of the input to a file of its own in the work directory,
//! without their ids, and beside it one of their offsets. When all is done
//! the rows are copied in the order of the input, each with its id in front. Both files
//! belong to what was read of the part: a job that goes on after an interruption has them
//! already.
//!
//! It is not one of the declared tables: regions and links are lists of objects, which only JSON
//! holds, and rows are made by many threads before their ids are known.

mod collate;
mod offsets;
mod row;
mod work_file;

use neardupe_core::document::{
    BadRecord, Origin, PartRead, Progress, Record, Side, Sink, Source, WorkFile,
};
use neardupe_core::error::{Error, Result};
use neardupe_core::pipeline::documents::Documents;
use neardupe_core::store::begin_own_files;
use offsets::TextOffsets;
use std::fs;
use std::path::{Path, PathBuf};
use work_file::WorkFileWriter;

/// The ending of files of rows.
const ROWS: &str = ".rows";
/// The ending of files of offsets, as work directories have had it from the first.
const OFFSETS: &str = ".index";

/// A source whose texts are written down as they pass.
pub struct TextLog<'a> {
    /// What is read.
    source: &'a dyn Source,
    /// The work directory.
    folder: PathBuf,
}

impl<'a> TextLog<'a> {
    /// Writes texts to `folder`, the work directory, until they are put together. It is
    /// made when it is not there.
    pub fn new(source: &'a dyn Source, folder: &Path) -> Self {
        TextLog {
            source,
            folder: folder.to_path_buf(),
        }
    }

    /// Puts the texts of all parts together as `texts.jsonl` of `result_folder`. The parts may
    /// have been read by an earlier program. What is in the work directory goes with it.
    pub fn finish(
        self,
        result_folder: &Path,
        parts: &[PartRead],
        documents: &Documents,
    ) -> Result<()> {
        let path = result_folder.join("texts.jsonl");
        collate::write(&path, &self.folder, parts, documents)
    }
}

/// Whether a file of the work directory is one of rows or of their offsets.
fn is_ours(name: &str) -> bool {
    name.starts_with("texts-") && (name.ends_with(ROWS) || name.ends_with(OFFSETS))
}

impl Source for TextLog<'_> {
    fn total_bytes(&self) -> u64 {
        self.source.total_bytes()
    }

    fn origins(&self) -> Result<Option<Vec<Origin>>> {
        self.source.origins()
    }

    fn file_names(&self) -> Vec<String> {
        self.source.file_names()
    }

    fn side(&self, file: u32) -> Side {
        self.source.side(file)
    }

    fn num_parts(&self) -> Result<u32> {
        self.source.num_parts()
    }

    fn read_part(
        &self,
        part: u32,
        sinks: Vec<&mut dyn Sink>,
        progress: &dyn Progress,
    ) -> Result<PartRead> {
        let folder = &self.folder;
        fs::create_dir_all(folder).map_err(|error| Error::io(folder, error))?;
        begin_own_files(folder)?;
        let mut logs = Vec::new();
        for (thread, sink) in sinks.into_iter().enumerate() {
            let name = format!("texts-{part:04}-{thread}");
            logs.push(LogSink {
                sink,
                row: Vec::new(),
                rows: WorkFileWriter::create(folder, format!("{name}{ROWS}"))?,
                offsets: WorkFileWriter::create(folder, format!("{name}{OFFSETS}"))?,
            });
        }
        let sinks = logs.iter_mut().map(|log| log as &mut dyn Sink).collect();
        // A file for each thread, so that threads never wait for each other. The order is made at the end.
        let mut read = self.source.read_part(part, sinks, progress)?;
        for log in logs {
            read.files.extend(log.finish()?);
        }
        Ok(read)
    }
}

/// Writes what passes one thread.
struct LogSink<'a> {
    /// What the job itself does with documents.
    sink: &'a mut dyn Sink,
    /// The row at hand, in memory that is used again.
    row: Vec<u8>,
    /// Rows of this thread for one part.
    rows: WorkFileWriter,
    /// Where these rows begin.
    offsets: WorkFileWriter,
}

impl LogSink<'_> {
    /// Completes both files. They are named in what was read of the part, with their checksums.
    fn finish(self) -> Result<[WorkFile; 2]> {
        Ok([self.rows.finish()?, self.offsets.finish()?])
    }
}

impl Sink for LogSink<'_> {
    fn document(&mut self, record: &Record<'_>) -> Result<()> {
        self.row.clear();
        row::write(record, &mut self.row)
            .map_err(|error| Error::Internal(format!("a row of texts: {error}")))?;
        let row = TextOffsets {
            position: record.position,
            start: self.rows.bytes(),
            len: self.row.len() as u64,
        };
        // The row first: an offset must never point beyond the rows.
        self.rows.write(&self.row)?;
        self.offsets.write(&row.to_bytes())?;
        self.sink.document(record)
    }

    fn bad_record(&mut self, bad: BadRecord) -> Result<()> {
        self.sink.bad_record(bad)
    }

    fn give_back(&mut self) {
        self.row = Vec::new();
        self.sink.give_back();
    }
}
