//! Flags of every command that runs a job: where its description comes from, and whether it is run.

use super::find::print_check;
use crate::interrupt;
use crate::terminal::{Stages, resuming_command};
use crate::typed::{Typed, from_file, rendered};
use anyhow::Result;
use clap::Args;
use neardupe_core::document::Progress;
use neardupe_jobs::exec::Exec;
use neardupe_jobs::param::Params;
use serde::Serialize;
use serde_json::{Map, Value};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Where the description of a job comes from.
#[derive(Debug, Default, Args)]
pub(crate) struct JobArgs {
    /// Read options from a TOML file; its keys are the names of the flags
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Check the options, print all of them as they would be used, as JSON, and run nothing
    #[arg(long)]
    check: bool,
}

impl JobArgs {
    /// What was typed, and where nothing was, what the configuration file says.
    pub(crate) fn spec<P: Params>(&self, typed: &Typed<P>, whose: &str) -> Result<P> {
        let typed = typed.0.clone();
        Ok(match &self.config {
            None => typed,
            Some(path) => typed.or(from_file(path, whose)?),
        })
    }

    /// Prints the job, if it is not to be run.
    pub(crate) fn checked(
        &self,
        job: &str,
        options: impl FnOnce() -> Map<String, Value>,
    ) -> Result<Option<ExitCode>> {
        match self.check {
            true => print_check(job, &options()).map(Some),
            false => Ok(None),
        }
    }
}

/// Shows progress unless it is quiet; Ctrl-C stops the job.
pub(crate) fn stages(quiet: bool) -> Result<Stages> {
    Ok(Stages::new(quiet).stopped_by(interrupt::install()?))
}

/// What a job is run with.
pub(crate) fn exec(progress: &dyn Progress) -> Exec<'_> {
    Exec {
        words: rendered,
        how_to_resume: resuming_command(),
        ..Exec::new(progress)
    }
}

/// Prints a summary as JSON, its keys in order.
pub(crate) fn print_json(out: &mut impl Write, summary: &impl Serialize) -> Result<()> {
    let value = serde_json::to_value(summary)?;
    Ok(writeln!(out, "{}", serde_json::to_string_pretty(&value)?)?)
}
