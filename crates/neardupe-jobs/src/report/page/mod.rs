//! The page, part by part.
//!
//! Everything that comes from documents goes through [`Text`]; see `shell`.

mod charts;
mod examples;
mod filters;
mod found;
mod how;
mod sources;

use super::Report;
use super::chart;
use super::shell::{Text, inputs, warnings, whole_page};
use crate::summary::{SimilarityWords, Summary};
use maud::{Markup, html};

/// What kind of job it was, as far as words depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReportedJob {
    /// Duplicates were found.
    Find,
    /// And removed.
    Dedup,
    /// No document is removed: only pairs, or neighbors.
    Pairs,
}

/// What all parts of the page need.
struct ResultPage<'a> {
    /// What was counted over the result, and the examples.
    report: &'a Report,
    /// All other numbers.
    summary: &'a Summary,
    /// Decides the words of headings and sentences.
    job: ReportedJob,
}

impl ResultPage<'_> {
    /// An option as it was given or by default.
    fn option(&self, name: &str) -> &str {
        let value = self.summary.options.get(name);
        value.and_then(|value| value.as_str()).unwrap_or_default()
    }

    /// How the similarity of the job is called and explained.
    fn similarity(&self) -> SimilarityWords {
        // A result that was written before the option existed has resemblances.
        let similarity = self.option("similarity").parse().unwrap_or_default();
        SimilarityWords::new(similarity, self.is_weighted())
    }

    /// Whether features have weights, so that similarities are sums of weights.
    fn is_weighted(&self) -> bool {
        let method = self.summary.method.as_ref();
        method.is_some_and(|method| method.weights.is_some())
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
        // Only these two remove nothing; the options decide, since a summary has no other
        // mark of it.
        Some("neighbors" | "none") => ReportedJob::Pairs,
        _ if summary.command == "dedup" => ReportedJob::Dedup,
        _ => ReportedJob::Find,
    };
    let page = ResultPage {
        report,
        summary,
        job,
    };
    let charts = charts::charts(&page);
    let title =
        html! { "neardupe report: " (Text(&inputs(summary.options.get("inputs")))) };
    let body = html! {
        (head(&page))
        main {
            (found::render(&page))
            (chart::render(&charts))
            (sources::render(&page))
            (examples::clusters(&page))
            (examples::pairs(&page))
            (filters::render(&page))
            (how::render(&page))
        }
        (foot(&page))
    };
    whole_page(&title, &body, &charts)
}

/// Headline, warnings, numbers and links. Parts that have nothing to show have no link.
fn head(page: &ResultPage<'_>) -> Markup {
    html! {
        header {
            h1 { "neardupe " (page.summary.command) " · " (Text(&inputs(page.summary.options.get("inputs")))) }
            p class="lead" { (found::headline(page)) }
            p class="how" { (found::how_it_was_compared(page)) }
            (warnings(page.summary.warnings.iter().map(String::as_str)))
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

/// Version, and whether texts are shown.
fn foot(page: &ResultPage<'_>) -> Markup {
    super::shell::foot(&page.summary.version, !page.report.with_text)
}
