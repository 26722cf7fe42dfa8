//! What there is to read, in the order of the input, cut into parts.
//!
//! A job that was interrupted goes on with the first part that is not complete. So a part
//! must be the same in every run: it follows from the files and the options alone, never
//! from the number of threads.

use super::detect;
use super::discover::InputFile;
use super::fields::{FieldKeys, Fields};
use super::format::Layout;
use super::formats::{self, InputFormat};
use super::origin::FileState;
use super::parquet::{GroupRows, ParquetFile};
use super::read::{BLOCK_BYTES, ReadOptions};
use super::reader::WantedFields;
use super::values::Fault;
use super::work::ReadTask;
use crate::compress::Compression;
use neardupe_core::document::BadKind;
use neardupe_core::error::Result;
use std::path::Path;
use std::sync::Arc;

/// All tasks of reading, by part. (The word plan is for what a job or a sample will do.)
#[derive(Debug)]
pub(super) struct ReadTasks {
    /// The wanted fields, shared by all tasks.
    pub(super) wanted: WantedFields,
    /// Files of which nothing can be read, in order.
    pub(super) unreadable: Vec<(u32, Fault)>,
    /// In the order of the input, so that no part has a record before one of an earlier
    /// part.
    tasks: Vec<ReadTask>,
    /// Number of tasks up to the end of each part.
    ends: Vec<usize>,
    /// Each file as it was before it was looked at; None for pipes and whatever else is not a regular file.
    states: Vec<Option<FileState>>,
}

impl ReadTasks {
    /// Looks at every file once: its first bytes and, for Parquet, its footer. The cost is a
    /// few reads per file, whatever its size.
    pub(super) fn new(files: &[InputFile], options: &ReadOptions) -> Result<Self> {
        let mut all = ReadTasks {
            // Wrong keys are noticed before anything is read.
            wanted: wanted(&options.keys)?,
            unreadable: Vec::new(),
            tasks: Vec::new(),
            ends: Vec::new(),
            states: Vec::with_capacity(files.len()),
        };
        let mut held = 0u64;
        for (file, input) in (0u32..).zip(files) {
            let path = input.path.as_ref().filter(|_| input.regular);
            all.states.push(path.and_then(|path| FileState::of(path)));
            let tasks = match tasks_of(file, input, options, &all.wanted) {
                Ok(tasks) => tasks,
                Err(fault) => {
                    all.unreadable.push((file, fault));
                    continue;
                }
            };
            for (task, bytes) in tasks {
                all.tasks.push(task);
                held = bytes.saturating_add(held);
                // A part ends after the task that fills it: a task is never divided.
                if held >= options.part_bytes {
                    all.ends.push(all.tasks.len());
                    held = 0;
                }
            }
        }
        // The last part may be small. Without any task there is one empty part, so that
        // unreadable files are reported.
        if all.ends.last() != Some(&all.tasks.len()) {
            all.ends.push(all.tasks.len());
        }
        Ok(all)
    }

    /// At least one.
    pub(super) fn num_parts(&self) -> usize {
        self.ends.len()
    }

    /// All tasks.
    pub(super) fn tasks(&self) -> &[ReadTask] {
        &self.tasks
    }

    /// The tasks of a part; None when there is no such part.
    pub(super) fn part(&self, part: usize) -> Option<&[ReadTask]> {
        let end = *self.ends.get(part)?;
        let start = part.checked_sub(1).map_or(0, |before| self.ends[before]);
        Some(&self.tasks[start..end])
    }

    /// The files whose last task is in a part, each with the number of a block that comes after all its
    /// tasks begin. Files without tasks end with the last part.
    pub(super) fn ended_in(&self, part: usize) -> Vec<(u32, u32)> {
        let Some(tasks) = self.part(part) else {
            return Vec::new();
        };
        let next = self.ends.get(part).and_then(|end| self.tasks.get(*end));
        let next = next.map(|task| task.file());
        let mut ended: Vec<(u32, u32)> = tasks
            .chunk_by(|one, other| one.file() == other.file())
            .filter_map(<[ReadTask]>::last)
            .filter(|task| next != Some(task.file()))
            .map(|task| match *task {
                ReadTask::Range { file, block, .. } => (file, block + 1),
                ReadTask::RowGroup {
                    file, first_block, ..
                } => (file, first_block + 1),
                ReadTask::Stream { file, .. } | ReadTask::Document { file, .. } => {
                    (file, 0)
                }
            })
            .collect();
        if part + 1 == self.num_parts() {
            let files = (0u32..).zip(&self.states).map(|(file, _)| file);
            let idle = files.filter(|&file| {
                self.tasks_of(file).is_empty() && !self.is_unreadable(file)
            });
            ended.extend(idle.map(|file| (file, 0)));
        }
        ended
    }

