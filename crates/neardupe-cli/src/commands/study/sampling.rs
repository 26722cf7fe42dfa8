//! `neardupe study sampling`: what a sample of the features finds, and what it misses.

use super::front::StudyRunArgs;
use crate::typed::Typed;
use anyhow::Result;
use clap::Args;
use neardupe_jobs::kind::study::{StudySamplingJob, StudySamplingSpec};
use std::process::ExitCode;

/// What was typed after `study sampling`.
#[derive(Debug, Args)]
pub(crate) struct SamplingArgs {
    #[command(flatten)]
    run: StudyRunArgs,

    #[command(flatten)]
    spec: Typed<StudySamplingSpec>,
}

/// Runs the command.
pub(crate) fn run(args: &SamplingArgs) -> Result<ExitCode> {
    let name = "study sampling";
    let job = args.run.spec(&args.spec, name)?.validate()?;
    let options = StudySamplingJob::options;
    args.run.run(name, job, options, StudySamplingJob::run)
}
