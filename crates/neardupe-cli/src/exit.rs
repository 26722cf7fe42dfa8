//! How the program ends: one code for each kind of end, and a message on standard error.
//!
//! | code | meaning | for scripts |
//! |--:|---|---|
//! | 0 | done | |
//! | 1 | failed: the input, the disk, a limit | try again after a remedy |
//! | 2 | wrong usage | never right without another command line |
//! | 3 | done, but more records were skipped than are allowed | the result is complete and may be used |
//! | 130 | stopped by Ctrl-C, as shells report it (128 + SIGINT) | `--resume` continues |
//! | 143 | stopped by SIGTERM, likewise | `--resume` continues |
//!
//! A reader that closes the pipe early, as `head` does, is no failure: code 0 and no message.
//!
//! Every end passes through one of three functions here: an error, wrong usage, or a job that is
//! done. No command chooses a number of its own.

use crate::interrupt;
use crate::terminal::{visible, visible_line};
use crate::typed::{OURS, is_flag, rendered};
use neardupe_core::error::Error;
use neardupe_jobs::diff::is_active;
use std::io::Write;
use std::process::ExitCode;

/// Done, but records were left out.
pub(crate) const LEFT_OUT: u8 = 3;

/// The code of an error of the library.
fn code(error: &Error) -> u8 {
    match error {
        Error::Config { .. } => 2,
        Error::Cancelled | Error::Stopped { .. } => interrupt::code(),
        _ => 1,
    }
}

/// Ends after an error.
///
/// A closed pipe is looked for first: it can reach any command as an error of standard output,
/// and is none.
pub(crate) fn of_error(error: &anyhow::Error) -> ExitCode {
    if is_closed_pipe(error) {
        return ExitCode::SUCCESS;
    }
    // Only errors of the library have a code of their own; anything else is a failure.
    let code = error.downcast_ref::<Error>().map_or(1, code);
    // An error of the library names its cause itself; others are printed with their chain.
    let message = match error.downcast_ref::<Error>() {
        Some(Error::Config { key, message }) => {
            format!("{}: {}", param(key), rendered(message))
        }
        Some(known) => rendered(&known.to_string()),
        None => format!("{error:#}"),
    };
    // When standard error is closed, nobody can read a message. Some have several lines: an excerpt of a file.
    let _ = writeln!(std::io::stderr(), "neardupe: {}", visible(&message));
    ExitCode::from(code)
}

/// A parameter as it is typed: a flag, or the name of a place such as RESULT.
///
/// The library knows parameters by their names alone, since each front types them in another
/// way.
fn param(key: &str) -> String {
    match key {
        "inputs" => "INPUT".to_owned(),
        _ if is_flag(key) => format!("--{key}"),
        _ => key.to_owned(),
    }
}

/// Ends a job that is done: with another code when too many records were left out.
///
/// The job has compared them with `allow-bad-records` already.
pub(crate) fn of_records(has_left_out: bool) -> ExitCode {
    ExitCode::from(if has_left_out { LEFT_OUT } else { 0 })
}

/// A reader that has seen enough is a normal end.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let broken = |error: &std::io::Error| error.kind() == std::io::ErrorKind::BrokenPipe;
    error.downcast_ref::<std::io::Error>().is_some_and(broken)
}

fn arguments_steer_terminals() -> bool {
    let mut arguments = std::env::args_os();
    arguments.any(|argument| argument.to_string_lossy().contains(is_active))
}

/// Ends after wrong usage, or after help was asked for.
///
/// Help and version come here as errors too; they go to standard output and end with 0.
pub(crate) fn of_usage(error: &clap::Error) -> ExitCode {
    let text = error.to_string();
    // clap begins every message with "error: ". Its own are printed by clap, with colors and usage.
    let ours = text.strip_prefix("error: ").unwrap_or(&text);
    // A value that the job library refuses is reported like any other wrong parameter.
    let _ = match ours.strip_prefix(OURS) {
        // clap adds the usage.
        Some(message) => {
            let message = message.lines().next().unwrap_or_default();
            writeln!(std::io::stderr(), "{OURS}{}", visible_line(message))
        }
        // Typed by a script, perhaps, from names that it has met. Then without colors.
        None if arguments_steer_terminals() => {
            write!(std::io::stderr(), "{}", visible(&text))
        }
        None => error.print(),
    };
    ExitCode::from(if error.use_stderr() { 2 } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    #[test]
    fn every_kind_of_error_has_its_code() {
        let text = String::new;
        let path = PathBuf::new;
        let io = || std::io::Error::other("x");
        let cases = [
            (Error::config("x", "y"), 2),
            (Error::input("x", "y"), 1),
            (
                Error::Io {
                    path: path(),
                    source: io(),
                },
                1,
            ),
            (
                Error::Format {
                    path: path(),
                    expected: text(),
                    found: text(),
                    remedy: text(),
                },
                1,
            ),
            (
                Error::Corrupt {
                    path: path(),
                    message: text(),
                },
                1,
            ),
            (
                Error::Limit {
                    what: text(),
                    asked: 1,
                    allowed: 0,
                    remedy: text(),
                },
                1,
            ),
            (Error::Cancelled, 130),
            (Error::Internal(text()), 1),
        ];
        for (error, expected) in cases {
            assert_eq!(code(&error), expected, "{error:?}");
        }
    }
}
