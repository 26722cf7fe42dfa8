//! `neardupe find`: near-duplicates of a collection; and the running of that job, which
//! other commands share.

mod antecedents;
mod effect;
pub(super) mod estimate;
mod in_process;
mod job;
mod method;
mod options;
mod planned;
mod preset;
mod reading;
mod sampling_plan;
mod show;
mod show_filters;
mod warnings;
mod work;

pub(crate) use in_process::find_for;
pub(crate) use job::{Job, clock};
pub(crate) use options::{FindArgs, FindOptions};
pub(crate) use reading::ReadingArgs;
pub(crate) use sampling_plan::{ADAPTIVE, PLAN, PlanFile, precision};
pub(crate) use show::{show, show_found, show_spots};
pub(crate) use warnings::{of_texts as text_warnings, print_warnings};

use crate::terminal::Stages;
use crate::{exit, interrupt, memory};
use anyhow::Result;
use neardupe_core::document::{Progress, Source};
use neardupe_core::error::Error;
use neardupe_core::feature::{FeatureKind, FeatureSpec, Sampling};
use neardupe_core::pipeline::codes::{DfSource, Reading};
use neardupe_core::pipeline::similar::KeptWork;
use neardupe_core::pipeline::{FieldValues, FindResult, Method, find_in};
use neardupe_core::store::WorkDir;
use neardupe_io::output::{
    ANTECEDENTS, MethodSummary, ResultFolder, ResultKind, SpotSummary, Summary, TextLog,
    TopCluster, write_filters, write_short_documents, write_tables,
};
use neardupe_io::report::{Report, ReportOptions};
use neardupe_io::rewrite::Dedup;
use neardupe_io::source::FileSource;
use std::collections::BTreeMap;
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

/// What a command does besides finding.
pub(crate) trait Purpose {
    /// The command.
    fn command(&self) -> &'static str;
    /// What the output folder holds.
    fn kind(&self) -> ResultKind;
    /// Before hours of work, not after: what can be told to be wrong by the options alone.
    fn check_job(&mut self, job: &mut Job) -> Result<()>;
    /// The same, by the input.
    fn check_source(&mut self, job: &Job, source: &FileSource) -> Result<()>;
    /// Writes what is written besides the tables.
    fn write(
        &self,
        job: &Job,
        source: &FileSource,
        result: &FindResult,
        folder: &ResultFolder,
        progress: &dyn Progress,
    ) -> Result<Option<Dedup>>;
    /// Options of its own, which change nothing that is found.
    fn options(&self) -> Vec<(&'static str, serde_json::Value)> {
        Vec::new()
    }
}

/// Finding is all.
struct Find;

impl Purpose for Find {
    fn command(&self) -> &'static str {
        "find"
    }

    fn kind(&self) -> ResultKind {
        ResultKind::Find
    }

    fn check_job(&mut self, _: &mut Job) -> Result<()> {
        Ok(())
    }

    fn check_source(&mut self, _: &Job, _: &FileSource) -> Result<()> {
        Ok(())
    }

    fn write(
        &self,
        _: &Job,
        _: &FileSource,
        _: &FindResult,
        _: &ResultFolder,
        _: &dyn Progress,
    ) -> Result<Option<Dedup>> {
        Ok(None)
    }
}

/// Runs the command.
pub(crate) fn run(args: &FindArgs) -> Result<ExitCode> {
    let (job, summary) = run_job(args, &mut Find)?;
    let mut out = std::io::stdout().lock();
    if args.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&summary)?)?;
    } else if !args.quiet {
        show(&mut out, &job, &summary)?;
        if job.config.budget.keep_features {
            let path = job.config.work_dir.display();
            writeln!(
                out,
                "work kept in {path}; search it: neardupe similar {path} --query TEXT"
            )?;
        }
    }
    Ok(exit_code(&job, &summary))
}

