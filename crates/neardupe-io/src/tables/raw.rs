//! What a table holds before it is known what the rows mean: the twin of `cell`.
//!
//! A format that is read back knows texts, numbers and lists, but not what a column is for. Rows
//! stay in this form until their table makes a typed row of them and checks what no format can:
//! that an overlap is not larger than its sets.

use super::cell::ColumnKind;
use super::declaration::ColumnDeclaration;

/// Columns of this beginning carry metadata; their names are free.
pub(crate) const METADATA: &str = "metadata.";

/// A value that was read.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Text.
    Text(String),
    /// A whole number.
    Number(u64),
    /// A whole number that may be negative.
    Integer(i64),
    /// A ratio, or another number with decimals.
    Ratio(f64),
    /// A list of texts.
    List(Vec<String>),
}

/// A row that was read: the declared columns in their order, then the metadata by name.
#[derive(Debug, Clone, Default)]
pub struct RawRow {
    /// One per declared column; None where the file has no value.
    pub(crate) values: Vec<Option<Value>>,
    /// Metadata as the file has them.
    pub(crate) metadata: Vec<(String, Option<String>)>,
}

impl RawRow {
    /// A row without values.
    pub(crate) fn new(columns: &[ColumnDeclaration]) -> Self {
        RawRow {
            values: vec![None; columns.len()],
            metadata: Vec::new(),
        }
    }
}

impl Value {
    /// Whether it is a value of a column of this type.
    pub(crate) fn is_of(&self, kind: ColumnKind) -> bool {
        matches!(
            (kind, self),
            (ColumnKind::Text | ColumnKind::OptionalText, Value::Text(_))
                | (
                    ColumnKind::Number | ColumnKind::OptionalNumber,
                    Value::Number(_)
                )
                // Files write a whole number without its sign, so a column of signed ones
                // takes both.
                | (ColumnKind::Integer, Value::Integer(_) | Value::Number(_))
                | (
                    ColumnKind::Ratio
                        | ColumnKind::OptionalRatio
                        | ColumnKind::Decimal
                        | ColumnKind::OptionalDecimal,
                    Value::Ratio(_)
                )
                | (ColumnKind::List(_), Value::List(_))
        )
    }
}

/// What a column of a file is.
pub(crate) enum KnownColumn<'a> {
    /// The declared column of this number.
    Declared(usize, ColumnKind),
    /// Metadata of this name.
    Metadata(&'a str),
    /// Nothing that is declared: a later version may write more.
    Other,
}

/// What the column of a name is.
pub(crate) fn known<'a>(columns: &[ColumnDeclaration], name: &'a str) -> KnownColumn<'a> {
    match columns.iter().position(|column| column.name == name) {
        Some(at) => KnownColumn::Declared(at, columns[at].kind),
        None => match name.strip_prefix(METADATA) {
            Some(field) => KnownColumn::Metadata(field),
            None => KnownColumn::Other,
        },
    }
}

/// A value of a format that has only texts.
pub(crate) fn typed(kind: ColumnKind, text: String) -> Result<Value, String> {
    let wrong = |what: &str| format!("{text:?} is not {what}");
    match kind {
        ColumnKind::Text | ColumnKind::OptionalText => Ok(Value::Text(text)),
        ColumnKind::Number | ColumnKind::OptionalNumber => {
            let number = text.parse().map_err(|_| wrong("a whole number"))?;
            Ok(Value::Number(number))
        }
        ColumnKind::Integer => {
            let number = text.parse().map_err(|_| wrong("a whole number"))?;
            Ok(Value::Integer(number))
        }
        ColumnKind::Ratio
        | ColumnKind::OptionalRatio
        | ColumnKind::Decimal
        | ColumnKind::OptionalDecimal => {
            let ratio = text.parse().map_err(|_| wrong("a number"))?;
            Ok(Value::Ratio(ratio))
        }
        ColumnKind::List(_) => {
            let items = serde_json::from_str(&text);
            Ok(Value::List(items.map_err(|_| wrong("a list of texts"))?))
        }
    }
}

/// Takes the values of a row one after the other.
pub(crate) struct Taker {
    /// Columns whose values are still to come.
    columns: std::slice::Iter<'static, ColumnDeclaration>,
    /// The values, in the same order.
    values: std::vec::IntoIter<Option<Value>>,
}

impl Taker {
    /// Begins with the first column. There must be a value for each column.
    pub(crate) fn new(
        columns: &'static [ColumnDeclaration],
        values: Vec<Option<Value>>,
    ) -> Self {
        Taker {
            columns: columns.iter(),
            values: values.into_iter(),
        }
    }

    /// The next value, as the type of its column has it.
    pub(crate) fn take<T: super::column::ColumnType>(
        &mut self,
    ) -> Result<T::Stored, String> {
        let name = self.columns.next().map_or("", |column| column.name);
        T::stored(name, self.values.next().flatten())
    }
}
