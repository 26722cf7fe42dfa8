//! What every study can be told, and how its result is written.

use super::super::find::{Job, ReadingArgs, open_and_warn, print_warnings, typed};
use crate::terminal::{Stages, grouped};
use crate::{exit, interrupt};
use anyhow::Result;
use clap::Args;
use neardupe_core::document::{Progress, Silent};
use neardupe_core::error::Error;
use neardupe_core::store::WorkDir;
use neardupe_io::output::{ResultFolder, ResultKind};
use neardupe_io::source::FileSource;
use neardupe_jobs::kind::find::{FindSpec, all_options};
use neardupe_jobs::report::{LineChart, PageParts, REPORT};
use neardupe_jobs::study::write_study_page;
use serde_json::{Map, Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Input, output and work of a study.
#[derive(Debug, Args)]
pub(crate) struct CommonArgs {
    /// Files, folders or globs to read
    #[arg(required = true, value_name = "INPUT")]
    pub(super) inputs: Vec<String>,

    /// Features of a published system: ye (words:10), waterloo (chars:64), or any preset of `find`;
    /// what else is typed wins
    #[arg(long, value_name = "NAME")]
    pub(super) preset: Option<String>,

    /// Output folder; replaced only if it is a result of neardupe [default: neardupe-study]
    #[arg(long, short, value_name = "DIR", help_heading = "Output")]
    pub(super) output: Option<PathBuf>,

    /// Print the summary as JSON
    #[arg(long, help_heading = "Output")]
    pub(super) json: bool,

    /// Print nothing but errors
    #[arg(short, long, conflicts_with = "json", help_heading = "Output")]
    pub(super) quiet: bool,

    /// End with code 0 when at most this many records were bad [default: 0]
    #[arg(
        long,
        value_name = "N",
        allow_negative_numbers = true,
        help_heading = "Input"
    )]
    pub(super) allow_bad_records: Option<String>,

    /// Most memory to use, as 512M or 4G, at least 256M [default: half of what is free]
    #[arg(long, value_name = "SIZE", help_heading = "Input")]
    pub(super) memory: Option<String>,

    /// Where goes what does not fit in memory [default: beside the output]
    #[arg(long, value_name = "DIR", help_heading = "Input")]
    pub(super) work_dir: Option<PathBuf>,

    #[command(flatten)]
    pub(super) reading: ReadingArgs,
}

/// Where results go unless told.
const OUTPUT: &str = "neardupe-study";

impl CommonArgs {
    /// What was typed, as a description of `find`, under which a study puts its own.
    pub(super) fn spec(&self) -> Result<FindSpec> {
        let mut spec = FindSpec {
            preset: typed("preset", self.preset.as_deref())?,
            ..FindSpec::default()
        };
        spec.output.output = Some(self.output.clone().unwrap_or_else(|| OUTPUT.into()));
        spec.tolerance.allow_bad_records =
            typed("allow-bad-records", self.allow_bad_records.as_deref())?;
        spec.work.memory = typed("memory", self.memory.as_deref())?;
        spec.work.work_dir = self.work_dir.clone();
        Ok(spec.with_preset()?)
    }

    /// The job that reads the input and makes features.
    pub(super) fn job(&self, spec: FindSpec) -> Result<Job> {
        let job = self.reading.job_like(&self.inputs, None, spec)?;
        ResultFolder::check(&job.output, ResultKind::Study)?;
        Ok(job)
    }

    /// What is read; it may be read several times.
    pub(super) fn source(&self, job: &mut Job) -> Result<FileSource> {
        if self.inputs.iter().any(|input| input == "-") {
            let message = "standard input can be read only once; name files";
            return Err(Error::input("study", message).into());
        }
        let discovered = job.discover()?;
        open_and_warn(job, discovered.files, &Silent)
    }

    /// Shows progress.
    pub(super) fn stages(&self) -> Result<Stages> {
        Ok(Stages::new(self.quiet || self.json).stopped_by(interrupt::install()?))
    }
}

/// A work directory that nobody else uses now.
pub(super) fn open_work(job: &Job) -> Result<WorkDir> {
    let (work, _) = WorkDir::begin(job.config.work_dir.clone(), Default::default())?;
    work.enter()?;
    Ok(work)
}

/// What a study has to say.
pub(super) struct Findings {
    /// The name of the study.
    pub(super) study: &'static str,
    /// Options of its own.
    pub(super) own: Vec<(&'static str, Value)>,
    /// What came out, for the summary.
    pub(super) figures: Map<String, Value>,
    /// What stands on the page before the figures.
    pub(super) parts: PageParts,
    /// Drawings.
    pub(super) charts: Vec<LineChart>,
    /// Records that did not become documents.
    pub(super) bad_records: u64,
    /// Nothing was sampled or signed, so no figure depends on the hash.
    pub(super) is_exact: bool,
}

/// The last finding says what to type.
pub(super) fn headline(findings: &[String]) -> String {
    let last = findings.last();
    last.map_or(String::new(), |finding| PageParts::headline_of(finding))
}

/// The parameters that every study has.
fn options(job: &Job) -> Map<String, Value> {
    let spec = &job.spec;
    let mut options: Map<String, Value> = [
        all_options(&spec.input),
        all_options(&spec.reading),
        all_options(&spec.work),
    ]
    .into_iter()
    .flatten()
    .collect();
    let all = job.options();
    for name in ["preset", "allow-bad-records", "output"] {
        options.insert(name.to_owned(), all[name].clone());
    }
    options
}

/// Writes the result: `tables` writes what the study has of its own into the folder.
pub(super) fn finish(
    args: &CommonArgs,
    job: &Job,
    stages: Stages,
    found: &Findings,
    tables: impl FnOnce(&Path) -> Result<()>,
    show: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<ExitCode> {
    let folder = ResultFolder::create(&job.output, ResultKind::Study)?;
    stages.begin("write", 0);
    tables(folder.path())?;
    let mut options = options(job);
    let own = found.own.iter();
    options.extend(own.map(|(name, value)| ((*name).to_owned(), value.clone())));
    let mut summary = json!({
        "program": "neardupe",
        "version": env!("CARGO_PKG_VERSION"),
        "command": "study",
        "study": found.study,
        "options": options,
        "findings": found.parts.findings,
    });
    if let Some(summary) = summary.as_object_mut() {
        summary.extend(found.figures.clone());
        summary.insert("seconds".to_owned(), json!(stages.finish()));
        let peak = json!(neardupe_jobs::system::memory::peak_bytes());
        summary.insert("peak_memory_bytes".to_owned(), peak);
    }
    write_study_page(folder.path(), &summary, &found.parts, &found.charts)?;
    let text = serde_json::to_string_pretty(&summary)? + "\n";
    folder.finish(&text)?;
    print_warnings(&args.reading.idle(job))?;
    if found.is_exact {
        print_warnings(&job.idle_hashes())?;
    }
    let mut out = std::io::stdout().lock();
    if args.json {
        out.write_all(text.as_bytes())?;
    } else if !args.quiet {
        show(&mut out)?;
        for finding in &found.parts.findings {
            writeln!(out, "{finding}")?;
        }
        if found.bad_records > 0 {
            writeln!(
                out,
                "\n{} bad records were left out; `neardupe find` on the same input lists them",
                grouped(found.bad_records)
            )?;
        }
        let output = job.output.display();
        writeln!(
            out,
            "\nwritten to {output}; to look at it, open {output}/{REPORT}"
        )?;
    }
    Ok(ExitCode::from(
        match found.bad_records > job.allow_bad_records {
            true => exit::LEFT_OUT,
            false => 0,
        },
    ))
}
