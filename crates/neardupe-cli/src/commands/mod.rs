//! One file for each command: what can be typed after it, and how its outcome is printed.
//!
//! A command never computes what it prints. Numbers, warnings and the order of rows come from the outcome
//! of the job, so `--json`, the summary in a result folder and the text for people agree.

pub(crate) mod compare;
pub(crate) mod dedup;
pub(crate) mod df_table;
pub(crate) mod eval;
pub(crate) mod explain;
pub(crate) mod features;
pub(crate) mod find;
pub(crate) mod history;
mod job_args;
pub(crate) mod judge;
pub(crate) mod methods;
pub(crate) mod passages;
pub(crate) mod plan;
pub(crate) mod rethreshold;
pub(crate) mod similar;
pub(crate) mod sources;
pub(crate) mod study;
pub(crate) mod synth;
pub(crate) mod trec;

use crate::cli::{Arguments, Command};
use std::process::ExitCode;

/// Runs what was typed.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    crate::terminal::show_progress(arguments.progress);
    match &arguments.command {
        Command::Compare(args) => compare::run(args),
        Command::Explain(args) => explain::run(args),
        Command::Dedup(args) => dedup::run(args),
        Command::DfTable(args) => df_table::run(args),
        Command::Features(args) => features::run(args),
        Command::Find(args) => find::run(args),
        Command::History(args) => history::run(args),
        Command::Eval(args) => eval::run(args),
        Command::Judge(args) => judge::run(args),
        Command::Methods(args) => methods::run(args),
        Command::Passages(args) => passages::run(args),
        Command::Plan(args) => plan::run(args),
        Command::Rethreshold(args) => rethreshold::run(args),
        Command::Similar(args) => similar::run(args),
        Command::Sources(args) => sources::run(args),
        Command::Study(args) => study::run(args),
        Command::Trec(args) => trec::run(args),
        Command::Synth(args) => synth::run(args),
    }
}
