//! Reads all files in parallel, also within one large file.
//!
//! A file of lines that is not compressed is cut into ranges: the lines that begin in a
//! range belong to it. A compressed file is unpacked by one thread, which hands blocks of
//! lines to whoever is free and works on them itself when nobody is. Nothing is mapped into
//! memory, and a thread holds little more than a block at a time.

use super::detect::{self, InputFormat};
use super::discover::InputFile;
use super::fields::{FieldKeys, Fields};
use super::reader::{BlockReport, Reader, whole_file};
use super::work::{Task, Work};
use crate::compress::Compression;
use neardupe_core::document::{BadKind, BadRecord, FileRead, Progress, Sink, Source};
use neardupe_core::error::{Error, Result};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of a range or block: large enough that its borders cost nothing, small enough to
/// stay in the second-level cache between reading and parsing.
pub(super) const BLOCK_BYTES: u64 = 1 << 20;

/// How to read.
#[derive(Debug, Clone)]
pub struct ReadOptions {
    /// The fields of JSON records.
    pub keys: FieldKeys,
    /// The format of all files; None to tell by name and content.
    pub format: Option<InputFormat>,
    /// Longest record, in bytes.
    pub max_record_bytes: u64,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions {
            keys: FieldKeys::default(),
            format: None,
            max_record_bytes: 128 << 20,
        }
    }
}

/// A source over files.
#[derive(Debug)]
pub struct FileSource {
    pub(super) files: Vec<InputFile>,
    pub(super) options: ReadOptions,
}

impl FileSource {
    /// A source over these files.
    pub fn new(files: Vec<InputFile>, options: ReadOptions) -> Self {
        FileSource { files, options }
    }
}

impl Source for FileSource {
    fn total_bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }

    fn read(
        &self,
        sinks: Vec<&mut dyn Sink>,
        progress: &dyn Progress,
    ) -> Result<Vec<FileRead>> {
        // Wrong keys are noticed before anything is read.
        let fields = Arc::new(Fields::new(&self.options.keys)?);
        let (tasks, early) = self.plan();
        let work = Work::new(tasks, sinks.len());
        let failure: Mutex<Option<Error>> = Mutex::new(None);
        let early = Mutex::new(early);
        let reports: Vec<Vec<BlockReport>> = std::thread::scope(|scope| {
            let threads: Vec<_> = sinks
                .into_iter()
                .map(|sink| {
                    let fields = Arc::clone(&fields);
                    let (work, failure, early) = (&work, &failure, &early);
                    scope.spawn(move || {
                        let mut reader = Reader::new(self, fields, work, sink, progress);
                        let bad = std::mem::take(
                            &mut *early.lock().unwrap_or_else(PoisonError::into_inner),
                        );
                        let outcome =
                            reader.record_early(bad).and_then(|()| reader.run());
                        if let Err(error) = outcome {
                            fail(failure, work, error);
                        }
                        reader.reports
                    })
                })
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap_or_default())
                .collect()
        });
        if let Some(error) = failure.into_inner().unwrap_or_else(PoisonError::into_inner)
        {
            return Err(error);
        }
        Ok(self.file_reads(reports.into_iter().flatten().collect()))
    }
}

fn fail(failure: &Mutex<Option<Error>>, work: &Work, error: Error) {
    failure
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .get_or_insert(error);
    work.stop();
}

impl FileSource {
    /// What there is to read, and the files that cannot be.
    fn plan(&self) -> (VecDeque<Task>, Vec<BadRecord>) {
        let mut tasks = VecDeque::new();
        let mut bad = Vec::new();
        for (file, input) in (0u32..).zip(&self.files) {
            let Some(path) = input.path.as_ref().filter(|_| input.regular) else {
                tasks.push_back(Task::Stream { file });
                continue;
            };
            let sniffed = match detect::sniff(path, self.options.format) {
                Ok(sniffed) => sniffed,
                Err(error) => {
                    bad.push(whole_file(file, BadKind::Unreadable, error.to_string()));
                    continue;
                }
            };
            if sniffed.binary {
                let detail = "zero bytes: neither JSON lines nor text".to_owned();
                bad.push(whole_file(file, BadKind::Binary, detail));
                continue;
            }
            match (sniffed.format, sniffed.compression) {
                (InputFormat::Text, _) => tasks.push_back(Task::Document { file }),
                (InputFormat::Jsonl, Compression::None) => {
                    let num_blocks = input.bytes.div_ceil(BLOCK_BYTES);
                    let starts = (0..num_blocks).map(|block| block * BLOCK_BYTES);
                    tasks.extend((0u32..).zip(starts).map(|(block, start)| {
                        let end = input.bytes.min(start + BLOCK_BYTES);
                        Task::Range {
                            file,
                            block,
                            start,
                            end,
                        }
                    }));
                }
                (InputFormat::Jsonl, _) => tasks.push_back(Task::Stream { file }),
            }
        }
        (tasks, bad)
    }

    /// Puts the reports of all blocks together, so that records can be numbered.
    fn file_reads(&self, mut reports: Vec<BlockReport>) -> Vec<FileRead> {
        reports.sort_unstable_by_key(|report| (report.file, report.block));
        let mut reads: Vec<FileRead> = self
            .files
            .iter()
            .map(|file| FileRead {
                name: file.name.clone(),
                ..FileRead::default()
            })
            .collect();
        let mut places = vec![0u64; reads.len()];
        for report in reports {
            let (read, places) = (
                &mut reads[report.file as usize],
                &mut places[report.file as usize],
            );
            read.places_before.push(*places);
            *places += u64::from(report.places);
            read.records += report.records;
            read.bytes += report.bytes;
        }
        reads
    }
}
