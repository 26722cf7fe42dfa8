//! The tables of removed passages: each removed stretch with the place where its text is kept, and
//! the documents that are removed as a whole.
//!
//! Rows come in the order of documents, so those of a document that is removed as a whole follow
//! each other and are summed while they pass. Its `duplicate_of` is the document that has most of
//! its words; of equal ones the first that was met, which is the first in order.

use super::tables::{RecordPlaces, write_removed};
use crate::passage_tables::write_boilerplate;
use neardupe_core::document::DocIdx;
use neardupe_core::error::Result;
use neardupe_core::pipeline::PassagesResult;
use neardupe_core::pipeline::passages::Removals;
use neardupe_core::ratio::Ratio;
use neardupe_io::output::table::Table;
use neardupe_io::output::{OutputFormat, write_bad_records};
use neardupe_io::source::FileSource;
use neardupe_io::tables::{Layout, RemovedPassageRow, RemovedPassages, RemovedRow};
use std::borrow::Cow;
use std::path::Path;

/// Writes all tables.
pub fn write_removed_passages(
    folder: &Path,
    source: &FileSource,
    result: &PassagesResult,
    removals: &Removals,
    format: OutputFormat,
) -> Result<()> {
    let documents = &result.documents;
    let mut table = Table::<RemovedPassages>::create(folder, &Layout::default(), format)?;
    removals.rows.for_each(|row| {
        // Sentences are numbered from 1 here and half-open in the core.
        let sentences = format!("{}-{}", row.first_sentence + 1, row.end_sentence);
        table.row(&RemovedPassageRow {
            id: documents.id(row.document)?,
            start: row.start_char.into(),
            end: row.end_char.into(),
            sentences: sentences.into(),
            words: row.num_words.into(),
            kept_in: documents.id(row.kept_in)?,
            kept_start: row.kept_start_char.into(),
            kept_end: row.kept_end_char.into(),
            similarity: Ratio::new(row.common.into(), row.num_words.into()),
            kind: Cow::Borrowed(if row.is_equal_text() {
                "equal-text"
            } else {
                "passage"
            }),
        })
    })?;
    table.finish()?;
    write_documents(folder, source, result, removals, format)?;
    write_boilerplate(folder, result)?;
    write_bad_records(folder, documents, result.num_old_files)
}

/// A document that is removed as a whole, while its rows come.
#[derive(Default)]
struct Whole {
    /// The document.
    document: DocIdx,
    /// Its words in removed passages.
    num_words: u64,
    /// Documents that have parts of it, and how many of its words.
    kept_in: Vec<(DocIdx, u64)>,
}

/// Writes the table `removed`: documents that are removed as a whole, each with the document that
/// has most of it.
fn write_documents(
    folder: &Path,
    source: &FileSource,
    result: &PassagesResult,
    removals: &Removals,
    format: OutputFormat,
) -> Result<()> {
    let mut wholes: Vec<Whole> = Vec::new();
    removals.rows.for_each(|row| {
        // Sorted, so the search is quick; most rows are of documents that keep some of their
        // text.
        if removals.removed.binary_search(&row.document).is_err() {
            return Ok(());
        }
        if wholes
            .last()
            .is_none_or(|last| last.document != row.document)
        {
            wholes.push(Whole {
                document: row.document,
                ..Whole::default()
            });
        }
        if let Some(whole) = wholes.last_mut() {
            whole.num_words += u64::from(row.num_words);
            // A document has parts in few others, so a list is searched faster than a map.
            let mut known = whole.kept_in.iter_mut();
            match known.find(|(document, _)| *document == row.kept_in) {
                Some((_, words)) => *words += u64::from(row.common),
                None => whole.kept_in.push((row.kept_in, row.common.into())),
            }
        }
        Ok(())
    })?;
    let documents = &result.documents;
    let (files, places) = (documents.files(), RecordPlaces::new(source));
    let rows = wholes.iter().map(|whole| {
        let most = whole.kept_in.iter().map(|&(_, words)| words).max();
        let most = most.unwrap_or(0);
        let found = whole.kept_in.iter().find(|(_, words)| *words == most);
        // There is always one; without it the row would name the document itself rather than
        // fail.
        let kept_in = found.map_or(whole.document, |(document, _)| *document);
        let position = documents.position(whole.document)?;
        let kept = documents.position(kept_in)?;
        Ok(RemovedRow {
            path: Cow::Borrowed(&files[position.file as usize].name),
            number: files[position.file as usize].record_number(position),
            id: documents.id(whole.document)?,
            duplicate_of: documents.id(kept_in)?,
            duplicate_of_path: Cow::Borrowed(&files[kept.file as usize].name),
            similarity: Ratio::new(most, whole.num_words),
            duplicate_of_record: places.of(documents, kept_in)?.into(),
            // There is one side only.
            duplicate_of_source: "",
        })
    });
    write_removed(folder, rows, false, format)
}
