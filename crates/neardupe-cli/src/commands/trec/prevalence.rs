//! `neardupe trec prevalence`: near-duplicates among the results of runs.
//!
//! Two tables: the share of near-duplicates by depth and resemblance, and how many run-topics have
//! at least some share of them. Shares are of the results that were looked at, so a run with few
//! results does not look clean.

use super::TrecJobArgs;
use super::notes::{show_ending, show_matching};
use crate::terminal::grouped;
use anyhow::Result;
use neardupe_jobs::kind::trec::{PrevalenceOutcome, PrevalenceSpec, PrevalenceSummary};
use std::io::Write;
use std::process::ExitCode;

/// Sentences of the page that are printed: what was read, and how it is counted.
const SHOWN_FINDINGS: usize = 2;

/// Runs the command.
pub(super) fn run(args: &TrecJobArgs<PrevalenceSpec>) -> Result<ExitCode> {
    args.run(show)
}

/// Prints what was found.
fn show(out: &mut impl Write, outcome: &PrevalenceOutcome) -> std::io::Result<()> {
    let summary = &outcome.summary;
    for line in outcome.findings.iter().take(SHOWN_FINDINGS) {
        writeln!(out, "{line}")?;
    }
    show_matching(out, outcome)?;
    show_tables(out, summary)?;
    let chosen = &summary.options.threshold;
    let means = &summary.prevalence.mean_of_topic_collections;
    if let Some(Some(mean)) = means.get(chosen) {
        writeln!(
            out,
            "\ndocuments of all runs for a topic: {:.2} % have a near-duplicate among them, mean \
             of {} topics",
            mean * 100.0,
            summary.runs.topics
        )?;
    }
    if let Some(relevant) = &summary.prevalence.relevant {
        let count = relevant.near_duplicates.get(chosen);
        let count = u64::from(count.copied().unwrap_or_default());
        writeln!(
            out,
            "relevant documents: {} of {} have a near-duplicate among them ({:.2} %)",
            grouped(count),
            grouped(relevant.documents),
            count as f64 * 100.0 / relevant.documents.max(1) as f64
        )?;
    }
    show_ending(out, &summary.notes, outcome)
}

/// Prints both tables: shares by depth and threshold, and run-topics by share.
fn show_tables(out: &mut impl Write, summary: &PrevalenceSummary) -> std::io::Result<()> {
    head(
        out,
        summary,
        "near-duplicates among the first n results, in %, by resemblance",
    )?;
    for name in &summary.options.thresholds {
        let rows = summary.prevalence.run_topics.iter();
        let cells = rows.filter(|row| row.threshold == *name).map(|row| {
            // Guarded against topics without results.
            let share = row.near_duplicates as f64 * 100.0 / row.results.max(1) as f64;
            format!("{share:>8.2}")
        });
        writeln!(out, "  {name:<6}{}", cells.collect::<String>())?;
    }
    let threshold = if summary.near_duplicates.has_similarities {
        format!(" (resemblance >= {})", summary.options.threshold)
    } else {
        String::new()
    };
    let title = format!(
        "run-topics with at least this share of near-duplicates{threshold}, in %"
    );
    head(out, summary, &title)?;
    let all = summary.shares.of.max(1) as f64;
    for row in &summary.shares.rows {
        let cells = row.run_topics.iter().map(|cell| match cell {
            None => format!("{:>8}", "-"),
            Some(cell) => format!("{:>8.2}", *cell as f64 * 100.0 / all),
        });
        writeln!(
            out,
            "  {:<6}{}",
            format!("{} %", row.percent),
            cells.collect::<String>()
        )?;
    }
    Ok(())
}

/// A title, and the depths above the columns.
fn head(
    out: &mut impl Write,
    summary: &PrevalenceSummary,
    what: &str,
) -> std::io::Result<()> {
    let depths = summary.options.depths.iter();
    let depths = depths.map(|depth| format!("{:>8}", format!("n={depth}")));
    writeln!(out, "\n{what}\n  {:<6}{}", "", depths.collect::<String>())
}
