//! The words of a text as hashes, without copying or folding a byte of ASCII.

use crate::hash::{PublicWords, WordHasher};
use crate::text::WordSink;

/// Collects one hash a word.
#[derive(Debug, Default)]
pub(super) struct WordHashes<H = PublicWords> {
    pub(super) hasher: H,
    pub(super) hashes: Vec<u64>,
}

impl<H> WordHashes<H> {
    /// None yet.
    pub(super) fn new(hasher: H) -> Self {
        WordHashes {
            hasher,
            hashes: Vec::new(),
        }
    }
}

/// Every ASCII letter and digit has its lower-case form when this bit is set.
const LOWER: u64 = 0x2020_2020_2020_2020;

impl<H: WordHasher> WordSink for WordHashes<H> {
    #[inline(always)]
    fn ascii(&mut self, text: &[u8], start: usize, end: usize) {
        self.hashes.push(ascii_word(&self.hasher, text, start, end));
    }

    fn folded(&mut self, word: &str) {
        self.hashes.push(self.hasher.word(word.as_bytes()));
    }
}

/// The hash of the ASCII word at `start..end` of a text, folded. It is called for every word: as a
/// call of its own, which the compiler makes of it when its neighbors change, it costs 6 % of
/// all instructions of a job.
#[inline(always)]
pub(crate) fn ascii_word<H: WordHasher>(
    hasher: &H,
    text: &[u8],
    start: usize,
    end: usize,
) -> u64 {
    let len = end - start;
    match text.get(start..start + 16) {
        // Sixteen bytes of the text can be read, whatever follows the word: nearly every word.
        // Bytes after the word are cut off by the mask, so a word has the same hash wherever it
        // stands; `long_word` and [`WordHasher::word`] give the same value (a property test compares
        // them).
        Some(sixteen) if len <= 16 => {
            if len <= 8 {
                hasher.done(hasher.first(lowered(sixteen, 0, len)))
            } else {
                let first = hasher.first(lowered(sixteen, 0, 8));
                // 9 to 16 bytes: two loads.
                hasher.done(hasher.next(first, 1, lowered(sixteen, 8, len - 8)))
            }
        }
        _ => long_word(hasher, &text[start..end]),
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
fn long_word<H: WordHasher>(hasher: &H, word: &[u8]) -> u64 {
    let mut chunks = word.chunks(8).map(|chunk| {
        let mut eight = [0; 8];
        eight[..chunk.len()].copy_from_slice(chunk);
        // Padding stays 0, unlike with `LOWER`.
        eight.make_ascii_lowercase();
        u64::from_le_bytes(eight)
    });
    let first = hasher.first(chunks.next().unwrap_or(0));
    let numbered = (1..).zip(chunks);
    hasher.done(numbered.fold(first, |state, (number, block)| {
        hasher.next(state, number, block)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::{HashKey, KeyedWords};
    use crate::text::{Segmenter, slow, words};
    use proptest::prelude::*;

    fn hashes<H: WordHasher>(hasher: H, text: &str) -> [Vec<u64>; 2] {
        let mut fast = WordHashes::new(hasher.clone());
        words(text, &Segmenter::default(), &mut fast);
        let words = slow::words(text);
        let slow = words.iter().map(|word| hasher.word(word.as_bytes()));
        [fast.hashes, slow.collect()]
    }

    proptest! {
        #[test]
        fn hashes_are_those_of_the_normalised_words(
            text in "([a-zA-Z0-9]{1,40}[ .]|[a-z]{120,300}|[éÜß中]{0,2}| ){0,20}",
            key in any::<u128>(),
        ) {
            let [fast, slow] = hashes(PublicWords, &text);
            prop_assert_eq!(fast, slow);
            let [fast, slow] = hashes(KeyedWords::new(HashKey::new(key)), &text);
            prop_assert_eq!(fast, slow);
        }
    }
}
