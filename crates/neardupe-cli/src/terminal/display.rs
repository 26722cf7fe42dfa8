//! Where progress is shown.

use super::bar::Bar;
use super::lines::Lines;
use super::status::Status;
use std::io::Write;
use std::time::Instant;

/// Nowhere, on a terminal, or in lines.
pub(super) enum Display {
    Nothing,
    Bar(Bar),
    Lines(Lines, Box<dyn Write + Send>),
}

impl Display {
    /// A bar on a terminal, lines elsewhere.
    pub(super) fn on_stderr(now: Instant) -> Self {
        match Bar::on_terminal() {
            Some(bar) => Display::Bar(bar),
            None => Display::Lines(Lines::new(now), Box::new(std::io::stderr())),
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
        }
    }

    /// A stage has ended.
    pub(super) fn ended(&mut self, status: &Status) {
        if let Display::Lines(lines, _) = self {
            lines.ended(status.ended());
        }
    }

    /// Tells the user something, now.
    pub(super) fn tell(&mut self, message: &str) {
        let line = format!("neardupe: {message}");
        match self {
            Display::Nothing => {}
            // Nothing was drawn yet, and nothing shall be.
            Display::Bar(bar) if !bar.is_drawn() => put(&mut std::io::stderr(), &line),
            Display::Bar(bar) => bar.print_above(&line),
            Display::Lines(_, out) => put(out, &line),
        }
    }
}

/// One write for the whole line, so that another program cannot write into it.
fn put(out: &mut dyn Write, line: &str) {
    // Nobody is left to tell when standard error is closed.
    let _ = out.write_all(format!("{line}\n").as_bytes());
}
