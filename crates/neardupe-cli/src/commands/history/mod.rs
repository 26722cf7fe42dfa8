//! `neardupe history`: what became of documents from version to version, which should be indexed
//! again first, and how soon each should be visited again.

mod plan;
mod show;

use super::find::{ReadingArgs, open_and_warn, print_warnings};
use crate::terminal::Stages;
use crate::{exit, interrupt};
use anyhow::Result;
use clap::Args;
use neardupe_core::document::Silent;
use neardupe_core::pipeline::codes::Reading;
use neardupe_core::pipeline::history::{HistoryConfig, StoredVersion, history};
use neardupe_core::store::WorkDir;
use neardupe_io::output::{ResultFolder, ResultKind, beside, write_history};
use neardupe_jobs::history_store::{StoreReader, write_store};
use plan::Plan;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

/// What was typed after `history`.
#[derive(Debug, Args)]
#[command(mut_arg("features", |arg| arg.help(
    "terms (words), words:N or chars:N [default: terms]"
)))]
#[command(mut_arg("stop-words", |arg| arg.help(
    "Words left out: none, auto, a language such as en, or a file [default: en]"
)))]
#[command(mut_arg("id-key", |arg| arg.help(
    "Field of the id that versions of a document have in common [default: id; in web archives \
     the address]"
)))]
pub(crate) struct HistoryArgs {
    /// Files, folders or globs with the versions, or - for standard input
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<String>,

    /// Field with the date of a version; none: versions come in the order of the input
    /// [default: date]
    #[arg(long, value_name = "KEY")]
    date_key: Option<String>,

    /// Keeps the codes of versions in this file, and compares with those that are in it
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,

    /// Folder for history and revisit, the tables of comparisons and of ids
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,

    /// jsonl, tsv, parquet, xml [default: jsonl]
    #[arg(long, value_name = "FORMAT")]
    output_format: Option<String>,

    /// List ids with one version too, and those that are only in the store
    #[arg(long)]
    all: bool,

    /// How many ids are shown, those of highest priority; or all [default: 20]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    top: Option<String>,

    /// Factor of the interval after three comparisons without a change, at least 1 [default: 2]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    lengthen: Option<String>,

    /// Factor of the interval after three changes, above 0 and up to 1 [default: 0.5]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    shorten: Option<String>,

    /// How features are chosen and weighed, as after `find` [default: original]
    #[arg(long, value_name = "LIST", help_heading = "Codes")]
    variant: Option<String>,

    /// What a feature weighs beside its occurrences: log (ln N/df), inverse (1/df), none
    /// [default: log for terms or with --df-table, else none]
    #[arg(long, value_name = "KIND", help_heading = "Codes")]
    idf: Option<String>,

    /// How many documents have each feature: english, collection (the input is read once more),
    /// or a file of `df-table build` [default: english for terms]
    #[arg(long, value_name = "TABLE", help_heading = "Codes")]
    df_table: Option<String>,

    /// Field whose value is a feature, for the variant metadata
    #[arg(long, value_name = "KEY", help_heading = "Codes")]
    meta_key: Vec<String>,

    /// How many bad records are no reason for exit code 3 [default: 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    allow_bad_records: Option<String>,

    /// Most memory to use, as 512M or 4G, at least 256M [default: half of what is free]; rows
    /// that do not fit go to the work directory
    #[arg(long, value_name = "SIZE")]
    memory: Option<String>,

    /// Where goes what does not fit in memory [default: beside the store or the output]
    #[arg(long, value_name = "DIR")]
    work_dir: Option<PathBuf>,

    /// Print the result as JSON
    #[arg(long)]
    json: bool,

    /// Print nothing but errors
    #[arg(short, long, conflicts_with = "json")]
    quiet: bool,

    #[command(flatten)]
    reading: ReadingArgs,
}

/// Runs the command.
pub(crate) fn run(args: &HistoryArgs) -> Result<ExitCode> {
    let mut plan = Plan::resolve(args)?;
    // Before hours of work, not after.
    if let Some(output) = &args.output {
        ResultFolder::check(output, ResultKind::History)?;
    }
    let files = plan.discover(args)?;
    let source = open_and_warn(&mut plan.job, files, &Silent)?;
    let (work, _) = WorkDir::begin(work_path(args), Default::default())?;
    let stages = Stages::new(args.quiet || args.json).stopped_by(interrupt::install()?);
    let threads = plan.job.config.threads;
    let codes = plan.codes.specify(Reading {
        source: &source,
        threads,
        budget: &plan.job.config.budget,
        work: &work,
        progress: &stages,
    })?;
    let identity = plan.identity(&codes);
    let store = match &args.store {
        None => None,
        Some(path) => {
            work.enter()?;
            StoreReader::open(path, &identity)?
        }
    };
    let config = HistoryConfig {
        codes: Arc::new(codes),
        ids: plan.ids,
        date: plan.date.clone(),
        factors: plan.factors,
        all: args.all,
        store: args.store.is_some(),
        threads,
        budget: plan.job.config.budget,
    };
    let mut none = std::iter::empty::<neardupe_core::error::Result<StoredVersion>>();
    let mut stored = store;
    let stored: &mut dyn Iterator<Item = _> = match &mut stored {
        Some(store) => store,
        None => &mut none,
    };
    let result = history(&source, stored, &config, &work, &stages)?;
    let json = plan.json(args, &identity, &result)?;
    if let Some(output) = &args.output {
        let folder = ResultFolder::create(output, ResultKind::History)?;
        write_history(folder.path(), &result, plan.format)?;
        folder.finish(&(serde_json::to_string_pretty(&json)? + "\n"))?;
    }
    if let Some(path) = &args.store {
        write_store(path, &identity, &result)?;
    }
    drop(stages);
    print_warnings(&args.reading.idle(&plan.job))?;
    let mut out = std::io::stdout().lock();
    if args.json {
        show::print_json(&mut out, json, plan.top, &result)?;
    } else if !args.quiet {
        show::show(&mut out, args, &plan, &result)?;
    }
    let num_bad = result.num_bad();
    drop(result);
    work.finish()?;
    Ok(ExitCode::from(match num_bad > plan.job.allow_bad_records {
        true => exit::LEFT_OUT,
        false => 0,
    }))
}

/// Where rows go that do not fit. Beside a store it also keeps a second job away from it.
fn work_path(args: &HistoryArgs) -> PathBuf {
    let named = args.store.as_ref().or(args.output.as_ref());
    match (&args.work_dir, named) {
        (None, Some(named)) => beside(named, "work"),
        (Some(folder), Some(named)) => {
            beside(&folder.join(named.file_name().unwrap_or_default()), "work")
        }
        (folder, None) => {
            let folder = folder.clone().unwrap_or_else(std::env::temp_dir);
            let name = format!("neardupe-history-{}", std::process::id());
            beside(&folder.join(name), "work")
        }
    }
}
