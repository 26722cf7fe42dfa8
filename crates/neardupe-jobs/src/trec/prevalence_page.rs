//! What `trec prevalence` writes: tables as CSV, figures as SVG, a page.

use super::Ids;
use super::csv::Csv;
use super::topics::TopicTitle;
use crate::report::{Line, LineChart, PageParts, PageTable};
use neardupe_core::error::Result;
use neardupe_core::trec::{
    Run, RunTopicCounts, SHARE_ROWS, SIMILARITY_ONE, SetCounts, ShareTable,
};
use serde_json::Value;
use std::path::Path;

/// All that was counted.
#[derive(Debug)]
pub struct PrevalenceTables<'a> {
    /// Documents and topics.
    pub ids: &'a Ids,
    /// The runs.
    pub runs: &'a [Run],
    /// Titles of topics, where they are known.
    pub titles: &'a [TopicTitle],
    /// How many of the first results were looked at.
    pub depths: &'a [usize],
    /// Thresholds in millionths; none of groups, which have no similarity.
    pub thresholds: Option<&'a [u32]>,
    /// Place of the threshold of the table of shares.
    pub chosen: usize,
    /// Near-duplicates of run-topics.
    pub run_topics: &'a [RunTopicCounts],
    /// Table 4.1.
    pub shares: &'a ShareTable,
    /// Near-duplicates among the documents of all runs, by topic.
    pub topics: &'a [(u32, SetCounts)],
    /// Near-duplicates among the relevant documents: of all topics together, then by topic.
    pub relevant: Option<&'a (SetCounts, Vec<(u32, SetCounts)>)>,
}

/// A share in percent with two decimals, as the thesis has it.
fn percent(part: u64, whole: u64) -> String {
    match whole {
        0 => String::new(),
        _ => format!("{:.2}", part as f64 * 100.0 / whole as f64),
    }
}

fn ratio(part: u64, whole: u64) -> String {
    match whole {
        0 => String::new(),
        _ => format!("{:.6}", part as f64 / whole as f64),
    }
}

impl PrevalenceTables<'_> {
    /// Names of thresholds.
    pub fn names(&self) -> Vec<String> {
        match self.thresholds {
            None => vec!["any".to_owned()],
            Some(thresholds) => thresholds.iter().map(|it| decimal(*it)).collect(),
        }
    }

    /// Near-duplicates and results looked at of all run-topics, at a depth and a threshold.
    pub fn total(&self, depth: usize, threshold: usize) -> (u64, u64) {
        let each = self.run_topics.iter();
        let found = each
            .map(|one| u64::from(one.counts[depth][threshold]))
            .sum();
        let each = self.run_topics.iter();
        let looked_at = each
            .map(|one| one.results.min(self.depths[depth]) as u64)
            .sum();
        (found, looked_at)
    }

    /// The mean over topics of the share of near-duplicates, at a threshold.
    pub fn mean_of_topics(&self, threshold: usize) -> Option<f64> {
        let share = |counts: &SetCounts| {
            f64::from(counts.counts[threshold]) / counts.documents.max(1) as f64
        };
        let sum: f64 = self.topics.iter().map(|(_, counts)| share(counts)).sum();
        (!self.topics.is_empty()).then(|| sum / self.topics.len() as f64)
    }

    fn title(&self, topic: u32) -> String {
        let id = self.ids.topics.text(topic);
        let title = self.titles.iter().find(|one| one.id == id);
        match title.filter(|one| !one.title.is_empty()) {
            None => id.to_owned(),
            Some(one) => format!("{id}: {}", one.title),
        }
    }
}

/// A number of millionths as it is typed: 0.5.
fn decimal(millionths: u32) -> String {
    match millionths == SIMILARITY_ONE {
        true => "1".to_owned(),
        false => format!("0.{millionths:06}")
            .trim_end_matches('0')
            .to_owned(),
    }
}

