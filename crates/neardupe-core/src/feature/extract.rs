//! The stage function: one text in, its distinct features out.
//!
//! Reading calls it for every document ([`Sampler`](super::Sampler)), and so do counting of
//! frequencies and the signatures of sentences, so all of them see the same features.

use super::definition::{Distinct, FeatureMaker};
use super::kind::FeatureKind;
use super::table::FeatureTable;
use super::whole_text;
use super::winnow::Winnower;
use crate::hash::TextKey;
use crate::text::WordOptions;

/// Extracts features, reusing its buffers from document to document. Each thread has its own; what
/// came before has no effect.
#[derive(Debug)]
pub struct Extractor {
    /// What the maker is made of.
    made_of: (FeatureKind, WordOptions, u64),
    maker: Box<dyn FeatureMaker>,
    seen: FeatureTable,
    winnower: Winnower,
    /// Under what a text without features is hashed as a whole.
    text_key: Option<TextKey>,
}

impl Extractor {
    /// An extractor of this kind of features.
    pub fn new(kind: FeatureKind, options: &WordOptions, seed: u64) -> Self {
        Extractor {
            made_of: (kind, options.clone(), seed),
            maker: kind.maker(options, seed),
            seen: FeatureTable::default(),
            winnower: Winnower::default(),
            text_key: options.key.map(TextKey::new),
        }
    }

    /// Gives back the memory of buffers that grew for a large text.
    pub fn give_back(&mut self) {
        let (kind, options, seed) = &self.made_of;
        self.maker = kind.maker(options, *seed);
        self.seen = FeatureTable::default();
        self.winnower = Winnower::default();
    }

    /// Appends the distinct features of `text` to `features`, in the order in which they
    /// first occur. Returns the number of words.
    pub fn extract(&mut self, text: &str, features: &mut Vec<u64>) -> usize {
        let seen = &mut self.seen;
        self.maker.distinct(text, Distinct { seen, features })
    }

    /// As [`Extractor::extract`], but of each run of `window` features, repetitions included,
    /// only the smallest. Features of several lengths are winnowed one length after the other.
    pub fn winnow(&mut self, text: &str, window: u32, features: &mut Vec<u64>) -> usize {
        let (seen, winnower) = (&mut self.seen, &mut self.winnower);
        let to = Distinct { seen, features };
        self.maker.winnowed(text, window, winnower, to)
    }

    /// As [`Extractor::extract`], but a text without a feature has one, itself as a whole; an
    /// empty text has none. These are the features of a document that is compared with others.
    /// `features` must be empty.
    pub fn extract_document(&mut self, text: &str, features: &mut Vec<u64>) -> usize {
        let num_words = self.extract(text, features);
        // A text without a word, or a kind that may have none (spot signatures).
        if features.is_empty() {
            features.extend(whole_text(text, self.text_key.as_ref()));
        }
        num_words
    }

    /// As [`Extractor::extract`], but each term once, however often it occurs: as the feature
    /// of its first occurrence. These are the features whose documents are counted.
    pub fn distinct(&mut self, text: &str, features: &mut Vec<u64>) -> usize {
        let seen = &mut self.seen;
        self.maker.counted(text, Distinct { seen, features })
    }

