//! `neardupe study threshold`: what each threshold finds, from one job at the lowest.

use super::super::front::StudyRunArgs;
use crate::typed::Typed;
use anyhow::Result;
use clap::Args;
use neardupe_jobs::kind::study::{StudyThresholdJob, StudyThresholdSpec};
use std::process::ExitCode;

/// What was typed after `study threshold`.
#[derive(Debug, Args)]
pub(crate) struct ThresholdArgs {
    #[command(flatten)]
    run: StudyRunArgs,

    #[command(flatten)]
    spec: Typed<StudyThresholdSpec>,
}

/// Runs the command.
pub(crate) fn run(args: &ThresholdArgs) -> Result<ExitCode> {
    let name = "study threshold";
    let job = args.run.spec(&args.spec, name)?.validate()?;
    let options = StudyThresholdJob::options;
    args.run.run(name, job, options, StudyThresholdJob::run)
}
