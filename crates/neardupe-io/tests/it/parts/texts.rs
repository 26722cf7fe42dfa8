//! Texts that are written down part by part.

use super::{mixed, read, source, together};
use neardupe_core::document::{PartRead, Silent};
use neardupe_core::error::{Error, Result};
use neardupe_core::pipeline::{FindConfig, FindResult, find};
use neardupe_io::output::TextLog;
use std::fs;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// A job up to the point where texts are put together.
struct Job {
    folder: tempfile::TempDir,
    result: FindResult,
    parts: Vec<PartRead>,
}

impl Job {
    fn run(input: &Path, part_bytes: u64, threads: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let source = source(input, None, part_bytes);
        let log = TextLog::new(&source, &work(folder.path()));
        let mut config = FindConfig::new(folder.path().join("features"));
        config.threads = threads;
        let result = find(&log, &config, &Silent).unwrap();
        // As a program does that was started again: all it knows was stored.
        let stored = serde_json::to_string(&result.parts).unwrap();
        Job {
            folder,
            result,
            parts: serde_json::from_str(&stored).unwrap(),
        }
    }

    fn path(&self, file: &str) -> PathBuf {
        work(self.folder.path()).join(file)
    }

    /// A log that has read nothing itself puts the texts together.
    fn finish(&self, parts: &[PartRead]) -> Result<String> {
        let nothing = source(
            self.folder.path(),
            Some(neardupe_io::source::InputFormat::Jsonl),
            1,
        );
        let log = TextLog::new(&nothing, &work(self.folder.path()));
        log.finish(self.folder.path(), parts, &self.result.documents)?;
        Ok(fs::read_to_string(self.folder.path().join("texts.jsonl")).unwrap())
    }

    /// The file that is named as damaged.
    fn damaged(&self, parts: &[PartRead]) -> PathBuf {
        match self.finish(parts) {
            Err(Error::Corrupt { path, .. }) => path,
            other => panic!("{other:?}"),
        }
    }
}

/// The work directory, which is not there before.
fn work(folder: &Path) -> PathBuf {
    folder.join("jobs/work")
}

#[test]
fn texts_of_many_parts_are_those_of_one() {
    let input = tempfile::tempdir().unwrap();
    mixed(input.path());
    let whole = Job::run(input.path(), u64::MAX, 1);
    assert_eq!(whole.parts.len(), 1);
    let expected = whole.finish(&whole.parts).unwrap();
    let (records, _) = read(&source(input.path(), None, u64::MAX), 1);
    let records = together(records).documents;
    assert_eq!(expected.lines().count(), records.len());
    for (line, (_, _, text)) in expected.lines().zip(&records) {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(row["text"], *text);
    }
    for (part_bytes, threads) in [(1, 2), (100_000, 1), (100_000, 3)] {
        let job = Job::run(input.path(), part_bytes, threads);
        assert!(job.parts.len() > 4);
        // What a part left that was begun with more threads and interrupted.
        fs::write(job.path("texts-0000-9.rows"), "stale").unwrap();
        assert!(job.finish(&job.parts).unwrap() == expected);
    }
}

#[test]
fn each_part_tells_of_its_files() {
    let input = tempfile::tempdir().unwrap();
    mixed(input.path());
    let job = Job::run(input.path(), 100_000, 2);
    for (number, part) in job.parts.iter().enumerate() {
        let names: Vec<&str> = part.files.iter().map(|file| &file.name[..]).collect();
        let expected = ["0.rows", "0.index", "1.rows", "1.index"];
        assert_eq!(
            names,
            expected.map(|end| format!("texts-{number:04}-{end}"))
        );
        for file in &part.files {
            let bytes = fs::read(job.path(&file.name)).unwrap();
            assert_eq!(file.bytes, bytes.len() as u64);
            assert_eq!(file.checksum, format!("{:016x}", xxh3_64(&bytes)));
        }
    }
}

#[test]
fn damaged_files_are_named() {
    let input = tempfile::tempdir().unwrap();
    mixed(input.path());
    let job = Job::run(input.path(), 100_000, 1);
    let (index, rows) = ("texts-0001-0.index", "texts-0001-0.rows");
    for name in [index, rows] {
        let whole = fs::read(job.path(name)).unwrap();
        fs::write(job.path(name), &whole[..whole.len() - 1]).unwrap();
        assert_eq!(job.damaged(&job.parts), job.path(name));
        fs::write(job.path(name), whole).unwrap();
    }
    // An index that points to nowhere.
    let whole = fs::read(job.path(index)).unwrap();
    let mut wild = whole.clone();
    wild[12..28].fill(0xff);
    fs::write(job.path(index), wild).unwrap();
    assert_eq!(job.damaged(&job.parts), job.path(rows));
    fs::write(job.path(index), whole).unwrap();
    // A part is missing, or there twice.
    let (first, last) = (&job.parts[..1], &job.parts[job.parts.len() - 1..]);
    assert_eq!(job.damaged(first), job.path(""));
    let twice = [&job.parts[..], last].concat();
    assert!(job.damaged(&twice).starts_with(job.path("")));
    job.finish(&job.parts).unwrap();
}
