//! Two texts: every similarity of theirs.

use crate::feature::{Extractor, FeatureKind};
use crate::hash::{self, FixedMap};
use crate::numbers::of_len;
use crate::ratio::{Ratio, six_decimals};
use crate::similarity::Similarity;
use crate::text::{WordOptions, WordReader, WordSink};
use crate::verify;

/// How many features two texts have and share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overlap {
    /// Features that both have.
    pub overlap: u32,
    /// Features of the left text.
    pub left_size: u32,
    /// Features of the right text.
    pub right_size: u32,
}

impl Overlap {
    /// Compares two texts by one kind of feature.
    pub fn of_texts(
        left: &str,
        right: &str,
        kind: FeatureKind,
        words: &WordOptions,
        seed: u64,
    ) -> Self {
        let mut extractor = Extractor::new(kind, words, seed);
        let (mut one, mut other) = (Vec::new(), Vec::new());
        extractor.extract_document(left, &mut one);
        extractor.extract_document(right, &mut other);
        Overlap::of_sets(&one, &other)
    }

    /// Compares two sets of features.
    pub fn of_sets(left: &[u64], right: &[u64]) -> Self {
        Overlap {
            // Records are limited to 128 MiB unless that is raised; four billion features need several GiB.
            overlap: verify::overlap(left, right),
            left_size: of_len(left.len()),
            right_size: of_len(right.len()),
        }
    }

    /// A similarity as part and whole; 0 of 1 when one of them has no feature.
    pub fn ratio(&self, similarity: Similarity) -> Ratio {
        let ratio = similarity.ratio(self.overlap, self.left_size, self.right_size);
        if self.left_size == 0 || self.right_size == 0 {
            return Ratio::new(0, 1);
        }
        ratio
    }

    /// A similarity with six decimals.
    pub fn decimals(&self, similarity: Similarity) -> String {
        self.ratio(similarity).to_string()
    }

    /// Share of the left features that the right text has, with six decimals.
    pub fn left_contained(&self) -> String {
        six_decimals(u64::from(self.overlap), u64::from(self.left_size))
    }

    /// Share of the right features that the left text has, with six decimals.
    pub fn right_contained(&self) -> String {
        six_decimals(u64::from(self.overlap), u64::from(self.right_size))
    }
}

/// The words of two texts as vectors of how often each occurs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TermVectors {
    /// Words of the left text.
    pub left_words: u64,
    /// Words of the right text.
    pub right_words: u64,
    /// Cosine of the angle between the vectors, 0 when one text has no word.
    pub cosine: f64,
}

impl TermVectors {
    /// Counts the words of two texts.
    pub fn new(left: &str, right: &str, words: &WordOptions) -> Self {
        let rule = FeatureKind::Words(1).word_rule(words);
        let mut reader = WordReader::new(rule, words);
        let mut count = |text: &str| {
            let mut counts = Counts::default();
            reader.read(text, &mut counts);
            counts.0
        };
        let (left, right) = (count(left), count(right));
        let total = |counts: &FixedMap<u64, u64>| counts.values().sum();
        let square = |counts: &FixedMap<u64, u64>| {
            let squares = counts.values().map(|&count| u128::from(count).pow(2));
            squares.sum::<u128>()
        };
        // Sums do not depend on the order of the map.
        let dot: u128 = left
            .iter()
            .map(|(word, &count)| {
                u128::from(count) * u128::from(right.get(word).copied().unwrap_or(0))
            })
            .sum();
        #[expect(
            clippy::cast_precision_loss,
            reason = "shown, nothing is decided by it"
        )]
        let cosine = match square(&left) * square(&right) {
            0 => 0.0,
            norms => (dot as f64 / (norms as f64).sqrt()).min(1.0),
        };
        TermVectors {
            left_words: total(&left),
            right_words: total(&right),
            cosine,
        }
    }
}

/// How often each word occurs, by its hash.
#[derive(Default)]
struct Counts(FixedMap<u64, u64>);

impl WordSink for Counts {
    fn ascii(&mut self, text: &[u8], start: usize, end: usize) {
        let mut word = text[start..end].to_vec();
        word.make_ascii_lowercase();
        *self.0.entry(hash::word(&word)).or_insert(0) += 1;
    }

    fn folded(&mut self, word: &str) {
        *self.0.entry(hash::word(word.as_bytes())).or_insert(0) += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_similarities_of_two_texts() {
        let words = WordOptions::default();
        let kind = FeatureKind::Words(1);
        let overlap = Overlap::of_texts("a b c d", "B c, e", kind, &words, 0);
        assert_eq!(
            overlap,
            Overlap {
                overlap: 2,
                left_size: 4,
                right_size: 3
            }
        );
        assert_eq!(overlap.ratio(Similarity::Resemblance), Ratio::new(2, 5));
        assert_eq!(overlap.ratio(Similarity::S3), Ratio::new(4, 7));
        assert_eq!(overlap.left_contained(), "0.500000");
        assert_eq!(overlap.right_contained(), "0.666667");
        let empty = Overlap::of_texts("", "a", kind, &words, 0);
        assert_eq!(empty.ratio(Similarity::Containment), Ratio::new(0, 1));
        assert_eq!(empty.left_contained(), "0.000000");
    }

    #[test]
    fn the_cosine_counts_how_often_words_occur() {
        let cosine = |left, right| {
            let vectors = TermVectors::new(left, right, &WordOptions::default());
            format!("{:.6}", vectors.cosine)
        };
        assert_eq!(cosine("a a b", "A b"), "0.948683");
        assert_eq!(cosine("a é", "É a"), "1.000000");
        assert_eq!(cosine("a", "b"), "0.000000");
        assert_eq!(cosine("", "b"), "0.000000");
    }
}
