//! The page, part by part.
//!
//! Everything that comes from documents goes through [`Text`], which cuts it and escapes it;
//! the policy in the head of the page forbids whatever should get through all the same.

mod charts;
mod examples;
mod filters;
mod found;
mod how;
mod sources;

use super::Report;
use super::assets::{SCRIPT, SCRIPT_HASH, STYLE};
use crate::diff::{PAGE_START, clean, escape};
use crate::output::Summary;
use charts::Chart;
use maud::{Markup, PreEscaped, Render, html};

/// Characters of an id, a name or a message that are shown.
const MAX_CHARS: usize = 160;

/// Text from outside: cut to a bearable length, and harmless.
struct Text<'a>(&'a str);

impl Render for Text<'_> {
    fn render(&self) -> Markup {
        let mut cut = clean(self.0);
        if let Some((end, _)) = cut.char_indices().nth(MAX_CHARS) {
            cut.truncate(end);
            cut.push('…');
        }
        PreEscaped(escape(&cut))
    }
}

/// What kind of job it was, as far as words depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Job {
    /// Duplicates were found.
    Find,
    /// And removed.
    Dedup,
    /// Nothing is kept for anything else: only pairs, or neighbours.
    Pairs,
}

/// What all parts of the page need.
struct Page<'a> {
    report: &'a Report,
    summary: &'a Summary,
    job: Job,
}

impl Page<'_> {
    /// An option as it was given or by default.
    fn option(&self, name: &str) -> &str {
        let value = self.summary.options.get(name);
        value.and_then(|value| value.as_str()).unwrap_or_default()
    }

    /// Whether new documents were compared with old ones.
    fn against(&self) -> bool {
        self.summary.counts.old_documents > 0 || self.has_any("against")
    }

    /// Whether an option that can be given several times was given.
    fn has_any(&self, name: &str) -> bool {
        let given = self
            .summary
            .options
            .get(name)
            .and_then(|value| value.as_array());
        given.is_some_and(|values| !values.is_empty())
    }

    /// Whether new documents were compared with each other too.
    fn within(&self) -> bool {
        let value = self.summary.options.get("within");
        value.and_then(|value| value.as_bool()).unwrap_or(false)
    }

    /// Documents that can be removed.
    fn num_new(&self) -> u64 {
        self.summary.counts.documents - self.summary.counts.old_documents
    }
}

/// Writes the page.
pub(super) fn render(report: &Report, summary: &Summary) -> String {
    let cluster = summary.options.get("cluster").and_then(|it| it.as_str());
    let job = match cluster {
        Some("neighbors" | "none") => Job::Pairs,
        _ if summary.command == "dedup" => Job::Dedup,
        _ => Job::Find,
    };
    let page = Page {
        report,
        summary,
        job,
    };
    let charts = charts::charts(&page);
    let policy = format!(
        "default-src 'none'; style-src 'unsafe-inline'; script-src '{SCRIPT_HASH}'; \
         base-uri 'none'; form-action 'none'"
    );
    let body = html! {
        meta charset="utf-8";
        meta name="viewport" content="width=device-width";
        meta name="referrer" content="no-referrer";
        meta http-equiv="Content-Security-Policy" content=(policy);
        title { "neardupe report: " (Text(&inputs(&page))) }
        style { (PreEscaped(STYLE)) }
        (PreEscaped("</head>\n<body>\n"))
        (head(&page))
        main {
            (found::render(&page))
            (charts::render(&charts))
            (sources::render(&page))
            (examples::clusters(&page))
            (examples::pairs(&page))
            (filters::render(&page))
            (how::render(&page))
        }
        (foot(&page))
        script type="application/json" id="charts" { (PreEscaped(charts::json(&charts))) }
        script { (PreEscaped(SCRIPT)) }
    };
    format!("{PAGE_START}{}\n</body>\n</html>\n", body.into_string())
}

fn inputs(page: &Page<'_>) -> String {
    let inputs = page.summary.options.get("inputs");
    let inputs = inputs.and_then(|it| it.as_array()).into_iter().flatten();
    let inputs: Vec<&str> = inputs.filter_map(|input| input.as_str()).collect();
    inputs.join(", ")
}

fn head(page: &Page<'_>) -> Markup {
    html! {
        header {
            h1 { "neardupe " (page.summary.command) " · " (Text(&inputs(page))) }
            p class="lead" { (found::headline(page)) }
            p class="how" { (found::how_it_was_compared(page)) }
            (found::facts(page))
            nav {
                a href="#found" { "What was found" }
                @if sources::has_any(page) {
                    a href="#sources" { "Where it comes from" }
                }
                @if !page.report.examples.clusters.is_empty() {
                    a href="#clusters" { "Largest clusters" }
                }
                @if !page.report.examples.pairs.is_empty() {
                    a href="#closest" { "Closest calls" }
                }
                @if filters::has_any(page) {
                    a href="#filters" { "What the filters are worth" }
                }
                a href="#how" { "How it was done" }
                a href="#words" { "What the words mean" }
            }
        }
    }
}

fn foot(page: &Page<'_>) -> Markup {
    html! {
        footer {
            "Made by neardupe " (page.summary.version) ". This page holds all it needs and \
             loads nothing."
            @if !page.report.with_text { " It holds no text of documents (--no-text)." }
        }
    }
}

/// A table of numbers below a chart, folded.
fn folded_table(head: &[&str], rows: &[Vec<String>]) -> Markup {
    html! {
        details class="table print" {
            summary { "the numbers" }
            table {
                tr {
                    @for (at, name) in head.iter().enumerate() {
                        th class=[(at > 0).then_some("n")] { (name) }
                    }
                }
                @for row in rows {
                    tr {
                        @for (at, cell) in row.iter().enumerate() {
                            td class=[(at > 0).then_some("n")] { (cell) }
                        }
                    }
                }
            }
        }
    }
}

/// A heading with the chart below it.
fn chart_block(chart: &Chart) -> Markup {
    html! {
        div {
            h3 { (chart.title) }
            @if let Some(note) = &chart.note { p class="quiet" { (note) } }
            div class="chart" id=(chart.into) {}
            (folded_table(&chart.head(), &chart.rows()))
        }
    }
}
