//! Tables of a study on a terminal.

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
pub(super) fn print_tables(out: &mut dyn Write, tables: &[PageTable]) -> Result<()> {
    for table in tables.iter().filter(|table| !table.rows.is_empty()) {
        writeln!(out, "{}\n", table.title)?;
        let rows = || std::iter::once(&table.head).chain(&table.rows);
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
