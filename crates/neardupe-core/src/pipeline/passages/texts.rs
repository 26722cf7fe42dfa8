//! The texts of a job, cut: in memory as long as there is room, else in files.
//!
//! Words, and where sentences end among them, are kept apart from the rest, since a search needs
//! only them. The rest are the places of words and sentences in the text, as small numbers, and
//! the text itself.

use crate::document::{Span, WorkFile};
use crate::error::{Error, Result};
use crate::numbers::narrow;
use crate::passage::CutText;
use crate::store::{FrameFile, FrameWriter, WorkDir};
use bytemuck::{Pod, Zeroable};
use std::borrow::Cow;
use std::ops::Range;

/// Where a text is.
#[derive(Debug)]
pub(super) enum StoredText {
    /// In memory. Not behind another pointer: a search waits for every one that it follows.
    Memory(TextParts),
    /// Three frames of a file.
    File {
        /// The file.
        file: u32,
        /// Where its first frame begins.
        start: u64,
    },
}

/// A text in memory, or on its way to a file.
#[derive(Debug)]
pub(super) struct TextParts {
    /// Words, words up to the end of each sentence, and the number of sentences.
    words: Box<[u32]>,
    places: Box<[u8]>,
    text: Box<str>,
}

impl TextParts {
    /// A text and what cutting found, packed: words take four bytes, places about two a word.
    pub(super) fn new(cut: &CutText, text: &str) -> Result<Self> {
        let num_sentences = narrow(cut.sentence_words.len(), "sentences of a text")?;
        // One allocation for words and sentences, of exactly their size: a job has millions of texts.
        Ok(TextParts {
            words: [&cut.words[..], &cut.sentence_words, &[num_sentences]]
                .concat()
                .into(),
            places: places_of(cut, text)?,
            text: text.into(),
        })
    }

    /// Reads a text back.
    pub(super) fn read(file: &FrameFile, start: u64) -> Result<Self> {
        let (mut words, mut places, mut text) = (Vec::new(), Vec::new(), Vec::new());
        let next = file.read(start, &mut words)?;
        let next = file.read(next, &mut places)?;
        file.read(next, &mut text)?;
        let text = String::from_utf8(text).map_err(|_| damaged())?;
        Ok(TextParts {
            words: words.into(),
            places: places.into(),
            text: text.into(),
        })
    }

    /// Its words.
    pub(super) fn words(&self) -> Result<Words<'_>> {
        Words::new(&self.words)
    }

    /// Bytes that it takes.
    pub(super) fn bytes(&self) -> u64 {
        // 80 is an estimate of what points to the three and of what allocations round up.
        (self.words.len() * 4 + self.places.len() + self.text.len() + 80) as u64
    }
}

/// Words of a text, and words up to the end of each sentence.
#[derive(Debug, Clone, Copy)]
pub(super) struct Words<'a> {
    pub(super) words: &'a [u32],
    pub(super) sentences: &'a [u32],
}

impl<'a> Words<'a> {
    /// Reads the words of the text at a place of a file.
    pub(super) fn read(
        file: &FrameFile,
        start: u64,
        buffer: &'a mut Vec<u32>,
    ) -> Result<Self> {
        file.read(start, buffer)?;
        Words::new(buffer)
    }

    fn new(all: &'a [u32]) -> Result<Self> {
        // From the end: the last number is that of the sentences, which stand before it.
        let parts = all.split_last().and_then(|(&num_sentences, rest)| {
            let words = rest.len().checked_sub(num_sentences as usize)?;
            rest.split_at_checked(words)
        });
        let (words, sentences) = parts.ok_or_else(damaged)?;
        Ok(Words { words, sentences })
    }

    /// The words of some sentences.
    pub(super) fn words_of_sentences(&self, sentences: Range<u32>) -> Range<u32> {
        let until = |sentence: u32| match sentence.checked_sub(1) {
            None => 0,
            Some(last) => self.sentences.get(last as usize).copied().unwrap_or(0),
        };
        until(sentences.start)..until(sentences.end)
    }
}

