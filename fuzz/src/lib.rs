//! Fuzz targets: every parser, words, and what writes a collection again.
//!
//! [`targets`] lists them; [`run`] gives one damaged samples for as long as it is told.
//! `make test` runs each for a moment, `cargo run --release -p neardupe-fuzz` for longer.
//! See README.md.

mod damage;
mod evaluation;
mod record;
mod results;
mod targets;

pub use targets::{Target, targets};

use damage::{Random, damaged};
use std::time::{Duration, Instant};

/// What a run did.
#[derive(Debug, Clone, Copy)]
pub struct Report {
    /// Inputs tried.
    pub inputs: u64,
    /// Longest time for one of them.
    pub slowest: Duration,
}

/// Inputs no larger than these few hundred kilobytes must never take this long.
const TOO_LONG: Duration = Duration::from_secs(20);

/// Runs a target on damaged samples. The seed tells which: one that failed is tried again
/// by its seed alone.
#[expect(clippy::missing_panics_doc, reason = "a panic is what it is for")]
pub fn run(target: &Target, first_seed: u64, time: Duration) -> Report {
    let start = Instant::now();
    let mut report = Report {
        inputs: 0,
        slowest: Duration::ZERO,
    };
    for seed in first_seed.. {
        if start.elapsed() >= time {
            break;
        }
        let mut random = Random::new(seed);
        let sample = &target.samples[random.below(target.samples.len())];
        let bytes = damaged(sample, &mut random);
        let begun = Instant::now();
        let outcome = std::panic::catch_unwind(|| (target.check)(bytes));
        assert!(outcome.is_ok(), "{} fails with seed {seed}", target.name);
        report.slowest = report.slowest.max(begun.elapsed());
        assert!(
            report.slowest < TOO_LONG,
            "{} takes {:?} with seed {seed}",
            target.name,
            report.slowest
        );
        report.inputs += 1;
    }
    report
}
