//! `neardupe df-table merge`: adds up the tables of parts of a collection.

use super::super::find::ReadingArgs;
use super::{check_output, facts, limits, work_beside};
use crate::interrupt;
use crate::terminal::{Stages, grouped};
use anyhow::Result;
use clap::Args;
use neardupe_core::document::Progress;
use neardupe_core::error::Error;
use neardupe_core::frequency::merge::Merger;
use neardupe_core::frequency::{DfTable, FeatureSpecText};
use neardupe_core::store::Budget;
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What was typed after `df-table merge`.
#[derive(Debug, Args)]
pub(super) struct MergeArgs {
    /// Tables of different documents, built with the same options
    #[arg(required = true, value_name = "TABLE")]
    tables: Vec<PathBuf>,

    /// The table to write; another table is replaced, any other file is left alone
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// Leave out features of fewer documents [default: what the tables have left out]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    min_df: Option<String>,

    /// Most entries; with more, rare features are left out [default: 4000000]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    max_entries: Option<String>,

    /// Most memory to use, as 512M or 4G, at least 256M [default: half of what is free]; what does
    /// not fit goes to a work directory beside the output
    #[arg(long, value_name = "SIZE")]
    memory: Option<String>,

    /// Print what was added up as JSON
    #[arg(long)]
    json: bool,

    /// Print nothing but errors
    #[arg(short, long, conflicts_with = "json")]
    quiet: bool,
}

/// Runs the command.
pub(super) fn run(args: &MergeArgs) -> Result<ExitCode> {
    let (min_df, max_entries) =
        limits(args.min_df.as_deref(), 1, args.max_entries.as_deref())?;
    check_output(&args.output)?;
    check_twice(&args.tables)?;
    let budget = budget(args)?;
    let work = work_beside(&args.output, None)?;
    let stages = Stages::new(args.quiet || args.json).stopped_by(interrupt::install()?);
    stages.begin("add up", 0);
    let mut merger = Merger::new(&work, budget.features);
    let mut first: Option<FeatureSpecText> = None;
    for path in &args.tables {
        let table = DfTable::read(path)?;
        match &first {
            None => first = Some(table.specification().clone()),
            Some(first) => check_same(first, &args.tables[0], &table, path)?,
        }
        merger.add(&table, &stages)?;
    }
    let table = merger.finish(min_df, max_entries, &stages)?;
    work.finish()?;
    table.write(&args.output)?;
    drop(stages);
    let mut out = std::io::stdout().lock();
    if args.json {
        let json = json!({
            "output": args.output.to_string_lossy(),
            "tables": args.tables.len(),
            "table": facts(&table)?,
        });
        writeln!(out, "{}", serde_json::to_string_pretty(&json)?)?;
    } else if !args.quiet {
        show(&mut out, args, &table)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn budget(args: &MergeArgs) -> Result<Budget> {
    // One thread, and nothing is read but tables.
    let reading = ReadingArgs::default();
    let job = reading.counting_job(&[], "terms", args.memory.as_deref(), None)?;
    Ok(job.config.budget)
}

/// Documents of a table that is named twice would count twice.
fn check_twice(tables: &[PathBuf]) -> Result<()> {
    let mut seen = Vec::new();
    for path in tables {
        let real = path
            .canonicalize()
            .map_err(|error| Error::io(path, error))?;
        if seen.contains(&real) {
            let message = "is named twice: its documents would count twice";
            return Err(Error::config(path.display().to_string(), message).into());
        }
        seen.push(real);
    }
    Ok(())
}

fn check_same(
    first: &FeatureSpecText,
    first_path: &Path,
    table: &DfTable,
    path: &Path,
) -> Result<()> {
    let differences = first.differences(table.specification());
    let Some((name, one, other)) = differences.first() else {
        return Ok(());
    };
    let message = format!(
        "was built with other options than {}: {name} {other} in place of {one}",
        first_path.display()
    );
    Err(Error::config(path.display().to_string(), message).into())
}

fn show(out: &mut impl Write, args: &MergeArgs, table: &DfTable) -> std::io::Result<()> {
    let tables = match args.tables.len() {
        1 => "one table".to_owned(),
        many => format!("{many} tables"),
    };
    writeln!(
        out,
        "{}: {tables} added up, {} documents, {} features; others count as {}",
        args.output.display(),
        grouped(table.num_documents()),
        grouped(table.len() as u64),
        grouped(u64::from(table.unseen()))
    )?;
    if table.uncertainty() > 0 {
        writeln!(
            out,
            "numbers may be too low by up to {}, since the tables have left out rare features; \
             tables built\nwith --min-df 1 add up exactly",
            grouped(table.uncertainty())
        )?;
    }
    writeln!(out, "\nidentity {}", table.identity())
}
