//! What can be typed after `find`.

use crate::interrupt;
use crate::terminal::{Stages, resuming_command};
use crate::typed::{Typed, from_file, rendered};
use anyhow::Result;
use clap::Args;
use neardupe_core::document::Progress;
use neardupe_jobs::exec::Exec;
use neardupe_jobs::kind::find::{FindJob, FindSpec};
use neardupe_jobs::param::Params;
use serde_json::{Map, Value, json};
use std::io::Write;
use std::path::PathBuf;
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
    /// Read options from a TOML file; its keys are the names of the flags
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Go on with a job that was interrupted; done stages are not repeated
    #[arg(long)]
    pub(crate) resume: bool,

    /// Print no progress and no summary
    #[arg(long, short)]
    pub(crate) quiet: bool,

    /// Print the summary as JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Check the options, print all of them as they would be used, as JSON, and run nothing
    #[arg(long)]
    pub(crate) check: bool,
}

/// Prints a job as it would be done.
pub(crate) fn print_check(job: &str, options: &Map<String, Value>) -> Result<ExitCode> {
    let described = json!({"job": job, "options": options});
    let text = serde_json::to_string_pretty(&described)? + "\n";
    std::io::stdout().lock().write_all(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

impl RunArgs {
    /// What was typed, and where nothing was, what the configuration file says.
    pub(crate) fn spec<P: Params>(&self, typed: &Typed<P>, whose: &str) -> Result<P> {
        let typed = typed.0.clone();
        Ok(match &self.config {
            None => typed,
            Some(path) => typed.or(from_file(path, whose)?),
        })
    }

    /// Shows progress; Ctrl-C stops the job.
    pub(crate) fn stages(&self) -> Result<Stages> {
        Ok(Stages::new(self.quiet).stopped_by(interrupt::install()?))
    }

    /// What a job is run with.
    pub(crate) fn exec<'a>(&self, progress: &'a dyn Progress) -> Exec<'a> {
        Exec {
            resume: self.resume,
            words: rendered,
            how_to_resume: resuming_command(),
            ..Exec::new(progress)
        }
    }
}

impl FindArgs {
    /// The job that was typed.
    pub(crate) fn job(&self) -> Result<FindJob> {
        Ok(self.run.spec(&self.spec, "find")?.validate()?)
    }
}
