//! From words to stretches: which words agree, and which stretch the text between them belongs to.
//!
//! Words are aligned by Myers' algorithm on their hashes, with a deadline after which the rest is
//! aligned roughly: its time grows with the number of differences, and two long texts with the
//! same words in another order would take minutes. Text between words is on both sides where it
//! is the same.

use super::{Diff, DiffLimits, Op, StretchKind};
use neardupe_core::document::Span;
use neardupe_core::hash;
use neardupe_core::text::{Segmenter, word_spans};
use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};
use std::time::Instant;

/// The words of one side.
struct SideWords<'a> {
    /// The text up to the last word that is compared.
    text: &'a str,
    /// Where the words are, in bytes, without the punctuation around them.
    spans: Vec<Span>,
    /// A hash per word. Only these are aligned: comparing numbers is faster than comparing
    /// strings, and two words with one hash are too rare to matter in a display.
    hashes: Vec<u64>,
    /// Whether all words of the text are among them.
    complete: bool,
    /// Up to where the text has been given out.
    at: usize,
}

impl<'a> SideWords<'a> {
    /// Cuts a text into words, `max_words` at most; the text ends with the last of these.
    fn new(text: &'a str, segmenter: &Segmenter, max_words: usize) -> Self {
        let mut side = SideWords {
            text,
            spans: Vec::new(),
            hashes: Vec::new(),
            complete: true,
            at: 0,
        };
        word_spans(text, segmenter, |span, word| {
            if side.spans.len() < max_words {
                side.spans.push(span);
                side.hashes.push(hash::word(word.as_bytes()));
            } else {
                side.complete = false;
            }
        });
        // What was not compared must not be shown as a difference.
        if !side.complete {
            side.text = &text[..side.spans.last().map_or(0, |last| last.end)];
        }
        side
    }

    /// Where a word begins; the end of the text after the last.
    fn start(&self, word: usize) -> usize {
        self.spans
            .get(word)
            .map_or(self.text.len(), |span| span.start)
    }

    /// The text from where it has been given out up to an offset.
    fn gap(&self, end: usize) -> &'a str {
        self.text.get(self.at..end).unwrap_or_default()
    }

    /// Whether marks follow some words where the other side has only white space.
    fn is_marked(&self, word: usize, len: usize, other: &str) -> bool {
        // Between this word and the next there is punctuation, which is then shown with the
        // words.
        let after = self.spans[word + len - 1].end..self.start(word + len);
        other.trim().is_empty() && !self.text[after].trim().is_empty()
    }

    /// Gives out the text up to a place.
    fn up_to(&mut self, end: usize) -> Span {
        let start = std::mem::replace(&mut self.at, end);
        Span { start, end }
    }
}

/// Aligns two texts. The stretches of the result follow each other without gaps on both
/// sides, so each text can be put together from them.
pub(super) fn align<'a>(left: &'a str, right: &'a str, limits: &DiffLimits) -> Diff<'a> {
    let segmenter = Segmenter::default();
    let mut aligner = Aligner {
        left: SideWords::new(left, &segmenter, limits.max_words),
        right: SideWords::new(right, &segmenter, limits.max_words),
        ops: Vec::new(),
        common_words: 0,
    };
    // After the deadline the alignment is still right, only not the shortest.
    let deadline = Instant::now() + limits.deadline;
    let words = capture_diff_slices_deadline(
        Algorithm::Myers,
        &aligner.left.hashes,
        &aligner.right.hashes,
        Some(deadline),
    );
    for op in words {
        match op {
            DiffOp::Equal {
                old_index,
                new_index,
                len,
            } => aligner.same(old_index, new_index, len),
            DiffOp::Delete {
                old_index,
                old_len,
                new_index,
            } => aligner.changed((old_index, old_len), (new_index, 0)),
            DiffOp::Insert {
                old_index,
                new_index,
                new_len,
            } => aligner.changed((old_index, 0), (new_index, new_len)),
            DiffOp::Replace {
                old_index,
                old_len,
                new_index,
                new_len,
            } => aligner.changed((old_index, old_len), (new_index, new_len)),
        }
    }
    // Punctuation after the last word.
    let (left_end, right_end) = (aligner.left.text.len(), aligner.right.text.len());
    aligner.both(left_end, right_end);
    Diff {
        left: aligner.left.text,
        right: aligner.right.text,
        left_words: aligner.left.spans.len(),
        right_words: aligner.right.spans.len(),
        common_words: aligner.common_words,
        complete: aligner.left.complete && aligner.right.complete,
        ops: aligner.ops,
    }
}

