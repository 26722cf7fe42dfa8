//! Words with their places in the text as given, to show what two texts have in common.
//!
//! Normalization may change how many bytes a word has, so places are found in the text as it
//! is: it is cut by the classes of its characters, piece by piece, and each piece is
//! normalized by itself. Where that gives other words than the rule (a character that
//! composes across a border), the whole segment counts as one.

use super::class::{Class, class};
use super::segment::is_settled;
use super::words::words_with;
use super::{Segmenter, WordSink};
use crate::document::Span;

/// Takes the words of a text in order, with their places.
pub trait PlacedSink {
    /// An ASCII word as it stands in the text, at `start..end`, not yet folded.
    fn ascii(&mut self, text: &[u8], start: usize, end: usize);
    /// Any other word, normalized and folded.
    fn folded(&mut self, span: Span, word: &str);
}

/// Gives each word of `text` by the simple rule to `emit`: its place and its normalized form. Spans
/// ascend and do not overlap. In rare cases several words stand together; then they are joined by
/// spaces.
pub fn word_spans(text: &str, segmenter: &Segmenter, emit: impl FnMut(Span, &str)) {
    let word = String::new();
    placed_words(text, segmenter, &mut Folded { emit, word });
}

/// Gives the same words to `sink`, ASCII ones as they stand.
pub fn placed_words(text: &str, segmenter: &Segmenter, sink: &mut impl PlacedSink) {
    let mut sink = Spans { sink };
    words_with(text, &mut sink, |segment, sink| {
        // A segment is a part of the text.
        let start = segment.as_ptr().addr() - text.as_ptr().addr();
        sink.segment(segment, start, segmenter);
    });
}

/// Gives ASCII words folded, like the others.
struct Folded<Emit> {
    emit: Emit,
    /// An ASCII word, folded.
    word: String,
}

impl<Emit: FnMut(Span, &str)> PlacedSink for Folded<Emit> {
    fn ascii(&mut self, text: &[u8], start: usize, end: usize) {
        self.word.clear();
        let lower = text[start..end].iter().map(|byte| char::from(byte | 0x20));
        self.word.extend(lower);
        (self.emit)(Span { start, end }, &self.word);
    }

    fn folded(&mut self, span: Span, word: &str) {
        (self.emit)(span, word);
    }
}

/// Gives the words of segments with their places; ASCII words have theirs already.
struct Spans<'a, Sink> {
    sink: &'a mut Sink,
}

impl<Sink: PlacedSink> Spans<'_, Sink> {
    /// Gives the words of a segment that begins at `start` in the text.
    fn segment(&mut self, segment: &str, start: usize, segmenter: &Segmenter) {
        if segment.chars().all(is_settled) {
            // Nothing changes when it is normalized: what Chinese text is made of.
            return each_piece(segment, |from, to| {
                let (start, end) = (start + from, start + to);
                self.sink.folded(Span { start, end }, &segment[from..to]);
            });
        }
        let mut words: Vec<String> = Vec::new();
        segmenter.words(segment, |word| words.push(word.to_owned()));
        let pieces = pieces(segment);
        // Each piece must be exactly one word by itself, and all of them together the words of the
        // segment: only then do the places belong to these words.
        let alone = pieces.iter().map(|piece| {
            let mut folded = None;
            let mut num_words = 0;
            segmenter.words(&segment[piece.start..piece.end], |word| {
                num_words += 1;
                folded = Some(word.to_owned());
            });
            folded.filter(|_| num_words == 1)
        });
        let alone: Option<Vec<String>> = alone.collect();
        let span = |from: usize, to: usize| Span {
            start: start + from,
            end: start + to,
        };
        match alone {
            Some(alone) if alone == words => {
                for (piece, word) in pieces.iter().zip(&alone) {
                    self.sink.folded(span(piece.start, piece.end), word);
                }
            }
            // Signs alone.
            _ if words.is_empty() => {}
            _ => self.sink.folded(span(0, segment.len()), &words.join(" ")),
        }
    }
}

/// Where words stand by the classes of characters as they are.
fn pieces(segment: &str) -> Vec<Span> {
    let mut pieces = Vec::new();
    each_piece(segment, |start, end| pieces.push(Span { start, end }));
    pieces
}

fn each_piece(segment: &str, mut emit: impl FnMut(usize, usize)) {
    // A word in progress: its start, and whether it may only take further marks.
    let mut open: Option<(usize, bool)> = None;
    for (at, ch) in segment.char_indices() {
        let kind = class(ch);
        match (kind, open) {
            (Class::Mark, Some(_)) | (Class::Run, Some((_, false))) => continue,
            _ => {}
        }
        if let Some((start, _)) = open.take() {
            emit(start, at);
        }
        if kind != Class::Separator {
            open = Some((at, kind == Class::Alone));
        }
    }
    if let Some((start, _)) = open {
        emit(start, segment.len());
    }
}

impl<Sink: PlacedSink> WordSink for Spans<'_, Sink> {
    #[inline]
    fn ascii(&mut self, text: &[u8], start: usize, end: usize) {
        self.sink.ascii(text, start, end);
    }

    fn folded(&mut self, _: &str) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::slow;
    use proptest::prelude::*;

    fn spans(text: &str) -> Vec<(String, String)> {
        let mut found = Vec::new();
        let mut last = 0;
        word_spans(text, &Segmenter::default(), |span, word| {
            assert!(last <= span.start && span.start < span.end, "{text:?}");
            last = span.end;
            found.push((text[span.start..span.end].to_owned(), word.to_owned()));
        });
        found
    }

    #[test]
    fn places_are_those_of_the_text_as_given() {
        let text = "Die Straße, cafe\u{301}s: 中文 ÉTÉ";
        let found = spans(text);
        let found: Vec<(&str, &str)> = found.iter().map(|(a, b)| (&**a, &**b)).collect();
        assert_eq!(
            found,
            [
                ("Die", "die"),
                ("Straße", "strasse"),
                ("cafe\u{301}s", "cafés"),
                ("中", "中"),
                ("文", "文"),
                ("ÉTÉ", "été"),
            ]
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]
        #[test]
        fn the_words_are_those_of_the_definition(
            text in "([a-zA-Z0-9 .,'_\\-]{0,60}|[éÜßǰıİσΣ中文かーก็\u{301}\u{338}\u{200d}²٣]{0,4}|=|\\PC{0,6}){0,10}"
        ) {
            let words: Vec<String> = spans(&text).into_iter().map(|(_, word)| word).collect();
            prop_assert_eq!(words.join(" "), slow::words(&text).join(" "));
        }
    }
}
