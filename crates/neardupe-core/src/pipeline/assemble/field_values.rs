//! What the values of a metadata field say: the order of documents by `keep`, and how many
//! values could be read.
//!
//! Numbers and dates become ranks: equal values have the same rank, so that comparing two
//! documents costs no more than comparing two small numbers, whatever is written in the field.
//! Ranks depend on the values of all documents alone, not on threads, memory or the order of
//! the input.

use crate::cluster::priority::Keep;
use crate::document::DocIdx;
use crate::error::Result;
use crate::numbers::{Column, FieldRank, MaybeFieldRank, saturated};
use crate::pipeline::read::documents::Documents;
use crate::value::{DateReading, DayOrder, Decimal, NumberKey, TimeUnit, read_date};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Documents that one task reads.
const BLOCK: u32 = 1 << 14;
/// Characters of a value that is shown.
const SHOWN_CHARS: usize = 40;

/// How many documents have a value in a field that can be used.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FieldValues {
    /// The field.
    pub field: String,
    /// All documents.
    pub documents: u64,
    /// Documents with a value that can be read; of `prefer:FIELD=VALUE` those with that value.
    pub readable: u64,
    /// Documents without a value.
    pub missing: u64,
    /// Documents with a value that is no number or no date.
    pub unreadable: u64,
    /// The first such value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreadable_example: Option<String>,
    /// Documents with a date that is another one when month and day change places.
    #[serde(skip_serializing_if = "is_zero")]
    pub ambiguous: u64,
    /// The first such value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ambiguous_example: Option<String>,
    /// Documents with such a date that was read nevertheless, since all others with day and month
    /// as numbers have them in one order.
    #[serde(skip_serializing_if = "is_zero")]
    pub settled: u64,
    /// Documents with a date that only makes sense with the day before the month.
    #[serde(skip_serializing_if = "is_zero")]
    pub day_first: u64,
    /// Documents with a date that only makes sense with the month before the day.
    #[serde(skip_serializing_if = "is_zero")]
    pub month_first: u64,
    /// Documents with a number that was taken for a time since 1970, by its unit.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub times_since_1970: BTreeMap<Cow<'static, str>, u64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl FieldValues {
    /// Which of two numbers is the day: all values that say it say the same.
    pub fn day_order(&self) -> Option<DayOrder> {
        match (self.day_first, self.month_first) {
            (1.., 0) => Some(DayOrder::DayFirst),
            (0, 1..) => Some(DayOrder::MonthFirst),
            _ => None,
        }
    }

    /// Whether no document has a value that can be used.
    pub fn none_readable(&self) -> bool {
        self.documents > 0 && self.readable == 0
    }

    /// The same without values of documents.
    #[must_use]
    pub fn without_examples(self) -> Self {
        FieldValues {
            unreadable_example: None,
            ambiguous_example: None,
            ..self
        }
    }

    /// Counts a value that cannot be read, and remembers the first.
    fn unreadable(&mut self, value: &str) {
        self.unreadable += 1;
        self.unreadable_example.get_or_insert_with(|| shown(value));
    }

    /// Adds those of the documents that follow.
    fn add(&mut self, next: FieldValues) {
        self.documents += next.documents;
        self.readable += next.readable;
        self.missing += next.missing;
        self.unreadable += next.unreadable;
        self.ambiguous += next.ambiguous;
        self.day_first += next.day_first;
        self.month_first += next.month_first;
        let example = &mut self.unreadable_example;
        *example = example.take().or(next.unreadable_example);
        let example = &mut self.ambiguous_example;
        *example = example.take().or(next.ambiguous_example);
        for (unit, count) in next.times_since_1970 {
            *self.times_since_1970.entry(unit).or_insert(0) += count;
        }
    }
}

/// The beginning of a value, on one line.
fn shown(value: &str) -> String {
    let line = value.trim().replace(char::is_control, " ");
    match line.char_indices().nth(SHOWN_CHARS) {
        None => line,
        Some((at, _)) => format!("{}...", &line[..at]),
    }
}

