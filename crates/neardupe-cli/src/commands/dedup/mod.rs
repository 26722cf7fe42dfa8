//! `neardupe dedup`: finds near-duplicates, then writes the collection without them.

mod passages;
mod show;

use super::find::{RunArgs, print_check, print_warnings};
use crate::terminal::Stages;
use crate::typed::Typed;
use crate::{exit, interrupt};
use anyhow::Result;
use clap::Args;
use neardupe_jobs::kind::dedup::{
    DedupJob, DedupOutcome, DedupPassagesOutcome, DedupSpec,
};
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
    let job = args.run.spec(&args.spec, "dedup")?.validate()?;
    if args.run.check {
        return print_check("dedup", &job.options());
    }
    let is_quiet =
        args.run.quiet || (args.run.json && matches!(job, DedupJob::Passages(_)));
    let stages = Stages::new(is_quiet).stopped_by(interrupt::install()?);
    let outcome = job.run(&args.run.exec(&stages))?;
    drop(stages);
    match outcome {
        DedupOutcome::Documents(outcome) => end(&args.run, &outcome),
        DedupOutcome::Passages(outcome) => end_of_passages(&args.run, &outcome),
    }
}

fn end(run: &RunArgs, outcome: &FindOutcome) -> Result<ExitCode> {
    let summary = &outcome.summary;
    print_warnings(&summary.warnings)?;
    let mut out = std::io::stdout().lock();
    if run.json {
        writeln!(out, "{}", serde_json::to_string_pretty(summary)?)?;
    } else if !run.quiet {
        show::show(&mut out, &outcome.job, summary)?;
    }
    // Whoever wants no summary wants to hear of this all the same.
    show::warn(&mut std::io::stderr().lock(), summary)?;
    Ok(exit::of_records(outcome.has_left_out()))
}

fn end_of_passages(run: &RunArgs, outcome: &DedupPassagesOutcome) -> Result<ExitCode> {
    let mut out = std::io::stdout().lock();
    if run.json {
        let summary = outcome.summary.to_json()?;
        writeln!(out, "{}", serde_json::to_string_pretty(&summary)?)?;
    } else if !run.quiet {
        passages::show(&mut out, outcome)?;
    }
    passages::warn(&mut std::io::stderr().lock(), outcome)?;
    print_warnings(&outcome.warnings)?;
    Ok(exit::of_records(outcome.has_left_out()))
}
