//! What each filter of the join is worth, as a table for people.
//!
//! Times are of one run on a machine that others may use, so the last column has ratios to the
//! first row, which has all filters on. Settings that must agree are compared pair by pair; a
//! difference is an error of this program and is called one.

use crate::terminal::grouped;
use neardupe_core::pipeline::compare_filters::{ComparedSample, FilterRow};
use neardupe_jobs::summary::Summary;
use std::io::Write;

/// Prints the comparison, if there is one.
pub(super) fn show_filters(
    out: &mut impl Write,
    summary: &Summary,
) -> std::io::Result<()> {
    let Some(comparison) = &summary.filters else {
        return Ok(());
    };
    for sample in &comparison.samples {
        let which = match sample.one_in {
            1 => "all of the collection".to_owned(),
            one_in => format!("a sample, one in {}", grouped(one_in)),
        };
        writeln!(
            out,
            "\nfilters on {} sets of {} features ({which})",
            grouped(sample.sets),
            grouped(sample.features)
        )?;
        writeln!(
            out,
            "  {:<22}{:>16}{:>15}{:>13}{:>10}{:>12}{:>10}",
            "", "postings", "candidates", "verified", "found", "seconds", "of all on"
        )?;
        for row in &sample.rows {
            show_row(out, sample, row)?;
        }
    }
    let lossy = comparison.samples.iter().flat_map(|sample| &sample.rows);
    let lossy = lossy.filter(|row| !row.setting.is_exact());
    writeln!(
        out,
        "  {}",
        if comparison.agrees() {
            "all exact settings found the same pairs"
        } else {
            "ERROR: exact settings found different pairs; please report this as a bug"
        }
    )?;
    for row in lossy {
        let all = row.ledger.found + row.lost;
        #[expect(clippy::cast_precision_loss, reason = "shown")]
        let share = row.lost as f64 * 100.0 / all.max(1) as f64;
        writeln!(
            out,
            "  the signature filter lost {} of {} pairs, {share:.1} %",
            grouped(row.lost),
            grouped(all)
        )?;
    }
    Ok(())
}

/// One row: what a setting of the filters costs, and how it compares with all filters on.
fn show_row(
    out: &mut impl Write,
    sample: &ComparedSample,
    row: &FilterRow,
) -> std::io::Result<()> {
    let ledger = &row.ledger;
    // The first has all filters on.
    let whole = sample.rows.first().map_or(0.0, FilterRow::seconds);
    writeln!(
        out,
        "  {:<22}{:>16}{:>15}{:>13}{:>10}{:>12.3}{:>8.1} x",
        row.setting.to_string(),
        grouped(ledger.postings),
        grouped(ledger.candidates),
        grouped(ledger.verified),
        grouped(ledger.found),
        row.seconds(),
        row.seconds() / whole.max(1e-9),
    )
}
