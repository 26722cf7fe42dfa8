//! `neardupe trec`: near-duplicates in runs, topics and qrels of search evaluation.
//!
//! All of these take run files, qrels and a source of near-duplicates, and print what of these
//! files was left out. They are run and printed in one way (`TrecJobArgs::run`); a command here is
//! its text for people.

mod check_qrels;
mod dedup_qrels;
mod dedup_run;
mod effect;
mod notes;
mod prevalence;
mod sources;

use super::job_args::JobArgs;
use crate::exit;
use crate::terminal::{Visible, stdout};
use crate::typed::Typed;
use anyhow::Result;
use clap::{Args, Subcommand};
use neardupe_jobs::job::{Job, JobSpec};
use neardupe_jobs::kind::trec::{
    CheckQrelsSpec, DedupQrelsSpec, DedupRunSpec, EffectSpec, PrevalenceSpec,
    TrecOutcome, TrecSourcesSpec,
};
use neardupe_jobs::param::Params;
use serde::Serialize;
use std::io::{StdoutLock, Write};
use std::process::ExitCode;

/// What was typed after `trec`.
#[derive(Debug, Args)]
pub(crate) struct TrecArgs {
    #[command(subcommand)]
    command: TrecCommand,
}

#[derive(Debug, Subcommand)]
enum TrecCommand {
    /// Count the near-duplicates among the first results of runs, by depth and resemblance
    Prevalence(Box<TrecJobArgs<PrevalenceSpec>>),
    /// Write runs without later near-duplicates, or with these marked
    DedupRun(Box<TrecJobArgs<DedupRunSpec>>),
    /// Write qrels with one document a group, or with labels passed on within groups
    DedupQrels(Box<TrecJobArgs<DedupQrelsSpec>>),
    /// List groups whose documents were judged differently for a topic
    CheckQrels(Box<TrecJobArgs<CheckQrelsSpec>>),
    /// Show what near-duplicates do to measures and to the order of systems
    Effect(Box<TrecJobArgs<EffectSpec>>),
    /// Explain why documents that runs return together are near-duplicates
    #[command(
        after_help = "Kinds are those of `neardupe sources`; docs/sources.md says by what limits."
    )]
    Sources(Box<TrecJobArgs<TrecSourcesSpec>>),
}

/// What was typed after one of them.
#[derive(Debug, Args)]
struct TrecJobArgs<P: Params> {
    #[command(flatten)]
    job: JobArgs,

    /// Print the summary as JSON
    #[arg(long)]
    json: bool,

    /// Print nothing but errors
    #[arg(short, long, conflicts_with = "json")]
    quiet: bool,

    #[command(flatten)]
    spec: Typed<P>,
}

/// Runs the command.
pub(crate) fn run(args: &TrecArgs) -> Result<ExitCode> {
    match &args.command {
        TrecCommand::Prevalence(args) => prevalence::run(args),
        TrecCommand::DedupRun(args) => dedup_run::run(args),
        TrecCommand::DedupQrels(args) => dedup_qrels::run(args),
        TrecCommand::CheckQrels(args) => check_qrels::run(args),
        TrecCommand::Effect(args) => effect::run(args),
        TrecCommand::Sources(args) => sources::run(args),
    }
}

impl<P: JobSpec> TrecJobArgs<P> {
    /// Runs a job and prints what it leaves.
    fn run<S: Serialize>(
        &self,
        show: impl FnOnce(
            &mut Visible<StdoutLock<'static>>,
            &TrecOutcome<S>,
        ) -> std::io::Result<()>,
    ) -> Result<ExitCode>
    where
        P::Job: Job<Outcome = TrecOutcome<S>>,
    {
        let is_quiet = self.quiet || self.json;
        let Some(outcome) = self.job.run(&self.spec, is_quiet)? else {
            return Ok(ExitCode::SUCCESS);
        };
        let mut out = stdout();
        if self.json {
            writeln!(
                out.raw(),
                "{}",
                serde_json::to_string_pretty(&outcome.summary)?
            )?;
        } else if !self.quiet {
            show(&mut out, &outcome)?;
        }
        Ok(exit::of_records(outcome.has_left_out()))
    }
}
