//! `neardupe df-table`: how many documents have each feature, counted once and kept, so that
//! weights made from it stay what they are.
//!
//! Each of the three is a job of its own with its own parameters. The file itself is written by the
//! job library; what stands here is only how the outcome is printed.

mod build;
mod info;
mod merge;

use anyhow::Result;
use build::BuildArgs;
use clap::{Args, Subcommand};
use info::InfoArgs;
use merge::MergeArgs;
use std::process::ExitCode;

/// What was typed after `df-table`.
#[derive(Debug, Args)]
pub(crate) struct DfTableArgs {
    #[command(subcommand)]
    command: DfTableCommand,
}

#[derive(Debug, Subcommand)]
enum DfTableCommand {
    /// Count the documents of a collection that have each feature
    Build(Box<BuildArgs>),
    /// Add up the tables of parts of a collection
    Merge(Box<MergeArgs>),
    /// Show what a table holds
    Info(Box<InfoArgs>),
}

/// Runs the command.
pub(crate) fn run(args: &DfTableArgs) -> Result<ExitCode> {
    match &args.command {
        DfTableCommand::Build(args) => build::run(args),
        DfTableCommand::Merge(args) => merge::run(args),
        DfTableCommand::Info(args) => info::run(args),
    }
}
