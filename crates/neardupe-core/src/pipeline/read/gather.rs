//! Everything has been read: documents get their numbers and their ids.

use super::doc_log::Logged;
use super::documents::{Documents, id_seed, made_id};
use super::ids;
use super::parts::ReadStage;
use super::sets::SetTable;
use crate::candidate::side::SideLayout;
use crate::document::{DocIdx, Position};
use crate::error::Result;
use crate::hash::{self, FixedSet};
use crate::numbers::{LogOffset, MaybeSet, narrow, of_len};
use crate::store::{Budget, WorkDir};
use rayon::prelude::*;

/// A document while it gets its number.
#[derive(Debug, Clone, Copy)]
struct DocumentRow {
    offset: LogOffset,
    id_hash: u64,
    position: Position,
    set: MaybeSet,
    chars: u32,
}

/// Sets have nothing beside their features, or nothing of it is wanted.
pub(in crate::pipeline) fn no_side() -> SideLayout {
    SideLayout::default()
}

/// Numbers the documents that were read.
pub(in crate::pipeline) fn gather(
    stage: &mut ReadStage,
    budget: &Budget,
    work: &WorkDir,
    num_old_files: u32,
    layout: SideLayout,
) -> Result<Documents> {
    let set_table = SetTable::gather(stage, work, layout)?;
    let mut documents = Documents {
        log: std::mem::take(&mut stage.log),
        files: std::mem::take(&mut stage.read.files),
        set_table,
        ..Documents::default()
    };
    let mut rows = rows(&mut documents, num_old_files)?;
    budget.check_documents(rows.len() as u64)?;
    // From here on numbers of documents fit: there is none that is larger.
    narrow(rows.len(), "documents")?;
    // The order of the input, whoever read them: from here on nothing depends on threads or parts.
    rows.par_sort_unstable_by_key(|row| row.position);
    let num_old = rows.partition_point(|row| row.position.file < num_old_files);
    documents.num_old = of_len(num_old);
    // Positions are different, so the offset beside them decides nothing.
    documents.bad.par_sort_unstable();
    documents.offsets = rows.iter().map(|row| row.offset).collect();
    documents.sets = rows.iter().map(|row| row.set).collect();
    documents.chars = rows.iter().map(|row| row.chars).collect();
    let files = 0..documents.files.len();
    documents.file_starts = files
        .map(|file| rows.partition_point(|row| (row.position.file as usize) < file))
        .map(|start| DocIdx::new(of_len(start)))
        .collect();
    let hashes = rows.iter().map(|row| row.id_hash);
    let mut hashes: Vec<(u64, DocIdx)> = hashes.zip(documents.all()).collect();
    drop(rows);
    hashes.par_sort_unstable();
    documents.suffixes = ids::suffixes(&documents, &hashes)?;
    Ok(documents)
}

/// All documents of the log in no order, and notes bad records and marks of sets on the way.
fn rows(documents: &mut Documents, num_old_files: u32) -> Result<Vec<DocumentRow>> {
    let mut rows = Vec::new();
    let mut bad = Vec::new();
    let (mut featureless, mut num_featureless) = (FixedSet::default(), 0);
    let mut shorter = FixedSet::default();
    documents.log.for_each(|offset, logged| {
        match logged {
            Logged::Bad(record) => bad.push((record.position, offset)),
            Logged::Document(document) => {
                // An old and a new document may have one id: the side keeps them apart.
                let seed = id_seed(document.position.file < num_old_files);
                let id_hash = match document.id {
                    Some(id) => hash::bytes(id.as_bytes(), seed),
                    None => {
                        let id = made_id(&documents.files, document.position);
                        hash::bytes(id.as_bytes(), seed)
                    }
                };
                let marked = document.set;
                let set = marked.set().map(|set| documents.set_table.canonical(set));
                if let Some(set) = set {
                    if marked.is_featureless() {
                        featureless.insert(set);
                        num_featureless += 1;
                    }
                    if marked.is_shorter() {
                        shorter.insert(set);
                    }
                }
                rows.push(DocumentRow {
                    offset,
                    id_hash,
                    position: document.position,
                    set: set.map_or(MaybeSet::NONE, MaybeSet::from),
                    chars: document.chars,
                });
            }
        }
        Ok(())
    })?;
    documents.bad = bad;
    documents.featureless = featureless;
    documents.shorter = shorter;
    documents.num_featureless = num_featureless;
    Ok(rows)
}
