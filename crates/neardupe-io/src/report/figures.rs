//! A page of tables and figures: what a study or an evaluation shows.

use super::lines::LineChart;
use super::shell::{Text, foot, inputs, options, whole_page};
use maud::html;
use serde_json::Value;

/// Bytes of a first finding that is shown as a heading.
const LONGEST_LEAD: usize = 140;

/// What stands before the figures.
#[derive(Debug, Default)]
pub struct PageParts {
    /// What was done, as a heading.
    pub title: String,
    /// What came out, a sentence each.
    pub findings: Vec<String>,
    /// Tables.
    pub tables: Vec<PageTable>,
}

/// A table of a page.
#[derive(Debug, Default)]
pub struct PageTable {
    /// What it shows.
    pub title: String,
    /// Names of the columns.
    pub head: Vec<String>,
    /// Rows, the first cell a name.
    pub rows: Vec<Vec<String>>,
}

/// Makes the page.
pub fn page_of_figures(
    summary: &Value,
    parts: &PageParts,
    figures: &[LineChart],
) -> String {
    let inputs = inputs(summary["options"].get("inputs"));
    let title = html! { (Text(&parts.title)) ": " (Text(&inputs)) };
    let body = html! {
        header {
            h1 { (Text(&parts.title)) " · " (Text(&inputs)) }
            @for (at, finding) in parts.findings.iter().enumerate() {
                // A heading that is a paragraph is no heading.
                @let is_lead = at == 0 && finding.len() <= LONGEST_LEAD;
                p class=(if is_lead { "lead" } else { "how" }) { (finding) }
            }
        }
        main {
            @for table in &parts.tables {
                section {
                    h2 { (Text(&table.title)) }
                    div class="wide" {
                        table {
                            tr {
                                @for (at, name) in table.head.iter().enumerate() {
                                    th class=[(at > 0).then_some("n")] { (Text(name)) }
                                }
                            }
                            @for row in &table.rows {
                                tr {
                                    @for (at, cell) in row.iter().enumerate() {
                                        td class=[(at > 0).then_some("n")] { (Text(cell)) }
                                    }
                                }
                            }
                        }
                    }
                }
            }
            section {
                h2 { "Figures" }
                div class="grid" {
                    @for figure in figures { div { (figure.block()) } }
                }
            }
            @if let Some(all) = summary["options"].as_object() { (options(all.iter())) }
        }
        (foot(summary["version"].as_str().unwrap_or_default(), false))
    };
    whole_page(&title, &body, &[])
}
