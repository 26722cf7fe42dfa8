//! From a text to its words, their places, and its sentences.
//!
//! What is compared are hashes of 32 bits, one a word: half of the room that 64 would take. Two
//! different words agree by chance with a probability of 2^-31, and a seed is eight of them. The
//! lowest bit marks scripts without spaces: an ideograph, a kana or a Thai letter is one word by
//! our rule, but says less than a word of other scripts, so more of them are required.
//!
//! Everything after this file ([`seeds`](super::seeds), [`extend`](super::extend::extend),
//! [`merge`](super::merge), [`removal`](super::removal)) works on numbers of words; `places`
//! leads back to bytes of the text.

use crate::document::Span;
use crate::feature::ascii_word;
use crate::hash;
use crate::hash::PublicWords;
use crate::numbers::of_len;
use crate::text::{PlacedSink, Segmenter, SentenceCutter, placed_words, stands_alone};

/// A text in words and sentences.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CutText {
    /// A hash of each word.
    pub words: Vec<u32>,
    /// Where each stands, in bytes; as many as `words`.
    pub places: Vec<Span>,
    /// End of each sentence, in bytes; they tile the text.
    pub sentence_ends: Vec<usize>,
    /// Number of words up to the end of each sentence.
    pub sentence_words: Vec<u32>,
}

/// Cuts texts, reusing its buffers.
#[derive(Debug, Default)]
pub struct TextCutter {
    segmenter: Segmenter,
    sentences: SentenceCutter,
}

impl TextCutter {
    /// Cuts a text; `cut` loses what it had before.
    pub fn cut(&mut self, text: &str, cut: &mut CutText) {
        cut.words.clear();
        cut.places.clear();
        cut.sentence_words.clear();
        placed_words(text, &self.segmenter, cut);
        self.sentences.cut(text, &mut cut.sentence_ends);
        // Words and sentences are cut by two independent rules. A word belongs to the
        // sentence in which it begins, also when it reaches over the end; both lists
        // ascend, so one walk is enough.
        let mut word = 0;
        for &end in &cut.sentence_ends {
            while cut.places.get(word).is_some_and(|place| place.start < end) {
                word += 1;
            }
            // A text has fewer words than bytes, and whoever cuts refuses texts of 4 GiB.
            cut.sentence_words.push(of_len(word));
        }
    }
}

impl PlacedSink for CutText {
    #[inline]
    fn ascii(&mut self, text: &[u8], start: usize, end: usize) {
        // The upper half of the hash, without the lowest bit: an ASCII word is never of a
        // script without spaces. `folded` must give equal words the same number: which of
        // the two is called for a word depends on the text around it.
        self.words
            .push(upper_half(ascii_word(&PublicWords, text, start, end)) & !ALONE);
        self.places.push(Span { start, end });
    }

    fn folded(&mut self, span: Span, word: &str) {
        let hash = upper_half(hash::word(word.as_bytes())) & !ALONE;
        let alone = word.chars().next().is_some_and(stands_alone);
        self.words.push(hash | u32::from(alone));
        self.places.push(span);
    }
}

#[inline]
fn upper_half(hash: u64) -> u32 {
    (hash >> 32) as u32
}

/// The bit of a word of a script without spaces.
const ALONE: u32 = 1;

/// Whether a word is an ideograph, a kana or a Thai letter.
#[inline]
pub fn is_alone(word: u32) -> bool {
    word & ALONE != 0
}

/// What a word weighs, in tenths: weights are whole numbers, so that limits are exact.
pub const WORD_WEIGHT: u64 = 10;
/// What one of a script without spaces weighs: a word of Chinese has 1.6 characters on average.
pub const ALONE_WEIGHT: u64 = 6;

/// What words weigh together.
pub fn weight(words: &[u32]) -> u64 {
    let alone = words.iter().filter(|&&word| is_alone(word)).count() as u64;
    words.len() as u64 * WORD_WEIGHT - alone * (WORD_WEIGHT - ALONE_WEIGHT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_ranges_of_words() {
        let text = "One two three. Four\u{301} five!  六七。八";
        let mut cut = CutText::default();
        TextCutter::default().cut(text, &mut cut);
        assert_eq!(cut.words.len(), 8);
        let word = |at: usize| &text[cut.places[at].start..cut.places[at].end];
        assert_eq!([word(0), word(3), word(7)], ["One", "Four\u{301}", "八"]);
        assert_eq!(cut.sentence_ends.last(), Some(&text.len()));
        assert_eq!(cut.sentence_words, [3, 5, 7, 8]);
        // Case and composition do not matter.
        let mut other = CutText::default();
        TextCutter::default().cut("FOUR\u{301} fo\u{fa}r", &mut other);
        assert_eq!(other.words[0], cut.words[3]);
        let alone: Vec<bool> = cut.words.iter().map(|&word| is_alone(word)).collect();
        assert_eq!(alone, [false, false, false, false, false, true, true, true]);
        assert_eq!(weight(&cut.words), 68);
    }
}
