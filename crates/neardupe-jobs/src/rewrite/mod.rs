//! The input written again: kept documents in their own files and format, removed ones apart.
//!
//! A file is read a second time by the code that read it first (`source::replay`),
//! one thread a file. Which records become of which documents follows from their order; that
//! each text is still the one that was compared is verified. `decisions` knows what becomes
//! of a document, `added` which fields it gets, `names` where files are written, `records` writes
//! formats that are one record after the other, `rows` writes Parquet, `bad` the bad records, `pack` compresses as the input is.
//! `passages` writes documents without some of their sentences.
//!
//! What must never be lost decides the order of things here. Nothing is written into its final
//! folder before every file has been checked (the output folder is renamed when the job ends), so
//! an input that changed between the two passes costs time and nothing else. A record belongs to
//! exactly one of three outputs: kept, removed, or bad. `Checker` counts them against the first
//! pass, and bytes that no record owns (line ends, heads of tables, records without text) are
//! written with the kept ones.

mod added;
mod bad;
mod check;
mod cut_json;
mod cut_rows;
mod cut_table;
mod cuts;
mod decisions;
mod ids;
mod lines;
mod names;
mod pack;
mod passages;
mod records;
mod removed_passages;
mod report;
mod rows;
mod table;
mod tables;

pub use added::AddedFields;
pub use ids::write_ids;
pub use names::check_names;
pub use passages::{PassageRewrite, check_texts, write_file_counts};
pub use removed_passages::write_removed_passages;
pub use report::{Dedup, FileCounts, Rate};

use check::Checker;
use decisions::Decisions;
use neardupe_core::document::Progress;
use neardupe_core::error::{Error, Result};
use neardupe_core::pipeline::FindResult;
use neardupe_core::threads::at_once;
use neardupe_io::compress::Compression;
use neardupe_io::output::{BAD, REMOVED};
use neardupe_io::source::{FileSource, Layout, Sniffed};
use records::{RecordStyle, RecordWriter};
use rows::RowWriter;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Kept documents, and removed ones apart.
    Split,
    /// All documents, with what was found about each.
    Annotate,
}

/// A rewriting of some files.
pub struct Rewrite<'a> {
    /// Where the documents come from.
    pub source: &'a FileSource,
    /// What was found.
    pub result: &'a FindResult,
    /// What is written.
    pub mode: Mode,
    /// The fields that are added.
    pub fields: &'a AddedFields,
    /// The output folder.
    pub folder: &'a Path,
    /// Number of threads.
    pub threads: usize,
}

/// One file on its way.
struct FileTask<'a> {
    /// What is written, and where.
    rewrite: &'a Rewrite<'a>,
    /// What becomes of each document.
    decisions: &'a Decisions<'a>,
    /// Its number in the source.
    file: u32,
    /// Its name below the output folder.
    name: &'a str,
    /// Where it is written, below each output folder.
    relative: PathBuf,
    /// Where it is read from.
    path: &'a Path,
    /// Format and compression, as detected.
    kind: Sniffed,
    /// What the first pass found in it.
    expected: FileCounts,
}

/// What must be known of formats before a job begins: which fields they have already.
pub fn check_fields(
    source: &FileSource,
    mode: Mode,
    fields: &AddedFields,
    files: &[u32],
) -> Result<()> {
    for &file in files {
        let Some(kind) = source.kind_of(file)? else {
            continue;
        };
        let name = &source.files()[file as usize].name;
        if mode == Mode::Annotate && !kind.format.has_free_fields() {
            return Err(Error::config(
                "annotate",
                format!(
                    "{name} is {}, whose records have no fields to add; `ids-only` writes \
                     lists of ids for any format",
                    kind.format.name()
                ),
            ));
        }
        for field in source.field_names(file)? {
            fields.check(name, &field)?;
        }
    }
    Ok(())
}

/// What becomes of the documents of each file, by what was found alone.
pub fn count_files(result: &FindResult, files: &[u32]) -> Vec<FileCounts> {
    let decisions = Decisions::new(result, false);
    files.iter().map(|&file| decisions.count(file)).collect()
}

