//! `neardupe passages`: every stretch of text that two documents have in common, located in both.

mod show;

pub(super) use show::surely_described;

use super::find::{print_check, print_warnings};
use crate::terminal::Stages;
use crate::typed::{Typed, from_file, rendered};
use crate::{exit, interrupt};
use anyhow::Result;
use clap::Args;
use neardupe_jobs::exec::Exec;
use neardupe_jobs::kind::passages::{PassagesJob, PassagesSpec};
use neardupe_jobs::param::Params;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// What was typed after `passages`.
#[derive(Debug, Args)]
pub(crate) struct PassagesArgs {
    /// Read options from a TOML file; its keys are the names of the flags
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Check the options, print all of them as they would be used, as JSON, and run nothing
    #[arg(long)]
    check: bool,

    /// Print the summary as JSON
    #[arg(long)]
    json: bool,

    /// Print nothing but errors
    #[arg(short, long, conflicts_with = "json")]
    quiet: bool,

    #[command(flatten)]
    spec: Typed<PassagesSpec>,
}

impl PassagesArgs {
    fn job(&self) -> Result<PassagesJob> {
        let typed = self.spec.0.clone();
        let spec = match &self.config {
            None => typed,
            Some(path) => typed.or(from_file(path, "passages")?),
        };
        Ok(spec.validate()?)
    }
}

/// Runs the command.
pub(crate) fn run(args: &PassagesArgs) -> Result<ExitCode> {
    let job = args.job()?;
    if args.check {
        return print_check("passages", &job.options());
    }
    let stages = Stages::new(args.quiet || args.json).stopped_by(interrupt::install()?);
    let outcome = job.run(&Exec {
        words: rendered,
        ..Exec::new(&stages)
    })?;
    drop(stages);
    let mut out = std::io::stdout().lock();
    if args.json {
        let summary = outcome.summary.to_json()?;
        writeln!(out, "{}", serde_json::to_string_pretty(&summary)?)?;
    } else if !args.quiet {
        show::show(&mut out, &outcome)?;
    }
    print_warnings(&outcome.warnings)?;
    Ok(exit::of_records(outcome.has_left_out()))
}
