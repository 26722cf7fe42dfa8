//! `neardupe trec dedup-qrels`: one document a group, or labels passed on within groups.
//!
//! Judgments before and after are printed with every change between them, so that the sum can be
//! checked by hand. The new file has the format of the old one and can be given to any program for
//! evaluation.

use super::TrecJobArgs;
use super::notes::{show_bad, show_matching};
use crate::terminal::grouped;
use anyhow::Result;
use neardupe_jobs::kind::trec::{DedupQrelsOutcome, DedupQrelsSpec, DedupQrelsSummary};
use std::io::Write;
use std::process::ExitCode;

/// Runs the command.
pub(super) fn run(args: &TrecJobArgs<DedupQrelsSpec>) -> Result<ExitCode> {
    args.run(show)
}

/// Prints what was done.
fn show(out: &mut impl Write, outcome: &DedupQrelsOutcome) -> std::io::Result<()> {
    let summary = &outcome.summary;
    writeln!(out, "near-duplicates: {}", outcome.near)?;
    show_matching(out, outcome)?;
    writeln!(
        out,
        "\n  {:>9}  judgments before",
        grouped(summary.judgments_before)
    )?;
    show_changes(out, summary)?;
    writeln!(
        out,
        "  {:>9}  judgments after",
        grouped(summary.judgments_after)
    )?;
    show_bad(out, outcome)?;
    match &outcome.output {
        None => Ok(()),
        Some(target) => writeln!(out, "\nwritten to {}/qrels.txt", target.display()),
    }
}

/// Prints how many judgments each change concerned. Which changes there are depends on the
/// mode.
fn show_changes(
    out: &mut impl Write,
    summary: &DedupQrelsSummary,
) -> std::io::Result<()> {
    let mut line =
        |number: u64, what: &str| writeln!(out, "  {:>9}  {what}", grouped(number));
    let changes = &summary.changes;
    if let Some(gone) = changes.dropped {
        line(gone, "judgments of near-duplicates dropped")?;
        let taken = (summary.judgments_after + gone) - summary.judgments_before;
        if taken > 0 {
            line(taken, "of their labels taken over, for other subtopics")?;
        }
    }
    if let Some(raised) = changes.raised {
        line(raised, "labels raised")?;
    }
    if let Some(added) = changes.added {
        line(added, "judgments added")?;
    }
    Ok(())
}
