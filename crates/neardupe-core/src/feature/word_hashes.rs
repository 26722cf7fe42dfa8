//! The words of a text as hashes, without copying or folding a byte of ASCII.

use crate::hash;
use crate::text::WordSink;

/// Collects one hash a word.
#[derive(Debug, Default)]
pub(super) struct WordHashes {
    pub(super) hashes: Vec<u64>,
}

/// Every ASCII letter and digit has its lower-case form when this bit is set.
const LOWER: u64 = 0x2020_2020_2020_2020;

impl WordSink for WordHashes {
    #[inline(always)]
    fn ascii(&mut self, text: &[u8], start: usize, end: usize) {
        self.hashes.push(ascii_word(text, start, end));
    }

    fn folded(&mut self, word: &str) {
        self.hashes.push(hash::word(word.as_bytes()));
    }
}

/// The hash of the ASCII word at `start..end` of a text, folded. It is called for every word: as a
/// call of its own, which the compiler makes of it when its neighbors change, it costs 6 % of
/// all instructions of a job.
#[inline(always)]
pub(crate) fn ascii_word(text: &[u8], start: usize, end: usize) -> u64 {
    let len = end - start;
    match text.get(start..start + 16) {
        // Sixteen bytes of the text can be read, whatever follows the word: nearly every word.
        // Bytes after the word are cut off by the mask, so a word has the same hash wherever it
        // stands; `long_word` and [`hash::word`] give the same value (a property test compares
        // them).
        Some(sixteen) if len <= 16 => {
            if len <= 8 {
                hash::word_start(lowered(sixteen, 0, len))
            } else {
                let first = hash::word_start(lowered(sixteen, 0, 8));
                // 9 to 16 bytes: two loads.
                hash::word_more(first, lowered(sixteen, 8, len - 8))
            }
        }
        _ => long_word(&text[start..end]),
    }
}

/// The `len` bytes (1 to 8) at `at`, in lower case, zero-padded.
#[inline(always)]
fn lowered(sixteen: &[u8], at: usize, len: usize) -> u64 {
    let mut eight = [0; 8];
    eight.copy_from_slice(&sixteen[at..at + 8]);
    // Little endian: the first byte of the word is the lowest, so the mask keeps the low `len`
    // bytes. `LOWER` is masked too, or padding would not be zero.
    let mask = u64::MAX >> (64 - 8 * len);
    (u64::from_le_bytes(eight) | LOWER) & mask
}

/// A word that is long, or that stands at the very end of the text.
#[inline(never)]
fn long_word(word: &[u8]) -> u64 {
    let mut chunks = word.chunks(8).map(|chunk| {
        let mut eight = [0; 8];
        eight[..chunk.len()].copy_from_slice(chunk);
        // Padding stays 0, unlike with `LOWER`.
        eight.make_ascii_lowercase();
        u64::from_le_bytes(eight)
    });
    let start = hash::word_start(chunks.next().unwrap_or(0));
    chunks.fold(start, hash::word_more)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Segmenter, slow, words};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn hashes_are_those_of_the_normalised_words(
            text in "([a-zA-Z0-9]{1,40}[ .]|[éÜß中]{0,2}| ){0,20}"
        ) {
            let mut fast = WordHashes::default();
            words(&text, &Segmenter::default(), &mut fast);
            let words = slow::words(&text);
            let slow: Vec<u64> =
                words.iter().map(|word| hash::word(word.as_bytes())).collect();
            prop_assert_eq!(fast.hashes, slow);
        }
    }
}
