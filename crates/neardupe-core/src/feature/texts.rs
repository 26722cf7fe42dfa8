//! Features by the hash of their text (`hash`): words joined by one space, lines by a line feed,
//! a term with the number of its occurrence after a space. Slower than the hashes of words.

use super::chars::Normalized;
use super::kind::FeatureKind;
use super::lines;
use crate::hash::{FeatureHash, FixedMap};
use crate::text::WordReader;

/// The text of a document from which features are cut, reusing its buffers.
#[derive(Debug, Default)]
pub(super) struct TextFeatures {
    words: Normalized,
    cuts: Vec<usize>,
    /// Number of words before each line.
    line_starts: Vec<usize>,
    lines: Vec<(usize, usize)>,
    key: String,
    occurrences: FixedMap<String, u32>,
}

impl TextFeatures {
    /// Reads a text; how many words it has.
    pub(super) fn read(
        &mut self,
        text: &str,
        kind: FeatureKind,
        reader: &mut WordReader,
    ) -> usize {
        self.words.clear();
        self.lines.clear();
        let FeatureKind::Lines(_) = kind else {
            reader.read(text, &mut self.words);
            return self.words.num_words();
        };
        lines::cuts(text, &mut self.cuts);
        let starts = &mut self.line_starts;
        starts.clear();
        reader.read_cut(text, &self.cuts, &mut self.words, |_, words| {
            starts.push(words.num_words());
        });
        starts.push(self.words.num_words());
        let all = starts.windows(2).map(|line| (line[0], line[1]));
        self.lines.extend(all.filter(|line| line.0 < line.1));
        self.words.num_words()
    }

    /// Words of the text that was read.
    pub(super) fn num_words(&self) -> usize {
        self.words.num_words()
    }

    /// Its lines that have a word.
    pub(super) fn num_lines(&self) -> usize {
        self.lines.len()
    }

    /// Its words with what is between them.
    pub(super) fn normalized(&self) -> &Normalized {
        &self.words
    }

    /// Gives the features of each length with their texts to `emit`, in the order of the text.
    /// `end` hears when those of one length are through.
    pub(super) fn each(
        &mut self,
        kind: FeatureKind,
        hash: FeatureHash,
        seed: u64,
        mut emit: impl FnMut(u64, &str),
        mut end: impl FnMut(),
    ) {
        let num_words = self.words.num_words();
        if num_words == 0 {
            return;
        }
        let mut add = |text: &str| emit(hash.of_text(text.as_bytes(), seed), text);
        match kind {
            FeatureKind::Words(_) | FeatureKind::Mixed(..) => {
                for (number, len) in kind.word_lens().into_iter().enumerate() {
                    if len <= num_words {
                        let runs = 0..=num_words - len;
                        runs.for_each(|at| add(self.words.run(at, at + len)));
                        end();
                    } else if number == 0 {
                        add(self.words.run(0, num_words));
                        end();
                    }
                }
                return;
            }
            FeatureKind::Chars(len) => {
                let (words, text) = (&self.words, self.words.run(0, num_words));
                if !words.stretches(len as usize, |place| add(&text[place])) {
                    add(text);
                }
            }
            FeatureKind::Lines(len) => {
                let len = (len as usize).min(self.lines.len());
                for run in self.lines.windows(len) {
                    self.key.clear();
                    for (number, &(first, last)) in run.iter().enumerate() {
                        if number > 0 {
                            self.key.push('\n');
                        }
                        self.key.push_str(self.words.run(first, last));
                    }
                    add(&self.key);
                }
            }
            FeatureKind::Terms => {
                self.occurrences.clear();
                for at in 0..num_words {
                    let word = self.words.run(at, at + 1);
                    let count = self.occurrences.entry_ref(word).or_insert(0);
                    *count += 1;
                    self.key.clear();
                    self.key.push_str(word);
                    self.key.push(' ');
                    self.key.push_str(&count.to_string());
                    add(&self.key);
                }
            }
            // Not by text: see `WordOptions::hash`.
            FeatureKind::SpotSigs => {}
        }
        end();
    }
}
