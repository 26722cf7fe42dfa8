//! `neardupe find`: near-duplicates of a collection.

mod show;
mod show_filters;

pub(crate) use show::{show, show_found, show_spots};

use super::job_args::ResumableArgs;
use crate::exit;
use crate::terminal::{stderr, stdout, visible_line};
use crate::typed::{Typed, rendered};
use anyhow::Result;
use clap::Args;
use neardupe_jobs::kind::find::{FindOutcome, FindSpec};
use std::io::Write;
use std::process::ExitCode;

/// What was typed after `find`.
#[derive(Debug, Args)]
pub(crate) struct FindArgs {
    #[command(flatten)]
    pub(crate) run: RunArgs,

    #[command(flatten)]
    pub(crate) spec: Typed<FindSpec>,
}

/// How a job is run and what is printed of it.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) job: ResumableArgs,

    /// Print no progress and no summary
    #[arg(long, short)]
    pub(crate) quiet: bool,

    /// Print the summary as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Runs the command.
pub(crate) fn run(args: &FindArgs) -> Result<ExitCode> {
    let run = &args.run;
    let Some(outcome) = run.job.run(&args.spec, run.quiet)? else {
        return Ok(ExitCode::SUCCESS);
    };
    let FindOutcome { job, summary } = &outcome;
    let mut out = stdout();
    if run.json {
        writeln!(out.raw(), "{}", serde_json::to_string_pretty(summary)?)?;
    } else if !run.quiet {
        show(&mut out, job, summary)?;
        if job.config.budget.keep_features {
            let path = job.config.work_dir.display();
            writeln!(
                out,
                "work kept in {path}; search it: neardupe similar {path} --query TEXT"
            )?;
        }
    }
    Ok(exit::of_records(outcome.has_left_out()))
}

/// Prints warnings, one line each, on standard error.
///
/// Names of parameters in them become flags. The outcome of the job keeps them for other fronts.
pub(crate) fn print_warnings(warnings: &[String]) -> std::io::Result<()> {
    let mut out = stderr();
    for warning in warnings {
        writeln!(
            out,
            "neardupe: WARNING: {}",
            visible_line(&rendered(warning))
        )?;
    }
    Ok(())
}
