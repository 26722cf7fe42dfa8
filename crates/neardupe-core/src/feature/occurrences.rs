//! Every occurrence of every feature, with its place and the marks of its words: weights of
//! simhashes are made of them (`signature/weights`).
//!
//! The features are those that [`Extractor`](super::Extractor) gives for the same text, with
//! repetitions; so frequencies that were counted over sets apply to them.

use super::definition::Weighed;
use super::kind::FeatureKind;
use super::word_hashes::WordHashes;
use super::words;
use crate::document::{RegionKind, Span};
use crate::error::{Error, Result};
use crate::hash::{self, FeatureHash, FixedSet, Multipliers};
use crate::numbers::saturated;
use crate::text::{WordOptions, WordReader, WordSink};

/// One occurrence of a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occurrence {
    /// The feature; of terms that of the first occurrence, as a set has it.
    pub feature: u64,
    /// Number of its first word, from 0.
    pub place: u32,
    /// It begins in tagged text.
    pub tagged: bool,
    /// One of its words has a digit, or is the name of a month or of a day.
    pub dated: bool,
}

/// Reads occurrences, reusing its buffers from document to document.
#[derive(Debug)]
pub struct OccurrenceReader {
    weighed: Weighed,
    seed: u64,
    reader: WordReader,
    multipliers: Vec<Multipliers>,
    words: MarkedWords,
    cuts: Vec<usize>,
    /// First word of each stretch of the text, and whether it is tagged.
    stretches: Vec<(usize, bool)>,
}

impl OccurrenceReader {
    /// A reader of this kind of features. Neither runs of characters or lines nor spot signatures
    /// are weighed.
    pub fn new(kind: FeatureKind, options: &WordOptions, seed: u64) -> Result<Self> {
        let Some(weighed) = kind.weighed() else {
            let message = "weights are for terms, words:N and words:N+M";
            return Err(Error::config("features", message));
        };
        if options.hash != FeatureHash::Multilinear {
            let message = "weights are for the features of `hash multilinear`";
            return Err(Error::config("hash", message));
        }
        Ok(OccurrenceReader {
            seed,
            reader: kind.reader(options),
            multipliers: match &weighed {
                Weighed::Words => Vec::new(),
                Weighed::Runs(lens) => {
                    let lens = lens.iter();
                    lens.map(|&len| Multipliers::new(seed, len)).collect()
                }
            },
            weighed,
            words: MarkedWords::new(),
            cuts: Vec::new(),
            stretches: Vec::new(),
        })
    }

    /// Appends all occurrences in `text`; some spans of it are tagged. Returns the number of words.
    pub fn read(
        &mut self,
        text: &str,
        tagged: &[Span],
        occurrences: &mut Vec<Occurrence>,
    ) -> usize {
        self.read_words(text, tagged);
        let hashes = &self.words.words.hashes;
        let mut add = |at: usize, len: usize, feature: u64| {
            let dated = &self.words.dated;
            let end = dated.len().min(at + len);
            occurrences.push(Occurrence {
                feature,
                // Weights by place fall or repeat slowly: places beyond 2^32 count as the last.
                place: saturated(at),
                tagged: is_tagged(&self.stretches, at),
                dated: dated[at..end].contains(&true),
            });
        };
        // Every occurrence of a word counts for the same feature here, where the set of a document
        // has a feature for each.
        if self.weighed == Weighed::Words {
            for (at, &word) in hashes.iter().enumerate() {
                add(at, 1, hash::numbered(word, 1, self.seed));
            }
        }
        for multipliers in words::fitting(&self.multipliers, hashes.len()) {
            let len = multipliers.factors().len();
            // Shingles come one per word, in order, so their number is their place.
            let mut at = 0;
            words::shingle(hashes, multipliers, self.seed, |feature| {
                add(at, len, feature);
                at += 1;
            });
        }
        hashes.len()
    }

    /// Reads the words, and which stretches of them are tagged. The text is cut at the borders of
    /// spans, moved to places where no word is cut: tags change no word.
    fn read_words(&mut self, text: &str, tagged: &[Span]) {
        self.words.clear();
        self.stretches.clear();
        if tagged.is_empty() {
            self.reader.read(text, &mut self.words);
            return;
        }
        self.cuts.clear();
        for span in tagged {
            self.cuts.push(between_words(text, span.start));
            self.cuts.push(between_words(text, span.end));
        }
        // `read_cut` needs ascending places. Spans may touch, overlap or lie within each other
        // (bold text in a heading).
        self.cuts.sort_unstable();
        self.cuts.dedup();
        let within = |at: usize| {
            let mut spans = tagged.iter();
            // A border inside of a word was moved behind it.
            spans.any(|span| span.start <= at && at < span.end)
        };
        let stretches = &mut self.stretches;
        self.reader
            .read_cut(text, &self.cuts, &mut self.words, |start, words| {
                stretches.push((words.len(), within(start)));
            });
    }
}

/// Whether the word with this number stands in tagged text.
fn is_tagged(stretches: &[(usize, bool)], word: usize) -> bool {
    // Of stretches that begin at the same word the last: those before it have no word.
    let after = stretches.partition_point(|&(first, _)| first <= word);
    after
        .checked_sub(1)
        .is_some_and(|stretch| stretches[stretch].1)
}

