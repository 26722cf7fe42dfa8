//! What is said about a stage, as text.
//!
//! Unknown facts are left out and not shown as zero: a stage without a total has no percentage, one
//! that has just begun has no rate. The remaining time is that of the stage, since nobody knows how
//! long the next one takes.

use neardupe_jobs::numbers::{bytes, duration, grouped, whole};
use std::time::Instant;

/// A remaining time beyond this is a guess that helps nobody: a thousand hours.
const FAR: f64 = 3.6e6;

/// How far a stage is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Status {
    /// Its name.
    pub(super) stage: &'static str,
    /// When it began first.
    pub(super) began: Instant,
    /// How much of it is done.
    pub(super) done: u64,
    /// How much there is, 0 when not known.
    pub(super) total: u64,
    /// How long it has lasted.
    pub(super) seconds: f64,
    /// What is done in a second at present, when known.
    pub(super) per_second: Option<f64>,
}

impl Status {
    /// A line for a stage under way.
    pub(super) fn under_way(&self) -> String {
        self.line(&self.facts())
    }

    /// The same for a program.
    pub(super) fn json(&self, event: &str) -> serde_json::Value {
        serde_json::json!({
            "event": event,
            "stage": self.stage,
            "done": self.done,
            "total": (self.total > 0).then_some(self.total),
            "seconds": self.seconds,
        })
    }

    /// A line for a stage that has ended.
    pub(super) fn ended(&self) -> String {
        let took = if self.seconds < 59.95 {
            format!("{:.1} s", self.seconds)
        } else {
            duration(self.seconds)
        };
        if self.done == 0 {
            return self.line(&took);
        }
        #[expect(clippy::cast_precision_loss, reason = "shown with one decimal")]
        let rate = self.rate(self.done as f64 / self.seconds.max(1e-3));
        self.line(&format!("{} in {took}, {rate}", self.amount(self.done)))
    }

    /// Done of total, rate and time left, as far as known.
    ///
    /// In this order, so that the amount stays in its place when rate and time left come and
    /// go.
    pub(super) fn facts(&self) -> String {
        let mut facts = Vec::new();
        match (self.total, self.done) {
            (0, 0) => {}
            (0, done) => facts.push(format!("{} so far", self.amount(done))),
            (total, done) if self.in_bytes() => facts.push(format!(
                "{} of {} ({} %)",
                bytes(done),
                bytes(total),
                self.percent()
            )),
            // What else is counted (features, twice over) says little in itself.
            _ => facts.push(format!("{} %", self.percent())),
        }
        match self.per_second {
            Some(rate) => {
                facts.push(self.rate(rate));
                facts.extend(self.left(rate));
            }
            None => facts.push(format!("{} so far", duration(self.seconds))),
        }
        facts.join(", ")
    }

    /// The remaining time by the present rate; none where it would be a guess.
    fn left(&self, per_second: f64) -> Option<String> {
        let left = self.total.checked_sub(self.done)?;
        #[expect(clippy::cast_precision_loss, reason = "shown in seconds")]
        let seconds = left as f64 / per_second;
        // Files may grow while they are read; then there is nothing left although the stage goes on.
        (left > 0 && seconds < FAR).then(|| format!("{} left", duration(seconds)))
    }

    /// Rounded down, so that 100 % means done.
    fn percent(&self) -> u128 {
        (u128::from(self.done) * 100 / u128::from(self.total.max(1))).min(100)
    }

    /// An amount in the unit of the stage: bytes, or plain numbers.
    fn amount(&self, number: u64) -> String {
        if self.in_bytes() {
            bytes(number)
        } else {
            grouped(number)
        }
    }

    /// A rate; slow ones with a decimal, since "0/s" would look like a stop.
    fn rate(&self, per_second: f64) -> String {
        if self.in_bytes() || per_second >= 9.95 {
            format!("{}/s", self.amount(whole(per_second)))
        } else {
            format!("{per_second:.1}/s")
        }
    }

    /// Whether the stage counts bytes. All others count documents, features or the like.
    fn in_bytes(&self) -> bool {
        matches!(self.stage, "read" | "rewrite" | "words")
    }

    /// The name of the stage in a column of its own, and what is said of it.
    fn line(&self, facts: &str) -> String {
        format!("{:<9} {facts}", self.stage)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(stage: &'static str, done: u64, total: u64, seconds: f64) -> Status {
        Status {
            stage,
            began: Instant::now(),
            done,
            total,
            seconds,
            per_second: None,
        }
    }

    fn at(status: Status, per_second: f64) -> Status {
        Status {
            per_second: Some(per_second),
            ..status
        }
    }

    #[test]
    fn an_end_is_told_with_amount_time_and_rate() {
        let cases = [
            (
                status("read", 429_020_000, 429_020_000, 1.9),
                "read      429.0 MB in 1.9 s, 225.8 MB/s",
            ),
            (
                status("count", 1_500_000, 2_000_000, 150.0),
                "count     1,500,000 in 2 min 30 s, 10,000/s",
            ),
            (status("verify", 9, 0, 30.0), "verify    9 in 30.0 s, 0.3/s"),
            (status("join", 0, 100, 3.21), "join      3.2 s"),
            (status("write", 0, 0, 59.97), "write     1 min"),
        ];
        for (status, expected) in cases {
            assert_eq!(status.ended(), expected);
        }
    }

    #[test]
    fn a_stage_of_no_time_has_a_rate() {
        let text = status("select", 7, 7, 0.0).ended();
        assert_eq!(text, "select    7 in 0.0 s, 7,000/s");
    }

    #[test]
    fn under_way_are_told_done_of_total_rate_and_rest() {
        let cases = [
            (
                at(
                    status("read", 1_200_000_000, 4_000_000_000, 10.2),
                    118_000_000.0,
                ),
                "read      1.2 GB of 4.0 GB (30 %), 118.0 MB/s, 24 s left",
            ),
            (
                at(status("join", 3_000, 10_000, 10.0), 12.6),
                "join      30 %, 13/s, 9 min 16 s left",
            ),
            (
                at(status("join", 9_999, 10_000, 10.0), 0.5),
                "join      99 %, 0.5/s, 2 s left",
            ),
        ];
        for (status, expected) in cases {
            assert_eq!(status.under_way(), expected);
        }
    }

    #[test]
    fn what_is_not_known_is_left_out() {
        let cases = [
            (status("join", 0, 100, 24.0), "join      0 %, 24 s so far"),
            (status("write", 0, 0, 24.0), "write     24 s so far"),
            (
                at(status("write", 12_345, 0, 10.0), 1_000.0),
                "write     12,345 so far, 1,000/s",
            ),
            (
                at(status("read", 2_000_000, 0, 10.0), 200_000.0),
                "read      2.0 MB so far, 200.0 kB/s",
            ),
            (
                status("read", 0, 5_000, 11.0),
                "read      0 B of 5.0 kB (0 %), 11 s so far",
            ),
            // Files that grew.
            (
                at(status("read", 6_000, 5_000, 11.0), 100.0),
                "read      6.0 kB of 5.0 kB (100 %), 100 B/s",
            ),
            // Nearly stopped.
            (
                at(status("join", 5, 100, 900.0), 1e-9),
                "join      5 %, 0.0/s",
            ),
        ];
        for (status, expected) in cases {
            assert_eq!(status.under_way(), expected);
        }
    }

    #[test]
    fn large_numbers_do_not_overflow() {
        let text = at(status("join", u64::MAX / 2, u64::MAX, 1.0), 1e18).under_way();
        assert_eq!(
            text,
            "join      49 %, 1,000,000,000,000,000,000/s, 9 s left"
        );
    }
}
