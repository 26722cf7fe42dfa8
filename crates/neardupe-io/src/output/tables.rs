//! The files of a result: pairs, clusters, duplicates, documents of the pairs, bad records.

use super::format::OutputFormat;
use super::row::{Cell, Column, ColumnKind, Schema};
use super::table::Table;
use neardupe_core::document::DocIdx;
use neardupe_core::error::{Error, Result};
use neardupe_core::pipeline::FindResult;
use neardupe_core::pipeline::documents::Documents;
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
            scope.spawn(|| write_documents(folder, result, format, metadata)),
            scope.spawn(|| write_bad_records(folder, result)),
            scope.spawn(|| write_codes(folder, result, format)),
        ];
        threads.map(|thread| thread.join())
    });
    for outcome in written {
        outcome
            .map_err(|_| Error::Internal("a writing thread panicked".to_owned()))??;
    }
    Ok(())
}

/// On which side a document is when new ones are compared with old ones.
pub fn side(result: &FindResult, document: DocIdx) -> &'static str {
    match result.documents.is_old(document) {
        true => "old",
        false => "new",
    }
}

/// The table of pairs. With `against` new documents were compared with old ones, and rows
/// name the side of each.
pub fn pairs_schema(against: bool) -> Schema {
    let mut columns = vec![
        ("left", ColumnKind::Text),
        ("right", ColumnKind::Text),
        ("similarity", ColumnKind::Ratio),
        ("overlap", ColumnKind::Number),
        ("left_size", ColumnKind::Number),
        ("right_size", ColumnKind::Number),
    ];
    if against {
        columns.push(("left_source", ColumnKind::Text));
        columns.push(("right_source", ColumnKind::Text));
    }
    Schema::new("pairs", "pair", &columns)
}

/// The table of clusters.
pub fn clusters_schema(against: bool) -> Schema {
    let mut columns = vec![
        ("cluster_id", ColumnKind::Text),
        ("size", ColumnKind::Number),
        ("members", ColumnKind::List("member")),
    ];
    if against {
        columns.push(("cluster_source", ColumnKind::Text));
    }
    Schema::new("clusters", "cluster", &columns)
}

/// The table of duplicates, with metadata of these names.
pub fn duplicates_schema<'a>(
    against: bool,
    metadata: impl Iterator<Item = &'a str>,
) -> Schema {
    let mut columns = vec![
        ("id", ColumnKind::Text),
        ("duplicate_of", ColumnKind::Text),
        ("similarity", ColumnKind::Ratio),
        ("containment", ColumnKind::Ratio),
        ("containment_of_representative", ColumnKind::Ratio),
        ("rule", ColumnKind::Text),
    ];
    if against {
        columns.push(("duplicate_of_source", ColumnKind::Text));
    }
    let schema = Schema::new("duplicates", "duplicate", &columns);
    with_metadata(schema, metadata)
}

/// The table of documents that occur in a pair, with metadata of these names.
pub fn documents_schema<'a>(
    against: bool,
    metadata: impl Iterator<Item = &'a str>,
) -> Schema {
    let mut columns = vec![
        ("id", ColumnKind::Text),
        ("size", ColumnKind::Number),
        ("characters", ColumnKind::Number),
        ("text_hash", ColumnKind::Text),
        ("place", ColumnKind::Number),
    ];
    if against {
        columns.push(("source", ColumnKind::Text));
    }
    with_metadata(Schema::new("documents", "document", &columns), metadata)
}

fn with_metadata<'a>(
    mut schema: Schema,
    metadata: impl Iterator<Item = &'a str>,
) -> Schema {
    schema.columns.extend(metadata.map(|name| Column {
        name: format!("metadata.{name}"),
        kind: ColumnKind::OptionalText,
    }));
    schema
}

/// Places of the metadata fields. A field asked for twice is one column: readers of Parquet
/// refuse equal names.
fn distinct(metadata: &[String]) -> Vec<usize> {
    let first = |&at: &usize| !metadata[..at].contains(&metadata[at]);
    (0..metadata.len()).filter(first).collect()
}

/// The table of simhashes.
pub fn codes_schema() -> Schema {
    let columns = [
        ("id", ColumnKind::Text),
        ("code", ColumnKind::Text),
        ("made_by", ColumnKind::Text),
    ];
    Schema::new("codes", "code", &columns)
}

/// Writes the simhashes of all documents that have one, if some were made.
fn write_codes(folder: &Path, result: &FindResult, format: OutputFormat) -> Result<()> {
    let Some(made_by) = &result.codes else {
        return Ok(());
    };
    let schema = codes_schema();
    let mut table = Table::create(folder, &schema, format)?;
    for document in 0..result.documents.len() {
        let Some(code) = result.documents.code(document) else {
            continue;
        };
        let (id, code) = (result.documents.id(document)?, format!("{code:016x}"));
        table.row(&[Cell::Text(&id), Cell::Text(&code), Cell::Text(made_by)])?;
    }
    table.finish()
}

