//! `neardupe trec`: near-duplicates in runs, topics and qrels of search evaluation.

mod check_qrels;
mod dedup_qrels;
mod dedup_run;
mod effect;
mod inputs;
mod matching;
mod notes;
mod prevalence;
mod sources;

use anyhow::Result;
use clap::{Args, Subcommand};
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
    Prevalence(Box<prevalence::PrevalenceArgs>),
    /// Write runs without later near-duplicates, or with these marked
    DedupRun(Box<dedup_run::DedupRunArgs>),
    /// Write qrels with one document a group, or with labels passed on within groups
    DedupQrels(Box<dedup_qrels::DedupQrelsArgs>),
    /// List groups whose documents were judged differently for a topic
    CheckQrels(Box<check_qrels::CheckQrelsArgs>),
    /// Tell what near-duplicates do to measures and to the order of systems
    Effect(Box<effect::EffectArgs>),
    /// Tell why the near-duplicates that runs return together are near-duplicates
    Sources(Box<sources::TrecSourcesArgs>),
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
