//! Progress on the terminal, and the clock: the core has neither.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use neardupe_core::document::Progress;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Shows a bar for the stage at work and keeps the time of each.
pub(crate) struct Stages {
    bar: ProgressBar,
    started: Instant,
    stages: Mutex<Vec<(&'static str, Instant)>>,
}

impl Stages {
    /// `quiet` shows nothing; neither does a standard error that is no terminal.
    pub(crate) fn new(quiet: bool) -> Self {
        let target = if quiet {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        };
        let bar = ProgressBar::with_draw_target(Some(0), target);
        Stages {
            bar,
            started: Instant::now(),
            stages: Mutex::default(),
        }
    }

    /// A last stage that the core does not know of.
    pub(crate) fn finish(self) -> BTreeMap<&'static str, f64> {
        self.bar.finish_and_clear();
        let end = Instant::now();
        let stages = self
            .stages
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let ends = stages.iter().skip(1).map(|&(_, start)| start).chain([end]);
        let mut seconds = BTreeMap::new();
        for (&(stage, start), end) in stages.iter().zip(ends) {
            *seconds.entry(stage).or_insert(0.0) += (end - start).as_secs_f64();
        }
        seconds.insert("total", (end - self.started).as_secs_f64());
        seconds
    }
}

impl Progress for Stages {
    fn begin(&self, stage: &'static str, total: u64) {
        let mut stages = self.stages.lock().unwrap_or_else(PoisonError::into_inner);
        stages.push((stage, Instant::now()));
        let template = match stage {
            "read" => {
                "{msg:9} {bar:40} {bytes:>10} of {total_bytes} {bytes_per_sec:>12} {eta:>4}"
            }
            _ => "{msg:9} {bar:40} {percent:>3} %",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style.progress_chars("=> "));
        }
        self.bar.reset();
        self.bar.set_length(total);
        self.bar.set_message(stage);
    }

    fn advance(&self, amount: u64) {
        self.bar.inc(amount);
    }
}

/// A number with thousands set apart.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A number of bytes in a unit that reads well.
pub(crate) fn bytes(number: u64) -> String {
    let mut unit = "B";
    #[expect(clippy::cast_precision_loss, reason = "shown with one decimal")]
    let mut value = number as f64;
    for larger in ["kB", "MB", "GB", "TB"] {
        if value < 999.5 {
            break;
        }
        value /= 1000.0;
        unit = larger;
    }
    if unit == "B" {
        format!("{number} B")
    } else {
        format!("{value:.1} {unit}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(grouped(7), "7");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(bytes(812), "812 B");
        assert_eq!(bytes(2_195_877), "2.2 MB");
    }
}
