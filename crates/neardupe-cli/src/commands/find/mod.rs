//! `neardupe find`: near-duplicates of a collection.

mod options;
mod show;
mod show_filters;

pub(crate) use neardupe_jobs::kind::find::FindJob as Job;
pub(crate) use options::{FindArgs, RunArgs, print_check};
pub(crate) use show::{show, show_found, show_spots};

use crate::exit;
use crate::typed::rendered;
use anyhow::Result;
use neardupe_jobs::kind::find::FindOutcome;
use std::io::Write;
use std::process::ExitCode;

/// Runs the command.
pub(crate) fn run(args: &FindArgs) -> Result<ExitCode> {
    let job = args.job()?;
    if args.run.check {
        return print_check("find", &job.options());
    }
    let stages = args.run.stages()?;
    let outcome = job.run(&args.run.exec(&stages))?;
    drop(stages);
    let FindOutcome { job, summary } = &outcome;
    print_warnings(&summary.warnings)?;
    let mut out = std::io::stdout().lock();
    if args.run.json {
        writeln!(out, "{}", serde_json::to_string_pretty(summary)?)?;
    } else if !args.run.quiet {
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
pub(crate) fn print_warnings(warnings: &[String]) -> std::io::Result<()> {
    let mut out = std::io::stderr().lock();
    for warning in warnings {
        writeln!(out, "neardupe: WARNING: {}", rendered(warning))?;
    }
    Ok(())
}
