//! The text of a document as it is shown beside another: passages whole as far as there is
//! room, what is between them by a few words at their ends.
//!
//! Texts are cut at words, and what is left out is counted in characters, so a reader sees how
//! far apart two passages are. Passages may overlap on one side: each piece knows all passages
//! that begin with it, and the text is shown once.

use neardupe_core::document::Span;
use std::ops::Range;

/// Bytes that are left out at least: fewer are shown instead.
const MIN_LEFT_OUT: usize = 60;
/// Bytes by which a cut may move to the end of a word.
const MAX_WORD: usize = 24;

/// How much is shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    /// Bytes of a passage.
    passage: usize,
    /// Bytes before and after one.
    context: usize,
}

impl Room {
    /// Shares so many bytes among some passages.
    /// Two thirds for the passage, a sixth for each side of it, within what is readable.
    pub(super) fn new(bytes: usize, num_passages: usize) -> Self {
        let each = bytes / num_passages.max(1);
        Room {
            passage: (each * 2 / 3).clamp(200, 5000),
            context: (each / 6).clamp(60, 500),
        }
    }
}

/// A stretch of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TextPiece {
    /// The passage that it is of.
    pub(super) passage: Option<usize>,
    /// Passages that begin with it. Passages may overlap on one side.
    pub(super) begins: Vec<usize>,
    /// Its text, cut where there is no room.
    pub(super) parts: Vec<TextPart>,
}

/// A part of it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TextPart {
    /// Both sides have it.
    Text(String),
    /// What the other side lacks.
    Edited(String),
    /// So many characters are left out.
    LeftOut(usize),
}

impl TextPiece {
    /// Bytes that it takes in a page, about.
    pub(super) fn bytes(&self) -> usize {
        let escaped = |text: &str| {
            // The longest escape has six bytes, five more than the character.
            let active = text.bytes().filter(|byte| b"&<>\"'".contains(byte));
            text.len() + active.count() * 5
        };
        let parts = self.parts.iter().map(|part| match part {
            TextPart::Text(text) => escaped(text),
            TextPart::Edited(text) => escaped(text) + 7,
            TextPart::LeftOut(_) => 60,
        });
        // The tags around it, about.
        150 + parts.sum::<usize>()
    }
}

/// Cuts a text at its passages. `edits` has what is edited in each, in order.
pub(super) fn pieces(
    text: &str,
    passages: &[Span],
    edits: &[Vec<Span>],
    room: &Room,
) -> Vec<TextPiece> {
    // All ends of passages, so that no piece is partly in one.
    let mut cuts = vec![0, text.len()];
    cuts.extend(passages.iter().flat_map(|span| [span.start, span.end]));
    cuts.sort_unstable();
    cuts.dedup();
    let mut pieces = Vec::new();
    for ends in cuts.windows(2) {
        let range = ends[0]..ends[1];
        let numbered = || passages.iter().enumerate();
        let covers = |span: &Span| {
            span.start <= range.start && range.end <= span.end && span.start < span.end
        };
        // The one that began last: the others are seen before and after it.
        let passage = numbered()
            .filter(|(_, span)| covers(span))
            .max_by_key(|&(at, span)| (span.start, at))
            .map(|(at, _)| at);
        let (head, tail) = match passage {
            // More of the beginning than of the end: it is where a reader begins.
            Some(_) => (room.passage * 2 / 3, room.passage / 3),
            None => (
                if range.start > 0 { room.context } else { 0 },
                if range.end < text.len() {
                    room.context
                } else {
                    0
                },
            ),
        };
        let none = Vec::new();
        let edits = passage.and_then(|at| edits.get(at)).unwrap_or(&none);
        let begins = numbered().filter(|(_, span)| span.start == range.start);
        pieces.push(TextPiece {
            passage,
            begins: begins.map(|(at, _)| at).collect(),
            parts: parts(text, range, head, tail, edits),
        });
    }
    pieces
}

/// A stretch of a text: its head and tail, or all of it.
fn parts(
    text: &str,
    range: Range<usize>,
    head: usize,
    tail: usize,
    edits: &[Span],
) -> Vec<TextPart> {
    let mut parts = Vec::new();
    // A gap that is shorter than its note is not worth it.
    if range.len() <= head + tail + MIN_LEFT_OUT {
        edited(text, range, edits, &mut parts);
        return parts;
    }
    let head_end = word_end(text, range.start, range.start + head);
    let tail_start = word_start(text, range.end - tail, range.end);
    edited(text, range.start..head_end, edits, &mut parts);
    parts.push(TextPart::LeftOut(
        text[head_end..tail_start].chars().count(),
    ));
    edited(text, tail_start..range.end, edits, &mut parts);
    parts
}

/// The end of a word at or a little before an offset.
fn word_end(text: &str, least: usize, at: usize) -> usize {
    // Not within a character, nor before the stretch.
    let at = text.floor_char_boundary(at).max(least);
    let near = &text[text
        .floor_char_boundary(at.saturating_sub(MAX_WORD))
        .max(least)..at];
    match near.rfind(char::is_whitespace) {
        Some(back) if at > least => at - (near.len() - back),
        _ => at,
    }
}

