//! The tables at the new threshold, as `find` would write them.

use super::RethresholdTask;
use super::cluster::Member;
use super::documents::StoredDocuments;
use neardupe_core::cluster::from_pairs::PlacedPair;
use neardupe_core::error::{Error, Result};
use neardupe_core::pipeline::result::MemberRow;
use neardupe_core::store::{Rows, Sorter};
use neardupe_io::output::row::Cell;
use neardupe_io::output::table::Table;
use neardupe_io::output::tables::{
    clusters_schema, documents_schema, duplicates_schema, pairs_schema,
};
use neardupe_io::result::StoredDocument;
use serde_json::Value;
use std::path::Path;

/// The pairs that reach the new threshold.
pub(super) struct Kept {
    /// By the later and the earlier document.
    pub(super) rows: Rows<PlacedPair>,
    pub(super) num_pairs: u64,
}

/// Writes the pairs that are left.
pub(super) fn pairs(
    task: &RethresholdTask<'_>,
    documents: &mut StoredDocuments,
    folder: &Path,
) -> Result<Kept> {
    let (similarity, bounds, against) =
        (task.similarity()?, task.bounds()?, task.against());
    let schema = pairs_schema(against);
    let mut table = Table::create(folder, &schema, task.format)?;
    let mut sorter = Sorter::new(task.work, "pairs", task.row_bytes);
    let mut num_pairs = 0;
    let mut rows = task.result.pairs()?;
    while let Some(pair) = rows.next() {
        let pair = pair?;
        let left = documents.rank(&pair.left, pair.left_source.as_deref())?;
        let right = documents.rank(&pair.right, pair.right_source.as_deref())?;
        let sizes = (documents.size(left), documents.size(right));
        if sizes != (pair.left_size, pair.right_size) {
            return Err(Error::Corrupt {
                path: rows.path().to_path_buf(),
                message: format!(
                    "{}: sizes that are not those of documents",
                    rows.place()
                ),
            });
        }
        if !bounds.reached(pair.overlap, sizes.0, sizes.1) {
            continue;
        }
        num_pairs += 1;
        documents.used[left as usize] = true;
        documents.used[right as usize] = true;
        let (one, other) = (documents.place(left), documents.place(right));
        sorter.push(PlacedPair {
            later: one.max(other),
            earlier: one.min(other),
            overlap: pair.overlap,
        })?;
        let (part, whole) = similarity.ratio(pair.overlap, sizes.0, sizes.1);
        let row = [
            Cell::Text(&pair.left),
            Cell::Text(&pair.right),
            Cell::Ratio(part, whole),
            Cell::Number(u64::from(pair.overlap)),
            Cell::Number(u64::from(sizes.0)),
            Cell::Number(u64::from(sizes.1)),
            Cell::Text(documents.source(left)),
            Cell::Text(documents.source(right)),
        ];
        table.row(&row[..schema.columns.len()])?;
    }
    table.finish()?;
    Ok(Kept {
        rows: sorter.finish()?,
        num_pairs,
    })
}

/// Writes clusters and counts them.
pub(super) fn clusters(
    task: &RethresholdTask<'_>,
    documents: &StoredDocuments,
    rows: &Rows<MemberRow>,
    folder: &Path,
) -> Result<u64> {
    let schema = clusters_schema(task.against());
    let mut table = Table::create(folder, &schema, task.format)?;
    let mut num_clusters = 0;
    let mut members: Vec<u32> = Vec::new();
    let mut write = |lead: u32, members: &mut Vec<u32>| {
        let at = members.partition_point(|&member| member < lead);
        members.insert(at, lead);
        let ids: Vec<&str> = members.iter().map(|&rank| documents.id(rank)).collect();
        members.clear();
        num_clusters += 1;
        let row = [
            Cell::Text(documents.id(lead)),
            Cell::Number(ids.len() as u64),
            Cell::List(&ids),
            Cell::Text(documents.source(lead)),
        ];
        table.row(&row[..schema.columns.len()])
    };
    let mut last = None;
    rows.for_each(|row| {
        if let Some(lead) = last
            && lead != row.representative
        {
            write(lead, &mut members)?;
        }
        last = Some(row.representative);
        members.push(row.member);
        Ok(())
    })?;
    if let Some(lead) = last {
        write(lead, &mut members)?;
    }
    table.finish()?;
    Ok(num_clusters)
}

