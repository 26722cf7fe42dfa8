//! Documents that were not looked for in larger ones, since they have no whole shingle.

use super::OutputFormat;
use super::row::{Cell, ColumnKind, Schema};
use super::table::Table;
use super::tables::side;
use neardupe_core::document::DocIdx;
use neardupe_core::error::Result;
use neardupe_core::pipeline::{FindConfig, FindResult};
use std::path::Path;

/// Name of the file that lists them.
pub const SHORT_DOCUMENTS: &str = "short-documents.jsonl";

/// The documents that containment passes over, in the order of the input.
pub fn short_documents<'a>(
    result: &'a FindResult,
    config: &'a FindConfig,
) -> impl Iterator<Item = DocIdx> + 'a {
    let documents = &result.documents;
    (0..documents.len()).filter(move |&document| {
        documents.is_shorter(document)
            && config.passes_over_shorter(documents.is_old(document))
    })
}

/// Lists them, if there are any.
pub fn write_short_documents(
    folder: &Path,
    result: &FindResult,
    config: &FindConfig,
) -> Result<()> {
    let mut short = short_documents(result, config).peekable();
    if short.peek().is_none() {
        return Ok(());
    }
    let mut columns = vec![("id", ColumnKind::Text)];
    if result.against {
        columns.push(("source", ColumnKind::Text));
    }
    let schema = Schema::new("short-documents", "short-document", &columns);
    // Always as JSON, as bad records are.
    let mut table = Table::create(folder, &schema, OutputFormat::Jsonl)?;
    for document in short {
        let id = result.documents.id(document)?;
        let row = [Cell::Text(&id), Cell::Text(side(result, document))];
        table.row(&row[..schema.columns.len()])?;
    }
    table.finish()
}
