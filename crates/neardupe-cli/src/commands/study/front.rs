//! How a study is run, and what is printed of it.
//!
//! All studies leave the same kinds of things: tables, findings in words, a page and a summary. So
//! one function runs and prints all of them; `adaptive` alone looks at its flags before.

use super::super::job_args::ResumableArgs;
use super::show::show;
use crate::exit;
use crate::terminal::stdout;
use crate::typed::Typed;
use anyhow::Result;
use clap::Args;
use neardupe_jobs::job::{Job, JobSpec};
use neardupe_jobs::kind::study::StudyOutcome;
use neardupe_jobs::param::Params;
use serde::Serialize;
use std::io::Write;
use std::process::ExitCode;

/// What was typed after the name of a study.
#[derive(Debug, Args)]
pub(crate) struct StudyJobArgs<P: Params> {
    #[command(flatten)]
    job: ResumableArgs,

    /// Print the summary as JSON
    #[arg(long, help_heading = "Output")]
    json: bool,

    /// Print nothing but errors
    #[arg(short, long, conflicts_with = "json", help_heading = "Output")]
    quiet: bool,

    #[command(flatten)]
    spec: Typed<P>,
}

/// Runs a study and prints what came of it.
pub(super) fn run<S: JobSpec, F: Serialize>(args: &StudyJobArgs<S>) -> Result<ExitCode>
where
    S::Job: Job<Outcome = StudyOutcome<F>>,
{
    // JSON is for programs: progress lines would only fill their logs.
    let is_quiet = args.quiet || args.json;
    let Some(outcome) = args.job.run(&args.spec, is_quiet)? else {
        return Ok(ExitCode::SUCCESS);
    };
    let mut out = stdout();
    if args.json {
        out.write_all(outcome.summary.to_text()?.as_bytes())?;
    } else if !args.quiet {
        show(&mut out, &outcome)?;
    }
    Ok(exit::of_records(outcome.has_left_out()))
}
