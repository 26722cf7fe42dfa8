//! The tables `sources` and `mirrors`.
//!
//! Rows are written while pairs are sorted, so the tables take no memory. Which of two tables it
//! is depends on the result: `sources` of duplicates, or `sources` of pairs.

use super::hosts::HostPair;
use super::pairs::takes_pairs;
use super::sort::SortedPair;
use neardupe_core::error::Result;
use neardupe_core::ratio::Ratio;
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

/// Writes the kinds of pairs while they are sorted: of duplicates and what is kept, or of pairs.
pub struct SourcesTable(SourcesOf);

/// Which table it is. The columns differ in what the two documents are called.
enum SourcesOf {
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
        Ok(SourcesTable(if takes_pairs(result)? {
            SourcesOf::Pairs(Table::create(folder, &layout, format)?)
        } else {
            SourcesOf::Duplicates(Table::create(folder, &layout, format)?)
        }))
    }

    /// Adds a pair.
    pub fn row(&mut self, row: &SortedPair<'_>) -> Result<()> {
        let (kind, reason) = match row.verdict {
            Some(verdict) => (verdict.kind.name(), verdict.reason.as_str()),
            None => (NOT_LOOKED_AT, "not in the sample"),
        };
        // Without them a reader cannot check reasons that are about URLs.
        let reason = match row.urls {
            None => Cow::Borrowed(reason),
            Some([left, right]) => format!("{reason} [{left} | {right}]").into(),
        };
        let kind = Cow::Borrowed(kind);
        let (left, right) = (Cow::Borrowed(row.left), Cow::Borrowed(row.right));
        match &mut self.0 {
            SourcesOf::Duplicates(table) => table.row(&SourceRow {
                id: left,
                duplicate_of: right,
                kind,
                reason,
            }),
            SourcesOf::Pairs(table) => table.row(&PairSourceRow {
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
            SourcesOf::Duplicates(table) => table.finish(),
            SourcesOf::Pairs(table) => table.finish(),
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
            share: hosts.share().unwrap_or(Ratio::new(0, 1)),
            verdict: hosts.verdict().into(),
        })?;
    }
    table.finish()
}
