//! What a search for passages found, in places of the texts.

use super::locate::Locator;
use super::order::Order;
use super::search::{PassageRow, SearchCounts};
use super::seed_lists::FrequentRow;
use super::texts::TextStore;
use crate::document::{DocIdx, PartRead, Span};
use crate::error::Result;
use crate::pipeline::documents::Documents;
use crate::store::Rows;
use crate::text::trimmed;
use crate::threads::Pool;
use crate::threshold::Threshold;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::ops::Range;

/// Passages that all threads work on at a time.
const BATCH_ROWS: usize = 1 << 14;
/// Passages that one thread takes.
const PART_ROWS: usize = 1 << 8;
/// Of both documents at least this much is covered: they are near-duplicates.
const NEAR_DUPLICATE: Threshold = Threshold::exactly(4, 5);

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
    pub(super) pool: Pool,
    pub(super) texts: TextStore,
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairOfDocuments {
    /// The left document.
    pub left: DocIdx,
    /// The right document.
    pub right: DocIdx,
    /// Words of the left document: in passages, and in all.
    pub left_words: (u32, u32),
    /// Words of the right document: in passages, and in all.
    pub right_words: (u32, u32),
    /// By their places in the left document.
    pub passages: Vec<Passage>,
}

/// Two documents with all that they have in common, and their texts.
#[derive(Debug)]
pub struct PairOfTexts<'a> {
    /// What they have in common.
    pub pair: &'a PairOfDocuments,
    /// Text of the left document.
    pub left_text: &'a str,
    /// Text of the right document.
    pub right_text: &'a str,
}

