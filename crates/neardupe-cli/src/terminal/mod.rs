//! Progress on standard error, and the clock: the core has neither.
//!
//! On a terminal it is a bar; elsewhere it is lines, few of them and none for short jobs,
//! so that a log can be read.
//!
//! Threads of a job only add to a counter. A thread of its own (`ticker`) looks at it ten times a second
//! and draws, so progress costs the work nothing, however often it is reported. Rates and remaining times
//! are made here (`pace`, `status`) from amounts alone: the core has no clock, so no result can depend on
//! the time.

mod bar;
mod board;
mod color;
mod display;
mod lines;
mod pace;
mod status;
mod ticker;
mod typed;
mod visible;

pub(crate) use color::{color, width};
pub(crate) use neardupe_jobs::numbers::{bytes, duration, grouped};
pub(crate) use typed::{resuming_command, typed_command};

pub(crate) use visible::{Visible, stderr, stdout, visible, visible_line};

use board::Board;
use display::Display;
pub(crate) use display::ProgressMode;
use neardupe_core::document::Progress;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;
use ticker::Ticker;

/// What the user wants to see, for all jobs of this process.
static MODE: OnceLock<ProgressMode> = OnceLock::new();

/// Sets what is shown of progress, once.
///
/// Called before the command runs; a second call changes nothing. It is one setting for the
/// process, because a process has one standard error.
pub(crate) fn show_progress(mode: ProgressMode) {
    let _ = MODE.set(mode);
}

/// Shows how far the stage at work is and keeps the time of each.
pub(crate) struct Stages {
    // Fields go in this order: the thread must end before the bar is cleared.
    _ticker: Option<Ticker>,
    shared: Arc<TerminalShared>,
}

/// What the thread that shows it needs, too.
struct TerminalShared {
    /// What is done of the stage under way. Threads of the job add to it without a lock.
    done: AtomicU64,
    /// What is shown. Only the ticker, messages and changes of stage take this lock.
    board: Mutex<Board>,
    /// Set by Ctrl-C; absent for jobs that cannot be stopped.
    interrupt: OnceLock<Arc<AtomicBool>>,
}

impl Stages {
    /// `quiet` shows no progress and prints no message.
    ///
    /// What was typed after `--progress` is stronger: `json` reports even of quiet jobs, since
    /// the program that asked for it reads it, and `none` silences all.
    pub(crate) fn new(quiet: bool) -> Self {
        let now = Instant::now();
        let mode = MODE.get().copied().unwrap_or_default();
        let quiet = match mode {
            ProgressMode::Auto => quiet,
            ProgressMode::None => true,
            ProgressMode::Json => false,
        };
        let display = match mode {
            _ if quiet => Display::Nothing,
            ProgressMode::Json => Display::Json(now),
            _ => Display::on_stderr(now),
        };
        let shared = Arc::new(TerminalShared {
            done: AtomicU64::new(0),
            board: Mutex::new(Board::new(now, display)),
            interrupt: OnceLock::new(),
        });
        let seen = Arc::clone(&shared);
        // Without anything to show there is no thread: a job with one thread then is a process with one.
        let ticker = if quiet {
            None
        } else {
            Ticker::start(move || seen.show())
        };
        Stages {
            _ticker: ticker,
            shared,
        }
    }

    /// The job must stop when this flag is set.
    pub(crate) fn stopped_by(self, interrupt: Arc<AtomicBool>) -> Self {
        // Only the first flag counts; there is one.
        let _ = self.shared.interrupt.set(interrupt);
        self
    }

    /// Ends the last stage; returns the seconds of each by name, and of all as `total`.
    ///
    /// The bar is cleared by then, so what is printed next begins on a line of its own.
    pub(crate) fn finish(self) -> BTreeMap<&'static str, f64> {
        let mut board = self.shared.board();
        let done = self.shared.done.load(Ordering::Relaxed);
        board.finish(done, Instant::now())
    }
}

impl TerminalShared {
    /// The board, also after a panic: progress must not be the reason why a job fails.
    fn board(&self) -> MutexGuard<'_, Board> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether Ctrl-C was pressed. Asked by every thread between blocks, so it costs one load.
    fn is_interrupted(&self) -> bool {
        let flag = self.interrupt.get();
        flag.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// Draws what is due; called by the ticker.
    fn show(&self) {
        let mut board = self.board();
        if self.is_interrupted() {
            board.interrupted();
        }
        let done = self.done.load(Ordering::Relaxed);
        board.show(done, Instant::now());
    }
}

impl Progress for Stages {
    fn begin(&self, stage: &'static str, total: u64) {
        let mut board = self.shared.board();
        // Under the lock, so that no amount is shown under the name of another stage.
        let done = self.shared.done.swap(0, Ordering::Relaxed);
        board.begin(stage, total, done, Instant::now());
    }

    fn advance(&self, amount: u64) {
        self.shared.done.fetch_add(amount, Ordering::Relaxed);
    }

    fn note(&self, message: &str) {
        self.shared.board().note(&crate::typed::rendered(message));
    }

    fn is_cancelled(&self) -> bool {
        self.shared.is_interrupted()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_stops_when_the_flag_is_set() {
        let flag = Arc::new(AtomicBool::new(false));
        let stages = Stages::new(true);
        assert!(!stages.is_cancelled());
        let stages = stages.stopped_by(Arc::clone(&flag));
        assert!(!stages.is_cancelled());
        flag.store(true, Ordering::Relaxed);
        assert!(stages.is_cancelled());
    }

    #[test]
    fn amounts_of_all_threads_count_for_the_stage_under_way() {
        let stages = Stages::new(true);
        stages.begin("read", 800);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..200).for_each(|_| stages.advance(1)));
            }
        });
        assert_eq!(stages.shared.done.load(Ordering::Relaxed), 800);
        stages.begin("join", 10);
        assert_eq!(stages.shared.done.load(Ordering::Relaxed), 0);
        let seconds = stages.finish();
        assert!(seconds.keys().eq(&["join", "read", "total"]));
    }

    #[test]
    fn the_thread_ends_with_the_object() {
        let stages = Stages::new(false);
        let shared = Arc::downgrade(&stages.shared);
        drop(stages);
        assert_eq!(shared.strong_count(), 0);
    }
}
