//! Terms: each word with the number of its occurrence, a multiset as a set
//! (the mapdupreducer paper, section 2.1).
//!
//! The third "the" of a text is the feature (the, 3), so two texts share it when both have the
//! word three times or more: the overlap of the sets is the overlap of the multisets.

use super::definition::{
    Definition, FeatureMaker, FeatureSink, FeatureUsage, Make, TextMaker, Weighed,
    with_hasher,
};
use super::texts::{ByText, FeatureText, TextKind, TextSink};
use super::word_hashes::WordHashes;
use crate::hash;
use crate::hash::{FixedMap, WordHasher};
use crate::text::{WordOptions, WordReader, WordRule};
use std::fmt;

/// `terms`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Terms {}

impl Definition for Terms {
    fn usage() -> FeatureUsage {
        FeatureUsage {
            typed: "terms",
            limits: "",
            remark: "",
        }
    }

    fn parse(typed: &str) -> Option<Self> {
        (typed == "terms").then_some(Terms {})
    }

    #[cfg(test)]
    fn examples() -> &'static [&'static str] {
        &["terms"]
    }

    /// Terms stand by themselves, so they are words of dictionaries.
    fn usual_rule(&self) -> WordRule {
        WordRule::Segmented
    }

    fn weighed(&self) -> Option<Weighed> {
        Some(Weighed::Words)
    }

    fn maker(&self, options: &WordOptions, seed: u64) -> Box<dyn FeatureMaker> {
        with_hasher!(options, hasher => TermMaker {
            reader: self.reader(options),
            seed: hasher.seed(seed),
            words: WordHashes::new(hasher),
            occurrences: FixedMap::default(),
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
        let numbered = words.iter().enumerate().map(|(at, word)| {
            let before = words[..at].iter().filter(|&other| other == word);
            format!("{word} {}", before.count() + 1)
        });
        numbered.collect()
    }
}

impl fmt::Display for Terms {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("terms")
    }
}

impl TextKind for Terms {
    /// A word and the number of its occurrence after a space.
    fn texts(&self, read: &mut FeatureText, _: &WordOptions, sink: &mut impl TextSink) {
        let FeatureText {
            words, key, counts, ..
        } = read;
        counts.clear();
        for at in 0..words.num_words() {
            let word = words.run(at, at + 1);
            // `entry_ref` copies a word at its first occurrence only.
            let count = counts.entry_ref(word).or_insert(0);
            *count += 1;
            key.clear();
            key.push_str(word);
            key.push(' ');
            key.push_str(&count.to_string());
            sink.text(key);
        }
        sink.end();
    }

    /// Only first occurrences count documents. No word has a space, so the number is all after the
    /// last one.
    fn is_counted(&self, text: &str) -> bool {
        text.ends_with(" 1")
    }

    fn label(&self, text: &str) -> String {
        match text.rsplit_once(' ') {
            Some((word, "1")) => word.to_owned(),
            Some((word, more)) => format!("{word} ({more}.)"),
            None => text.to_owned(),
        }
    }

    fn is_shorter(&self, _: &FeatureText) -> bool {
        false
    }
}

/// Makes terms. `occurrences` counts each word of one document.
#[derive(Debug)]
struct TermMaker<H> {
    reader: WordReader,
    words: WordHashes<H>,
    occurrences: FixedMap<u64, u64>,
    seed: u64,
}

impl<H: WordHasher> Make for TermMaker<H> {
    fn read(&mut self, text: &str) -> usize {
        self.words.hashes.clear();
        self.reader.read(text, &mut self.words);
        self.words.hashes.len()
    }

    fn most(&self) -> usize {
        self.words.hashes.len() + 1
    }

    #[inline(always)]
    fn make(&mut self, sink: &mut impl FeatureSink) {
        let emit = |one| sink.feature(one);
        terms(&self.words.hashes, &mut self.occurrences, self.seed, emit);
        sink.end();
    }

    /// Each term as the feature of its first occurrence.
    fn make_counted(&mut self, sink: &mut impl FeatureSink) {
        for &word in &self.words.hashes {
            sink.feature(hash::numbered(word, 1, self.seed));
        }
        sink.end();
    }

    fn is_shorter(&self) -> bool {
        false
    }
}

/// Gives a feature for each word and occurrence to `emit`, in the order of the text.
fn terms(
    words: &[u64],
    seen: &mut FixedMap<u64, u64>,
    seed: u64,
    mut emit: impl FnMut(u64),
) {
    // Keeps its room: documents of one collection have similar numbers of words.
    seen.clear();
    for &word in words {
        let occurrence = seen.entry(word).or_insert(0);
        // Numbers count from 1; `make_counted` and `Weighed::Words` rely on the first being 1.
        *occurrence += 1;
        emit(hash::numbered(word, *occurrence, seed));
    }
}