/// The place itself or the next one at which no word is cut.
fn between_words(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    // Spans are on boundaries; one that is not would otherwise end the job.
    while !text.is_char_boundary(at) {
        at += 1;
    }
    let before = text[..at].chars().next_back();
    if !before.is_some_and(is_in_word) {
        return at;
    }
    let mut rest = text[at..].char_indices();
    // Further than needed at times, such as to the end of a run of Chinese: then a border of tags
    // is off by some words, which is harmless.
    let end = rest.find(|&(_, ch)| !is_in_word(ch));
    end.map_or(text.len(), |(len, _)| at + len)
}

/// Letters, digits, and all marks that may compose with them.
fn is_in_word(ch: char) -> bool {
    ch.is_alphanumeric() || !(ch.is_ascii() || ch.is_whitespace())
}

/// Which regions of a document count as tagged.
pub fn is_emphasis(kind: RegionKind) -> bool {
    match kind {
        RegionKind::Title
        | RegionKind::Heading
        | RegionKind::Bold
        | RegionKind::Italic => true,
        RegionKind::Body => false,
    }
}

/// Words as hashes, and which of them are numbers or dates.
#[derive(Debug)]
struct MarkedWords {
    words: WordHashes,
    dated: Vec<bool>,
    /// Names of months and days, as hashes.
    names: FixedSet<u64>,
}

impl MarkedWords {
    fn new() -> Self {
        MarkedWords {
            words: WordHashes::default(),
            dated: Vec::new(),
            names: DATE_NAMES
                .split_whitespace()
                .map(|name| hash::word(name.as_bytes()))
                .collect(),
        }
    }

    fn clear(&mut self) {
        self.words.hashes.clear();
        self.dated.clear();
    }

    /// Marks the word that was added last; must follow each one.
    fn mark(&mut self, has_digit: bool) {
        // By hash, so that a name needs no copy of the word.
        let last = self.words.hashes.last();
        let is_name = last.is_some_and(|hash| self.names.contains(hash));
        self.dated.push(has_digit || is_name);
    }

    /// Number of words.
    fn len(&self) -> usize {
        self.dated.len()
    }
}

impl WordSink for MarkedWords {
    fn ascii(&mut self, text: &[u8], start: usize, end: usize) {
        self.words.ascii(text, start, end);
        self.mark(text[start..end].iter().any(u8::is_ascii_digit));
    }

    fn folded(&mut self, word: &str) {
        self.words.folded(word);
        self.mark(word.chars().any(char::is_numeric));
    }
}

/// Names of months and days, their abbreviations, and words of times. `may`, `mar`, `sun` and
/// `sat` are also other words; in the paper that this follows dates go whatever it costs.
const DATE_NAMES: &str = "january february march april may june july august september \
    october november december jan feb mar apr jun jul aug sep sept oct nov dec monday \
    tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri \
    sat sun am pm gmt utc est edt cst cdt mst mdt pst pdt";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feature::Extractor;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn read(kind: &str, text: &str, tagged: &[Span]) -> Vec<Occurrence> {
        let kind = kind.parse().unwrap();
        let options = WordOptions::default();
        let mut reader = OccurrenceReader::new(kind, &options, 0).unwrap();
        let mut found = Vec::new();
        reader.read(text, tagged, &mut found);
        found
    }

    #[test]
    fn places_tags_and_dates() {
        let text = "Rates fell 3 points in May; rates fell";
        let tagged = Span { start: 0, end: 10 };
        let found = read("terms", text, &[tagged]);
        assert_eq!(found.len(), 8);
        assert_eq!(found[0].feature, found[6].feature);
        let tags: Vec<bool> = found.iter().map(|one| one.tagged).collect();
        assert_eq!(tags[..3], [true, true, false]);
        let dated: Vec<u32> = found
            .iter()
            .filter(|one| one.dated)
            .map(|one| one.place)
            .collect();
        assert_eq!(dated, [2, 5]);
        let dated = |kind: &str| {
            let found = read(kind, text, &[]);
            found.iter().filter(|one| one.dated).count()
        };
        assert_eq!((dated("words:2"), dated("words:1+2")), (4, 6));
    }

    #[test]
    fn a_tag_cuts_no_word() {
        let plain = read("words:2", "foobar baz qux", &[]);
        let tagged = read("words:2", "foobar baz qux", &[Span { start: 3, end: 8 }]);
        let features = |found: &[Occurrence]| -> Vec<u64> {
            found.iter().map(|one| one.feature).collect()
        };
        assert_eq!(features(&plain), features(&tagged));
        assert!(
            OccurrenceReader::new(FeatureKind::Chars(5), &WordOptions::default(), 0)
                .is_err()
        );
    }

    proptest! {
        #[test]
        fn the_features_are_those_of_the_set(
            text in "([abAB] |é|中国|The |May |ab1|, ){0,30}",
            kind in prop::sample::select(vec!["words:1", "words:3", "words:3+5"]),
            cuts in prop::collection::vec((0usize..60, 0usize..60), 0..4),
        ) {
            let mut expected = Vec::new();
            let options = WordOptions::default();
            Extractor::new(kind.parse().unwrap(), &options, 0).extract(&text, &mut expected);
            let tagged: Vec<Span> = cuts
                .into_iter()
                .map(|(start, end)| Span { start, end: start.max(end) })
                .collect();
            let found = read(kind, &text, &tagged);
            let found: BTreeSet<u64> = found.iter().map(|one| one.feature).collect();
            prop_assert_eq!(found, expected.into_iter().collect::<BTreeSet<u64>>());
        }
    }
}
