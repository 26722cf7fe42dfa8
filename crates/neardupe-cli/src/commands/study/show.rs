//! Tables of a study on a terminal.
//!
//! Tables are those of the page, cell by cell, so that the terminal and the browser never disagree.
//! Columns are as wide as their widest cell; nothing is cut, since a cut number would be a wrong
//! one.

use crate::terminal::grouped;
use anyhow::Result;
use neardupe_jobs::kind::study::StudyOutcome;
use neardupe_jobs::report::{PageTable, REPORT};
use std::io::Write;

/// Prints what came of a study.
pub(super) fn show<F>(out: &mut dyn Write, outcome: &StudyOutcome<F>) -> Result<()> {
    print_tables(out, &outcome.tables)?;
    if let Some(path) = &outcome.saved {
        writeln!(out, "the plan is in {}\n", path.display())?;
    }
    for finding in &outcome.summary.findings {
        writeln!(out, "{finding}")?;
    }
    if outcome.bad_records > 0 {
        writeln!(
            out,
            "\n{} bad records were left out; `neardupe find` on the same input lists them",
            grouped(outcome.bad_records)
        )?;
    }
    let output = outcome.output.display();
    writeln!(
        out,
        "\nwritten to {output}; to look at it, open {output}/{REPORT}"
    )?;
    Ok(())
}

/// Prints tables: the first column to the left, the others to the right.
///
/// Tables without rows are passed over; a study has some of them only with certain options.
pub(super) fn print_tables(out: &mut dyn Write, tables: &[PageTable]) -> Result<()> {
    for table in tables.iter().filter(|table| !table.rows.is_empty()) {
        writeln!(out, "{}\n", table.title)?;
        let rows = || std::iter::once(&table.head).chain(&table.rows);
        // Width in characters, the header included, so that columns line up for any alphabet.
        let width = |column: usize| {
            let cells = rows().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..table.head.len()).map(width).collect();
        for row in rows() {
            let mut line = String::from(" ");
            for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
                line += &match column {
                    0 => format!(" {cell:<width$}"),
                    _ => format!("  {cell:>width$}"),
                };
            }
            writeln!(out, "{}", line.trim_end())?;
        }
        writeln!(out)?;
    }
    Ok(())
}
