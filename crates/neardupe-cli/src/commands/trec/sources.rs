//! `neardupe trec sources`: why the near-duplicates that runs return together are
//! near-duplicates.
//!
//! The same kinds as `sources` finds for a result, but only for documents that a user of these runs
//! would have seen together. Pairs that no run returns for one topic are passed over.

use super::TrecJobArgs;
use super::notes::{show_bad, show_matching, show_notes};
use crate::terminal::grouped;
use anyhow::Result;
use neardupe_jobs::diff::clean;
use neardupe_jobs::kind::trec::{TrecSourcesOutcome, TrecSourcesSpec};
use neardupe_jobs::numbers::percent;
use std::io::Write;
use std::process::ExitCode;

/// Runs the command.
pub(super) fn run(args: &TrecJobArgs<TrecSourcesSpec>) -> Result<ExitCode> {
    args.run(show)
}

/// Prints what was found.
fn show(out: &mut impl Write, outcome: &TrecSourcesOutcome) -> std::io::Result<()> {
    let summary = &outcome.summary;
    let what = match summary.of.as_str() {
        "pairs" => "pairs",
        _ => "duplicates with what is kept in their place",
    };
    writeln!(
        out,
        "{}: {} {what} stand together among the first {} results of a run-topic",
        summary.options.result.display(),
        grouped(summary.pairs),
        summary.options.depth
    )?;
    show_matching(out, outcome)?;
    writeln!(out)?;
    for kind in &summary.kinds {
        let about = if kind.pairs == kind.seen { "" } else { "~" };
        writeln!(
            out,
            "  {:<10} {:>10}  {:>8}  {}",
            kind.kind,
            format!("{about}{}", grouped(kind.pairs)),
            percent(kind.pairs, summary.pairs),
            kind.meaning
        )?;
        if let Some(one) = &kind.example {
            writeln!(
                out,
                "      {} and {}: {}",
                clean(&one.left),
                clean(&one.right),
                clean(&one.reason)
            )?;
        }
    }
    if summary.not_looked_at > 0 {
        let left = grouped(summary.not_looked_at);
        writeln!(
            out,
            "\n{left} pairs were not looked at; numbers with ~ are estimates; --sample N \
             compares more"
        )?;
    }
    if let Some(gone) = &summary.originals_gone {
        writeln!(
            out,
            "\nthe documents cannot be read again: {}; --input names them",
            clean(gone)
        )?;
    }
    if let Some(target) = &outcome.output {
        writeln!(
            out,
            "\nthe kind of each pair: {}/sources.csv",
            target.display()
        )?;
    }
    show_notes(out, &summary.notes)?;
    show_bad(out, outcome)
}