/// Writes all tables.
pub fn write_prevalence(folder: &Path, tables: &PrevalenceTables<'_>) -> Result<()> {
    let names = tables.names();
    let header = [
        "depth",
        "threshold",
        "run_topics",
        "with_near_duplicates",
        "results",
        "near_duplicates",
        "share",
    ];
    let mut csv = Csv::create(folder, "prevalence.csv", &header)?;
    for (at, depth) in tables.depths.iter().enumerate() {
        for (place, name) in names.iter().enumerate() {
            let (found, results) = tables.total(at, place);
            let any = tables
                .run_topics
                .iter()
                .filter(|one| one.counts[at][place] > 0);
            csv.row(&[
                depth.to_string(),
                name.clone(),
                tables.run_topics.len().to_string(),
                any.count().to_string(),
                results.to_string(),
                found.to_string(),
                ratio(found, results),
            ])?;
        }
    }
    csv.finish()?;
    let depths = tables.depths.iter().map(|depth| format!("n={depth}"));
    let header: Vec<String> = ["share".to_owned()].into_iter().chain(depths).collect();
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let mut csv = Csv::create(folder, "shares.csv", &header)?;
    for row in share_rows(tables) {
        csv.row(&row)?;
    }
    csv.finish()?;
    let header = [
        "run",
        "topic",
        "results",
        "depth",
        "threshold",
        "near_duplicates",
    ];
    let mut csv = Csv::create(folder, "run-topics.csv", &header)?;
    for one in tables.run_topics {
        for (depth, counts) in tables.depths.iter().zip(&one.counts) {
            for (name, count) in names.iter().zip(counts) {
                csv.row(&[
                    &tables.runs[one.run].name,
                    tables.ids.topics.text(one.topic),
                    &one.results.to_string(),
                    &depth.to_string(),
                    name,
                    &count.to_string(),
                ])?;
            }
        }
    }
    csv.finish()?;
    write_sets(folder, "topics.csv", tables, tables.topics)?;
    if let Some((all, by_topic)) = tables.relevant {
        let header = [
            "topic",
            "documents",
            "threshold",
            "near_duplicates",
            "share",
        ];
        let mut csv = Csv::create(folder, "relevant.csv", &header)?;
        write_set(&mut csv, "all", all, &names)?;
        for (topic, counts) in by_topic {
            write_set(&mut csv, tables.ids.topics.text(*topic), counts, &names)?;
        }
        csv.finish()?;
    }
    Ok(())
}

fn write_sets(
    folder: &Path,
    name: &str,
    tables: &PrevalenceTables<'_>,
    sets: &[(u32, SetCounts)],
) -> Result<()> {
    let header = [
        "topic",
        "documents",
        "threshold",
        "near_duplicates",
        "share",
    ];
    let mut csv = Csv::create(folder, name, &header)?;
    for (topic, counts) in sets {
        write_set(
            &mut csv,
            tables.ids.topics.text(*topic),
            counts,
            &tables.names(),
        )?;
    }
    for (at, name) in tables.names().iter().enumerate() {
        if let Some(mean) = tables.mean_of_topics(at) {
            csv.row(&["mean", "", name, "", &format!("{mean:.6}")])?;
        }
    }
    csv.finish()
}

fn write_set(
    csv: &mut Csv,
    topic: &str,
    counts: &SetCounts,
    names: &[String],
) -> Result<()> {
    for (name, &count) in names.iter().zip(&counts.counts) {
        csv.row(&[
            topic,
            &counts.documents.to_string(),
            name,
            &count.to_string(),
            &ratio(u64::from(count), counts.documents as u64),
        ])?;
    }
    Ok(())
}

/// Rows of Table 4.1, the first cell a share.
fn share_rows(tables: &PrevalenceTables<'_>) -> Vec<Vec<String>> {
    let all = tables.shares.run_topics;
    let rows = SHARE_ROWS.iter().zip(&tables.shares.cells);
    rows.map(|(share, cells)| {
        let cells = cells.iter().map(|cell| match cell {
            None => "-".to_owned(),
            Some(cell) => percent(*cell, all),
        });
        [share.to_string()].into_iter().chain(cells).collect()
    })
    .collect()
}

/// The figures: those of the thesis by their numbers there.
fn prevalence_figures(tables: &PrevalenceTables<'_>) -> Vec<LineChart> {
    let all = tables.shares.run_topics.max(1) as f64;
    let lines = tables.depths.iter().enumerate().map(|(at, depth)| Line {
        name: format!("first {depth}"),
        y: tables
            .shares
            .cells
            .iter()
            .map(|row| row[at].map(|cell| cell as f64 * 100.0 / all))
            .collect(),
    });
    let mut figures = vec![LineChart {
        name: "shares".into(),
        title: "Run-topics by their share of near-duplicates (Figure 4.6)".into(),
        x_label: "near-duplicates among the first results, at least %".into(),
        y_label: "% of run-topics".into(),
        x: SHARE_ROWS.iter().map(|&share| f64::from(share)).collect(),
        lines: lines.collect(),
        ..LineChart::default()
    }];
    let Some(thresholds) = tables.thresholds else {
        figures.extend(by_topic(tables));
        return figures;
    };
    let x: Vec<f64> = thresholds.iter().map(|&it| f64::from(it) / 1e6).collect();
    let chart = |name: String, title: String, y: Vec<Option<f64>>| LineChart {
        name,
        title,
        x_label: "resemblance, at least".into(),
        y_label: "share of documents".into(),
        x: x.clone(),
        lines: vec![Line {
            name: "near-duplicates".into(),
            y,
        }],
        is_share: true,
        ..LineChart::default()
    };
    let of_set = |counts: &SetCounts| -> Vec<Option<f64>> {
        let share = |&it: &u32| f64::from(it) / counts.documents.max(1) as f64;
        counts.counts.iter().map(|it| Some(share(it))).collect()
    };
    let means = (0..x.len()).map(|at| tables.mean_of_topics(at));
    let title = "Near-duplicates in topic collections, mean of topics (Figure 4.5)";
    figures.push(chart("topics-mean".into(), title.into(), means.collect()));
    if let Some((relevant, _)) = tables.relevant {
        let title = "Near-duplicates among relevant documents (Figure 3.4)";
        figures.push(chart("relevant".into(), title.into(), of_set(relevant)));
    }
    for (topic, counts) in tables.topics {
        let name = tables.ids.topics.text(*topic);
        let name: String = name
            .chars()
            .map(|it| {
                if it.is_alphanumeric() || it == '-' {
                    it
                } else {
                    '_'
                }
            })
            .collect();
        let title = format!(
            "Topic {} ({} documents of all runs)",
            tables.title(*topic),
            counts.documents
        );
        figures.push(chart(format!("topic-{name}"), title, of_set(counts)));
    }
    figures
}

