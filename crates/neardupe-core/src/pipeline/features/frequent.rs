//! The most frequent words of a collection, counted in a pass of their own.
//!
//! Words are kept as they are spelt, so that the list can be written out and used again.
//! Memory is bounded: of a large collection only a share of the documents is counted, those
//! that the hash of their text chooses, so that the answer depends neither on threads nor on
//! the order of the input. [`SAMPLE_BYTES`] of text say which words are frequent.

use crate::document::{BadRecord, Progress, Record, Sink, Source, check_cancelled};
use crate::error::{Error, Result};
use crate::hash::{self, FixedMap};
use crate::text::{WordOptions, WordReader, WordRule, WordSink};
use std::cmp::Reverse;
use std::sync::{Mutex, PoisonError};

/// Bytes of a source, as stored, whose documents are all counted. Of twice as much every
/// second one is, and so on.
pub const SAMPLE_BYTES: u64 = 256 << 20;
/// Most different words: about 300 MB. Natural text of a sample has a million or two.
const MAX_WORDS: usize = 1 << 22;
/// Words that a thread counts before it adds them to those of all.
const BATCH: usize = 1 << 15;
/// So that threads seldom wait for each other.
const SHARDS: usize = 64;

/// How often a word occurs, and the word, by its hash.
type Counts = FixedMap<u64, (u64, Box<str>)>;

/// What was counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrequentWords {
    /// The most frequent words, by falling number of occurrences, then as bytes.
    pub words: Vec<String>,
    /// One document in so many was counted.
    pub one_in: u64,
}

/// The `num` words that occur most often in the documents of a source, cut by `rule`; stop
/// words are words here, and nothing is cut to its stem.
pub fn frequent_words(
    source: &dyn Source,
    num: usize,
    rule: WordRule,
    threads: usize,
    progress: &dyn Progress,
) -> Result<FrequentWords> {
    let one_in = source.total_bytes().div_ceil(SAMPLE_BYTES).max(1);
    let words = count(source, num, rule, threads, one_in, progress)?;
    Ok(FrequentWords { words, one_in })
}

/// Counts the words of one document in so many.
fn count(
    source: &dyn Source,
    num: usize,
    rule: WordRule,
    threads: usize,
    one_in: u64,
    progress: &dyn Progress,
) -> Result<Vec<String>> {
    progress.begin("words", source.total_bytes());
    let shared = FrequentShared((0..SHARDS).map(|_| Mutex::default()).collect());
    let counter = || FrequentSink {
        reader: WordReader::new(rule, &WordOptions::default()),
        own: Own::default(),
        shared: &shared,
        one_in,
    };
    let mut counters: Vec<FrequentSink<'_>> =
        (0..threads.max(1)).map(|_| counter()).collect();
    for part in 0..source.num_parts()? {
        check_cancelled(progress)?;
        let sinks = counters.iter_mut().map(|one| one as &mut dyn Sink);
        source.read_part(part, sinks.collect(), progress)?;
    }
    for counter in &mut counters {
        shared.add(&mut counter.own.counts)?;
    }
    drop(counters);
    Ok(shared.most_frequent(num))
}

/// The counts of all threads, in parts by hash.
struct FrequentShared(Vec<Mutex<Counts>>);

impl FrequentShared {
    /// Takes the counts of a thread.
    fn add(&self, counts: &mut Counts) -> Result<()> {
        let mut batch: Vec<_> = counts.drain().collect();
        batch.sort_unstable_by_key(|(hash, _)| shard_of(*hash));
        for group in
            batch.chunk_by_mut(|(one, _), (other, _)| shard_of(*one) == shard_of(*other))
        {
            let shard = &self.0[shard_of(group[0].0)];
            let mut all = shard.lock().unwrap_or_else(PoisonError::into_inner);
            for (hash, (count, word)) in group {
                let entry = all.entry(*hash);
                let (total, _) = entry.or_insert_with(|| (0, std::mem::take(word)));
                *total += *count;
            }
            // Each shard by itself: that one is full does not depend on who came first.
            if all.len() > MAX_WORDS / SHARDS {
                return Err(Error::Limit {
                    what: "different words, to find the most frequent ones".to_owned(),
                    asked: (all.len() * SHARDS) as u64,
                    allowed: MAX_WORDS as u64,
                    remedy: "name a list with `antecedents FILE`".to_owned(),
                });
            }
        }
        Ok(())
    }

    /// The most frequent words, the most frequent first.
    fn most_frequent(self, num: usize) -> Vec<String> {
        let shards = self.0.into_iter();
        let shards = shards
            .map(|shard| shard.into_inner().unwrap_or_else(PoisonError::into_inner));
        let mut all: Vec<(u64, Box<str>)> =
            shards.flat_map(FixedMap::into_values).collect();
        all.sort_unstable_by(|(one, word), (other, next)| {
            (Reverse(one), word).cmp(&(Reverse(other), next))
        });
        all.truncate(num);
        all.into_iter().map(|(_, word)| word.into()).collect()
    }
}