impl Rewrite<'_> {
    /// Writes these files; what became of the records of each.
    pub fn run(&self, files: &[u32], progress: &dyn Progress) -> Result<Vec<FileCounts>> {
        let decisions = Decisions::new(self.result, self.mode == Mode::Annotate)
            .with_paths(self.source);
        for_each_file(self.threads, files, |file| {
            self.file(file, &decisions, progress)
        })
    }

    /// Writes one file; the counts are those of the first pass, or it is an error.
    fn file(
        &self,
        file: u32,
        decisions: &Decisions<'_>,
        progress: &dyn Progress,
    ) -> Result<FileCounts> {
        let input = &self.source.files()[file as usize];
        let Some(path) = &input.path else {
            return Err(once_only(&input.name));
        };
        let expected = decisions.count(file);
        let Some(kind) = self.source.kind_of(file)? else {
            // Nothing of it can be read, now as before.
            let mut checker = Checker::new(decisions, file, path);
            self.source.replay(file, &mut checker, progress)?;
            copy_bad_file(path, &self.folder.join(BAD).join(input.relative()))?;
            return checker.finish();
        };
        let task = FileTask {
            rewrite: self,
            decisions,
            file,
            name: &input.name,
            relative: input.relative(),
            path,
            kind,
            expected,
        };
        let counts = task.run(progress)?;
        task.copy_permissions()?;
        Ok(counts)
    }
}

/// Writes files by several threads.
///
/// Threads take files by number from one counter, so that long and short files mix. Each file has
/// a thread of its own: compressed input cannot be cut in parts. After the first failure no file
/// is begun; those under way are finished, since one of them may have a smaller number, and its
/// failure is the one to report: the message then does not depend on timing.
fn for_each_file(
    threads: usize,
    files: &[u32],
    write: impl Fn(u32) -> Result<FileCounts> + Sync,
) -> Result<Vec<FileCounts>> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(vec![FileCounts::default(); files.len()]);
    // The failure of the first file in order is reported, whichever thread was faster.
    let failure: Mutex<Option<(usize, Error)>> = Mutex::new(None);
    let lock = || failure.lock().unwrap_or_else(PoisonError::into_inner);
    at_once(vec![(); threads.min(files.len()).max(1)], |()| {
        while lock().is_none() {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(&file) = files.get(at) else {
                return;
            };
            match write(file) {
                Ok(counts) => {
                    let done = done.lock();
                    done.unwrap_or_else(PoisonError::into_inner)[at] = counts;
                }
                Err(error) => {
                    let mut failure = lock();
                    if failure.as_ref().is_none_or(|(first, _)| at < *first) {
                        *failure = Some((at, error));
                    }
                }
            }
        }
    });
    match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some((_, error)) => Err(error),
        None => Ok(done.into_inner().unwrap_or_else(PoisonError::into_inner)),
    }
}

/// Standard input and pipes: what was read cannot be read again.
fn once_only(name: &str) -> Error {
    let message = "can be read only once, and deduplicating reads twice; name a file, or take \
                   `ids-only`";
    Error::input(name, message)
}

