//! How two texts differ, word by word.
//!
//! Texts are compared by their words, as `find` sees them: folded and without
//! punctuation. Where the words agree, texts may still be written differently, in case or
//! punctuation: that is kept apart, to be shown quietly. White space alone is no difference.
//! [`render_terminal`] and [`render_html`] show a [`Diff`].

mod align;
mod html;
mod shown;
mod stretch;
mod terminal;
#[cfg(test)]
mod tests;

pub use html::{DiffPage, PAGE_START, escape, render_html, render_rows};
pub use shown::{clean, is_active};
pub use terminal::{TerminalStyle, render_terminal};

use neardupe_core::document::Span;
use std::time::Duration;

/// What is the case with a stretch of both texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StretchKind {
    /// The same on both sides, but for white space.
    Equal,
    /// The same words on both sides, written differently: case, punctuation.
    SameWords,
    /// Only on the left side; the right span is empty.
    OnlyLeft,
    /// Only on the right side; the left span is empty.
    OnlyRight,
}

/// A stretch of both texts. Stretches follow each other without gaps on both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Op {
    /// What is the case.
    pub kind: StretchKind,
    /// Where it is in the left text.
    pub left: Span,
    /// Where it is in the right text.
    pub right: Span,
}

/// What a diff may cost.
#[derive(Debug, Clone, Copy)]
pub struct DiffLimits {
    /// Words of each text that are compared; what follows is left out.
    pub max_words: usize,
    /// After this time the rest is compared only roughly. Only long texts of the same words in
    /// quite another order take so long.
    pub deadline: Duration,
}

impl Default for DiffLimits {
    fn default() -> Self {
        DiffLimits {
            max_words: 200_000,
            deadline: Duration::from_secs(10),
        }
    }
}

/// How two texts differ.
#[derive(Debug, Clone)]
pub struct Diff<'a> {
    /// The left text, as far as it was compared.
    pub left: &'a str,
    /// The right text, as far as it was compared.
    pub right: &'a str,
    /// Stretches from the beginning to the end of both.
    pub ops: Vec<Op>,
    /// Words of the left text.
    pub left_words: usize,
    /// Words of the right text.
    pub right_words: usize,
    /// Words that both have, in the same order.
    pub common_words: usize,
    /// Whether both texts were compared to their ends.
    pub complete: bool,
}

impl<'a> Diff<'a> {
    /// Compares two texts.
    pub fn new(left: &'a str, right: &'a str, limits: &DiffLimits) -> Self {
        align::align(left, right, limits)
    }

    /// The left text of a stretch.
    pub fn left_of(&self, op: &Op) -> &'a str {
        &self.left[op.left.start..op.left.end]
    }

    /// The right text of a stretch.
    pub fn right_of(&self, op: &Op) -> &'a str {
        &self.right[op.right.start..op.right.end]
    }
}
