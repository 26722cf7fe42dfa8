//! `neardupe df-table build`: counts the documents of a collection.
//!
//! A table is counted once and used by many jobs, so what is printed is what decides whether it
//! fits: of which features it is, how many documents were counted, how many rare features were left
//! out, and the identity by which later jobs name it.

use super::super::job_args::{JobArgs, print_json};
use crate::exit;
use crate::terminal::{grouped, stdout};
use crate::typed::Typed;
use anyhow::Result;
use clap::Args;
use neardupe_jobs::diff::clean;
use neardupe_jobs::kind::df_table::{DfBuildOutcome, DfBuildSpec};
use std::io::Write;
use std::process::ExitCode;

/// What was typed after `df-table build`.
#[derive(Debug, Args)]
pub(super) struct BuildArgs {
    #[command(flatten)]
    job: JobArgs,

    /// Print what was counted as JSON
    #[arg(long)]
    json: bool,

    /// Print nothing but errors
    #[arg(short, long, conflicts_with = "json")]
    quiet: bool,

    #[command(flatten)]
    spec: Typed<DfBuildSpec>,
}

/// Runs the command.
pub(super) fn run(args: &BuildArgs) -> Result<ExitCode> {
    let Some(outcome) = args.job.run(&args.spec, args.quiet || args.json)? else {
        return Ok(ExitCode::SUCCESS);
    };
    let mut out = stdout();
    if args.json {
        print_json(out.raw(), &outcome.summary)?;
    } else if !args.quiet {
        show(&mut out, &outcome)?;
    }
    Ok(exit::of_records(outcome.has_left_out))
}

/// Prints what was counted, for people.
fn show(out: &mut impl Write, outcome: &DfBuildOutcome) -> std::io::Result<()> {
    let DfBuildOutcome {
        summary, counted, ..
    } = outcome;
    let table = &counted.table;
    writeln!(
        out,
        "{}: the document frequencies of {}\n",
        summary.output, summary.table.specification.features
    )?;
    let mut line = |name: &str, number: u64, what: &str| {
        let line = format!("  {name:<12} {:>14}  {what}", grouped(number));
        writeln!(out, "{}", line.trim_end())
    };
    line("documents", table.num_documents(), "counted")?;
    if counted.num_empty > 0 {
        line(
            "empty",
            counted.num_empty,
            "have no word and are not counted",
        )?;
    }
    line("features", counted.num_features, "different ones")?;
    // Rare features are most of a vocabulary, and mostly they are left out on purpose.
    let left_out = match table.min_df() {
        1 => "in the table: all".to_owned(),
        least => format!(
            "in the table: those of {} documents or more; others count as {}",
            grouped(u64::from(least)),
            grouped(u64::from(table.unseen()))
        ),
    };
    line("entries", table.len() as u64, &left_out)?;
    if counted.num_bad() > 0 {
        let kinds = counted.bad_records.iter();
        let kinds: Vec<String> = kinds
            .map(|(kind, &count)| format!("{} {}", grouped(count), kind.name()))
            .collect();
        let what = format!("left out ({})", kinds.join(", "));
        line("bad records", counted.num_bad(), &what)?;
        for bad in &counted.bad_sample {
            let detail = clean(&bad.detail);
            writeln!(out, "    {}:{}: {detail}", clean(&bad.file), bad.number)?;
        }
        if counted.num_bad() > counted.bad_sample.len() as u64 {
            writeln!(out, "    ...")?;
        }
    }
    writeln!(out, "\nidentity {}", table.identity())
}
