//! `neardupe find`: near-duplicates of a collection.

pub(crate) mod estimate;
mod job;
mod options;
mod show;
mod work;

pub(crate) use job::Job;
pub(crate) use options::{FindArgs, FindOptions};

use crate::options::from_file;
use crate::terminal::Stages;
use crate::{exit, interrupt, memory};
use anyhow::Result;
use neardupe_core::document::{Progress, Source};
use neardupe_core::feature::FeatureSpec;
use neardupe_core::pipeline::{FindResult, find_in};
use neardupe_core::store::WorkDir;
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
    let job = Job::resolve(&args.inputs, &options)?;
    // Before hours of work, not after.
    ResultFolder::check(&job.output)?;
    let discovered = discover(&args.inputs, job.read.format)?;
    let skipped_files = discovered.skipped.len() as u64;
    let stages = Stages::new(args.quiet).stopped_by(interrupt::install()?);
    let read = job.read.clone().for_files(&discovered.files);
    let source = FileSource::new(discovered.files, read);
    let work = work::open(&job, source.origins()?, args.resume, &stages)
        .map_err(|error| work::with_advice(error, false, &job))?;
    let announced = match work.is_resumable() {
        true => Ok(()),
        false => estimate::announce(&job, &source, &stages),
    };
    let outcome = announced
        .and_then(|()| find_and_write(&job, &source, &work, stages, skipped_files));
    let summary =
        outcome.map_err(|error| work::with_advice(error, work.is_resumable(), &job))?;
    work.finish()?;
    let mut out = std::io::stdout().lock();
    if args.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&summary)?)?;
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

fn find_and_write(
    job: &Job,
    source: &FileSource,
    work: &WorkDir,
    stages: Stages,
    skipped_files: u64,
) -> Result<Summary> {
    let (config, log) = (&job.config, TextLog::new(source, work.path()));
    let result = if job.write_text {
        find_in(&log, config, work, &stages)?
    } else {
        find_in(source, config, work, &stages)?
    };
    stages.begin("write", 0);
    let folder = ResultFolder::create(&job.output)?;
    if job.write_text {
        log.finish(folder.path(), &result.parts, &result.documents)?;
    }
    let metadata = &config.metadata[..job.num_metadata];
    write_tables(folder.path(), &result, job.format, metadata)?;
    let summary = summarize(job, &result, work, skipped_files, stages.finish())?;
    let text = serde_json::to_string_pretty(&summary)? + "\n";
    folder.finish(&text)?;
    Ok(summary)
}

fn summarize(
    job: &Job,
    result: &FindResult,
    work: &WorkDir,
    skipped_files: u64,
    seconds: BTreeMap<&'static str, f64>,
) -> Result<Summary> {
    Ok(Summary {
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
        bad_records_by_kind: Summary::count_kinds(result)?,
        remarks: result.remarks.clone(),
        skipped_files,
        ledger: result.ledger,
        largest_clusters: TopCluster::largest(result, 3)?,
        seconds,
        peak_memory_bytes: memory::peak_bytes(),
        peak_disk_bytes: work.peak_bytes(),
        spilled: result.spilled,
        join_windows: result.join_windows,
    })
}
