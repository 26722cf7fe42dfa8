//! `neardupe dedup`: finds near-duplicates, then writes the collection without them.

mod passages;
mod show;

use super::find::{RunArgs, print_check, print_warnings};
use crate::exit;
use crate::typed::Typed;
use anyhow::Result;
use clap::Args;
use neardupe_jobs::kind::dedup::DedupSpec;
use std::io::Write;
use std::process::ExitCode;

/// What was typed after `dedup`.
#[derive(Debug, Args)]
pub(crate) struct DedupArgs {
    #[command(flatten)]
    run: RunArgs,

    #[command(flatten)]
    passages: passages::PassageArgs,

    #[command(flatten)]
    spec: Typed<DedupSpec>,
}

/// Runs the command.
pub(crate) fn run(args: &DedupArgs) -> Result<ExitCode> {
    let spec = args.run.spec(&args.spec, "dedup")?;
    if args.passages.passages {
        return passages::run(&args.passages, &args.run, spec);
    }
    let job = spec.validate()?;
    if args.run.check {
        return print_check("dedup", &job.options());
    }
    let stages = args.run.stages()?;
    let outcome = job.run(&args.run.exec(&stages))?;
    drop(stages);
    let summary = &outcome.summary;
    print_warnings(&summary.warnings)?;
    let mut out = std::io::stdout().lock();
    if args.run.json {
        writeln!(out, "{}", serde_json::to_string_pretty(summary)?)?;
    } else if !args.run.quiet {
        show::show(&mut out, &outcome.job, summary)?;
    }
    // Whoever wants no summary wants to hear of this all the same.
    show::warn(&mut std::io::stderr().lock(), summary)?;
    Ok(exit::of_records(outcome.has_left_out()))
}