impl FileTask<'_> {
    /// Chooses how the file is written by its format. Where nothing in it changes, its bytes are
    /// copied as they are stored: unpacking and packing again would cost time and give other
    /// bytes.
    fn run(&self, progress: &dyn Progress) -> Result<FileCounts> {
        let source = self.rewrite.source;
        let checker = Checker::new(self.decisions, self.file, self.path);
        // Without removed or bad records a split changes nothing. Annotating always adds fields.
        let split = self.rewrite.mode == Mode::Split;
        let all_kept = self.expected.removed == 0 && self.expected.bad_records == 0;
        let style = match self.kind.format.spec().layout {
            Layout::Document { .. } => return self.copy(checker, progress),
            _ if split && all_kept => return self.copy(checker, progress),
            Layout::Columns => return self.copy_rows(checker, progress),
            Layout::Lines => RecordStyle::Lines,
            Layout::Table { delimiter } => RecordStyle::Table(delimiter),
            Layout::Entries(entries) => RecordStyle::Entries(entries.around),
        };
        let mut writer = RecordWriter::new(self, style, checker)?;
        source.replay(self.file, &mut writer, progress)?;
        writer.finish()
    }

    /// Copies the file as it is stored, when nothing of it changes: it is one document, or all its
    /// documents are kept.
    fn copy(
        &self,
        mut checker: Checker<'_>,
        progress: &dyn Progress,
    ) -> Result<FileCounts> {
        self.rewrite
            .source
            .replay(self.file, &mut checker, progress)?;
        let counts = checker.finish()?;
        if self.writes_kept() {
            self.copy_file(&self.kept_path())?;
        }
        if counts.removed > 0 {
            self.copy_file(&self.removed_path())?;
        }
        if counts.bad_records > 0 {
            copy_bad_file(self.path, &self.bad_path())?;
        }
        Ok(counts)
    }

    /// Copies the rows of a file of columns. One that is compressed as a whole cannot be read: it is
    /// one bad record.
    fn copy_rows(
        &self,
        mut checker: Checker<'_>,
        progress: &dyn Progress,
    ) -> Result<FileCounts> {
        let source = self.rewrite.source;
        if self.kind.compression != Compression::None {
            source.replay(self.file, &mut checker, progress)?;
            copy_bad_file(self.path, &self.bad_path())?;
            return checker.finish();
        }
        let mut writer = RowWriter::new(self, checker)?;
        source.replay(self.file, &mut writer, progress)?;
        writer.finish()
    }

    /// Where records that could not be read are written.
    fn bad_path(&self) -> PathBuf {
        self.rewrite.folder.join(BAD).join(&self.relative)
    }

    /// Whether there is a file of kept documents: a table may be empty, an archive or a
    /// file that is a document must hold something.
    fn writes_kept(&self) -> bool {
        let is_table = self.kind.format.has_free_fields() && self.expected.is_readable();
        is_table || self.expected.kept + self.expected.skipped > 0
    }

    /// Whether there is a file of removed documents: only where some are.
    fn writes_removed(&self) -> bool {
        self.rewrite.mode == Mode::Split && self.expected.removed > 0
    }

    /// In the output folder, under the name of the input.
    fn kept_path(&self) -> PathBuf {
        self.rewrite.folder.join(&self.relative)
    }

    /// Where removed documents are written.
    fn removed_path(&self) -> PathBuf {
        self.rewrite.folder.join(REMOVED).join(&self.relative)
    }

    /// Copies who may read the input.
    ///
    /// The output holds the same texts as the input, so it must not be open to more people.
    fn copy_permissions(&self) -> Result<()> {
        let permissions = match self.path.metadata() {
            Ok(metadata) => metadata.permissions(),
            Err(error) => return Err(Error::io(self.path, error)),
        };
        for written in [self.kept_path(), self.removed_path(), self.bad_path()] {
            if written.is_file() {
                fs::set_permissions(&written, permissions.clone())
                    .map_err(|error| Error::io(&written, error))?;
            }
        }
        Ok(())
    }

    /// Copies the file as it is, compressed or not.
    fn copy_file(&self, to: &Path) -> Result<()> {
        make_folder_of(to)?;
        fs::copy(self.path, to).map_err(|error| Error::io(to, error))?;
        Ok(())
    }
}

/// Copies a file whose bad records cannot be cut out of it, because it is damaged or is one
/// record. What the system refuses to read is named by a warning instead.
fn copy_bad_file(from: &Path, to: &Path) -> Result<()> {
    if fs::File::open(from).is_err() {
        return Ok(());
    }
    make_folder_of(to)?;
    fs::copy(from, to).map_err(|error| Error::io(to, error))?;
    Ok(())
}

/// Files keep their relative names, so their folders may not exist yet.
fn make_folder_of(path: &Path) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new(""));
    fs::create_dir_all(folder).map_err(|error| Error::io(folder, error))
}