/// The rank of each document that has a value.
type FieldColumn = Column<DocIdx, MaybeFieldRank>;

/// The documents that one task reads.
fn block_of(block: u32, documents: &Documents) -> impl Iterator<Item = DocIdx> + use<> {
    // The last block may end after the last number of 32 bits.
    let start = block * BLOCK;
    let end = start.saturating_add(BLOCK).min(documents.len());
    DocIdx::between(DocIdx::new(start)..DocIdx::new(end))
}

/// The rank of each document by the field of a rule.
#[derive(Debug, Default)]
pub(in crate::pipeline) struct FieldRanks {
    /// By document; empty for rules without a field.
    pub(in crate::pipeline) ranks: FieldColumn,
    /// What was read; None for rules without a field.
    pub(in crate::pipeline) values: Option<FieldValues>,
}

/// What a value means for a rule.
enum Meaning {
    /// It is a rank by itself; whether the rule counts it as one it looks for.
    Rank(FieldRank, bool),
    /// A number.
    Number(NumberKey),
    /// A date.
    Date(DateReading),
    /// Neither.
    Unreadable,
}

/// Whether larger values come first, for rules that order by number or date.
fn descends(keep: &Keep) -> bool {
    matches!(keep, Keep::Newest(_) | Keep::Highest(_))
}

/// What a value means for a rule.
fn meaning(keep: &Keep, value: &str) -> Meaning {
    match keep {
        Keep::Newest(_) | Keep::Oldest(_) => Meaning::Date(read_date(value)),
        Keep::Highest(_) | Keep::Lowest(_) => match Decimal::parse(value) {
            Some(number) => Meaning::Number(number.key()),
            None => Meaning::Unreadable,
        },
        Keep::ShortestField(_) => {
            // Among values of four billion characters and more the rule does not distinguish.
            let chars = saturated(value.chars().count()).min(u32::MAX - 1);
            Meaning::Rank(FieldRank::new(chars), true)
        }
        Keep::Prefer(_, wanted) => {
            let same = value == wanted;
            Meaning::Rank(FieldRank::new(u32::from(!same)), same)
        }
        Keep::Longest | Keep::Shortest | Keep::First => {
            Meaning::Rank(FieldRank::default(), true)
        }
    }
}

/// The value of one document as bits: smaller ones come first.
#[derive(Debug, Clone, Copy)]
struct ValueRow {
    /// High and low half: a number of 128 bits would cost eight bytes more.
    bits: [u64; 2],
    document: DocIdx,
    /// Whether equal bits are equal values.
    exact: bool,
}

impl ValueRow {
    /// A row that is in order by its bits, whichever way the rule orders.
    #[expect(clippy::cast_possible_truncation, reason = "cut in two halves")]
    fn new(document: DocIdx, key: NumberKey, descending: bool) -> Self {
        let bits = if descending { !key.bits } else { key.bits };
        ValueRow {
            bits: [(bits >> 64) as u64, bits as u64],
            document,
            exact: key.exact,
        }
    }
}

/// A date as bits.
fn date_key(time: i128) -> NumberKey {
    NumberKey {
        // The sign bit turned: negative numbers come before others.
        bits: time.cast_unsigned() ^ (1 << 127),
        exact: true,
    }
}

/// What was read of one block of documents.
#[derive(Default)]
struct BlockValues {
    values: FieldValues,
    rows: Vec<ValueRow>,
    /// Documents whose dates depend on what others have.
    open: Vec<DocIdx>,
    /// Documents that have their rank.
    ranked: Vec<(DocIdx, FieldRank)>,
}

