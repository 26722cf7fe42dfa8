//! Word shingles: runs of N words (Broder et al., WWW 1997).
//!
//! The usual kind, and the inner loop of reading: a shingle costs N multiplications whatever the
//! length of its words ([`Multipliers`]). `words:N+M` has the shingles of both lengths in one set.

use super::definition::{
    Definition, FeatureMaker, FeatureSink, FeatureUsage, Make, TextMaker, Weighed,
    number, number_after, with_hasher,
};
use super::texts::{ByText, FeatureText, TextKind, TextSink};
use super::word_hashes::WordHashes;
use crate::hash::{self, Multipliers, WordHasher};
use crate::text::{WordOptions, WordReader};
use std::fmt;

/// Most words of a shingle.
const MOST: u32 = 64;

/// `words:N`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Words {
    pub(super) len: u32,
}

/// `words:N+M`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mixed {
    pub(super) short: u32,
    pub(super) long: u32,
}

impl Definition for Words {
    fn usage() -> FeatureUsage {
        FeatureUsage {
            typed: "words:N",
            limits: "N from 1 to 64",
            remark: "",
        }
    }

    fn parse(typed: &str) -> Option<Self> {
        number_after(typed, "words", MOST).map(|len| Words { len })
    }

    #[cfg(test)]
    fn examples() -> &'static [&'static str] {
        &["words:1", "words:2", "words:3", "words:5", "words:8"]
    }

    fn weighed(&self) -> Option<Weighed> {
        Some(Weighed::Runs(vec![self.len as usize]))
    }

    fn maker(&self, options: &WordOptions, seed: u64) -> Box<dyn FeatureMaker> {
        let reader = self.reader(options);
        with_hasher!(options, hasher => Shingler::new(reader, hasher, &[self.len], seed))
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
        slow(&[self.len], &super::laws::words(self, text, options))
    }
}

impl Definition for Mixed {
    fn usage() -> FeatureUsage {
        FeatureUsage {
            typed: "words:N+M",
            limits: "",
            remark: "both lengths",
        }
    }

    fn parse(typed: &str) -> Option<Self> {
        let (short, long) = typed.strip_prefix("words:")?.split_once('+')?;
        let (short, long) = (number(short, MOST)?, number(long, MOST)?);
        // One spelling for a pair of lengths; two equal ones would be `words:N`.
        (short < long).then_some(Mixed { short, long })
    }

    #[cfg(test)]
    fn examples() -> &'static [&'static str] {
        &["words:1+2", "words:3+5"]
    }

    fn weighed(&self) -> Option<Weighed> {
        Some(Weighed::Runs(vec![self.short as usize, self.long as usize]))
    }

    fn maker(&self, options: &WordOptions, seed: u64) -> Box<dyn FeatureMaker> {
        let reader = self.reader(options);
        let lens = [self.short, self.long];
        with_hasher!(options, hasher => Shingler::new(reader, hasher, &lens, seed))
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
        let lens = [self.short, self.long];
        slow(&lens, &super::laws::words(self, text, options))
    }
}

#[cfg(test)]
fn slow(lens: &[u32], words: &[String]) -> std::collections::BTreeSet<String> {
    let runs = |&len: &u32| words.windows(len as usize).map(|run| run.join(" "));
    super::laws::or_whole(lens.iter().flat_map(runs).collect(), words)
}

impl fmt::Display for Words {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "words:{}", self.len)
    }
}

impl fmt::Display for Mixed {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "words:{}+{}", self.short, self.long)
    }
}

impl TextKind for Words {
    fn texts(&self, read: &mut FeatureText, _: &WordOptions, sink: &mut impl TextSink) {
        runs_of_words(&[self.len], read, sink);
    }

    fn is_shorter(&self, read: &FeatureText) -> bool {
        read.words.num_words() < self.len as usize
    }
}

impl TextKind for Mixed {
    fn texts(&self, read: &mut FeatureText, _: &WordOptions, sink: &mut impl TextSink) {
        runs_of_words(&[self.short, self.long], read, sink);
    }

    fn lists(&self) -> usize {
        2
    }

    fn is_shorter(&self, read: &FeatureText) -> bool {
        read.words.num_words() < self.short as usize
    }
}

/// The texts of runs of words, length by length; of the shortest there is one in any case, the
/// whole text. Lengths that do not fit are skipped, as by [`fitting`], so the fast way gives as
/// many features.
fn runs_of_words(lens: &[u32], read: &FeatureText, sink: &mut impl TextSink) {
    let num_words = read.words.num_words();
    for (number, &len) in lens.iter().enumerate() {
        let len = len as usize;
        if len <= num_words {
            for at in 0..=num_words - len {
                sink.text(read.words.run(at, at + len));
            }
            sink.end();
        } else if number == 0 {
            sink.text(read.words.run(0, num_words));
            sink.end();
        }
    }
}

/// Makes word shingles of one or more lengths. The words are hashed once, whatever the number of
/// lengths.
#[derive(Debug)]
struct Shingler<H> {
    reader: WordReader,
    words: WordHashes<H>,
    /// One for each length, the shortest first.
    multipliers: Vec<Multipliers>,
    seed: u64,
}

impl<H: WordHasher> Shingler<H> {
    fn new(reader: WordReader, hasher: H, lens: &[u32], seed: u64) -> Self {
        let multipliers = lens
            .iter()
            .map(|&len| hasher.multipliers(seed, len as usize));
        Shingler {
            reader,
            multipliers: multipliers.collect(),
            seed: hasher.seed(seed),
            words: WordHashes::new(hasher),
        }
    }
}

impl<H: WordHasher> Make for Shingler<H> {
    fn read(&mut self, text: &str) -> usize {
        self.words.hashes.clear();
        self.reader.read(text, &mut self.words);
        self.words.hashes.len()
    }

    fn most(&self) -> usize {
        // One more per length: a text too short has one feature and no whole window.
        (self.words.hashes.len() + 1) * self.multipliers.len()
    }

    #[inline(always)]
    fn make(&mut self, sink: &mut impl FeatureSink) {
        let hashes = &self.words.hashes;
        // All shingles of one length, then all of the next: `end` separates them for winnowing.
        for multipliers in fitting(&self.multipliers, hashes.len()) {
            shingle(hashes, multipliers, self.seed, |one| sink.feature(one));
            sink.end();
        }
    }

    fn is_shorter(&self) -> bool {
        let num_words = self.words.hashes.len();
        num_words > 0 && num_words < self.multipliers[0].factors().len()
    }
}

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
    // Only the shortest length comes here with too few words: see `fitting`.
    if words.len() < len {
        if !words.is_empty() {
            emit(whole(words, seed));
        }
        return;
    }
    // The default, and the two lengths next to it in use, with the loop unrolled.
    if let Ok(factors) = <&[u64; 5]>::try_from(factors) {
        // The length is known to the compiler: no bounds checks, and the factors stay in registers.
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
    // The first is the shortest (`Mixed::parse` orders them).
    let fits = move |one: &Multipliers| one.factors().len() <= num_words;
    let fitting = move |&(number, one): &(usize, &Multipliers)| number == 0 || fits(one);
    all.iter().enumerate().filter(fitting).map(|(_, one)| one)
}

/// The one feature of a text too short for a shingle. Its number of words goes into the hash, so it
/// never equals a shingle of a longer text.
fn whole(words: &[u64], seed: u64) -> u64 {
    let joined = Multipliers::new(seed, words.len()).shingle(words);
    hash::numbered(joined, words.len() as u64, seed)
}
