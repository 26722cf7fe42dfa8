//! Reads all files in parallel, also within one large file.
//!
//! A file of lines that is not compressed is cut into ranges: the lines that begin in a
//! range belong to it. A compressed file is unpacked by one thread, which hands blocks of
//! lines to whoever is free and works on them itself when nobody is. Nothing is mapped into
//! memory, and a thread holds little more than a block at a time.

use super::detect::{self, InputFormat};
use super::discover::InputFile;
use super::fields::{FieldKeys, Fields};
use super::formats;
use super::parquet::ParquetFile;
use super::reader::{BlockReport, Reader, Wanted};
use super::text_maker::TextOptions;
use super::values::Fault;
use super::work::{Task, Work};
use crate::compress::Compression;
use neardupe_core::document::{BadKind, FileRead, Progress, Sink, Source, SourceRead};
use neardupe_core::error::{Error, Result};
use std::collections::{BTreeMap, VecDeque};
use std::io::{self, Read};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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
    /// Most unpacked bytes for a byte of a compressed file.
    pub max_expansion: u64,
    /// How texts are made.
    pub text: TextOptions,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions {
            keys: FieldKeys::default(),
            format: None,
            max_record_bytes: 128 << 20,
            max_expansion: 500,
            text: TextOptions::default(),
        }
    }
}

/// A source over files.
pub struct FileSource {
    pub(super) files: Vec<InputFile>,
    pub(super) options: ReadOptions,
    /// What is read for the file without a path; standard input unless told.
    stream: Mutex<Option<Box<dyn Read + Send>>>,
}

impl FileSource {
    /// A source over these files.
    pub fn new(files: Vec<InputFile>, options: ReadOptions) -> Self {
        let stream = Mutex::new(Some(Box::new(io::stdin()) as Box<dyn Read + Send>));
        FileSource {
            files,
            options,
            stream,
        }
    }

    /// A source over whatever a reader gives, once.
    pub fn from_reader(
        reader: impl Read + Send + 'static,
        name: &str,
        options: ReadOptions,
    ) -> Self {
        let files = vec![InputFile::stream(name)];
        FileSource {
            files,
            options,
            stream: Mutex::new(Some(Box::new(reader))),
        }
    }

    /// What is read for the file without a path. It can be read once.
    pub(super) fn take_stream(&self) -> Box<dyn Read + Send> {
        let mut stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        stream.take().unwrap_or_else(|| Box::new(io::empty()))
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
    ) -> Result<SourceRead> {
        // Wrong keys are noticed before anything is read.
        let wanted = self.wanted()?;
        let (tasks, early) = self.plan(&wanted);
        let work = Work::new(tasks, sinks.len());
        let shared = Mutex::new(Shared {
            early,
            ..Shared::default()
        });
        std::thread::scope(|scope| {
            for sink in sinks {
                let (work, shared, wanted) = (&work, &shared, wanted.clone());
                scope.spawn(move || {
                    let mut reader = Reader::new(self, wanted, work, sink, progress);
                    let early = std::mem::take(&mut lock(shared).early);
                    let mut outcome = early
                        .into_iter()
                        .try_for_each(|(file, fault)| reader.whole_file(file, fault));
                    if outcome.is_ok() {
                        outcome = reader.run();
                    }
                    let mut shared = lock(shared);
                    shared.reports.append(&mut reader.reports);
                    reader.maker().count_into(&mut shared.remarks);
                    if let Err(error) = outcome {
                        shared.failure.get_or_insert(error);
                        work.stop();
                    }
                });
            }
        });
        let shared = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        match shared.failure {
            Some(error) => Err(error),
            None => Ok(SourceRead {
                files: self.file_reads(shared.reports),
                remarks: shared.remarks,
            }),
        }
    }
}

/// The row groups of a file, each with the number of its first block.
fn row_groups(file: u32, parquet: &ParquetFile) -> Vec<Task> {
    let mut first_block = 0;
    let groups = parquet.groups().into_iter().map(|group| {
        let task = Task::RowGroup {
            file,
            group: group.number,
            first_block,
        };
        // That all blocks can be numbered was checked with the footer.
        first_block += u32::try_from(group.blocks()).unwrap_or(u32::MAX);
        task
    });
    groups.collect()
}

/// What the threads put together.
#[derive(Debug, Default)]
struct Shared {
    /// Files that were found unreadable before reading began.
    early: Vec<(u32, Fault)>,
    reports: Vec<BlockReport>,
    remarks: BTreeMap<String, u64>,
    failure: Option<Error>,
}

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl FileSource {
    /// The fields to read, by how a format names its own.
    fn wanted(&self) -> Result<Wanted> {
        let keys = &self.options.keys;
        let mut known = keys.clone();
        if !known.text.iter().any(|key| formats::is_known_text(key)) {
            known.text = vec!["text".to_owned()];
        }
        // These formats tell the id themselves; the address may be wanted in its place.
        if known.id != "url" {
            known.id = "id".to_owned();
        }
        Ok(Wanted {
            free: Arc::new(Fields::new(keys)?),
            known: Arc::new(Fields::new(&known)?),
        })
    }

    /// What there is to read, and the files that cannot be.
    fn plan(&self, wanted: &Wanted) -> (VecDeque<Task>, Vec<(u32, Fault)>) {
        let mut tasks = VecDeque::new();
        let mut bad = Vec::new();
        for (file, input) in (0u32..).zip(&self.files) {
            let Some(path) = input.path.as_ref().filter(|_| input.regular) else {
                let format = None;
                tasks.push_back(Task::Stream { file, format });
                continue;
            };
            let sniffed = match detect::sniff(path, self.options.format) {
                Ok(Ok(sniffed)) => sniffed,
                Ok(Err(detail)) => {
                    bad.push((file, (BadKind::Binary, detail)));
                    continue;
                }
                Err(error) => {
                    bad.push((file, (BadKind::Unreadable, error.to_string())));
                    continue;
                }
            };
            let format = sniffed.format;
            match (format, sniffed.compression) {
                (InputFormat::Text | InputFormat::Html, _) => {
                    tasks.push_back(Task::Document { file, format });
                }
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
                (InputFormat::Parquet, Compression::None) => {
                    let max_bytes = self.options.max_record_bytes;
                    match ParquetFile::open(path, &wanted.free, max_bytes) {
                        Ok(parquet) => tasks.extend(row_groups(file, &parquet)),
                        Err(fault) => bad.push((file, fault)),
                    }
                }
                _ => {
                    let format = Some(format);
                    tasks.push_back(Task::Stream { file, format });
                }
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
            if report.block != u32::MAX {
                // A damaged row group leaves out the blocks after the damage.
                read.places_before
                    .resize(report.block as usize + 1, *places);
                *places += u64::from(report.places);
            }
            read.records += report.records;
            read.skipped += report.skipped;
            read.bytes += report.bytes;
        }
        reads
    }
}
