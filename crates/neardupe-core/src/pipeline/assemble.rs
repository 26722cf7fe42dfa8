//! From sets back to documents: duplicates, clusters and pairs in their final order.

use super::documents::{Documents, NO_SET};
use super::field_values::{FieldRanks, FieldValues};
use super::ids::IdOrder;
use super::result::{Cluster, Duplicate, MemberRow, PairRow, Rule};
use super::rows;
use crate::cluster::priority::{Candidate, Keep};
use crate::document::DocIdx;
use crate::error::Result;
use crate::pair::Pair;
use rayon::prelude::*;
use std::cmp::Ordering;

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
    fn grouped(documents: &Documents, standing: impl Fn(u32) -> u32) -> Self {
        let mut starts = vec![0u32; documents.set_table().len() + 1];
        for document in 0..documents.len() {
            let set = documents.set(document);
            if set != NO_SET {
                starts[standing(set) as usize + 1] += 1;
            }
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut grouped = vec![0; *starts.last().unwrap_or(&0) as usize];
        for document in 0..documents.len() {
            let set = documents.set(document);
            if set != NO_SET {
                let at = &mut next[standing(set) as usize];
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
    pub fn of(&self, set: u32) -> &[DocIdx] {
        let set = set as usize;
        &self.documents[self.starts[set] as usize..self.starts[set + 1] as usize]
    }

    /// The sets that two or more documents have.
    pub fn shared_sets(&self) -> impl Iterator<Item = u32> {
        let sets = (0u32..).zip(self.starts.windows(2));
        let shared = sets.filter(|(_, starts)| starts[1] - starts[0] > 1);
        shared.map(|(set, _)| set)
    }
}

/// Which documents with the same features have the same text, and how many do.
#[derive(Debug, Default)]
pub struct TextClasses {
    /// Number of the text among those with its features; only of documents that share them all.
    classes: Vec<u32>,
    /// Documents whose text another document before them has too.
    pub equal_text: u64,
    /// Further documents whose features another document before them has too.
    pub equal_features: u64,
}

impl TextClasses {
    /// Compares the texts of documents with the same features.
    pub fn new(documents: &Documents, members: &Members) -> Result<Self> {
        let mut found = TextClasses {
            classes: vec![0; documents.len() as usize],
            ..TextClasses::default()
        };
        let shared: Vec<u32> = members.shared_sets().collect();
        let classify = |&set: &u32| {
            let with_text =
                |&document: &DocIdx| Ok((documents.text_hash(document)?, document));
            let texts = members.of(set).par_iter().with_min_len(256).map(with_text);
            let mut texts: Vec<(u128, DocIdx)> = texts.collect::<Result<_>>()?;
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
                        found.classes[document as usize] = class;
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
        let class = |document: DocIdx| self.classes[document as usize];
        let features = |document: DocIdx| match documents.set(document) {
            NO_SET => NO_SET,
            set => documents.set_table().first_equal(set),
        };
        let has_equal_features = features(document) == features(representative);
        rows::rule(has_equal_features, class(document) == class(representative))
    }
}

/// The order in which documents are kept.
#[derive(Debug)]
pub struct Priority<'a> {
    keep: &'a Keep,
    documents: &'a Documents,
    order: &'a IdOrder,
    fields: FieldRanks,
    largest_first: bool,
}

impl<'a> Priority<'a> {
    /// `fields` are the names of the metadata that documents carry. `largest_first` when only
    /// the smaller of two sets can be removed: then the rule decides between equal sizes.
    pub fn new(
        keep: &'a Keep,
        documents: &'a Documents,
        order: &'a IdOrder,
        fields: &[String],
        largest_first: bool,
    ) -> Result<Self> {
        let fields = FieldRanks::new(keep, documents, fields)?;
        Ok(Priority {
            keep,
            documents,
            order,
            fields,
            largest_first,
        })
    }

    /// What the field of the rule holds; None for a rule without a field.
    pub fn values(&self) -> Option<&FieldValues> {
        self.fields.values.as_ref()
    }

    fn candidate(&self, document: DocIdx) -> Candidate {
        Candidate {
            is_new: !self.documents.is_old(document),
            larger_first: self.largest_first.then(|| self.documents.size(document)),
            size: self.documents.weight(document),
            chars: self.documents.chars(document),
            id_rank: self.order.rank(document),
            field_rank: self
                .fields
                .ranks
                .get(document as usize)
                .copied()
                .unwrap_or(0),
            place: document,
        }
    }

    /// The document that is kept before the other comes first.
    pub fn compare(&self, left: DocIdx, right: DocIdx) -> Ordering {
        self.keep
            .compare(&self.candidate(left), &self.candidate(right))
    }
}

/// A pair with the smaller id left.
pub fn pair_row(order: &IdOrder, one: DocIdx, other: DocIdx, overlap: u32) -> PairRow {
    rows::pair_row(order.rank(one), order.rank(other), overlap)
}

/// The pair of a row.
pub fn pair_of(documents: &Documents, order: &IdOrder, row: PairRow) -> Pair {
    let (left, right) = (order.document(row.left), order.document(row.right));
    let (left_size, right_size) = documents.sizes(left, right);
    Pair {
        left,
        right,
        overlap: row.overlap,
        left_size,
        right_size,
    }
}

/// Sorts duplicates by id.
pub fn sort_duplicates(order: &IdOrder, duplicates: &mut [Duplicate]) {
    duplicates.par_sort_unstable_by_key(|duplicate| order.rank(duplicate.document));
}

/// The rows of all clusters, given their duplicates.
pub fn member_rows(order: &IdOrder, duplicates: &[Duplicate]) -> Vec<MemberRow> {
    rows::member_rows(duplicates.iter().map(|duplicate| {
        let representative = order.rank(duplicate.representative);
        (order.rank(duplicate.document), representative)
    }))
}

/// The cluster of rows that have one representative; itself is put in its place.
pub fn cluster_of(order: &IdOrder, rows: &[MemberRow]) -> Cluster {
    let members = rows::members(rows).into_iter();
    Cluster {
        representative: order.document(rows[0].representative),
        members: members.map(|rank| order.document(rank)).collect(),
    }
}
