//! N-grams of characters: N characters of the normalized text, starting at every character (Broder
//! et al., WWW 1997, call them shingles of letters). For text with wrong characters, such as OCR, and
//! for scripts without spaces: a wrong character changes N features of a few letters each, where it
//! would change N features of words.
//!
//! `grams:N` counts the one space between words as a character, `grams:N,nospace` drops it, so that
//! words that were joined or cut by mistake make no difference.

use super::definition::{
    Definition, FeatureMaker, FeatureSink, FeatureUsage, Make, TextMaker, number_after,
    with_hasher,
};
use super::texts::{ByText, FeatureText, TextKind, TextSink};
use crate::hash::{self, WordHasher};
use crate::text::{WordOptions, WordReader, WordSink};
use std::fmt;

/// `grams:N` and `grams:N,nospace`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grams {
    pub(super) len: u32,
    pub(super) no_space: bool,
}

/// What is typed after the number to drop the spaces.
const NO_SPACE: &str = ",nospace";

impl Definition for Grams {
    fn usage() -> FeatureUsage {
        FeatureUsage {
            typed: "grams:N[,nospace]",
            limits: "N from 1 to 1000",
            remark: "at every character",
        }
    }

    fn parse(typed: &str) -> Option<Self> {
        let without = typed.strip_suffix(NO_SPACE);
        number_after(without.unwrap_or(typed), "grams", 1000).map(|len| Grams {
            len,
            no_space: without.is_some(),
        })
    }

    #[cfg(test)]
    fn examples() -> &'static [&'static str] {
        &["grams:1", "grams:4", "grams:2,nospace", "grams:5,nospace"]
    }

    fn maker(&self, options: &WordOptions, seed: u64) -> Box<dyn FeatureMaker> {
        with_hasher!(options, hasher => GramMaker {
            reader: self.reader(options),
            joined: Joined {
                separator: if self.no_space { "" } else { " " },
                ..Joined::default()
            },
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
        let joined = words.join(if self.no_space { "" } else { " " });
        let chars: Vec<char> = joined.chars().collect();
        let grams = chars.windows(self.len as usize);
        let mut set: std::collections::BTreeSet<String> =
            grams.map(|gram| gram.iter().collect()).collect();
        if set.is_empty() && !joined.is_empty() {
            set.insert(joined);
        }
        set
    }
}

impl fmt::Display for Grams {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rest = if self.no_space { NO_SPACE } else { "" };
        write!(out, "grams:{}{rest}", self.len)
    }
}

impl TextKind for Grams {
    fn texts(&self, read: &mut FeatureText, _: &WordOptions, sink: &mut impl TextSink) {
        let FeatureText { words, key, .. } = read;
        key.clear();
        if self.no_space {
            for at in 0..words.num_words() {
                key.push_str(words.run(at, at + 1));
            }
        } else {
            key.push_str(words.run(0, words.num_words()));
        }
        if !stretches(key, self.len as usize, |gram| sink.text(gram)) {
            sink.text(key);
        }
        sink.end();
    }

    /// More than one feature begins at a word, unlike with other kinds.
    fn most(&self, read: &FeatureText) -> usize {
        match read.words.num_words() {
            0 => 1,
            // A stretch begins at each character at most: fewer than bytes.
            num_words => read.words.run(0, num_words).len() + 1,
        }
    }

    fn is_shorter(&self, read: &FeatureText) -> bool {
        // There is a word: whoever calls this has made sure.
        let words = 0..read.words.num_words();
        let chars = |at| read.words.run(at, at + 1).chars().count();
        let separators = if self.no_space { 0 } else { words.len() - 1 };
        words.map(chars).sum::<usize>() + separators < self.len as usize
    }
}

/// Gives each stretch of `len` characters to `emit`; whether there are any.
#[inline]
fn stretches<'t>(text: &'t str, len: usize, mut emit: impl FnMut(&'t str)) -> bool {
    let mut ends = text.char_indices().map(|(at, ch)| at + ch.len_utf8());
    // Two walks over the characters, `len` apart: `ends` is always at the end of the stretch that
    // begins at `start`. Each character is decoded twice, whatever `len` is.
    let Some(mut end) = ends.nth(len - 1) else {
        return false;
    };
    for (start, _) in text.char_indices() {
        emit(&text[start..end]);
        match ends.next() {
            Some(next) => end = next,
            // The last stretch ends with the text.
            None => break,
        }
    }
    true
}

/// Makes grams.
#[derive(Debug)]
struct GramMaker<H> {
    hasher: H,
    reader: WordReader,
    joined: Joined,
    len: usize,
    seed: u64,
}

/// The words of a text as one string, with the separator that the kind asks for.
#[derive(Debug, Default)]
struct Joined {
    text: String,
    num_words: usize,
    separator: &'static str,
}

impl Joined {
    /// Separates the next word from the one before.
    fn open_word(&mut self) {
        if self.num_words > 0 {
            self.text.push_str(self.separator);
        }
        self.num_words += 1;
    }
}

impl WordSink for Joined {
    fn ascii(&mut self, text: &[u8], start: usize, end: usize) {
        self.open_word();
        // Letters and digits alone, so this bit is lower case.
        let lower = text[start..end].iter().map(|byte| char::from(byte | 0x20));
        self.text.extend(lower);
    }

    fn folded(&mut self, word: &str) {
        self.open_word();
        self.text.push_str(word);
    }
}

impl<H: WordHasher> Make for GramMaker<H> {
    fn read(&mut self, text: &str) -> usize {
        self.joined.text.clear();
        self.joined.num_words = 0;
        self.reader.read(text, &mut self.joined);
        self.joined.num_words
    }

    fn most(&self) -> usize {
        // Bytes, not characters: an upper limit without counting.
        self.joined.text.len() + 1
    }

    #[inline(always)]
    fn make(&mut self, sink: &mut impl FeatureSink) {
        let (text, seed) = (self.joined.text.as_str(), self.seed);
        let hasher = &self.hasher;
        let hash = |gram: &str| hasher.bytes(gram.as_bytes(), seed);
        let any = stretches(text, self.len, |gram| sink.feature(hash(gram)));
        if !any && !text.is_empty() {
            // As a short text of `chars:N`: its length keeps it apart from every gram.
            sink.feature(hash::numbered(hash(text), text.len() as u64, seed));
        }
        sink.end();
    }

    fn is_shorter(&self) -> bool {
        let joined = &self.joined;
        joined.num_words > 0 && joined.text.chars().take(self.len).count() < self.len
    }
}
