//! What was found, the best first.

use crate::document::{DocIdx, FileRead, Position};
use crate::similarity::Similarity;
use std::cmp::Ordering;

/// Characters of a document kept to show it by.
const PREVIEW_CHARS: usize = 64;

/// A document that is similar to the query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// Its id.
    pub id: String,
    /// Features that it shares with the query.
    pub overlap: u32,
    /// Its number of features.
    pub size: u32,
    /// Whether its text is that of the query.
    pub is_equal_text: bool,
    /// Name of its file.
    pub file: String,
    /// Place of its file among the files that were read.
    pub file_idx: u32,
    /// Its number in the file.
    pub number: u64,
    /// Its first words, on one line.
    pub preview: String,
}

/// Everything that is similar to a query.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SimilarResult {
    /// The best documents, best first; equal ones by id.
    pub hits: Vec<Hit>,
    /// How many documents are similar enough, also those that are not given.
    pub num_hits: u64,
    /// Documents that were compared.
    pub num_documents: u64,
    /// Records that did not become documents.
    pub num_bad_records: u64,
    /// Number of features of the query.
    pub query_size: u32,
}

impl Hit {
    /// A similarity with the query, with six decimals.
    pub fn similarity(&self, similarity: Similarity, query_size: u32) -> String {
        let ratio = similarity.ratio(self.overlap, query_size, self.size);
        ratio.to_string()
    }
}

/// A document that was found, before its id is known.
#[derive(Debug, Clone)]
pub(super) struct FoundDocument {
    pub(super) overlap: u32,
    pub(super) size: u32,
    /// The id as given; the name of the file where there is none.
    pub(super) name: String,
    pub(super) is_made: bool,
    pub(super) text_hash: u128,
    pub(super) position: Position,
    pub(super) is_equal_text: bool,
    pub(super) preview: String,
    /// Its number, where there is one already.
    pub(super) document: DocIdx,
}

impl FoundDocument {
    /// As it is given, now that its id is known.
    pub(super) fn into_hit(self, id: String, files: &[FileRead]) -> Hit {
        let file = &files[self.position.file as usize];
        Hit {
            id,
            overlap: self.overlap,
            size: self.size,
            is_equal_text: self.is_equal_text,
            file: file.name.clone(),
            file_idx: self.position.file,
            number: file.record_number(self.position),
            preview: self.preview,
        }
    }

    /// Documents of one name: as their ids will be numbered.
    fn place(&self) -> (&str, bool, u128, Position) {
        let text_hash = if self.is_made { 0 } else { self.text_hash };
        (&self.name, self.is_made, text_hash, self.position)
    }
}

/// The first words of a text, on one line.
pub(super) fn preview(text: &str) -> String {
    let mut preview = String::new();
    let mut num_chars = 0;
    for word in text.split_whitespace() {
        if num_chars >= PREVIEW_CHARS {
            break;
        }
        if num_chars > 0 {
            preview.push(' ');
            num_chars += 1;
        }
        let rest = PREVIEW_CHARS.saturating_sub(num_chars);
        let shown = word.chars().take(rest);
        preview.extend(shown.map(|ch| if ch.is_control() { ' ' } else { ch }));
        num_chars += word.chars().take(rest).count();
    }
    preview.truncate(preview.trim_end().len());
    preview
}

/// The best of what was found. Whatever the order in which it comes, the same stays.
#[derive(Debug)]
pub(super) struct Best {
    similarity: Similarity,
    query_size: u32,
    top: Option<usize>,
    found: Vec<FoundDocument>,
    pub(super) num_found: u64,
}

impl Best {
    /// Nothing is found.
    pub(super) fn new(
        similarity: Similarity,
        query_size: u32,
        top: Option<usize>,
    ) -> Self {
        Best {
            similarity,
            query_size,
            top,
            found: Vec::new(),
            num_found: 0,
        }
    }

    /// Takes what was found. Cut to the best only now and then, so that it costs a constant for each.
    pub(super) fn add(&mut self, found: FoundDocument) {
        self.num_found += 1;
        self.found.push(found);
        if let Some(top) = self.top
            // At twice the number, so that a sort is paid for by as many that came.
            && self.found.len() >= (top * 2).max(64)
        {
            self.cut(top);
        }
    }

    /// Takes what another thread has found.
    pub(super) fn append(&mut self, mut other: Best) {
        self.num_found += other.num_found;
        self.found.append(&mut other.found);
        if let Some(top) = self.top {
            self.cut(top);
        }
    }

    /// The best, the first of them the best of all.
    pub(super) fn finish(mut self) -> Vec<FoundDocument> {
        self.cut(self.top.unwrap_or(usize::MAX));
        self.found
    }

    /// Leaves the best, in order.
    fn cut(&mut self, most: usize) {
        let mut found = std::mem::take(&mut self.found);
        found.sort_unstable_by(|left, right| self.compare(left, right));
        found.truncate(most);
        self.found = found;
    }

    /// The better one first. What is equally similar goes by resemblance: much that is
    /// contained in something is wholly contained.
    fn compare(&self, left: &FoundDocument, right: &FoundDocument) -> Ordering {
        let by = |similarity: Similarity| {
            let ratio = |one: &FoundDocument| {
                similarity.ratio(one.overlap, self.query_size, one.size)
            };
            ratio(right).compare(ratio(left))
        };
        by(self.similarity)
            .then_with(|| by(Similarity::Resemblance))
            .then_with(|| left.place().cmp(&right.place()))
    }
}
