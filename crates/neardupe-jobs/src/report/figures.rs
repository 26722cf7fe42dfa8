//! A page of tables and figures: what a study or an evaluation shows.
//!
//! One kind of page for all studies: findings first, then charts, then tables, then what it cost.
//! Whoever measures gives names and numbers, and this file decides how they look.

use super::lines::LineChart;
use super::shell::{Text, foot, inputs, options, whole_page};
use maud::html;
use serde_json::Value;

/// Bytes of the longest heading.
const LONGEST_HEADING: usize = 120;

/// Title, findings and tables, before the figures.
#[derive(Debug, Default)]
pub struct PageParts {
    /// What was done.
    pub title: String,
    /// What came of it, in one sentence: the heading.
    pub headline: String,
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

impl PageParts {
    /// A finding as a heading: as much of it as one can be.
    pub fn headline_of(finding: &str) -> String {
        let whole = finding.trim_end_matches('.');
        if whole.len() <= LONGEST_HEADING {
            return whole.to_owned();
        }
        let ends = [", ", ": ", " (", "; "].into_iter().flat_map(|end| {
            let ends = whole.match_indices(end);
            ends.map(|(at, _)| at)
        });
        // Not after the first word: `Recommended: ...`.
        let is_inside = |at: usize| {
            let before = &whole[..at];
            before.matches('(').count() > before.matches(')').count()
        };
        // At least 20 bytes are left: a shorter heading says nothing.
        let end = ends
            .filter(|&at| (20..=LONGEST_HEADING).contains(&at) && !is_inside(at))
            .max();
        end.map_or(whole, |end| &whole[..end]).to_owned()
    }
}

/// Makes the page.
pub fn page_of_figures(
    summary: &Value,
    parts: &PageParts,
    figures: &[LineChart],
) -> String {
    let inputs = inputs(summary["options"].get("inputs"));
    let heading = if parts.headline.is_empty() {
        &parts.title
    } else {
        &parts.headline
    };
    let title = html! { (Text(heading)) ": " (Text(&inputs)) };
    let body = html! {
        header {
            h1 { (Text(&parts.title)) " · " (Text(&inputs)) }
            p class="lead" { (Text(heading)) }
            // The heading is a finding and is not said twice.
            @for finding in parts.findings.iter().filter(|finding| *finding != heading) {
                p class="how" { (finding) }
            }
        }
        main {
            @if !figures.is_empty() {
                section {
                    h2 { "Figures" }
                    div class="grid" {
                        @for figure in figures { div { (figure.block()) } }
                    }
                }
            }
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
            @if let Some(all) = summary["options"].as_object() { (options(all.iter())) }
        }
        (foot(summary["version"].as_str().unwrap_or_default(), false))
    };
    whole_page(&title, &body, &[])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_foot_names_no_option_that_these_pages_do_not_have() {
        let summary = json!({ "version": "1.2.3", "options": { "inputs": ["a"] } });
        let page = page_of_figures(&summary, &PageParts::default(), &[]);
        assert!(page.contains("Made by neardupe 1.2.3."), "{page}");
        assert!(!page.contains("--no-text"), "{page}");
    }

    #[test]
    fn a_heading_is_as_much_of_a_finding_as_one_can_be() {
        let short = "Recommended: --threshold 0.5, the best F1 of these (0.875).";
        assert_eq!(PageParts::headline_of(short), short.trim_end_matches('.'));
        let long = "Recommended: --threshold 0.6, the middle of the widest range in which the number of \
                    pairs hardly falls (0.55 to 0.65, from 7 pairs to 7): a rule of thumb.";
        assert_eq!(
            PageParts::headline_of(long),
            "Recommended: --threshold 0.6, the middle of the widest range in which the number of pairs \
             hardly falls"
        );
    }

    #[test]
    fn figures_stand_before_tables() {
        let summary = json!({ "options": {} });
        let parts = PageParts {
            headline: "Nothing moves".into(),
            tables: vec![PageTable::default()],
            ..PageParts::default()
        };
        let page = page_of_figures(&summary, &parts, &[LineChart::default()]);
        assert!(
            page.contains("<p class=\"lead\">Nothing moves</p>"),
            "{page}"
        );
        let figures = page.find("<h2>Figures</h2>").unwrap();
        assert!(figures < page.find("class=\"wide\"").unwrap());
    }
}
