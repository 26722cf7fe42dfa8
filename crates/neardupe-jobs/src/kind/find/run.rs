//! Running a job of `find`, alone or as a part of another one (`dedup`, which writes more).
//!
//! The order of steps matters: whatever the parameters or the input forbid is refused before the work
//! directory is locked and an unfinished job in it replaced; the identity of the job needs the counted
//! antecedents and the plan; signatures need both, and the work directory for their counts. The output
//! folder appears when all is written.

use super::antecedents::count_antecedents;
use super::estimate;
use super::job::FindJob;
use super::method;
use super::planned::plan_sampling;
use super::sampling_plan::PLAN;
use super::warnings::warnings;
use super::work;
use crate::exec::{Exec, Stages};
use crate::report::{Report, ReportOptions};
use crate::rewrite::Dedup;
use crate::summary::{SpotSummary, Summary, TopCluster};
use crate::system::memory;
use neardupe_core::document::{Progress, Source};
use neardupe_core::error::{Error, Result};
use neardupe_core::pipeline::codes::{DfSource, Reading};
use neardupe_core::pipeline::similar::KeptWork;
use neardupe_core::pipeline::{FieldValues, FindResult, Method, find_in};
use neardupe_core::store::WorkDir;
use neardupe_io::output::{
    ANTECEDENTS, ResultFolder, ResultKind, TextLog, write_filters, write_short_documents,
    write_tables,
};
use neardupe_io::source::FileSource;
use serde_json::{Map, Value};
use std::sync::Arc;

/// What a kind of job does besides finding: `find` adds nothing, `dedup` writes the collection again.
pub(crate) trait Purpose {
    /// The name of the kind, for the summary.
    fn command(&self) -> &'static str;
    /// What the output folder holds.
    fn kind(&self) -> ResultKind;
    /// Refuses an input that the purpose cannot use: before hours of work, not after.
    fn check_source(&mut self, job: &FindJob, source: &FileSource) -> Result<()>;
    /// Writes the files that this kind has besides the tables of `find`, into a folder that has not got
    /// its name yet.
    fn write(
        &self,
        job: &FindJob,
        source: &FileSource,
        result: &FindResult,
        folder: &ResultFolder,
        progress: &dyn Progress,
    ) -> Result<Option<Dedup>>;
    /// All parameters of the job.
    fn options(&self, job: &FindJob) -> Map<String, Value>;
}

/// The purpose of `find` itself: nothing more.
struct Find;

impl Purpose for Find {
    fn command(&self) -> &'static str {
        "find"
    }

    fn kind(&self) -> ResultKind {
        ResultKind::Find
    }

    fn check_source(&mut self, _: &FindJob, _: &FileSource) -> Result<()> {
        Ok(())
    }

    fn write(
        &self,
        _: &FindJob,
        _: &FileSource,
        _: &FindResult,
        _: &ResultFolder,
        _: &dyn Progress,
    ) -> Result<Option<Dedup>> {
        Ok(None)
    }

    fn options(&self, job: &FindJob) -> Map<String, Value> {
        job.options()
    }
}

/// What came of a job.
pub struct FindOutcome {
    /// The job as it was done.
    pub job: FindJob,
    /// What was found, as it is in `summary.json`.
    pub summary: Summary,
}

impl FindOutcome {
    /// More records were left out than the job allows.
    pub fn has_left_out(&self) -> bool {
        self.summary.counts.bad_records > self.job.allow_bad_records
    }
}

/// Runs a job of `find` and writes its output.
pub(super) fn run_find(job: FindJob, exec: &Exec<'_>) -> Result<FindOutcome> {
    run_for(job, &mut Find, exec)
}

/// Runs the job and writes its output, and that of the purpose.
///
/// Everything runs in the pool of the job, so that stages of the core, readers and writers share
/// its threads.
pub(crate) fn run_for(
    job: FindJob,
    purpose: &mut (dyn Purpose + Send),
    exec: &Exec<'_>,
) -> Result<FindOutcome> {
    exec.install(job.config.threads, || run_in_pool(job, purpose, exec))
}