impl FieldRanks {
    /// `fields` are the names of the metadata that documents carry.
    pub(in crate::pipeline) fn new(
        keep: &Keep,
        documents: &Documents,
        fields: &[String],
    ) -> Result<Self> {
        let Some(field) = keep.field() else {
            return Ok(FieldRanks::default());
        };
        let num_documents = documents.len();
        let mut ranks = Column::filled(MaybeFieldRank::NONE, num_documents as usize);
        let mut all = FieldValues {
            field: field.to_owned(),
            ..FieldValues::default()
        };
        let Some(place) = fields.iter().position(|name| name == field) else {
            all.documents = u64::from(num_documents);
            all.missing = all.documents;
            return Ok(FieldRanks {
                ranks,
                values: Some(all),
            });
        };
        let reader = Reader {
            keep,
            documents,
            place,
        };
        let blocks: Vec<BlockValues> = (0..num_documents.div_ceil(BLOCK))
            .into_par_iter()
            .map(|block| reader.block(block))
            .collect::<Result<_>>()?;
        let (mut rows, mut open) = (Vec::new(), Vec::new());
        for block in blocks {
            all.add(block.values);
            rows.extend(block.rows);
            open.extend(block.open);
            for (document, rank) in block.ranked {
                ranks[document] = rank.into();
            }
        }
        // Only now: a date that could be two is read as all others of the field are, and these are known at the end.
        if let Some(order) = all.day_order() {
            reader.settle(order, &open, &mut rows, &mut all)?;
        }
        reader.rank(&mut rows, &mut ranks)?;
        Ok(FieldRanks {
            ranks,
            values: Some(all),
        })
    }
}

/// Reads the values of one field.
struct Reader<'a> {
    keep: &'a Keep,
    documents: &'a Documents,
    place: usize,
}

impl Reader<'_> {
    /// The value of a document. A blank one is none: that is how tables have it.
    fn value(&self, document: DocIdx) -> Result<Option<String>> {
        let mut values = self.documents.metadata(document)?;
        let value = values.get_mut(self.place).and_then(Option::take);
        let blanks = matches!(self.keep, Keep::Prefer(..));
        Ok(value.filter(|value| blanks || !value.trim().is_empty()))
    }

    /// Reads the values of a block of documents.
    fn block(&self, block: u32) -> Result<BlockValues> {
        let descending = descends(self.keep);
        let mut found = BlockValues::default();
        for document in block_of(block, self.documents) {
            let values = &mut found.values;
            values.documents += 1;
            let Some(value) = self.value(document)? else {
                values.missing += 1;
                continue;
            };
            let key = match meaning(self.keep, &value) {
                Meaning::Rank(rank, counts) => {
                    values.readable += u64::from(counts);
                    found.ranked.push((document, rank));
                    continue;
                }
                Meaning::Number(key) => key,
                Meaning::Date(reading) => match note_date(reading, &value, values) {
                    Some(time) => date_key(time),
                    None => {
                        if let DateReading::Ambiguous { .. } = reading {
                            found.open.push(document);
                        }
                        continue;
                    }
                },
                Meaning::Unreadable => {
                    values.unreadable(&value);
                    continue;
                }
            };
            values.readable += 1;
            found.rows.push(ValueRow::new(document, key, descending));
        }
        Ok(found)
    }

    /// Reads dates whose order of day and month is known now.
    fn settle(
        &self,
        order: DayOrder,
        open: &[DocIdx],
        rows: &mut Vec<ValueRow>,
        values: &mut FieldValues,
    ) -> Result<()> {
        let read = |&document: &DocIdx| {
            let value = self.value(document)?.unwrap_or_default();
            let time = read_date(&value)
                .with_order(Some(order))
                .unwrap_or_default();
            Ok(ValueRow::new(document, date_key(time), descends(self.keep)))
        };
        let settled: Vec<ValueRow> = open.par_iter().map(read).collect::<Result<_>>()?;
        values.settled = settled.len() as u64;
        values.readable += values.settled;
        (values.ambiguous, values.ambiguous_example) = (0, None);
        rows.extend(settled);
        Ok(())
    }

    /// Numbers the different values in their order.
    fn rank(&self, rows: &mut [ValueRow], ranks: &mut FieldColumn) -> Result<()> {
        // Numbers in the order of their bits; equal bits are equal values unless a number was too long for them.
        rows.par_sort_unstable_by_key(|row| row.bits);
        let mut next = 0;
        for same in rows.chunk_by(|left, right| left.bits == right.bits) {
            // Only these few read their values again.
            if same.len() > 1 && same.iter().any(|row| !row.exact) {
                next = self.rank_long(same, next, ranks)?;
                continue;
            }
            for row in same {
                ranks[row.document] = FieldRank::new(next).into();
            }
            next += 1;
        }
        Ok(())
    }

    /// Ranks numbers that agree in all digits that a key holds: by the numbers themselves. The
    /// rank after theirs.
    fn rank_long(
        &self,
        rows: &[ValueRow],
        mut next: u32,
        ranks: &mut FieldColumn,
    ) -> Result<u32> {
        let mut texts: Vec<(String, DocIdx)> = Vec::with_capacity(rows.len());
        for row in rows {
            texts.push((self.value(row.document)?.unwrap_or_default(), row.document));
        }
        let descending = descends(self.keep);
        texts.par_sort_unstable_by(|(left, _), (right, _)| {
            let order = Decimal::parse(left).cmp(&Decimal::parse(right));
            if descending { order.reverse() } else { order }
        });
        let are_equal = |left: &(String, DocIdx), right: &(String, DocIdx)| {
            Decimal::parse(&left.0) == Decimal::parse(&right.0)
        };
        for same in texts.chunk_by(are_equal) {
            for (_, document) in same {
                ranks[*document] = FieldRank::new(next).into();
            }
            next += 1;
        }
        Ok(next)
    }
}

