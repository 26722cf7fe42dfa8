//! Where progress is shown.
//!
//! Three kinds, chosen once per job: a bar that moves, lines for logs, JSON for a program that has
//! started this one. `Nothing` is a kind too, so no caller asks whether progress is wanted.

use super::bar::Bar;
use super::lines::TerminalLines;
use super::status::Status;
use super::visible::visible_line;
use std::io::Write;
use std::time::{Duration, Instant};

/// Nowhere, on a terminal, or in lines.
pub(super) enum Display {
    /// Quiet, or finished.
    Nothing,
    /// On a terminal.
    Bar(Bar),
    /// Elsewhere: lines and where they are written.
    Lines(TerminalLines, Box<dyn Write + Send>),
    /// A JSON object per line, for a program that has started this one.
    Json(Instant),
}

/// What a user wants to see of progress.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ProgressMode {
    /// A bar on a terminal, a few lines elsewhere
    #[default]
    Auto,
    /// Nothing
    None,
    /// A JSON object per line on standard error
    Json,
}

/// How often a program gets a report of how far a stage is.
const EVERY: Duration = Duration::from_millis(500);

impl Display {
    /// A bar on a terminal, lines elsewhere.
    pub(super) fn on_stderr(now: Instant) -> Self {
        match Bar::on_terminal() {
            Some(bar) => Display::Bar(bar),
            None => Display::Lines(TerminalLines::new(now), Box::new(std::io::stderr())),
        }
    }

    /// Shows what is due now of the stage under way and those before it.
    pub(super) fn show(&mut self, under_way: Option<&Status>, now: Instant) {
        match self {
            Display::Nothing => {}
            Display::Bar(bar) => {
                if let Some(status) = under_way {
                    bar.show(status);
                }
            }
            Display::Lines(lines, out) => {
                for line in lines.due(now) {
                    put(out, &line);
                }
                match under_way {
                    Some(status) if lines.is_time(now, status.began) => {
                        put(out, &status.under_way());
                    }
                    _ => {}
                }
            }
            Display::Json(last) => {
                if let Some(status) = under_way
                    && now.saturating_duration_since(*last) >= EVERY
                {
                    *last = now;
                    put(&mut std::io::stderr(), &status.json("progress").to_string());
                }
            }
        }
    }

    /// A stage has ended.
    pub(super) fn ended(&mut self, status: &Status) {
        match self {
            Display::Lines(lines, _) => lines.ended(status.ended()),
            Display::Json(_) => {
                put(&mut std::io::stderr(), &status.json("ended").to_string());
            }
            Display::Nothing | Display::Bar(_) => {}
        }
    }

    /// Prints a message for the user, now.
    pub(super) fn note(&mut self, message: &str) {
        let line = format!("neardupe: {}", visible_line(message));
        match self {
            Display::Nothing => {}
            // Nothing was drawn yet, and nothing will be.
            Display::Bar(bar) if !bar.is_drawn() => put(&mut std::io::stderr(), &line),
            Display::Bar(bar) => bar.print_above(&line),
            Display::Lines(_, out) => put(out, &line),
            Display::Json(_) => {
                let line = serde_json::json!({"event": "message", "message": message});
                put(&mut std::io::stderr(), &line.to_string());
            }
        }
    }
}

/// One write for the whole line, so that another program cannot write into it.
fn put(out: &mut dyn Write, line: &str) {
    // When standard error is closed, nobody can read a message.
    let _ = out.write_all(format!("{line}\n").as_bytes());
}
