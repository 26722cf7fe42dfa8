//! What a search for passages found, in places of the texts.

use super::index::FrequentRow;
use super::order::Order;
use super::search::{PassageRow, SearchCounts};
use super::texts::{Rest, Texts};
use crate::document::{DocIdx, PartRead, Span};
use crate::error::Result;
use crate::pipeline::documents::Documents;
use crate::store::Rows;
use crate::text::trimmed;
use crate::threshold::Threshold;
use std::collections::BTreeMap;
use std::ops::Range;

/// Of both documents at least this much is covered: they are near-duplicates.
const NEAR_DUPLICATE: (u64, u64) = (4, 5);

/// What was counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PassageTotals {
    /// Records read, bad ones included.
    pub records: u64,
    /// Documents.
    pub documents: u64,
    /// Those of them that new ones were compared with.
    pub old_documents: u64,
    /// Records that did not become documents.
    pub bad_records: u64,
    /// Entries that hold no text by their own account.
    pub skipped_records: u64,
    /// Bytes read.
    pub bytes: u64,
    /// Documents without a word.
    pub empty: u64,
    /// Documents with the text of another one.
    pub copies: u64,
    /// Sentences that too many documents have.
    pub boilerplate: u64,
}

/// What came out.
#[derive(Debug)]
pub struct PassagesResult {
    /// The documents.
    pub documents: Documents,
    /// What was noticed about documents while their text was made, and how often.
    pub remarks: BTreeMap<String, u64>,
    /// What was read, part by part.
    pub parts: Vec<PartRead>,
    /// New documents were compared with old ones: so many files of the latter.
    pub num_old_files: Option<u32>,
    /// What was counted.
    pub totals: PassageTotals,
    /// What the search did.
    pub search: SearchCounts,
    /// Times that texts were gone through.
    pub num_windows: u32,
    /// Whether texts went to the work directory.
    pub spilled: bool,
    pub(super) texts: Texts,
    pub(super) num_words: Vec<u32>,
    pub(super) order: Order,
    pub(super) frequent: Rows<FrequentRow>,
    pub(super) rows: Rows<PassageRow>,
}

/// A passage on one side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextSide {
    /// Where it is in the text, in bytes.
    pub span: Span,
    /// The same in characters.
    pub chars: Range<u64>,
    /// The sentences that it is in, wholly or in part, from 0.
    pub sentences: Range<u32>,
    /// Its words.
    pub words: Range<u32>,
}

impl TextSide {
    /// Number of its words.
    pub fn num_words(&self) -> u32 {
        self.words.end - self.words.start
    }
}

/// A stretch that two documents have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// In the left document.
    pub left: TextSide,
    /// In the right document.
    pub right: TextSide,
    /// Different words that both sides have.
    pub common: u32,
    /// Different words that either side has.
    pub union: u32,
}

impl Passage {
    /// Words of its shorter side.
    pub fn num_words(&self) -> u32 {
        self.left.num_words().min(self.right.num_words())
    }
}

/// Two documents with all that they have in common.
#[derive(Debug)]
pub struct PairOfTexts<'a> {
    /// The left document.
    pub left: DocIdx,
    /// The right document.
    pub right: DocIdx,
    /// Text of the left document.
    pub left_text: &'a str,
    /// Text of the right document.
    pub right_text: &'a str,
    /// Words of the left document: in passages, and in all.
    pub left_words: (u32, u32),
    /// Words of the right document: in passages, and in all.
    pub right_words: (u32, u32),
    /// By their places in the left document.
    pub passages: &'a [Passage],
}

impl PairOfTexts<'_> {
    /// Whether both documents are covered almost wholly.
    pub fn is_near_duplicate(&self) -> bool {
        let (part, whole) = NEAR_DUPLICATE;
        let threshold = Threshold::new(part, whole);
        [self.left_words, self.right_words]
            .into_iter()
            .all(|(part, whole)| threshold.is_some_and(|one| one.is_reached(part, whole)))
    }

    /// Place of its longest passage, the first of equal ones.
    pub fn longest(&self) -> usize {
        let lens = self.passages.iter().map(Passage::num_words);
        let longest = lens.clone().max().unwrap_or(0);
        lens.into_iter().position(|len| len == longest).unwrap_or(0)
    }
}

