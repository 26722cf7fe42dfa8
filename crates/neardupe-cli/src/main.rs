//! The program `neardupe`.

mod cli;
mod commands;
mod exit;
mod memory;
mod options;
mod terminal;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = match cli::Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return exit::of_usage(&error),
    };
    match commands::run(&arguments) {
        Ok(code) => code,
        Err(error) => exit::of_error(&error),
    }
}
