//! Runs of lines (Shivakumar and Garcia-Molina, WebDB 1998, with two and with four lines).
//!
//! A line ends at a line feed or a carriage return. It counts by its words, so what stands
//! around and between them makes no difference, and a line without a word is none.

use super::labels::Collected;
use super::word_hashes::WordHashes;
use super::words;
use crate::hash::{self, FixedSet, Multipliers};
use crate::text::WordReader;

/// The lines of a text as hashes, reusing its buffers from document to document.
#[derive(Debug, Default)]
pub(super) struct Lines {
    cuts: Vec<usize>,
    /// Number of words before each line.
    starts: Vec<usize>,
    hashes: Vec<u64>,
}

/// Where lines begin, but for the first.
pub(super) fn cuts(text: &str, cuts: &mut Vec<usize>) {
    let ends = text.bytes().enumerate();
    let ends = ends.filter(|(_, byte)| matches!(byte, b'\n' | b'\r'));
    cuts.clear();
    cuts.extend(ends.map(|(at, _)| at + 1));
}

impl Lines {
    /// Reads the words of a text into `words`, and makes lines of them.
    pub(super) fn read(
        &mut self,
        text: &str,
        reader: &mut WordReader,
        words: &mut WordHashes,
    ) {
        cuts(text, &mut self.cuts);
        let starts = &mut self.starts;
        starts.clear();
        reader.read_cut(text, &self.cuts, words, |_, words| {
            starts.push(words.hashes.len());
        });
        starts.push(words.hashes.len());
        self.hashes.clear();
        let lines = self.starts.windows(2);
        let lines = lines.filter(|line| line[0] < line[1]);
        self.hashes
            .extend(lines.map(|line| hash::words(&words.hashes[line[0]..line[1]])));
    }

    /// One hash a line.
    pub(super) fn hashes(&self) -> &[u64] {
        &self.hashes
    }
}

/// The distinct runs of lines of a text, each with its words.
pub(super) fn labelled(
    text: &str,
    len: usize,
    mut reader: WordReader,
    seed: u64,
) -> Vec<(u64, String)> {
    let (mut places, mut starts) = (Vec::new(), Vec::new());
    cuts(text, &mut places);
    let mut collected = Collected(Vec::new());
    reader.read_cut(text, &places, &mut collected, |_, words| {
        starts.push(words.0.len());
    });
    let Collected(all) = collected;
    starts.push(all.len());
    let lines = starts.windows(2).map(|line| &all[line[0]..line[1]]);
    let lines: Vec<&[String]> = lines.filter(|line| !line.is_empty()).collect();
    let hash = |line: &&[String]| {
        let words = line.iter().map(|word| hash::word(word.as_bytes()));
        hash::words(&words.collect::<Vec<u64>>())
    };
    let hashes: Vec<u64> = lines.iter().map(hash).collect();
    let mut seen: FixedSet<u64> = FixedSet::default();
    let (mut features, mut at) = (Vec::new(), 0);
    words::shingle(&hashes, &Multipliers::new(seed, len), seed, |feature| {
        if seen.insert(feature) {
            let run = &lines[at..lines.len().min(at + len)];
            let run: Vec<String> = run.iter().map(|line| line.join(" ")).collect();
            features.push((feature, run.join(" / ")));
        }
        at += 1;
    });
    features
}