    /// Whether a file is no longer as it was before it was read.
    pub(super) fn has_changed(&self, file: u32, input: &InputFile) -> bool {
        let before = self.states.get(file as usize).copied().flatten();
        let (Some(before), Some(path)) = (before, &input.path) else {
            return false;
        };
        // Ranges were cut by the size that was known when the file was found.
        let is_as_found = input.bytes == 0 || input.bytes == before.bytes();
        !is_as_found || FileState::of(path) != Some(before)
    }

    /// The tasks of a file, in order.
    pub(super) fn tasks_of(&self, file: u32) -> &[ReadTask] {
        let start = self.tasks.partition_point(|task| task.file() < file);
        let end = self.tasks.partition_point(|task| task.file() <= file);
        &self.tasks[start..end]
    }

    /// Whether nothing of a file can be read.
    pub(super) fn is_unreadable(&self, file: u32) -> bool {
        let found = self
            .unreadable
            .binary_search_by_key(&file, |(file, _)| *file);
        found.is_ok()
    }

    /// Whether the system refused a file.
    pub(super) fn is_refused(&self, file: u32) -> bool {
        let found = self
            .unreadable
            .binary_search_by_key(&file, |(file, _)| *file);
        found.is_ok_and(|at| self.unreadable[at].1.0 == BadKind::Unreadable)
    }
}

/// The fields to read, by how a format names its own.
fn wanted(keys: &FieldKeys) -> Result<WantedFields> {
    let mut known = keys.clone();
    if !known.text.iter().any(|key| formats::is_known_text(key)) {
        known.text = vec!["text".to_owned()];
    }
    // These formats define the id themselves; the address may be wanted instead.
    if known.id != "url" {
        known.id = "id".to_owned();
    }
    Ok(WantedFields {
        free: Arc::new(Fields::new(keys)?),
        known: Arc::new(Fields::new(&known)?),
    })
}

/// The tasks of a file, in order, each with its bytes as stored.
fn tasks_of(
    file: u32,
    input: &InputFile,
    options: &ReadOptions,
    wanted: &WantedFields,
) -> Result<Vec<(ReadTask, u64)>, Fault> {
    // A pipe has no bytes to look at beforehand; its format is detected when it is read.
    let Some(path) = input.path.as_ref().filter(|_| input.regular) else {
        let format = None;
        return Ok(vec![(stream(file, format), input.bytes)]);
    };
    let sniffed = detect::sniff(path, options.format)
        .map_err(|error| (BadKind::Unreadable, error.to_string()))?
        .map_err(|detail| (BadKind::Binary, detail))?;
    let format = sniffed.format;
    let is_packed = sniffed.compression != Compression::None;
    match format.spec().layout {
        Layout::Document { is_html } => {
            Ok(vec![(ReadTask::Document { file, is_html }, input.bytes)])
        }
        Layout::Lines if !is_packed => Ok(ranges(file, input.bytes)),
        Layout::Columns if !is_packed => {
            row_groups(file, path, input.bytes, options, wanted)
        }
        Layout::Lines | Layout::Columns | Layout::Table { .. } | Layout::Entries(_) => {
            let format = Some(format);
            Ok(vec![(stream(file, format), input.bytes)])
        }
    }
}

/// A task that reads a file from its start to its end.
fn stream(file: u32, format: Option<InputFormat>) -> ReadTask {
    ReadTask::Stream {
        file,
        format,
        start: 0,
        most: None,
    }
}

