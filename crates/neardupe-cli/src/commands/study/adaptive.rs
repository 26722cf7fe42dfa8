//! `neardupe study adaptive`: the fewest features that keep the precision asked for.

use super::front::{self, StudyJobArgs};
use anyhow::Result;
use clap::Args;
use neardupe_core::error::Error;
use neardupe_jobs::kind::study::StudyAdaptiveSpec;
use std::process::ExitCode;

/// What was typed after `study adaptive`.
#[derive(Debug, Args)]
pub(crate) struct AdaptiveArgs {
    /// Whoever knows it from `study sampling` learns what to type
    #[arg(long, value_name = "T", hide = true)]
    min_threshold: Option<String>,

    #[command(flatten)]
    study: StudyJobArgs<StudyAdaptiveSpec>,
}

/// Runs the command.
pub(crate) fn run(args: &AdaptiveArgs) -> Result<ExitCode> {
    if args.min_threshold.is_some() {
        let message = "a plan is for one threshold: `threshold`";
        return Err(Error::config("min-threshold", message).into());
    }
    front::run(&args.study)
}
