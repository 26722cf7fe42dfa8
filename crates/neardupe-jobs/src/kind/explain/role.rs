//! What a result says about one document: every row in which it occurs. Tables are read from beginning
//! to end, since none is sorted by this id alone; nothing but the rows of the document is held.
//!
//! A document has at most one row among the duplicates, but may lead any number of others: of
//! these the most similar ones are held and all are counted.

use neardupe_core::error::Result;
use neardupe_core::pipeline::ClusterMode;
use neardupe_io::result::{ResultReader, ResultTable, StoredDuplicate, StoredPair};

/// Rows that are held of documents that were removed because this one is kept.
const MOST_REMOVED: usize = 10;

/// What a document is in a result.
#[derive(Debug, Clone)]
pub struct ExplainRole {
    /// Its row among the duplicates: it is not kept.
    pub duplicate: Option<StoredDuplicate>,
    /// The evidence: the pair of it and its representative.
    pub evidence: Option<StoredPair>,
    /// Its cluster: representative and members.
    pub cluster: Option<(String, Vec<String>)>,
    /// Documents that were removed because it is kept, the most similar first.
    pub removed: Vec<StoredDuplicate>,
    /// How many there are.
    pub num_removed: u64,
}

impl ExplainRole {
    /// Goes through the tables of a result once.
    pub(super) fn find(result: &ResultReader, id: &str) -> Result<ExplainRole> {
        let mut role = ExplainRole {
            duplicate: None,
            evidence: None,
            cluster: None,
            removed: Vec::new(),
            num_removed: 0,
        };
        let has = |table: ResultTable| result.file(table).is_some();
        let mode = result.summary().cluster()?;
        // A result that should have the table must have it: a missing one is an error, not "no duplicates".
        let has_duplicates = matches!(mode, ClusterMode::Star | ClusterMode::Components);
        if has_duplicates || has(ResultTable::Duplicates) {
            // The whole table is read: an id may be anywhere in the column of
            // representatives.
            for row in result.duplicates()? {
                let row = row?;
                if row.duplicate_of == id {
                    role.num_removed += 1;
                    keep(&mut role.removed, &row);
                }
                if row.id == id {
                    role.duplicate = Some(row);
                }
            }
            if role.duplicate.is_some() {
                // A duplicate has no documents that are removed for it: these rows are about an old document with the same id.
                role.num_removed = 0;
                role.removed.clear();
            }
        }
        if let Some(duplicate) = &role.duplicate
            && has(ResultTable::Pairs)
        {
            let other = duplicate.duplicate_of.as_str();
            // Pairs are stored once, the smaller id on the left.
            let (left, right) = if id < other { (id, other) } else { (other, id) };
            for row in result.pairs()? {
                let row = row?;
                // With old and new documents an id may name two of them. A duplicate is always new, and
                // its representative is on the side that its row names; if both have the same id,
                // either side fits.
                let side = |source: &Option<String>, of: &str| {
                    if of != id {
                        *source == duplicate.duplicate_of_source
                    } else {
                        id == other || source.as_deref() != Some("old")
                    }
                };
                let is_its = row.left == left
                    && row.right == right
                    && side(&row.left_source, left)
                    && side(&row.right_source, right);
                if is_its {
                    role.evidence = Some(row);
                    break;
                }
            }
        }
        // Only in `neighbors` may a document be a member of several clusters: its own is the one it leads.
        let leads = result.summary().cluster()? == ClusterMode::Neighbors;
        if has(ResultTable::Clusters) {
            for row in result.clusters()? {
                let row = row?;
                let is_its = if leads {
                    row.cluster_id == id
                } else {
                    row.members.iter().any(|member| member == id)
                };
                if is_its {
                    role.cluster = Some((row.cluster_id, row.members));
                    break;
                }
            }
        }
        Ok(role)
    }

    /// Overlap, size of the document and size of its representative, by the evidence.
    pub fn sizes(&self) -> Option<(u32, u32, u32)> {
        let (pair, own) = (self.evidence.as_ref()?, self.duplicate.as_ref()?);
        let is_left = if pair.left == pair.right {
            // The same id on both sides: only new documents are duplicates.
            pair.left_source.as_deref() != Some("old")
        } else {
            pair.left == own.id
        };
        Some(if is_left {
            (pair.overlap, pair.left_size, pair.right_size)
        } else {
            (pair.overlap, pair.right_size, pair.left_size)
        })
    }
}

/// Keeps the most similar rows. Equally similar ones are in the order of the table, which is by id.
fn keep(removed: &mut Vec<StoredDuplicate>, row: &StoredDuplicate) {
    let at = removed.partition_point(|other| other.similarity >= row.similarity);
    if at < MOST_REMOVED {
        removed.insert(at, row.clone());
        removed.truncate(MOST_REMOVED);
    }
}
