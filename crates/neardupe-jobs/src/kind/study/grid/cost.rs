//! What a job costs: its time, and the time of the processor.
//!
//! The times of stages are taken from the progress that a job reports. Comparing means everything
//! between reading and assembling, so methods can be compared on one input whose reading takes
//! most of the time. Processor time is that of the whole process, with all threads.

use crate::report::PageTable;
use neardupe_core::document::Progress;
use serde::{Deserialize, Serialize};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Stages that read, count and number, whatever is compared; the others compare.
const NOT_COMPARING: [&str; 6] =
    ["read", "words", "add up", "links", "gather", "assemble"];

/// The cost of one job.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct StudyCost {
    /// By the clock.
    pub(super) seconds: f64,
    /// Of the processor, all threads together; none where the system does not say.
    pub(super) cpu_seconds: Option<f64>,
    /// By the clock, from features or sentences to pairs: without reading.
    pub(super) compare_seconds: f64,
}

impl StudyCost {
    /// Names of its columns on a page.
    pub(super) const HEAD: [&'static str; 3] =
        ["seconds of comparing", "seconds", "CPU seconds"];

    /// Its columns on a page.
    pub(super) fn texts(&self) -> [String; 3] {
        let cpu = self.cpu_seconds.map(|cpu| format!("{cpu:.2}"));
        [
            format!("{:.2}", self.compare_seconds),
            format!("{:.2}", self.seconds),
            cpu.unwrap_or_default(),
        ]
    }

    /// What each of some settings costs, by name.
    pub(super) fn table<'a>(
        title: &str,
        setting: &str,
        rows: impl Iterator<Item = (String, &'a StudyCost)>,
    ) -> PageTable {
        let head = [setting].into_iter().chain(StudyCost::HEAD);
        let row = |(name, cost): (String, &StudyCost)| {
            [name].into_iter().chain(cost.texts()).collect()
        };
        PageTable {
            title: title.to_owned(),
            head: head.map(str::to_owned).collect(),
            rows: rows.map(row).collect(),
        }
    }
}

/// Passes on what a job says, and notes when its stages begin.
pub(super) struct StudyWatch<'a> {
    /// The progress of the study, which goes on showing the stages.
    inner: &'a dyn Progress,
    /// When the job began.
    began: Instant,
    /// Time of the processor at that moment.
    cpu_began: Option<f64>,
    /// Stages in the order in which they began, and when.
    stages: Mutex<Vec<(&'static str, Instant)>>,
}

impl<'a> StudyWatch<'a> {
    /// A job begins.
    pub(super) fn new(inner: &'a dyn Progress) -> Self {
        StudyWatch {
            inner,
            began: Instant::now(),
            cpu_began: cpu_seconds(),
            stages: Mutex::new(Vec::new()),
        }
    }

    /// What the job cost until now.
    pub(super) fn cost(&self) -> StudyCost {
        let now = Instant::now();
        let stages = self.stages.lock().unwrap_or_else(PoisonError::into_inner);
        // A stage ends when the next one begins, the last one now.
        let ends = stages.iter().skip(1).map(|&(_, began)| began);
        let ended = stages.iter().zip(ends.chain([now]));
        let compared = ended.filter(|((stage, _), _)| !NOT_COMPARING.contains(stage));
        let cpu = cpu_seconds().zip(self.cpu_began);
        StudyCost {
            seconds: (now - self.began).as_secs_f64(),
            cpu_seconds: cpu.map(|(now, began)| now - began),
            compare_seconds: compared
                .map(|((_, began), end)| (end - *began).as_secs_f64())
                // Not `sum`, which begins at -0.0: a study without such a stage would print
                // `-0.00`.
                .fold(0.0, |sum, seconds| sum + seconds),
        }
    }
}

impl Progress for StudyWatch<'_> {
    fn begin(&self, stage: &'static str, total: u64) {
        let mut stages = self.stages.lock().unwrap_or_else(PoisonError::into_inner);
        stages.push((stage, Instant::now()));
        drop(stages);
        self.inner.begin(stage, total);
    }

    fn advance(&self, amount: u64) {
        self.inner.advance(amount);
    }

    fn note(&self, message: &str) {
        self.inner.note(message);
    }

    fn is_cancelled(&self) -> bool {
        self.inner.is_cancelled()
    }
}

/// Time of the processor that this process has taken.
#[cfg(unix)]
fn cpu_seconds() -> Option<f64> {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Some(time.tv_sec as f64 + time.tv_nsec as f64 / 1e9)
}

#[cfg(not(unix))]
fn cpu_seconds() -> Option<f64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use neardupe_core::document::Silent;
    use std::time::Duration;

    #[test]
    fn comparing_is_part_of_the_time_of_the_job() {
        let watch = StudyWatch::new(&Silent);
        watch.begin("read", 0);
        watch.begin("join", 0);
        std::thread::sleep(Duration::from_millis(20));
        watch.begin("assemble", 0);
        std::thread::sleep(Duration::from_millis(20));
        let cost = watch.cost();
        assert!(cost.compare_seconds >= 0.02, "{cost:?}");
        assert!(cost.seconds >= cost.compare_seconds + 0.02, "{cost:?}");
    }
}
