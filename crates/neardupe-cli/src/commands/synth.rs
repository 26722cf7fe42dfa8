//! `neardupe synth`: writes a synthetic collection and what was planted in it.

use super::find::{print_check, print_warnings};
use crate::described::{DescribedArgs, exec};
use crate::interrupt;
use crate::terminal::Stages;
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
    described: DescribedArgs,

    #[command(flatten)]
    spec: Typed<SynthSpec>,
}

/// Runs the command.
pub(crate) fn run(args: &SynthArgs) -> Result<ExitCode> {
    let job = args.described.spec(&args.spec, "synth")?.validate()?;
    if args.described.check {
        return print_check("synth", &job.options());
    }
    let stages = Stages::new(true).stopped_by(interrupt::install()?);
    let outcome = job.run(&exec(&stages))?;
    drop(stages);
    print_warnings(&outcome.warnings)?;
    let counts = &outcome.summary.counts;
    // A reader that has gone away does not make the files less complete.
    let _ = writeln!(
        std::io::stdout(),
        "{} documents, {} words, {} bytes in {}; what was planted is in {}",
        counts.documents,
        counts.words,
        counts.bytes,
        outcome.documents.display(),
        outcome.truth.display(),
    );
    Ok(ExitCode::SUCCESS)
}
