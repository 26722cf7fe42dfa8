//! The program `neardupe`.

mod cli;
mod commands;
mod exit;
mod interrupt;
mod terminal;
mod typed;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    neardupe_jobs::system::memory::give_back_what_is_freed();
    neardupe_jobs::system::disk::allow_many_files();
    keep_quiet_about_faults_of_the_input();
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
fn keep_quiet_about_faults_of_the_input() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !neardupe_io::is_guarded() {
            usual(panic);
        }
    }));
}
