//! What is counted over all documents, clusters and pairs.

use super::bins::{Doubling, Hundredths};
use neardupe_core::document::DocIdx;
use neardupe_core::error::Result;
use neardupe_core::pipeline::{Duplicate, FindResult};

/// Which documents are duplicates: a bit for each.
pub(super) struct Removed {
    bits: Vec<u64>,
}

impl Removed {
    pub(super) fn new(result: &FindResult) -> Self {
        let len = result.documents.len() as usize;
        let mut bits = vec![0u64; len.div_ceil(64)];
        for duplicate in &result.duplicates {
            bits[duplicate.document as usize / 64] |= 1 << (duplicate.document % 64);
        }
        Removed { bits }
    }

    pub(super) fn has(&self, document: DocIdx) -> bool {
        self.bits[document as usize / 64] >> (document % 64) & 1 == 1
    }
}

/// Counts of a result.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// How similar duplicates are to what is kept; pairs where nothing is removed.
    pub(super) similarities: Hundredths,
    /// Clusters by size: clusters, documents.
    pub(super) cluster_sizes: Doubling<2>,
    /// Documents by characters: kept, removed. Old ones are left out.
    pub(super) document_sizes: Doubling<2>,
    /// Representatives of clusters, which stand for others.
    pub(super) leads: u64,
}

/// How similar a duplicate is to what is kept, as part and whole.
fn similarity_of(result: &FindResult, duplicate: &Duplicate) -> (u64, u64) {
    let documents = &result.documents;
    let (size, other) = documents.sizes(duplicate.document, duplicate.representative);
    result
        .similarity
        .ratio(duplicate.overlap, size, other)
        .parts()
}

impl Tally {
    pub(super) fn new(result: &FindResult, removed: &Removed) -> Result<Self> {
        let mut tally = Tally {
            cluster_sizes: Doubling::alone_up_to(3),
            ..Tally::default()
        };
        for duplicate in &result.duplicates {
            let (part, whole) = similarity_of(result, duplicate);
            tally.similarities.add(part, whole);
        }
        if result.duplicates.is_empty() {
            result.for_each_pair(|pair| {
                let (part, whole) = result
                    .similarity
                    .ratio(pair.overlap, pair.left_size, pair.right_size)
                    .parts();
                tally.similarities.add(part, whole);
                Ok(())
            })?;
        }
        result.for_each_cluster(|cluster| {
            let size = cluster.members.len() as u64;
            tally.cluster_sizes.add(size, [1, size]);
            let is_old = result.documents.is_old(cluster.representative);
            tally.leads += u64::from(!is_old);
            Ok(())
        })?;
        let documents = &result.documents;
        for document in documents.num_old()..documents.len() {
            let counts = match removed.has(document) {
                true => [0, 1],
                false => [1, 0],
            };
            let chars = u64::from(documents.chars(document));
            tally.document_sizes.add(chars, counts);
        }
        Ok(tally)
    }
}