/// The job is done: its work directory goes, or is kept with a note of what it holds.
fn finish_work(job: &Job, source: &FileSource, work: WorkDir) -> Result<()> {
    if !job.config.budget.keep_features {
        return Ok(work.finish()?);
    }
    KeptWork::new(&specification(job), source.file_names())?.write(&work)?;
    Ok(work.keep()?)
}

fn specification(job: &Job) -> FeatureSpec {
    FeatureSpec::new(job.config.features, &job.config.words, job.config.seed)
}

/// How a job that is done ends.
pub(crate) fn exit_code(job: &Job, summary: &Summary) -> ExitCode {
    let bad = summary.counts.bad_records;
    ExitCode::from(if bad > job.allow_bad_records {
        exit::LEFT_OUT
    } else {
        0
    })
}

/// Refuses what `find` would refuse by its options alone.
#[cfg(test)]
pub(crate) fn check_options(args: &FindArgs) -> Result<()> {
    let options = args.options.clone().complete(args.config.as_deref())?;
    Job::resolve(&args.inputs, &options).map(|_| ())
}

/// Runs the job and writes its output.
pub(crate) fn run_job(
    args: &FindArgs,
    purpose: &mut dyn Purpose,
) -> Result<(Job, Summary)> {
    let options = args.options.clone().complete(args.config.as_deref())?;
    let mut job = Job::resolve(&args.inputs, &options)?;
    purpose.check_job(&mut job)?;
    // Before hours of work, not after.
    ResultFolder::check(&job.output, purpose.kind())?;
    let discovered = job.discover(&args.inputs)?;
    let skipped_files = discovered.skipped.len() as u64;
    let stages = Stages::new(args.quiet).stopped_by(interrupt::install()?);
    let source = job.open(discovered.files, &stages)?;
    job.check_columns(&source)?;
    purpose.check_source(&job, &source)?;
    job.count_antecedents(&source, &stages)?;
    job.plan_sampling(&source, &stages)?;
    job.resumed = args.resume;
    let work = work::open(&job, source.origins()?, args.resume, &stages)
        .map_err(|error| work::with_advice(error, false, &job))?;
    let announced = match work.is_resumable() {
        true => Ok(()),
        false => estimate::announce(&job, &source, &stages),
    };
    let announced = announced
        .and_then(|()| specify_signatures(&mut job, &source, &work, &stages).map(drop));
    let running = Running {
        job: &job,
        source: &source,
        work: &work,
        purpose,
        skipped_files,
    };
    let outcome = announced.and_then(|()| running.find_and_write(stages));
    let summary =
        outcome.map_err(|error| work::with_advice(error, work.is_resumable(), &job))?;
    finish_work(&job, &source, work)?;
    Ok((job, summary))
}

/// Reads what must be known of the collection before signatures can be made: how many distinct
/// features were counted for that, the most of any pass.
fn specify_signatures(
    job: &mut Job,
    source: &dyn Source,
    work: &WorkDir,
    progress: &dyn Progress,
) -> Result<u64> {
    let mut num_counted = 0;
    let budget = job.config.budget;
    let reading = Reading {
        source,
        threads: job.config.threads,
        budget: &budget,
        work,
        progress,
    };
    if let Some(plan) = &job.codes {
        let (codes, num) = plan.specify_counted(reading)?;
        job.config.codes = Some(Arc::new(codes));
        num_counted = num;
    }
    let is_on =
        job.config.method == Method::IMatch || job.config.filters.signature.is_some();
    if let Some(plan) = &job.lexicons
        && !is_on
        && matches!(plan.df, DfSource::Collection)
        && source.origins()?.is_none()
    {
        // What can be read only once has no frequencies of its own: the filter, which would only be
        // compared, is left out.
        job.lexicons = None;
        if let Some(compared) = &mut job.config.compare_filters {
            compared.signature = None;
        }
    }
    if let Some(plan) = &job.lexicons {
        let (lexicons, num) = plan.specify_counted(reading)?;
        job.config.lexicons = Some(Arc::new(lexicons));
        num_counted = num_counted.max(num);
    }
    Ok(num_counted)
}

