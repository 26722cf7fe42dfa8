//! `neardupe find`: near-duplicates of a collection.

mod options;
mod reading;
mod show;
mod show_filters;

pub(crate) use neardupe_jobs::kind::find::FindJob as Job;
pub(crate) use options::{FindArgs, RunArgs, print_check};
pub(crate) use reading::{ReadingArgs, typed};
pub(crate) use show::{show, show_found, show_spots};

use crate::exit;
use crate::typed::rendered;
use anyhow::Result;
use neardupe_core::document::Progress;
use neardupe_io::source::{FileSource, InputFile};
use neardupe_jobs::kind::find::{FindOutcome, all_options, shared_main_warning};
use serde_json::{Map, Value};
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

/// The parameters of how documents are read and written, of a job that compares in a way of its own.
pub(crate) fn options_of_reading(job: &Job) -> Map<String, Value> {
    let spec = &job.spec;
    let parts = [
        all_options(&spec.input),
        all_options(&spec.reference),
        all_options(&spec.reading.record),
        all_options(&spec.reading.text),
        all_options(&spec.reading.limits),
        all_options(&spec.tolerance),
        all_options(&spec.output),
        all_options(&spec.work),
    ];
    parts.into_iter().flatten().collect()
}

/// Opens the files of a job that has no summary with warnings: what was found is printed.
pub(crate) fn open_and_warn(
    job: &mut Job,
    files: Vec<InputFile>,
    progress: &dyn Progress,
) -> Result<FileSource> {
    let source = job.open(files, progress)?;
    if let Some(warning) = shared_main_warning(job) {
        print_warnings(&[warning])?;
    }
    Ok(source)
}
