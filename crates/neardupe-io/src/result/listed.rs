//! Pairs of any table that has their ids and a similarity, ours or not.
//!
//! Other programs list pairs as well. Such a file has no summary, so it cannot be checked whether
//! it is complete, and its ids are taken as they are.

use super::rows::StoredRows;
use crate::tables::column::{ColumnType, Ratio, Text};
use crate::tables::raw::Taker;
use crate::tables::{ColumnDeclaration, FileFormat, OutputFormat, RawRow, StoredRow};
use neardupe_core::error::Result;
use std::path::Path;

/// Two documents and how similar they are.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedPair {
    /// One document.
    pub left: String,
    /// The other one.
    pub right: String,
    /// Their similarity.
    pub similarity: f64,
}

impl StoredRow for ListedPair {
    const COLUMNS: &'static [ColumnDeclaration] = &[
        column::<Text>("left", "One document."),
        column::<Text>("right", "The other one."),
        column::<Ratio>("similarity", "Their similarity."),
    ];

    fn from_raw(raw: RawRow) -> Result<Self, String> {
        let mut taker = Taker::new(Self::COLUMNS, raw.values);
        Ok(ListedPair {
            left: taker.take::<Text>()?,
            right: taker.take::<Text>()?,
            similarity: taker.take::<Ratio>()?,
        })
    }
}

/// A column of this type, which every row must have.
const fn column<T: ColumnType>(
    name: &'static str,
    meaning: &'static str,
) -> ColumnDeclaration {
    ColumnDeclaration {
        name,
        kind: T::KIND,
        values: T::VALUES,
        meaning,
        is_of_sides: false,
    }
}

/// Reads the pairs of a Parquet file with the columns `left`, `right` and `similarity`.
pub fn read_listed_pairs(path: &Path) -> Result<StoredRows<ListedPair>> {
    StoredRows::open(
        path.to_path_buf(),
        FileFormat::Of(OutputFormat::Parquet),
        None,
    )
}
