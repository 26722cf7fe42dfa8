//! No sentence ends within a word, even where normalization joins what stands apart.
//!
//! Words are normalized, and a few characters change so much by it that a whole segment counts as
//! one word (see `spans`): a sign that composes with a mark, as `=` with U+0338; the Greek iota
//! below, which folds to a letter. Texts that have one of them are looked at again, with the places
//! of their words. Passages are stretches of words, so an end within a word would cut a passage
//! within one.

use super::super::{Segmenter, word_spans};
use crate::document::Span;

/// Takes back ends that lie within a word.
#[derive(Debug, Default)]
pub(super) struct WholeWords {
    segmenter: Segmenter,
    spans: Vec<Span>,
}

impl WholeWords {
    /// Keeps the ends that lie in no word of the text. `ends` ascend. Nearly all texts are done
    /// after a search for a few bytes.
    pub(super) fn keep(&mut self, text: &str, ends: &mut Vec<usize>) {
        if text.is_ascii() || !is_joining(text.as_bytes()) {
            return;
        }
        self.spans.clear();
        word_spans(text, &self.segmenter, |span, _| self.spans.push(span));
        let mut spans = self.spans.iter().peekable();
        ends.retain(|&end| {
            // Ends and spans both ascend, so each span is passed once.
            while spans.next_if(|span| span.end <= end).is_some() {}
            spans.peek().is_none_or(|span| span.start >= end)
        });
    }
}

/// Whether a text has a character of those. Found by trying all of Unicode (the test).
fn is_joining(bytes: &[u8]) -> bool {
    const CHUNK: usize = 32;
    let is_first = |byte: u8| {
        u8::from(byte == 0xcc)
            | u8::from(byte == 0xcd)
            | u8::from(byte == 0xe2)
            | u8::from(byte == 0xf0)
    };
    let chunks = bytes.chunks(CHUNK).enumerate();
    // No early end within a chunk: so it is done for all its bytes at once.
    let mut hits = chunks.filter(|(_, chunk)| {
        chunk.iter().fold(0, |any, &byte| any | is_first(byte)) != 0
    });
    hits.any(|(number, chunk)| {
        let from = number * CHUNK;
        (from..from + chunk.len()).any(|at| is_joining_at(bytes, at))
    })
}

/// Whether one of those characters is at a place.
fn is_joining_at(bytes: &[u8], at: usize) -> bool {
    match bytes[at..] {
        // U+0338; U+0345.
        [0xcc, 0xb8, ..] | [0xcd, 0x85, ..] => true,
        // U+0300, U+0301, U+0342 after one of the spacing accents of Greek.
        [0xcc, 0x80 | 0x81, ..] | [0xcd, 0x82, ..] => {
            let accents = ["\u{a8}", "\u{1fbf}", "\u{1ffe}"];
            accents
                .iter()
                .any(|accent| bytes[..at].ends_with(accent.as_bytes()))
        }
        // U+2ADC; signs of music that come apart.
        [0xe2, 0xab, 0x9c, ..] | [0xf0, 0x9d, 0x85..=0x87, ..] => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::class::{Class, class};
    use super::*;
    use icu_normalizer::properties::{CanonicalDecomposition, Decomposed};
    use icu_properties::CodePointMapData;
    use icu_properties::props::GeneralCategory;

    /// Whether a word spans the stop at the beginning.
    fn joins(text: &str, segmenter: &Segmenter) -> bool {
        let stop = "中。".len();
        let mut joins = false;
        word_spans(text, segmenter, |span, _| {
            joins |= span.start < stop && stop < span.end;
        });
        joins
    }

    #[test]
    fn characters_that_join_words_are_all_known() {
        let segmenter = Segmenter::default();
        let categories = CodePointMapData::<GeneralCategory>::new();
        let (compositions, mut num_joining) = (CanonicalDecomposition::new(), 0);
        let mut check = |text: String| {
            if joins(&text, &segmenter) {
                num_joining += 1;
                assert!(is_joining(text.as_bytes()), "{}", text.escape_unicode());
            }
        };
        for ch in '\u{80}'..=char::MAX {
            let category = categories.get(ch);
            let skip = matches!(ch, '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}')
                || ch > '\u{1ffff}'
                || category == GeneralCategory::Unassigned
                || category == GeneralCategory::PrivateUse;
            if skip {
                continue;
            }
            check(format!("中。{ch}"));
            check(format!("中。中{ch}中"));
            check(format!("中。é{ch}é"));
            if let Decomposed::Expansion(first, second) = compositions.decompose(ch)
                && (class(first) == Class::Separator || class(second) != Class::Mark)
            {
                check(format!("中。中{first}{second}中"));
                check(format!("中。{first}{second}a"));
            }
        }
        assert!(num_joining > 20, "{num_joining}");
    }
}
