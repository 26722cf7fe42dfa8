//! Tables of a study on a terminal.

use crate::terminal::grouped;
use anyhow::Result;
use neardupe_jobs::report::PageTable;
use std::io::Write;

/// A count with its thousands apart.
pub(super) fn count(number: u64) -> String {
    grouped(number)
}

/// A share with three decimals; what is not known is left out. What is not all is not told as 1.
pub(super) fn share(value: Option<f64>) -> String {
    match value {
        None => String::new(),
        Some(value) if value < 1.0 => format!("{:.3}", value.min(0.999)),
        Some(value) => format!("{value:.3}"),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_all_is_not_told_as_all() {
        assert_eq!(share(Some(0.999_999)), "0.999");
        assert_eq!(share(Some(1.0)), "1.000");
        assert_eq!(share(None), "");
    }
}
