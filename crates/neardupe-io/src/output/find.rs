//! The tables of `find`: how rows are made of what was found, and the files of a result.

use super::rows_of::RowsOf;
use super::table::Table;
use crate::tables::{
    BadRecordRow, BadRecords, Batches, ClusterRow, Clusters, CodeRow, Codes, Declared,
    DocumentRow, DocumentsOfPairs, DuplicateRow, Duplicates, Layout, ListedIds, LookUp,
    OutputFormat, PairRow, Pairs, ShortDocumentRow, ShortDocuments,
};
use neardupe_core::document::DocIdx;
use neardupe_core::error::{Error, Result};
use neardupe_core::pipeline::documents::Documents;
use neardupe_core::pipeline::ids::sort_documents;
use neardupe_core::pipeline::{FindConfig, FindResult};
use neardupe_core::ratio::Ratio;
use std::borrow::Cow;
use std::path::Path;

/// Name of the file that lists documents which containment passes over.
pub const SHORT_DOCUMENTS: &str = "short-documents.jsonl";

/// Writes all tables of a result. `metadata` names the fields that documents carry; they
/// become further columns of the duplicates.
pub fn write_tables(
    folder: &Path,
    result: &FindResult,
    format: OutputFormat,
    metadata: &[String],
) -> Result<()> {
    let layout = &Layout::new(result.against, metadata);
    // The files have nothing to do with each other: each is written by a thread of its own.
    let written = std::thread::scope(|scope| {
        let threads = [
            scope.spawn(|| write::<Pairs>(folder, result, format, layout)),
            scope.spawn(|| write::<Clusters>(folder, result, format, layout)),
            scope.spawn(|| write::<Duplicates>(folder, result, format, layout)),
            scope.spawn(|| write::<DocumentsOfPairs>(folder, result, format, layout)),
            scope.spawn(|| write::<BadRecords>(folder, result, format, layout)),
            scope.spawn(|| write::<Codes>(folder, result, format, layout)),
        ];
        threads.map(|thread| thread.join())
    });
    // A thread panics only by a mistake of the program; its table is incomplete then, so the
    // job fails.
    for outcome in written {
        outcome
            .map_err(|_| Error::Internal("a writing thread panicked".to_owned()))??;
    }
    Ok(())
}

/// Writes a table, if the result has it.
fn write<T: RowsOf<FindResult>>(
    folder: &Path,
    result: &FindResult,
    format: OutputFormat,
    layout: &Layout,
) -> Result<()> {
    let Some(rows) = T::rows(result, layout) else {
        return Ok(());
    };
    let mut table = Table::<T>::create(folder, layout, format)?;
    table.rows(rows)?;
    table.finish()
}

/// A table of a result as record batches, with the values that its file would have; none if the
/// result has no such table. `metadata` names the fields that documents carry.
pub fn find_batches<'a>(
    result: &'a FindResult,
    table: &str,
    metadata: &[String],
) -> Option<Batches<'a>> {
    let layout = Layout::new(result.against, metadata);
    fn of<'a, T: RowsOf<FindResult> + 'static>(
        result: &'a FindResult,
        layout: &Layout,
    ) -> Option<Batches<'a>> {
        T::rows(result, layout).map(|rows| Batches::of::<T>(rows, layout))
    }
    let known = [
        (Pairs::DECLARATION.name, of::<Pairs> as fn(_, &_) -> _),
        (Clusters::DECLARATION.name, of::<Clusters>),
        (Duplicates::DECLARATION.name, of::<Duplicates>),
        (DocumentsOfPairs::DECLARATION.name, of::<DocumentsOfPairs>),
        (BadRecords::DECLARATION.name, of::<BadRecords>),
        (Codes::DECLARATION.name, of::<Codes>),
    ];
    let found = known.into_iter().find(|(name, _)| *name == table);
    found.and_then(|(_, batches)| batches(result, &layout))
}

/// On which side a document is when new ones are compared with old ones.
pub fn side(documents: &Documents, document: DocIdx) -> &'static str {
    if documents.is_old(document) {
        "old"
    } else {
        "new"
    }
}

/// The metadata of a document, where some was asked for.
fn metadata(
    documents: &Documents,
    document: DocIdx,
    layout: &Layout,
) -> Result<Vec<Option<String>>> {
    if layout.metadata().is_empty() {
        Ok(Vec::new())
    } else {
        Ok(layout.distinct(documents.metadata(document)?))
    }
}

impl RowsOf<FindResult> for Pairs {
    fn rows<'a>(
        result: &'a FindResult,
        _layout: &Layout,
    ) -> Option<impl Iterator<Item = Result<PairRow<'a>>> + Send + use<'a>> {
        let documents = &result.documents;
        Some(result.each_pair().map(|pair| {
            let pair = pair?;
            let (left_size, right_size) = (pair.left_size, pair.right_size);
            Ok(PairRow {
                left: documents.id(pair.left)?,
                right: documents.id(pair.right)?,
                similarity: result.similarity.ratio(pair.overlap, left_size, right_size),
                overlap: pair.overlap.into(),
                left_size: left_size.into(),
                right_size: right_size.into(),
                left_source: side(documents, pair.left),
                right_source: side(documents, pair.right),
            })
        }))
    }
}

/// The ids of the members of a cluster.
struct MemberIds<'a> {
    documents: &'a Documents,
    members: Vec<DocIdx>,
}

impl LookUp for MemberIds<'_> {
    fn len(&self) -> usize {
        self.members.len()
    }

    fn item(&self, at: usize) -> Result<Cow<'_, str>> {
        self.documents.id(self.members[at])
    }
}

