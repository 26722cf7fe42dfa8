//! Reads all files in parallel, also within one large file.
//!
//! A file of lines that is not compressed is cut into ranges: the lines that begin in a
//! range belong to it. A compressed file is unpacked by one thread, which hands blocks of
//! lines to whoever is free and works on them itself when nobody is. Nothing is mapped into
//! memory, and a thread holds little more than a block at a time.
//!
//! All that is read part by part, as `read_tasks` cuts it: at the end of a part nothing is left
//! half done.

use super::detect::{self, Sniffed};
use super::discover::InputFile;
use super::fields::FieldKeys;
use super::formats::InputFormat;
use super::lookup::{self, Bounds, Excerpt};
use super::origin;
use super::parquet::{Limits, PartLimit};
use super::plain_text;
use super::read_tasks::ReadTasks;
use super::reader::Reader;
use super::replay::{self, Visitor};
use super::sample::{self, Sample};
use super::shared_main;
use super::text_maker::TextOptions;
use super::values::Fault;
use super::waiting;
use super::whole_rows::CheckedGroups;
use super::work::{ReadTask, Work};
use neardupe_core::document::{
    BlockRead, Origin, PartRead, Position, Progress, SharedMain, Side, Sink, Source,
    check_cancelled,
};
use neardupe_core::error::{Error, Result};
use neardupe_core::hash::FixedMap;
use neardupe_core::store::RecordRoom;
use neardupe_core::threads::at_once;
use std::collections::VecDeque;
use std::io::{self, Read};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;

/// Bytes of a range or block: large enough that its borders cost nothing, small enough to
/// stay in the second-level cache between reading and parsing.
pub(super) const BLOCK_BYTES: u64 = 1 << 20;

/// How to read.
#[derive(Debug, Clone)]
pub struct ReadOptions {
    /// The fields of JSON records.
    pub keys: FieldKeys,
    /// The format of all files; None to detect it by name and content.
    pub format: Option<InputFormat>,
    /// Whether links that are met below a folder or in a glob are followed.
    pub follow_links: bool,
    /// Longest record, in bytes.
    pub max_record_bytes: u64,
    /// The room that large records share, where memory is bounded.
    pub room: Option<Arc<RecordRoom>>,
    /// Most unpacked bytes for a byte of a compressed file.
    pub max_expansion: u64,
    /// How texts are made.
    pub text: TextOptions,
    /// Bytes of a part of the input, as stored: a part ends where it holds as much.
    pub part_bytes: u64,
    /// Rows count only if all their columns can be read, since they will be written again.
    pub whole_rows: bool,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions {
            keys: FieldKeys::default(),
            format: None,
            follow_links: true,
            max_record_bytes: 128 << 20,
            room: None,
            max_expansion: 500,
            text: TextOptions::default(),
            part_bytes: 1 << 30,
            whole_rows: false,
        }
    }
}

/// Most parts, about: at the end of each some threads wait for the others, which with large
/// compressed files and many threads takes a while.
const MAX_PARTS: u64 = 32;

impl ReadOptions {
    /// The same in bounded memory: records that need more of it are too long.
    pub fn in_room(mut self, room: RecordRoom) -> Self {
        self.max_record_bytes = self.max_record_bytes.min(room.most());
        self.room = Some(Arc::new(room));
        self
    }

    /// The longest record, if it is the memory that allows no longer ones.
    pub fn limit_of_memory(&self) -> Option<u64> {
        let most = self.room.as_ref().map(|room| room.most());
        most.filter(|&most| most == self.max_record_bytes)
    }

    /// What may be read at once of a file of columns.
    pub(super) fn limits(&self) -> Limits {
        Limits {
            record: self.max_record_bytes,
            part: self.room.as_deref().map(PartLimit::of),
        }
    }

    /// What is said of a record of so many bytes, which is over the limit.
    pub(super) fn too_long(&self, bytes: u64) -> String {
        let max_bytes = self.max_record_bytes;
        let room = self.room.as_ref().filter(|room| room.most() == max_bytes);
        let Some(room) = room else {
            return plain_text::too_long(max_bytes);
        };
        let needed = room.memory_for(bytes) >> 20;
        format!(
            "{bytes} bytes, longer than {max_bytes} bytes, the most with this `memory`; \
             {needed}M are enough"
        )
    }

