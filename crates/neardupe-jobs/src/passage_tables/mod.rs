//! The tables of `passages`: the passages, the pairs of documents that have some in common,
//! documents with equal texts, and sentences that too many documents have.
//!
//! Pairs are millions and never held: threads make rows as bytes in parallel where the format
//! allows it, and the calling thread writes them in the order of pairs. Whoever wants to count or
//! choose pairs looks on while they are written (`seen`).

mod kinds;
mod other_forms;

pub use kinds::Kinds;
pub use other_forms::{OtherForm, write_other_form};

use kinds::LastNotice;
use neardupe_core::document::DocIdx;
use neardupe_core::error::{Error, Result};
use neardupe_core::passage::PassageKind;
use neardupe_core::pipeline::PassagesResult;
use neardupe_core::pipeline::passages::{PairOfDocuments, PairOfTexts, TextSide};
use neardupe_core::ratio::Ratio;
use neardupe_io::output::table::Table;
use neardupe_io::output::{Offsets, OutputFormat, bad_record_rows, write_bad_records};
use neardupe_io::tables::{
    BadRecords, Batches, BoilerplateRow, BoilerplateSentences, Copies, CopyRow, Declared,
    Layout, PassagePairRow, PassagePairs, PassageRow, Passages,
};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

/// What the tables say in sum.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PassageCounts {
    /// Passages, by kind.
    pub passages: BTreeMap<PassageKind, u64>,
    /// Pairs of documents, by the kind of their longest passage.
    pub pairs: BTreeMap<PassageKind, u64>,
    /// Pairs that are covered almost wholly.
    pub near_duplicates: u64,
    /// Words of all passages.
    pub words: u64,
}

/// Writes all tables. `seen` is called with each pair and the kinds of its passages.
pub fn write_passages(
    folder: &Path,
    result: &PassagesResult,
    kinds: &Kinds,
    format: OutputFormat,
    offsets: Offsets,
    mut seen: impl FnMut(&PairOfDocuments, &[PassageKind]),
) -> Result<PassageCounts> {
    let id = |document: DocIdx| result.documents.id(document);
    let layout = Layout::default();
    let mut passages = Table::<Passages>::create(folder, &layout, format)?;
    let mut pairs = Table::<PassagePairs>::create(folder, &layout, format)?;
    // Some formats need the rows themselves, as columns are built from them: then threads
    // make only kinds, and the rows are made below.
    let makers = passages.maker().zip(pairs.maker());
    // Kinds, and rows where they are bytes, are made by all threads.
    let make = |texts: &PairOfTexts<'_>, made: &mut MadeOfPairs| -> Result<()> {
        let pair = texts.pair;
        // Kinds of all pairs of a batch are in one list; those of this pair begin here.
        let first = made.kinds.len();
        let of_pair = kinds.of(result, texts, &mut made.last_notice)?;
        made.kinds.extend(of_pair);
        let Some((of_passages, of_pairs)) = &makers else {
            return Ok(());
        };
        // Pairs of one left document come together.
        let left = match made.left.take() {
            Some((document, left)) if document == pair.left => left,
            _ => id(pair.left)?.into_owned(),
        };
        let right = id(pair.right)?;
        let ids = (Cow::Borrowed(left.as_str()), right);
        let rows = PairRows::new(ids, pair, &made.kinds[first..], offsets);
        let failed = |error| Error::io(folder, error);
        let bytes = &mut made.passages;
        for row in rows.passages() {
            of_passages.row(&row, bytes).map_err(failed)?;
        }
        let row = rows.pair();
        of_pairs.row(&row, &mut made.pairs).map_err(failed)?;
        made.left = Some((pair.left, left));
        Ok(())
    };
    let mut counts = PassageCounts::default();
    result.map_pairs(make, |taken, made| {
        // In the order of pairs, on one thread: counts and rows do not depend on how batches
        // were divided.
        let mut kinds = &made.kinds[..];
        for pair in taken {
            // Each pair has as many kinds as passages, so the list is divided by the pairs.
            let (of_pair, rest) = kinds.split_at(pair.passages.len());
            kinds = rest;
            seen(pair, of_pair);
            counts.add(pair, of_pair);
            if makers.is_none() {
                let ids = (id(pair.left)?, id(pair.right)?);
                let rows = PairRows::new(ids, pair, of_pair, offsets);
                rows.passages().try_for_each(|row| passages.row(&row))?;
                pairs.row(&rows.pair())?;
            }
        }
        if makers.is_some() {
            passages.made(&made.passages)?;
            pairs.made(&made.pairs)?;
        }
        Ok(())
    })?;
    passages.finish()?;
    pairs.finish()?;
    let mut copies = Table::<Copies>::create(folder, &layout, format)?;
    copies.rows(copy_rows(result))?;
    copies.finish()?;
    write_boilerplate(folder, result)?;
    write_bad_records(folder, &result.documents, result.num_old_files)?;
    Ok(counts)
}

