//! The input written again: Parquet with all its types, and input that changes meanwhile.

mod changed;
mod cut;
mod every_format;
mod parquet_files;

use neardupe_core::document::Silent;
use neardupe_core::error::Result;
use neardupe_core::pipeline::{FindConfig, FindResult, find};
use neardupe_io::source::{FileSource, ReadOptions, discover};
use neardupe_jobs::rewrite::{AddedFields, FileCounts, Mode, Rewrite, check_fields};
use std::path::{Path, PathBuf};

/// A folder with input in `in` and output in `out`.
struct Job {
    folder: tempfile::TempDir,
}

impl Job {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("in")).unwrap();
        Job { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn source(&self) -> FileSource {
        let argument = self.path("in").to_string_lossy().into_owned();
        let files = discover(&[argument], None).unwrap().files;
        FileSource::new(files, ReadOptions::default())
    }

    fn find(&self, source: &FileSource) -> FindResult {
        let config = FindConfig::new(self.path("work"));
        find(source, &config, &Silent).unwrap()
    }

    fn rewrite(
        &self,
        source: &FileSource,
        result: &FindResult,
        mode: Mode,
    ) -> Result<Vec<FileCounts>> {
        let fields = AddedFields::new(mode, "", false);
        let files: Vec<u32> = (0u32..).take(result.documents.files().len()).collect();
        check_fields(source, mode, &fields, &files)?;
        let rewrite = Rewrite {
            source,
            result,
            mode,
            fields: &fields,
            folder: &self.path("out"),
            threads: 2,
        };
        rewrite.run(&files, &Silent)
    }

    /// Finds and writes.
    fn run(&self, mode: Mode) -> Vec<FileCounts> {
        let source = self.source();
        let result = self.find(&source);
        self.rewrite(&source, &result, mode).unwrap()
    }
}

/// A text of its own for each number.
fn prose(number: usize, len: usize) -> String {
    let words = (0..len).map(|word| format!("n{number}w{word}"));
    words.collect::<Vec<_>>().join(" ")
}

fn exists(path: &Path) -> bool {
    path.exists()
}
