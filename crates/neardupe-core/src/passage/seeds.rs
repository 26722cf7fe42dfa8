//! Seeds of a text: what it may share with another one that has a passage of it.
//!
//! Of the runs of eight words a few are taken by winnowing (Schleimer, Wilkerson and Aiken,
//! SIGMOD 2003): in every stretch of [`WINDOW`] runs the one with the smallest hash. How many
//! words two texts must have in common to share a seed for certain is [`words_for`]; of those
//! that have only eight in common some do. A run that begins with an ideograph has [`LONG_RUN`]
//! words: eight ideographs are a phrase that stands in every law. Whole sentences are seeds too,
//! also short ones.
//!
//! Which runs are seeds depends on the words within the window alone, never on the place in the
//! text: this is why the same words give the same seeds in two texts.

use super::cut::{is_alone, weight};
use crate::hash::{self, mix};

/// Words of a run.
pub const RUN: usize = 8;
/// Words of a run that begins with an ideograph.
pub const LONG_RUN: usize = 13;
/// Among so many runs in a row one at least is a seed.
pub const WINDOW: usize = 4;
/// Seeds that two texts have in common at least, or they are not compared: a single one is nearly
/// always a phrase.
pub const FEWEST_SEEDS: u32 = 2;
/// What the shortest sentence that is a seed weighs, in tenths of words.
pub const SHORTEST_SENTENCE: u64 = 50;

/// The number in whose powers the words of a run are added up.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;
/// Keeps sentences apart from other numbered hashes.
const SENTENCE_SEED: u64 = 0x73_656e_7465_6e63;

/// The two kinds of seeds, which the lowest bit of a seed distinguishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeedKind {
    /// A run of words.
    Run,
    /// A sentence.
    Sentence,
}

/// The sum of the words of a run in powers of a base. That of the next run follows from it, so
/// that a run costs two multiplications and not one for each word.
struct Rolling {
    len: usize,
    sum: u64,
    /// Power of the base that a word has when it leaves.
    last: u64,
}

impl Rolling {
    /// The run that begins with the first word.
    fn new(words: &[u32], len: usize) -> Self {
        let add =
            |sum: u64, &word: &u32| sum.wrapping_mul(BASE).wrapping_add(u64::from(word));
        Rolling {
            len,
            // A text shorter than a run has a sum too; `hash` does not look at it.
            sum: words.iter().take(len).fold(0, add),
            last: (1..len).fold(1, |power: u64, _| power.wrapping_mul(BASE)),
        }
    }

    /// From the run that begins at a place to the next one.
    #[inline]
    fn advance(&mut self, words: &[u32], start: usize) {
        if let Some(&next) = words.get(start + self.len) {
            // All modulo 2^64: wrapping subtraction takes off exactly what was added.
            // Without a next word no run begins there, and the sum is not needed any
            // more.
            let gone = u64::from(words[start]).wrapping_mul(self.last);
            let rest = self.sum.wrapping_sub(gone).wrapping_mul(BASE);
            self.sum = rest.wrapping_add(u64::from(next));
        }
    }

    /// Hash of the run that begins at a place; the largest when too few words are left.
    #[inline]
    fn hash(&self, words: &[u32], start: usize) -> u64 {
        if start + self.len > words.len() {
            return NO_RUN;
        }
        // Runs are even and sentences odd, so that they never meet. Mixed, since winnowing takes the
        // smallest, and sums of runs that differ in their last word alone are near each other.
        mix(self.sum) & !1
    }
}

/// The hash of a run for which too few words are left: never the smallest of a window that has a run.
/// No run has it, since the hash of a run is even.
const NO_RUN: u64 = u64::MAX;

/// Common words in a row that surely give so many common seeds, whatever is around them, when runs
/// have `run` words. A window within the common words chooses the same run in both texts. Windows
/// that overlap may choose the same run, so each seed needs a window of its own.
pub const fn words_for(num_seeds: u32, run: usize) -> usize {
    num_seeds as usize * WINDOW + run - 1
}

/// Hash of a sentence.
pub fn sentence_hash(words: &[u32]) -> u64 {
    let start = hash::numbered(SENTENCE_SEED, words.len() as u64, 0);
    let all = words
        .iter()
        .fold(start, |hash, &word| hash::word_more(hash, u64::from(word)));
    all | 1
}

/// Whether a seed is a sentence.
pub fn kind_of(seed: u64) -> SeedKind {
    match seed & 1 {
        0 => SeedKind::Run,
        _ => SeedKind::Sentence,
    }
}

/// Calls `emit` with each seed of a text and the number of its first word. `sentence_words` is
/// the number of words up to the end of each sentence.
pub fn seeds(words: &[u32], sentence_words: &[u32], mut emit: impl FnMut(u64, u32)) {
    let mut start = 0;
    for &end in sentence_words {
        let (from, to) = (start as usize, end as usize);
        if weight(&words[from..to]) >= SHORTEST_SENTENCE {
            emit(sentence_hash(&words[from..to]), start);
        }
        start = end;
    }
    winnow(words, emit);
}