/// Groups have no similarity: one chart has all topics.
fn by_topic(tables: &PrevalenceTables<'_>) -> Option<LineChart> {
    if tables.topics.len() < 2 {
        return None;
    }
    let share =
        |counts: &SetCounts| f64::from(counts.counts[0]) / counts.documents.max(1) as f64;
    let mut shares: Vec<f64> = tables.topics.iter().map(|(_, it)| share(it)).collect();
    shares.sort_by(|one, two| two.total_cmp(one));
    Some(LineChart {
        name: "topics".into(),
        title: "Near-duplicates in topic collections, topics by their share".into(),
        x_label: "topics".into(),
        y_label: "share of documents".into(),
        x: (1..=shares.len()).map(|at| at as f64).collect(),
        lines: vec![Line {
            name: "near-duplicates".into(),
            y: shares.into_iter().map(Some).collect(),
        }],
        is_share: true,
        ..LineChart::default()
    })
}

/// The share among the first results, at the smallest depth.
fn headline(tables: &PrevalenceTables<'_>) -> String {
    let Some(depth) = tables.depths.first() else {
        return String::new();
    };
    let (found, results) = tables.total(0, tables.chosen);
    let at = match tables.thresholds {
        None => String::new(),
        Some(_) => format!(" (resemblance >= {})", tables.names()[tables.chosen]),
    };
    format!(
        "{} of the first {depth} results are near-duplicates{at}",
        crate::numbers::percent(found, results)
    )
}

/// Writes `report.html` and the figures.
pub fn prevalence_page(
    folder: &Path,
    tables: &PrevalenceTables<'_>,
    summary: &Value,
    findings: Vec<String>,
) -> Result<()> {
    let figures = prevalence_figures(tables);
    let depths = tables.depths.iter().map(|depth| format!("n = {depth}"));
    let head = ["near-duplicates, at least %".to_owned()];
    let mut parts = PageParts {
        title: "Near-duplicates in runs".into(),
        headline: headline(tables),
        findings,
        tables: vec![PageTable {
            title: "Run-topics by their share of near-duplicates, in % (Table 4.1)"
                .into(),
            head: head.into_iter().chain(depths.clone()).collect(),
            rows: share_rows(tables),
        }],
    };
    let names = tables.names();
    let rows = names.iter().enumerate().map(|(place, name)| {
        let cells = (0..tables.depths.len()).map(|at| {
            let (found, results) = tables.total(at, place);
            percent(found, results)
        });
        [name.clone()].into_iter().chain(cells).collect()
    });
    parts.tables.push(PageTable {
        title: "Near-duplicates among the first n results of all run-topics, in %".into(),
        head: ["resemblance, at least".to_owned()]
            .into_iter()
            .chain(depths)
            .collect(),
        rows: rows.collect(),
    });
    let sets = tables.topics.iter().map(|(topic, counts)| {
        let shares = counts.counts.iter();
        let shares =
            shares.map(|&count| percent(u64::from(count), counts.documents as u64));
        [tables.title(*topic), counts.documents.to_string()]
            .into_iter()
            .chain(shares)
            .collect()
    });
    let head = ["topic", "documents"].map(str::to_owned);
    parts.tables.push(PageTable {
        title: "Near-duplicates among the documents of all runs, in %".into(),
        head: head.into_iter().chain(names).collect(),
        rows: sets.collect(),
    });
    super::effect_page::write_page(folder, summary, &parts, &figures)
}
