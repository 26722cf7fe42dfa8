//! The stage function: one text in, its distinct features out.

use super::chars::Normalized;
use super::kind::FeatureKind;
use super::table::FeatureTable;
use super::word_hashes::WordHashes;
use super::{terms, words};
use crate::hash::{FixedMap, Multipliers};
use crate::text::{self, Segmenter};

/// Extracts features, reusing its buffers from document to document.
#[derive(Debug)]
pub struct Extractor {
    kind: FeatureKind,
    seed: u64,
    segmenter: Segmenter,
    multipliers: Multipliers,
    words: WordHashes,
    normalized: Normalized,
    occurrences: FixedMap<u64, u64>,
    seen: FeatureTable,
}

impl Extractor {
    /// An extractor of this kind of features.
    pub fn new(kind: FeatureKind, seed: u64) -> Self {
        let len = match kind {
            FeatureKind::Words(len) => len,
            FeatureKind::Chars(_) | FeatureKind::Terms => 0,
        };
        Extractor {
            kind,
            seed,
            segmenter: Segmenter::default(),
            multipliers: Multipliers::new(seed, len as usize),
            words: WordHashes::default(),
            normalized: Normalized::default(),
            occurrences: FixedMap::default(),
            seen: FeatureTable::default(),
        }
    }

    /// Appends the distinct features of `text` to `features`, in the order in which they
    /// first occur. Returns the number of words.
    pub fn extract(&mut self, text: &str, features: &mut Vec<u64>) -> usize {
        let num_words = self.read_words(text);
        self.seen.reset(num_words + 1);
        let seen = &mut self.seen;
        let emit = |feature| {
            if seen.insert(feature) {
                features.push(feature);
            }
        };
        let hashes = &self.words.hashes;
        match self.kind {
            FeatureKind::Words(_) => {
                words::shingle(hashes, &self.multipliers, self.seed, emit);
            }
            FeatureKind::Chars(len) => {
                self.normalized.shingle(len as usize, self.seed, emit);
            }
            FeatureKind::Terms => {
                terms::terms(hashes, &mut self.occurrences, self.seed, emit);
            }
        }
        num_words
    }

    fn read_words(&mut self, text: &str) -> usize {
        if let FeatureKind::Chars(_) = self.kind {
            self.normalized.clear();
            text::words(text, &self.segmenter, &mut self.normalized);
            return self.normalized.num_words();
        }
        self.words.hashes.clear();
        text::words(text, &self.segmenter, &mut self.words);
        self.words.hashes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::slow;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn features(kind: &str, text: &str) -> Vec<u64> {
        let mut features = Vec::new();
        Extractor::new(kind.parse().unwrap(), 0).extract(text, &mut features);
        features
    }

    /// The definition of each kind, with strings in the place of hashes.
    fn slow_features(kind: FeatureKind, text: &str) -> BTreeSet<String> {
        let words = slow::words(text);
        let joined = words.join(" ");
        let mut set = BTreeSet::new();
        match kind {
            FeatureKind::Words(len) => {
                set.extend(words.windows(len as usize).map(|window| window.join(" ")));
            }
            FeatureKind::Chars(len) => {
                let mut start = 0;
                for word in &words {
                    let rest: Vec<char> = joined[start..].chars().collect();
                    if rest.len() >= len as usize {
                        set.insert(rest[..len as usize].iter().collect());
                    }
                    start += word.len() + 1;
                }
            }
            FeatureKind::Terms => {
                for (at, word) in words.iter().enumerate() {
                    let before = words[..at].iter().filter(|&other| other == word);
                    set.insert(format!("{word} {}", before.count() + 1));
                }
            }
        }
        if set.is_empty() && !words.is_empty() {
            set.insert(joined);
        }
        set
    }

    #[test]
    fn short_and_empty_texts_have_one_feature_and_none() {
        for kind in ["words:5", "chars:64", "terms"] {
            assert!(features(kind, " .,! ").is_empty(), "{kind}");
            assert_eq!(features(kind, "Rose!").len(), 1, "{kind}");
            assert_eq!(features(kind, "Rose!"), features(kind, "rose"));
        }
        assert_ne!(features("words:5", "a b"), features("words:5", "a b c"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn two_texts_share_as_many_features_as_by_the_definition(
            left in "([abAB] |é|中|ab1 |, ){0,30}",
            right in "([abAB] |é|中|ab1 |, ){0,30}",
            kind in prop::sample::select(vec![
                "words:1", "words:2", "words:3", "words:5", "words:8", "chars:3", "chars:7",
                "terms"
            ]),
        ) {
            let fast_left: BTreeSet<u64> = features(kind, &left).into_iter().collect();
            let fast_right: BTreeSet<u64> = features(kind, &right).into_iter().collect();
            prop_assert_eq!(fast_left.len(), features(kind, &left).len());
            let slow_left = slow_features(kind.parse().unwrap(), &left);
            let slow_right = slow_features(kind.parse().unwrap(), &right);
            prop_assert_eq!(fast_left.len(), slow_left.len());
            prop_assert_eq!(
                fast_left.intersection(&fast_right).count(),
                slow_left.intersection(&slow_right).count()
            );
        }
    }
}
