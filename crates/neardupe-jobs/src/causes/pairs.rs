//! The pairs of a result that are sorted: every duplicate with what is kept in its place, or
//! all pairs where the result has them.
//!
//! With `pairs all` the result says which documents are similar; otherwise each duplicate stands
//! for one pair, with the document that is kept. Members know their side, since with `against` an
//! old and a new document may have the same id.

use super::URL_FIELD;
use super::sort::PairTest;
use neardupe_core::error::Result;
use neardupe_core::hash;
use neardupe_core::pipeline::Rule;
use neardupe_io::result::ResultReader;

/// A document of a result.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Member {
    /// As the result has it.
    pub(super) id: String,
    /// One that new ones were compared with.
    pub(super) is_old: bool,
    /// Its URL, where the result has it.
    pub(super) url: Option<String>,
}

/// Two documents of a result.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PairRow {
    /// The duplicate, or the document with the smaller id.
    pub(super) left: Member,
    /// What is kept in its place, or the document with the larger id.
    pub(super) right: Member,
    /// Whether their texts are known to be equal.
    pub(super) equal: Equal,
}

/// What the result says about the texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Equal {
    /// Character by character.
    Text,
    /// As sets of features; the texts may differ in case or punctuation.
    Features,
    /// Nothing of the kind is known: the texts decide.
    Unknown,
}

impl PairRow {
    /// Stands for the pair in memory.
    pub(super) fn key(&self) -> u128 {
        let side = |member: &Member| u8::from(member.is_old);
        // A byte that no id has stands between, so that two pairs cannot be joined to the
        // same text.
        let joined = format!(
            "{}\0{}\0{}{}",
            self.left.id,
            self.right.id,
            side(&self.left),
            side(&self.right)
        );
        hash::text(&joined)
    }

    /// Both documents, left first.
    pub(super) fn members(&self) -> [&Member; 2] {
        [&self.left, &self.right]
    }
}

/// Whether the table of pairs is sorted, and not that of duplicates.
pub(super) fn takes_pairs(result: &ResultReader) -> Result<bool> {
    let summary = result.summary();
    // Without clusters no document is a duplicate, and the result has only pairs.
    Ok(summary.has_all_pairs()? || summary.count("duplicates")? == 0)
}

/// Goes through the pairs that are looked at, in the order of the table; how many there are.
pub(super) fn for_each_pair(
    result: &ResultReader,
    only: Option<PairTest<'_>>,
    mut visit: impl FnMut(PairRow) -> Result<()>,
) -> Result<u64> {
    let is_asked = |left: &str, right: &str| only.is_none_or(|only| only(left, right));
    let is_old = |source: &Option<String>| source.as_deref() == Some("old");
    let member = |id: String, is_old: bool| Member {
        id,
        is_old,
        url: None,
    };
    let mut number = 0;
    if takes_pairs(result)? {
        if result.summary().count("pairs")? == 0 {
            return Ok(0);
        }
        for row in result.pairs()? {
            let row = row?;
            if !is_asked(&row.left, &row.right) {
                continue;
            }
            // Equal sets: the overlap is all of both.
            let has_equal_features =
                row.overlap == row.left_size && row.overlap == row.right_size;
            number += 1;
            visit(PairRow {
                equal: if has_equal_features {
                    Equal::Features
                } else {
                    Equal::Unknown
                },
                left: member(row.left, is_old(&row.left_source)),
                right: member(row.right, is_old(&row.right_source)),
            })?;
        }
        return Ok(number);
    }
    for row in result.duplicates()? {
        let row = row?;
        if !is_asked(&row.id, &row.duplicate_of) {
            continue;
        }
        // Only duplicates have metadata in their table.
        let url = row.metadata.into_iter().find(|(name, _)| name == URL_FIELD);
        number += 1;
        visit(PairRow {
            equal: match row.rule {
                Rule::EqualText => Equal::Text,
                Rule::EqualFeatures => Equal::Features,
                Rule::Similar | Rule::Linked => Equal::Unknown,
            },
            left: Member {
                url: url.and_then(|(_, url)| url),
                ..member(row.id, false)
            },
            right: member(row.duplicate_of, is_old(&row.duplicate_of_source)),
        })?;
    }
    Ok(number)
}