/// The start of a word at or a little behind an offset.
fn word_start(text: &str, at: usize, most: usize) -> usize {
    let at = text.ceil_char_boundary(at).min(most);
    let near = &text[at..text.floor_char_boundary(at + MAX_WORD).min(most)];
    match near.char_indices().find(|(_, ch)| ch.is_whitespace()) {
        Some((ahead, ch)) if at < most => at + ahead + ch.len_utf8(),
        _ => at,
    }
}

/// A stretch of a text with what is edited in it set apart.
fn edited(text: &str, range: Range<usize>, edits: &[Span], parts: &mut Vec<TextPart>) {
    let mut at = range.start;
    for edit in edits {
        let (start, end) = (edit.start.max(at), edit.end.min(range.end));
        let is_word = |edit: &str| edit.contains(char::is_alphanumeric);
        // An edit without a word is punctuation, which is not underlined.
        let Some(inner) = text.get(start..end).filter(|inner| is_word(inner)) else {
            continue;
        };
        // White space around it is no edit.
        let start = start + (inner.len() - inner.trim_start().len());
        let end = start + inner.trim().len();
        push(text.get(at..start), TextPart::Text, parts);
        push(text.get(start..end), TextPart::Edited, parts);
        at = end;
    }
    push(text.get(at..range.end), TextPart::Text, parts);
}

/// Adds a part unless it is empty.
fn push(text: Option<&str>, make: fn(String) -> TextPart, parts: &mut Vec<TextPart>) {
    if let Some(text) = text.filter(|text| !text.is_empty()) {
        parts.push(make(compact(text)));
    }
}

/// White space as one space, or one line break where it has one.
fn compact(text: &str) -> String {
    let mut compact = String::with_capacity(text.len());
    let mut space = None;
    for ch in text.chars() {
        match (ch.is_whitespace(), ch, space) {
            (true, '\n', _) => space = Some('\n'),
            (true, _, None) => space = Some(' '),
            (true, ..) => {}
            (false, ..) => {
                compact.extend(space.take());
                compact.push(ch);
            }
        }
    }
    compact.extend(space);
    compact
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn span(start: usize, end: usize) -> Span {
        Span { start, end }
    }

    fn shown(piece: &TextPiece) -> String {
        let parts = piece.parts.iter().map(|part| match part {
            TextPart::Text(text) => text.clone(),
            TextPart::Edited(text) => format!("[{text}]"),
            TextPart::LeftOut(chars) => format!("<{chars}>"),
        });
        parts.collect()
    }

    #[test]
    fn passages_are_whole_and_the_rest_is_short() {
        let around = "word ".repeat(100);
        let text = format!("{around}A passage\r\n\r\nof  two lines.{around}");
        let (start, end) = (500, text.len() - 500);
        let edit = text.find("two").unwrap();
        let edits = [vec![span(edit - 1, edit + 4)]];
        let room = Room {
            passage: 200,
            context: 20,
        };
        let pieces = pieces(&text, &[span(start, end)], &edits, &room);
        let texts: Vec<String> = pieces.iter().map(shown).collect();
        let context = "word word word word ";
        assert_eq!(texts[0], format!("<485>{}", &context[5..]));
        assert_eq!(texts[1], "A passage\nof [two] lines.");
        assert_eq!(texts[2], format!("{}<481>", &context[..19]));
        assert_eq!(pieces[1].begins, [0]);
        assert!(pieces[0].begins.is_empty() && pieces[0].passage.is_none());
    }

    #[test]
    fn passages_that_overlap_both_begin() {
        let text = "abcdefghij";
        let room = Room::new(1000, 2);
        let pieces = pieces(text, &[span(0, 6), span(4, 8)], &[], &room);
        let shown: Vec<_> = pieces
            .iter()
            .map(|one| (shown(one), one.passage, one.begins.clone()))
            .collect();
        let expected = [
            ("abcd".to_owned(), Some(0), vec![0]),
            ("ef".to_owned(), Some(1), vec![1]),
            ("gh".to_owned(), Some(1), vec![]),
            ("ij".to_owned(), None, vec![]),
        ];
        assert_eq!(shown, expected);
    }

    proptest! {
        #[test]
        fn every_passage_begins_once_and_little_is_shown(
            text in "[a é中\\n]{0,3000}",
            ends in prop::collection::vec((0usize..9000, 0usize..9000), 0..9),
        ) {
            let passages: Vec<Span> = ends
                .iter()
                .map(|&(one, other)| {
                    let char_at = |at: usize| text.floor_char_boundary(at.min(text.len()));
                    span(char_at(one.min(other)), char_at(one.max(other)))
                })
                .filter(|span| span.start < span.end)
                .collect();
            let room = Room { passage: 300, context: 60 };
            let pieces = pieces(&text, &passages, &[], &room);
            let mut begins: Vec<usize> =
                pieces.iter().flat_map(|piece| piece.begins.clone()).collect();
            begins.sort_unstable();
            prop_assert_eq!(begins, (0..passages.len()).collect::<Vec<_>>());
            for piece in &pieces {
                let bytes: usize = piece.parts.iter().map(|part| match part {
                    TextPart::LeftOut(_) => 0,
                    TextPart::Text(text) | TextPart::Edited(text) => text.len(),
                }).sum();
                prop_assert!(bytes <= 300 + MIN_LEFT_OUT);
            }
        }
    }
}