impl PassageCounts {
    /// Adds a pair. Its own kind is that of its longest passage.
    fn add(&mut self, pair: &PairOfDocuments, kinds: &[PassageKind]) {
        for (passage, &kind) in pair.passages.iter().zip(kinds) {
            self.words += u64::from(passage.num_words());
            *self.passages.entry(kind).or_default() += 1;
        }
        *self.pairs.entry(kinds[pair.longest()]).or_default() += 1;
        self.near_duplicates += u64::from(pair.is_near_duplicate());
    }
}

/// What threads make of some pairs.
#[derive(Default)]
struct MadeOfPairs {
    /// Of all passages, pair by pair.
    kinds: Vec<PassageKind>,
    /// Rows of both tables, where they are bytes.
    passages: Vec<u8>,
    /// Rows of pairs, one per pair.
    pairs: Vec<u8>,
    /// What was known of the last pair.
    last_notice: LastNotice,
    /// The left document of the last pair and its id, which is read from disk.
    left: Option<(DocIdx, String)>,
}

/// The rows of a pair, in both tables.
struct PairRows<'a, 'p> {
    /// The ids of both documents.
    left: Cow<'a, str>,
    right: Cow<'a, str>,
    pair: &'p PairOfDocuments,
    /// One per passage.
    kinds: &'p [PassageKind],
    /// How places are given: bytes, characters or the like.
    offsets: Offsets,
}

impl<'a, 'p> PairRows<'a, 'p> {
    /// The rows of one pair; nothing is computed before they are asked for.
    fn new(
        (left, right): (Cow<'a, str>, Cow<'a, str>),
        pair: &'p PairOfDocuments,
        kinds: &'p [PassageKind],
        offsets: Offsets,
    ) -> Self {
        PairRows {
            left,
            right,
            pair,
            kinds,
            offsets,
        }
    }

    /// A row per passage, in the order of the pair.
    fn passages(&self) -> impl Iterator<Item = PassageRow<'a>> + use<'_, 'a, 'p> {
        // Shares are of all words of the document, not of its words in passages.
        let (left_words, right_words) = (self.pair.left_words.1, self.pair.right_words.1);
        let passages = self.pair.passages.iter().zip(self.kinds);
        passages.map(move |(passage, kind)| {
            let (left_start, left_end) = self.offsets.of(&passage.left);
            let (right_start, right_end) = self.offsets.of(&passage.right);
            PassageRow {
                left: self.left.clone(),
                left_start,
                left_end,
                right: self.right.clone(),
                right_start,
                right_end,
                left_sentences: sentences(&passage.left).into(),
                right_sentences: sentences(&passage.right).into(),
                words: passage.num_words().into(),
                similarity: share(passage.common, passage.union),
                left_share: share(passage.left.num_words(), left_words),
                right_share: share(passage.right.num_words(), right_words),
                kind: kind.name().into(),
            }
        })
    }

    /// The row of the pair. Its shares count each word once, also where passages overlap;
    /// `words` counts each passage.
    fn pair(&self) -> PassagePairRow<'a> {
        let pair = self.pair;
        let words = pair.passages.iter();
        PassagePairRow {
            left: self.left.clone(),
            right: self.right.clone(),
            passages: pair.passages.len() as u64,
            words: words.map(|passage| u64::from(passage.num_words())).sum(),
            left_share: share(pair.left_words.0, pair.left_words.1),
            right_share: share(pair.right_words.0, pair.right_words.1),
            kind: self.kinds[pair.longest()].name().into(),
            near_duplicate: pair.is_near_duplicate(),
        }
    }
}

/// The words of a side that are in passages, and all of them, as a cell of a table.
fn share(part: u32, whole: u32) -> Ratio {
    Ratio::new(part.into(), whole.into())
}

