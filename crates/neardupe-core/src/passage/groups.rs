//! The sentences that have the same signature: a stretch of the sorted rows.
//!
//! A signature in more documents than wanted is counted, not held: however often it occurs,
//! it costs no more than reading its rows.
//!
//! Used twice by [`sentence_pairs`](super::sentence_pairs): to pair equal sentences, then to give
//! the sentences of sets that were joined. Both passes must see the same groups, so the
//! grouping depends on the rows and the limits alone.

use super::sentence_pairs::DiagonalConfig;
use super::sentences::{RowSubject, SentenceRow};
use crate::error::Result;

/// Where a sentence stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct DocumentSentence {
    /// The document.
    pub document: u32,
    /// Its number in the document.
    pub sentence: u32,
}

/// All sentences with one signature.
#[derive(Debug)]
pub struct SignatureGroup<'a> {
    /// Where they stand, in order; empty when the group is frequent.
    pub places: &'a [DocumentSentence],
    /// The first of them.
    pub first: DocumentSentence,
    /// Documents that have the signature.
    pub num_documents: u64,
    /// Sentences that have it.
    pub num_sentences: u64,
    /// Whether it takes no part: more documents or sentences have it than wanted.
    pub is_frequent: bool,
    /// The number of the set, if its features were put away for the join.
    pub set: Option<u32>,
}

/// Cuts sorted rows into groups.
#[derive(Debug)]
pub struct SignatureGroups<Visit> {
    /// Limits of a group that takes part; none where all do.
    max_documents: Option<u32>,
    max_sentences: Option<u32>,
    visit: Visit,
    identity: Option<[u64; 2]>,
    places: Vec<DocumentSentence>,
    first: Option<DocumentSentence>,
    last: Option<DocumentSentence>,
    num_documents: u64,
    num_sentences: u64,
    set: Option<u32>,
}

impl<Visit: FnMut(&SignatureGroup<'_>) -> Result<()>> SignatureGroups<Visit> {
    /// For rows in their order; `visit` gets each group as soon as its last row has come.
    pub fn new(config: &DiagonalConfig, visit: Visit) -> Self {
        SignatureGroups {
            max_documents: config.max_documents,
            max_sentences: config.max_sentences,
            visit,
            identity: None,
            places: Vec::new(),
            first: None,
            last: None,
            num_documents: 0,
            num_sentences: 0,
            set: None,
        }
    }

    /// The next row.
    pub fn row(&mut self, row: SentenceRow) -> Result<()> {
        if self.identity != Some(row.identity) {
            self.close()?;
            self.identity = Some(row.identity);
        }
        let place = match row.subject() {
            RowSubject::Sentence { document, sentence } => {
                DocumentSentence { document, sentence }
            }
            RowSubject::Set(number) => {
                // The smallest number, if the set was put away more than once.
                self.set.get_or_insert(number);
                return Ok(());
            }
        };
        // A sentence that has a key twice comes twice, and rows are in order: equal rows
        // are neighbors. It counts once.
        let last = self.last.replace(place);
        if last == Some(place) {
            return Ok(());
        }
        if last.is_none_or(|last| last.document != place.document) {
            self.num_documents += 1;
        }
        self.num_sentences += 1;
        self.first.get_or_insert(place);
        // Counts only rise, so a group that is frequent stays so: what was held is of no
        // use.
        if self.is_frequent() {
            self.places.clear();
        } else {
            self.places.push(place);
        }
        Ok(())
    }

    fn is_frequent(&self) -> bool {
        let above = |number: u64, limit: Option<u32>| {
            limit.is_some_and(|limit| number > u64::from(limit))
        };
        above(self.num_documents, self.max_documents)
            || above(self.num_sentences, self.max_sentences)
    }

    /// All rows have come, or all of a group.
    pub fn close(&mut self) -> Result<()> {
        let is_frequent = self.is_frequent();
        // None before the first row. A row about a set never comes without a sentence: the
        // sentence that brought the set has a row of its own.
        if let Some(first) = self.first {
            (self.visit)(&SignatureGroup {
                places: &self.places,
                first,
                num_documents: self.num_documents,
                num_sentences: self.num_sentences,
                is_frequent,
                set: self.set,
            })?;
        }
        // Cleared, not dropped: the room serves the next group.
        self.places.clear();
        (self.first, self.last, self.set) = (None, None, None);
        (self.num_documents, self.num_sentences) = (0, 0);
        Ok(())
    }
}
