//! The documents of each set, and which of them have the same text.

use super::priority::Priority;
use super::rows::{self, Rule};
use crate::document::DocIdx;
use crate::error::Result;
use crate::numbers::{Column, SetIdx};
use crate::pipeline::read::documents::Documents;
use rayon::prelude::*;

/// The documents of each set.
#[derive(Debug)]
pub struct Members {
    starts: Vec<u32>,
    documents: Vec<DocIdx>,
}

impl Members {
    /// Groups documents by their set.
    pub fn new(documents: &Documents) -> Self {
        Members::grouped(documents, |set| set)
    }

    /// Groups documents by their features: where equal documents are compared like any others,
    /// each has a set of its own.
    pub fn with_equal_features(documents: &Documents) -> Self {
        Members::grouped(documents, |set| documents.set_table().first_equal(set))
    }

    /// Groups documents by a set that stands for theirs.
    fn grouped(documents: &Documents, standing: impl Fn(SetIdx) -> SetIdx) -> Self {
        let mut starts = vec![0u32; documents.set_table().len() + 1];
        for set in documents.all().filter_map(|one| documents.set(one)) {
            starts[standing(set).index() + 1] += 1;
        }
        // A counting sort: documents are already in order, and sets are numbers.
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut grouped = vec![DocIdx::default(); *starts.last().unwrap_or(&0) as usize];
        for document in documents.all() {
            if let Some(set) = documents.set(document) {
                let at = &mut next[standing(set).index()];
                grouped[*at as usize] = document;
                *at += 1;
            }
        }
        Members {
            starts,
            documents: grouped,
        }
    }

    /// Puts the documents of each set in priority order.
    pub fn sort(&mut self, priority: &Priority<'_>) {
        for set in self.starts.windows(2) {
            if set[1] - set[0] > 1 {
                let members = &mut self.documents[set[0] as usize..set[1] as usize];
                members
                    .par_sort_unstable_by(|&left, &right| priority.compare(left, right));
            }
        }
    }

    /// The documents that have a set, first by priority first once they are sorted.
    pub fn of(&self, set: SetIdx) -> &[DocIdx] {
        let set = set.index();
        &self.documents[self.starts[set] as usize..self.starts[set + 1] as usize]
    }

    /// The sets that two or more documents have.
    pub fn shared_sets(&self) -> impl Iterator<Item = SetIdx> {
        let sets = SetIdx::default().onward().zip(self.starts.windows(2));
        let shared = sets.filter(|(_, starts)| starts[1] - starts[0] > 1);
        shared.map(|(set, _)| set)
    }
}

/// Which documents with the same features have the same text, and how many do.
#[derive(Debug, Default)]
pub struct TextClasses {
    /// Number of the text among those with its features; only of documents that share them all.
    classes: Column<DocIdx, u32>,
    /// Documents whose text another document before them has too.
    pub equal_text: u64,
    /// Further documents whose features another document before them has too.
    pub equal_features: u64,
}

impl TextClasses {
    /// Compares the texts of documents with the same features.
    pub fn new(documents: &Documents, members: &Members) -> Result<Self> {
        let mut found = TextClasses {
            classes: Column::filled(0, documents.len() as usize),
            ..TextClasses::default()
        };
        let shared: Vec<SetIdx> = members.shared_sets().collect();
        let classify = |&set: &SetIdx| {
            let with_text =
                |&document: &DocIdx| Ok((documents.text_key(document)?, document));
            let texts = members.of(set).par_iter().with_min_len(256).map(with_text);
            let mut texts: Vec<(u128, DocIdx)> = texts.collect::<Result<_>>()?;
            // Within a set documents of one text stand together; which class gets which number does not matter.
            texts.sort_unstable();
            Ok(texts)
        };
        // A few at a time: together they could be all documents.
        for some in shared.chunks(1 << 12) {
            let sorted: Vec<Vec<(u128, DocIdx)>> =
                some.par_iter().map(classify).collect::<Result<_>>()?;
            for texts in sorted {
                let mut class = 0;
                for same in texts.chunk_by(|left, right| left.0 == right.0) {
                    for &(_, document) in same {
                        found.classes[document] = class;
                    }
                    class += 1;
                }
                found.equal_text += texts.len() as u64 - u64::from(class);
                found.equal_features += u64::from(class) - 1;
            }
        }
        Ok(found)
    }

    /// Why `document` is a duplicate of `representative`, given that they are similar.
    pub fn rule(
        &self,
        documents: &Documents,
        document: DocIdx,
        representative: DocIdx,
    ) -> Rule {
        let class = |document: DocIdx| self.classes[document];
        let features = |document: DocIdx| {
            let set = documents.set(document);
            set.map(|set| documents.set_table().first_equal(set))
        };
        let has_equal_features = features(document) == features(representative);
        rows::rule(has_equal_features, class(document) == class(representative))
    }
}