/// The shard of a word.
fn shard_of(hash: u64) -> usize {
    (hash >> 58) as usize % SHARDS
}

/// Counts the words of one thread.
struct FrequentSink<'a> {
    reader: WordReader,
    own: Own,
    shared: &'a FrequentShared,
    one_in: u64,
}

/// What one thread has counted and not yet shared.
#[derive(Default)]
struct Own {
    counts: Counts,
    /// An ASCII word, folded.
    word: String,
}

impl WordSink for Own {
    fn ascii(&mut self, text: &[u8], start: usize, end: usize) {
        let mut word = std::mem::take(&mut self.word);
        word.clear();
        word.extend(text[start..end].iter().map(|byte| char::from(byte | 0x20)));
        self.folded(&word);
        self.word = word;
    }

    fn folded(&mut self, word: &str) {
        let entry = self.counts.entry(hash::word(word.as_bytes()));
        entry.or_insert_with(|| (0, word.into())).0 += 1;
    }
}

impl Sink for FrequentSink<'_> {
    fn document(&mut self, record: &Record<'_>) -> Result<()> {
        let chosen = hash::text(record.text).is_multiple_of(u128::from(self.one_in));
        if !chosen {
            return Ok(());
        }
        self.reader.read(record.text, &mut self.own);
        if self.own.counts.len() > BATCH {
            self.shared.add(&mut self.own.counts)?;
        }
        Ok(())
    }

    fn bad_record(&mut self, _: BadRecord) -> Result<()> {
        // The job itself reports it.
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{MemorySource, Silent};
    use crate::text::slow;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn most(pages: &[&str], num: usize, one_in: u64) -> Vec<String> {
        let pages = MemorySource::of_texts(pages.iter().copied());
        count(&pages, num, WordRule::Segmented, 2, one_in, &Silent).unwrap()
    }

    #[test]
    fn occurrences_are_counted_and_ties_are_by_bytes() {
        let pages = ["The cat, the DOG", "a cat; the 宪法宪法", "b"];
        assert_eq!(most(&pages, 3, 1), ["the", "cat", "宪法"]);
        assert_eq!(most(&pages, 5, 1), ["the", "cat", "宪法", "a", "b"]);
        assert_eq!(most(&pages, 100, 1).len(), 6);
        assert_eq!(most(&["", ".,"], 9, 1), [""; 0]);
    }

    #[test]
    fn a_share_of_the_documents_is_chosen_whatever_their_order() {
        let pages: Vec<String> = (0..200).map(|page| format!("w{page}")).collect();
        let mut pages: Vec<&str> = pages.iter().map(String::as_str).collect();
        let some = most(&pages, 1000, 4);
        assert!((20..100).contains(&some.len()), "{}", some.len());
        pages.reverse();
        assert_eq!(most(&pages, 1000, 4), some);
    }

    #[test]
    fn too_many_words_are_refused_and_told_of() {
        let shared = FrequentShared((0..SHARDS).map(|_| Mutex::default()).collect());
        // Small numbers: all of them go to the first shard.
        let add = |words: std::ops::Range<u64>| {
            let counts = words.map(|word| (word, (1, "".into())));
            shared.add(&mut counts.collect())
        };
        let room = (MAX_WORDS / SHARDS) as u64;
        add(0..room).unwrap();
        add(0..room).unwrap();
        let message = add(room..room + 1).unwrap_err().to_string();
        assert!(message.contains("`antecedents FILE`"), "{message}");
    }

    proptest! {
        #[test]
        fn words_are_those_of_the_definition(
            pages in prop::collection::vec("((The |a |is |rivers|, |é|中国|的|法律|。){0,12})", 0..6),
            num in 0usize..8,
            threads in 1usize..4,
        ) {
            let mut counts: BTreeMap<String, u64> = BTreeMap::new();
            for word in pages.iter().flat_map(|page| slow::segmented_words(page)) {
                *counts.entry(word).or_insert(0) += 1;
            }
            let mut expected: Vec<(String, u64)> = counts.into_iter().collect();
            expected.sort_by_key(|(_, count)| Reverse(*count));
            let expected = expected.into_iter().take(num).map(|(word, _)| word);
            let expected: Vec<String> = expected.collect();
            let source = MemorySource::of_texts(pages);
            let found =
                frequent_words(&source, num, WordRule::Segmented, threads, &Silent).unwrap();
            prop_assert_eq!(found.words, expected);
        }
    }
}
