//! The page of passages, part by part.

mod found;
mod how;
mod pairs;
mod plot;
mod section;

use super::{Named, PassagesReport};
use crate::report::chart::{self, Chart, Series, hundredths, label_of};
use crate::report::shell::{Text, foot, inputs, warnings, whole_page};
use maud::{Markup, html};
use serde_json::Value;
use std::ops::Range;

/// Different colors of passages.
/// Eight can be distinguished on a white and on a black page; after that numbers decide.
const TONES: usize = 8;

/// What all parts of the page need.
struct PassagesPage<'a> {
    /// What was counted, and the examples.
    report: &'a PassagesReport,
    /// The summary as JSON: the page shows also what a later version adds to it.
    summary: &'a Value,
}

impl PassagesPage<'_> {
    /// An option as it was given or by default.
    fn option(&self, name: &str) -> String {
        match &self.summary["options"][name] {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            other => other.to_string(),
        }
    }

    /// Whether documents were checked for what they have from a collection.
    fn checks(&self) -> bool {
        let query = self.summary["options"]["query"].as_array();
        query.is_some_and(|files| !files.is_empty())
    }
}

/// Writes the page.
pub(super) fn render(report: &PassagesReport, summary: &Value) -> String {
    let page = PassagesPage { report, summary };
    let inputs = inputs(summary["options"].get("inputs"));
    let charts = charts(report);
    let title = html! { "neardupe passages: " (Text(&inputs)) };
    let body = html! {
        (head(&page, &inputs))
        main {
            (found::render(&page))
            (chart::render(&charts))
            (pairs::render(report))
            (beside(report))
            (how::boilerplate(&page))
            (how::copies(&page))
            (how::render(&page))
        }
        (foot(summary["version"].as_str().unwrap_or_default(), !report.with_text))
    };
    whole_page(&title, &body, &charts)
}

/// Headline, numbers and links to the parts that the page has.
fn head(page: &PassagesPage<'_>, inputs: &str) -> Markup {
    let report = page.report;
    html! {
        header {
            h1 { "neardupe passages · " (Text(inputs)) }
            p class="lead" { (found::headline(page)) }
            p class="how" { (found::how_it_was_compared(page)) }
            (warnings(page.summary["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str)))
            (found::facts(page))
            nav {
                a href="#found" { "What was found" }
                @if !report.pairs.is_empty() { a href="#pairs" { "Pairs" } }
                @if !report.near_duplicates.is_empty() { a href="#near-duplicates" { "Near-duplicates" } }
                @if !report.examples.is_empty() { a href="#beside" { "Side by side" } }
                @if !report.boilerplate.is_empty() { a href="#boilerplate" { "Boilerplate" } }
                @if !report.copied.is_empty() { a href="#copies" { "Copies" } }
                a href="#how" { "How it was done" }
                a href="#words" { "What the words mean" }
            }
        }
    }
}

/// Lengths and similarities of passages; none without a passage.
fn charts(report: &PassagesReport) -> Vec<Chart> {
    let mut charts = Vec::new();
    let lengths = report.lengths.shown();
    let similarities = report.similarities.shown();
    if lengths.is_empty() {
        return charts;
    }
    charts.push(Chart {
        into: "lengths",
        title: "Passages by length",
        labels: lengths.iter().map(label_of).collect(),
        x_label: "words",
        series: vec![Series {
            name: "passages",
            color: "--kept",
            values: lengths.iter().map(|bin| bin.counts[0]).collect(),
        }],
        note: Some("Words of the shorter side of each.".to_owned()),
        besides: None,
    });
    charts.push(Chart {
        into: "similarities",
        title: "How similar both sides are",
        labels: similarities
            .iter()
            .map(|&(bin, _)| hundredths(bin))
            .collect(),
        x_label: "similarity from",
        series: vec![Series {
            name: "passages",
            color: "--similar",
            values: similarities.iter().map(|&(_, count)| count).collect(),
        }],
        note: Some("1 means the same words; less, that they were edited.".to_owned()),
        besides: None,
    });
    charts
}

/// The pairs that are looked at closely.
fn beside(report: &PassagesReport) -> Markup {
    let examples = &report.examples;
    html! {
        @if !examples.is_empty() {
            h2 id="beside" { "Side by side" }
            p {
                @if examples.len() as u64 == report.num_pairs() { "All pairs. " }
                @else { "Pairs of every kind, each document once as far as that fills the page. " }
                @if report.with_text {
                    "A passage has the same number and color on both sides; its number leads to the other side. "
                    u class="c1" { "Underlined" } " is what the other side does not have in that place."
                }
            }
            p {
                "In the plots a dot stands for two sentences, one of each document. A copied passage is a line of them."
            }
            (plot::legend())
            @for (number, example) in (1..).zip(examples) { (section::render(number, example, report.with_text)) }
        }
    }
}

/// The id of a document.
fn name(document: &Named) -> Markup {
    html! { (Text(&document.id)) @if document.is_old { " (old)" } }
}

/// The class with the color of a passage.
fn tone(passage: usize) -> String {
    format!("c{}", passage % TONES)
}

/// Sentences as they are numbered in the tables.
fn sentences(sentences: &Range<u32>) -> String {
    // Numbers on the page begin at 1, and both ends are shown.
    match sentences.end.saturating_sub(sentences.start) {
        0 | 1 => format!("{}", sentences.start + 1),
        _ => format!("{}–{}", sentences.start + 1, sentences.end),
    }
}

/// A similarity with two decimals, never rounded up to 1.
fn similarity((part, whole): (u32, u32)) -> String {
    let hundredth = u64::from(part) * 100 / u64::from(whole.max(1));
    // More than 1 cannot be; the limit keeps a wrong row from leaving the table of names.
    hundredths(usize::try_from(hundredth).unwrap_or(100).min(100))
}
