//! Sentences: the units of passages.
//!
//! Where a sentence ends is decided by the text near by, so that a paragraph is cut in the same way
//! wherever it has been copied to; that matters more than to be right about each abbreviation.
//! `lines` finds the newlines that end sentences, `stops` the stops that end them in between, and
//! `long` cuts those that are too long. docs/sentences.md has the rule and what was measured.

mod abbreviations;
mod lines;
mod lists;
mod long;
mod marks;
mod scan;
mod stops;
#[cfg(test)]
mod tests;
mod whole_words;

use crate::document::Span;
use lines::Line;
use marks::has_word;
use whole_words::WholeWords;

/// How texts are cut into sentences, for specifications.
pub const SENTENCE_RULE: &str = "at stops before a space and no small letter, but for \
                                 abbreviations; at sentence terminals of other scripts; \
                                 at blank lines and lines that are not wrapped; \
                                 at most 60 words or 180 ideographs";

/// Cuts texts into sentences. Reuses its buffers from text to text; each thread has its own. No
/// text is refused, and equal texts are always cut alike.
#[derive(Debug, Default)]
pub struct SentenceCutter {
    lines: Vec<Line>,
    whole_words: WholeWords,
}

impl SentenceCutter {
    /// A cutter.
    pub fn new() -> Self {
        SentenceCutter::default()
    }

    /// Puts the end of each sentence, in bytes, into `ends` (cleared first). Sentences tile the
    /// text: the first begins at 0, each next one where the one before ended, the last ends at
    /// `text.len()`. White space after a sentence belongs to it. No text: no sentence. Linear in
    /// the text: one pass for lines, one for stops, and one more over sentences that are too long.
    pub fn cut(&mut self, text: &str, ends: &mut Vec<usize>) {
        ends.clear();
        lines::lines(text, &mut self.lines);
        let mut sentences = Sentences {
            text,
            ends,
            start: 0,
            seen: 0,
            of_paragraph: 0,
        };
        let lines = &self.lines;
        let last = lines.len() - 1;
        let mut at = 0;
        let mut from = 0;
        // Lines `from..at` are one stretch without a newline that ends a sentence; `num_joined` is
        // how many newlines it has passed.
        let mut num_joined = 0;
        while at < last {
            if !lines::ends(text, lines, at, num_joined) {
                num_joined += 1;
                at += 1;
                continue;
            }
            num_joined = 0;
            at += 1;
            // Blank lines and indentation belong to the sentence before them.
            let next = at + lines[at..last].iter().take_while(|line| line.blank).count();
            let end = lines[next].ink;
            stops::stops(text, from, end, |stop| sentences.add(stop));
            sentences.add(end);
            // A blank line, or the end of the text.
            if next > at || next == last {
                sentences.end_paragraph();
            }
            (from, at) = (end, next);
        }
        sentences.end_text();
        // Last, since it takes ends away whoever gave them.
        self.whole_words.keep(text, ends);
    }
}

/// Sentences on their way: a stretch without a word is joined to its neighbor. At any time the
/// sentences in `ends` tile the text up to `start`, and `start..seen` has no word.
#[derive(Debug)]
struct Sentences<'a> {
    text: &'a str,
    ends: &'a mut Vec<usize>,
    /// Where the next sentence begins.
    start: usize,
    /// What lies between has no word.
    seen: usize,
    /// Number of sentences before this paragraph.
    of_paragraph: usize,
}

impl Sentences<'_> {
    /// A sentence ends here, if it has a word.
    fn add(&mut self, end: usize) {
        if has_word(&self.text[self.seen..end]) {
            long::cut(self.text, self.start, end, self.ends);
            self.ends.push(end);
            self.start = end;
        } else if self.ends.len() > self.of_paragraph {
            self.extend(end);
        }
        self.seen = end;
    }

    /// The last sentence ends here instead. Without one, what follows takes it all.
    fn extend(&mut self, end: usize) {
        if let Some(last) = self.ends.last_mut() {
            *last = end;
            self.start = end;
        }
    }

    /// Signs at the beginning of a paragraph are joined to the sentence after them, those at its
    /// end to the one before. A paragraph of signs alone is joined to the sentence before it.
    fn end_paragraph(&mut self) {
        self.extend(self.seen);
        self.of_paragraph = self.ends.len();
    }

    /// Closes the last paragraph. A text without any word is one sentence, so that sentences always
    /// tile the text.
    fn end_text(&mut self) {
        self.end_paragraph();
        if self.start < self.text.len() {
            self.ends.push(self.text.len());
        }
    }
}

/// The sentence without white space around it; of white space alone nothing is left, at its end.
pub fn trimmed(text: &str, span: Span) -> Span {
    let sentence = &text[span.start..span.end];
    let start = span.end - sentence.trim_start().len();
    Span {
        start,
        end: start + sentence.trim().len(),
    }
}