/// Builds the stretches from left to right; both sides move forwards only.
struct Aligner<'a> {
    left: SideWords<'a>,
    right: SideWords<'a>,
    /// What was given out, in order. Neighbors of one kind are joined.
    ops: Vec<Op>,
    /// Words that agree.
    common_words: usize,
}

impl Aligner<'_> {
    /// Words that agree, each with the text before it.
    fn same(&mut self, left: usize, right: usize, len: usize) {
        self.common_words += len;
        for place in 0..len {
            let (one, other) = (left + place, right + place);
            self.both(self.left.start(one), self.right.start(other));
            self.both(self.left.spans[one].end, self.right.spans[other].end);
        }
    }

    /// Words that only one side has, or other words on each side. The text before them is
    /// on both sides, if it is the same; else it belongs to them.
    fn changed(&mut self, left: (usize, usize), right: (usize, usize)) {
        // First the text before the words is given out, if it is common.
        let (left_start, right_start) =
            (self.left.start(left.0), self.right.start(right.0));
        let shared = self.agree(left_start, right_start);
        if shared {
            self.both(left_start, right_start);
        }
        let (left_last, right_last) = (left.0 + left.1, right.0 + right.1);
        // When only one side has words, the text after them belongs to them: what follows on the
        // other side stood before, or is nothing but white space.
        let alone = match (left.1, right.1) {
            (0, len) => {
                shared
                    || self
                        .right
                        .is_marked(right.0, len, self.left.gap(left_start))
            }
            (len, 0) => {
                shared
                    || self
                        .left
                        .is_marked(left.0, len, self.right.gap(right_start))
            }
            _ => false,
        };
        for (is_left, len, last) in
            [(true, left.1, left_last), (false, right.1, right_last)]
        {
            if len == 0 {
                continue;
            }
            let side = if is_left {
                &mut self.left
            } else {
                &mut self.right
            };
            let end = if alone {
                side.start(last)
            } else {
                side.spans[last - 1].end
            };
            let span = side.up_to(end);
            let (left_at, right_at) = (self.left.at, self.right.at);
            // The other side has nothing here, but its place is needed to show where it is
            // missing.
            let empty = |at| Span { start: at, end: at };
            let op = if is_left {
                Op {
                    kind: StretchKind::OnlyLeft,
                    left: span,
                    right: empty(right_at),
                }
            } else {
                Op {
                    kind: StretchKind::OnlyRight,
                    left: empty(left_at),
                    right: span,
                }
            };
            self.push(op);
        }
    }

    /// Whether what follows on both sides up to here differs at most in white space.
    fn agree(&self, left_end: usize, right_end: usize) -> bool {
        let left = self.left.text.get(self.left.at..left_end);
        let right = self.right.text.get(self.right.at..right_end);
        match (left, right) {
            // White space alone is no difference: lines may be broken elsewhere.
            (Some(left), Some(right)) => {
                left == right || left.split_whitespace().eq(right.split_whitespace())
            }
            _ => false,
        }
    }

    /// Gives out what both sides have up to here.
    fn both(&mut self, left_end: usize, right_end: usize) {
        let kind = if self.agree(left_end, right_end) {
            StretchKind::Equal
        } else {
            StretchKind::SameWords
        };
        // The end may lie before what was given out already, when text after words was given
        // out with them.
        let left = self.left.up_to(left_end.max(self.left.at));
        let right = self.right.up_to(right_end.max(self.right.at));
        self.push(Op { kind, left, right });
    }

    /// Adds a stretch; empty ones are dropped and one of the same kind is joined to the last.
    fn push(&mut self, op: Op) {
        if op.left.start == op.left.end && op.right.start == op.right.end {
            return;
        }
        match self.ops.last_mut() {
            Some(last) if last.kind == op.kind => {
                last.left.end = op.left.end;
                last.right.end = op.right.end;
            }
            _ => self.ops.push(op),
        }
    }
}
