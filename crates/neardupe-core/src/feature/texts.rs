//! Features by the hash of their text (`hash`): words joined by one space, lines by a line feed,
//! a term with the number of its occurrence after a space. Slower than the hashes of words: each
//! feature is copied or sliced as text, where the fast way combines numbers.
//!
//! Serves three purposes: hashes that other systems use too, labels for people, and the slow twin
//! of the fast way (both must give as many features, in the same order: a law of all kinds).

use super::chars::Normalized;
use super::definition::{Definition, FeatureMaker, FeatureSink, Make, TextMaker};
use super::lines;
use crate::hash::{FeatureHash, FixedMap};
use crate::text::{WordOptions, WordReader};
use std::fmt;

/// The text of a document from which features are cut, reusing its buffers.
#[derive(Debug, Default)]
pub(super) struct FeatureText {
    /// Its words with what is between them.
    pub(super) words: Normalized,
    /// First word of each line that has one, and the first after it; only if the kind reads lines.
    pub(super) lines: Vec<(usize, usize)>,
    /// Room for one text.
    pub(super) key: String,
    /// Room for numbers of occurrences.
    pub(super) counts: FixedMap<String, u32>,
    cuts: Vec<usize>,
    /// Number of words before each line.
    line_starts: Vec<usize>,
}

impl FeatureText {
    /// Reads the words of a text, and its lines if the kind needs them.
    fn read(&mut self, text: &str, by_lines: bool, reader: &mut WordReader) {
        self.words.clear();
        self.lines.clear();
        if !by_lines {
            reader.read(text, &mut self.words);
            return;
        }
        lines::cuts(text, &mut self.cuts);
        let starts = &mut self.line_starts;
        starts.clear();
        reader.read_cut(text, &self.cuts, &mut self.words, |_, words| {
            starts.push(words.num_words());
        });
        starts.push(self.words.num_words());
        // A line is the words from its start to the next start; without any it is skipped.
        let all = starts.windows(2).map(|line| (line[0], line[1]));
        self.lines.extend(all.filter(|line| line.0 < line.1));
    }
}

/// Takes the texts of features.
pub(super) trait TextSink {
    /// The next one, in the order of the text.
    fn text(&mut self, text: &str);

    /// Those of one length are complete; winnowing begins anew.
    fn end(&mut self);
}

/// A kind whose features have texts. [`ByText`] makes a maker of it, so a kind implements this and
/// [`Definition`] and nothing more for all hashes but the usual one.
pub(super) trait TextKind:
    Definition + fmt::Debug + Copy + Send + Sync + 'static
{
    /// Whether the kind needs to know where lines end.
    fn reads_lines(&self) -> bool {
        false
    }

    /// Gives the texts of all features to `sink`, in the order of the fast way. There is a word.
    fn texts(
        &self,
        read: &mut FeatureText,
        options: &WordOptions,
        sink: &mut impl TextSink,
    );

    /// Lengths of features: so many may begin at a word.
    fn lists(&self) -> usize {
        1
    }

    /// Most features of the text that was read.
    fn most(&self, read: &FeatureText) -> usize {
        (read.words.num_words() + 1) * self.lists()
    }

    /// Whether the documents of a feature with this text are counted ([`Make::make_counted`]).
    fn is_counted(&self, _text: &str) -> bool {
        true
    }

    /// A text as it is shown.
    fn label(&self, text: &str) -> String {
        text.to_owned()
    }

    /// Whether the text that was read is too short for a feature; it has a word.
    fn is_shorter(&self, read: &FeatureText) -> bool;
}

/// Makes features of a kind as the hashes of their texts.
#[derive(Debug)]
pub(super) struct ByText<K> {
    kind: K,
    options: WordOptions,
    reader: WordReader,
    read: FeatureText,
    hash: FeatureHash,
    seed: u64,
}

impl<K: TextKind> ByText<K> {
    /// A maker by the hash that `options` name.
    pub(super) fn new(kind: K, options: &WordOptions, seed: u64) -> Self {
        ByText {
            kind,
            options: options.clone(),
            reader: kind.reader(options),
            read: FeatureText::default(),
            hash: options.hash,
            seed,
        }
    }

    /// Hashes texts, those that are wanted.
    fn hashed(&mut self, sink: &mut impl FeatureSink, is_wanted: impl Fn(&str) -> bool) {
        // `texts` may count on a word; a text without one has no feature.
        if self.read.words.num_words() == 0 {
            return;
        }
        let (hash, seed) = (self.hash, self.seed);
        let mut to = Hashed {
            sink,
            is_wanted,
            hash: |text: &str| hash.of_text(text.as_bytes(), seed),
        };
        self.kind.texts(&mut self.read, &self.options, &mut to);
    }
}

impl<K: TextKind> Make for ByText<K> {
    fn read(&mut self, text: &str) -> usize {
        let by_lines = self.kind.reads_lines();
        self.read.read(text, by_lines, &mut self.reader);
        self.read.words.num_words()
    }

    fn most(&self) -> usize {
        self.kind.most(&self.read)
    }

    fn make(&mut self, sink: &mut impl FeatureSink) {
        self.hashed(sink, |_| true);
    }

    fn make_counted(&mut self, sink: &mut impl FeatureSink) {
        let kind = self.kind;
        self.hashed(sink, |text| kind.is_counted(text));
    }

    fn is_shorter(&self) -> bool {
        self.read.words.num_words() > 0 && self.kind.is_shorter(&self.read)
    }
}

impl<K: TextKind> TextMaker for ByText<K> {
    fn labels(&mut self, text: &str) -> Vec<String> {
        let mut texts = TextList(Vec::new());
        if Make::read(self, text) > 0 {
            self.kind.texts(&mut self.read, &self.options, &mut texts);
        }
        // Repetitions included: the caller pairs labels with values by their order.
        texts.0.iter().map(|text| self.kind.label(text)).collect()
    }

    fn into_maker(self: Box<Self>) -> Box<dyn FeatureMaker> {
        self
    }
}

/// Makes features of texts.
struct Hashed<'a, S, W, H> {
    sink: &'a mut S,
    is_wanted: W,
    hash: H,
}

impl<S, W, H> TextSink for Hashed<'_, S, W, H>
where
    S: FeatureSink,
    W: Fn(&str) -> bool,
    H: Fn(&str) -> u64,
{
    #[inline]
    fn text(&mut self, text: &str) {
        // Decided by text, before hashing.
        if (self.is_wanted)(text) {
            self.sink.feature((self.hash)(text));
        }
    }

    fn end(&mut self) {
        self.sink.end();
    }
}

/// Keeps all texts.
struct TextList(Vec<String>);

impl TextSink for TextList {
    fn text(&mut self, text: &str) {
        self.0.push(text.to_owned());
    }

    fn end(&mut self) {}
}
