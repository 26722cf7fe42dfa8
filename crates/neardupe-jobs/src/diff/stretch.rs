//! Equal stretches cut word by word, so that a long one can be folded and both sides of a
//! page are beside each other.

use super::{Diff, Op};
use neardupe_core::document::Span;
use neardupe_core::text::{Segmenter, word_spans};

/// A word of both sides with what follows it.
pub(super) type WordPair = (Span, Span);

/// The words of an equal stretch; the stretch as a whole when they do not fit each other.
pub(super) fn pieces(diff: &Diff<'_>, op: &Op, segmenter: &Segmenter) -> Vec<WordPair> {
    let left = cuts(diff.left_of(op), op.left, segmenter);
    let right = cuts(diff.right_of(op), op.right, segmenter);
    if left.len() == right.len() && !left.is_empty() {
        left.into_iter().zip(right).collect()
    } else {
        vec![(op.left, op.right)]
    }
}

/// A text cut before each word but the first.
fn cuts(text: &str, place: Span, segmenter: &Segmenter) -> Vec<Span> {
    let mut starts = Vec::new();
    word_spans(text, segmenter, |span, _| {
        starts.push(place.start + span.start)
    });
    if let Some(first) = starts.first_mut() {
        *first = place.start;
    }
    let ends = starts.iter().skip(1).copied().chain([place.end]);
    let spans = starts.iter().copied().zip(ends);
    spans.map(|(start, end)| Span { start, end }).collect()
}

/// Which pieces of an equal stretch are shown when the rest is folded: from the beginning
/// and at the end. None when all are shown.
pub(super) fn fold(
    num_pieces: usize,
    context: usize,
    is_first: bool,
    is_last: bool,
) -> Option<(usize, usize)> {
    let before = if is_first { 0 } else { context };
    let after = if is_last { 0 } else { context };
    // A fold takes a line: what fits on that line is not worth one.
    (num_pieces > before + after + 8).then(|| (before, num_pieces - after))
}

/// The stretch from the first to the last of some pieces.
pub(super) fn joined(pieces: &[WordPair]) -> Option<WordPair> {
    let (first, last) = (pieces.first()?, pieces.last()?);
    let left = Span {
        start: first.0.start,
        end: last.0.end,
    };
    let right = Span {
        start: first.1.start,
        end: last.1.end,
    };
    Some((left, right))
}
