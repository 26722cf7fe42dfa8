//! What is wanted: a text, and how it is compared.

use crate::candidate::filter::{Filters, Passed, PostingPair};
use crate::error::{Error, Result};
use crate::feature::{Extractor, FeatureKind};
use crate::hash::{self, HashKey, TextKey};
use crate::numbers::{narrow, of_len};
use crate::similarity::{Bounds, Similarity};
use crate::text::WordOptions;
use crate::threshold::Threshold;
use crate::verify::Verifier;

/// What is asked for.
#[derive(Debug, Clone)]
pub struct SimilarConfig {
    /// How similarity is measured.
    pub similarity: Similarity,
    /// The smallest similarity that counts.
    pub threshold: Threshold,
    /// Which features stand for a document.
    pub features: FeatureKind,
    /// How text becomes words.
    pub words: WordOptions,
    /// Seed of the feature hash.
    pub seed: u64,
    /// Under what texts are known to be equal.
    pub key: HashKey,
    /// Number of threads; no result depends on it.
    pub threads: usize,
    /// How many documents are given at most, the best ones; none for all.
    pub top: Option<usize>,
}

/// A text for which similar documents are wanted.
#[derive(Debug)]
pub struct Query {
    verifier: Verifier,
    size: u32,
    pub(super) text_key: u128,
    bounds: Bounds,
    is_shorter: bool,
}

impl Query {
    /// Makes the features of a query; an empty text is refused.
    pub fn new(text: &str, config: &SimilarConfig) -> Result<Self> {
        let mut features = Vec::new();
        let mut extractor = Extractor::new(config.features, &config.words, config.seed);
        extractor.extract_document(text, &mut features);
        if features.is_empty() {
            let message = "is empty, so nothing is similar to it";
            return Err(Error::input("the query", message));
        }
        Ok(Query {
            verifier: Verifier::of(&features),
            size: narrow(features.len(), "features of the query")?,
            text_key: hash::text_identity(
                hash::text(text),
                TextKey::new(config.key).text(text),
            ),
            bounds: Bounds::new(config.similarity, config.threshold),
            is_shorter: extractor.was_shorter(),
        })
    }

    /// Whether it has no whole shingle ([`Extractor::was_shorter`]).
    pub fn is_shorter(&self) -> bool {
        self.is_shorter
    }

    /// Number of its features.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// What compares sets with it. Each thread has its own.
    pub(super) fn matcher(&self) -> Matcher {
        Matcher {
            verifier: self.verifier.clone(),
            size: self.size,
            bounds: self.bounds,
        }
    }
}

/// Compares sets with a query.
pub(super) struct Matcher {
    verifier: Verifier,
    size: u32,
    bounds: Bounds,
}

impl Matcher {
    /// Number of features that the query shares with a set, if that is enough.
    pub(super) fn overlap(&mut self, features: &[u64]) -> Option<u32> {
        let size = of_len(features.len());
        if size == 0 {
            return None;
        }
        let sizes = [self.size, size];
        // Only sizes are known: the filters drop what cannot be similar by them, and say what overlap is needed.
        let pair = PostingPair::of_sizes(&sizes);
        match Filters::default().passes(&pair, self.bounds) {
            Passed::Dropped(_) => None,
            Passed::Candidate { min_overlap } => {
                self.verifier
                    .overlap_with(features, self.bounds, min_overlap)
            }
        }
    }
}
