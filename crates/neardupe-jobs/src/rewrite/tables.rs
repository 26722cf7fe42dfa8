//! The tables of `dedup`: what became of each file, and where each removed document stood.
//!
//! `files.jsonl` is read by the next job before it replaces this output: it says which inputs the
//! folder was made of.

use super::FileCounts;
use neardupe_core::document::DocIdx;
use neardupe_core::error::Result;
use neardupe_core::pipeline::documents::Documents;
use neardupe_io::output::OutputFormat;
use neardupe_io::output::table::Table;
use neardupe_io::source::{FileSource, InputFile};
use neardupe_io::tables::{FileRow, Files, Layout, Removed, RemovedRow};
use std::borrow::Cow;
use std::path::Path;

/// Where records stand: the file as it was given, and the number of the record. Names of files are
/// relative to the arguments, so two old folders may have the same ones.
#[derive(Debug, Default)]
pub(crate) struct RecordPlaces {
    /// By number of the file.
    paths: Vec<String>,
}

impl RecordPlaces {
    /// Standard input has no path, only a name.
    pub(crate) fn new(source: &FileSource) -> Self {
        let path = |file: &InputFile| match &file.path {
            Some(path) => path.display().to_string(),
            None => file.name.clone(),
        };
        RecordPlaces {
            paths: source.files().iter().map(path).collect(),
        }
    }

    /// The place of a document.
    pub(crate) fn of(&self, documents: &Documents, document: DocIdx) -> Result<String> {
        let position = documents.position(document)?;
        let file = &documents.files()[position.file as usize];
        let path = self.paths.get(position.file as usize);
        let path = path.map_or(file.name.as_str(), String::as_str);
        Ok(format!("{path}#{}", file.record_number(position)))
    }
}

/// Writes `files.jsonl`. Always as JSON: the next job reads it before it replaces anything.
pub(crate) fn write_files<'a>(
    folder: &Path,
    files: impl Iterator<Item = (&'a str, FileCounts)>,
) -> Result<()> {
    let layout = Layout::default();
    let mut table = Table::<Files>::create(folder, &layout, OutputFormat::Jsonl)?;
    for (name, counts) in files {
        table.row(&FileRow {
            path: Cow::Borrowed(name),
            records: counts.records,
            kept: counts.kept,
            removed: counts.removed,
            bad_records: counts.bad_records,
            skipped: counts.skipped,
        })?;
    }
    table.finish()
}

/// Writes the table `removed`, in the order of the input.
pub(crate) fn write_removed<'a>(
    folder: &Path,
    rows: impl Iterator<Item = Result<RemovedRow<'a>>>,
    against: bool,
    format: OutputFormat,
) -> Result<()> {
    let layout = Layout::new(against, &[]);
    let mut table = Table::<Removed>::create(folder, &layout, format)?;
    table.rows(rows)?;
    table.finish()
}