/// Counts a date; its time, where that is certain.
fn note_date(
    reading: DateReading,
    value: &str,
    values: &mut FieldValues,
) -> Option<i128> {
    match reading {
        DateReading::Date(_) => {}
        DateReading::Unix(_, unit) => count_unit(unit, values),
        DateReading::Numeric(_, DayOrder::DayFirst) => values.day_first += 1,
        DateReading::Numeric(_, DayOrder::MonthFirst) => values.month_first += 1,
        DateReading::Ambiguous { .. } => {
            values.ambiguous += 1;
            values.ambiguous_example.get_or_insert_with(|| shown(value));
        }
        DateReading::None => values.unreadable(value),
    }
    reading.with_order(None)
}

/// Counts a number that was read as a time.
fn count_unit(unit: TimeUnit, values: &mut FieldValues) {
    *values
        .times_since_1970
        .entry(unit.name().into())
        .or_insert(0) += 1;
}

/// Counts the values of fields that are read as weights: of each field that `read` cannot make
/// a number of.
pub(in crate::pipeline) fn count_numbers(
    names: &[&str],
    documents: &Documents,
    fields: &[String],
    read: fn(&str) -> Option<f64>,
) -> Result<Vec<FieldValues>> {
    let mut all: Vec<FieldValues> = Vec::new();
    for name in names {
        let place = fields.iter().position(|field| field == name);
        let of_block = |block: u32| {
            let mut found = FieldValues::default();
            for document in block_of(block, documents) {
                found.documents += 1;
                let mut values = documents.metadata(document)?;
                let value = place.and_then(|place| values.get_mut(place)?.take());
                match value.filter(|value| !value.trim().is_empty()) {
                    None => found.missing += 1,
                    Some(value) if read(&value).is_some() => found.readable += 1,
                    Some(value) => found.unreadable(&value),
                }
            }
            Ok(found)
        };
        let blocks: Vec<FieldValues> = (0..documents.len().div_ceil(BLOCK))
            .into_par_iter()
            .map(of_block)
            .collect::<Result<_>>()?;
        let mut field = FieldValues {
            field: (*name).to_owned(),
            ..FieldValues::default()
        };
        blocks.into_iter().for_each(|block| field.add(block));
        all.push(field);
    }
    Ok(all)
}
