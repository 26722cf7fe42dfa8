//! Word shingles: runs of N words (Broder et al., WWW 1997).

use crate::hash::{self, Multipliers};

/// Gives the shingle at each word to `emit`; one for the whole text when it is short.
#[inline]
pub(super) fn shingle(
    words: &[u64],
    multipliers: &Multipliers,
    seed: u64,
    mut emit: impl FnMut(u64),
) {
    let factors = multipliers.factors();
    let len = factors.len();
    if words.len() < len {
        if !words.is_empty() {
            emit(whole(words, seed));
        }
        return;
    }
    // The default, and the two lengths next to it in use, with the loop unrolled.
    if let Ok(factors) = <&[u64; 5]>::try_from(factors) {
        for window in words.array_windows::<5>() {
            emit(multipliers.shingle_of(window, factors));
        }
    } else if let Ok(factors) = <&[u64; 8]>::try_from(factors) {
        for window in words.array_windows::<8>() {
            emit(multipliers.shingle_of(window, factors));
        }
    } else {
        for window in words.windows(len) {
            emit(multipliers.shingle(window));
        }
    }
}

/// The lengths of shingles that a text of this many words has: the shortest in any case.
pub(super) fn fitting(
    all: &[Multipliers],
    num_words: usize,
) -> impl Iterator<Item = &Multipliers> {
    let fits = move |one: &Multipliers| one.factors().len() <= num_words;
    let fitting = move |&(number, one): &(usize, &Multipliers)| number == 0 || fits(one);
    all.iter().enumerate().filter(fitting).map(|(_, one)| one)
}

/// The one feature of a text too short for a shingle.
fn whole(words: &[u64], seed: u64) -> u64 {
    let joined = Multipliers::new(seed, words.len()).shingle(words);
    hash::numbered(joined, words.len() as u64, seed)
}