    /// The remedy for a record of unknown length, where the memory is what limits it.
    pub(super) fn remedy_of_memory(&self) -> Option<String> {
        let room = self.room.as_ref()?;
        let longer = room.most().saturating_mul(2);
        let needed = room.memory_for(longer) >> 20;
        (room.most() == self.max_record_bytes).then(|| {
            format!(
                ", the most with this `memory`; {needed}M are enough for {longer} bytes, and \
                 so on"
            )
        })
    }

    /// The same with parts that are larger where there is much to read.
    pub fn for_files(mut self, files: &[InputFile]) -> Self {
        let total: u64 = files.iter().map(|file| file.bytes).sum();
        self.part_bytes = self.part_bytes.max(total / MAX_PARTS);
        self
    }
}

/// A source over files.
pub struct FileSource {
    /// The files, in the order in which they were found. A file is named by its place here.
    pub(super) files: Vec<InputFile>,
    /// How they are read; it never changes, so tasks made once stay right.
    pub(super) options: ReadOptions,
    /// What is read for the file without a path; standard input by default.
    stream: Mutex<Option<Box<dyn Read + Send>>>,
    /// Made when it is first needed: that opens every file.
    tasks: OnceLock<ReadTasks>,
    pub(super) checked_groups: CheckedGroups,
}

impl FileSource {
    /// A source over these files.
    pub fn new(files: Vec<InputFile>, options: ReadOptions) -> Self {
        Self::with_stream(files, options, Box::new(io::stdin()))
    }

    /// A source over whatever a reader gives, once.
    pub fn from_reader(
        reader: impl Read + Send + 'static,
        name: &str,
        options: ReadOptions,
    ) -> Self {
        Self::with_stream(vec![InputFile::stream(name)], options, Box::new(reader))
    }

    /// The common part of both ways to make a source. At most one file may have no path.
    fn with_stream(
        files: Vec<InputFile>,
        options: ReadOptions,
        stream: Box<dyn Read + Send>,
    ) -> Self {
        FileSource {
            files,
            options,
            stream: Mutex::new(Some(stream)),
            tasks: OnceLock::new(),
            checked_groups: CheckedGroups::default(),
        }
    }

    /// A source over some of the files, and the numbers that they have here. Their blocks
    /// and records have the same places in both.
    pub(crate) fn only(
        &self,
        wanted: impl Fn(&InputFile) -> bool,
    ) -> (FileSource, Vec<u32>) {
        let files = (0u32..).zip(&self.files).filter(|(_, file)| wanted(file));
        let (numbers, files) = files.map(|(number, file)| (number, file.clone())).unzip();
        (FileSource::new(files, self.options.clone()), numbers)
    }

    /// The files, in order.
    pub fn files(&self) -> &[InputFile] {
        &self.files
    }

    /// How they are read.
    pub fn options(&self) -> &ReadOptions {
        &self.options
    }

    /// What is read for the file without a path. It can be read once.
    pub(super) fn take_stream(&self) -> Box<dyn Read + Send> {
        let mut stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        stream.take().unwrap_or_else(|| Box::new(io::empty()))
    }

    /// Format and compression of a file; None when nothing of it can be read.
    pub fn kind_of(&self, file: u32) -> Result<Option<Sniffed>> {
        let input = &self.files[file as usize];
        match &input.path {
            Some(path) if !self.tasks()?.is_unreadable(file) => {
                let sniffed = detect::sniff(path, self.options.format);
                Ok(sniffed.map_err(|error| Error::io(path, error))?.ok())
            }
            _ => Ok(None),
        }
    }

    /// The path of a file, which one that can be read only once does not have.
    pub fn path(&self, file: u32) -> Result<&Path> {
        let input = &self.files[file as usize];
        let path = input.path.as_deref();
        path.ok_or_else(|| Error::input(&input.name, "it can be read only once"))
    }

    /// The same source, with the full text of pages that have one of these main contents.
    pub fn with_full_text_for(mut self, shared: &[SharedMain]) -> Self {
        let mut hashes: Vec<u64> = shared.iter().map(|main| main.hash).collect();
        hashes.sort_unstable();
        self.options.text.full_for = Some(hashes.into());
        self
    }