impl PairOfDocuments {
    /// Whether both documents are covered almost wholly.
    pub fn is_near_duplicate(&self) -> bool {
        [self.left_words, self.right_words]
            .into_iter()
            .all(|(part, whole)| NEAR_DUPLICATE.is_reached(part, whole))
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
            None => Ok(String::new()),
            Some(text) => Ok(self.texts.rest(text.get())?.text().to_owned()),
        }
    }

    /// Calls `visit` with each pair of documents that have a passage in common, by ids.
    pub fn for_each_pair(
        &self,
        mut visit: impl FnMut(&PairOfTexts<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut locator = Locator::new(self);
        self.for_each_batch(1, |rows| locator.pair(rows, &mut visit))
    }

    /// What `make` makes of each pair, for those who take it one by one.
    pub fn each_pair<'a, M>(
        &'a self,
        mut make: impl FnMut(&PairOfTexts<'_>) -> Result<M> + 'a,
    ) -> impl Iterator<Item = Result<M>> + 'a {
        let mut locator = Locator::new(self);
        let mut rows = self.rows.iter().peekable();
        let mut of_pair: Vec<PassageRow> = Vec::new();
        std::iter::from_fn(move || {
            of_pair.clear();
            let is_of_pair = |row: &Result<PassageRow>, rows: &[PassageRow]| match row {
                Ok(row) => rows.last().is_none_or(|last| last.is_of_pair(row)),
                Err(_) => true,
            };
            while let Some(row) = rows.next_if(|row| is_of_pair(row, &of_pair)) {
                match row {
                    Ok(row) => of_pair.push(row),
                    Err(error) => return Some(Err(error)),
                }
            }
            if of_pair.is_empty() {
                return None;
            }
            let mut made = None;
            let located = locator.pair(&of_pair, |texts| {
                made = Some(make(texts)?);
                Ok(())
            });
            located.map(|_| made).transpose()
        })
    }

    /// The same by all threads: `make` adds what it makes of a pair to what was made of those
    /// just before, and `take` gets some pairs with that, in the order of the pairs.
    pub fn map_pairs<M: Default + Send>(
        &self,
        make: impl Fn(&PairOfTexts<'_>, &mut M) -> Result<()> + Sync,
        mut take: impl FnMut(&[PairOfDocuments], M) -> Result<()>,
    ) -> Result<()> {
        let make_all = |rows: &&[PassageRow]| -> Result<(Vec<PairOfDocuments>, M)> {
            let touched = rows.iter().fold(0, |touched, row| {
                let text = self.order.text_of_document(row.right);
                touched ^ self.texts.touch_rest(text)
            });
            std::hint::black_box(touched);
            let mut locator = Locator::new(self);
            let mut made = M::default();
            let pairs = rows.chunk_by(PassageRow::is_of_pair);
            let pairs: Result<Vec<_>> = pairs
                .map(|rows| locator.pair(rows, |texts| make(texts, &mut made)))
                .collect();
            Ok((pairs?, made))
        };
        let mut take_all = |made: Vec<(Vec<PairOfDocuments>, M)>| {
            let mut made = made.into_iter();
            made.try_for_each(|(pairs, made)| take(&pairs, made))
        };
        // What was made of some rows is taken by this thread while the others go on with the
        // next ones.
        let mut before = Vec::new();
        self.for_each_batch(BATCH_ROWS, |rows| {
            let parts = pairs_together(rows, PART_ROWS);
            let mut made: Result<Vec<_>> = Ok(Vec::new());
            self.pool.in_place_scope(|scope| {
                scope.spawn(|_| made = parts.par_iter().map(make_all).collect());
                take_all(std::mem::take(&mut before))
            })?;
            before = made?;
            Ok(())
        })?;
        take_all(before)
    }

    /// Calls `visit` with so many rows or a few more: all of a pair come together.
    fn for_each_batch<T>(
        &self,
        len: usize,
        mut visit: impl FnMut(&[PassageRow]) -> Result<T>,
    ) -> Result<()> {
        let mut rows: Vec<PassageRow> = Vec::new();
        self.rows.for_each(|row| {
            let is_new = rows.last().is_some_and(|last| !last.is_of_pair(&row));
            if is_new && rows.len() >= len {
                visit(&rows)?;
                rows.clear();
            }
            rows.push(row);
            Ok(())
        })?;
        if !rows.is_empty() {
            visit(&rows)?;
        }
        Ok(())
    }

    /// Calls `visit` with each document that has the text of one before it, and that one.
    pub fn for_each_copy(
        &self,
        mut visit: impl FnMut(DocIdx, DocIdx) -> Result<()>,
    ) -> Result<()> {
        self.each_copy()
            .try_for_each(|(copy, first)| visit(copy, first))
    }

    /// Each document that has the text of one before it, and that one.
    pub fn each_copy(&self) -> impl Iterator<Item = (DocIdx, DocIdx)> + '_ {
        let order = &self.order;
        (0..order.len()).flat_map(move |text| {
            let (first, rest) = order
                .of_text(text)
                .split_first()
                .map_or((None, &[][..]), |(first, rest)| (Some(*first), rest));
            let pair = move |&copy| Some((order.document(copy), order.document(first?)));
            rest.iter().filter_map(pair)
        })
    }

    /// Calls `visit` with each sentence that too many documents have, the most frequent first.
    pub fn for_each_boilerplate(
        &self,
        mut visit: impl FnMut(&Boilerplate) -> Result<()>,
    ) -> Result<()> {
        self.each_boilerplate().try_for_each(|one| visit(&one?))
    }

    /// The sentences that too many documents have, the most frequent first.
    pub fn each_boilerplate(&self) -> impl Iterator<Item = Result<Boilerplate>> + '_ {
        self.frequent.iter().map(|row| {
            let row = row?;
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
            Ok(Boilerplate {
                text: rest.text()[span.start..span.end].to_owned(),
                num_documents: row.num_texts(),
                document: self.order.document(first),
            })
        })
    }
}

/// Parts of so many rows or a few more: those of a pair stay together.
fn pairs_together(mut rows: &[PassageRow], len: usize) -> Vec<&[PassageRow]> {
    let mut parts = Vec::new();
    while !rows.is_empty() {
        let enough = rows.len().min(len);
        let more = rows[enough..].iter();
        let of_last = more.take_while(|row| row.is_of_pair(&rows[enough - 1]));
        let (part, rest) = rows.split_at(enough + of_last.count());
        parts.push(part);
        rows = rest;
    }
    parts
}

/// Number of words in some stretches, those in several counted once.
pub(super) fn covered(mut ranges: Vec<Range<u32>>) -> u32 {
    ranges.sort_unstable_by_key(|range| (range.start, range.end));
    let (mut covered, mut last) = (0, 0);
    for range in ranges {
        let start = range.start.max(last);
        covered += range.end.saturating_sub(start);
        last = last.max(range.end);
    }
    covered
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_in_several_passages_count_once() {
        assert_eq!(covered(vec![5..9, 0..3, 2..4, 6..7]), 8);
        assert_eq!(covered(Vec::new()), 0);
    }
}