fn write_pairs(folder: &Path, result: &FindResult, format: OutputFormat) -> Result<()> {
    let schema = pairs_schema(result.against);
    let mut table = Table::create(folder, &schema, format)?;
    result.for_each_pair(|pair| {
        let (left, right) = (pair.left, pair.right);
        let (part, whole) =
            result
                .similarity
                .ratio(pair.overlap, pair.left_size, pair.right_size);
        let ids = (result.documents.id(left)?, result.documents.id(right)?);
        let row = [
            Cell::Text(&ids.0),
            Cell::Text(&ids.1),
            Cell::Ratio(part, whole),
            Cell::Number(u64::from(pair.overlap)),
            Cell::Number(u64::from(pair.left_size)),
            Cell::Number(u64::from(pair.right_size)),
            Cell::Text(side(result, left)),
            Cell::Text(side(result, right)),
        ];
        table.row(&row[..schema.columns.len()])
    })?;
    table.finish()
}

fn write_clusters(
    folder: &Path,
    result: &FindResult,
    format: OutputFormat,
) -> Result<()> {
    let schema = clusters_schema(result.against);
    let mut table = Table::create(folder, &schema, format)?;
    let id = |document: DocIdx| result.documents.id(document);
    result.for_each_cluster(|cluster| {
        let ids = cluster.members.iter().map(|&member| id(member));
        let ids = ids.collect::<Result<Vec<_>>>()?;
        let members: Vec<&str> = ids.iter().map(AsRef::as_ref).collect();
        let cluster_id = id(cluster.representative)?;
        let row = [
            Cell::Text(&cluster_id),
            Cell::Number(members.len() as u64),
            Cell::List(&members),
            Cell::Text(side(result, cluster.representative)),
        ];
        table.row(&row[..schema.columns.len()])
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
    let fields = distinct(metadata);
    let names = fields.iter().map(|&at| metadata[at].as_str());
    let schema = duplicates_schema(result.against, names);
    let mut table = Table::create(folder, &schema, format)?;
    for duplicate in &result.duplicates {
        let (document, representative) = (duplicate.document, duplicate.representative);
        let overlap = duplicate.overlap;
        let (size, other) = documents.sizes(document, representative);
        let (part, whole) = result.similarity.ratio(overlap, size, other);
        let contained = |of: u32| Cell::Ratio(u64::from(overlap), u64::from(of));
        let (id, representative_id) =
            (documents.id(document)?, documents.id(representative)?);
        let values = match fields.is_empty() {
            true => Vec::new(),
            false => documents.metadata(document)?,
        };
        let mut row = vec![
            Cell::Text(&id),
            Cell::Text(&representative_id),
            Cell::Ratio(part, whole),
            contained(size),
            contained(other),
            Cell::Text(duplicate.rule.name()),
        ];
        if result.against {
            row.push(Cell::Text(side(result, representative)));
        }
        row.extend(fields.iter().map(|&at| Cell::Maybe(values[at].as_deref())));
        table.row(&row)?;
    }
    table.finish()
}

fn write_documents(
    folder: &Path,
    result: &FindResult,
    format: OutputFormat,
    metadata: &[String],
) -> Result<()> {
    let Some(places) = &result.places else {
        return Ok(());
    };
    let documents = &result.documents;
    let fields = distinct(metadata);
    let names = fields.iter().map(|&at| metadata[at].as_str());
    let schema = documents_schema(result.against, names);
    let mut table = Table::create(folder, &schema, format)?;
    for (rank, place) in places.iter() {
        let document = result.order.document(rank);
        let values = match fields.is_empty() {
            true => Vec::new(),
            false => documents.metadata(document)?,
        };
        let text_hash = format!("{:032x}", documents.text_hash(document)?);
        let id = documents.id(document)?;
        let mut row = vec![
            Cell::Text(&id),
            Cell::Number(u64::from(documents.size(document))),
            Cell::Number(u64::from(documents.chars(document))),
            Cell::Text(&text_hash),
            Cell::Number(u64::from(place)),
        ];
        if result.against {
            row.push(Cell::Text(side(result, document)));
        }
        row.extend(fields.iter().map(|&at| Cell::Maybe(values[at].as_deref())));
        table.row(&row)?;
    }
    table.finish()
}

fn write_bad_records(folder: &Path, result: &FindResult) -> Result<()> {
    let num_old_files = result.against.then_some(result.num_old_files);
    write_bad_records_of(folder, &result.documents, num_old_files)
}

/// Writes the bad records of a job. `num_old_files` are those of the old documents, where there
/// are two sides.
pub fn write_bad_records_of(
    folder: &Path,
    documents: &Documents,
    num_old_files: Option<u32>,
) -> Result<()> {
    let mut columns = vec![
        ("path", ColumnKind::Text),
        ("number", ColumnKind::Number),
        ("offset", ColumnKind::Number),
        ("kind", ColumnKind::Text),
        ("detail", ColumnKind::Text),
    ];
    if num_old_files.is_some() {
        columns.push(("source", ColumnKind::Text));
    }
    let schema = Schema::new("bad-records", "bad-record", &columns);
    // Always as JSON: it is read by people, and has the same name whatever the format.
    let mut table = Table::create(folder, &schema, OutputFormat::Jsonl)?;
    documents.for_each_bad_record(|bad| {
        let file = &documents.files()[bad.position.file as usize];
        let row = [
            Cell::Text(&file.name),
            Cell::Number(file.record_number(bad.position)),
            Cell::Number(bad.offset),
            Cell::Text(bad.kind.name()),
            Cell::Text(&bad.detail),
            Cell::Text(match bad.position.file < num_old_files.unwrap_or(0) {
                true => "old",
                false => "new",
            }),
        ];
        table.row(&row[..schema.columns.len()])
    })?;
    table.finish()
}