    /// Whether the text that was read last has a word but no whole shingle: its only feature is the
    /// text itself, which no longer text has.
    pub fn was_shorter(&self) -> bool {
        self.maker.was_shorter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::{self, FeatureHash};
    use crate::text::StopWords;

    fn features(kind: &str, text: &str) -> Vec<u64> {
        features_by(kind, &WordOptions::default(), text)
    }

    fn hashed(hash: &str) -> WordOptions {
        WordOptions {
            hash: hash.parse().unwrap(),
            ..WordOptions::default()
        }
    }

    #[test]
    fn hashes_are_those_of_the_texts_of_features() {
        let md5 = |text: &str| FeatureHash::Md5.of_text(text.as_bytes(), 0);
        let features = |kind, text| features_by(kind, &hashed("md5"), text);
        assert_eq!(
            features("words:2", "A rose, is"),
            [md5("a rose"), md5("rose is")]
        );
        assert_eq!(features("words:5", "A rose"), [md5("a rose")]);
        assert_eq!(
            features("words:1+2", "A rose"),
            [md5("a"), md5("rose"), md5("a rose")]
        );
        assert_eq!(features("chars:4", "Ab é cd"), [md5("ab é"), md5("é cd")]);
        assert_eq!(features("terms", "a A"), [md5("a 1"), md5("a 2")]);
        assert_eq!(features("lines:2", "A\n\nb c"), [md5("a\nb c")]);
        assert!(features("lines:2", " .\n").is_empty());
    }

    fn features_by(kind: &str, options: &WordOptions, text: &str) -> Vec<u64> {
        let mut features = Vec::new();
        Extractor::new(kind.parse().unwrap(), options, 0).extract(text, &mut features);
        features
    }

    #[test]
    fn texts_without_a_whole_shingle_are_known() {
        for hash in ["multilinear", "md5"] {
            let is_shorter = |kind: &str, text: &str| {
                let mut extractor =
                    Extractor::new(kind.parse().unwrap(), &hashed(hash), 0);
                let mut features = Vec::new();
                let _ = extractor.extract("one two three four\nfive\nsix", &mut features);
                let _ = extractor.extract(text, &mut features);
                extractor.was_shorter()
            };
            for (kind, shorter, long_enough) in [
                ("words:3", "a b", "a b c"),
                ("words:2+4", "a", "a b"),
                ("chars:4", "é b", "é bc"),
                ("lines:2", "a b c d", "a\nb"),
            ] {
                assert!(is_shorter(kind, shorter), "{kind} {hash}");
                assert!(!is_shorter(kind, long_enough), "{kind} {hash}");
                // Without a word there is nothing to compare at all.
                assert!(!is_shorter(kind, " ."), "{kind} {hash}");
            }
            assert!(!is_shorter("terms", "a"));
        }
    }

    #[test]
    fn short_and_empty_texts_have_one_feature_and_none() {
        for kind in ["words:5", "words:3+5", "chars:64", "lines:2", "terms"] {
            assert!(features(kind, " .,! \n\n").is_empty(), "{kind}");
            assert_eq!(features(kind, "Rose!").len(), 1, "{kind}");
            assert_eq!(features(kind, "Rose!"), features(kind, "rose"));
        }
        assert_ne!(features("words:5", "a b"), features("words:5", "a b c"));
    }

    #[test]
    fn a_term_is_counted_once_by_its_first_occurrence() {
        let distinct = |kind: &str, text: &str| {
            let mut features = Vec::new();
            let kind = kind.parse().unwrap();
            Extractor::new(kind, &WordOptions::default(), 7)
                .distinct(text, &mut features);
            features
        };
        let first = |word: &str| hash::numbered(hash::word(word.as_bytes()), 1, 7);
        let text = "A rose is a ROSE is a rose";
        assert_eq!(
            distinct("terms", text),
            [first("a"), first("rose"), first("is")]
        );
        assert!(distinct("terms", "...").is_empty());
        for kind in ["words:2", "chars:4"] {
            let mut extracted = Vec::new();
            Extractor::new(kind.parse().unwrap(), &WordOptions::default(), 7)
                .extract(text, &mut extracted);
            assert_eq!(distinct(kind, text), extracted, "{kind}");
        }
    }

    #[test]
    fn stop_words_are_as_if_they_were_not_there() {
        let options = WordOptions {
            stop_words: StopWords::named("en").unwrap(),
            ..WordOptions::default()
        };
        for kind in ["words:2", "chars:4", "terms"] {
            assert!(features_by(kind, &options, "It is, and the...").is_empty());
            assert_eq!(
                features_by(kind, &options, "the rose of the red garden"),
                features(kind, "rose red garden"),
                "{kind}"
            );
        }
    }

    #[test]
    fn terms_are_words_of_dictionaries_unless_asked_otherwise() {
        assert_eq!(features("terms", "中华人民共和国民法").len(), 2);
        // One character of nine occurs twice.
        assert_eq!(features("words:1", "中华人民共和国民法").len(), 8);
        for (rule, kind, expected) in
            [("simple", "terms", 9), ("segmented", "words:1", 2)]
        {
            let options = WordOptions {
                rule: Some(rule.parse().unwrap()),
                ..WordOptions::default()
            };
            let found = features_by(kind, &options, "中华人民共和国民法");
            assert_eq!(found.len(), expected, "{rule} {kind}");
        }
    }

    #[test]
    fn what_is_no_word_makes_no_line_and_no_difference() {
        let one = "The mayor opened\n the bridge.\nIt rained.";
        let other = "the mayor opened \r\n\r\n * * *\n\n\tthe bridge\n --\nit rained\n";
        assert_eq!(features("lines:2", one).len(), 2);
        assert_eq!(features("lines:2", one), features("lines:2", other));
        // Where lines break is all that matters.
        let broken = "The mayor\nopened the bridge.\nIt rained.";
        assert_ne!(features("lines:1", one), features("lines:1", broken));
        assert_eq!(features("lines:4", one).len(), 1);
    }
}
