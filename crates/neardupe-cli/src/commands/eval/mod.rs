//! `neardupe eval`: how good a result is, by what is known to be right.
//!
//! Truth can be of documents (pairs, groups, a field, labelled samples) or of passages; which of
//! the two is decided by the result that is measured. The command never fails because a result is
//! bad: its answer is the measures, and the exit code says only whether they could be computed.

mod show;
mod show_passages;

use super::job_args::JobArgs;
use crate::terminal::stdout;
use crate::typed::Typed;
use anyhow::Result;
use clap::Args;
use neardupe_jobs::kind::eval::{EvalSpec, EvalSummary};
use std::io::Write;
use std::process::ExitCode;

/// What was typed after `eval`.
#[derive(Debug, Args)]
pub(crate) struct EvalArgs {
    #[command(flatten)]
    job: JobArgs,

    /// Print the measures as JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    spec: Typed<EvalSpec>,
}

/// Runs the command.
pub(crate) fn run(args: &EvalArgs) -> Result<ExitCode> {
    let Some(outcome) = args.job.run(&args.spec, true)? else {
        return Ok(ExitCode::SUCCESS);
    };
    let mut out = stdout();
    match &outcome.summary {
        summary if args.json => {
            writeln!(out.raw(), "{}", serde_json::to_string_pretty(summary)?)?;
        }
        EvalSummary::Documents(report) => show::show(&mut out, report)?,
        EvalSummary::Passages(report) => show_passages::show(&mut out, report)?,
    }
    Ok(ExitCode::SUCCESS)
}
