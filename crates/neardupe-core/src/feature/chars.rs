//! Character shingles: N characters of the normalized text, starting at each word
//! (the waterloo thesis, section 3.1, with 64 characters).
//!
//! Characters are Unicode code points, and the space between two words is one of them. There are
//! as many shingles as words, less those that would reach beyond the end. [`Normalized`] also
//! serves every kind that is hashed by its text ([`texts`](super::texts)).

use super::definition::{
    Definition, FeatureMaker, FeatureSink, FeatureUsage, Make, TextMaker, number_after,
    with_hasher,
};
use super::texts::{ByText, FeatureText, TextKind, TextSink};
use crate::hash::{self, WordHasher};
use crate::text::{WordOptions, WordReader, WordSink};
use std::fmt;
use std::ops::Range;

/// `chars:N`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chars {
    pub(super) len: u32,
}

impl Definition for Chars {
    fn usage() -> FeatureUsage {
        FeatureUsage {
            typed: "chars:N",
            limits: "N from 1 to 1000",
            remark: "",
        }
    }

    fn parse(typed: &str) -> Option<Self> {
        number_after(typed, "chars", 1000).map(|len| Chars { len })
    }

    #[cfg(test)]
    fn examples() -> &'static [&'static str] {
        &["chars:3", "chars:7"]
    }

    fn maker(&self, options: &WordOptions, seed: u64) -> Box<dyn FeatureMaker> {
        with_hasher!(options, hasher => CharMaker {
            reader: self.reader(options),
            normalized: Normalized::default(),
            len: self.len as usize,
            seed: hasher.seed(seed),
            hasher,
        })
    }

    fn by_text(&self, options: &WordOptions, seed: u64) -> Box<dyn TextMaker> {
        Box::new(ByText::new(*self, options, seed))
    }

    #[cfg(test)]
    fn slow(
        &self,
        text: &str,
        options: &WordOptions,
    ) -> std::collections::BTreeSet<String> {
        let words = super::laws::words(self, text, options);
        let joined = words.join(" ");
        let (mut set, mut start) = (std::collections::BTreeSet::new(), 0);
        for word in &words {
            let rest: Vec<char> = joined[start..].chars().collect();
            if rest.len() >= self.len as usize {
                set.insert(rest[..self.len as usize].iter().collect());
            }
            start += word.len() + 1;
        }
        super::laws::or_whole(set, &words)
    }
}

impl fmt::Display for Chars {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "chars:{}", self.len)
    }
}

impl TextKind for Chars {
    fn texts(&self, read: &mut FeatureText, _: &WordOptions, sink: &mut impl TextSink) {
        let words = &read.words;
        let text = words.run(0, words.num_words());
        if !words.stretches(self.len as usize, |place| sink.text(&text[place])) {
            sink.text(text);
        }
        sink.end();
    }

    fn is_shorter(&self, read: &FeatureText) -> bool {
        !read.words.has_chars(self.len as usize)
    }
}

/// Makes character shingles.
#[derive(Debug)]
struct CharMaker<H> {
    hasher: H,
    reader: WordReader,
    normalized: Normalized,
    len: usize,
    seed: u64,
}

impl<H: WordHasher> Make for CharMaker<H> {
    fn read(&mut self, text: &str) -> usize {
        self.normalized.clear();
        self.reader.read(text, &mut self.normalized);
        self.normalized.num_words()
    }

    fn most(&self) -> usize {
        self.normalized.num_words() + 1
    }

    #[inline(always)]
    fn make(&mut self, sink: &mut impl FeatureSink) {
        let emit = |one| sink.feature(one);
        self.normalized
            .shingle(&self.hasher, self.len, self.seed, emit);
        sink.end();
    }

    fn is_shorter(&self) -> bool {
        self.normalized.num_words() > 0 && !self.normalized.has_chars(self.len)
    }
}

/// The normalized text: words in lower case, joined by one space, and where each begins.
#[derive(Debug, Default)]
pub(super) struct Normalized {
    text: String,
    starts: Vec<usize>,
}

impl Normalized {
    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.starts.clear();
    }

    pub(super) fn num_words(&self) -> usize {
        self.starts.len()
    }

    /// Begins a word, after a space if there is one before it.
    fn open_word(&mut self) {
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        self.starts.push(self.text.len());
    }

    /// The words `first..end` with what is between them; there is one.
    pub(super) fn run(&self, first: usize, end: usize) -> &str {
        let end = match self.starts.get(end) {
            // Without the space before the next word.
            Some(next) => next - 1,
            None => self.text.len(),
        };
        &self.text[self.starts[first]..end]
    }

    /// Whether there are so many characters; counts no more than that.
    pub(super) fn has_chars(&self, len: usize) -> bool {
        self.text.chars().take(len).count() == len
    }

    /// Gives the shingle at each word to `emit`; one for the whole text when it is short.
    fn shingle(
        &self,
        hasher: &impl WordHasher,
        len: usize,
        seed: u64,
        mut emit: impl FnMut(u64),
    ) {
        let bytes = self.text.as_bytes();
        let any = self.stretches(len, |place| emit(hasher.bytes(&bytes[place], seed)));
        if !any && !bytes.is_empty() {
            let hash = hasher.bytes(bytes, seed);
            // Its length keeps it apart from a shingle of a longer text.
            emit(hash::numbered(hash, bytes.len() as u64, seed));
        }
    }

    /// Gives the places of `len` characters at each word to `emit`, in bytes; whether there are
    /// any. Linear in the text whatever `len` is: `end` and `counted_from` only move forward, so
    /// each byte is looked at twice at most.
    #[inline]
    pub(super) fn stretches(
        &self,
        len: usize,
        mut emit: impl FnMut(Range<usize>),
    ) -> bool {
        let bytes = self.text.as_bytes();
        let mut any = false;
        // `end` is where the shingle of the current word ends; it only moves forward.
        let mut end = 0;
        let mut chars = 0;
        let mut counted_from = 0;
        for &start in &self.starts {
            // Characters of `counted_from..end` less those before this word.
            if end <= start {
                // The shingle before, of a long word, ended ahead of this one: counting begins
                // anew.
                (chars, end) = (0, start);
            } else {
                chars -= char_count(&bytes[counted_from..start]);
            }
            counted_from = start;
            while chars < len && end < bytes.len() {
                end += 1;
                while end < bytes.len() && is_continuation(bytes[end]) {
                    end += 1;
                }
                chars += 1;
            }
            // The text ends here: no later word has so many characters after it either.
            if chars < len {
                break;
            }
            emit(start..end);
            any = true;
        }
        any
    }
}

/// Number of characters that begin in a stretch.
fn char_count(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| !is_continuation(byte)).count()
}

/// Whether a byte is one of UTF-8 after the first of its character.
fn is_continuation(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

impl WordSink for Normalized {
    fn ascii(&mut self, text: &[u8], start: usize, end: usize) {
        self.open_word();
        // Letters and digits alone: this bit makes a letter small and is set in every digit.
        let lower = text[start..end].iter().map(|byte| char::from(byte | 0x20));
        self.text.extend(lower);
    }

    fn folded(&mut self, word: &str) {
        self.open_word();
        self.text.push_str(word);
    }
}