/// The ranges of a file of lines.
fn ranges(file: u32, bytes: u64) -> Vec<(ReadTask, u64)> {
    // Borders depend on the size of the file alone, so records keep their positions in every
    // run.
    let starts = (0..bytes.div_ceil(BLOCK_BYTES)).map(|block| block * BLOCK_BYTES);
    let ranges = (0u32..).zip(starts).map(|(block, start)| {
        let end = bytes.min(start + BLOCK_BYTES);
        let range = ReadTask::Range {
            file,
            block,
            start,
            end,
        };
        (range, end - start)
    });
    ranges.collect()
}

/// The row groups of a file, each with the number of its first block.
fn row_groups(
    file: u32,
    path: &Path,
    bytes: u64,
    options: &ReadOptions,
    wanted: &WantedFields,
) -> Result<Vec<(ReadTask, u64)>, Fault> {
    let parquet = ParquetFile::open(path, &wanted.free, options.limits())?;
    let mut first_block = 0;
    let all = parquet.groups();
    let groups = all.iter().map(|group| {
        let task = ReadTask::RowGroup {
            file,
            group: group.number,
            first_block,
            most: None,
        };
        // The sum fits: opening the file refuses a footer with more blocks than 32 bits can number.
        first_block += group.blocks();
        (task, share(bytes, group.number, &all))
    });
    Ok(groups.collect())
}

/// Bytes of a row group: a file's bytes, footer and unwanted columns included, are shared
/// among its groups.
pub(super) fn share(bytes: u64, number: usize, groups: &[GroupRows]) -> u64 {
    // Differences of rounded sums: all shares together are exactly the bytes of the file.
    let before = |number: usize| {
        let product = u128::from(bytes) * number as u128;
        u64::try_from(product / groups.len().max(1) as u128).unwrap_or(bytes)
    };
    before(number + 1) - before(number)
}

/// About the bytes of each of so many row groups.
pub(super) fn even_share(bytes: u64, groups: usize) -> u64 {
    bytes.div_ceil((groups as u64).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use neardupe_core::document::Side;
    use std::fs;

    fn lines(folder: &Path, name: &str, bytes: u64) -> InputFile {
        let path = folder.join(name);
        fs::write(&path, "{\"text\":\"a\"}\n").unwrap();
        InputFile {
            path: Some(path),
            name: name.to_owned(),
            bytes,
            regular: true,
            side: Side::New,
        }
    }

    fn sizes(all: &ReadTasks) -> Vec<usize> {
        let parts = (0..all.num_parts()).map(|part| all.part(part));
        parts.map(|tasks| tasks.unwrap().len()).collect()
    }

    #[test]
    fn a_part_ends_when_it_holds_enough() {
        let folder = tempfile::tempdir().unwrap();
        // Four ranges, one and two, as far as the list of files knows.
        let files = [
            lines(folder.path(), "a.jsonl", 3 * BLOCK_BYTES + 1),
            lines(folder.path(), "b.jsonl", 10),
            lines(folder.path(), "c.jsonl", 2 * BLOCK_BYTES),
        ];
        let cut = |part_bytes| {
            let options = ReadOptions {
                part_bytes,
                ..ReadOptions::default()
            };
            sizes(&ReadTasks::new(&files, &options).unwrap())
        };
        assert_eq!(cut(0), [1; 7]);
        assert_eq!(cut(1), [1; 7]);
        assert_eq!(cut(BLOCK_BYTES), [1, 1, 1, 3, 1]);
        assert_eq!(cut(2 * BLOCK_BYTES), [2, 4, 1]);
        assert_eq!(cut(3 * BLOCK_BYTES), [3, 4]);
        assert_eq!(cut(u64::MAX), [7]);
    }

    #[test]
    fn nothing_to_read_is_one_part() {
        let options = ReadOptions::default();
        let all = ReadTasks::new(&[], &options).unwrap();
        assert_eq!(sizes(&all), [0]);
        assert!(all.part(1).is_none());
        let gone = InputFile {
            path: Some("/no/such/file.jsonl".into()),
            name: "file.jsonl".to_owned(),
            bytes: 0,
            regular: true,
            side: Side::New,
        };
        let all = ReadTasks::new(&[gone], &options).unwrap();
        assert_eq!(sizes(&all), [0]);
        assert!(all.is_refused(0));
    }
}