impl RowsOf<FindResult> for Clusters {
    fn rows<'a>(
        result: &'a FindResult,
        _layout: &Layout,
    ) -> Option<impl Iterator<Item = Result<ClusterRow<'a>>> + Send + use<'a>> {
        let documents = &result.documents;
        Some(result.each_cluster().map(|cluster| {
            let cluster = cluster?;
            let members = MemberIds {
                documents,
                members: cluster.members,
            };
            Ok(ClusterRow {
                cluster_id: documents.id(cluster.representative)?,
                size: members.len() as u64,
                members: ListedIds::LookedUp(Box::new(members)),
                cluster_source: side(documents, cluster.representative),
            })
        }))
    }
}

impl RowsOf<FindResult> for Duplicates {
    fn rows<'a>(
        result: &'a FindResult,
        layout: &Layout,
    ) -> Option<impl Iterator<Item = Result<DuplicateRow<'a>>> + Send + use<'a>> {
        let layout = layout.clone();
        let documents = &result.documents;
        Some(result.duplicates.iter().map(move |duplicate| {
            let (document, kept) = (duplicate.document, duplicate.representative);
            let overlap = duplicate.overlap;
            let (size, other) = documents.sizes(document, kept);
            Ok(DuplicateRow {
                id: documents.id(document)?,
                duplicate_of: documents.id(kept)?,
                similarity: result.similarity.ratio(overlap, size, other),
                containment: Ratio::new(overlap.into(), size.into()),
                containment_of_representative: Ratio::new(overlap.into(), other.into()),
                rule: duplicate.rule,
                duplicate_of_source: side(documents, kept),
                metadata: metadata(documents, document, &layout)?,
            })
        }))
    }
}

impl RowsOf<FindResult> for DocumentsOfPairs {
    fn rows<'a>(
        result: &'a FindResult,
        layout: &Layout,
    ) -> Option<impl Iterator<Item = Result<DocumentRow<'a>>> + Send + use<'a>> {
        let layout = layout.clone();
        let documents = &result.documents;
        let ranks = result.priority_ranks.as_ref()?;
        Some(ranks.iter().map(move |(rank, priority)| {
            let document = result.order.document(rank);
            Ok(DocumentRow {
                id: documents.id(document)?,
                size: documents.size(document).into(),
                characters: documents.chars(document).into(),
                text_hash: documents.text_hash(document)?.into(),
                place: priority.get().into(),
                source: side(documents, document),
                metadata: metadata(documents, document, &layout)?,
            })
        }))
    }
}

impl RowsOf<FindResult> for Codes {
    fn rows<'a>(
        result: &'a FindResult,
        _layout: &Layout,
    ) -> Option<impl Iterator<Item = Result<CodeRow<'a>>> + Send + use<'a>> {
        let made_by = result.codes.as_deref()?;
        let documents = &result.documents;
        let with_code = documents
            .all()
            .filter(|&document| documents.code(document).is_some());
        let mut with_code: Vec<DocIdx> = with_code.collect();
        // Four bytes a document: the rows themselves are never held.
        let failure = sort_documents(documents, &mut with_code).err();
        if failure.is_some() {
            with_code.clear();
        }
        let rows = with_code.into_iter().filter_map(move |document| {
            let code = documents.code(document)?;
            let row = documents.id(document).map(|id| CodeRow {
                id,
                code: code.into(),
                made_by: Cow::Borrowed(made_by),
            });
            Some(row)
        });
        Some(failure.map(Err).into_iter().chain(rows))
    }
}

impl RowsOf<FindResult> for BadRecords {
    fn rows<'a>(
        result: &'a FindResult,
        _layout: &Layout,
    ) -> Option<impl Iterator<Item = Result<BadRecordRow<'a>>> + Send + use<'a>> {
        let num_old_files = result.against.then_some(result.num_old_files);
        Some(bad_record_rows(&result.documents, num_old_files))
    }
}

/// The bad records of a job. `num_old_files` are those of the old documents, where there are two
/// sides.
pub fn bad_record_rows(
    documents: &Documents,
    num_old_files: Option<u32>,
) -> impl Iterator<Item = Result<BadRecordRow<'_>>> + Send + '_ {
    documents.each_bad_record().map(move |bad| {
        let bad = bad?;
        let file = &documents.files()[bad.position.file as usize];
        Ok(BadRecordRow {
            path: Cow::Borrowed(&file.name),
            number: file.record_number(bad.position),
            offset: bad.offset,
            kind: bad.kind.name().into(),
            detail: bad.detail.into(),
            source: if bad.position.file < num_old_files.unwrap_or(0) {
                "old"
            } else {
                "new"
            },
        })
    })
}

/// Writes the bad records of a job.
pub fn write_bad_records(
    folder: &Path,
    documents: &Documents,
    num_old_files: Option<u32>,
) -> Result<()> {
    let layout = Layout::new(num_old_files.is_some(), &[]);
    let mut table = Table::<BadRecords>::create(folder, &layout, OutputFormat::Jsonl)?;
    table.rows(bad_record_rows(documents, num_old_files))?;
    table.finish()
}

/// The documents that containment passes over, since they have no whole shingle; in the order of
/// the input.
pub fn short_documents<'a>(
    result: &'a FindResult,
    config: &'a FindConfig,
) -> impl Iterator<Item = DocIdx> + 'a {
    let documents = &result.documents;
    documents.all().filter(move |&document| {
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
    let documents = &result.documents;
    let layout = Layout::new(result.against, &[]);
    let mut table =
        Table::<ShortDocuments>::create(folder, &layout, OutputFormat::Jsonl)?;
    for document in short {
        table.row(&ShortDocumentRow {
            id: documents.id(document)?,
            source: side(documents, document),
        })?;
    }
    table.finish()
}
