//! `neardupe history`: what became of documents from version to version, which should be indexed
//! again first, and how soon each should be visited again.
//!
//! Dates and rules are those of the job library; this file prints them and has no clock, so the same versions
//! give the same proposals on any day.

mod show;

use super::job_args::{JobArgs, print_json};
use crate::exit;
use crate::terminal::stdout;
use crate::typed::Typed;
use anyhow::Result;
use clap::Args;
use neardupe_jobs::kind::history::HistorySpec;
use std::process::ExitCode;

/// What was typed after `history`.
#[derive(Debug, Args)]
pub(crate) struct HistoryArgs {
    #[command(flatten)]
    job: JobArgs,

    /// Print the result as JSON
    #[arg(long)]
    json: bool,

    /// Print nothing but errors
    #[arg(short, long, conflicts_with = "json")]
    quiet: bool,

    #[command(flatten)]
    spec: Typed<HistorySpec>,
}

/// Runs the command.
pub(crate) fn run(args: &HistoryArgs) -> Result<ExitCode> {
    let Some(outcome) = args.job.run(&args.spec, args.quiet || args.json)? else {
        return Ok(ExitCode::SUCCESS);
    };
    let mut out = stdout();
    if args.json {
        print_json(out.raw(), &outcome.summary)?;
    } else if !args.quiet {
        show::show(&mut out, &outcome)?;
    }
    Ok(exit::of_records(outcome.has_left_out))
}
