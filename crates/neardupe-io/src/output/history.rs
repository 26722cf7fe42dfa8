//! The tables of `history`: every comparison, and every id with what follows for it.

use super::rows_of::RowsOf;
use super::table::Table;
use crate::tables::{
    Batches, ComparisonRow, Comparisons, Declared, Layout, OutputFormat, RevisitRow,
    Revisits,
};
use neardupe_core::error::Result;
use neardupe_core::pipeline::history::HistoryResult;
use neardupe_core::pipeline::history::rules::PRIORITY_PARTS;
use neardupe_core::ratio::Ratio;
use std::path::Path;

/// Microseconds of a day.
const DAY: u64 = 86_400_000_000;

/// Writes `history` (a row for each comparison) and `revisit` (a row for each id).
pub fn write_history(
    folder: &Path,
    result: &HistoryResult,
    format: OutputFormat,
) -> Result<()> {
    write::<Comparisons>(folder, result, format)?;
    write::<Revisits>(folder, result, format)
}

/// Writes one table.
fn write<T: RowsOf<HistoryResult>>(
    folder: &Path,
    result: &HistoryResult,
    format: OutputFormat,
) -> Result<()> {
    let layout = Layout::default();
    let mut table = Table::<T>::create(folder, &layout, format)?;
    table.rows(T::rows(result, &layout).into_iter().flatten())?;
    table.finish()
}

/// A table of a history as record batches, with the values that its file would have; none if
/// there is no such table.
pub fn history_batches<'a>(
    result: &'a HistoryResult,
    table: &str,
) -> Option<Batches<'a>> {
    let layout = Layout::default();
    if table == Comparisons::DECLARATION.name {
        let rows = Comparisons::rows(result, &layout);
        return rows.map(|rows| Batches::of::<Comparisons>(rows, &layout));
    }
    if table == Revisits::DECLARATION.name {
        let rows = Revisits::rows(result, &layout);
        return rows.map(|rows| Batches::of::<Revisits>(rows, &layout));
    }
    None
}

impl RowsOf<HistoryResult> for Comparisons {
    fn rows<'a>(
        result: &'a HistoryResult,
        _layout: &Layout,
    ) -> Option<impl Iterator<Item = Result<ComparisonRow<'a>>> + Send + use<'a>> {
        Some(result.each_comparison().map(|one| {
            let one = one?;
            Ok(ComparisonRow {
                id: one.id.into(),
                date: one.date.map(|date| date.to_string().into()),
                before: one.before.map(|date| date.to_string().into()),
                status: one.status.name().into(),
                distance: one.distance.into(),
            })
        }))
    }
}

impl RowsOf<HistoryResult> for Revisits {
    fn rows<'a>(
        result: &'a HistoryResult,
        _layout: &Layout,
    ) -> Option<impl Iterator<Item = Result<RevisitRow<'a>>> + Send + use<'a>> {
        Some(result.each_id().map(|one| {
            let one = one?;
            Ok(RevisitRow {
                id: one.id.into(),
                versions: one.num_versions,
                date: one.date.map(|date| date.to_string().into()),
                status: one.status.name().into(),
                distance: one.distance.map(u64::from),
                priority: Ratio::new(one.priority, PRIORITY_PARTS),
                interval_days: one.interval.map(|micros| Ratio::new(micros, DAY)),
                suggestion: one.suggestion.name().into(),
                visited: one.visited,
            })
        }))
    }
}
