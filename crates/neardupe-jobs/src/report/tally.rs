//! What is counted over all documents, clusters and pairs.
//!
//! One pass over the result, with memory that does not grow with it but for one bit a document:
//! which are removed is asked for every document by `sources` and `hosts` as well.

use super::bins::{Doubling, Hundredths};
use neardupe_core::document::DocIdx;
use neardupe_core::error::Result;
use neardupe_core::pipeline::{Duplicate, FindResult};
use neardupe_core::ratio::Ratio;

/// Which documents are duplicates: a bit for each.
pub(super) struct Removed {
    /// 64 to a word.
    bits: Vec<u64>,
}

impl Removed {
    /// Goes through the duplicates once. An eighth of a byte per document.
    pub(super) fn new(result: &FindResult) -> Self {
        let len = result.documents.len() as usize;
        let mut bits = vec![0u64; len.div_ceil(64)];
        for duplicate in &result.duplicates {
            let at = duplicate.document.index();
            bits[at / 64] |= 1 << (at % 64);
        }
        Removed { bits }
    }

    /// Whether a document is a duplicate.
    pub(super) fn has(&self, document: DocIdx) -> bool {
        let at = document.index();
        self.bits[at / 64] >> (at % 64) & 1 == 1
    }
}

/// Counts of a result.
#[derive(Debug, Default)]
pub(super) struct ResultTally {
    /// How similar duplicates are to what is kept; pairs where no document is removed.
    pub(super) similarities: Hundredths,
    /// Clusters by size: clusters, documents.
    pub(super) cluster_sizes: Doubling<2>,
    /// Documents by characters: kept, removed. Old ones are left out.
    pub(super) document_sizes: Doubling<2>,
    /// Representatives of clusters, which stand for others.
    pub(super) leads: u64,
}

/// How similar a duplicate is to what is kept.
fn similarity_of(result: &FindResult, duplicate: &Duplicate) -> Ratio {
    let documents = &result.documents;
    let (size, other) = documents.sizes(duplicate.document, duplicate.representative);
    result.similarity.ratio(duplicate.overlap, size, other)
}

impl ResultTally {
    /// Goes through duplicates, clusters and documents once each; through pairs only where no
    /// document is removed.
    pub(super) fn new(result: &FindResult, removed: &Removed) -> Result<Self> {
        let mut tally = ResultTally {
            // Sizes up to 3 have bins of their own.
            cluster_sizes: Doubling::alone_up_to(3),
            ..ResultTally::default()
        };
        for duplicate in &result.duplicates {
            tally.similarities.add(similarity_of(result, duplicate));
        }
        if result.duplicates.is_empty() {
            result.for_each_pair(|pair| {
                let (left, right) = (pair.left_size, pair.right_size);
                let ratio = result.similarity.ratio(pair.overlap, left, right);
                tally.similarities.add(ratio);
                Ok(())
            })?;
        }
        result.for_each_cluster(|cluster| {
            let size = cluster.members.len() as u64;
            tally.cluster_sizes.add(size, [1, size]);
            let is_old = result.documents.is_old(cluster.representative);
            // Old documents are kept in any case; they do not count as kept for others.
            tally.leads += u64::from(!is_old);
            Ok(())
        })?;
        let documents = &result.documents;
        for document in documents.new_ones() {
            let counts = if removed.has(document) {
                [0, 1]
            } else {
                [1, 0]
            };
            let chars = u64::from(documents.chars(document));
            tally.document_sizes.add(chars, counts);
        }
        Ok(tally)
    }
}
