//! `neardupe explain`: why a document is where it is, and how the join decides about two.

mod document;
mod originals;
mod pair;
mod role;
mod steps;

use super::compare::DiffArgs;
use super::find::ReadingArgs;
use crate::interrupt;
use crate::terminal::Stages;
use anyhow::Result;
use clap::Args;
use neardupe_io::result::ResultReader;
use std::path::PathBuf;
use std::process::ExitCode;

/// What was typed after `explain`.
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// A result folder of `find`
    #[arg(value_name = "RESULT")]
    result: PathBuf,

    /// Id of a document
    #[arg(value_name = "ID", required_unless_present = "pair")]
    id: Option<String>,

    /// Show the join step by step for two documents, also for two that are not similar
    #[arg(long, num_args = 2, value_names = ["A", "B"], conflicts_with = "id")]
    pair: Vec<String>,

    /// Where the documents are now [default: the inputs of the result]
    #[arg(long, value_name = "INPUT")]
    input: Vec<String>,

    #[command(flatten)]
    reading: ReadingArgs,

    #[command(flatten)]
    shown: DiffArgs,

    /// Print everything as JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(crate) fn run(args: &ExplainArgs) -> Result<ExitCode> {
    args.shown.check()?;
    let result = ResultReader::open(&args.result)?;
    let stages = Stages::new(args.json).stopped_by(interrupt::install()?);
    match (&args.id, &args.pair[..]) {
        (_, [left, right]) => pair::explain(args, &result, [left, right], stages)?,
        (Some(id), _) => document::explain(args, &result, id, stages)?,
        (None, _) => {}
    }
    Ok(ExitCode::SUCCESS)
}
