//! Charts: what the script draws, and the same numbers as tables.

use super::bins::Bin;
use crate::numbers::grouped;
use maud::{Markup, html};
use serde::Serialize;

/// A chart, as the script draws it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Chart {
    /// Id of the element it is drawn into.
    pub(super) into: &'static str,
    /// Above the chart.
    pub(super) title: &'static str,
    /// One per bar.
    pub(super) labels: Vec<String>,
    /// What the bars are, below them.
    pub(super) x_label: &'static str,
    /// Stacked, the first on top.
    pub(super) series: Vec<Series>,
    /// A sentence below the title; the script does not need it.
    #[serde(skip)]
    pub(super) note: Option<String>,
    /// Numbers that only the table has.
    #[serde(skip)]
    pub(super) besides: Option<Series>,
}

/// Numbers of one color.
#[derive(Debug, Serialize)]
pub(super) struct Series {
    /// In the legend and above the column of the table.
    pub(super) name: &'static str,
    /// The CSS variable that holds the color.
    pub(super) color: &'static str,
    /// One per bar.
    pub(super) values: Vec<u64>,
}

impl Chart {
    /// The columns of its table: numbers that are only there come first.
    fn columns(&self) -> impl Iterator<Item = &Series> {
        self.besides.iter().chain(&self.series)
    }

    /// Names of the columns of its table.
    fn head(&self) -> Vec<&str> {
        let names = self.columns().map(|series| series.name);
        std::iter::once(self.x_label).chain(names).collect()
    }

    /// Rows of its table; bars of nothing are left out.
    fn rows(&self) -> Vec<Vec<String>> {
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

/// A similarity in hundredths.
pub(super) fn hundredths(bin: usize) -> String {
    match bin {
        100 => "1".to_owned(),
        bin => format!("0.{bin:02}"),
    }
}

/// A bin as its ends.
pub(super) fn label_of<const SERIES: usize>(bin: &Bin<SERIES>) -> String {
    if bin.low == bin.high {
        short(bin.low)
    } else {
        format!("{}–{}", short(bin.low), short(bin.high))
    }
}

/// A number in few characters.
fn short(number: u64) -> String {
    // Cut, not rounded: it is the end of a bin.
    match number {
        0..10_000 => number.to_string(),
        10_000..10_000_000 => format!("{}k", number / 1000),
        _ => format!("{}M", number / 1_000_000),
    }
}

/// All charts, with a table below each.
pub(super) fn render(charts: &[Chart]) -> Markup {
    html! {
        @if !charts.is_empty() {
            noscript { p class="note" { "Charts need scripts; their numbers are in the tables below each." } }
            // Two side by side; of an odd number the first has the full width.
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