    /// How texts are made.
    pub fn text_options(&self) -> &TextOptions {
        &self.options.text
    }

    /// About `wanted` bytes as stored, from all over the input; everything when it is less.
    pub fn sample(&self, wanted: u64) -> Result<Sample<'_>> {
        sample::sample_of(self, wanted)
    }

    /// Bytes of text that the files hold at most, as far as their names show.
    pub fn most_text_bytes(&self) -> u64 {
        sample::most_text_bytes(&self.files)
    }

    /// Texts that are the main content of many pages, the most frequent first. None where
    /// the input can be read only once.
    pub fn shared_main(
        &self,
        threads: usize,
        progress: &dyn Progress,
    ) -> Result<Option<Vec<SharedMain>>> {
        shared_main::find(self, threads, progress)
    }

    /// The texts of the documents at these positions, the first ones first, as far as the bounds allow.
    /// Which texts these are depends on the bounds and the input alone.
    pub fn texts_at(
        &self,
        wanted: &[Position],
        bounds: Bounds,
        threads: usize,
        progress: &dyn Progress,
    ) -> Result<FixedMap<Position, Excerpt>> {
        lookup::texts_at(self, wanted, bounds, threads, progress)
    }

    /// The names of the fields of a file, as far as its first record or its schema shows them.
    pub fn field_names(&self, file: u32) -> Result<Vec<String>> {
        replay::field_names(self, file)
    }

    /// The first column under one of these metadata fields that is no single value by the schema
    /// of its file: file, field, and what it is.
    pub fn unusable_column(
        &self,
        fields: &[&str],
    ) -> Result<Option<(String, String, &'static str)>> {
        replay::unusable_column(self, fields)
    }

    /// The columns that hold the text, of a table.
    pub fn text_columns(&self, file: u32) -> Result<Vec<usize>> {
        replay::text_columns(self, file)
    }

    /// Goes through a file again and hands `visitor` every record with its bytes.
    pub fn replay(
        &self,
        file: u32,
        visitor: &mut dyn Visitor,
        progress: &dyn Progress,
    ) -> Result<()> {
        replay::replay(self, file, visitor, progress)
    }

    /// The tasks of the whole source, made by the first who asks.
    pub(super) fn tasks(&self) -> Result<&ReadTasks> {
        match self.tasks.get() {
            Some(tasks) => Ok(tasks),
            None => {
                // Two threads may both make them; they are equal, since they depend on files and options alone.
                let tasks = ReadTasks::new(&self.files, &self.options)?;
                Ok(self.tasks.get_or_init(|| tasks))
            }
        }
    }

    /// Reads some tasks; what was read, and why it was not all.
    pub(super) fn read_tasks(
        &self,
        tasks: &[ReadTask],
        early: Vec<(u32, Fault)>,
        sinks: Vec<&mut dyn Sink>,
        progress: &dyn Progress,
    ) -> Result<(PartRead, Option<Error>)> {
        let all = self.tasks()?;
        let work = Work::new(tasks.iter().copied().collect(), sinks.len());
        let shared = Mutex::new(ReadByAll {
            early,
            ..ReadByAll::default()
        });
        // One sink per thread. A thread takes work until none is left, so slow files do not
        // keep the others waiting.
        let is_pipe = |task: &ReadTask| !self.files[task.file() as usize].regular;
        thread::scope(|scope| {
            // Not where all is on disk: a job with one thread then is a process with one.
            let _watching = tasks.iter().any(is_pipe).then(|| {
                waiting::watch(scope, progress, Arc::clone(&work.is_asked_to_stop))
            });
            at_once(sinks, |sink| {
                let wanted = all.wanted.clone();
                let mut reader = Reader::new(self, wanted, &work, sink, progress);
                let early = std::mem::take(&mut lock(&shared).early);
                let mut outcome = early
                    .into_iter()
                    .try_for_each(|(file, fault)| reader.whole_file(file, fault));
                if outcome.is_ok() {
                    outcome = reader.run();
                }
                let mut shared = lock(&shared);
                shared.read.blocks.append(&mut reader.reports);
                reader.maker().count_into(&mut shared.read.remarks);
                shared.read.pages.merge(reader.maker().pages());
                // Only the first failure is kept: those after it are mostly its consequences.
                if let Err(error) = outcome {
                    shared.failure.get_or_insert(error);
                    work.stop();
                }
            });
        });
        let shared = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok((shared.read, shared.failure))
    }
}

