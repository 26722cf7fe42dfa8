//! What all these studies end with: `grid.csv`, the summary, the page.

use super::super::super::find::Job;
use super::super::common::{CommonArgs, Findings, finish, headline};
use super::super::show::print_tables;
use super::rows::{Row, as_json};
use crate::terminal::Stages;
use anyhow::Result;
use neardupe_jobs::report::{LineChart, PageParts, PageTable};
use neardupe_jobs::study::write_grid;
use serde_json::{Map, Value, json};
use std::process::ExitCode;

/// What a study has to say.
pub(super) struct Outcome {
    pub(super) study: &'static str,
    pub(super) title: &'static str,
    /// Options of its own.
    pub(super) own: Vec<(&'static str, Value)>,
    pub(super) documents: u64,
    pub(super) bad_records: u64,
    /// What was right.
    pub(super) truth: Value,
    pub(super) rows: Vec<Row>,
    /// The last one says what to type.
    pub(super) findings: Vec<String>,
    /// For the terminal and the page.
    pub(super) table: PageTable,
    /// For the page alone: times are of one run on one machine.
    pub(super) costs: Option<PageTable>,
    pub(super) charts: Vec<LineChart>,
}

/// Writes and shows it.
pub(super) fn end(
    common: &CommonArgs,
    job: &Job,
    stages: Stages,
    outcome: Outcome,
) -> Result<ExitCode> {
    let counts = json!({
        "documents": outcome.documents,
        "bad_records": outcome.bad_records,
    });
    let found = Findings {
        study: outcome.study,
        own: outcome.own,
        figures: Map::from_iter([
            ("counts".to_owned(), counts),
            ("truth".to_owned(), outcome.truth),
            ("rows".to_owned(), as_json(&outcome.rows)),
        ]),
        parts: PageParts {
            title: outcome.title.to_owned(),
            headline: headline(&outcome.findings),
            findings: outcome.findings,
            tables: [outcome.table].into_iter().chain(outcome.costs).collect(),
        },
        charts: outcome.charts,
        bad_records: outcome.bad_records,
        is_exact: outcome.study == "threshold",
    };
    finish(
        common,
        job,
        stages,
        &found,
        |folder| {
            let head = outcome.rows.first().map(Row::head).unwrap_or_default();
            let rows: Vec<Vec<String>> = outcome.rows.iter().map(Row::texts).collect();
            Ok(write_grid(folder, &head, &rows)?)
        },
        |out| print_tables(out, &found.parts.tables[..1]),
    )
}

/// Names of columns.
pub(super) fn head<const N: usize>(names: [&str; N]) -> Vec<String> {
    names.map(str::to_owned).to_vec()
}
