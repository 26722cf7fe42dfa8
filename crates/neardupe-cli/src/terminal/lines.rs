//! When lines are due where there is no terminal.
//!
//! A log that is read later needs few lines and needs them late: none for a job of two seconds, one
//! per stage that has ended, and one every ten seconds while a stage lasts. Lines are held until
//! the job has turned out to be long.

use std::time::{Duration, Instant};

/// A job that ends within this time prints no lines.
const SHORT: Duration = Duration::from_secs(2);

/// A stage under way gets a line no more often.
const EVERY: Duration = Duration::from_secs(10);

/// Holds lines back until they are due.
#[derive(Debug)]
pub(super) struct TerminalLines {
    /// When the job began.
    started: Instant,
    /// When the last line was printed.
    last: Instant,
    /// Lines about stages that ended while the job was short.
    held: Vec<String>,
}

impl TerminalLines {
    /// For a job that starts now.
    pub(super) fn new(now: Instant) -> Self {
        TerminalLines {
            started: now,
            last: now,
            held: Vec::new(),
        }
    }

    /// A stage has ended.
    pub(super) fn ended(&mut self, line: String) {
        // Printed by `due`: whether the job is a short one is not known yet.
        self.held.push(line);
    }

    /// Lines about stages that have ended, once the job is no short one.
    pub(super) fn due(&mut self, now: Instant) -> Vec<String> {
        if now - self.started < SHORT || self.held.is_empty() {
            return Vec::new();
        }
        self.last = now;
        std::mem::take(&mut self.held)
    }

    /// Whether it is time for a line about the stage under way; if so, it counts as printed.
    pub(super) fn is_time(&mut self, now: Instant, stage_began: Instant) -> bool {
        // Counted from the beginning of the stage too: a new stage is not reported on in its
        // first moment.
        let is_time = now.saturating_duration_since(self.last.max(stage_began)) >= EVERY;
        if is_time {
            self.last = now;
        }
        is_time
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(start: Instant, seconds: f64) -> Instant {
        start + Duration::from_secs_f64(seconds)
    }

    #[test]
    fn a_short_job_prints_nothing() {
        let start = Instant::now();
        let mut lines = TerminalLines::new(start);
        lines.ended("read".to_owned());
        lines.ended("join".to_owned());
        assert!(lines.due(after(start, 1.9)).is_empty());
        assert!(!lines.is_time(after(start, 1.9), start));
        assert_eq!(lines.due(after(start, 2.0)), ["read", "join"]);
        assert!(lines.due(after(start, 2.1)).is_empty());
    }

    #[test]
    fn a_long_stage_is_told_about_every_ten_seconds() {
        let start = Instant::now();
        let mut lines = TerminalLines::new(start);
        let mut times = Vec::new();
        for tenth in 0..350 {
            let now = after(start, f64::from(tenth) / 10.0);
            if lines.is_time(now, start) {
                times.push(tenth);
            }
        }
        assert_eq!(times, [100, 200, 300]);
    }

    #[test]
    fn the_time_begins_with_the_stage_and_with_every_line() {
        let start = Instant::now();
        let mut lines = TerminalLines::new(start);
        let began = after(start, 9.0);
        assert!(!lines.is_time(after(start, 18.9), began));
        lines.ended("read".to_owned());
        assert_eq!(lines.due(after(start, 18.9)), ["read"]);
        assert!(!lines.is_time(after(start, 28.0), began));
        assert!(lines.is_time(after(start, 29.0), began));
    }
}
