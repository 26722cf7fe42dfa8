//! The page of a study: its figures, and what they say in a table.

use crate::report::{LineChart, PageParts, page_of_figures};
use neardupe_core::error::{Error, Result};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Writes `report.html`, and each figure as a file of `figures`. `tables` are shown first: a
/// heading, names of columns, rows.
pub fn write_study_page(
    folder: &Path,
    summary: &Value,
    parts: &PageParts,
    figures: &[LineChart],
) -> Result<()> {
    let failed = |path: &Path, error| Error::io(path, error);
    let drawn = folder.join("figures");
    fs::create_dir_all(&drawn).map_err(|error| failed(&drawn, error))?;
    for figure in figures {
        let path = drawn.join(format!("{}.svg", figure.name));
        fs::write(&path, figure.file()).map_err(|error| failed(&path, error))?;
    }
    let path = folder.join(crate::report::REPORT);
    let page = page_of_figures(summary, parts, figures);
    fs::write(&path, page).map_err(|error| failed(&path, error))
}
