//! The tables of passages: their columns, and in what places are counted.

use super::row::{ColumnKind, Schema};
use neardupe_core::pipeline::passages::TextSide;

/// In what places are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Offsets {
    /// Characters of Unicode (code points).
    #[default]
    Characters,
    /// Bytes of UTF-8.
    Bytes,
}

neardupe_core::named!(Offsets as "offsets" {
    Characters = "characters",
    Bytes = "bytes",
});

impl Offsets {
    /// Where a side begins and ends.
    pub fn of(self, side: &TextSide) -> (u64, u64) {
        match self {
            Offsets::Characters => (side.chars.start, side.chars.end),
            Offsets::Bytes => (side.span.start as u64, side.span.end as u64),
        }
    }
}

/// The table of passages.
pub fn passages_schema() -> Schema {
    let columns = [
        ("left", ColumnKind::Text),
        ("left_start", ColumnKind::Number),
        ("left_end", ColumnKind::Number),
        ("right", ColumnKind::Text),
        ("right_start", ColumnKind::Number),
        ("right_end", ColumnKind::Number),
        ("left_sentences", ColumnKind::Text),
        ("right_sentences", ColumnKind::Text),
        ("words", ColumnKind::Number),
        ("similarity", ColumnKind::Ratio),
        ("left_share", ColumnKind::Ratio),
        ("right_share", ColumnKind::Ratio),
        ("kind", ColumnKind::Text),
    ];
    Schema::new("passages", "passage", &columns)
}

/// The table of pairs of documents.
pub fn passage_pairs_schema() -> Schema {
    let columns = [
        ("left", ColumnKind::Text),
        ("right", ColumnKind::Text),
        ("passages", ColumnKind::Number),
        ("words", ColumnKind::Number),
        ("left_share", ColumnKind::Ratio),
        ("right_share", ColumnKind::Ratio),
        ("kind", ColumnKind::Text),
        ("near_duplicate", ColumnKind::Text),
    ];
    Schema::new("passage-pairs", "pair", &columns)
}

/// The table of documents with the text of another one.
pub fn copies_schema() -> Schema {
    let columns = [("id", ColumnKind::Text), ("copy_of", ColumnKind::Text)];
    Schema::new("copies", "copy", &columns)
}
