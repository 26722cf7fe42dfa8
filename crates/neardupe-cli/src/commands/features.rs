//! `neardupe features`: the features of each document, as they are compared.

use super::find::print_warnings;
use super::job_args::{JobArgs, exec, stages};
use crate::exit;
use crate::typed::Typed;
use anyhow::Result;
use clap::Args;
use neardupe_core::error::Error;
use neardupe_jobs::kind::features::FeatureListSpec;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

/// What was typed after `features`.
#[derive(Debug, Args)]
#[command(after_help = "docs/features.md defines every feature and the hash behind it.")]
pub(crate) struct FeaturesArgs {
    #[command(flatten)]
    job: JobArgs,

    #[command(flatten)]
    spec: Typed<FeatureListSpec>,
}

/// Runs the command.
pub(crate) fn run(args: &FeaturesArgs) -> Result<ExitCode> {
    let Some(job) = args.job.job(&args.spec)? else {
        return Ok(ExitCode::SUCCESS);
    };
    // Quiet: rows go to standard output while the job runs, and a bar would be drawn between them.
    let stages = stages(true)?;
    let mut out = BufWriter::new(std::io::stdout());
    // Row by row, so a collection of any size can be piped.
    let outcome = job.run_each(&exec(&stages), &mut |row| {
        let line = serde_json::to_string(&row)?;
        writeln!(out, "{line}").map_err(to_stdout)
    })?;
    out.flush().map_err(to_stdout)?;
    drop(stages);
    print_warnings(&outcome.warnings)?;
    outcome.check()?;
    Ok(exit::of_records(outcome.has_left_out))
}

/// An error of standard output; a closed pipe is recognised by it later.
fn to_stdout(error: std::io::Error) -> Error {
    Error::io(Path::new("standard output"), error)
}
