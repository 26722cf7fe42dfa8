//! The files of a result: pairs, clusters, duplicates, bad records.

use super::table::{Cell, OutputFormat, Table};
use neardupe_core::document::DocIdx;
use neardupe_core::error::{Error, Result};
use neardupe_core::pipeline::FindResult;
use std::path::Path;

/// Writes all tables of a result. `metadata` names the fields that documents carry; they
/// become further columns of the duplicates.
pub fn write_tables(
    folder: &Path,
    result: &FindResult,
    format: OutputFormat,
    metadata: &[String],
) -> Result<()> {
    // The files have nothing to do with each other: each is written by a thread of its own.
    let written = std::thread::scope(|scope| {
        let threads = [
            scope.spawn(|| write_pairs(folder, result, format)),
            scope.spawn(|| write_clusters(folder, result, format)),
            scope.spawn(|| write_duplicates(folder, result, format, metadata)),
            scope.spawn(|| write_bad_records(folder, result)),
        ];
        threads.map(|thread| thread.join())
    });
    for outcome in written {
        outcome
            .map_err(|_| Error::Internal("a writing thread panicked".to_owned()))??;
    }
    Ok(())
}

fn columns(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

fn write_pairs(folder: &Path, result: &FindResult, format: OutputFormat) -> Result<()> {
    let names = [
        "left",
        "right",
        "similarity",
        "overlap",
        "left_size",
        "right_size",
    ];
    let mut table = Table::create(folder, "pairs", format, columns(&names))?;
    for pair in &result.pairs {
        table.row(&[
            Cell::Text(result.documents.id(pair.left)),
            Cell::Text(result.documents.id(pair.right)),
            Cell::Ratio(u64::from(pair.overlap), pair.union()),
            Cell::Number(u64::from(pair.overlap)),
            Cell::Number(u64::from(pair.left_size)),
            Cell::Number(u64::from(pair.right_size)),
        ])?;
    }
    table.finish()
}

fn write_clusters(
    folder: &Path,
    result: &FindResult,
    format: OutputFormat,
) -> Result<()> {
    let names = ["cluster_id", "size", "members"];
    let mut table = Table::create(folder, "clusters", format, columns(&names))?;
    let id = |document: DocIdx| result.documents.id(document);
    for cluster in &result.clusters {
        let members: Vec<&str> =
            cluster.members.iter().map(|&member| id(member)).collect();
        table.row(&[
            Cell::Text(id(cluster.representative)),
            Cell::Number(members.len() as u64),
            Cell::List(&members),
        ])?;
    }
    table.finish()
}

fn write_duplicates(
    folder: &Path,
    result: &FindResult,
    format: OutputFormat,
    metadata: &[String],
) -> Result<()> {
    let documents = &result.documents;
    let mut names = columns(&[
        "id",
        "duplicate_of",
        "similarity",
        "containment",
        "containment_of_representative",
        "rule",
    ]);
    names.extend(metadata.iter().map(|field| format!("metadata.{field}")));
    let mut table = Table::create(folder, "duplicates", format, names)?;
    for duplicate in &result.duplicates {
        let (document, representative) = (duplicate.document, duplicate.representative);
        let overlap = u64::from(duplicate.overlap);
        let size = u64::from(documents.size(document));
        let other = u64::from(documents.size(representative));
        let mut row = vec![
            Cell::Text(documents.id(document)),
            Cell::Text(documents.id(representative)),
            Cell::Ratio(overlap, size + other - overlap),
            Cell::Ratio(overlap, size),
            Cell::Ratio(overlap, other),
            Cell::Text(duplicate.rule.name()),
        ];
        let values = &documents.metadata(document)[..metadata.len()];
        row.extend(values.iter().map(|value| Cell::Maybe(value.as_deref())));
        table.row(&row)?;
    }
    table.finish()
}

fn write_bad_records(folder: &Path, result: &FindResult) -> Result<()> {
    let names = columns(&["path", "number", "offset", "kind", "detail"]);
    let mut table = Table::create(folder, "bad-records", OutputFormat::Jsonl, names)?;
    for bad in &result.bad_records {
        let file = &result.files[bad.position.file as usize];
        table.row(&[
            Cell::Text(&file.name),
            Cell::Number(file.record_number(bad.position)),
            Cell::Number(bad.offset),
            Cell::Text(bad.kind.name()),
            Cell::Text(&bad.detail),
        ])?;
    }
    table.finish()
}
