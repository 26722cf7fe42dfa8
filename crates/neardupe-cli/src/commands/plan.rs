//! `neardupe plan`: what a job will need, before it is run.
//!
//! All numbers come from a sample and are estimates; how large the sample was is in the first line.
//! Memory is compared with what `--memory` allows and disk with what is free, since these two
//! decide whether a job can end.

use super::job_args::JobArgs;
use crate::terminal::{bytes, duration, grouped, stdout};
use crate::typed::Typed;
use anyhow::Result;
use clap::Args;
use neardupe_jobs::kind::plan::{PlanOutcome, PlanSpec};
use neardupe_jobs::system::disk;
use std::io::Write;
use std::process::ExitCode;

/// What was typed after `plan`.
#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    job: JobArgs,

    /// Print the plan as JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    spec: Typed<PlanSpec>,
}

/// Runs the command.
pub(crate) fn run(args: &PlanArgs) -> Result<ExitCode> {
    let Some(outcome) = args.job.run(&args.spec, true)? else {
        return Ok(ExitCode::SUCCESS);
    };
    let mut out = stdout();
    if args.json {
        let summary = serde_json::to_string_pretty(&outcome.summary)?;
        writeln!(out, "{summary}")?;
    } else {
        show(&mut out, &outcome)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the plan for people.
fn show(out: &mut impl Write, outcome: &PlanOutcome) -> std::io::Result<()> {
    let (job, plan, num_files) = (&outcome.job, &outcome.summary, outcome.num_files);
    let files = if num_files == 1 { "file" } else { "files" };
    writeln!(
        out,
        "{} {files}, {}; estimated from {} documents, {:.1} % of the input\n",
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
    // Whether it fits decides what the other numbers mean, so it is said in words.
    let memory = if plan.spills {
        let all = bytes(plan.memory_for_all_bytes);
        format!("of {allowed} that --memory allows; {all} would hold everything")
    } else {
        format!("of {allowed} that --memory allows: everything fits")
    };
    line("memory", bytes(plan.memory_bytes), memory)?;
    let folder = &job.config.work_dir;
    // Asked of the system now; where it does not answer, the plan is printed without it.
    let free = disk::free_bytes(folder);
    let free =
        free.map_or_else(String::new, |free| format!("; {} are free", bytes(free)));
    let place = if plan.spills {
        format!("in {}, until the job is done{free}", folder.display())
    } else {
        "nothing but the result is written".to_owned()
    };
    line("disk", bytes(plan.disk_bytes), place)?;
    let threads = match job.config.threads {
        1 => "with one thread".to_owned(),
        threads => format!("with {threads} threads"),
    };
    // Estimates below a second are noise.
    let time = if plan.seconds < 1.0 {
        "below 1 s".to_owned()
    } else {
        format!("about {}", duration(plan.seconds))
    };
    line("time", time, threads)
}
