//! `neardupe rethreshold`: a result with all pairs, clustered again at a higher threshold.

use crate::terminal::grouped;
use anyhow::Result;
use clap::Args;
use neardupe_core::error::Error;
use neardupe_core::pipeline::ClusterMode;
use neardupe_core::pipeline::config::DEFAULT_MEMORY;
use neardupe_core::store::{Budget, WorkDir};
use neardupe_core::threshold::Threshold;
use neardupe_io::output::{OutputFormat, ResultFolder, ResultKind, beside};
use neardupe_io::result::ResultReader;
use neardupe_jobs::rethreshold::{RethresholdTask, Rethresholded, check, rethreshold};
use serde_json::{Map, Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What was typed after `rethreshold`.
#[derive(Debug, Args)]
pub(crate) struct RethresholdArgs {
    /// Folder that `find --pairs all` wrote
    #[arg(value_name = "RESULT")]
    result: PathBuf,

    /// The new threshold, not below that of the result
    #[arg(value_name = "T", allow_negative_numbers = true)]
    threshold: String,

    /// Output folder; replaced only if it is a result of neardupe
    #[arg(long, short, value_name = "DIR")]
    output: PathBuf,

    /// jsonl, tsv, parquet or xml [default: that of the result]
    #[arg(long, value_name = "FORMAT")]
    output_format: Option<String>,

    /// Print no summary
    #[arg(long, short)]
    quiet: bool,

    /// Print the summary as JSON
    #[arg(long)]
    json: bool,
}

/// What of a summary a job that joins nothing does not have.
const OF_THE_JOIN: [&str; 8] = [
    "method",
    "ledger",
    "largest_clusters",
    "seconds",
    "peak_memory_bytes",
    "peak_disk_bytes",
    "spilled",
    "join_windows",
];

/// Runs the command.
pub(crate) fn run(args: &RethresholdArgs) -> Result<ExitCode> {
    let threshold: Threshold = args.threshold.parse().map_err(|_| {
        let message = format!(
            "{:?} is not a decimal fraction above 0 and up to 1, as 0.9",
            args.threshold
        );
        Error::config("T", message)
    })?;
    let result = ResultReader::open(&args.result)?;
    check(&result, threshold)?;
    let same = |left: &Path, right: &Path| {
        let full = |path: &Path| path.canonicalize().ok();
        full(left).is_some_and(|left| full(right) == Some(left))
    };
    if same(&args.output, result.folder()) || same(&args.output, &args.result) {
        let message = "the result itself would be replaced; choose another folder";
        return Err(Error::config("output", message).into());
    }
    let format = match &args.output_format {
        None => result.format(),
        Some(name) => name.parse::<OutputFormat>()?,
    };
    let folder = ResultFolder::create(&args.output, ResultKind::Find)?;
    let work = WorkDir::new(beside(&args.output, "work"));
    let memory = neardupe_jobs::system::memory::free_bytes()
        .map_or(DEFAULT_MEMORY, |free| free / 2);
    let task = RethresholdTask {
        result: &result,
        threshold,
        format,
        work: &work,
        row_bytes: Budget::new(memory, 1).rows,
    };
    let written = rethreshold(&task, folder.path());
    // Also when it failed: nobody goes on with it.
    work.finish()?;
    let written = written?;
    let summary = summary(&result, args, threshold, format, written);
    let text = serde_json::to_string_pretty(&summary)? + "\n";
    folder.finish(&text)?;
    let mut out = std::io::stdout().lock();
    if args.json {
        out.write_all(text.as_bytes())?;
    } else if !args.quiet {
        show(&mut out, &result, args, threshold, written)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The summary of the old result with what is new.
fn summary(
    result: &ResultReader,
    args: &RethresholdArgs,
    threshold: Threshold,
    format: OutputFormat,
    written: Rethresholded,
) -> Map<String, Value> {
    let old = result.summary();
    let mut summary = old.all.clone();
    for name in OF_THE_JOIN {
        summary.remove(name);
    }
    let mut options = old.options.clone();
    let output = args.output.to_string_lossy();
    for (name, value) in [
        ("threshold", json!(threshold.to_string())),
        ("output", json!(output)),
        ("output-format", json!(format.name())),
    ] {
        options.insert(name.to_owned(), value);
    }
    let mut counts = old.counts.clone();
    // Without representatives equal documents are counted, whatever the threshold is.
    if let Ok(ClusterMode::Star | ClusterMode::Components) = old.cluster() {
        for (rule, count) in written.rules.each() {
            counts.insert(rule.name().replace('-', "_"), json!(count));
        }
    }
    for (name, count) in [
        ("pairs", written.pairs),
        ("clusters", written.clusters),
        ("duplicates", written.duplicates),
    ] {
        counts.insert(name.to_owned(), json!(count));
    }
    let made_of = json!({
        "result": args.result.to_string_lossy(),
        "threshold": old.option("threshold"),
        "version": old.version,
    });
    for (name, value) in [
        ("version", json!(env!("CARGO_PKG_VERSION"))),
        ("command", json!("rethreshold")),
        ("made_of", made_of),
        ("options", Value::Object(options)),
        ("counts", Value::Object(counts)),
    ] {
        summary.insert(name.to_owned(), value);
    }
    summary
}

fn show(
    out: &mut impl Write,
    result: &ResultReader,
    args: &RethresholdArgs,
    threshold: Threshold,
    written: Rethresholded,
) -> Result<()> {
    let old = result.summary();
    let cluster = old.cluster()?;
    writeln!(
        out,
        "{} at {threshold} in the place of {}; {cluster} clusters\n",
        args.result.display(),
        old.threshold()?
    )?;
    for (name, new) in [
        ("pairs", written.pairs),
        ("duplicates", written.duplicates),
        ("clusters", written.clusters),
    ] {
        let before = grouped(old.count(name)?);
        writeln!(out, "  {name:<16} {:>12}  of {before}", grouped(new))?;
    }
    writeln!(out, "\nwritten to {}", args.output.display())?;
    Ok(())
}
