//! `neardupe explain`: why a document is where it is, and how the join decides about two.
//!
//! The two questions share their parameters but not their answers: a document is explained from the
//! tables of the result, a pair by going through the steps of the join again. Neither changes the
//! result folder.

mod document;
mod steps;

use super::compare::ColorArgs;
use super::job_args::{JobArgs, print_json};
use crate::terminal::Visible;
use crate::typed::Typed;
use anyhow::Result;
use clap::Args;
use neardupe_jobs::kind::explain::{ExplainAnswer, ExplainSpec};
use std::io::{BufWriter, Write};
use std::process::ExitCode;

/// What was typed after `explain`.
#[derive(Debug, Args)]
#[command(mut_arg("id", |arg| arg.required_unless_present_any(["pair", "config"])))]
#[command(mut_arg("pair", |arg| arg.conflicts_with("id").value_names(["A", "B"])))]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    job: JobArgs,

    #[command(flatten)]
    color: ColorArgs,

    /// Print everything as JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    spec: Typed<ExplainSpec>,
}

/// Runs the command.
pub(crate) fn run(args: &ExplainArgs) -> Result<ExitCode> {
    // Before the job, which may read a large collection: a mistyped word must not cost that time.
    args.color.check()?;
    let Some(outcome) = args.job.run(&args.spec, args.json)? else {
        return Ok(ExitCode::SUCCESS);
    };
    let mut out = Visible(BufWriter::new(std::io::stdout().lock()));
    match &outcome.answer {
        _ if args.json => print_json(out.raw(), &outcome.summary)?,
        ExplainAnswer::Document(document) => {
            document::show(&mut out, document, &outcome.shown, &args.color)?;
        }
        ExplainAnswer::Pair(pair) => {
            steps::show(&mut out, pair)?;
            if pair.has_changed {
                writeln!(
                    out,
                    "\nthe texts have changed since: the result has another overlap of the two"
                )?;
            }
            if let Some(path) = &outcome.shown.html {
                writeln!(out, "\nboth texts side by side: {}", path.display())?;
            }
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
