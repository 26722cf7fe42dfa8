//! The charts: how similar, clusters by size, documents by size.
//!
//! The numbers are in the page as JSON for the script, and again as tables for readers without
//! it.

use super::{ReportedJob, ResultPage};
use crate::report::chart::{Chart, Series, hundredths, label_of};

/// The charts that have something to show, in the order of the page.
pub(super) fn charts(page: &ResultPage<'_>) -> Vec<Chart> {
    let tally = &page.report.tally;
    let mut charts = Vec::new();
    let similarities = tally.similarities.shown();
    if !similarities.is_empty() {
        charts.push(Chart {
            into: "similarities",
            title: match page.job {
                ReportedJob::Pairs => "How similar the pairs are",
                _ => "How similar removed documents are to the one that is kept",
            },
            labels: similarities
                .iter()
                .map(|&(bin, _)| hundredths(bin))
                .collect(),
            x_label: "similarity from",
            series: vec![Series {
                name: if page.job == ReportedJob::Pairs {
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
                // Bars are documents, not clusters: one cluster of a thousand documents must
                // be seen beside five hundred pairs.
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
        let has_removed = page.job != ReportedJob::Pairs;
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
            series: if has_removed {
                // The last one is at the bottom of a bar: kept ones compare between bars.
                vec![removed, kept]
            } else {
                vec![kept]
            },
            note: None,
            besides: None,
        });
    }
    charts
}

/// What to make of the first chart. The advice is given only when the closest pairs are on
/// the page to be looked at.
fn similarity_note(page: &ResultPage<'_>) -> String {
    let threshold = page.option("threshold");
    let mut note = format!("1 means the same, and the threshold is {threshold}.");
    if !page.report.examples.pairs.is_empty() {
        note +=
            " Many just above the threshold are a reason to look at the closest calls.";
    }
    note
}
