//! From numbers of words to places in texts.
//!
//! A document may be in thousands of pairs, and two documents may have hundreds of passages in
//! common. Nothing here goes through a text word by word: the places of words are sums of bytes,
//! and sums over blocks are made once for a text.

use super::result::{
    PairOfDocuments, PairOfTexts, Passage, PassagesResult, TextSide, covered,
};
use super::search::PassageRow;
use super::texts::Rest;
use crate::document::Span;
use crate::error::Result;
use crate::numbers::of_len;
use std::ops::Range;

/// Makes passages of rows. Pairs with the same left document come together, so that one is kept
/// at hand.
pub(super) struct Locator<'a> {
    result: &'a PassagesResult,
    left: Option<(u32, Placed<'a>)>,
    /// To be used again.
    right: Placer,
}

/// A text and where its words are.
struct Placed<'a> {
    rest: Rest<'a>,
    placer: Placer,
}

impl<'a> Locator<'a> {
    pub(super) fn new(result: &'a PassagesResult) -> Self {
        Locator {
            result,
            left: None,
            right: Placer::default(),
        }
    }

    /// A text, with the sums by which its words are found.
    fn place(&self, text: u32, mut placer: Placer) -> Result<Placed<'a>> {
        let rest = self.result.texts.rest(text)?;
        placer.begin(&rest);
        Ok(Placed { rest, placer })
    }

    /// Makes a pair of the rows of one, and calls `visit` with it and its texts.
    pub(super) fn pair(
        &mut self,
        rows: &[PassageRow],
        visit: impl FnOnce(&PairOfTexts<'_>) -> Result<()>,
    ) -> Result<PairOfDocuments> {
        let order = &self.result.order;
        let (left, right) = (rows[0].left, rows[0].right);
        let texts = [left, right].map(|rank| order.text_of_document(rank));
        // Rows are sorted by the left document: its sums are made once for all its pairs.
        let left_side = match self.left.take() {
            Some((text, side)) if text == texts[0] => side,
            Some((_, side)) => self.place(texts[0], side.placer)?,
            None => self.place(texts[0], Placer::default())?,
        };
        let placer = std::mem::take(&mut self.right);
        let right_side = self.place(texts[1], placer)?;
        let passages: Vec<Passage> = rows
            .iter()
            .map(|row| Passage {
                left: left_side.side(row.left_start..row.left_end),
                right: right_side.side(row.right_start..row.right_end),
                common: row.common,
                union: row.union,
            })
            .collect();
        let words = |side: fn(&Passage) -> &TextSide, text: u32| {
            let ranges = passages.iter().map(|passage| side(passage).words.clone());
            let all = self.result.num_words[text as usize];
            (covered(ranges.collect()), all)
        };
        let pair = PairOfDocuments {
            left: order.document(left),
            right: order.document(right),
            left_words: words(|passage| &passage.left, texts[0]),
            right_words: words(|passage| &passage.right, texts[1]),
            passages,
        };
        visit(&PairOfTexts {
            pair: &pair,
            left_text: left_side.rest.text(),
            right_text: right_side.rest.text(),
        })?;
        self.left = Some((texts[0], left_side));
        self.right = right_side.placer;
        Ok(pair)
    }
}

impl Placed<'_> {
    fn side(&self, words: Range<u32>) -> TextSide {
        self.placer.side(&self.rest, words)
    }
}

/// Finds words in a text.
#[derive(Debug, Default)]
struct Placer {
    /// Words up to the end of each sentence.
    sentences: Vec<usize>,
    /// Where words end, summed up, where their places are bytes.
    ends: BlockSums,
    /// Where each word stands, where they are not.
    places: Vec<Span>,
    /// Characters, where they are not bytes.
    chars: BlockSums,
}

impl Placer {
    /// Begins with a text.
    fn begin(&mut self, rest: &Rest<'_>) {
        self.sentences.clear();
        self.sentences
            .extend(rest.sentences().map(|(_, word)| word));
        self.places.clear();
        // Small places are bytes of gaps and lengths, so a sum of them is a place. Others are
        // decoded once.
        match rest.small_places() {
            Some(bytes) => self.ends.begin(bytes, sum),
            None => self.places.extend(rest.places()),
        }
        if !rest.is_ascii() {
            self.chars.begin(rest.text().as_bytes(), count);
        }
    }

    /// The bytes of a range of words; empty for none. The cost is a block of bytes on either end.
    fn span(&self, rest: &Rest<'_>, words: Range<usize>) -> Span {
        if words.is_empty() {
            return Span::default();
        }
        match rest.small_places() {
            Some(bytes) => {
                // Up to the beginning of the first, and up to the end of the last.
                let until = |at: usize| self.ends.before(bytes, at.min(bytes.len()), sum);
                Span {
                    start: until(2 * words.start + 1),
                    end: until(2 * words.end),
                }
            }
            None => {
                let place = |word: usize| self.places.get(word).copied();
                Span {
                    start: place(words.start).unwrap_or_default().start,
                    end: place(words.end - 1).unwrap_or_default().end,
                }
            }
        }
    }

