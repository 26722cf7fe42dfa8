//! `neardupe trec check-qrels`: groups whose documents were judged differently.
//!
//! Nothing is decided here about who is right: two assessors, or one on two days, gave different
//! labels to near-duplicates. The table lists all groups; the terminal shows the first ones.

use super::TrecJobArgs;
use super::notes::{show_bad, show_matching};
use crate::terminal::grouped;
use anyhow::Result;
use neardupe_jobs::kind::trec::{CheckQrelsOutcome, CheckQrelsSpec};
use neardupe_jobs::numbers::plural;
use std::io::Write;
use std::process::ExitCode;

/// Groups that are printed; the table has all.
const SHOWN: usize = 10;
/// Documents of a group that are printed.
const SHOWN_DOCUMENTS: usize = 4;

/// Runs the command.
pub(super) fn run(args: &TrecJobArgs<CheckQrelsSpec>) -> Result<ExitCode> {
    args.run(show)
}

/// Prints what was found.
fn show(out: &mut impl Write, outcome: &CheckQrelsOutcome) -> std::io::Result<()> {
    let summary = &outcome.summary;
    writeln!(
        out,
        "{}: {} of {}\nnear-duplicates: {}",
        summary.options.inputs.join(" "),
        plural(summary.qrels.judgments, "judgment"),
        plural(summary.qrels.topics, "topic"),
        outcome.near
    )?;
    show_matching(out, outcome)?;
    writeln!(out)?;
    writeln!(
        out,
        "  {:>9}  groups with two or more documents judged for a topic\n  {:>9}  of them with different labels\n  {:>9}  of them relevant and not relevant",
        grouped(summary.compared),
        grouped(summary.inconsistent),
        grouped(summary.inconsistent_about_relevance)
    )?;
    for one in summary.groups.iter().take(SHOWN) {
        let judged = one.judged.iter().take(SHOWN_DOCUMENTS);
        let judged = judged.map(|one| format!("{} {}", one.id, one.label));
        let more = one.judged.len().saturating_sub(SHOWN_DOCUMENTS);
        let more = if more > 0 {
            format!(", {more} more")
        } else {
            String::new()
        };
        writeln!(
            out,
            "\n  topic {}: {}{more}",
            one.topic,
            judged.collect::<Vec<_>>().join(", ")
        )?;
    }
    if summary.groups.len() > SHOWN {
        let rest = summary.groups.len() - SHOWN;
        writeln!(
            out,
            "\n  and {} more; all: -o DIR or --json",
            grouped(rest as u64)
        )?;
    }
    show_bad(out, outcome)
}
