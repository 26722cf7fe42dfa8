//! `neardupe sources`: why the duplicates of a result are duplicates.

pub(crate) mod originals;
mod show;

use crate::interrupt;
use crate::options::whole_number;
use crate::terminal::Stages;
use anyhow::Result;
use clap::Args;
use neardupe_core::error::Error;
use neardupe_io::output::{OutputFormat, ResultFolder, ResultKind};
use neardupe_io::result::ResultReader;
use neardupe_jobs::causes::{
    Options, Sorted, SourcesSchema, SourcesTable, sort, write_hosts,
};
use neardupe_jobs::kind::stored;
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What was typed after `sources`.
#[derive(Debug, Args)]
#[command(
    after_help = "Kinds, of which the first that fits is told: same-page, mirror, copied, \
                  forum, update, periphery, invisible, body, other. docs/sources.md says by \
                  what limits."
)]
pub(crate) struct SourcesArgs {
    /// Folder that `find` or `dedup` wrote
    #[arg(value_name = "RESULT")]
    result: PathBuf,

    /// Pairs whose texts are compared, at most; 0 for none. Others are estimated from them
    #[arg(long, value_name = "N", default_value = "10000")]
    sample: String,

    /// Where the documents are now [default: the inputs of the result]
    #[arg(long, value_name = "INPUT", num_args = 1..)]
    input: Vec<String>,

    /// Folder for the kind of each pair and the table of hosts; replaced only if it is of
    /// neardupe
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,

    /// jsonl, tsv, parquet or xml [default: that of the result]
    #[arg(long, value_name = "FORMAT", requires = "output")]
    output_format: Option<String>,

    /// Number of threads [default: all cores]; nothing depends on it
    #[arg(long, value_name = "N")]
    threads: Option<String>,

    /// Print everything as JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(crate) fn run(args: &SourcesArgs) -> Result<ExitCode> {
    let sample = whole_number("--sample", &args.sample, 0..=10_000_000)?;
    let result = ResultReader::open(&args.result)?;
    let job = stored::job(&result, None)?;
    let threads = match &args.threads {
        None => job.config.threads,
        Some(typed) => {
            let threads = whole_number("--threads", typed, 1..=1024)?;
            usize::try_from(threads)?
        }
    };
    let options = Options {
        sample: usize::try_from(sample)?,
        threads,
        only: None,
    };
    let format = match &args.output_format {
        None => result.format(),
        Some(name) => name.parse::<OutputFormat>()?,
    };
    let folder = match &args.output {
        None => None,
        Some(target) => {
            check_target(args, &result, target)?;
            Some(ResultFolder::create(target, ResultKind::Find)?)
        }
    };
    let originals = originals::open(&result, &args.input, &job.read)?;
    let stages = Stages::new(args.json).stopped_by(interrupt::install()?);
    let schema = SourcesSchema::new(&result)?;
    let mut table = match &folder {
        None => None,
        Some(folder) => Some(SourcesTable::create(folder.path(), &schema, format)?),
    };
    let originals = originals.as_ref().map_err(Clone::clone);
    let sorted = sort(&result, originals, &options, &stages, |row| {
        table.as_mut().map_or(Ok(()), |table| table.row(row))
    })?;
    drop(stages);
    let summary = summary(args, &sorted);
    if let Some((folder, table)) = folder.zip(table) {
        table.finish()?;
        write_hosts(folder.path(), &sorted.hosts, format)?;
        folder.finish(&(serde_json::to_string_pretty(&summary)? + "\n"))?;
    }
    let mut out = std::io::stdout().lock();
    match args.json {
        true => writeln!(out, "{}", serde_json::to_string_pretty(&summary)?)?,
        false => show::show(&mut out, args, &sorted)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn check_target(args: &SourcesArgs, result: &ResultReader, target: &Path) -> Result<()> {
    let full = |path: &Path| path.canonicalize().ok();
    let is = |other: &Path| full(target).is_some_and(|it| full(other) == Some(it));
    match is(&args.result) || is(result.folder()) {
        true => {
            let message = "the result itself would be replaced; choose another folder";
            Err(Error::config("output", message).into())
        }
        false => Ok(()),
    }
}

/// Pairs of hosts that are printed; the table has all.
const MOST_HOSTS: usize = 20;

fn summary(args: &SourcesArgs, sorted: &Sorted) -> Value {
    let kinds = sorted.kinds.iter().map(|kind| {
        let example = kind.example.as_ref().map(|example| {
            json!({
                "left": example.left,
                "right": example.right,
                "reason": example.reason,
                "urls": example.urls,
            })
        });
        json!({
            "kind": kind.kind.name(),
            "meaning": kind.kind.meaning(),
            "pairs": kind.pairs,
            "seen": kind.seen,
            "example": example,
        })
    });
    let hosts = sorted.hosts.iter().take(MOST_HOSTS).map(|hosts| {
        json!({
            "left": hosts.left,
            "right": hosts.right,
            "left_documents": hosts.left_documents,
            "right_documents": hosts.right_documents,
            "shared": hosts.shared,
            "same_path": hosts.same_path,
            "verdict": hosts.verdict(),
        })
    });
    let of = match sorted.of_all_pairs {
        true => "pairs",
        false => "duplicates",
    };
    json!({
        "program": "neardupe",
        "version": env!("CARGO_PKG_VERSION"),
        "command": "sources",
        "result": args.result.to_string_lossy(),
        "of": of,
        "pairs": sorted.pairs,
        "compared": sorted.compared,
        "not_looked_at": sorted.not_looked_at,
        "kinds": kinds.collect::<Vec<_>>(),
        "host_pairs": sorted.hosts.len(),
        "hosts": hosts.collect::<Vec<_>>(),
        "hosts_left_out": sorted.hosts_left_out,
        "urls_left_out": sorted.is_capped,
        "originals_gone": sorted.gone,
    })
}
