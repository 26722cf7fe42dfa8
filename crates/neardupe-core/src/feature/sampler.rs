//! From text to the features that are compared, as far as one document alone decides.

use super::{Extractor, FeatureKind, Sampling};
use crate::hash::{self, TextKey};
use crate::text::WordOptions;

/// Makes the features of documents and leaves of them what sampling keeps. What is left to do
/// when the block of a document is known is [`Sampling::take_smallest`] and
/// [`super::SamplingPlan::thin`].
#[derive(Debug)]
pub struct Sampler {
    extractor: Extractor,
    sampling: Sampling,
}

impl Sampler {
    /// A sampler of this kind of features.
    pub fn new(
        kind: FeatureKind,
        options: &WordOptions,
        seed: u64,
        sampling: &Sampling,
    ) -> Self {
        Sampler {
            extractor: Extractor::new(kind, options, seed),
            sampling: sampling.clone(),
        }
    }

    /// Puts the distinct features that are kept of `text` into `features`, which is empty. Returns
    /// the number of words.
    pub fn extract(&mut self, text: &str, features: &mut Vec<u64>) -> usize {
        let num_words = match self.sampling.winnow {
            None => self.extractor.extract(text, features),
            // Winnowing comes first: its windows are of all features, not of those that a modulus
            // keeps.
            Some(window) => self.extractor.winnow(text, window, features),
        };
        self.sampling.thin(features);
        num_words
    }

    /// Whether the last text has no whole shingle ([`Extractor::was_shorter`]).
    pub fn was_shorter(&self) -> bool {
        self.extractor.was_shorter()
    }
}

/// What stands for the features of a text that has none, because it has no word or no spot
/// signature: one that only the same text has, so that equal texts are found whatever characters
/// they have. An empty text has none: it is equal to nothing.
pub fn whole_text(text: &str, key: Option<&TextKey>) -> Option<u64> {
    (!text.is_empty()).then(|| {
        let public = hash::text(text);
        let text = match key {
            None => public,
            Some(key) => hash::text_identity(public, key.text(text)),
        };
        #[expect(clippy::cast_possible_truncation, reason = "the two halves")]
        let halves = ((text >> 64) as u64, text as u64);
        hash::nonzero(hash::numbered(halves.0, halves.1, WHOLE_TEXT_SEED))
    })
}

/// Keeps whole texts apart from other numbered hashes.
const WHOLE_TEXT_SEED: u64 = 0x2d6e_6f77_6f72_6421;
