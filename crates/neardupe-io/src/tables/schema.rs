//! The columns of one file: those that are declared, as far as the job has them, and one for each
//! metadata field.

use super::cell::{Cell, ColumnKind};
use super::declaration::Declaration;
use super::raw::METADATA;

/// What of a table depends on the job.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Layout {
    /// New documents were compared with old ones, so rows name the side of each document.
    pub has_sides: bool,
    /// Metadata fields that become columns, each once: readers of Parquet refuse equal names.
    metadata: Vec<String>,
    /// Their places among those that were asked for.
    places: Vec<usize>,
    /// The names of columns that depend on the job, for a table that declares how they are named.
    pub more: Vec<String>,
}

impl Layout {
    /// The layout of a job, with the metadata fields that were asked for.
    pub fn new(has_sides: bool, metadata: &[String]) -> Self {
        let first = |&at: &usize| !metadata[..at].contains(&metadata[at]);
        let places: Vec<usize> = (0..metadata.len()).filter(first).collect();
        Layout {
            has_sides,
            metadata: places.iter().map(|&at| metadata[at].clone()).collect(),
            places,
            more: Vec::new(),
        }
    }

    /// Of the values of all fields that were asked for those of each field once.
    pub fn distinct(&self, mut values: Vec<Option<String>>) -> Vec<Option<String>> {
        if values.len() == self.places.len() {
            return values;
        }
        let value = |&at: &usize| values.get_mut(at).and_then(Option::take);
        self.places.iter().map(value).collect()
    }

    /// The metadata fields, each once.
    pub fn metadata(&self) -> &[String] {
        &self.metadata
    }
}

/// The names of a table and of what is in it.
#[derive(Debug)]
pub struct Schema {
    /// The table, and its file without the ending: `pairs`.
    pub table: &'static str,
    /// One row of it: `pair`.
    pub row: &'static str,
    /// The columns in order.
    pub columns: Vec<Column>,
    /// How many of them are declared; metadata follow.
    pub num_declared: usize,
}

/// A column; its type is known before the first row, since Parquet needs it.
#[derive(Debug)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// What its values are.
    pub kind: ColumnKind,
}

impl Schema {
    /// The columns that a table has in a job.
    pub fn of(table: &Declaration, layout: &Layout) -> Self {
        let declared = table
            .columns
            .iter()
            .filter(|column| layout.has_sides || !column.is_of_sides);
        let mut columns: Vec<Column> = declared
            .map(|column| Column {
                name: column.name.to_owned(),
                kind: column.kind,
            })
            .collect();
        let num_declared = columns.len();
        if table.has_metadata {
            columns.extend(layout.metadata.iter().map(|name| Column {
                name: format!("{METADATA}{name}"),
                kind: ColumnKind::OptionalText,
            }));
        }
        if table.more.is_some() {
            columns.extend(layout.more.iter().map(|name| Column {
                name: name.clone(),
                kind: ColumnKind::Text,
            }));
        }
        Schema {
            table: table.name,
            row: table.row,
            columns,
            num_declared,
        }
    }

    /// Any columns.
    #[cfg(test)]
    pub(crate) fn new(
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
            num_declared: columns.len(),
        }
    }

    /// Whether these are the cells of a row of this table.
    pub(crate) fn fits(&self, cells: &[Cell<'_>]) -> bool {
        let mut both = self.columns.iter().zip(cells);
        self.columns.len() == cells.len()
            && both.all(|(column, cell)| column.kind.holds(cell))
    }
}