/// The runs that are seeds: in each window the smallest, the last of equal ones.
fn winnow(words: &[u32], emit: impl FnMut(u64, u32)) {
    let mut short = Rolling::new(words, RUN);
    // Most texts have no such word: they pay for one rolling sum, and the choice of the length
    // stays outside the loop.
    if !words.iter().any(|&word| is_alone(word)) {
        return winnow_by(words.len(), emit, |start| {
            let hash = short.hash(words, start);
            short.advance(words, start);
            hash
        });
    }
    let mut long = Rolling::new(words, LONG_RUN);
    winnow_by(words.len(), emit, |start| {
        // Decided by the first word of the run alone, so that the same words make the same
        // run whatever stands around them. Both sums must advance at every word.
        let hash = if is_alone(words[start]) {
            long.hash(words, start)
        } else {
            short.hash(words, start)
        };
        short.advance(words, start);
        long.advance(words, start);
        hash
    });
}

/// The same with the hash of each run, which is asked for in order: the rolling sums advance as
/// they are read. Tests compare it with the plain definition of winnowing.
#[inline]
fn winnow_by(
    num_words: usize,
    mut emit: impl FnMut(u64, u32),
    mut hash_of: impl FnMut(usize) -> u64,
) {
    // Two pairs are a window of four: another length needs another way.
    const { assert!(WINDOW == 4) }
    // Of two runs the one with the smaller hash, of equal ones the later. Which it is cannot be
    // foreseen, so no branch depends on it: the least of four is the least of two pairs.
    let least = |one: (u64, u32), later: (u64, u32)| {
        if later.0 <= one.0 { later } else { one }
    };
    const NONE: (u64, u32) = (NO_RUN, 0);
    // The last run, and the lesser ones of the pairs that end with the last and the one before.
    let (mut last, mut pair_before, mut last_pair) = (NONE, NONE, NONE);
    let mut smallest = NONE;
    let mut given = None;
    for (place, start) in (0u32..).zip(0..num_words) {
        // A run that would reach beyond the end has the largest hash: none is taken for it.
        let run = (hash_of(start), place);
        let pair = least(last, run);
        smallest = least(pair_before, pair);
        (last, pair_before, last_pair) = (run, last_pair, pair);
        // Windows that choose the same run as the one before give it once.
        let is_full = place as usize + 1 >= WINDOW;
        if is_full && smallest.0 != NO_RUN && given != Some(smallest.1) {
            given = Some(smallest.1);
            emit(smallest.0, smallest.1);
        }
    }
    // A text too short for a window has one seed all the same.
    if smallest.0 != NO_RUN && given.is_none() {
        emit(smallest.0, smallest.1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Hash of the run at the beginning, the largest when too few words are there.
    fn run_hash(words: &[u32]) -> u64 {
        let len = if is_alone(words[0]) { LONG_RUN } else { RUN };
        let Some(run) = words.get(..len) else {
            return NO_RUN;
        };
        let mut sum = 0u64;
        for &word in run {
            sum = sum.wrapping_mul(BASE).wrapping_add(word.into());
        }
        mix(sum) & !1
    }

    fn slow(words: &[u32]) -> Vec<(u64, u32)> {
        let run = |at: usize| run_hash(&words[at..]);
        let runs: Vec<u64> = (0..words.len()).map(run).collect();
        let mut found = std::collections::BTreeSet::new();
        let len = runs.len().min(WINDOW);
        if len == 0 {
            return Vec::new();
        }
        for start in 0..=runs.len() - len {
            let least = runs[start..start + len].iter().min().unwrap();
            let at = (start..start + len).rev().find(|&at| runs[at] == *least);
            if *least != NO_RUN {
                found.insert(at.unwrap());
            }
        }
        let places = found.into_iter();
        places
            .map(|at| (runs[at], u32::try_from(at).unwrap()))
            .collect()
    }

    proptest! {
        #[test]
        fn winnowing_takes_the_least_of_every_window(
            words in prop::collection::vec(0u32..4, 0..60)
        ) {
            let mut fast = Vec::new();
            winnow(&words, |seed, at| fast.push((seed, at)));
            prop_assert_eq!(fast, slow(&words));
        }

        #[test]
        fn long_common_stretches_share_seeds(
            before in prop::collection::vec(any::<u32>(), 0..30),
            other in prop::collection::vec(any::<u32>(), 0..30),
            common in prop::collection::vec(any::<u32>(), words_for(4, LONG_RUN)),
            after in prop::collection::vec(any::<u32>(), 0..30),
            num_seeds in 1u32..5,
            has_ideographs in any::<bool>(),
        ) {
            let run = if has_ideographs { LONG_RUN } else { RUN };
            let common: Vec<u32> = common[..words_for(num_seeds, run)]
                .iter()
                .map(|&word| if has_ideographs { word } else { word & !1 })
                .collect();
            let seeds_of = |words: &[u32]| {
                let mut found = Vec::new();
                winnow(words, |seed, _| found.push(seed));
                found
            };
            let one = [&before[..], &common, &after].concat();
            let two = [&other[..], &common].concat();
            let (one, two) = (seeds_of(&one), seeds_of(&two));
            let shared = one.iter().filter(|seed| two.contains(seed)).count();
            prop_assert!(shared >= num_seeds as usize);
        }
    }

    #[test]
    fn sentences_are_told_from_runs() {
        let words: Vec<u32> = (0..20).map(|word| word * 2).collect();
        let mut found = Vec::new();
        seeds(&words, &[4, 10, 20], |seed, at| {
            found.push((kind_of(seed), at))
        });
        let sentences: Vec<u32> = found
            .iter()
            .filter(|(kind, _)| *kind == SeedKind::Sentence)
            .map(|&(_, at)| at)
            .collect();
        // The first is too short.
        assert_eq!(sentences, [4, 10]);
        assert!(found.len() > 2);
    }
}
