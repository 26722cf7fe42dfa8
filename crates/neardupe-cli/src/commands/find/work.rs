//! The work directory of a job: begun or resumed, and what to say when the job ends early.

use super::job::Job;
use crate::terminal::{Stages, typed_command};
use anyhow::Result;
use neardupe_core::document::{Origin, Progress};
use neardupe_core::error::Error;
use neardupe_core::store::WorkDir;
use std::io::ErrorKind;

/// Begins a job, or goes on with one.
pub(super) fn open(
    job: &Job,
    origins: Option<Vec<Origin>>,
    resume: bool,
    stages: &Stages,
) -> Result<WorkDir> {
    let path = job.config.work_dir.clone();
    if resume && origins.is_none() {
        let message = "standard input and pipes can be read only once; start again";
        return Err(Error::config("--resume", message).into());
    }
    let identity = job.identity(origins);
    if resume {
        if let Some(work) = WorkDir::resume(path.clone(), &identity, stages)? {
            stages.tell(&format!("going on with the work in {}", path.display()));
            return Ok(work);
        }
        stages.tell("there is nothing to resume; starting from the beginning");
    }
    let (work, left_over) = WorkDir::begin(path, identity)?;
    if left_over {
        stages.tell(
            "the work of an unfinished job was removed; --resume would go on with it",
        );
    }
    // Nobody else writes the same result now.
    work.enter()?;
    Ok(work)
}

/// Tells what can be done about a job that ended early.
pub(super) fn with_advice(
    error: anyhow::Error,
    resumable: bool,
    job: &Job,
) -> anyhow::Error {
    match error.downcast_ref::<Error>() {
        Some(Error::Cancelled) => {
            let advice = if resumable {
                format!("go on with: {}", resuming_command())
            } else if job.config.budget.checkpoint {
                "nothing was kept, since no part of the input was read to its end"
                    .to_owned()
            } else {
                "nothing was kept: no part of the input was read to its end, or the job was \
                 held in memory (--checkpoint keeps what is done)"
                    .to_owned()
            };
            Error::Stopped { advice }.into()
        }
        Some(Error::Io { path, source }) if source.kind() == ErrorKind::StorageFull => {
            let mut remedy = "free some space".to_owned();
            if path.starts_with(&job.config.work_dir) {
                remedy += ", or choose another place with --work-dir";
            }
            if resumable {
                remedy += &format!("; then go on with: {}", resuming_command());
            }
            Error::DiskFull {
                path: path.clone(),
                remedy,
            }
            .into()
        }
        _ => error,
    }
}

/// What was typed, with `--resume`.
fn resuming_command() -> String {
    let arguments = std::env::args_os().skip(1);
    let arguments = arguments.map(|argument| argument.to_string_lossy().into_owned());
    let mut arguments: Vec<String> = arguments.collect();
    // What follows a bare -- is no flag.
    let flags = arguments.iter().position(|argument| argument == "--");
    let flags = flags.unwrap_or(arguments.len());
    if !arguments[..flags]
        .iter()
        .any(|argument| argument == "--resume")
    {
        arguments.insert(flags, "--resume".to_owned());
    }
    typed_command(&arguments)
}
