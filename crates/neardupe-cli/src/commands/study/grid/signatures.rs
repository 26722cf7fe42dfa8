//! `neardupe study signatures`: every method on the user's own documents.

use super::super::front::StudyRunArgs;
use crate::typed::Typed;
use anyhow::Result;
use clap::Args;
use neardupe_jobs::kind::study::{StudySignaturesJob, StudySignaturesSpec};
use std::process::ExitCode;

/// What was typed after `study signatures`.
#[derive(Debug, Args)]
pub(crate) struct SignaturesArgs {
    #[command(flatten)]
    run: StudyRunArgs,

    #[command(flatten)]
    spec: Typed<StudySignaturesSpec>,
}

/// Runs the command.
pub(crate) fn run(args: &SignaturesArgs) -> Result<ExitCode> {
    let name = "study signatures";
    let job = args.run.spec(&args.spec, name)?.validate()?;
    let options = StudySignaturesJob::options;
    args.run.run(name, job, options, StudySignaturesJob::run)
}
