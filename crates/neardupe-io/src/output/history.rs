//! The tables of `history`: every comparison, and every id with what follows for it.

use super::format::OutputFormat;
use super::row::{Cell, ColumnKind, Schema};
use super::table::Table;
use neardupe_core::error::Result;
use neardupe_core::pipeline::history::HistoryResult;
use neardupe_core::pipeline::history::rules::PRIORITY_PARTS;
use std::path::Path;

/// Microseconds of a day.
const DAY: u64 = 86_400_000_000;

/// Writes `history` (a row for each comparison) and `revisit` (a row for each id).
pub fn write_history(
    folder: &Path,
    result: &HistoryResult,
    format: OutputFormat,
) -> Result<()> {
    write_comparisons(folder, result, format)?;
    write_ids(folder, result, format)
}

fn write_comparisons(
    folder: &Path,
    result: &HistoryResult,
    format: OutputFormat,
) -> Result<()> {
    let columns = [
        ("id", ColumnKind::Text),
        ("date", ColumnKind::OptionalText),
        ("before", ColumnKind::OptionalText),
        ("status", ColumnKind::Text),
        ("distance", ColumnKind::Number),
    ];
    let schema = Schema::new("history", "comparison", &columns);
    let mut table = Table::create(folder, &schema, format)?;
    result.for_each_comparison(|one| {
        let date = one.date.map(|date| date.to_string());
        let before = one.before.map(|date| date.to_string());
        table.row(&[
            Cell::Text(&one.id),
            Cell::Maybe(date.as_deref()),
            Cell::Maybe(before.as_deref()),
            Cell::Text(one.status.name()),
            Cell::Number(u64::from(one.distance)),
        ])
    })?;
    table.finish()
}

fn write_ids(folder: &Path, result: &HistoryResult, format: OutputFormat) -> Result<()> {
    let columns = [
        ("id", ColumnKind::Text),
        ("versions", ColumnKind::Number),
        ("date", ColumnKind::OptionalText),
        ("status", ColumnKind::Text),
        ("distance", ColumnKind::OptionalNumber),
        ("priority", ColumnKind::Ratio),
        ("interval_days", ColumnKind::OptionalRatio),
        ("suggestion", ColumnKind::Text),
        ("visited", ColumnKind::Text),
    ];
    let schema = Schema::new("revisit", "document", &columns);
    let mut table = Table::create(folder, &schema, format)?;
    result.for_each_id(None, |one| {
        let date = one.date.map(|date| date.to_string());
        table.row(&[
            Cell::Text(&one.id),
            Cell::Number(one.num_versions),
            Cell::Maybe(date.as_deref()),
            Cell::Text(one.status.name()),
            Cell::MaybeNumber(one.distance.map(u64::from)),
            Cell::Ratio(one.priority, PRIORITY_PARTS),
            Cell::MaybeRatio(one.interval.map(|micros| (micros, DAY))),
            Cell::Text(one.suggestion.name()),
            Cell::Text(match one.visited {
                true => "yes",
                false => "no",
            }),
        ])
    })?;
    table.finish()
}
