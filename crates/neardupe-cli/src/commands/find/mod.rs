//! `neardupe find`: near-duplicates of a collection.

mod job;
mod options;
mod show;

pub(crate) use options::FindArgs;

use crate::options::from_file;
use crate::terminal::Stages;
use crate::{exit, memory};
use anyhow::Result;
use job::Job;
use neardupe_core::document::Progress;
use neardupe_core::feature::FeatureSpec;
use neardupe_core::pipeline::{FindResult, find};
use neardupe_io::output::{ResultFolder, Summary, TextLog, TopCluster, write_tables};
use neardupe_io::source::{FileSource, discover};
use std::collections::BTreeMap;
use std::io::Write;
use std::process::ExitCode;

/// Runs the command.
pub(crate) fn run(args: &FindArgs) -> Result<ExitCode> {
    let options = match &args.config {
        Some(path) => args.options.clone().or(from_file(path)?),
        None => args.options.clone(),
    };
    let job = Job::resolve(args, &options)?;
    // Before hours of work, not after.
    ResultFolder::check(&job.output)?;
    let discovered = discover(&args.inputs, job.read.format)?;
    let skipped_files = discovered.skipped.len() as u64;
    let stages = Stages::new(args.quiet);
    let source = FileSource::new(discovered.files, job.read.clone());
    let (result, folder) = if job.write_text {
        // Texts are written as they pass, so the folder is needed from the start.
        let folder = ResultFolder::create(&job.output)?;
        let log = TextLog::new(&source, folder.path());
        let result = find(&log, &job.config, &stages)?;
        stages.begin("write", 0);
        log.finish(&result.documents)?;
        (result, folder)
    } else {
        let result = find(&source, &job.config, &stages)?;
        stages.begin("write", 0);
        (result, ResultFolder::create(&job.output)?)
    };
    let metadata = &job.config.metadata[..job.num_metadata];
    write_tables(folder.path(), &result, job.format, metadata)?;
    let summary = summarize(&job, &result, skipped_files, stages.finish());
    let text = serde_json::to_string_pretty(&summary)? + "\n";
    folder.finish(&text)?;
    let mut out = std::io::stdout().lock();
    if args.json {
        out.write_all(text.as_bytes())?;
    } else if !args.quiet {
        show::show(&mut out, &job, &summary)?;
    }
    let bad = summary.counts.bad_records;
    Ok(ExitCode::from(if bad > job.allow_bad_records {
        exit::LEFT_OUT
    } else {
        0
    }))
}

fn summarize(
    job: &Job,
    result: &FindResult,
    skipped_files: u64,
    seconds: BTreeMap<&'static str, f64>,
) -> Summary {
    Summary {
        program: "neardupe",
        version: env!("CARGO_PKG_VERSION"),
        command: "find",
        options: job.options.clone(),
        feature_specification: FeatureSpec::new(
            job.config.features,
            &job.config.words,
            job.config.seed,
        ),
        exact: true,
        counts: result.totals,
        bad_records_by_kind: Summary::count_kinds(result),
        remarks: result.remarks.clone(),
        skipped_files,
        ledger: result.ledger,
        largest_clusters: TopCluster::largest(result, 3),
        seconds,
        peak_memory_bytes: memory::peak_bytes(),
        spilled_segments: result.spilled_segments,
    }
}
