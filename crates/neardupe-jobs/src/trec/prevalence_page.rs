//! What `trec prevalence` writes: tables as CSV, figures as SVG, a page.
//!
//! The numbers of tables and figures in their titles are those of the thesis that is
//! reproduced, so that a reader can lay both side by side.

use super::Ids;
use super::topics::TopicTitle;
use crate::report::{Line, LineChart, PageParts, PageTable};
use neardupe_core::error::Result;
use neardupe_core::trec::{
    Run, RunTopicCounts, SHARE_ROWS, SIMILARITY_ONE, SetCounts, ShareTable,
};
use neardupe_io::output::table::Table;
use neardupe_io::tables::{
    Layout, OutputFormat, Prevalence, PrevalenceRow, RelevantDocuments, RelevantRow,
    RunTopicRow, RunTopics, ShareRow, Shares, TopicRow, Topics,
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
    /// Thresholds in millionths; groups have none, since they have no similarity.
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

/// The same as a number for the tables as CSV, which are not rounded; None of an empty set.
fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
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
    /// Depths and thresholds are meant by their places in `depths` and `names`.
    pub fn total(&self, depth: usize, threshold: usize) -> (u64, u64) {
        let each = self.run_topics.iter();
        let found = each
            .map(|one| u64::from(one.counts[depth][threshold]))
            .sum();
        let each = self.run_topics.iter();
        let looked_at = each
            // A run with fewer results than the depth has only those looked at.
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

    /// Number and title of a topic, or the number alone where no title is known. Looks
    /// through all titles.
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
    write_prevalence_rows(folder, tables)?;
    write_shares(folder, tables)?;
    write_run_topics(folder, tables)?;
    write_topics(folder, tables)?;
    match tables.relevant {
        Some((all, by_topic)) => write_relevant(folder, tables, all, by_topic),
        None => Ok(()),
    }
}

/// Writes one row per depth and threshold, over all run-topics together.
fn write_prevalence_rows(folder: &Path, tables: &PrevalenceTables<'_>) -> Result<()> {
    let mut table = Table::<Prevalence>::create_fixed(folder)?;
    for (at, depth) in tables.depths.iter().enumerate() {
        for (place, name) in tables.names().iter().enumerate() {
            let (found, results) = tables.total(at, place);
            let any = tables
                .run_topics
                .iter()
                .filter(|one| one.counts[at][place] > 0);
            table.row(&PrevalenceRow {
                depth: *depth as u64,
                threshold: name.into(),
                run_topics: tables.run_topics.len() as u64,
                with_near_duplicates: any.count() as u64,
                results,
                near_duplicates: found,
                share: share(found, results),
            })?;
        }
    }
    table.finish()
}

/// Writes Table 4.1. The depths are its columns, so the number of columns depends on the job.
fn write_shares(folder: &Path, tables: &PrevalenceTables<'_>) -> Result<()> {
    let mut layout = Layout::default();
    let depths = tables.depths.iter().map(|depth| format!("n={depth}"));
    layout.more = depths.collect();
    let mut table = Table::<Shares>::create(folder, &layout, OutputFormat::default())?;
    for (share, cells) in SHARE_ROWS.iter().zip(share_cells(tables)) {
        table.row(&ShareRow {
            share: (*share).into(),
            depths: cells,
        })?;
    }
    table.finish()
}

/// Writes one row per run-topic, depth and threshold: the largest of the tables.
fn write_run_topics(folder: &Path, tables: &PrevalenceTables<'_>) -> Result<()> {
    let names = tables.names();
    let mut table = Table::<RunTopics>::create_fixed(folder)?;
    for one in tables.run_topics {
        for (depth, counts) in tables.depths.iter().zip(&one.counts) {
            for (name, count) in names.iter().zip(counts) {
                table.row(&RunTopicRow {
                    run: (&tables.runs[one.run].name).into(),
                    topic: tables.ids.topics.text(one.topic).into(),
                    results: one.results as u64,
                    depth: *depth as u64,
                    threshold: name.into(),
                    near_duplicates: (*count).into(),
                })?;
            }
        }
    }
    table.finish()
}

/// Writes one row per topic and threshold, then the means, which have neither documents nor
/// near-duplicates: they are means of shares, in which each topic counts the same.
fn write_topics(folder: &Path, tables: &PrevalenceTables<'_>) -> Result<()> {
    let names = tables.names();
    let mut table = Table::<Topics>::create_fixed(folder)?;
    for (topic, counts) in tables.topics {
        for (name, &count) in names.iter().zip(&counts.counts) {
            let documents = counts.documents as u64;
            table.row(&TopicRow {
                topic: tables.ids.topics.text(*topic).into(),
                documents: Some(documents),
                threshold: name.into(),
                near_duplicates: Some(count.into()),
                share: share(count.into(), documents),
            })?;
        }
    }
    for (at, name) in names.iter().enumerate() {
        if let Some(mean) = tables.mean_of_topics(at) {
            table.row(&TopicRow {
                topic: "mean".into(),
                documents: None,
                threshold: name.into(),
                near_duplicates: None,
                share: Some(mean),
            })?;
        }
    }
    table.finish()
}

/// Writes the same for the relevant documents, all topics together first.
fn write_relevant(
    folder: &Path,
    tables: &PrevalenceTables<'_>,
    all: &SetCounts,
    by_topic: &[(u32, SetCounts)],
) -> Result<()> {
    let by_topic = by_topic.iter();
    let by_topic =
        by_topic.map(|(topic, counts)| (tables.ids.topics.text(*topic), counts));
    let names = tables.names();
    let mut table = Table::<RelevantDocuments>::create_fixed(folder)?;
    for (topic, counts) in [("all", all)].into_iter().chain(by_topic) {
        for (name, &count) in names.iter().zip(&counts.counts) {
            let documents = counts.documents as u64;
            table.row(&RelevantRow {
                topic: topic.into(),
                documents,
                threshold: name.into(),
                near_duplicates: count.into(),
                share: share(count.into(), documents),
            })?;
        }
    }
    table.finish()
}

/// Rows of Table 4.1 without their first cell, the share: for each depth the percentage of run-topics.
fn share_cells(tables: &PrevalenceTables<'_>) -> impl Iterator<Item = Vec<String>> {
    let all = tables.shares.run_topics;
    let text = move |cell: &Option<u64>| match cell {
        None => "-".to_owned(),
        Some(cell) => percent(*cell, all),
    };
    let rows = tables.shares.cells.iter();
    rows.map(move |cells| cells.iter().map(text).collect())
}

/// The same rows for the page, where the share is a cell too.
fn share_rows(tables: &PrevalenceTables<'_>) -> Vec<Vec<String>> {
    let rows = SHARE_ROWS.iter().zip(share_cells(tables));
    rows.map(|(share, cells)| [share.to_string()].into_iter().chain(cells).collect())
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
    // Without thresholds there is no axis of similarity, and one figure of topics stands for
    // all that follow.
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
        // The name becomes a file name; ids of topics are free text.
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
    // Sorted by share: the curve shows how few topics have most of the near-duplicates.
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
    // The smallest depth is what a user of a search engine sees.
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
