//! The documents of the pairs, numbered in the order of their ids.
//!
//! Two orders are used: documents by id, in which they are stored and found, and the order of
//! keeping (the column `place`), in which clusters are made. Ids are held in one string, since a
//! vector of strings would take twice the memory for the short ids of most collections.

use neardupe_core::error::{Error, Result};
use neardupe_core::numbers::narrow;
use neardupe_io::result::{ResultReader, ResultTable};
use std::path::PathBuf;

/// No document has this place in the order of keeping yet.
const NO_RANK: u32 = u32::MAX;

/// What is held of each document.
pub(super) struct StoredDocuments {
    /// The table that is read, for messages.
    path: PathBuf,
    /// All ids, one after the other, and where each ends.
    ids: String,
    /// A document's id ends here and begins where the one before ends.
    ends: Vec<usize>,
    /// How many there are.
    num: u32,
    /// Features of each.
    pub(super) sizes: Vec<u32>,
    /// Whether a document is one that new ones were compared with.
    old: Vec<bool>,
    /// For the rule `equal-text`.
    pub(super) text_hashes: Vec<u128>,
    /// Place in the order of keeping, by rank; and the other way round.
    pub(super) keep_ranks: Vec<u32>,
    /// The document at each place in the order of keeping.
    pub(super) ranks: Vec<u32>,
    /// Whether a document occurs in a pair at the new threshold.
    pub(super) used: Vec<bool>,
}

impl StoredDocuments {
    /// Reads the table. It must be in the order of ids and have each place once, or the
    /// result was changed: that is an error, since clusters would be wrong without a sign.
    /// Holds about 40 bytes per document and its id.
    pub(super) fn read(result: &ResultReader) -> Result<Self> {
        let file = result.file(ResultTable::Documents);
        let mut documents = StoredDocuments {
            path: file.map(|(path, _)| path).unwrap_or_default(),
            ids: String::new(),
            ends: Vec::new(),
            num: 0,
            sizes: Vec::new(),
            old: Vec::new(),
            text_hashes: Vec::new(),
            keep_ranks: Vec::new(),
            ranks: Vec::new(),
            used: Vec::new(),
        };
        for row in result.documents()? {
            let row = row?;
            let last = documents.len().checked_sub(1);
            let old = is_old(row.source.as_deref());
            let key = (row.id.as_str(), !old);
            if last.is_some_and(|last| documents.key(last) >= key) {
                // Equal ids on one side would make a pair ambiguous.
                return Err(documents.broken(&format!("{:?} is not in order", row.id)));
            }
            documents.ids += &row.id;
            documents.ends.push(documents.ids.len());
            // Always below the largest number, which stands for no rank.
            documents.num = narrow(documents.ends.len(), "documents of a result")?;
            documents.sizes.push(row.size);
            documents.old.push(old);
            documents.text_hashes.push(row.text_hash);
            documents.keep_ranks.push(row.place);
        }
        let len = documents.keep_ranks.len();
        documents.ranks = vec![NO_RANK; len];
        documents.used = vec![false; len];
        for (rank, &keep_rank) in (0u32..).zip(&documents.keep_ranks) {
            let at = documents.ranks.get_mut(keep_rank as usize);
            // Each place once: then the two lists are inverse to each other.
            match at {
                Some(at) if *at == NO_RANK => *at = rank,
                _ => return Err(documents.broken(&format!("place {keep_rank} is wrong"))),
            }
        }
        Ok(documents)
    }

    /// An error of the table as a whole.
    fn broken(&self, message: &str) -> Error {
        Error::Corrupt {
            path: self.path.clone(),
            message: message.to_owned(),
        }
    }

    /// Number of documents.
    pub(super) fn len(&self) -> u32 {
        self.num
    }

    /// The id of the document at a place in the order of ids.
    pub(super) fn id(&self, rank: u32) -> &str {
        let rank = rank as usize;
        let from = rank.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.ids[from..self.ends[rank]]
    }

    /// Documents are in this order: of one id the old one comes first.
    fn key(&self, rank: u32) -> (&str, bool) {
        (self.id(rank), !self.old[rank as usize])
    }

    /// The side of a document.
    pub(super) fn source(&self, rank: u32) -> &'static str {
        if self.old[rank as usize] {
            "old"
        } else {
            "new"
        }
    }

    /// The rank of an id on one side.
    pub(super) fn rank(&self, id: &str, source: Option<&str>) -> Result<u32> {
        let key = (id, !is_old(source));
        // Binary search on the string of ids.
        let (mut from, mut to) = (0, self.len());
        while from < to {
            let middle = from + (to - from) / 2;
            if self.key(middle) < key {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        if from < self.len() && self.key(from) == key {
            return Ok(from);
        }
        Err(self.broken(&format!("{id:?} is in a pair, but not here")))
    }

    /// Features of a document.
    pub(super) fn size(&self, rank: u32) -> u32 {
        self.sizes[rank as usize]
    }

    /// Its place in the order of keeping.
    pub(super) fn keep_rank(&self, rank: u32) -> u32 {
        self.keep_ranks[rank as usize]
    }
}

/// Whether a column `source` names the old side; results without sides have none.
fn is_old(source: Option<&str>) -> bool {
    source == Some("old")
}
