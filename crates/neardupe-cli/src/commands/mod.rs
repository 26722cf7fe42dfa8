//! One file for each command.

pub(crate) mod find;
pub(crate) mod plan;
pub(crate) mod synth;

use crate::cli::{Arguments, Command};
use std::process::ExitCode;

/// Runs what was typed.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    match &arguments.command {
        Command::Find(args) => find::run(args),
        Command::Plan(args) => plan::run(args),
        Command::Synth(args) => synth::run(args).map(|()| ExitCode::SUCCESS),
    }
}
