//! The signature of a sentence: what it is compared by (the pdc-mr paper, section 4.1).
//!
//! Shingles of n words (a sentence shorter than n has one); keys of I-Match; spot signatures. A
//! sentence may have none, and then it matches no other.
//!
//! The idf of I-Match is counted over documents, not over sentences: the paper has log(N/df) /
//! log(N) with "N the corpus size, df the document frequency" (section 5.3). So a table that was
//! counted for documents serves for their sentences too, and is counted before anything is cut into
//! sentences. Over sentences the range [0.1, 1.0] would exclude a handful of words, such as "the"
//! and "of".

use super::sentence_pairs::Matching;
use crate::feature::{Extractor, FeatureKind};
use crate::signature::{KeyMaker, Lexicons};
use crate::text::WordOptions;
use crate::threshold::Threshold;
use std::sync::Arc;

/// A kind of signature.
#[derive(Debug, Clone)]
pub enum SentenceSignature {
    /// Runs of this many words.
    Shingles(u32),
    /// A key for each lexicon.
    IMatch(Arc<Lexicons>),
    /// An antecedent with a chain of words after it.
    SpotSigs,
}

impl SentenceSignature {
    /// When two sentences with such signatures match: by `tau`, but keys are the same or not,
    /// and one is enough.
    pub fn matching(&self, tau: Threshold) -> Matching {
        match self {
            SentenceSignature::Shingles(_) | SentenceSignature::SpotSigs => {
                Matching::Resemblance(tau)
            }
            SentenceSignature::IMatch(_) => Matching::SharedKey,
        }
    }
}

/// Makes the signatures of sentences, reusing its buffers. Each thread has its own.
#[derive(Debug)]
pub struct SentenceSigner {
    maker: SignatureMaker,
    features: Vec<u64>,
}

#[derive(Debug)]
enum SignatureMaker {
    Features(Extractor),
    Keys(KeyMaker),
}

impl SentenceSigner {
    /// For signatures of this kind. The words of I-Match are those of its lexicons, whatever
    /// `words` says.
    pub fn new(signature: &SentenceSignature, words: &WordOptions, seed: u64) -> Self {
        let features = |kind| SignatureMaker::Features(Extractor::new(kind, words, seed));
        SentenceSigner {
            maker: match signature {
                SentenceSignature::Shingles(len) => features(FeatureKind::Words(*len)),
                SentenceSignature::SpotSigs => features(FeatureKind::SpotSigs),
                // The df table of the lexicons was counted over documents (see the head of this file).
                SentenceSignature::IMatch(lexicons) => {
                    SignatureMaker::Keys(KeyMaker::new(lexicons))
                }
            },
            features: Vec::new(),
        }
    }

    /// The signature of a sentence; empty when it has none.
    pub fn sign(&mut self, sentence: &str) -> &[u64] {
        self.features.clear();
        match &mut self.maker {
            SignatureMaker::Features(extractor) => {
                extractor.extract(sentence, &mut self.features);
            }
            SignatureMaker::Keys(keys) => keys.sign(sentence, &mut self.features),
        }
        &self.features
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feature::FeatureSpec;
    use crate::frequency::{DfTable, FeatureSpecText};
    use crate::text::Antecedents;

    fn signer(signature: SentenceSignature) -> SentenceSigner {
        SentenceSigner::new(&signature, &WordOptions::default(), 0)
    }

    /// Lexicons of a collection of 1000 documents; nearly all have these words.
    fn lexicons(settings: &str, common: &[&str]) -> Arc<Lexicons> {
        let words = WordOptions::default();
        let specification = FeatureSpec::new(FeatureKind::Terms, &words, 0);
        let mut extractor = Extractor::new(FeatureKind::Terms, &words, 0);
        let mut terms = Vec::new();
        for word in common {
            extractor.distinct(word, &mut terms);
        }
        let counts = terms.into_iter().map(|term| (term, 990));
        let specification = FeatureSpecText::from(&specification);
        Arc::new(Lexicons {
            settings: settings.parse().unwrap(),
            words,
            seed: 0,
            df: Arc::new(DfTable::from_counts(specification, 1000, 1, counts)),
        })
    }

    #[test]
    fn a_sentence_shorter_than_a_shingle_is_one() {
        for len in [2, 3, 4] {
            let mut signer = signer(SentenceSignature::Shingles(len));
            let mut features = |sentence: &str| signer.sign(sentence).to_vec();
            assert_eq!(features("Indeed.").len(), 1, "{len}");
            assert_eq!(features("Indeed."), features("indeed!"));
            assert_ne!(features("Indeed."), features("No."));
            assert_eq!(features("One two three four five.").len(), 6 - len as usize);
            // Not a shingle of a longer one.
            let longer = features("no, indeed, no, no, no");
            assert!(!longer.contains(&features("Indeed.")[0]));
            assert!(features("— … !").is_empty());
            assert!(features("").is_empty());
        }
        let mut pairs = signer(SentenceSignature::Shingles(2));
        assert_eq!(pairs.sign("国务院。").len(), 2);
        assert_eq!(pairs.sign("法。").len(), 1);
    }

    #[test]
    fn a_sentence_with_fewer_than_two_terms_left_has_no_key() {
        let lexicons = lexicons("imatch:0.1-1.0,0", &["the", "of", "is"]);
        let mut signer = signer(SentenceSignature::IMatch(lexicons));
        for without in ["", "The of.", "Roses?", "The rose is the rose of the rose."] {
            assert!(signer.sign(without).is_empty(), "{without}");
        }
        let key = signer.sign("The gardener of the king.").to_vec();
        assert_eq!(key.len(), 1);
        assert_eq!(signer.sign("King is gardener!"), key);
        assert_ne!(signer.sign("The gardener of the queen."), key);
    }

    #[test]
    fn there_is_a_key_for_each_lexicon() {
        let lexicons = lexicons("imatch:0.1-1.0,3,0.1", &[]);
        let mut signer = signer(SentenceSignature::IMatch(lexicons));
        let sentence = "Nine gardeners of seven kings meet where three rivers meet.";
        assert_eq!(signer.sign(sentence).len(), 4);
        assert_eq!(signer.sign("").len(), 0);
    }

    #[test]
    fn spots_are_taken_at_antecedents() {
        let words = WordOptions {
            antecedents: Antecedents::from_lines("list", "the\nof").unwrap(),
            ..WordOptions::default()
        };
        let mut signer = SentenceSigner::new(&SentenceSignature::SpotSigs, &words, 0);
        assert_eq!(signer.sign("The red rose of a royal gardener.").len(), 2);
        assert!(signer.sign("Red roses, white roses.").is_empty());
        assert!(signer.sign("The rose.").is_empty());
    }
}
