//! `neardupe df-table merge`: adds up the tables of parts of a collection.
//!
//! Tables of parts add up exactly only if none of them has left out rare features. Where some have,
//! the sum can be too low for features that were rare in a part, and by how much at most is
//! printed.

use super::super::job_args::{JobArgs, print_json};
use crate::terminal::{grouped, stdout};
use crate::typed::Typed;
use anyhow::Result;
use clap::Args;
use neardupe_jobs::kind::df_table::{DfMergeSpec, DfMergeSummary};
use std::io::Write;
use std::process::ExitCode;

/// What was typed after `df-table merge`.
#[derive(Debug, Args)]
pub(super) struct MergeArgs {
    #[command(flatten)]
    job: JobArgs,

    /// Print what was added up as JSON
    #[arg(long)]
    json: bool,

    /// Print nothing but errors
    #[arg(short, long, conflicts_with = "json")]
    quiet: bool,

    #[command(flatten)]
    spec: Typed<DfMergeSpec>,
}

/// Runs the command.
pub(super) fn run(args: &MergeArgs) -> Result<ExitCode> {
    let Some(outcome) = args.job.run(&args.spec, args.quiet || args.json)? else {
        return Ok(ExitCode::SUCCESS);
    };
    let mut out = stdout();
    if args.json {
        print_json(out.raw(), &outcome.summary)?;
    } else if !args.quiet {
        show(&mut out, &outcome.summary)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints what was added up, for people. `uncertainty` is how much the numbers may be too
/// low, because the parts left out rare features.
fn show(out: &mut impl Write, summary: &DfMergeSummary) -> std::io::Result<()> {
    let table = &summary.table;
    let tables = match summary.tables {
        1 => "one table".to_owned(),
        many => format!("{many} tables"),
    };
    writeln!(
        out,
        "{}: {tables} added up, {} documents, {} features; others count as {}",
        summary.output,
        grouped(table.documents),
        grouped(table.entries as u64),
        grouped(u64::from(table.unseen))
    )?;
    if table.uncertainty > 0 {
        writeln!(
            out,
            "numbers may be too low by up to {}, since the tables have left out rare features; \
             tables built\nwith --min-df 1 add up exactly",
            grouped(table.uncertainty)
        )?;
    }
    writeln!(out, "\nidentity {}", table.identity)
}
