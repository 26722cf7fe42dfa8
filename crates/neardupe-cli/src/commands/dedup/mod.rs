//! `neardupe dedup`: finds near-duplicates, then writes the collection without them.
//!
//! What it prints goes to two places. The summary goes to standard output and can be switched off;
//! the warning that more than half of a collection would be removed goes to standard error in any
//! case, because a wrong key makes all documents equal and a quiet script would throw a collection
//! away.

mod passages;
mod show;

use super::find::RunArgs;
use crate::exit;
use crate::terminal::{stderr, stdout};
use crate::typed::Typed;
use anyhow::Result;
use clap::Args;
use neardupe_jobs::kind::dedup::{DedupOutcome, DedupPassagesOutcome, DedupSpec};
use neardupe_jobs::kind::find::FindOutcome;
use std::io::Write;
use std::process::ExitCode;

/// What was typed after `dedup`.
#[derive(Debug, Args)]
pub(crate) struct DedupArgs {
    #[command(flatten)]
    run: RunArgs,

    #[command(flatten)]
    spec: Typed<DedupSpec>,
}

/// Runs the command.
pub(crate) fn run(args: &DedupArgs) -> Result<ExitCode> {
    let run = &args.run;
    let is_of_passages = args.spec.0.passages == Some(true);
    let is_quiet = run.quiet || (run.json && is_of_passages);
    // One command, two jobs: with `--passages` copied stretches are removed instead of documents.
    match run.job.run(&args.spec, is_quiet)? {
        None => Ok(ExitCode::SUCCESS),
        Some(DedupOutcome::Documents(outcome)) => end(run, &outcome),
        Some(DedupOutcome::Passages(outcome)) => end_of_passages(run, &outcome),
    }
}

/// Prints what came of a job on documents and chooses the exit code. Warnings go to standard
/// error, so a summary in JSON stays parseable.
fn end(run: &RunArgs, outcome: &FindOutcome) -> Result<ExitCode> {
    let summary = &outcome.summary;
    let mut out = stdout();
    if run.json {
        writeln!(out.raw(), "{}", serde_json::to_string_pretty(summary)?)?;
    } else if !run.quiet {
        show::show(&mut out, &outcome.job, summary)?;
    }
    // Whoever wants no summary wants to hear of this all the same.
    show::warn(&mut stderr(), summary)?;
    Ok(exit::of_records(outcome.has_left_out()))
}

/// The same for a job on passages, whose summary has other numbers.
fn end_of_passages(run: &RunArgs, outcome: &DedupPassagesOutcome) -> Result<ExitCode> {
    let mut out = stdout();
    if run.json {
        let summary = outcome.summary.to_json()?;
        writeln!(out.raw(), "{}", serde_json::to_string_pretty(&summary)?)?;
    } else if !run.quiet {
        passages::show(&mut out, outcome)?;
    }
    passages::warn(&mut stderr(), outcome)?;
    Ok(exit::of_records(outcome.has_left_out()))
}
