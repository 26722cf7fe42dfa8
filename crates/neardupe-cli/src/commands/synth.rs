//! `neardupe synth`: writes a synthetic collection and what was planted in it.
//!
//! The collection and the truth are written by the job; one line says where. The same seed writes
//! the same bytes on any machine, so a collection is named by the command that makes it.

use super::job_args::JobArgs;
use crate::terminal::stdout;
use crate::typed::Typed;
use anyhow::Result;
use clap::Args;
use neardupe_jobs::kind::synth::SynthSpec;
use std::io::Write;
use std::process::ExitCode;

/// What was typed after `synth`.
#[derive(Debug, Args)]
pub(crate) struct SynthArgs {
    #[command(flatten)]
    job: JobArgs,

    #[command(flatten)]
    spec: Typed<SynthSpec>,
}

/// Runs the command.
pub(crate) fn run(args: &SynthArgs) -> Result<ExitCode> {
    let Some(outcome) = args.job.run(&args.spec, true)? else {
        return Ok(ExitCode::SUCCESS);
    };
    let counts = &outcome.summary.counts;
    // A reader that has gone away does not make the files less complete.
    let _ = writeln!(
        stdout(),
        "{} documents, {} words, {} bytes in {}; what was planted is in {}",
        counts.documents,
        counts.words,
        counts.bytes,
        outcome.documents.display(),
        outcome.truth.display(),
    );
    Ok(ExitCode::SUCCESS)
}
