//! `neardupe study hamming`: in how many bits two simhashes may differ.

use super::super::front::StudyRunArgs;
use crate::typed::Typed;
use anyhow::Result;
use clap::Args;
use neardupe_jobs::kind::study::{StudyHammingJob, StudyHammingSpec};
use std::process::ExitCode;

/// What was typed after `study hamming`.
#[derive(Debug, Args)]
pub(crate) struct HammingArgs {
    #[command(flatten)]
    run: StudyRunArgs,

    #[command(flatten)]
    spec: Typed<StudyHammingSpec>,
}

/// Runs the command.
pub(crate) fn run(args: &HammingArgs) -> Result<ExitCode> {
    let name = "study hamming";
    let job = args.run.spec(&args.spec, name)?.validate()?;
    let options = StudyHammingJob::options;
    args.run.run(name, job, options, StudyHammingJob::run)
}
