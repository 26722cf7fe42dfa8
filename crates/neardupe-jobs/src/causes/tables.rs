//! The tables `sources` and `mirrors`.

use super::hosts::HostPair;
use super::pairs::takes_pairs;
use super::sort::Row;
use neardupe_core::error::Result;
use neardupe_io::output::OutputFormat;
use neardupe_io::output::row::{Cell, ColumnKind, Schema};
use neardupe_io::output::table::Table;
use neardupe_io::result::ResultReader;
use std::path::Path;

/// What is written for a pair that was not looked at.
const NOT_LOOKED_AT: &str = "not-looked-at";

/// The columns of the table of pairs.
pub struct SourcesSchema(Schema);

impl SourcesSchema {
    /// The columns for a result: of duplicates and what is kept, or of pairs.
    pub fn new(result: &ResultReader) -> Result<Self> {
        let names = match takes_pairs(result)? {
            true => ["left", "right"],
            false => ["id", "duplicate_of"],
        };
        let columns = [
            (names[0], ColumnKind::Text),
            (names[1], ColumnKind::Text),
            ("kind", ColumnKind::Text),
            ("reason", ColumnKind::Text),
        ];
        Ok(SourcesSchema(Schema::new("sources", "pair", &columns)))
    }
}

/// Writes the kinds of pairs as they come.
pub struct SourcesTable<'a>(Table<'a>);

impl<'a> SourcesTable<'a> {
    /// Begins the table.
    pub fn create(
        folder: &Path,
        schema: &'a SourcesSchema,
        format: OutputFormat,
    ) -> Result<Self> {
        Table::create(folder, &schema.0, format).map(SourcesTable)
    }

    /// Adds a pair.
    pub fn row(&mut self, row: &Row<'_>) -> Result<()> {
        let (kind, reason) = match row.verdict {
            Some(verdict) => (verdict.kind.name(), verdict.reason.as_str()),
            None => (NOT_LOOKED_AT, "not in the sample"),
        };
        // Without them nobody can follow what is said of URLs.
        let reason = match row.urls {
            None => reason.to_owned(),
            Some([left, right]) => format!("{reason} [{left} | {right}]"),
        };
        self.0.row(&[
            Cell::Text(row.left),
            Cell::Text(row.right),
            Cell::Text(kind),
            Cell::Text(&reason),
        ])
    }

    /// Writes what is left.
    pub fn finish(self) -> Result<()> {
        self.0.finish()
    }
}

/// Writes the table of hosts that have documents in common.
pub fn write_hosts(
    folder: &Path,
    hosts: &[HostPair],
    format: OutputFormat,
) -> Result<()> {
    let columns = [
        ("left", ColumnKind::Text),
        ("right", ColumnKind::Text),
        ("left_documents", ColumnKind::Number),
        ("right_documents", ColumnKind::Number),
        ("shared", ColumnKind::Number),
        ("same_path", ColumnKind::Number),
        ("share", ColumnKind::Ratio),
        ("verdict", ColumnKind::Text),
    ];
    let schema = Schema::new("mirrors", "hosts", &columns);
    let mut table = Table::create(folder, &schema, format)?;
    for hosts in hosts {
        // No host has no document: 0 says that it is not known.
        let (shared, smaller) = hosts.share().unwrap_or((0, 1));
        table.row(&[
            Cell::Text(&hosts.left),
            Cell::Text(&hosts.right),
            Cell::Number(hosts.left_documents.unwrap_or(0)),
            Cell::Number(hosts.right_documents.unwrap_or(0)),
            Cell::Number(hosts.shared),
            Cell::Number(hosts.same_path),
            Cell::Ratio(shared, smaller),
            Cell::Text(hosts.verdict()),
        ])?;
    }
    table.finish()
}
