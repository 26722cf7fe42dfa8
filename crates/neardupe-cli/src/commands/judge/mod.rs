//! `neardupe judge`: people look at a sample of the pairs of a result; what they say shows how
//! good the whole result is.
//!
//! The sample, the labels and the estimate belong to the job library. Asking belongs here: single keys on a
//! terminal, lines elsewhere, so a sitting can be recorded or scripted.

mod ask;
mod show;
mod show_report;

use super::job_args::{JobArgs, exec};
use crate::terminal::{Stages, stderr, stdout, visible_line};
use crate::typed::{Typed, rendered};
use anyhow::Result;
use clap::Args;
use neardupe_jobs::kind::judge::{JudgeOutcome, JudgeSample, JudgeSpec, JudgeSummary};
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

/// What was typed after `judge`.
#[derive(Debug, Args)]
#[command(
    after_help = "Keys: d duplicate, n not, u unclear, k kind, b back, q quit. Labels are \
                        kept at once; the same command goes on where it ended. Without a \
                        terminal the same letters are read from standard input, one a line \
                        (k KIND)."
)]
pub(crate) struct JudgeArgs {
    #[command(flatten)]
    job: JobArgs,

    /// Print the report as JSON
    #[arg(long, requires = "report")]
    json: bool,

    #[command(flatten)]
    spec: Typed<JudgeSpec>,
}

/// Runs the command.
pub(crate) fn run(args: &JudgeArgs) -> Result<ExitCode> {
    let Some(job) = args.job.job(&args.spec)? else {
        return Ok(ExitCode::SUCCESS);
    };
    // Not `job_args::stages`, which would catch Ctrl-C for a job: here a person is at work, and each label
    // is on disk before the next question.
    let stages = Stages::new(false);
    let outcome = job.run(&exec(&stages))?;
    drop(stages);
    match outcome {
        JudgeOutcome::Sample(mut sample) => ask(&mut sample)?,
        JudgeOutcome::Report(report) => print_report(args, &report)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Asks about the pairs of the sample.
///
/// Nothing is lost when the input ends early: the labels are kept, and what was left open is printed
/// at the end.
fn ask(sample: &mut JudgeSample) -> Result<()> {
    for warning in &sample.warnings {
        writeln!(stderr(), "neardupe: {}", visible_line(&rendered(warning)))?;
    }
    // Both: keys need a terminal to read from, pairs one to be shown on.
    let on_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let mut sitting = ask::Sitting {
        pairs: &sample.pairs,
        texts: sample.texts.as_ref(),
        labels: &mut sample.labels,
        judge: &sample.judge,
        style: show::style(),
    };
    let mut out = stdout();
    if on_terminal {
        sitting.run(&mut ask::Keys::default(), &mut out)?
    } else {
        sitting.run(
            &mut ask::AnswerLines::new(std::io::stdin().lock()),
            &mut out,
        )?
    }
    let (all, open) = (sample.pairs.len(), sitting.open());
    let done = all - open;
    writeln!(
        out,
        "\n{done} of {all} pairs are judged by {}; labels are in {}",
        sample.judge,
        sample.labels.path().display()
    )?;
    let next = match open {
        0 => format!("neardupe judge {} --report", sample.result.display()),
        _ => "the same command goes on".to_owned(),
    };
    writeln!(out, "next: {next}")?;
    Ok(())
}

/// Prints what all judges have said.
fn print_report(args: &JudgeArgs, report: &JudgeSummary) -> Result<()> {
    let mut out = stdout();
    if args.json {
        writeln!(out.raw(), "{}", serde_json::to_string_pretty(report)?)?
    } else {
        show_report::show(&mut out, report)?
    }
    Ok(())
}
