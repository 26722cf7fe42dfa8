//! The tables `sources` and `mirrors`.

use super::hosts::HostPair;
use super::pairs::takes_pairs;
use super::sort::Row;
use neardupe_core::error::Result;
use neardupe_io::output::OutputFormat;
use neardupe_io::output::table::Table;
use neardupe_io::result::ResultReader;
use neardupe_io::tables::{
    Layout, MirrorRow, Mirrors, PairSourceRow, SourceRow, Sources, SourcesOfPairs,
};
use std::borrow::Cow;
use std::path::Path;

/// What is written for a pair that was not looked at.
const NOT_LOOKED_AT: &str = "not-looked-at";

/// Writes the kinds of pairs as they come: of duplicates and what is kept, or of pairs.
pub struct SourcesTable(Kind);

enum Kind {
    Duplicates(Table<Sources>),
    Pairs(Table<SourcesOfPairs>),
}

impl SourcesTable {
    /// Begins the table for a result.
    pub fn create(
        folder: &Path,
        result: &ResultReader,
        format: OutputFormat,
    ) -> Result<Self> {
        let layout = Layout::default();
        Ok(SourcesTable(match takes_pairs(result)? {
            true => Kind::Pairs(Table::create(folder, &layout, format)?),
            false => Kind::Duplicates(Table::create(folder, &layout, format)?),
        }))
    }

    /// Adds a pair.
    pub fn row(&mut self, row: &Row<'_>) -> Result<()> {
        let (kind, reason) = match row.verdict {
            Some(verdict) => (verdict.kind.name(), verdict.reason.as_str()),
            None => (NOT_LOOKED_AT, "not in the sample"),
        };
        // Without them nobody can follow what is said of URLs.
        let reason = match row.urls {
            None => Cow::Borrowed(reason),
            Some([left, right]) => format!("{reason} [{left} | {right}]").into(),
        };
        let kind = Cow::Borrowed(kind);
        let (left, right) = (Cow::Borrowed(row.left), Cow::Borrowed(row.right));
        match &mut self.0 {
            Kind::Duplicates(table) => table.row(&SourceRow {
                id: left,
                duplicate_of: right,
                kind,
                reason,
            }),
            Kind::Pairs(table) => table.row(&PairSourceRow {
                left,
                right,
                kind,
                reason,
            }),
        }
    }

    /// Writes what is left.
    pub fn finish(self) -> Result<()> {
        match self.0 {
            Kind::Duplicates(table) => table.finish(),
            Kind::Pairs(table) => table.finish(),
        }
    }
}

/// Writes the table of hosts that have documents in common.
pub fn write_hosts(
    folder: &Path,
    hosts: &[HostPair],
    format: OutputFormat,
) -> Result<()> {
    let mut table = Table::<Mirrors>::create(folder, &Layout::default(), format)?;
    for hosts in hosts {
        // No host has no document: 0 says that it is not known.
        table.row(&MirrorRow {
            left: Cow::Borrowed(&hosts.left),
            right: Cow::Borrowed(&hosts.right),
            left_documents: hosts.left_documents.unwrap_or(0),
            right_documents: hosts.right_documents.unwrap_or(0),
            shared: hosts.shared,
            same_path: hosts.same_path,
            share: hosts.share().unwrap_or((0, 1)),
            verdict: hosts.verdict().into(),
        })?;
    }
    table.finish()
}