/// The sentences of a side, numbered from 1: `3-5`.
fn sentences(side: &TextSide) -> String {
    format!("{}-{}", side.sentences.start + 1, side.sentences.end)
}

/// Writes sentences that too many documents have, one JSON object a line in every format: they
/// are to be read, and cut down to a list for `ignore`.
pub(crate) fn write_boilerplate(folder: &Path, result: &PassagesResult) -> Result<()> {
    let layout = Layout::default();
    let mut table =
        Table::<BoilerplateSentences>::create(folder, &layout, OutputFormat::Jsonl)?;
    table.rows(boilerplate_rows(result))?;
    table.finish()
}

/// Each document with the text of an earlier one, beside that one.
fn copy_rows(result: &PassagesResult) -> impl Iterator<Item = Result<CopyRow<'_>>> {
    result.each_copy().map(|(copy, first)| {
        Ok(CopyRow {
            id: result.documents.id(copy)?,
            copy_of: result.documents.id(first)?,
        })
    })
}

/// Sentences that lead to no passage, with the first document that has each.
fn boilerplate_rows(
    result: &PassagesResult,
) -> impl Iterator<Item = Result<BoilerplateRow<'_>>> {
    result.each_boilerplate().map(|one| {
        let one = one?;
        Ok(BoilerplateRow {
            documents: one.num_documents.into(),
            first: result.documents.id(one.document)?,
            text: one.text.into(),
        })
    })
}

/// A table of a result as record batches, with the values that its file would have; none if
/// there is no such table.
pub fn passage_batches<'a>(
    result: &'a PassagesResult,
    kinds: &'a Kinds,
    offsets: Offsets,
    table: &str,
) -> Option<Batches<'a>> {
    let layout = Layout::new(result.num_old_files.is_some(), &[]);
    if table == Passages::DECLARATION.name {
        let rows = pair_rows(result, kinds, offsets, |rows| rows.passages().collect());
        return Some(Batches::of::<Passages>(flat(rows), &layout));
    }
    if table == PassagePairs::DECLARATION.name {
        let rows = pair_rows(result, kinds, offsets, |rows| rows.pair());
        return Some(Batches::of::<PassagePairs>(rows, &layout));
    }
    if table == Copies::DECLARATION.name {
        return Some(Batches::of::<Copies>(copy_rows(result), &layout));
    }
    if table == BoilerplateSentences::DECLARATION.name {
        let rows = boilerplate_rows(result);
        return Some(Batches::of::<BoilerplateSentences>(rows, &layout));
    }
    if table == BadRecords::DECLARATION.name {
        let rows = bad_record_rows(&result.documents, result.num_old_files);
        return Some(Batches::of::<BadRecords>(rows, &layout));
    }
    None
}

/// What `make` makes of the rows of each pair.
fn pair_rows<'a, M: 'a>(
    result: &'a PassagesResult,
    kinds: &'a Kinds,
    offsets: Offsets,
    make: impl Fn(&PairRows<'a, '_>) -> M + 'a,
) -> impl Iterator<Item = Result<M>> + 'a {
    let id = |document: DocIdx| result.documents.id(document);
    let mut last_notice = LastNotice::default();
    result.each_pair(move |texts| {
        let pair = texts.pair;
        let of_pair: Vec<PassageKind> =
            kinds.of(result, texts, &mut last_notice)?.collect();
        let ids = (id(pair.left)?, id(pair.right)?);
        Ok(make(&PairRows::new(ids, pair, &of_pair, offsets)))
    })
}

/// The rows of all pairs, one after the other; an error takes its place among them.
fn flat<T>(
    groups: impl Iterator<Item = Result<Vec<T>>>,
) -> impl Iterator<Item = Result<T>> {
    groups.flat_map(|group| match group {
        Ok(group) => Either::Rows(group.into_iter()),
        Err(error) => Either::Failed(Some(error)),
    })
}

/// The rows of a pair, or why there are none.
enum Either<T> {
    // A failed group yields its error once and then ends, so a reader cannot go past it.
    Rows(std::vec::IntoIter<T>),
    Failed(Option<Error>),
}

impl<T> Iterator for Either<T> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Result<T>> {
        match self {
            Either::Rows(rows) => rows.next().map(Ok),
            Either::Failed(error) => error.take().map(Err),
        }
    }
}
