//! `grid.csv`: the settings of a study, one row each.
//!
//! Not one of the declared tables of `neardupe_io`: each study has columns of its own, in an order
//! of its own (`kind/study/grid`), and programs find the same rows in `summary.json`, as objects whose
//! values have types.

use super::tables::write;
use neardupe_core::error::Result;
use std::io::Write;
use std::path::Path;

/// Writes `grid.csv`.
pub fn write_grid(folder: &Path, head: &[&str], rows: &[Vec<String>]) -> Result<()> {
    write(folder, "grid.csv", |out| {
        writeln!(out, "{}", head.join(","))?;
        for row in rows {
            let cells: Vec<String> = row.iter().map(|cell| quoted(cell)).collect();
            writeln!(out, "{}", cells.join(","))?;
        }
        Ok(())
    })
}

/// A cell as RFC 4180 has it: options have commas.
fn quoted(cell: &str) -> String {
    match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_and_quotes_stay_within_their_cell() {
        assert_eq!(quoted("imatch:0.1-1.0,10"), "\"imatch:0.1-1.0,10\"");
        assert_eq!(quoted("a \"b\""), "\"a \"\"b\"\"\"");
        assert_eq!(quoted("words:5"), "words:5");
    }
}
