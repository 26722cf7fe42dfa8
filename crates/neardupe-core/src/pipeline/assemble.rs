//! From sets back to documents: duplicates, clusters and pairs in their final order.

use super::documents::{Documents, NO_SET};
use super::result::{Cluster, Duplicate, Rule};
use crate::cluster::priority::{Candidate, Keep, NO_VALUE};
use crate::document::DocIdx;
use crate::pair::Pair;
use rayon::prelude::*;

/// The documents of each set, and the order in which documents are kept.
#[derive(Debug)]
pub struct Members {
    starts: Vec<u32>,
    documents: Vec<DocIdx>,
}

impl Members {
    /// Groups documents by their set, in priority order within each.
    pub fn new(documents: &Documents, priority: &Priority<'_>) -> Self {
        let mut starts = vec![0u32; documents.num_sets() + 1];
        for document in 0..documents.len() {
            let set = documents.set(document);
            if set != NO_SET {
                starts[set as usize + 1] += 1;
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
                let at = &mut next[set as usize];
                grouped[*at as usize] = document;
                *at += 1;
            }
        }
        for set in starts.windows(2) {
            if set[1] - set[0] > 1 {
                let members = &mut grouped[set[0] as usize..set[1] as usize];
                members.sort_unstable_by(|&left, &right| priority.compare(left, right));
            }
        }
        Members {
            starts,
            documents: grouped,
        }
    }

    /// The documents that have a set, first by priority first.
    pub fn of(&self, set: u32) -> &[DocIdx] {
        let set = set as usize;
        &self.documents[self.starts[set] as usize..self.starts[set + 1] as usize]
    }
}

/// The order in which documents are kept.
#[derive(Debug)]
pub struct Priority<'a> {
    keep: &'a Keep,
    documents: &'a Documents,
    field_keys: Vec<i128>,
}

impl<'a> Priority<'a> {
    /// `fields` are the names of the metadata that documents carry.
    pub fn new(keep: &'a Keep, documents: &'a Documents, fields: &[String]) -> Self {
        let place = keep
            .field()
            .and_then(|field| fields.iter().position(|name| name == field));
        let key = |document| match place {
            None => NO_VALUE,
            Some(place) => keep.field_key(documents.metadata(document)[place].as_deref()),
        };
        let field_keys = match keep.field() {
            None => Vec::new(),
            Some(_) => (0..documents.len()).into_par_iter().map(key).collect(),
        };
        Priority {
            keep,
            documents,
            field_keys,
        }
    }

    fn candidate(&self, document: DocIdx) -> Candidate<'_> {
        Candidate {
            size: self.documents.size(document),
            chars: self.documents.chars(document),
            id: self.documents.id(document),
            field_key: self.field_keys.get(document as usize).copied().unwrap_or(0),
            place: document,
        }
    }

    /// The document that is kept before the other comes first.
    pub fn compare(&self, left: DocIdx, right: DocIdx) -> std::cmp::Ordering {
        self.keep
            .compare(&self.candidate(left), &self.candidate(right))
    }
}

/// Why `document` is a duplicate of `representative`, given that they are similar.
pub fn rule(documents: &Documents, document: DocIdx, representative: DocIdx) -> Rule {
    if documents.text_hash(document) == documents.text_hash(representative) {
        Rule::EqualText
    } else if documents.set(document) == documents.set(representative) {
        Rule::EqualFeatures
    } else {
        Rule::Similar
    }
}

/// A pair with the smaller id left.
pub fn pair(documents: &Documents, one: DocIdx, other: DocIdx, overlap: u32) -> Pair {
    let (left, right) = if documents.compare_ids(one, other).is_lt() {
        (one, other)
    } else {
        (other, one)
    };
    let (left_size, right_size) = (documents.size(left), documents.size(right));
    Pair {
        left,
        right,
        overlap,
        left_size,
        right_size,
    }
}

/// Sorts pairs by left id, then right id.
pub fn sort_pairs(documents: &Documents, pairs: &mut [Pair]) {
    pairs.par_sort_unstable_by(|one, other| {
        documents
            .compare_ids(one.left, other.left)
            .then_with(|| documents.compare_ids(one.right, other.right))
    });
}

/// Sorts duplicates by id.
pub fn sort_duplicates(documents: &Documents, duplicates: &mut [Duplicate]) {
    duplicates.par_sort_unstable_by(|one, other| {
        documents.compare_ids(one.document, other.document)
    });
}

/// Clusters from the duplicates, which are sorted by id.
pub fn clusters(documents: &Documents, duplicates: &[Duplicate]) -> Vec<Cluster> {
    let mut by_representative: Vec<(DocIdx, DocIdx)> = duplicates
        .iter()
        .map(|duplicate| (duplicate.representative, duplicate.document))
        .collect();
    by_representative.par_sort_by_key(|&(representative, _)| representative);
    let runs = by_representative.chunk_by(|left, right| left.0 == right.0);
    let clusters = runs.map(|run| {
        let representative = run[0].0;
        let mut members: Vec<DocIdx> = run.iter().map(|&(_, member)| member).collect();
        // Members are sorted by id already: the representative is put in its place.
        let at = members.partition_point(|&member| {
            documents.compare_ids(member, representative).is_lt()
        });
        members.insert(at, representative);
        Cluster {
            representative,
            members,
        }
    });
    sorted_clusters(documents, clusters.collect())
}

/// Sorts clusters by the representative's id.
pub fn sorted_clusters(
    documents: &Documents,
    mut clusters: Vec<Cluster>,
) -> Vec<Cluster> {
    clusters.par_sort_unstable_by(|one, other| {
        documents.compare_ids(one.representative, other.representative)
    });
    clusters
}

/// One cluster for each document that has a similar one: itself and all these.
pub fn neighbor_clusters(documents: &Documents, pairs: &[Pair]) -> Vec<Cluster> {
    let mut sides: Vec<(DocIdx, DocIdx)> = Vec::with_capacity(pairs.len() * 2);
    for pair in pairs {
        sides.push((pair.left, pair.right));
        sides.push((pair.right, pair.left));
    }
    sides.par_sort_unstable();
    let runs = sides.chunk_by(|left, right| left.0 == right.0);
    let clusters = runs.map(|run| {
        let representative = run[0].0;
        let mut members: Vec<DocIdx> = run.iter().map(|&(_, member)| member).collect();
        members.push(representative);
        members.sort_unstable_by(|&left, &right| documents.compare_ids(left, right));
        Cluster {
            representative,
            members,
        }
    });
    sorted_clusters(documents, clusters.collect())
}
