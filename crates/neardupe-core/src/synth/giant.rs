//! The shapes with one giant cluster or one template: how much of the text is shared.
//!
//! Let a document have S shingles. A copy in which d of them are changed into d others,
//! and which has a words more at its end, has the resemblance (S - d) / (S + d + a) with
//! the original. Two such copies, changed independently, have (S - 2d) / (S + 2d + 2a).

use super::edit::SHINGLE_WORDS;
use super::prose::write_body;
use super::random::{Purpose, Random, round};
use super::shape::Shape;
use super::token::Token;
use super::vocabulary::Vocabulary;

/// Words of the original in the shapes `near-copies` and `spread`, and about the length
/// of a document in `template`.
pub(super) const DOCUMENT_WORDS: u32 = 600;

/// Resemblance of two documents in the shape `near-copies`.
const NEAR_COPIES_RESEMBLANCE: f64 = 0.95;
/// Resemblance to the original in the shape `spread`.
const SPREAD_RESEMBLANCE: (f64, f64) = (0.7, 0.99);
/// A copy has up to so many own words at its end: real copies differ in length.
const MAX_APPENDED: u32 = 4;
/// Own text in the shape `template` is up to so many words longer or shorter.
const TEMPLATE_JITTER: u32 = 3;

/// The text that all documents share.
#[derive(Debug, Default)]
pub(super) struct Giant {
    pub(super) tokens: Vec<Token>,
    /// Words by the rule that also splits compounds: shingles are made of these.
    num_words: u32,
}

/// How one copy differs from the original.
#[derive(Clone, Copy, Debug)]
pub(super) struct Difference {
    pub(super) broken_shingles: u32,
    pub(super) appended_words: u32,
}

impl Giant {
    /// The shared text of this shape; empty where documents share none.
    pub(super) fn new(seed: u64, shape: Shape) -> Self {
        let length = match shape {
            Shape::Web | Shape::Unrelated | Shape::Passages(_) => 0,
            Shape::NearCopies | Shape::Spread => DOCUMENT_WORDS,
            Shape::Template(percent) => template_words(percent),
        };
        let vocabulary = Vocabulary::get();
        let mut random = Random::keyed(seed, Purpose::Template, 0);
        let mut tokens = Vec::new();
        write_body(vocabulary, &mut random, length, &mut tokens);
        let num_words = tokens
            .iter()
            .map(|token| vocabulary.form(token.form()).num_words())
            .sum();
        Self { tokens, num_words }
    }

    /// A copy so that two of them have the resemblance of `near-copies` on average.
    pub(super) fn near_copy(&self, random: &mut Random) -> Difference {
        let appended_words = random.between(0, MAX_APPENDED);
        let appended = f64::from(MAX_APPENDED) / 2.0;
        let resemblance = NEAR_COPIES_RESEMBLANCE;
        let shared = self.num_shingles() * (1.0 - resemblance);
        let mean = (shared - 2.0 * appended * resemblance) / (2.0 * (1.0 + resemblance));
        let deviation = 2.0 * (2.0 * random.unit() - 1.0);
        Difference {
            broken_shingles: round(mean + deviation),
            appended_words,
        }
    }

    /// A copy with a resemblance to the original that is equally likely anywhere in the
    /// range.
    pub(super) fn spread_copy(&self, random: &mut Random) -> Difference {
        let (low, high) = SPREAD_RESEMBLANCE;
        let resemblance = low + (high - low) * random.unit();
        let appended_words = random.between(0, MAX_APPENDED);
        let broken = (self.num_shingles() * (1.0 - resemblance)
            - f64::from(appended_words) * resemblance)
            / (1.0 + resemblance);
        Difference {
            broken_shingles: round(broken.max(1.0)),
            appended_words,
        }
    }

    /// The lengths of the one or two own blocks of a document in which `percent` of the
    /// shingles come from the template; 0 for no second block.
    pub(super) fn own_blocks(&self, random: &mut Random, percent: u32) -> [u32; 2] {
        let two = random.percent(50);
        // Each piece of the template has four shingles fewer than words.
        let num_pieces = if two { 3 } else { 2 };
        let shared = self
            .num_words
            .saturating_sub(num_pieces * (SHINGLE_WORDS - 1));
        let num_shingles = round(f64::from(shared) * 100.0 / f64::from(percent));
        let mean = (num_shingles + SHINGLE_WORDS - 1).saturating_sub(self.num_words);
        let own = mean.max(TEMPLATE_JITTER + 2) - TEMPLATE_JITTER
            + random.below(2 * TEMPLATE_JITTER + 1);
        if !two {
            return [own, 0];
        }
        let first = random.between(own.div_ceil(4), own - own.div_ceil(4));
        [first, own - first]
    }

    /// Where own blocks go: at sentence ends, about one and two thirds into the template.
    pub(super) fn places(&self) -> [usize; 2] {
        [1, 2].map(|number| {
            let third = self.tokens.len() * number / 3;
            self.tokens[..third]
                .iter()
                .rposition(|token| token.ends_sentence())
                .map_or(third, |end| end + 1)
        })
    }

    fn num_shingles(&self) -> f64 {
        f64::from((self.num_words + 1).saturating_sub(SHINGLE_WORDS))
    }
}

/// Words of the template: a share of the document, and what its pieces lose.
fn template_words(percent: u32) -> u32 {
    let lost = 2.5 * f64::from(SHINGLE_WORDS - 1);
    let shared = f64::from(DOCUMENT_WORDS * percent) / 100.0;
    round(shared + lost)
}

#[cfg(test)]
mod tests {
    use super::super::random::{Purpose, Random};
    use super::super::shape::Shape;
    use super::Giant;

    #[test]
    fn every_percentage_leaves_some_own_text() {
        let mut random = Random::keyed(1, Purpose::Body, 0);
        for percent in 1..=99 {
            let giant = Giant::new(1, Shape::Template(percent));
            assert!(giant.places().is_sorted());
            for _ in 0..50 {
                let own = giant.own_blocks(&mut random, percent).iter().sum::<u32>();
                assert!(own >= 2);
            }
        }
    }

    #[test]
    fn every_copy_differs_from_the_original() {
        let giant = Giant::new(1, Shape::Spread);
        let mut random = Random::keyed(1, Purpose::Edit, 0);
        for _ in 0..2000 {
            assert!(giant.spread_copy(&mut random).broken_shingles >= 1);
            assert!(giant.near_copy(&mut random).broken_shingles >= 1);
        }
    }
}
