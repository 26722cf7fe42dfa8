//! `neardupe study features`: what of a text is compared, and how well that finds duplicates.

use super::super::front::StudyRunArgs;
use crate::typed::Typed;
use anyhow::Result;
use clap::Args;
use neardupe_jobs::kind::study::{StudyFeaturesJob, StudyFeaturesSpec};
use std::process::ExitCode;

/// What was typed after `study features`.
#[derive(Debug, Args)]
pub(crate) struct FeaturesArgs {
    #[command(flatten)]
    run: StudyRunArgs,

    #[command(flatten)]
    spec: Typed<StudyFeaturesSpec>,
}

/// Runs the command.
pub(crate) fn run(args: &FeaturesArgs) -> Result<ExitCode> {
    let name = "study features";
    let job = args.run.spec(&args.spec, name)?.validate()?;
    let options = StudyFeaturesJob::options;
    args.run.run(name, job, options, StudyFeaturesJob::run)
}