/// Files of the work directory have checksums, so this is a bug and not a damaged disk.
fn damaged() -> Error {
    Error::Internal("a text that cannot be read back".to_owned())
}

/// A row of the table of texts at the end of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct TextEntry {
    /// Hash of the text, and of its side.
    pub(super) hash: [u64; 2],
    /// Where its first frame begins.
    pub(super) start: u64,
    /// Its number.
    pub(super) number: u32,
    /// Number of its words.
    pub(super) num_words: u32,
}

/// Writes the texts of one thread and part to a file of its own, once there is one.
#[derive(Debug)]
pub(super) struct TextWriter<'a> {
    work: &'a WorkDir,
    name: String,
    out: Option<FrameWriter>,
}

impl<'a> TextWriter<'a> {
    /// A writer of `name`, the part and the thread.
    pub(super) fn new(work: &'a WorkDir, name: &str) -> Self {
        TextWriter {
            work,
            name: format!("cut-{name}"),
            out: None,
        }
    }

    fn out(&mut self) -> Result<&mut FrameWriter> {
        Ok(match &mut self.out {
            Some(out) => out,
            none => none.insert(self.work.create(&self.name)?),
        })
    }

    /// Appends a text; where it begins.
    pub(super) fn write(&mut self, parts: &TextParts) -> Result<u64> {
        let out = self.out()?;
        let start = out.frame(&parts.words)?;
        out.frame(&parts.places)?;
        out.frame(parts.text.as_bytes())?;
        Ok(start)
    }

    /// Appends the table of the texts; where it begins.
    pub(super) fn write_table(&mut self, table: &[TextEntry]) -> Result<u64> {
        self.out()?.frame(table)
    }

    /// Ends the file, if there is one.
    pub(super) fn finish(self) -> Result<Option<WorkFile>> {
        self.out.map(FrameWriter::finish).transpose()
    }
}

/// All texts of a job, by number.
#[derive(Debug, Default)]
pub(super) struct TextStore {
    pub(super) stored: Vec<StoredText>,
    pub(super) files: Vec<Option<FrameFile>>,
}

impl TextStore {
    fn file(&self, file: u32) -> Result<&FrameFile> {
        let file = self.files.get(file as usize).and_then(Option::as_ref);
        file.ok_or_else(|| {
            Error::Internal("a file of texts that is not there".to_owned())
        })
    }

    /// Something of a word of a text, where that is in memory: to be asked of many texts before
    /// the first of them is needed, so that they are fetched together.
    pub(super) fn touch_word(&self, text: u32, word: u32) -> u32 {
        match &self.stored[text as usize] {
            StoredText::Memory(parts) => {
                parts.words.get(word as usize).copied().unwrap_or(0)
            }
            StoredText::File { .. } => 0,
        }
    }

    /// The same of all but the words.
    pub(super) fn touch_rest(&self, text: u32) -> u32 {
        match &self.stored[text as usize] {
            StoredText::Memory(parts) => number(&parts.places, 0).unwrap_or(0),
            StoredText::File { .. } => 0,
        }
    }

    /// The words of a text; read into `buffer` when it is in a file.
    pub(super) fn words<'a>(
        &'a self,
        text: u32,
        buffer: &'a mut Vec<u32>,
    ) -> Result<Words<'a>> {
        match &self.stored[text as usize] {
            StoredText::Memory(parts) => Words::new(&parts.words),
            StoredText::File { file, start } => {
                Words::read(self.file(*file)?, *start, buffer)
            }
        }
    }

    /// All but the words.
    pub(super) fn rest(&self, text: u32) -> Result<Rest<'_>> {
        match &self.stored[text as usize] {
            StoredText::Memory(parts) => {
                Rest::new(Cow::Borrowed(&parts.places), Cow::Borrowed(&parts.text))
            }
            StoredText::File { file, start } => {
                let file = self.file(*file)?;
                let (mut places, mut text) = (Vec::new(), Vec::new());
                // The words come first, so that a search reads one frame; here they are passed over.
                let next = file.skip(*start)?;
                file.read(next, &mut places)?;
                file.read(file.skip(next)?, &mut text)?;
                let text = String::from_utf8(text).map_err(|_| damaged())?;
                Rest::new(Cow::Owned(places), Cow::Owned(text))
            }
        }
    }
}