/// The metadata fields that were asked for, each once.
fn fields(task: &RethresholdTask<'_>) -> Vec<String> {
    let asked = task.result.summary().options.get("meta-key");
    let mut fields: Vec<String> = Vec::new();
    for name in asked.and_then(Value::as_array).into_iter().flatten() {
        if let Some(name) = name.as_str()
            && !fields.iter().any(|field| field == name)
        {
            fields.push(name.to_owned());
        }
    }
    fields
}

fn metadata<'a>(row: &'a StoredDocument, fields: &[String]) -> Vec<Cell<'a>> {
    let value = |field: &String| {
        let found = row.metadata.iter().find(|(name, _)| name == field);
        found.and_then(|(_, value)| value.as_deref())
    };
    fields
        .iter()
        .map(|field| Cell::Maybe(value(field)))
        .collect()
}

/// Writes the duplicates, which are in the order of ids.
pub(super) fn duplicates(
    task: &RethresholdTask<'_>,
    documents: &StoredDocuments,
    members: &[Member],
    folder: &Path,
) -> Result<()> {
    let fields = fields(task);
    let (similarity, against) = (task.similarity()?, task.against());
    let schema = duplicates_schema(against, fields.iter().map(String::as_str));
    let mut table = Table::create(folder, &schema, task.format)?;
    // Metadata is not held: it is read again beside the duplicates.
    let mut stored = match fields.is_empty() {
        true => None,
        false => Some((0u32..).zip(task.result.documents()?)),
    };
    for member in members {
        let (rank, lead) = (member.rank, member.representative);
        let mut about = None;
        if let Some(stored) = &mut stored
            && let Some((_, row)) = stored.find(|(number, _)| *number == rank)
        {
            about = Some(row?);
        }
        let mut row = vec![
            Cell::Text(documents.id(rank)),
            Cell::Text(documents.id(lead)),
        ];
        row.extend(member.alike.cells(
            similarity,
            documents.size(rank),
            documents.size(lead),
        ));
        row.push(Cell::Text(member.rule.name()));
        if against {
            row.push(Cell::Text(documents.source(lead)));
        }
        row.extend(about.iter().flat_map(|about| metadata(about, &fields)));
        table.row(&row)?;
    }
    table.finish()
}

/// Writes the documents that are left, with their new places.
pub(super) fn documents(
    task: &RethresholdTask<'_>,
    documents: &StoredDocuments,
    folder: &Path,
) -> Result<()> {
    let fields = fields(task);
    let against = task.against();
    let schema = documents_schema(against, fields.iter().map(String::as_str));
    let mut table = Table::create(folder, &schema, task.format)?;
    let mut places = vec![0u64; documents.used.len()];
    let mut next = 0;
    for &rank in &documents.ranks {
        places[rank as usize] = next;
        next += u64::from(documents.used[rank as usize]);
    }
    for (rank, stored) in task.result.documents()?.enumerate() {
        let stored = stored?;
        if !documents.used[rank] {
            continue;
        }
        let text_hash = format!("{:032x}", stored.text_hash);
        let mut row = vec![
            Cell::Text(&stored.id),
            Cell::Number(u64::from(stored.size)),
            Cell::Number(u64::from(stored.characters)),
            Cell::Text(&text_hash),
            Cell::Number(places[rank]),
        ];
        if against {
            let rank = u32::try_from(rank).unwrap_or(u32::MAX);
            row.push(Cell::Text(documents.source(rank)));
        }
        row.extend(metadata(&stored, &fields));
        table.row(&row)?;
    }
    table.finish()
}
