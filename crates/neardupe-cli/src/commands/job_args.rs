//! Flags of every command that runs a job: where its description comes from, whether it is run, how it goes on.
//!
//! Every command takes the same way: what was typed is put over the configuration file, `validate` makes a
//! job of it or refuses it, `run` leaves a typed outcome, and the command prints that. No command
//! has a check of its own, apart from what only a terminal knows.

use super::find::print_warnings;
use crate::interrupt;
use crate::terminal::{Stages, resuming_command};
use crate::typed::{Typed, from_file, rendered};
use anyhow::Result;
use clap::Args;
use neardupe_core::document::Progress;
use neardupe_core::error::Error;
use neardupe_jobs::exec::Exec;
use neardupe_jobs::job::{Job, JobOutcome, JobSpec};
use neardupe_jobs::param::Params;
use serde::Serialize;
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;

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

/// The same for a job that can be resumed.
#[derive(Debug, Default, Args)]
pub(crate) struct ResumableArgs {
    #[command(flatten)]
    pub(crate) job: JobArgs,

    /// Go on with a job that was interrupted; done stages are not repeated
    #[arg(long)]
    resume: bool,
}

/// What comes of a job that a description describes.
type OutcomeOf<S> = <<S as JobSpec>::Job as Job>::Outcome;

impl JobArgs {
    /// What was typed, and where nothing was, what the configuration file says.
    ///
    /// What was typed is stronger, parameter by parameter: a file can hold the usual options of
    /// a project.
    pub(crate) fn spec<S: JobSpec>(&self, typed: &Typed<S>) -> Result<S> {
        let typed = typed.0.clone();
        Ok(match &self.config {
            None => typed,
            Some(path) => typed.or(from_file(path, S::KIND)?),
        })
    }

    /// The job that was typed; none if it was only to be checked, and is printed.
    pub(crate) fn job<S: JobSpec>(&self, typed: &Typed<S>) -> Result<Option<S::Job>> {
        self.job_of(self.spec(typed)?)
    }

    /// The same of a description that is complete.
    pub(crate) fn job_of<S: JobSpec>(&self, spec: S) -> Result<Option<S::Job>> {
        let job = spec.validate().map_err(by_place::<S>)?;
        if !self.check {
            return Ok(Some(job));
        }
        let described = json!({"job": S::KIND, "options": job.options()});
        print_json(&mut std::io::stdout().lock(), &described)?;
        Ok(None)
    }

    /// Runs the job that was typed and prints its warnings; none if it was only to be checked.
    pub(crate) fn run<S: JobSpec>(
        &self,
        typed: &Typed<S>,
        is_quiet: bool,
    ) -> Result<Option<OutcomeOf<S>>> {
        self.run_of(self.spec(typed)?, is_quiet, false)
    }

    /// The same of a description that is complete.
    pub(crate) fn run_of<S: JobSpec>(
        &self,
        spec: S,
        is_quiet: bool,
        resume: bool,
    ) -> Result<Option<OutcomeOf<S>>> {
        let Some(job) = self.job_of(spec)? else {
            // For the next job of a script: the options as they are resolved, in the form that
            // a configuration file has.
            return Ok(None);
        };
        // Only now: a job that is refused must not change how signals are handled.
        let stages = stages(is_quiet)?;
        let exec = Exec {
            resume,
            ..exec(&stages)
        };
        let outcome = job.run(&exec).map_err(by_place::<S>)?;
        // What took long in the last stage is shown too.
        stages.finish();
        // Warnings follow the progress and precede the result, so they are read before it.
        print_warnings(outcome.warnings())?;
        Ok(Some(outcome))
    }
}

impl ResumableArgs {
    /// Runs or resumes the job that was typed and prints its warnings; none if it was only to be checked.
    pub(crate) fn run<S: JobSpec>(
        &self,
        typed: &Typed<S>,
        is_quiet: bool,
    ) -> Result<Option<OutcomeOf<S>>> {
        self.job
            .run_of(self.job.spec(typed)?, is_quiet, self.resume)
    }
}

/// An error about a parameter that is given by its place, named as usage names the place.
///
/// Other errors pass unchanged.
fn by_place<S: Params>(error: Error) -> Error {
    let Error::Config { key, message } = error else {
        return error;
    };
    let infos = S::infos().into_iter();
    // Flags are named by `exit`; only places such as RESULT have another name in usage than
    // their key.
    let mut placed = infos.filter(|info| info.is_positional);
    match placed.find(|info| info.name == key) {
        Some(info) => Error::config(info.value_name, message),
        None => Error::Config { key, message },
    }
}

/// Shows progress unless it is quiet; Ctrl-C stops the job.
///
/// Called after a job has been checked and before it runs, once per process.
pub(crate) fn stages(quiet: bool) -> Result<Stages> {
    Ok(Stages::new(quiet).stopped_by(interrupt::install()?))
}

/// What a job is run with.
///
/// Parameters in messages are printed as flags, and advice to go on is the command that was
/// typed.
pub(crate) fn exec(progress: &dyn Progress) -> Exec<'_> {
    Exec {
        words: rendered,
        how_to_resume: resuming_command(),
        ..Exec::new(progress)
    }
}

/// Prints a summary as JSON, its keys in order.
///
/// By way of a value, whose maps are sorted: the order does not depend on the order of fields
/// in a struct.
pub(crate) fn print_json(out: &mut impl Write, summary: &impl Serialize) -> Result<()> {
    let value = serde_json::to_value(summary)?;
    Ok(writeln!(out, "{}", serde_json::to_string_pretty(&value)?)?)
}