impl Source for FileSource {
    fn total_bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }

    fn origins(&self) -> Result<Option<Vec<Origin>>> {
        Ok(origin::origins(&self.files, self.tasks()?))
    }

    fn file_names(&self) -> Vec<String> {
        self.files.iter().map(|file| file.name.clone()).collect()
    }

    fn side(&self, file: u32) -> Side {
        self.files[file as usize].side
    }

    fn num_parts(&self) -> Result<u32> {
        let parts = self.tasks()?.num_parts();
        u32::try_from(parts).map_err(|_| Error::Internal(format!("{parts} parts")))
    }

    fn read_part(
        &self,
        part: u32,
        sinks: Vec<&mut dyn Sink>,
        progress: &dyn Progress,
    ) -> Result<PartRead> {
        let all = self.tasks()?;
        let tasks = all
            .part(part as usize)
            .ok_or_else(|| Error::Internal(format!("no part {part} of the input")))?;
        // No part has more of these files: the first reports all of them.
        let early = match part {
            0 => all.unreadable.clone(),
            _ => Vec::new(),
        };
        let mut sinks = sinks;
        let lent = sinks.iter_mut().map(|sink| &mut **sink as &mut dyn Sink);
        let (read, failure) = self.read_tasks(tasks, early, lent.collect(), progress)?;
        match (failure, sinks.first_mut()) {
            (Some(error), _) => {
                // A pipe at which the job was stopped looks like a fault of its input.
                check_cancelled(progress)?;
                Err(error)
            }
            (None, Some(sink)) => self.report_changed(part, read, &mut **sink, progress),
            (None, None) => Ok(read),
        }
    }
}

impl FileSource {
    /// Records a bad record for each file that ends with a part and is not as it was before reading
    /// began: what was read of it may be half of one version and half of another.
    fn report_changed(
        &self,
        part: u32,
        mut read: PartRead,
        sink: &mut dyn Sink,
        progress: &dyn Progress,
    ) -> Result<PartRead> {
        let all = self.tasks()?;
        let ended = all.ended_in(part as usize).into_iter();
        let changed = ended.filter(|&(file, _)| {
            let input = &self.files[file as usize];
            all.has_changed(file, input)
        });
        let changed: Vec<(u32, u32)> = changed.collect();
        if changed.is_empty() {
            return Ok(read);
        }
        let work = Work::new(VecDeque::new(), 1);
        let mut reader = Reader::new(self, all.wanted.clone(), &work, sink, progress);
        for (file, block) in changed {
            let of_file =
                |read: &&BlockRead| read.file == file && !read.is_of_whole_file();
            let after = read
                .blocks
                .iter()
                .filter(of_file)
                .map(|read| read.block + 1);
            reader.changed(file, after.max().unwrap_or(0).max(block))?;
        }
        read.blocks.append(&mut reader.reports);
        Ok(read)
    }
}

/// What the threads put together.
#[derive(Debug, Default)]
struct ReadByAll {
    /// Files that were found unreadable before reading began.
    early: Vec<(u32, Fault)>,
    /// What was read, in no particular order.
    read: PartRead,
    /// The first failure of any thread.
    failure: Option<Error>,
}