/// Where words and sentences of a text are, and the text.
#[derive(Debug)]
pub(super) struct Rest<'a> {
    places: Cow<'a, [u8]>,
    text: Cow<'a, str>,
    sentences: Range<usize>,
}

/// Bytes before the numbers: how many are those of sentences, and what is known of the text.
const HEADER_BYTES: usize = 8;
/// All places of words are numbers of one byte.
const SMALL: u32 = 1;
/// Every character of the text is a byte.
const ASCII: u32 = 2;

/// Where the words and the sentences of a text are.
fn places_of(cut: &CutText, text: &str) -> Result<Box<[u8]>> {
    let mut bytes = vec![0; HEADER_BYTES];
    let places = &mut bytes;
    // A byte for the gap before a word and one for its length; a sentence of 128 bytes needs two.
    places.reserve(cut.places.len() * 2 + cut.sentence_ends.len() * 3);
    let (mut last_end, mut last_word) = (0, 0);
    for (&end, &word) in cut.sentence_ends.iter().zip(&cut.sentence_words) {
        put(places, end - last_end);
        put(places, (word - last_word) as usize);
        (last_end, last_word) = (end, word);
    }
    let sentence_bytes = places.len() - HEADER_BYTES;
    let mut last = 0;
    for place in &cut.places {
        put(places, place.start - last);
        put(places, place.end - place.start);
        last = place.end;
    }
    // Nearly every text is like this: words of fewer than 128 bytes, and no gap of more. The place
    // of a word is then a sum of bytes, without decoding numbers (`locate`).
    let is_small = places.len() == HEADER_BYTES + sentence_bytes + cut.places.len() * 2;
    let known = u32::from(is_small) * SMALL + u32::from(text.is_ascii()) * ASCII;
    // A sentence of one byte takes two here, so a text of less than 4 GiB may have too many.
    let sentence_bytes = narrow(sentence_bytes, "bytes for the sentences of a text")?;
    places[..4].copy_from_slice(&sentence_bytes.to_le_bytes());
    places[4..HEADER_BYTES].copy_from_slice(&known.to_le_bytes());
    Ok(bytes.into())
}

