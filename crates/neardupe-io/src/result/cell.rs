//! What a table holds before it is known what the rows mean: the twin of `output/row.rs`.

use neardupe_core::error::{Error, Result};
use std::path::Path;

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Number,
    Ratio,
    List,
}

/// A column that a table must or may have. Other columns are passed over: a later version
/// may write more.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) required: bool,
}

/// Columns of this beginning carry metadata; their names are free.
pub(super) const METADATA: &str = "metadata.";

/// A value of a row.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Text(String),
    Number(u64),
    Ratio(f64),
    List(Vec<String>),
}

/// A row: the wanted columns in their order, then the metadata by name.
#[derive(Debug, Default)]
pub(super) struct RawRow {
    pub(super) values: Vec<Option<Value>>,
    pub(super) metadata: Vec<(String, Option<String>)>,
}

impl RawRow {
    pub(super) fn new(columns: &[Wanted]) -> Self {
        RawRow {
            values: vec![None; columns.len()],
            metadata: Vec::new(),
        }
    }
}

/// One format: turns the bytes of a file into rows.
pub(super) trait RowReader {
    /// The next row, or none at the end of a complete file.
    fn next_row(&mut self) -> Result<Option<RawRow>>;

    /// Where the last row was: `line 7`.
    fn place(&self) -> String;
}

/// What a column is.
pub(super) enum Known<'a> {
    /// The wanted column of this number.
    Wanted(usize, Kind),
    /// Metadata of this name.
    Metadata(&'a str),
    /// Nothing that is asked for.
    Other,
}

/// What the column of a name is.
pub(super) fn known<'a>(columns: &[Wanted], name: &'a str) -> Known<'a> {
    match columns.iter().position(|column| column.name == name) {
        Some(at) => Known::Wanted(at, columns[at].kind),
        None => match name.strip_prefix(METADATA) {
            Some(field) => Known::Metadata(field),
            None => Known::Other,
        },
    }
}

/// A value of a format that has only texts.
pub(super) fn typed(kind: Kind, text: String) -> Result<Value, String> {
    let wrong = |what: &str| format!("{text:?} is not {what}");
    match kind {
        Kind::Text => Ok(Value::Text(text)),
        Kind::Number => {
            let number = text.parse().map_err(|_| wrong("a whole number"))?;
            Ok(Value::Number(number))
        }
        Kind::Ratio => {
            let ratio = text.parse().map_err(|_| wrong("a number"))?;
            Ok(Value::Ratio(ratio))
        }
        Kind::List => {
            let items = serde_json::from_str(&text);
            Ok(Value::List(items.map_err(|_| wrong("a list of texts"))?))
        }
    }
}

/// A damaged place of a file.
pub(super) fn damaged(path: &Path, place: &str, what: impl AsRef<str>) -> Error {
    Error::Corrupt {
        path: path.to_path_buf(),
        message: format!("{place}: {}", what.as_ref()),
    }
}
