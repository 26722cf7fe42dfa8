//! `neardupe rethreshold`: a result with all pairs, clustered again at a higher threshold.
//!
//! Only pairs and documents of the result are read, never the input, so many thresholds can be
//! tried on one result. A lower threshold is refused by the job: the pairs below the old one were
//! never written.

use super::job_args::JobArgs;
use crate::terminal::{grouped, stdout};
use crate::typed::Typed;
use anyhow::Result;
use clap::Args;
use neardupe_jobs::kind::rethreshold::{RethresholdOutcome, RethresholdSpec};
use std::io::Write;
use std::process::ExitCode;

/// What was typed after `rethreshold`.
#[derive(Debug, Args)]
pub(crate) struct RethresholdArgs {
    #[command(flatten)]
    job: JobArgs,

    /// Print no summary
    #[arg(long, short)]
    quiet: bool,

    /// Print the summary as JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    spec: Typed<RethresholdSpec>,
}

/// Runs the command.
pub(crate) fn run(args: &RethresholdArgs) -> Result<ExitCode> {
    // Quiet: no document is read, so it is over before a bar could be drawn.
    let Some(outcome) = args.job.run(&args.spec, true)? else {
        return Ok(ExitCode::SUCCESS);
    };
    let mut out = stdout();
    if args.json {
        out.write_all(outcome.summary.to_text()?.as_bytes())?;
    } else if !args.quiet {
        show(&mut out, &outcome)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints how many pairs, duplicates and clusters are left at the new threshold.
fn show(out: &mut impl Write, outcome: &RethresholdOutcome) -> std::io::Result<()> {
    let RethresholdOutcome {
        before, written, ..
    } = outcome;
    writeln!(
        out,
        "{} at {} instead of {}; {} clusters\n",
        outcome.summary.made_of.result,
        outcome.threshold,
        before.threshold,
        before.cluster
    )?;
    for (name, new, before) in [
        ("pairs", written.pairs, before.pairs),
        ("duplicates", written.duplicates, before.duplicates),
        ("clusters", written.clusters, before.clusters),
    ] {
        let (new, before) = (grouped(new), grouped(before));
        writeln!(out, "  {name:<16} {new:>12}  of {before}")?;
    }
    writeln!(out, "\nwritten to {}", outcome.output.display())
}
