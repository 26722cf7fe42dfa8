//! How a study is run, and what is printed of it.

use super::super::find::print_warnings;
use super::super::job_args::print_json;
use super::show::show;
use crate::terminal::{Stages, resuming_command};
use crate::typed::{Typed, from_file, rendered};
use crate::{exit, interrupt};
use anyhow::Result;
use clap::Args;
use neardupe_core::document::Progress;
use neardupe_core::error::Error;
use neardupe_jobs::exec::Exec;
use neardupe_jobs::kind::study::StudyOutcome;
use neardupe_jobs::param::Params;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// How a study is run and what is printed of it.
#[derive(Debug, Args)]
pub(crate) struct StudyRunArgs {
    /// Read options from a TOML file; its keys are the names of the flags
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Check the options, print all of them as they would be used, as JSON, and run nothing
    #[arg(long)]
    check: bool,

    #[command(flatten)]
    print: StudyPrintArgs,
}

/// What is printed of a study.
#[derive(Debug, Args)]
pub(crate) struct StudyPrintArgs {
    /// Print the summary as JSON
    #[arg(long, help_heading = "Output")]
    json: bool,

    /// Print nothing but errors
    #[arg(short, long, conflicts_with = "json", help_heading = "Output")]
    quiet: bool,
}

impl StudyRunArgs {
    /// What was typed, and where nothing was, what the configuration file says.
    pub(super) fn spec<P: Params>(&self, typed: &Typed<P>, whose: &str) -> Result<P> {
        let typed = typed.0.clone();
        Ok(match &self.config {
            None => typed,
            Some(path) => typed.or(from_file(path, whose)?),
        })
    }

    /// Runs a study that was checked and prints what came of it.
    pub(super) fn run<J, F: Serialize>(
        &self,
        name: &str,
        job: J,
        options: impl FnOnce(&J) -> Map<String, Value>,
        run: impl FnOnce(J, &Exec<'_>) -> Result<StudyOutcome<F>, Error>,
    ) -> Result<ExitCode> {
        if self.check {
            let described = json!({"job": name, "options": options(&job)});
            print_json(&mut std::io::stdout().lock(), &described)?;
            return Ok(ExitCode::SUCCESS);
        }
        let stages = self.print.stages()?;
        let outcome = run(job, &self.print.exec(&stages))?;
        stages.finish();
        self.print.print(&outcome)
    }
}

impl StudyPrintArgs {
    /// Shows progress; Ctrl-C stops the study.
    pub(super) fn stages(&self) -> Result<Stages> {
        Ok(Stages::new(self.quiet || self.json).stopped_by(interrupt::install()?))
    }

    /// What a study is run with.
    pub(super) fn exec<'a>(&self, progress: &'a dyn Progress) -> Exec<'a> {
        Exec {
            words: rendered,
            how_to_resume: resuming_command(),
            ..Exec::new(progress)
        }
    }

    /// Prints what came of a study.
    pub(super) fn print<F: Serialize>(
        &self,
        outcome: &StudyOutcome<F>,
    ) -> Result<ExitCode> {
        print_warnings(&outcome.warnings)?;
        let mut out = std::io::stdout().lock();
        if self.json {
            out.write_all(outcome.summary.to_text()?.as_bytes())?;
        } else if !self.quiet {
            show(&mut out, outcome)?;
        }
        Ok(exit::of_records(outcome.has_left_out()))
    }
}
