//! `neardupe sources`: why the duplicates of a result are duplicates.
//!
//! Causes are looked for in the order of their certainty: equal addresses first, then hosts, then
//! the texts themselves. Addresses cost nothing; texts must be read again, which is why only a
//! sample of the pairs that need them is compared.

mod show;

use super::job_args::JobArgs;
use crate::terminal::stdout;
use crate::typed::Typed;
use anyhow::Result;
use clap::Args;
use neardupe_jobs::kind::sources::SourcesSpec;
use std::io::Write;
use std::process::ExitCode;

/// What was typed after `sources`.
#[derive(Debug, Args)]
#[command(
    after_help = "Kinds (the first that fits is reported): same-page, mirror, copied, \
                  forum, update, periphery, invisible, body, other. docs/sources.md says by \
                  what limits."
)]
pub(crate) struct SourcesArgs {
    #[command(flatten)]
    job: JobArgs,

    /// Print everything as JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    spec: Typed<SourcesSpec>,
}

/// Runs the command.
pub(crate) fn run(args: &SourcesArgs) -> Result<ExitCode> {
    let Some(outcome) = args.job.run(&args.spec, args.json)? else {
        return Ok(ExitCode::SUCCESS);
    };
    let mut out = stdout();
    if args.json {
        writeln!(
            out.raw(),
            "{}",
            serde_json::to_string_pretty(&outcome.summary)?
        )?
    } else {
        show::show(&mut out, &outcome)?
    }
    Ok(ExitCode::SUCCESS)
}
