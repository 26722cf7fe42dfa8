//! One word of a document under construction, with the marks around it.
//!
//! A document is made as a list of tokens of 32 bits, edited as such, and written out at
//! the end. Capital letters are not stored: a word gets one when the token before it ends
//! a sentence, so that edits and moves keep the text well formed.

/// A form number and the marks before and after the word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Token(u32);

const FORM_BITS: u32 = 20;
const END_SHIFT: u32 = FORM_BITS;
const CLOSE_QUOTE: u32 = 1 << 23;
const LINE_BREAK: u32 = 1 << 24;
const JOINED: u32 = 1 << 25;
const OPEN_QUOTE: u32 = 1 << 26;

/// How many combinations of marks can follow a word.
pub(super) const NUM_SUFFIXES: usize = 64;

/// Punctuation after a word; from `Stop` on it ends the sentence.
#[derive(Clone, Copy)]
pub(super) enum End {
    Comma = 1,
    Colon = 2,
    Semicolon = 3,
    Stop = 4,
    Question = 5,
    Exclamation = 6,
    IdeographicStop = 7,
}

/// The text of each [`End`], with none first.
pub(super) const END_MARKS: [&str; 8] = ["", ",", ":", ";", ".", "?", "!", "。"];

impl Token {
    /// A word without marks, followed by a space.
    #[inline]
    pub(super) fn new(form: u32) -> Self {
        debug_assert!(form < 1 << FORM_BITS);
        Self(form)
    }

    #[inline]
    pub(super) fn form(self) -> u32 {
        self.0 & ((1 << FORM_BITS) - 1)
    }

    /// The number of the marks after the word, below [`NUM_SUFFIXES`].
    #[inline]
    pub(super) fn suffix(self) -> usize {
        (self.0 >> FORM_BITS) as usize % NUM_SUFFIXES
    }

    /// The same marks around another word.
    pub(super) fn with_form(self, form: u32) -> Self {
        Self(self.0 & !((1 << FORM_BITS) - 1) | form)
    }

    /// With this punctuation in place of any other.
    pub(super) fn with_end(self, end: End) -> Self {
        Self(self.0 & !(7 << END_SHIFT) | ((end as u32) << END_SHIFT))
    }

    pub(super) fn with_open_quote(self) -> Self {
        Self(self.0 | OPEN_QUOTE)
    }

    pub(super) fn with_close_quote(self) -> Self {
        Self(self.0 | CLOSE_QUOTE)
    }

    /// Followed by the end of the line.
    pub(super) fn with_line_break(self) -> Self {
        Self(self.0 | LINE_BREAK)
    }

    /// Followed by the next word without a space.
    pub(super) fn joined(self) -> Self {
        Self(self.0 | JOINED)
    }

    #[inline]
    pub(super) fn has_open_quote(self) -> bool {
        self.0 & OPEN_QUOTE != 0
    }

    pub(super) fn has_marks(self) -> bool {
        self.0 >> FORM_BITS != 0
    }

    /// Whether the next word begins a sentence or a line.
    #[inline]
    pub(super) fn ends_sentence(self) -> bool {
        self.0 & (((End::Stop as u32) << END_SHIFT) | LINE_BREAK) != 0
    }
}

/// The parts of a suffix number: end mark, closing quote, line break, joined.
pub(super) fn suffix_parts(suffix: usize) -> (&'static str, bool, bool, bool) {
    (
        END_MARKS[suffix & 7],
        suffix & 8 != 0,
        suffix & 16 != 0,
        suffix & 32 != 0,
    )
}

#[cfg(test)]
mod tests {
    use super::{End, Token, suffix_parts};

    #[test]
    fn marks_come_back_from_the_suffix() {
        let token = Token::new(7).with_end(End::Question).with_close_quote();
        assert_eq!(suffix_parts(token.suffix()), ("?", true, false, false));
        let token = Token::new(7).with_line_break();
        assert_eq!(suffix_parts(token.suffix()), ("", false, true, false));
        let token = Token::new(7).joined().with_open_quote();
        assert_eq!(suffix_parts(token.suffix()), ("", false, false, true));
    }

    #[test]
    fn sentences_end_at_stops_and_line_breaks_only() {
        let token = Token::new(7);
        for end in [End::Comma, End::Colon, End::Semicolon] {
            assert!(!token.with_end(end).ends_sentence());
        }
        for end in [
            End::Stop,
            End::Question,
            End::Exclamation,
            End::IdeographicStop,
        ] {
            assert!(token.with_end(end).ends_sentence());
        }
        assert!(token.with_line_break().ends_sentence());
    }

    #[test]
    fn another_form_keeps_the_marks() {
        let token = Token::new(7).with_open_quote().with_end(End::Stop);
        let changed = token.with_form(9);
        assert_eq!(changed.form(), 9);
        assert_eq!(changed.with_form(7), token);
    }
}
