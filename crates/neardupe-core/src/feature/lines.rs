//! Runs of lines (Shivakumar and Garcia-Molina, WebDB 1998, with two and with four lines).
//!
//! A line ends at a line feed or a carriage return. Only its words count: punctuation, indentation
//! and spacing make no difference, and a line without a word is skipped.

use super::definition::{
    Definition, FeatureMaker, FeatureSink, FeatureUsage, Make, TextMaker, number_after,
    with_hasher,
};
use super::texts::{ByText, FeatureText, TextKind, TextSink};
use super::word_hashes::WordHashes;
use super::words;
use crate::hash::{self, Multipliers, WordHasher};
use crate::text::{WordOptions, WordReader};
use std::fmt;

/// `lines:N`.
#[derive(Debug, Clone, Copy)]
pub(super) struct LineRuns {
    pub(super) len: u32,
}

impl Definition for LineRuns {
    fn usage() -> FeatureUsage {
        FeatureUsage {
            typed: "lines:N",
            limits: "N from 1 to 64",
            remark: "",
        }
    }

    fn parse(typed: &str) -> Option<Self> {
        number_after(typed, "lines", 64).map(|len| LineRuns { len })
    }

    #[cfg(test)]
    fn examples() -> &'static [&'static str] {
        &["lines:1", "lines:2", "lines:3"]
    }

    fn maker(&self, options: &WordOptions, seed: u64) -> Box<dyn FeatureMaker> {
        with_hasher!(options, hasher => LineMaker {
            reader: self.reader(options),
            lines: LineHashes::default(),
            multipliers: hasher.multipliers(seed, self.len as usize),
            seed: hasher.seed(seed),
            words: WordHashes::new(hasher),
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
        let lines = text.split(['\n', '\r']);
        let rule = options.rule_or(self.usual_rule());
        let words = |line| crate::text::slow::chosen_words_of(line, text, rule, options);
        let lines = lines.map(|line| words(line).join(" "));
        let lines: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
        let runs = lines.windows(self.len as usize).map(|run| run.join("\n"));
        let mut set: std::collections::BTreeSet<String> = runs.collect();
        if set.is_empty() && !lines.is_empty() {
            set.insert(lines.join("\n"));
        }
        set
    }
}

impl fmt::Display for LineRuns {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "lines:{}", self.len)
    }
}

impl TextKind for LineRuns {
    fn reads_lines(&self) -> bool {
        true
    }

    fn texts(&self, read: &mut FeatureText, _: &WordOptions, sink: &mut impl TextSink) {
        let FeatureText {
            words, lines, key, ..
        } = read;
        // A text with fewer lines has one feature, all of them. There is a word, so there is a
        // line, and windows are not of length 0.
        let len = (self.len as usize).min(lines.len());
        for run in lines.windows(len) {
            key.clear();
            for (number, &(first, last)) in run.iter().enumerate() {
                if number > 0 {
                    key.push('\n');
                }
                key.push_str(words.run(first, last));
            }
            sink.text(key);
        }
        sink.end();
    }

    fn label(&self, text: &str) -> String {
        text.replace('\n', " / ")
    }

    fn is_shorter(&self, read: &FeatureText) -> bool {
        read.lines.len() < self.len as usize
    }
}

/// Makes runs of lines, of hashes of lines that are made of the hashes of their words.
#[derive(Debug)]
struct LineMaker<H> {
    reader: WordReader,
    words: WordHashes<H>,
    lines: LineHashes,
    multipliers: Multipliers,
    seed: u64,
}

impl<H: WordHasher> Make for LineMaker<H> {
    fn read(&mut self, text: &str) -> usize {
        self.words.hashes.clear();
        self.lines.read(text, &mut self.reader, &mut self.words);
        self.words.hashes.len()
    }

    fn most(&self) -> usize {
        self.lines.hashes().len() + 1
    }

    #[inline(always)]
    fn make(&mut self, sink: &mut impl FeatureSink) {
        let emit = |one| sink.feature(one);
        // Lines are combined as words are: a run of lines is a shingle of their hashes.
        words::shingle(self.lines.hashes(), &self.multipliers, self.seed, emit);
        sink.end();
    }

    fn is_shorter(&self) -> bool {
        let num_lines = self.lines.hashes().len();
        num_lines > 0 && num_lines < self.multipliers.factors().len()
    }
}

/// The lines of a text as hashes, reusing its buffers from document to document.
#[derive(Debug, Default)]
struct LineHashes {
    /// Where lines begin in the text, but for the first, in bytes.
    cuts: Vec<usize>,
    /// Number of words before each line, and of all words.
    starts: Vec<usize>,
    hashes: Vec<u64>,
}

/// Where lines begin, but for the first, in bytes. Between the two characters of CR LF an empty
/// line begins, which has no word and is skipped.
pub(super) fn cuts(text: &str, cuts: &mut Vec<usize>) {
    let ends = text.bytes().enumerate();
    let ends = ends.filter(|(_, byte)| matches!(byte, b'\n' | b'\r'));
    cuts.clear();
    cuts.extend(ends.map(|(at, _)| at + 1));
}

impl LineHashes {
    /// Reads the words of a text into `words`, and makes lines of them.
    fn read<H: WordHasher>(
        &mut self,
        text: &str,
        reader: &mut WordReader,
        words: &mut WordHashes<H>,
    ) {
        cuts(text, &mut self.cuts);
        let starts = &mut self.starts;
        starts.clear();
        reader.read_cut(text, &self.cuts, words, |_, words| {
            // Called at the start of each line: how many words came before it. The last push closes
            // the last line.
            starts.push(words.hashes.len());
        });
        starts.push(words.hashes.len());
        self.hashes.clear();
        let lines = self.starts.windows(2);
        // Lines with a word.
        let lines = lines.filter(|line| line[0] < line[1]);
        self.hashes
            .extend(lines.map(|line| hash::words(&words.hashes[line[0]..line[1]])));
    }

    /// One hash per line with a word.
    fn hashes(&self) -> &[u64] {
        &self.hashes
    }
}
