//! What becomes of each document.
//!
//! A join between the duplicates (in the order of their ids) and the documents (in the order of
//! the input). Each file asks for its range of documents only, so any number of threads may ask
//! at once.

use super::report::FileCounts;
use super::tables::RecordPlaces;
use neardupe_core::document::DocIdx;
use neardupe_core::error::Result;
use neardupe_core::hash::FixedMap;
use neardupe_core::pipeline::documents::Documents;
use neardupe_core::pipeline::{Duplicate, FindResult};
use neardupe_core::ratio::Ratio;
use neardupe_io::output::side;
use neardupe_io::source::FileSource;

/// What becomes of each document, in the order of the input.
pub(super) struct Decisions<'a> {
    result: &'a FindResult,
    /// Documents that are removed, each with its place among the duplicates.
    removed: Vec<(DocIdx, u32)>,
    /// Sizes of clusters by their representative, where they are wanted.
    sizes: FixedMap<DocIdx, u64>,
    places: RecordPlaces,
}

impl<'a> Decisions<'a> {
    pub(super) fn new(result: &'a FindResult, with_sizes: bool) -> Self {
        let duplicates = result.duplicates.iter().zip(0u32..);
        let mut removed: Vec<(DocIdx, u32)> = duplicates
            .map(|(duplicate, at)| (duplicate.document, at))
            .collect();
        // Duplicates come by id. Files are written in the order of the input, and each looks up
        // its range by binary search.
        removed.sort_unstable();
        let mut sizes = FixedMap::default();
        if with_sizes {
            for duplicate in &result.duplicates {
                *sizes.entry(duplicate.representative).or_insert(1) += 1;
            }
        }
        Decisions {
            result,
            removed,
            sizes,
            places: RecordPlaces::default(),
        }
    }

    /// With the paths of files, for [`Decisions::place`].
    pub(super) fn with_paths(mut self, source: &FileSource) -> Self {
        self.places = RecordPlaces::new(source);
        self
    }

    /// Where the record of a document stands.
    pub(super) fn place(&self, document: DocIdx) -> Result<String> {
        self.places.of(self.documents(), document)
    }

    /// On which side a document is, where there are two.
    pub(super) fn side(&self, document: DocIdx) -> Option<&'static str> {
        self.result
            .against
            .then(|| side(&self.result.documents, document))
    }

    pub(super) fn documents(&self) -> &'a Documents {
        &self.result.documents
    }

    /// Place among the removed documents of the first that is not before this one.
    pub(super) fn first_removed(&self, document: DocIdx) -> usize {
        self.removed.partition_point(|(other, _)| *other < document)
    }

    /// The removed document at a place, and why.
    pub(super) fn removed(&self, place: usize) -> Option<&'a Duplicate> {
        let &(_, at) = self.removed.get(place)?;
        self.result.duplicates.get(at as usize)
    }

    /// All removed documents, in the order of the input.
    pub(super) fn all_removed(&self) -> impl Iterator<Item = &'a Duplicate> {
        let duplicates = &self.result.duplicates;
        self.removed.iter().map(|&(_, at)| &duplicates[at as usize])
    }

    /// Number of documents in the cluster that a representative leads.
    pub(super) fn cluster_size(&self, representative: DocIdx) -> u64 {
        self.sizes.get(&representative).copied().unwrap_or(1)
    }

    /// How similar a duplicate is to the document that is kept.
    pub(super) fn similarity(&self, duplicate: &Duplicate) -> Ratio {
        let documents = self.documents();
        let (size, other) = documents.sizes(duplicate.document, duplicate.representative);
        self.result.similarity.ratio(duplicate.overlap, size, other)
    }

    /// What the first pass found in a file.
    pub(super) fn count(&self, file: u32) -> FileCounts {
        let range = self.documents().of_file(file);
        let removed = self.first_removed(range.end) - self.first_removed(range.start);
        FileCounts::expected(self.documents(), file, removed as u64)
    }
}