/// A job at work.
struct Running<'a> {
    job: &'a Job,
    source: &'a FileSource,
    work: &'a WorkDir,
    purpose: &'a dyn Purpose,
    skipped_files: u64,
}

impl Running<'_> {
    fn find_and_write(&self, stages: Stages) -> Result<Summary> {
        let (job, source, work) = (self.job, self.source, self.work);
        let (config, log) = (&job.config, TextLog::new(source, work.path()));
        let result = if job.write_text {
            find_in(&log, config, work, &stages)?
        } else {
            find_in(source, config, work, &stages)?
        };
        let folder = ResultFolder::create(&job.output, self.purpose.kind())?;
        let dedup = self.purpose.write(job, source, &result, &folder, &stages)?;
        stages.begin("write", 0);
        let tables = folder.result_path();
        if job.write_text {
            log.finish(&tables, &result.parts, &result.documents)?;
        }
        let metadata = &config.metadata[..job.num_metadata];
        write_tables(&tables, &result, job.format, metadata)?;
        write_short_documents(&tables, &result, config)?;
        if config.features == FeatureKind::SpotSigs {
            let path = tables.join(ANTECEDENTS);
            std::fs::write(&path, config.words.antecedents.to_lines())
                .map_err(|error| Error::io(&path, error))?;
        }
        if let Some(plan) = &job.plan {
            let path = tables.join(PLAN);
            std::fs::write(&path, plan.to_text()?)
                .map_err(|error| Error::io(&path, error))?;
        }
        if let Some(filters) = &result.filters {
            write_filters(&tables, filters)?;
        }
        stages.begin("report", 0);
        let options = ReportOptions {
            with_text: !job.no_text,
            metadata: &config.metadata,
            num_asked: job.num_metadata,
            threads: config.threads,
        };
        let report = Report::collect(&result, source, &options, &stages)?;
        let summary = self.summarize(&result, dedup, stages.finish())?;
        report.write(&tables, &summary)?;
        print_warnings(&summary.warnings)?;
        let text = serde_json::to_string_pretty(&summary)? + "\n";
        folder.finish(&text)?;
        Ok(summary)
    }

    fn summarize(
        &self,
        result: &FindResult,
        dedup: Option<Dedup>,
        seconds: BTreeMap<&'static str, f64>,
    ) -> Result<Summary> {
        let job = self.job;
        let mut options = job.options.clone();
        let own = self.purpose.options();
        options.extend(
            own.into_iter()
                .map(|(name, value)| (name.to_owned(), value)),
        );
        let shown = |values: FieldValues| match job.no_text {
            true => values.without_examples(),
            false => values,
        };
        Ok(Summary {
            program: "neardupe",
            version: env!("CARGO_PKG_VERSION"),
            command: self.purpose.command(),
            options,
            feature_specification: specification(job),
            exact: job.config.sampling == Sampling::default()
                && job.config.method == Method::Exact
                && job.config.filters.signature.is_none(),
            method: MethodSummary::new(&job.config, result.recall),
            filters: result.filters.clone(),
            spot_signatures: SpotSummary::new(&job.config, result),
            counts: result.totals,
            bad_records_by_kind: Summary::count_kinds(result)?,
            warnings: warnings::warnings(job, result),
            keep_values: result.keep_values.clone().map(shown),
            numeric_values: result.numeric_values.iter().cloned().map(shown).collect(),
            remarks: result.remarks.clone(),
            skipped_files: self.skipped_files,
            ledger: result.ledger,
            largest_clusters: TopCluster::largest(result, 3, !job.no_text)?,
            seconds,
            peak_memory_bytes: memory::peak_bytes(),
            peak_disk_bytes: self.work.peak_bytes(),
            spilled: result.spilled,
            join_windows: result.join_windows,
            dedup,
        })
    }
}
