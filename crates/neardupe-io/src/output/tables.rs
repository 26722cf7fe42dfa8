//! The files of a result: pairs, clusters, duplicates, bad records.

use super::format::OutputFormat;
use super::row::{Cell, Column, ColumnKind, Schema};
use super::table::Table;
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

fn write_pairs(folder: &Path, result: &FindResult, format: OutputFormat) -> Result<()> {
    let columns = [
        ("left", ColumnKind::Text),
        ("right", ColumnKind::Text),
        ("similarity", ColumnKind::Ratio),
        ("overlap", ColumnKind::Number),
        ("left_size", ColumnKind::Number),
        ("right_size", ColumnKind::Number),
    ];
    let schema = Schema::new("pairs", "pair", &columns);
    let mut table = Table::create(folder, &schema, format)?;
    result.for_each_pair(|pair| {
        table.row(&[
            Cell::Text(&result.documents.id(pair.left)?),
            Cell::Text(&result.documents.id(pair.right)?),
            Cell::Ratio(u64::from(pair.overlap), pair.union()),
            Cell::Number(u64::from(pair.overlap)),
            Cell::Number(u64::from(pair.left_size)),
            Cell::Number(u64::from(pair.right_size)),
        ])
    })?;
    table.finish()
}

fn write_clusters(
    folder: &Path,
    result: &FindResult,
    format: OutputFormat,
) -> Result<()> {
    let columns = [
        ("cluster_id", ColumnKind::Text),
        ("size", ColumnKind::Number),
        ("members", ColumnKind::List("member")),
    ];
    let schema = Schema::new("clusters", "cluster", &columns);
    let mut table = Table::create(folder, &schema, format)?;
    let id = |document: DocIdx| result.documents.id(document);
    result.for_each_cluster(|cluster| {
        let ids = cluster.members.iter().map(|&member| id(member));
        let ids = ids.collect::<Result<Vec<_>>>()?;
        let members: Vec<&str> = ids.iter().map(AsRef::as_ref).collect();
        table.row(&[
            Cell::Text(&id(cluster.representative)?),
            Cell::Number(members.len() as u64),
            Cell::List(&members),
        ])
    })?;
    table.finish()
}

fn write_duplicates(
    folder: &Path,
    result: &FindResult,
    format: OutputFormat,
    metadata: &[String],
) -> Result<()> {
    let documents = &result.documents;
    let columns = [
        ("id", ColumnKind::Text),
        ("duplicate_of", ColumnKind::Text),
        ("similarity", ColumnKind::Ratio),
        ("containment", ColumnKind::Ratio),
        ("containment_of_representative", ColumnKind::Ratio),
        ("rule", ColumnKind::Text),
    ];
    let mut schema = Schema::new("duplicates", "duplicate", &columns);
    // A field asked for twice is one column: readers of Parquet refuse equal names.
    let first = |&at: &usize| !metadata[..at].contains(&metadata[at]);
    let fields: Vec<usize> = (0..metadata.len()).filter(first).collect();
    schema.columns.extend(fields.iter().map(|&at| Column {
        name: format!("metadata.{}", metadata[at]),
        kind: ColumnKind::OptionalText,
    }));
    let mut table = Table::create(folder, &schema, format)?;
    for duplicate in &result.duplicates {
        let (document, representative) = (duplicate.document, duplicate.representative);
        let overlap = u64::from(duplicate.overlap);
        let size = u64::from(documents.size(document));
        let other = u64::from(documents.size(representative));
        let (id, representative_id) =
            (documents.id(document)?, documents.id(representative)?);
        let values = match fields.is_empty() {
            true => Vec::new(),
            false => documents.metadata(document)?,
        };
        let mut row = vec![
            Cell::Text(&id),
            Cell::Text(&representative_id),
            Cell::Ratio(overlap, size + other - overlap),
            Cell::Ratio(overlap, size),
            Cell::Ratio(overlap, other),
            Cell::Text(duplicate.rule.name()),
        ];
        row.extend(fields.iter().map(|&at| Cell::Maybe(values[at].as_deref())));
        table.row(&row)?;
    }
    table.finish()
}

fn write_bad_records(folder: &Path, result: &FindResult) -> Result<()> {
    let columns = [
        ("path", ColumnKind::Text),
        ("number", ColumnKind::Number),
        ("offset", ColumnKind::Number),
        ("kind", ColumnKind::Text),
        ("detail", ColumnKind::Text),
    ];
    let schema = Schema::new("bad-records", "bad-record", &columns);
    // Always as JSON: it is read by people, and has the same name whatever the format.
    let mut table = Table::create(folder, &schema, OutputFormat::Jsonl)?;
    let documents = &result.documents;
    documents.for_each_bad_record(|bad| {
        let file = &documents.files()[bad.position.file as usize];
        table.row(&[
            Cell::Text(&file.name),
            Cell::Number(file.record_number(bad.position)),
            Cell::Number(bad.offset),
            Cell::Text(bad.kind.name()),
            Cell::Text(&bad.detail),
        ])
    })?;
    table.finish()
}