/// Appends a number, seven bits a byte, the lowest first; the upper bit says that more follow.
#[expect(clippy::cast_possible_truncation, reason = "seven bits at a time")]
fn put(bytes: &mut Vec<u8>, mut number: usize) {
    while number >= 128 {
        bytes.push(number as u8 | 128);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Reads a number of the header.
fn number(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at + 4)?.try_into().ok()?;
    Some(u32::from_le_bytes(four))
}

/// Reads numbers that [`put`] wrote. What is cut off in the middle ends the list.
fn numbers(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let mut rest = bytes.iter();
    std::iter::from_fn(move || {
        let (mut number, mut shift) = (0, 0u32);
        loop {
            let byte = *rest.next()?;
            number |= usize::from(byte & 127) << shift;
            if byte < 128 {
                return Some(number);
            }
            shift += 7;
        }
    })
}

impl<'a> Rest<'a> {
    fn new(places: Cow<'a, [u8]>, text: Cow<'a, str>) -> Result<Self> {
        let sentence_bytes = number(&places, 0).ok_or_else(damaged)? as usize;
        let sentences = HEADER_BYTES..HEADER_BYTES + sentence_bytes;
        if places.len() < sentences.end {
            return Err(damaged());
        }
        Ok(Rest {
            places,
            text,
            sentences,
        })
    }

    /// The text.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    fn is_known(&self, what: u32) -> bool {
        number(&self.places, 4).is_some_and(|known| known & what != 0)
    }

    /// Whether every character of the text is a byte.
    pub(super) fn is_ascii(&self) -> bool {
        self.is_known(ASCII)
    }

    /// Two numbers for each word, a byte each: how far after the one before it begins, and how
    /// long it is. None when there are larger ones.
    pub(super) fn small_places(&self) -> Option<&[u8]> {
        self.is_known(SMALL)
            .then_some(&self.places[self.sentences.end..])
    }

    /// Ends of the sentences in bytes, and words up to there.
    pub(super) fn sentences(&self) -> impl Iterator<Item = (usize, usize)> {
        let mut numbers = numbers(&self.places[self.sentences.clone()]);
        let (mut end, mut word) = (0, 0);
        std::iter::from_fn(move || {
            end += numbers.next()?;
            word += numbers.next()?;
            Some((end, word))
        })
    }

    /// Where each word stands.
    pub(super) fn places(&self) -> impl Iterator<Item = Span> {
        let mut numbers = numbers(&self.places[self.sentences.end..]);
        let mut at = 0;
        std::iter::from_fn(move || {
            let start = at + numbers.next()?;
            at = start + numbers.next()?;
            Some(Span { start, end: at })
        })
    }

    /// Where some words stand, the first of them to the last.
    pub(super) fn span(&self, words: Range<usize>) -> Span {
        let mut places = self.places().skip(words.start).take(words.len());
        let first = places.next().unwrap_or_default();
        Span {
            start: first.start,
            end: places.last().map_or(first.end, |last| last.end),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passage::TextCutter;

    #[test]
    fn texts_come_back_from_memory_and_from_files() {
        let folder = tempfile::tempdir().unwrap();
        let work = WorkDir::new(folder.path().join("work"));
        let long = format!("{} word \u{e9}t\u{e9}. 中文。", "x".repeat(700));
        let given = ["", "No stop", "One. Two three?\r\n\r\nFour", &long];
        let mut cutter = TextCutter::default();
        for to_file in [false, true] {
            let mut writer = TextWriter::new(&work, "00000-0");
            let mut texts = TextStore::default();
            let mut cuts = Vec::new();
            for text in given {
                let mut cut = CutText::default();
                cutter.cut(text, &mut cut);
                let parts = TextParts::new(&cut, text).unwrap();
                texts.stored.push(if to_file {
                    let start = writer.write(&parts).unwrap();
                    StoredText::File { file: 0, start }
                } else {
                    StoredText::Memory(parts)
                });
                cuts.push(cut);
            }
            let file = writer.finish().unwrap();
            texts.files.push(file.map(|file| work.open(&file).unwrap()));
            for (number, cut) in (0u32..).zip(&cuts) {
                let mut buffer = Vec::new();
                let words = texts.words(number, &mut buffer).unwrap();
                assert_eq!(words.words, cut.words);
                assert_eq!(words.sentences, cut.sentence_words);
                let rest = texts.rest(number).unwrap();
                assert_eq!(rest.text(), given[number as usize]);
                let ends = cut.sentence_ends.iter().zip(&cut.sentence_words);
                let ends: Vec<_> =
                    ends.map(|(&end, &word)| (end, word as usize)).collect();
                assert_eq!(rest.sentences().collect::<Vec<_>>(), ends);
                assert_eq!(rest.places().collect::<Vec<_>>(), cut.places);
                if let StoredText::File { start, .. } = texts.stored[number as usize] {
                    let file = texts.files[0].as_ref().unwrap();
                    let read = TextParts::read(file, start).unwrap();
                    assert_eq!(read.words().unwrap().words, cut.words);
                    assert_eq!(
                        (&*read.text, &*read.places),
                        (rest.text(), &*rest.places)
                    );
                }
            }
        }
    }
}