    /// A range of words as bytes, characters and sentences of the text.
    fn side(&self, rest: &Rest<'_>, words: Range<u32>) -> TextSide {
        let (first, end) = (words.start as usize, words.end as usize);
        let span = self.span(rest, first..end);
        let sentence = |word: usize| {
            let before = self.sentences.partition_point(|&until| until <= word);
            // A text that was collected has fewer than 2^32 bytes, and no sentence is empty.
            of_len(before)
        };
        let bytes = rest.text().as_bytes();
        let chars = |place: usize| {
            if rest.is_ascii() {
                place as u64
            } else {
                self.chars.before(bytes, place, count) as u64
            }
        };
        TextSide {
            span,
            chars: chars(span.start)..chars(span.end),
            sentences: sentence(first)..sentence(end.saturating_sub(1)) + 1,
            words,
        }
    }
}

/// Bytes that are summed up at a time.
const BLOCK: usize = 1 << 10;

/// Something of bytes, summed up before each block of them.
#[derive(Debug, Default)]
struct BlockSums {
    blocks: Vec<usize>,
}

impl BlockSums {
    /// Sums up `of` block by block: one pass over the bytes.
    fn begin(&mut self, bytes: &[u8], of: fn(&[u8]) -> usize) {
        self.blocks.clear();
        let mut before = 0;
        for block in bytes.chunks(BLOCK) {
            self.blocks.push(before);
            before += of(block);
        }
        self.blocks.push(before);
    }

    /// The sum of all bytes before a place; `bytes` and `of` are those that it began with.
    fn before(&self, bytes: &[u8], place: usize, of: fn(&[u8]) -> usize) -> usize {
        let block = place / BLOCK;
        self.blocks[block] + of(&bytes[block * BLOCK..place])
    }
}

/// Characters that begin in some bytes.
fn count(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xc0 != 0x80).count()
}

/// Bytes as numbers, added.
fn sum(bytes: &[u8]) -> usize {
    // A block is short, and 32 bits are done for more bytes at once.
    bytes.iter().map(|&byte| u32::from(byte)).sum::<u32>() as usize
}

#[cfg(test)]
mod tests {
    use super::super::texts::{StoredText, TextParts, TextStore};
    use super::*;
    use crate::passage::{CutText, TextCutter};

    #[test]
    fn characters_are_counted_from_any_place() {
        for text in ["", "ascii only", &"a\u{e9}中\u{1f600}".repeat(700)] {
            let mut counts = BlockSums::default();
            counts.begin(text.as_bytes(), count);
            for (number, (place, _)) in (0..).zip(text.char_indices()) {
                assert_eq!(counts.before(text.as_bytes(), place, count), number);
            }
            let all = text.chars().count();
            assert_eq!(counts.before(text.as_bytes(), text.len(), count), all);
        }
    }

    #[test]
    fn every_stretch_of_words_is_where_its_words_are() {
        let few = "One. Two three?\r\n\r\nFour";
        let many = "A caf\u{e9}, or 中文。 Two: words! ".repeat(300);
        // A word of which the length is no single byte.
        let long = format!("{few} {} and {few}", "x".repeat(700));
        let mut placer = Placer::default();
        for text in [few, &many, &long, &few.repeat(500)] {
            let mut cut = CutText::default();
            TextCutter::default().cut(text, &mut cut);
            let stored = vec![StoredText::Memory(TextParts::new(&cut, text).unwrap())];
            let texts = TextStore {
                stored,
                files: Vec::new(),
            };
            let rest = texts.rest(0).unwrap();
            assert_eq!(rest.small_places().is_none(), text == long);
            assert_eq!(rest.is_ascii(), text.is_ascii());
            placer.begin(&rest);
            let num_words = cut.words.len();
            let starts = (0..num_words).step_by(1 + num_words / 40);
            for (first, len) in starts.flat_map(|first| [(first, 1), (first, 7)]) {
                let end = num_words.min(first + len);
                let span = Span {
                    start: cut.places[first].start,
                    end: cut.places[end - 1].end,
                };
                let chars = |place: usize| text[..place].chars().count() as u64;
                let sentence = |word: usize| {
                    let all = &cut.sentence_words;
                    let before = all.iter().filter(|&&until| until as usize <= word);
                    u32::try_from(before.count()).unwrap()
                };
                let words = u32::try_from(first).unwrap()..u32::try_from(end).unwrap();
                assert_eq!(
                    placer.side(&rest, words.clone()),
                    TextSide {
                        span,
                        chars: chars(span.start)..chars(span.end),
                        sentences: sentence(first)..sentence(end - 1) + 1,
                        words,
                    }
                );
            }
        }
    }
}