/// The steps of a job, in the order that the top of this file explains. Called within the
/// pool of its threads.
fn run_in_pool(
    mut job: FindJob,
    purpose: &mut dyn Purpose,
    exec: &Exec<'_>,
) -> Result<FindOutcome> {
    let stages = exec.stages();
    // An output that must not be replaced is refused before hours of work, not after.
    ResultFolder::check(&job.output, purpose.kind())?;
    // The checks go from cheap to dear: names of files, columns of schemas, then passes over the
    // input. None of them needs the work directory, so an unfinished job is not lost over a wrong
    // parameter.
    let discovered = job.discover()?;
    let skipped_files = discovered.skipped.len() as u64;
    let source = job.open(discovered.files, &stages)?;
    job.check_columns(&source)?;
    purpose.check_source(&job, &source)?;
    count_antecedents(&mut job, &source, &stages)?;
    plan_sampling(&mut job, &source, &stages)?;
    // Warnings about idle options then know that this process has not read everything.
    job.resumed = exec.resume;
    let advised = |error: Error, resumable: bool, job: &FindJob| {
        let (budget, work_dir) = (&job.config.budget, &job.config.work_dir);
        work::with_advice(error, resumable, budget.checkpoint, work_dir, exec)
    };
    let work = work::open(&job, source.origins()?, exec)
        .map_err(|error| advised(error, false, &job))?;
    // A resumed job was announced when it began, and a part of its disk is taken already.
    let announced = if work.is_resumable() {
        Ok(())
    } else {
        estimate::announce(&job, &source, &stages)
    };
    let announced = announced
        .and_then(|()| specify_signatures(&mut job, &source, &work, &stages).map(drop));
    let running = Running {
        job: &job,
        source: &source,
        work: &work,
        purpose,
        skipped_files,
        exec,
    };
    // From here on parts may be finished: an error says how to resume.
    let outcome = announced.and_then(|()| running.find_and_write(&stages));
    // The result is gone by now: it lived in `find_and_write`. It reads from files of the work
    // directory (kept sets, sorted pairs, the log), so the directory must not be removed while it
    // is there.
    let summary = outcome.map_err(|error| advised(error, work.is_resumable(), &job))?;
    finish_work(&job, &source, work)?;
    Ok(FindOutcome { job, summary })
}

/// The job is done: its work directory is removed, or kept for `similar` with a note of how its
/// features were made.
fn finish_work(job: &FindJob, source: &FileSource, work: WorkDir) -> Result<()> {
    if !job.config.budget.keep_features {
        return work.finish();
    }
    let is_under_key = work.key().is_secret() && !job.config.needs_public_hash();
    KeptWork::new(&job.specification(), source.file_names(), is_under_key)?
        .write(&work)?;
    work.keep()
}

/// Reads what must be known of the collection before signatures can be made (frequencies, templates,
/// lexicons), and returns how many distinct features were counted for that, the most of any pass, for
/// the estimate. A plan that
/// needs the collection reads it once more; a frozen table costs nothing here.
pub(super) fn specify_signatures(
    job: &mut FindJob,
    source: &dyn Source,
    work: &WorkDir,
    progress: &dyn Progress,
) -> Result<u64> {
    let mut num_counted = 0;
    // The three passes each read the input once if they need the collection; a job needs one
    // of them as a rule.
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
    // Else the keys are only measured by `compare-filters`, and can be done without.
    let is_on =
        job.config.method == Method::IMatch || job.config.filters.signature.is_some();
    if let Some(plan) = &job.lexicons
        && !is_on
        && matches!(plan.df, DfSource::Collection)
        && source.origins()?.is_none()
    {
        // A pipe has no frequencies before it is read, and then it is too late. The filter would only
        // be measured, so it is omitted from the comparison; with `signature-filter` the same case is
        // an error.
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
    if let Some(plan) = &job.df {
        let (table, num) = plan.specify_counted(reading)?;
        job.config.df = Some(table);
        num_counted = num_counted.max(num);
    }
    Ok(num_counted)
}

/// A job under way.
struct Running<'a> {
    /// The job with everything filled in that had to be counted.
    job: &'a FindJob,
    /// Its input.
    source: &'a FileSource,
    /// Its work directory, locked.
    work: &'a WorkDir,
    /// What is written besides the tables.
    purpose: &'a dyn Purpose,
    /// Files of folders that are not read, for the summary.
    skipped_files: u64,
    exec: &'a Exec<'a>,
}

