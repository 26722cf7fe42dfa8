//! The program `neardupe`: a thin front of the job library.
//!
//! Here is what belongs to a command line: flags and their help, progress on a terminal, signals, exit
//! codes, and text for people. What a job does, what its parameters mean and which of them fit
//! together is decided in `neardupe_jobs`, for all fronts alike; a rule that stood here would
//! not hold for programs that use the library.
//!
//! Results go to standard output or to files, everything else to standard error. So output can be piped
//! into another program while progress and warnings stay visible.

mod cli;
mod commands;
mod exit;
mod interrupt;
mod terminal;
mod typed;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    // Both are for the whole process, so a library must not do them on its own.
    neardupe_jobs::system::memory::give_back_what_is_freed();
    neardupe_jobs::system::disk::allow_many_files();
    keep_quiet_about_faults_of_the_input();
    interrupt::survive_full_files();
    let arguments = match cli::Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return exit::of_usage(&error),
    };
    match commands::run(&arguments) {
        Ok(code) => code,
        Err(error) => exit::of_error(&error),
    }
}

/// Some libraries panic on damaged files; that is caught and recorded as a bad record.
///
/// Without this a damaged file would print a stack trace for something that the summary reports
/// as a bad record. Panics elsewhere are mistakes of the program and are printed as usual.
fn keep_quiet_about_faults_of_the_input() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !neardupe_io::is_guarded() {
            usual(panic);
        }
    }));
}
