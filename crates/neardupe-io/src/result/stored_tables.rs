//! The tables of a result folder, of whatever command, as typed rows or record batches.

use super::folder::{file_of, with_summary};
use super::rows::{RawRows, StoredRows};
use crate::tables::{
    Batches, Clusters, Copies, Declaration, Declared, Duplicates, FileFormat, Formats,
    Layout, OutputFormat, Pairs, Passages, RawRow, Schema, tables,
};
use neardupe_core::error::{Error, Result};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The tables that a result has.
#[derive(Debug)]
pub struct StoredTables {
    /// The folder with the tables.
    folder: PathBuf,
    /// `summary.json` as it is.
    summary: Value,
    /// Sides and metadata of the job, which decide about columns.
    layout: Layout,
}

impl StoredTables {
    /// Opens a result of any command, or the one inside an output of `dedup`.
    pub fn open(path: &Path) -> Result<Self> {
        let shown = path.display().to_string();
        let Some(folder) = with_summary(path) else {
            let message = "not a result of neardupe: it has no summary.json";
            return Err(Error::input(shown, message));
        };
        let path = folder.join("summary.json");
        let text =
            std::fs::read_to_string(&path).map_err(|error| Error::io(&path, error))?;
        let summary: Value =
            serde_json::from_str(&text).map_err(|error| Error::Corrupt {
                path,
                message: format!("line {}: {error}", error.line()),
            })?;
        if summary["program"] != "neardupe" {
            return Err(Error::input(shown, "not a result of neardupe"));
        }
        // The columns of a table depend on the options of the job, which the summary has.
        let list = |name: &str| {
            let values = summary["options"][name].as_array().into_iter().flatten();
            let values = values.filter_map(Value::as_str).map(str::to_owned);
            values.collect::<Vec<_>>()
        };
        Ok(StoredTables {
            layout: Layout::new(!list("against").is_empty(), &list("meta-key")),
            folder,
            summary,
        })
    }

    /// The tables that are there.
    pub fn tables(&self) -> Result<Vec<&'static Declaration>> {
        let mut found: Vec<&'static Declaration> = Vec::new();
        for table in tables() {
            if found.iter().all(|other| other.name != table.name)
                && let Some(table) = self.table(table.name)?
            {
                found.push(table);
            }
        }
        Ok(found)
    }

    /// The table of a name, if the result has it.
    pub fn table(&self, name: &str) -> Result<Option<&'static Declaration>> {
        let mut known: Vec<&'static Declaration> = Vec::new();
        for table in tables().filter(|table| table.name == name) {
            if self.file(table).is_some() {
                known.push(table);
            }
        }
        // Two tables may share a name: the first row shows which one it is.
        while known.len() > 1 {
            let mut rows = self.raw_rows(known[0])?;
            match rows.next(|row| Ok((known[0].check)(row).is_ok())) {
                None | Some(Ok(true)) => known.truncate(1),
                Some(Ok(false)) => drop(known.remove(0)),
                Some(Err(error)) => return Err(error),
            }
        }
        Ok(known.first().copied())
    }

    /// The rows of a table.
    pub fn rows<T: Declared>(&self) -> Result<StoredRows<T::Stored>> {
        let (path, format) = self.needed(T::DECLARATION)?;
        StoredRows::open(path, format, self.expected(T::DECLARATION))
    }

    /// A table as record batches: the same values whatever the format of the file.
    pub fn batches(&self, table: &'static Declaration) -> Result<Batches<'static>> {
        let mut raw = self.raw_rows(table)?;
        let layout = &self.layout;
        let schema = Schema::of(table, layout);
        let declared = table.columns.iter().enumerate();
        let columns: Vec<usize> = declared
            .filter(|(_, column)| layout.has_sides || !column.is_of_sides)
            .map(|(at, _)| at)
            .collect();
        let fields = if table.has_metadata {
            layout.metadata().to_vec()
        } else {
            Vec::new()
        };
        let known = fields.clone();
        let has_sides = layout.has_sides;
        let check = move |row: RawRow| {
            (table.check)(row.clone())?;
            check_columns(&row, table, has_sides, &known)?;
            Ok(row)
        };
        let rows = std::iter::from_fn(move || raw.next(&check));
        Ok(Batches::made(
            table.name,
            &schema,
            rows,
            move |row, batch| batch.raw_row(row, &columns, &fields),
        ))
    }

    /// The file of a table and its format, if it is there.
    fn file(&self, table: &Declaration) -> Option<(PathBuf, FileFormat)> {
        // These have one format always; the format of the job says nothing about them.
        if matches!(table.formats, Formats::Csv | Formats::Tsv) {
            let format = table.formats.of(OutputFormat::default());
            let path = self
                .folder
                .join(format!("{}.{}", table.name, format.name()));
            return path.is_file().then_some((path, format));
        }
        let own = self.summary["options"]["output-format"].as_str();
        let own = own.and_then(|name| name.parse().ok()).unwrap_or_default();
        let own = Some(table.formats.of(own).name());
        file_of(&self.folder, table.name, own)
            .map(|(path, format)| (path, FileFormat::Of(format)))
    }

    /// The file of a table, which must be there.
    fn needed(&self, table: &Declaration) -> Result<(PathBuf, FileFormat)> {
        self.file(table).ok_or_else(|| {
            let message = format!("the result has no table of {}", table.name);
            Error::input(self.folder.display().to_string(), message)
        })
    }

    /// The rows of a table before they have a type.
    fn raw_rows(&self, table: &'static Declaration) -> Result<RawRows> {
        let (path, format) = self.needed(table)?;
        RawRows::open(path, format, table.columns, self.expected(table))
    }

    /// How many rows a table must have, where the summary says it.
    fn expected(&self, table: &Declaration) -> Option<u64> {
        let counted = [
            Pairs::DECLARATION,
            Clusters::DECLARATION,
            Duplicates::DECLARATION,
            Passages::DECLARATION,
            Copies::DECLARATION,
        ];
        let is_counted = counted.iter().any(|one| one.name == table.name);
        let count = self.summary["counts"][table.name].as_u64();
        count.filter(|_| is_counted)
    }
}

/// Refuses a row with values that the batches would lose.
fn check_columns(
    row: &RawRow,
    table: &Declaration,
    has_sides: bool,
    fields: &[String],
) -> Result<(), String> {
    let mut values = table.columns.iter().zip(&row.values);
    // Batches have the columns that the summary implies; a value beyond them would be lost
    // silently.
    let side = values.find(|(column, value)| column.is_of_sides && value.is_some());
    if let Some((column, _)) = side
        && !has_sides
    {
        let name = column.name;
        return Err(format!("{name:?}, but summary.json names no old documents"));
    }
    let mut unknown = row.metadata.iter();
    match unknown.find(|(name, _)| !fields.contains(name)) {
        None => Ok(()),
        Some((name, _)) => Err(format!(
            "metadata {name:?}, but summary.json says that it was not asked for"
        )),
    }
}
