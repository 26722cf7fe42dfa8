//! What a table holds, whatever its format: columns with types, and rows of cells.

use neardupe_core::threshold::six_decimals;
use std::fs::File;
use std::io;

/// The names of a table and of what is in it.
pub struct Schema {
    /// The table, and its file without the ending: `pairs`.
    pub table: &'static str,
    /// One row of it: `pair`.
    pub row: &'static str,
    /// The columns in order.
    pub columns: Vec<Column>,
}

/// A column; its type is known before the first row, since Parquet needs it.
pub struct Column {
    /// Its name.
    pub name: String,
    /// What its values are.
    pub kind: ColumnKind,
}

/// The type of a column.
#[derive(Debug, Clone, Copy)]
pub enum ColumnKind {
    /// Text.
    Text,
    /// Text, or nothing.
    OptionalText,
    /// A whole number.
    Number,
    /// A whole number, or nothing.
    OptionalNumber,
    /// A ratio with six decimals.
    Ratio,
    /// A ratio, or nothing.
    OptionalRatio,
    /// A list of texts, with the name of one item: `member`.
    List(&'static str),
}

/// A value of a row.
pub enum Cell<'a> {
    /// Text.
    Text(&'a str),
    /// Text, or nothing.
    Maybe(Option<&'a str>),
    /// A whole number.
    Number(u64),
    /// A whole number, or nothing.
    MaybeNumber(Option<u64>),
    /// A ratio, written with six decimals.
    Ratio(u64, u64),
    /// A ratio, or nothing.
    MaybeRatio(Option<(u64, u64)>),
    /// A list of texts.
    List(&'a [&'a str]),
}

impl Schema {
    /// A table and its columns.
    pub fn new(
        table: &'static str,
        row: &'static str,
        columns: &[(&str, ColumnKind)],
    ) -> Self {
        let column = |&(name, kind): &(&str, ColumnKind)| Column {
            name: str::to_owned(name),
            kind,
        };
        Schema {
            table,
            row,
            columns: columns.iter().map(column).collect(),
        }
    }

    /// Whether these are the cells of a row of this table.
    pub fn fits(&self, cells: &[Cell<'_>]) -> bool {
        let mut both = self.columns.iter().zip(cells);
        self.columns.len() == cells.len()
            && both.all(|(column, cell)| column.kind.holds(cell))
    }
}

impl ColumnKind {
    fn holds(self, cell: &Cell<'_>) -> bool {
        matches!(
            (self, cell),
            (ColumnKind::Text, Cell::Text(_))
                | (ColumnKind::OptionalText, Cell::Maybe(_))
                | (ColumnKind::Number, Cell::Number(_))
                | (ColumnKind::OptionalNumber, Cell::MaybeNumber(_))
                | (ColumnKind::Ratio, Cell::Ratio(..))
                | (ColumnKind::OptionalRatio, Cell::MaybeRatio(_))
                | (ColumnKind::List(_), Cell::List(_))
        )
    }
}

impl Cell<'_> {
    /// A number as it is written, where it is one.
    pub fn number(&self) -> Option<String> {
        match *self {
            Cell::Number(number) | Cell::MaybeNumber(Some(number)) => {
                Some(number.to_string())
            }
            Cell::Ratio(part, whole) | Cell::MaybeRatio(Some((part, whole))) => {
                Some(six_decimals(part, whole))
            }
            _ => None,
        }
    }
}

/// A format in which rows are bytes that do not depend on the rows before: any thread can make
/// them.
pub trait RowFormat: Send + Sync {
    /// What stands before the first row.
    fn begin(&self, out: &mut Vec<u8>) -> io::Result<()>;

    /// A row that fits the schema of the table.
    fn row(&self, cells: &[Cell<'_>], out: &mut Vec<u8>) -> io::Result<()>;

    /// What stands after the last row.
    fn end(&self, out: &mut Vec<u8>) -> io::Result<()>;
}

/// Takes the rows of a file.
pub trait RowWriter {
    /// Adds a row that fits the schema of the table.
    fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()>;

    /// Hands all that is left to the system and gives the file back, to be synced.
    fn finish(self: Box<Self>) -> io::Result<File>;
}