impl Running<'_> {
    /// Finds, and writes the output folder. Tables are written while the answer is in memory or in the
    /// work directory; the report reads some documents again, so it comes before the summary, which has
    /// its time.
    fn find_and_write(&self, stages: &Stages<'_>) -> Result<Summary> {
        let (job, source, work) = (self.job, self.source, self.work);
        let (config, log) = (&job.config, TextLog::new(source, work.path()));
        // Each thread writes the texts that pass to a part of its own; in the order of the input they
        // are below.
        let result = if job.write_text {
            find_in(&log, config, work, stages)?
        } else {
            find_in(source, config, work, stages)?
        };
        // Under a temporary name until `finish`: whoever looks at the output sees the old result
        // or the complete new one.
        let folder = ResultFolder::create(&job.output, self.purpose.kind())?;
        let dedup = self.purpose.write(job, source, &result, &folder, stages)?;
        stages.begin("write", 0);
        let tables = folder.result_path();
        if job.write_text {
            log.finish(&tables, &result.parts, &result.documents)?;
        }
        let metadata = &config.metadata[..job.num_metadata];
        write_tables(&tables, &result, job.format, metadata)?;
        write_short_documents(&tables, &result, config)?;
        // The list and the plan as they were used: a later `explain` reads these, not the files that
        // were named.
        if config.features.uses_antecedents() {
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
        // The report is the last reader of the result and of the input.
        let report = Report::collect(&result, source, &options, stages)?;
        let summary = self.summarize(&result, dedup, stages)?;
        report.write(&tables, &summary)?;
        folder.finish(&(serde_json::to_string_pretty(&summary)? + "\n"))?;
        Ok(summary)
    }

    /// The summary as it is stored and printed.
    fn summarize(
        &self,
        result: &FindResult,
        dedup: Option<Dedup>,
        stages: &Stages<'_>,
    ) -> Result<Summary> {
        let job = self.job;
        // Examples of unreadable values are values of documents.
        let shown = |values: FieldValues| {
            if job.no_text {
                values.without_examples()
            } else {
                values
            }
        };
        let warnings = warnings(job, result).into_iter();
        Ok(Summary {
            program: "neardupe".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: self.purpose.command().to_owned(),
            options: self.purpose.options(job),
            feature_specification: job.specification(),
            exact: job.is_exact(),
            method: method::summarize(&job.config, result.recall),
            filters: result.filters.clone(),
            spot_signatures: SpotSummary::new(&job.config, result),
            counts: result.totals,
            bad_records_by_kind: Summary::count_kinds(result)?,
            warnings: warnings.map(|text| self.exec.render(&text)).collect(),
            keep_values: result.keep_values.clone().map(shown),
            numeric_values: result.numeric_values.iter().cloned().map(shown).collect(),
            remarks: result.remarks.clone(),
            skipped_files: self.skipped_files,
            ledger: result.ledger,
            largest_clusters: TopCluster::largest(result, 3, !job.no_text)?,
            seconds: stages.seconds(),
            peak_memory_bytes: memory::peak_bytes(),
            peak_disk_bytes: self.work.peak_bytes(),
            spilled: result.spilled,
            join_windows: result.join_windows,
            dedup,
        })
    }
}
