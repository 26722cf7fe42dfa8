//! The tables of `passages`: the passages, the pairs of documents that have some in common,
//! documents with equal texts, and sentences that too many documents have.

mod kinds;
mod other_forms;

pub use kinds::Kinds;
pub use other_forms::{OtherForm, write_other_form};

use kinds::LastNotice;
use neardupe_core::document::DocIdx;
use neardupe_core::error::{Error, Result};
use neardupe_core::passage::Kind;
use neardupe_core::pipeline::PassagesResult;
use neardupe_core::pipeline::passages::{PairOfDocuments, PairOfTexts, TextSide};
use neardupe_io::output::row::Cell;
use neardupe_io::output::table::Table;
use neardupe_io::output::tables::write_bad_records_of;
use neardupe_io::output::{
    Offsets, OutputFormat, copies_schema, passage_pairs_schema, passages_schema,
};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// What the tables say in sum.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PassageCounts {
    /// Passages, by kind.
    pub passages: BTreeMap<Kind, u64>,
    /// Pairs of documents, by the kind of their longest passage.
    pub pairs: BTreeMap<Kind, u64>,
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
    mut seen: impl FnMut(&PairOfDocuments, &[Kind]),
) -> Result<PassageCounts> {
    let id = |document: DocIdx| result.documents.id(document);
    let schemas = [passages_schema(), passage_pairs_schema(), copies_schema()];
    let mut passages = Table::create(folder, &schemas[0], format)?;
    let mut pairs = Table::create(folder, &schemas[1], format)?;
    let formats = passages.format().zip(pairs.format());
    // Kinds, and rows where they are bytes, are made by all threads.
    let make = |texts: &PairOfTexts<'_>, made: &mut MadeOfPairs| -> Result<()> {
        let pair = texts.pair;
        let first = made.kinds.len();
        let of_pair = kinds.of(result, texts, &mut made.last_notice)?;
        made.kinds.extend(of_pair);
        let Some((of_passages, of_pairs)) = &formats else {
            return Ok(());
        };
        // Pairs of one left document come together.
        let left = match made.left.take() {
            Some((document, left)) if document == pair.left => left,
            _ => id(pair.left)?.into_owned(),
        };
        let right = id(pair.right)?;
        let rows = PairRows::new((&left, &right), pair, &made.kinds[first..], offsets);
        let failed = |error| Error::io(folder, error);
        let bytes = &mut made.passages;
        rows.each_passage(|cells| of_passages.row(cells, bytes).map_err(failed))?;
        rows.pair(|cells| of_pairs.row(cells, &mut made.pairs).map_err(failed))?;
        made.left = Some((pair.left, left));
        Ok(())
    };
    let mut counts = PassageCounts::default();
    result.map_pairs(make, |taken, made| {
        let mut kinds = &made.kinds[..];
        for pair in taken {
            let (of_pair, rest) = kinds.split_at(pair.passages.len());
            kinds = rest;
            seen(pair, of_pair);
            counts.add(pair, of_pair);
            if formats.is_none() {
                let (left, right) = (id(pair.left)?, id(pair.right)?);
                let rows = PairRows::new((&left, &right), pair, of_pair, offsets);
                rows.each_passage(|cells| passages.row(cells))?;
                rows.pair(|cells| pairs.row(cells))?;
            }
        }
        if formats.is_some() {
            passages.made(&made.passages)?;
            pairs.made(&made.pairs)?;
        }
        Ok(())
    })?;
    passages.finish()?;
    pairs.finish()?;
    let mut copies = Table::create(folder, &schemas[2], format)?;
    result.for_each_copy(|copy, first| {
        copies.row(&[Cell::Text(&id(copy)?), Cell::Text(&id(first)?)])
    })?;
    copies.finish()?;
    write_boilerplate(folder, result)?;
    write_bad_records_of(folder, &result.documents, result.num_old_files)?;
    Ok(counts)
}

impl PassageCounts {
    fn add(&mut self, pair: &PairOfDocuments, kinds: &[Kind]) {
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
    kinds: Vec<Kind>,
    /// Rows of both tables, where they are bytes.
    passages: Vec<u8>,
    pairs: Vec<u8>,
    /// What was known of the last pair.
    last_notice: LastNotice,
    left: Option<(DocIdx, String)>,
}

/// The rows of a pair, in both tables.
struct PairRows<'a> {
    left: &'a str,
    right: &'a str,
    pair: &'a PairOfDocuments,
    kinds: &'a [Kind],
    offsets: Offsets,
}

impl<'a> PairRows<'a> {
    fn new(
        (left, right): (&'a str, &'a str),
        pair: &'a PairOfDocuments,
        kinds: &'a [Kind],
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

    fn each_passage(&self, mut row: impl FnMut(&[Cell<'_>]) -> Result<()>) -> Result<()> {
        let (left_words, right_words) = (self.pair.left_words.1, self.pair.right_words.1);
        for (passage, kind) in self.pair.passages.iter().zip(self.kinds) {
            let (left_start, left_end) = self.offsets.of(&passage.left);
            let (right_start, right_end) = self.offsets.of(&passage.right);
            row(&[
                Cell::Text(self.left),
                Cell::Number(left_start),
                Cell::Number(left_end),
                Cell::Text(self.right),
                Cell::Number(right_start),
                Cell::Number(right_end),
                Cell::Text(&sentences(&passage.left)),
                Cell::Text(&sentences(&passage.right)),
                Cell::Number(u64::from(passage.num_words())),
                Cell::Ratio(u64::from(passage.common), u64::from(passage.union)),
                share(passage.left.num_words(), left_words),
                share(passage.right.num_words(), right_words),
                Cell::Text(kind.name()),
            ])?;
        }
        Ok(())
    }

    fn pair(&self, mut row: impl FnMut(&[Cell<'_>]) -> Result<()>) -> Result<()> {
        let pair = self.pair;
        let words = pair.passages.iter();
        let words: u64 = words.map(|passage| u64::from(passage.num_words())).sum();
        row(&[
            Cell::Text(self.left),
            Cell::Text(self.right),
            Cell::Number(pair.passages.len() as u64),
            Cell::Number(words),
            share(pair.left_words.0, pair.left_words.1),
            share(pair.right_words.0, pair.right_words.1),
            Cell::Text(self.kinds[pair.longest()].name()),
            Cell::Text(match pair.is_near_duplicate() {
                true => "yes",
                false => "no",
            }),
        ])
    }
}

fn share(part: u32, whole: u32) -> Cell<'static> {
    Cell::Ratio(u64::from(part), u64::from(whole))
}

/// The sentences of a side, numbered from 1: `3-5`.
fn sentences(side: &TextSide) -> String {
    format!("{}-{}", side.sentences.start + 1, side.sentences.end)
}

/// Writes sentences that too many documents have, one JSON object a line in every format: they
/// are to be read, and cut down to a list for `ignore`.
pub(crate) fn write_boilerplate(folder: &Path, result: &PassagesResult) -> Result<()> {
    let path = folder.join("boilerplate.jsonl");
    let failed = |error: std::io::Error| Error::io(&path, error);
    let mut out = BufWriter::new(File::create(&path).map_err(failed)?);
    result.for_each_boilerplate(|one| {
        let row = serde_json::json!({
            "text": one.text,
            "documents": one.num_documents,
            "first": result.documents.id(one.document)?,
        });
        writeln!(out, "{row}").map_err(failed)
    })?;
    out.flush().map_err(failed)
}
