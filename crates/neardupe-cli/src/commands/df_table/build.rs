//! `neardupe df-table build`: counts the documents of a collection.

use super::super::find::{Job, ReadingArgs, open_and_warn, print_warnings};
use super::{check_output, facts, limits, work_beside};
use crate::terminal::{Stages, grouped};
use crate::{exit, interrupt};
use anyhow::Result;
use clap::Args;
use neardupe_core::document::Silent;
use neardupe_core::error::Error;
use neardupe_core::frequency::{CountConfig, Counted, DEFAULT_MIN_DF, count};
use neardupe_io::source::discover;
use neardupe_jobs::diff::clean;
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// What was typed after `df-table build`.
#[derive(Debug, Args)]
#[command(mut_arg("features", |arg| arg.help(
    "words:N, chars:N or terms (words) [default: terms]"
)))]
pub(super) struct BuildArgs {
    /// Files, folders or globs to count, or - for standard input
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<String>,

    /// The table to write; another table is replaced, any other file is left alone
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// Leave out features of fewer documents [default: 2]; 1 keeps all, for tables to be merged
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    min_df: Option<String>,

    /// Most entries; with more, rare features are left out [default: 4000000]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    max_entries: Option<String>,

    /// How many bad records are no reason for exit code 3 [default: 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    allow_bad_records: Option<String>,

    /// Most memory to use, as 512M or 4G, at least 256M [default: half of what is free]; counts
    /// that do not fit go to the work directory
    #[arg(long, value_name = "SIZE")]
    memory: Option<String>,

    /// Where goes what does not fit in memory [default: beside the output]
    #[arg(long, value_name = "DIR")]
    work_dir: Option<PathBuf>,

    /// Print what was counted as JSON
    #[arg(long)]
    json: bool,

    /// Print nothing but errors
    #[arg(short, long, conflicts_with = "json")]
    quiet: bool,

    #[command(flatten)]
    reading: ReadingArgs,
}

/// Runs the command.
pub(super) fn run(args: &BuildArgs) -> Result<ExitCode> {
    let (min_df, max_entries) = limits(
        args.min_df.as_deref(),
        DEFAULT_MIN_DF,
        args.max_entries.as_deref(),
    )?;
    let mut job = args.reading.counting_job(
        &args.inputs,
        "terms",
        args.memory.as_deref(),
        args.allow_bad_records.as_deref(),
    )?;
    // Before hours of work, not after.
    check_output(&args.output)?;
    let files = discover(&args.inputs, job.read.format)?.files;
    let source = open_and_warn(&mut job, files, &Silent)?;
    let config = CountConfig {
        features: job.config.features,
        words: job.config.words.clone(),
        seed: job.config.seed,
        threads: job.config.threads,
        budget: job.config.budget,
        min_df,
        max_entries,
    };
    let work = work_beside(&args.output, args.work_dir.as_deref())?;
    let stages = Stages::new(args.quiet || args.json).stopped_by(interrupt::install()?);
    let counted = count(&source, &config, &work, &stages)?;
    work.finish()?;
    if counted.table.num_documents() == 0 {
        let message = match counted.num_bad() {
            0 => "no document has a word, so there is nothing to count".to_owned(),
            bad => format!("no document has a word, and {bad} records are bad"),
        };
        return Err(Error::input("the input", message).into());
    }
    counted.table.write(&args.output)?;
    drop(stages);
    print_warnings(&args.reading.idle(&job))?;
    let mut out = std::io::stdout().lock();
    if args.json {
        let json = json(args, &counted)?;
        writeln!(out, "{}", serde_json::to_string_pretty(&json)?)?;
    } else if !args.quiet {
        show(&mut out, args, &job, &counted)?;
    }
    Ok(ExitCode::from(
        match counted.num_bad() > job.allow_bad_records {
            true => exit::LEFT_OUT,
            false => 0,
        },
    ))
}

fn json(args: &BuildArgs, counted: &Counted) -> Result<Value> {
    let kinds = counted.bad_records.iter();
    let kinds: serde_json::Map<String, Value> = kinds
        .map(|(kind, &count)| (kind.name().to_owned(), json!(count)))
        .collect();
    Ok(json!({
        "output": args.output.to_string_lossy(),
        "table": facts(&counted.table)?,
        "empty": counted.num_empty,
        "features": counted.num_features,
        "bad_records": counted.num_bad(),
        "bad_records_by_kind": kinds,
    }))
}

fn show(
    out: &mut impl Write,
    args: &BuildArgs,
    job: &Job,
    counted: &Counted,
) -> std::io::Result<()> {
    let table = &counted.table;
    writeln!(
        out,
        "{}: the document frequencies of {}\n",
        args.output.display(),
        job.config.features
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
