//! `neardupe passages`: every stretch of text that two documents have in common, located in both.
//!
//! The same front as `find`, with other tables: places are counted in characters and not in
//! documents. `--json` implies silence, so standard output holds one JSON object and nothing else.

mod show;

pub(super) use show::surely_described;

use super::job_args::ResumableArgs;
use crate::exit;
use crate::terminal::stdout;
use crate::typed::Typed;
use anyhow::Result;
use clap::Args;
use neardupe_jobs::kind::passages::PassagesSpec;
use std::io::Write;
use std::process::ExitCode;

/// What was typed after `passages`.
#[derive(Debug, Args)]
pub(crate) struct PassagesArgs {
    #[command(flatten)]
    job: ResumableArgs,

    /// Print the summary as JSON
    #[arg(long)]
    json: bool,

    /// Print nothing but errors
    #[arg(short, long, conflicts_with = "json")]
    quiet: bool,

    #[command(flatten)]
    spec: Typed<PassagesSpec>,
}

/// Runs the command.
pub(crate) fn run(args: &PassagesArgs) -> Result<ExitCode> {
    let is_quiet = args.quiet || args.json;
    let Some(outcome) = args.job.run(&args.spec, is_quiet)? else {
        return Ok(ExitCode::SUCCESS);
    };
    let mut out = stdout();
    if args.json {
        let summary = outcome.summary.to_json()?;
        writeln!(out.raw(), "{}", serde_json::to_string_pretty(&summary)?)?;
    } else if !args.quiet {
        show::show(&mut out, &outcome)?;
    }
    Ok(exit::of_records(outcome.has_left_out()))
}