/// A sentence of very many documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Boilerplate {
    /// The sentence, as the first of them has it.
    pub text: String,
    /// Number of different texts that have it.
    pub num_documents: u32,
    /// The first document that has it, by id.
    pub document: DocIdx,
}

impl PassagesResult {
    /// Number of passages.
    pub fn num_passages(&self) -> u64 {
        self.rows.len()
    }

    /// The text of a document; nothing when it has no word.
    pub fn text(&self, document: DocIdx) -> Result<String> {
        match self.documents.set(document) {
            crate::pipeline::documents::NO_SET => Ok(String::new()),
            text => Ok(self.texts.rest(text)?.text().to_owned()),
        }
    }

    /// Calls `visit` with each pair of documents that have a passage in common, by ids.
    pub fn for_each_pair(
        &self,
        mut visit: impl FnMut(&PairOfTexts<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut rows: Vec<PassageRow> = Vec::new();
        self.rows.for_each(|row| {
            let of_other =
                |last: &PassageRow| (last.left, last.right) != (row.left, row.right);
            if rows.last().is_some_and(of_other) {
                self.pair(&rows, &mut visit)?;
                rows.clear();
            }
            rows.push(row);
            Ok(())
        })?;
        match rows.is_empty() {
            true => Ok(()),
            false => self.pair(&rows, &mut visit),
        }
    }

    fn pair(
        &self,
        rows: &[PassageRow],
        visit: &mut impl FnMut(&PairOfTexts<'_>) -> Result<()>,
    ) -> Result<()> {
        let (left, right) = (rows[0].left, rows[0].right);
        let texts = [left, right].map(|rank| self.order.text_of_document(rank));
        let rests = (self.texts.rest(texts[0])?, self.texts.rest(texts[1])?);
        let contents = (rests.0.text(), rests.1.text());
        let last = |end: fn(&PassageRow) -> u32| rows.iter().map(end).max().unwrap_or(0);
        let places = (
            Placer::new(&rests.0, last(|row| row.left_end)),
            Placer::new(&rests.1, last(|row| row.right_end)),
        );
        let passages: Vec<Passage> = rows
            .iter()
            .map(|row| Passage {
                left: places.0.side(contents.0, row.left_start..row.left_end),
                right: places.1.side(contents.1, row.right_start..row.right_end),
                common: row.common,
                union: row.union,
            })
            .collect();
        let words = |side: fn(&Passage) -> &TextSide, text: u32| {
            let ranges = passages.iter().map(|passage| side(passage).words.clone());
            (covered(ranges.collect()), self.num_words[text as usize])
        };
        visit(&PairOfTexts {
            left: self.order.document(left),
            right: self.order.document(right),
            left_text: contents.0,
            right_text: contents.1,
            left_words: words(|passage| &passage.left, texts[0]),
            right_words: words(|passage| &passage.right, texts[1]),
            passages: &passages,
        })
    }

    /// Calls `visit` with each document that has the text of one before it, and that one.
    pub fn for_each_copy(
        &self,
        mut visit: impl FnMut(DocIdx, DocIdx) -> Result<()>,
    ) -> Result<()> {
        for text in 0..self.order.len() {
            if let [first, rest @ ..] = self.order.of_text(text) {
                for &copy in rest {
                    visit(self.order.document(copy), self.order.document(*first))?;
                }
            }
        }
        Ok(())
    }

    /// Calls `visit` with each sentence that too many documents have, the most frequent first.
    pub fn for_each_boilerplate(
        &self,
        mut visit: impl FnMut(&Boilerplate) -> Result<()>,
    ) -> Result<()> {
        self.frequent.for_each(|row| {
            let rest = self.texts.rest(self.order.text(row.text))?;
            let mut start = (0, 0);
            let mut sentences = rest.sentences();
            let sentence = sentences.find_map(|(end, word)| {
                let (from, first) = std::mem::replace(&mut start, (end, word));
                (first == row.at as usize && word > first)
                    .then_some(Span { start: from, end })
            });
            let span = trimmed(rest.text(), sentence.unwrap_or_default());
            let first = self.order.of_text(row.text)[0];
            visit(&Boilerplate {
                text: rest.text()[span.start..span.end].to_owned(),
                num_documents: row.num_texts(),
                document: self.order.document(first),
            })
        })
    }
}

/// Number of words in some stretches, those in several counted once.
fn covered(mut ranges: Vec<Range<u32>>) -> u32 {
    ranges.sort_unstable_by_key(|range| (range.start, range.end));
    let (mut covered, mut last) = (0, 0);
    for range in ranges {
        let start = range.start.max(last);
        covered += range.end.saturating_sub(start);
        last = last.max(range.end);
    }
    covered
}

/// Bytes of a text whose characters are counted at a time.
const BLOCK: usize = 1 << 10;

/// Finds words in a text. All that takes a walk through the text is done once: documents may
/// have hundreds of passages in common.
struct Placer {
    /// Where each word stands.
    places: Vec<Span>,
    /// Words up to the end of each sentence.
    sentences: Vec<usize>,
    chars: CharCounts,
}

impl Placer {
    /// For the first words of a text.
    fn new(rest: &Rest<'_>, num_words: u32) -> Self {
        Placer {
            places: rest.places().take(num_words as usize).collect(),
            sentences: rest.sentences().map(|(_, word)| word).collect(),
            chars: CharCounts::new(rest.text()),
        }
    }

    fn side(&self, text: &str, words: Range<u32>) -> TextSide {
        let (first, end) = (words.start as usize, words.end as usize);
        let place = |word: usize| self.places.get(word).copied().unwrap_or_default();
        let span = Span {
            start: place(first).start,
            end: place(end.saturating_sub(1)).end,
        };
        let sentence = |word: usize| {
            let before = self.sentences.partition_point(|&until| until <= word);
            // Documents are numbered by 32 bits, and so are their words.
            u32::try_from(before).unwrap_or(u32::MAX)
        };
        TextSide {
            span,
            chars: self.chars.before(text, span.start)..self.chars.before(text, span.end),
            sentences: sentence(first)..sentence(end.saturating_sub(1)) + 1,
            words,
        }
    }
}

/// Counts the characters before a place of a text.
struct CharCounts {
    /// Characters before each block; nothing when every character is a byte.
    blocks: Vec<u64>,
}

impl CharCounts {
    fn new(text: &str) -> Self {
        let mut blocks = Vec::new();
        if !text.is_ascii() {
            let mut before = 0;
            for block in text.as_bytes().chunks(BLOCK) {
                blocks.push(before);
                before += count(block);
            }
            blocks.push(before);
        }
        CharCounts { blocks }
    }

    fn before(&self, text: &str, place: usize) -> u64 {
        let block = place / BLOCK;
        match self.blocks.get(block) {
            None => place as u64,
            Some(before) => before + count(&text.as_bytes()[block * BLOCK..place]),
        }
    }
}

/// Characters that begin in some bytes.
fn count(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|&&byte| byte & 0xc0 != 0x80).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_in_several_passages_count_once() {
        assert_eq!(covered(vec![5..9, 0..3, 2..4, 6..7]), 8);
        assert_eq!(covered(Vec::new()), 0);
    }

    #[test]
    fn characters_are_counted_from_any_place() {
        for text in ["", "ascii only", &"a\u{e9}中\u{1f600}".repeat(700)] {
            let counts = CharCounts::new(text);
            for (number, (place, _)) in (0..).zip(text.char_indices()) {
                assert_eq!(counts.before(text, place), number);
            }
            let all = text.chars().count() as u64;
            assert_eq!(counts.before(text, text.len()), all);
        }
    }
}
