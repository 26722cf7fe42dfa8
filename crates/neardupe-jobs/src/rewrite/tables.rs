//! The tables of `dedup`: what became of each file, and where each removed document stood.

use super::FileCounts;
use neardupe_core::document::DocIdx;
use neardupe_core::error::Result;
use neardupe_core::pipeline::documents::Documents;
use neardupe_io::output::OutputFormat;
use neardupe_io::output::row::{Cell, ColumnKind, Schema};
use neardupe_io::output::table::Table;
use neardupe_io::source::{FileSource, InputFile};
use std::borrow::Cow;
use std::path::Path;

/// A removed document.
pub(crate) struct RemovedRow<'a> {
    pub(crate) path: &'a str,
    pub(crate) number: u64,
    pub(crate) id: Cow<'a, str>,
    pub(crate) duplicate_of: Cow<'a, str>,
    pub(crate) duplicate_of_path: &'a str,
    pub(crate) similarity: (u64, u64),
    /// File, as it was given, and number of the kept record.
    pub(crate) duplicate_of_record: String,
    /// On which side the kept one is, where there are two.
    pub(crate) duplicate_of_source: Option<&'static str>,
}

/// Where records stand: the file as it was given, and the number of the record. Names of files are
/// relative to the arguments, so two old folders may have the same ones.
#[derive(Debug, Default)]
pub(crate) struct RecordPlaces {
    paths: Vec<String>,
}

impl RecordPlaces {
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
    let columns = [
        ("path", ColumnKind::Text),
        ("records", ColumnKind::Number),
        ("kept", ColumnKind::Number),
        ("removed", ColumnKind::Number),
        ("bad_records", ColumnKind::Number),
        ("skipped", ColumnKind::Number),
    ];
    let schema = Schema::new("files", "file", &columns);
    let mut table = Table::create(folder, &schema, OutputFormat::Jsonl)?;
    for (name, counts) in files {
        table.row(&[
            Cell::Text(name),
            Cell::Number(counts.records),
            Cell::Number(counts.kept),
            Cell::Number(counts.removed),
            Cell::Number(counts.bad_records),
            Cell::Number(counts.skipped),
        ])?;
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
    let mut columns = vec![
        ("path", ColumnKind::Text),
        ("number", ColumnKind::Number),
        ("id", ColumnKind::Text),
        ("duplicate_of", ColumnKind::Text),
        ("duplicate_of_path", ColumnKind::Text),
        ("similarity", ColumnKind::Ratio),
        ("duplicate_of_record", ColumnKind::Text),
    ];
    if against {
        columns.push(("duplicate_of_source", ColumnKind::Text));
    }
    let schema = Schema::new("removed", "document", &columns);
    let mut table = Table::create(folder, &schema, format)?;
    for row in rows {
        let row = row?;
        let cells = [
            Cell::Text(row.path),
            Cell::Number(row.number),
            Cell::Text(&row.id),
            Cell::Text(&row.duplicate_of),
            Cell::Text(row.duplicate_of_path),
            Cell::Ratio(row.similarity.0, row.similarity.1),
            Cell::Text(&row.duplicate_of_record),
            Cell::Text(row.duplicate_of_source.unwrap_or_default()),
        ];
        table.row(&cells[..schema.columns.len()])?;
    }
    table.finish()
}
