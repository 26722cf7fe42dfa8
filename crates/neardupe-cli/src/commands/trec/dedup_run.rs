//! `neardupe trec dedup-run`: runs without later near-duplicates.
//!
//! Later near-duplicates of a result that stands higher are removed or marked; the first of a group
//! is always kept. Ranks are counted again; the order of what is left is the order that it had.

use super::TrecJobArgs;
use super::notes::{show_bad, show_matching, show_notes};
use crate::terminal::grouped;
use anyhow::Result;
use neardupe_jobs::kind::trec::{DedupRunOutcome, DedupRunSpec};
use neardupe_jobs::numbers::{percent, plural};
use std::io::Write;
use std::process::ExitCode;

/// Runs the command.
pub(super) fn run(args: &TrecJobArgs<DedupRunSpec>) -> Result<ExitCode> {
    args.run(show)
}

/// Prints what was done.
fn show(out: &mut impl Write, outcome: &DedupRunOutcome) -> std::io::Result<()> {
    let summary = &outcome.summary;
    let (results, mark) = (summary.runs.results, summary.options.mark);
    let what = if mark {
        "marked as later near-duplicates"
    } else {
        "removed as later near-duplicates"
    };
    writeln!(
        out,
        "{}, {}; near-duplicates: {}",
        plural(summary.runs.runs, "run"),
        plural(summary.runs.run_topics, "run-topic"),
        outcome.near
    )?;
    show_matching(out, outcome)?;
    writeln!(out)?;
    let mut line =
        |number: u64, what: &str| writeln!(out, "  {:>11}  {what}", grouped(number));
    line(results, "results")?;
    line(
        summary.removed,
        &format!("{what} ({})", percent(summary.removed, results)),
    )?;
    line(if mark { results } else { summary.written }, "written")?;
    if summary.below_depth > 0 {
        line(summary.below_depth, "below the depth, left out")?;
    }
    if summary.short_run_topics > 0 {
        line(
            summary.short_run_topics,
            "run-topics have fewer results than --depth",
        )?;
    }
    show_notes(out, &summary.notes)?;
    show_bad(out, outcome)?;
    match &outcome.output {
        None => Ok(()),
        Some(target) => writeln!(out, "\nwritten to {}/runs", target.display()),
    }
}
