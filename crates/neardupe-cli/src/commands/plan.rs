//! `neardupe plan`: what a job will need, before it is run.

use super::find::Job;
use crate::interrupt;
use crate::terminal::{Stages, bytes, duration, grouped};
use crate::typed::{Typed, from_file};
use anyhow::Result;
use clap::Args;
use neardupe_core::document::Source;
use neardupe_core::error::Error;
use neardupe_jobs::kind::find::{Estimate, FindSpec, estimate};
use neardupe_jobs::param::Params;
use neardupe_jobs::system::disk;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// What was typed after `plan`.
#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    /// Read options from a TOML file; its keys are the names of the flags
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Print the plan as JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    spec: Typed<FindSpec>,
}

/// Runs the command.
pub(crate) fn run(args: &PlanArgs) -> Result<ExitCode> {
    let typed = args.spec.0.clone();
    let spec = match &args.config {
        None => typed,
        Some(path) => typed.or(from_file(path, "plan")?),
    };
    let mut job = spec.validate()?;
    let discovered = job.discover()?;
    let num_files = discovered.files.len() as u64;
    let stages = Stages::new(true).stopped_by(interrupt::install()?);
    let source = job.open(discovered.files, &stages)?;
    if source.origins()?.is_none() {
        let message = "standard input and pipes can be read only once; name files";
        return Err(Error::input("plan", message).into());
    }
    let estimate = estimate(&job, &source, &stages, true)?;
    let mut out = std::io::stdout().lock();
    if args.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&estimate)?)?;
    } else {
        show(&mut out, &job, num_files, &estimate)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the plan for people.
fn show(
    out: &mut impl Write,
    job: &Job,
    num_files: u64,
    plan: &Estimate,
) -> std::io::Result<()> {
    let files = if num_files == 1 { "file" } else { "files" };
    writeln!(
        out,
        "{} {files}, {}; told from {} documents, {:.1} % of the input\n",
        grouped(num_files),
        bytes(plan.bytes),
        grouped(plan.sample_documents),
        plan.sample_share * 100.0
    )?;
    let mut line = |name: &str, value: String, what: String| {
        let line = format!("  {name:<16} {value:>14}  {what}");
        writeln!(out, "{}", line.trim_end())
    };
    line("documents", grouped(plan.documents), String::new())?;
    let kind = format!("{}, summed over documents", job.config.features);
    line("features", grouped(plan.features), kind)?;
    let allowed = bytes(job.config.budget.memory);
    let memory = if plan.spills {
        let all = bytes(plan.memory_for_all_bytes);
        format!("of {allowed} that --memory allows; {all} would hold everything")
    } else {
        format!("of {allowed} that --memory allows: everything fits")
    };
    line("memory", bytes(plan.memory_bytes), memory)?;
    let folder = &job.config.work_dir;
    let free = disk::free_bytes(folder);
    let free =
        free.map_or_else(String::new, |free| format!("; {} are free", bytes(free)));
    let place = match plan.spills {
        true => format!("in {}, until the job is done{free}", folder.display()),
        false => "nothing but the result is written".to_owned(),
    };
    line("disk", bytes(plan.disk_bytes), place)?;
    let threads = match job.config.threads {
        1 => "with one thread".to_owned(),
        threads => format!("with {threads} threads"),
    };
    let time = match plan.seconds < 1.0 {
        true => "below 1 s".to_owned(),
        false => format!("about {}", duration(plan.seconds)),
    };
    line("time", time, threads)
}
