//! Pairs of any table that has their ids and a similarity, ours or not.

use super::cell::{Kind, RawRow, Wanted};
use super::parquet::Parquet;
use super::rows::sealed::FromRaw;
use super::rows::{StoredRow, StoredRows, Taker, wanted};
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

impl StoredRow for ListedPair {}

impl FromRaw for ListedPair {
    #[expect(private_interfaces, reason = "sealed")]
    const COLUMNS: &'static [Wanted] = &[
        wanted("left", Kind::Text),
        wanted("right", Kind::Text),
        wanted("similarity", Kind::Ratio),
    ];

    #[expect(private_interfaces, reason = "sealed")]
    fn from_raw(raw: RawRow) -> Result<Self, String> {
        let mut taker = Taker::new(Self::COLUMNS, raw.values);
        Ok(ListedPair {
            left: taker.text()?,
            right: taker.text()?,
            similarity: taker.ratio()?,
        })
    }
}

/// Reads the pairs of a Parquet file with the columns `left`, `right` and `similarity`.
pub fn read_listed_pairs(path: &Path) -> Result<StoredRows<ListedPair>> {
    let reader = Parquet::open(path, ListedPair::COLUMNS)?;
    Ok(StoredRows::new(path.to_path_buf(), Box::new(reader), None))
}