/// A thread that panicked leaves counts that are still right, so a poisoned lock is used on.
fn lock(shared: &Mutex<ReadByAll>) -> MutexGuard<'_, ReadByAll> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::super::discover;
    use super::*;
    use neardupe_core::document::{BadKind, BadRecord, Record, Silent, SourceRead};
    use std::fs::{self, File};
    use std::io::Write;
    use std::path::PathBuf;

    type ChangeFile = fn(&PathBuf);

    /// Changes a file when the first document comes.
    struct Changing<'a> {
        change: Option<&'a (dyn Fn() + Sync)>,
        documents: u64,
        bad: Vec<BadRecord>,
    }

    impl Sink for Changing<'_> {
        fn document(&mut self, _: &Record<'_>) -> Result<()> {
            if let Some(change) = self.change.take() {
                change();
            }
            self.documents += 1;
            Ok(())
        }

        fn bad_record(&mut self, bad: BadRecord) -> Result<()> {
            self.bad.push(bad);
            Ok(())
        }
    }

    /// Reads a folder while a file of it changes; its bad records, each with its file.
    fn read_while(
        folder: &Path,
        part_bytes: u64,
        change: &(dyn Fn() + Sync),
    ) -> Vec<(String, BadKind)> {
        let argument = folder.to_str().unwrap().to_owned();
        let files = discover(&[argument], None).unwrap().files;
        let options = ReadOptions {
            part_bytes,
            ..ReadOptions::default()
        };
        let source = FileSource::new(files, options);
        let mut parts = Vec::new();
        let (mut documents, mut bad) = (0, Vec::new());
        for part in 0..source.num_parts().unwrap() {
            let mut sink = Changing {
                change: (part == 0).then_some(change),
                documents: 0,
                bad: Vec::new(),
            };
            parts.push(source.read_part(part, vec![&mut sink], &Silent).unwrap());
            documents += sink.documents;
            bad.append(&mut sink.bad);
        }
        let read = SourceRead::gather(source.file_names(), &parts);
        let records: u64 = read.files.iter().map(|file| file.records).sum();
        assert_eq!(records, documents + bad.len() as u64);
        let name = |bad: &BadRecord| read.files[bad.position.file as usize].name.clone();
        bad.iter().map(|bad| (name(bad), bad.kind)).collect()
    }

    fn lines(bytes: usize) -> String {
        "{\"text\":\"some words of a document\"}\n".repeat(bytes / 36)
    }

    #[test]
    fn a_file_that_changes_while_it_is_read_is_a_bad_record() {
        let changes: [(&str, ChangeFile); 4] = [
            ("truncated", |path| {
                let file = File::options().write(true).open(path).unwrap();
                file.set_len(1 << 20).unwrap();
            }),
            ("longer", |path| {
                let mut file = File::options().append(true).open(path).unwrap();
                file.write_all(b"{\"text\":\"more\"}\n").unwrap();
            }),
            ("replaced", |path| {
                let other = path.with_extension("other");
                fs::write(&other, lines(3 << 20)).unwrap();
                let before = path.metadata().unwrap().modified().unwrap();
                let file = File::options().write(true).open(&other).unwrap();
                file.set_modified(before).unwrap();
                fs::rename(other, path).unwrap();
            }),
            ("removed", |path| fs::remove_file(path).unwrap()),
        ];
        for (what, change) in changes {
            // Where there are parts, the file is looked at when its last one has been read.
            for part_bytes in [1 << 20, 1 << 30] {
                let folder = tempfile::tempdir().unwrap();
                let path = folder.path().join("a.jsonl");
                fs::write(&path, lines(3 << 20)).unwrap();
                fs::write(folder.path().join("b.jsonl"), lines(100)).unwrap();
                let bad = read_while(folder.path(), part_bytes, &|| change(&path));
                let changed = ("a.jsonl".to_owned(), BadKind::Changed);
                if cfg!(unix) || what != "replaced" {
                    let last = bad.iter().rfind(|(name, _)| name == "a.jsonl");
                    assert_eq!(last, Some(&changed), "{what}");
                    assert!(bad.iter().all(|(name, _)| name == "a.jsonl"), "{what}");
                }
            }
        }
    }

    #[test]
    fn a_file_that_is_read_from_its_start_is_looked_at_too() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.csv", "b.txt", "c.jsonl"] {
            fs::write(folder.path().join(name), "text\nsome words\n").unwrap();
        }
        fs::write(folder.path().join("c.jsonl"), "").unwrap();
        let touch = || {
            for name in ["a.csv", "b.txt", "c.jsonl"] {
                fs::write(folder.path().join(name), "text\nsome words\nmore\n").unwrap();
            }
        };
        let bad = read_while(folder.path(), 1 << 30, &touch);
        let names: Vec<&str> = bad.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["a.csv", "b.txt", "c.jsonl"]);
        let bad = read_while(folder.path(), 1 << 30, &|| {});
        assert!(bad.iter().all(|(_, kind)| *kind != BadKind::Changed));
    }
}
