//! The tables at the new threshold, as `find` would write them.
//!
//! Tables must be the bytes of a fresh job, so rows come in the same order and numbers are
//! calculated from the same whole numbers; nothing is copied from a rounded column, except where
//! components have only that. Sizes of a pair must be those of its documents: a result that was
//! edited or mixed from two jobs is found here.

use super::RethresholdTask;
use super::cluster::Member;
use super::documents::StoredDocuments;
use neardupe_core::cluster::from_pairs::PlacedPair;
use neardupe_core::error::{Error, Result};
use neardupe_core::numbers::{IdRank, PriorityRank};
use neardupe_core::pipeline::result::MemberRow;
use neardupe_core::store::{Rows, Sorter};
use neardupe_io::output::table::Table;
use neardupe_io::tables::{
    ClusterRow, Clusters, DocumentRow, DocumentsOfPairs, DuplicateRow, Duplicates,
    Layout, ListedIds, PairRow, Pairs,
};
use serde_json::Value;
use std::borrow::Cow;
use std::path::Path;

/// The pairs that reach the new threshold.
/// What clustering needs of them, sorted for it while the table is written.
pub(super) struct PairsAbove {
    /// By the later and the earlier document.
    pub(super) rows: Rows<PlacedPair>,
    /// Rows of the table.
    pub(super) num_pairs: u64,
}

/// Writes the pairs that are left.
pub(super) fn pairs(
    task: &RethresholdTask<'_>,
    documents: &mut StoredDocuments,
    folder: &Path,
) -> Result<PairsAbove> {
    let (similarity, bounds) = (task.similarity()?, task.bounds()?);
    let mut table = Table::<Pairs>::create(folder, &layout(task), task.format)?;
    let mut sorter = Sorter::new(task.work, "pairs", task.row_bytes);
    let mut num_pairs = 0;
    let mut rows = task.result.pairs()?;
    while let Some(pair) = rows.next() {
        // A row is written at once to the table, and pushed into a sort for clustering: the
        // table is in the order of ids, clustering wants that of priority.
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
        // Documents that are in no pair any more are not in the table of documents.
        documents.used[left as usize] = true;
        documents.used[right as usize] = true;
        let keep_rank = |rank| PriorityRank::new(documents.keep_rank(rank));
        let (one, other) = (keep_rank(left), keep_rank(right));
        sorter.push(PlacedPair {
            later: one.max(other),
            earlier: one.min(other),
            overlap: pair.overlap,
        })?;
        table.row(&PairRow {
            left: pair.left.into(),
            right: pair.right.into(),
            similarity: similarity.ratio(pair.overlap, sizes.0, sizes.1),
            overlap: pair.overlap.into(),
            left_size: sizes.0.into(),
            right_size: sizes.1.into(),
            left_source: documents.source(left),
            right_source: documents.source(right),
        })?;
    }
    table.finish()?;
    Ok(PairsAbove {
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
    let mut table = Table::<Clusters>::create(folder, &layout(task), task.format)?;
    let mut num_clusters = 0;
    let mut members: Vec<IdRank> = Vec::new();
    // Members come sorted by id. The representative is put in its place among them, as `find`
    // does.
    let mut write = |lead: IdRank, members: &mut Vec<IdRank>| {
        let at = members.partition_point(|&member| member < lead);
        members.insert(at, lead);
        let id = |rank: IdRank| Cow::Borrowed(documents.id(rank.get()));
        let ids: Vec<Cow<'_, str>> = members.drain(..).map(id).collect();
        num_clusters += 1;
        table.row(&ClusterRow {
            cluster_id: id(lead),
            size: ids.len() as u64,
            members: ListedIds::Given(ids),
            cluster_source: documents.source(lead.get()),
        })
    };
    let mut last = None;
    rows.for_each(|row| {
        // Rows are sorted by representative: a new one ends the cluster before.
        if let Some(lead) = last
            && lead != row.representative
        {
            write(lead, &mut members)?;
        }
        last = Some(row.representative);
        members.push(row.member);
        Ok(())
    })?;
    // The last cluster has no row behind it.
    if let Some(lead) = last {
        write(lead, &mut members)?;
    }
    table.finish()?;
    Ok(num_clusters)
}

/// The layout of all tables: that of the result.
fn layout(task: &RethresholdTask<'_>) -> Layout {
    let asked = task.result.summary().options.get("meta-key");
    let names = asked.and_then(Value::as_array).into_iter().flatten();
    let names = names.filter_map(Value::as_str).map(str::to_owned);
    Layout::new(task.against(), &names.collect::<Vec<_>>())
}

/// The values of the fields, of all metadata of a document.
fn values(
    mut metadata: Vec<(String, Option<String>)>,
    layout: &Layout,
) -> Vec<Option<String>> {
    // Fields may be in any order in the row, and a field that no document has is missing.
    let value = |field: &String| {
        let found = metadata.iter_mut().find(|(name, _)| name == field);
        found.and_then(|(_, value)| value.take())
    };
    layout.metadata().iter().map(value).collect()
}

/// Writes the duplicates, which are in the order of ids.
pub(super) fn duplicates(
    task: &RethresholdTask<'_>,
    documents: &StoredDocuments,
    members: &[Member],
    folder: &Path,
) -> Result<()> {
    let (similarity, layout) = (task.similarity()?, layout(task));
    let mut table = Table::<Duplicates>::create(folder, &layout, task.format)?;
    // Metadata is not held: it is read again beside the duplicates.
    let mut stored = if layout.metadata().is_empty() {
        None
    } else {
        Some((0u32..).zip(task.result.documents()?))
    };
    for member in members {
        let (rank, lead) = (member.rank, member.representative);
        let mut metadata = Vec::new();
        // Duplicates are in the order of documents, so both are read forwards once.
        if let Some(stored) = &mut stored
            && let Some((_, row)) = stored.find(|(number, _)| *number == rank)
        {
            metadata = values(row?.metadata, &layout);
        }
        let (size, other) = (documents.size(rank), documents.size(lead));
        let [ratio, containment, containment_of_representative] =
            member.alike.ratios(similarity, size, other);
        table.row(&DuplicateRow {
            id: Cow::Borrowed(documents.id(rank)),
            duplicate_of: Cow::Borrowed(documents.id(lead)),
            similarity: ratio,
            containment,
            containment_of_representative,
            rule: member.rule,
            duplicate_of_source: documents.source(lead),
            metadata,
        })?;
    }
    table.finish()
}

/// Writes the documents that are left, with their new places.
pub(super) fn documents(
    task: &RethresholdTask<'_>,
    documents: &StoredDocuments,
    folder: &Path,
) -> Result<()> {
    let layout = layout(task);
    let mut table = Table::<DocumentsOfPairs>::create(folder, &layout, task.format)?;
    // Places are numbered anew, without gaps, in the order of keeping.
    let mut places = vec![0u64; documents.used.len()];
    let mut next = 0;
    for &rank in &documents.ranks {
        places[rank as usize] = next;
        next += u64::from(documents.used[rank as usize]);
    }
    for (rank, stored) in (0u32..).zip(task.result.documents()?) {
        let stored = stored?;
        if !documents.used[rank as usize] {
            continue;
        }
        table.row(&DocumentRow {
            id: stored.id.into(),
            size: stored.size.into(),
            characters: stored.characters.into(),
            text_hash: stored.text_hash.into(),
            place: places[rank as usize],
            source: documents.source(rank),
            metadata: values(stored.metadata, &layout),
        })?;
    }
    table.finish()
}
