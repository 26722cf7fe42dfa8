//! The charts: how similar, clusters by size, documents by size.

use super::{Job, Page, chart_block};
use crate::numbers::grouped;
use crate::report::bins::Bin;
use maud::{Markup, html};
use serde::Serialize;

/// A chart, as the script draws it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Chart {
    /// Id of the element it is drawn into.
    pub(super) into: &'static str,
    pub(super) title: &'static str,
    labels: Vec<String>,
    x_label: &'static str,
    series: Vec<Series>,
    #[serde(skip)]
    pub(super) note: Option<String>,
    /// Numbers that only the table has.
    #[serde(skip)]
    besides: Option<Series>,
}

/// Numbers of one colour.
#[derive(Debug, Serialize)]
struct Series {
    name: &'static str,
    /// The CSS variable that holds the colour.
    color: &'static str,
    values: Vec<u64>,
}

impl Chart {
    fn columns(&self) -> impl Iterator<Item = &Series> {
        self.besides.iter().chain(&self.series)
    }

    /// Names of the columns of its table.
    pub(super) fn head(&self) -> Vec<&str> {
        let names = self.columns().map(|series| series.name);
        std::iter::once(self.x_label).chain(names).collect()
    }

    /// Rows of its table; bars of nothing are left out.
    pub(super) fn rows(&self) -> Vec<Vec<String>> {
        let bars = self.labels.iter().enumerate();
        let bars = bars
            .filter(|(bar, _)| self.series.iter().any(|series| series.values[*bar] > 0));
        bars.map(|(bar, label)| {
            let numbers = self.columns().map(|series| grouped(series.values[bar]));
            std::iter::once(label.clone()).chain(numbers).collect()
        })
        .collect()
    }
}

pub(super) fn charts(page: &Page<'_>) -> Vec<Chart> {
    let tally = &page.report.tally;
    let mut charts = Vec::new();
    let similarities = tally.similarities.shown();
    if !similarities.is_empty() {
        let label = |bin: usize| match bin {
            100 => "1".to_owned(),
            bin => format!("0.{bin:02}"),
        };
        charts.push(Chart {
            into: "similarities",
            title: match page.job {
                Job::Pairs => "How similar the pairs are",
                _ => "How similar removed documents are to the one that is kept",
            },
            labels: similarities.iter().map(|&(bin, _)| label(bin)).collect(),
            x_label: "similarity from",
            series: vec![Series {
                name: if page.job == Job::Pairs {
                    "pairs"
                } else {
                    "documents"
                },
                color: "--similar",
                values: similarities.into_iter().map(|(_, count)| count).collect(),
            }],
            note: Some(similarity_note(page)),
            besides: None,
        });
    }
    let clusters = tally.cluster_sizes.shown();
    if !clusters.is_empty() {
        charts.push(Chart {
            into: "cluster-sizes",
            title: "Clusters by size",
            labels: clusters.iter().map(label_of).collect(),
            x_label: "documents in a cluster",
            series: vec![Series {
                name: "documents",
                color: "--kept",
                values: clusters.iter().map(|bin| bin.counts[1]).collect(),
            }],
            note: Some("How many documents are in clusters of each size.".to_owned()),
            besides: Some(Series {
                name: "clusters",
                color: "--kept",
                values: clusters.iter().map(|bin| bin.counts[0]).collect(),
            }),
        });
    }
    let sizes = tally.document_sizes.shown();
    if !sizes.is_empty() {
        let has_removed = page.job != Job::Pairs;
        let kept = Series {
            name: if has_removed { "kept" } else { "documents" },
            color: "--kept",
            values: sizes.iter().map(|bin| bin.counts[0]).collect(),
        };
        let removed = Series {
            name: "duplicates",
            color: "--removed",
            values: sizes.iter().map(|bin| bin.counts[1]).collect(),
        };
        charts.push(Chart {
            into: "document-sizes",
            title: "Documents by length",
            labels: sizes.iter().map(label_of).collect(),
            x_label: "characters",
            series: match has_removed {
                true => vec![removed, kept],
                false => vec![kept],
            },
            note: None,
            besides: None,
        });
    }
    charts
}

fn similarity_note(page: &Page<'_>) -> String {
    let threshold = page.option("threshold");
    let mut note = format!("1 means the same, and the threshold is {threshold}.");
    if !page.report.examples.pairs.is_empty() {
        note +=
            " Many just above the threshold are a reason to look at the closest calls.";
    }
    note
}

fn label_of<const SERIES: usize>(bin: &Bin<SERIES>) -> String {
    match bin.low == bin.high {
        true => short(bin.low),
        false => format!("{}–{}", short(bin.low), short(bin.high)),
    }
}

/// A number in few characters.
fn short(number: u64) -> String {
    match number {
        0..10_000 => number.to_string(),
        10_000..10_000_000 => format!("{}k", number / 1000),
        _ => format!("{}M", number / 1_000_000),
    }
}

pub(super) fn render(charts: &[Chart]) -> Markup {
    html! {
        @if !charts.is_empty() {
            noscript { p class="note" { "Charts need scripts; their numbers are in the tables below each." } }
            @let (first, others) = charts.split_at(charts.len() % 2);
            @for chart in first { (chart_block(chart)) }
            div class="grid" {
                @for chart in others { (chart_block(chart)) }
            }
        }
    }
}

/// The charts for the script. Within a script element only `<` could end it.
pub(super) fn json(charts: &[Chart]) -> String {
    let json = serde_json::to_string(charts).unwrap_or_else(|_| "[]".to_owned());
    json.replace('<', "\\u003c")
}
