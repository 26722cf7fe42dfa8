//! Sentences: the units of passages.
//!
//! Where a sentence ends is decided by the text near by, so that a paragraph is cut in the same
//! way wherever it has been copied to.

use super::class::{Class, class};
use crate::document::Span;

/// How texts are cut into sentences, for specifications.
pub const SENTENCE_RULE: &str = "stops before a capital, blank lines";

/// Cuts texts into sentences. Reuses its buffers from text to text.
#[derive(Debug, Default)]
pub struct SentenceCutter {}

impl SentenceCutter {
    /// A cutter.
    pub fn new() -> Self {
        SentenceCutter::default()
    }

    /// Puts the end of each sentence, in bytes, into `ends` (cleared first). Sentences tile the
    /// text: the first begins at 0, each next one where the one before ended, the last ends at
    /// `text.len()`. White space after a sentence belongs to it. No text: no sentence.
    pub fn cut(&mut self, text: &str, ends: &mut Vec<usize>) {
        ends.clear();
        let mut start = 0;
        let mut stopped = false;
        let mut newlines = 0;
        for (at, ch) in text.char_indices() {
            if ch.is_whitespace() {
                newlines += usize::from(ch == '\n');
                continue;
            }
            let spaced = text[..at].ends_with(char::is_whitespace);
            let starts = spaced && ch.is_uppercase() && stopped || newlines > 1;
            if (starts || stopped && class(ch) == Class::Alone)
                && text[start..at].contains(char::is_alphanumeric)
            {
                ends.push(at);
                start = at;
            }
            newlines = 0;
            stopped = match ch {
                '.' | '!' | '?' | '。' | '！' | '？' => true,
                '"' | '\'' | ')' | '”' | '’' | '」' | '』' | '）' => stopped,
                _ => false,
            };
        }
        if !text.is_empty() {
            if !text[start..].contains(char::is_alphanumeric) {
                ends.pop();
            }
            ends.push(text.len());
        }
    }
}

/// The sentence without white space around it.
pub fn trimmed(text: &str, span: Span) -> Span {
    let sentence = &text[span.start..span.end];
    let start = span.end - sentence.trim_start().len();
    Span {
        start,
        end: start + sentence.trim().len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_tile_the_text() {
        let text = " One here. Two \"there.\" Three\n\nfour。五个。 !";
        let mut ends = Vec::new();
        SentenceCutter::new().cut(text, &mut ends);
        let starts = [0].into_iter().chain(ends.iter().copied());
        let found: Vec<&str> = starts.zip(&ends).map(|(a, &b)| &text[a..b]).collect();
        assert_eq!(
            found,
            [
                " One here. ",
                "Two \"there.\" ",
                "Three\n\n",
                "four。",
                "五个。 !"
            ]
        );
    }
}
