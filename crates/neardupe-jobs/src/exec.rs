//! What a job is run with: progress, how the front speaks, how to go on with an interrupted job.
//!
//! Nothing here changes a result. So it is not part of a description, not recorded in a summary
//! and not part of the identity of a job.

use neardupe_core::document::Progress;
use neardupe_core::error::Result;
use neardupe_core::threads::with_threads;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Everything that a job needs besides its description, and that changes no result.
pub struct Exec<'a> {
    /// The threads that the job works with; None for a pool of its own. A pool that is given decides how many
    /// threads there are, whatever `threads` says: no result depends on it.
    pub pool: Option<&'a rayon::ThreadPool>,
    /// Shows how far the job is, and can stop it.
    pub progress: &'a dyn Progress,
    /// Go on with a job that was interrupted.
    pub resume: bool,
    /// Rewrites a message for the front: parameters between backquotes become flags, keywords or paths
    /// (see [`ParamStyle`](crate::param::ParamStyle)).
    pub words: fn(&str) -> String,
    /// What a user does to resume this job, for messages. The command line gives the command to type.
    pub how_to_resume: String,
}

impl<'a> Exec<'a> {
    /// A job from its beginning; messages name parameters as a configuration file does.
    pub fn new(progress: &'a dyn Progress) -> Self {
        Exec {
            pool: None,
            progress,
            resume: false,
            words: str::to_owned,
            how_to_resume: "the same job with `resume`".to_owned(),
        }
    }

    /// A message as the front writes it.
    pub fn render(&self, message: &str) -> String {
        (self.words)(message)
    }

    /// Runs the whole job in the pool of this context, or in one that is made for the job. A job that
    /// is part of another one (a trial of a study) runs in the pool of that one.
    pub fn install<T: Send>(
        &self,
        threads: usize,
        work: impl FnOnce() -> Result<T> + Send,
    ) -> Result<T> {
        match self.pool {
            Some(pool) => pool.install(work),
            None => with_threads(threads, work),
        }
    }

    /// Measures the time of stages from now on.
    pub fn stages(&self) -> Stages<'a> {
        Stages::new(self.progress)
    }
}

/// Time since the first call in this process. The core has no clock of its own and takes this one, as a
/// function, where it measures filters or trials: only differences mean anything.
pub fn clock() -> Duration {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

/// Passes progress on, and measures the time of each stage for the summary.
pub struct Stages<'a> {
    /// Shows progress on the terminal or elsewhere.
    inner: &'a dyn Progress,
    /// When the job began, for the total.
    began: Instant,
    /// Behind a lock, since progress is shared by threads.
    log: Mutex<Log>,
}

/// The time of the stages so far.
#[derive(Default)]
struct Log {
    /// Seconds by the name of a stage. A stage that comes twice has the sum of both.
    seconds: BTreeMap<String, f64>,
    /// The stage under way, and when it began.
    under_way: Option<(&'static str, Instant)>,
}

impl Log {
    /// Adds the stage under way to its seconds. Stages follow each other: none runs beside another one.
    fn end(&mut self, now: Instant) {
        if let Some((stage, began)) = self.under_way.take() {
            let seconds = self.seconds.entry(stage.to_owned()).or_insert(0.0);
            *seconds += (now - began).as_secs_f64();
        }
    }
}

impl<'a> Stages<'a> {
    /// Begins to measure.
    pub fn new(inner: &'a dyn Progress) -> Self {
        Stages {
            inner,
            began: Instant::now(),
            log: Mutex::default(),
        }
    }

    /// Ends the last stage; the seconds of each by name, and of all as `total`.
    pub fn seconds(&self) -> BTreeMap<String, f64> {
        let now = Instant::now();
        // After a panic elsewhere the log is still whole: each statement leaves it so.
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.end(now);
        let mut seconds = log.seconds.clone();
        seconds.insert("total".to_owned(), (now - self.began).as_secs_f64());
        seconds
    }
}

impl Progress for Stages<'_> {
    fn begin(&self, stage: &'static str, total: u64) {
        let now = Instant::now();
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.end(now);
        log.under_way = Some((stage, now));
        // Not while the lock is held: a front may take its time to draw, or ask for the seconds.
        drop(log);
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

#[cfg(test)]
mod tests {
    use super::*;
    use neardupe_core::document::Silent;

    #[test]
    fn each_stage_has_its_seconds_and_a_repeated_one_their_sum() {
        let exec = Exec::new(&Silent);
        let stages = exec.stages();
        stages.begin("read", 1);
        std::thread::sleep(Duration::from_millis(5));
        stages.begin("join", 1);
        stages.begin("read", 1);
        std::thread::sleep(Duration::from_millis(5));
        let seconds = stages.seconds();
        assert!(seconds.keys().eq(["join", "read", "total"]));
        assert!(seconds["read"] >= 0.01 && seconds["total"] >= seconds["read"]);
    }
}
