//! A thread that looks at the progress now and then, so that those who work need not.
//!
//! It sleeps on a channel that nothing is sent through. Dropping the sender wakes it at once, so a
//! job never waits for the rest of a tick before it ends.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

/// Often enough for a bar that moves.
const EVERY: Duration = Duration::from_millis(100);

/// Calls a function again and again until it is dropped.
pub(super) struct Ticker {
    /// Dropping it ends the thread. Nothing is ever sent.
    alive: Option<Sender<()>>,
    /// Joined on drop, so that nothing is drawn after that.
    thread: Option<JoinHandle<()>>,
}

impl Ticker {
    /// Starts to call. None when the system has no thread left: progress is then not
    /// shown, which is no reason to fail.
    pub(super) fn start(tick: impl Fn() + Send + 'static) -> Option<Self> {
        let (alive, ended) = channel::<()>();
        let run = move || {
            // Waiting for a message that never comes is a sleep that can be cut short.
            while ended.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
                tick();
            }
        };
        // `?`: without a thread there is no progress to see, and the job runs as well.
        let thread = Builder::new().name("progress".to_owned()).spawn(run).ok()?;
        Some(Ticker {
            alive: Some(alive),
            thread: Some(thread),
        })
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        // The thread wakes at once when nobody can send any more.
        self.alive = None;
        if let Some(thread) = self.thread.take() {
            // It ended by a panic: that was printed when it happened.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn it_ticks_until_it_is_dropped() {
        let ticks = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&ticks);
        let ticker = Ticker::start(move || {
            counted.fetch_add(1, Ordering::Relaxed);
        });
        while ticks.load(Ordering::Relaxed) < 2 {
            std::thread::yield_now();
        }
        drop(ticker);
        // The function is gone, and so is what it held.
        assert_eq!(Arc::strong_count(&ticks), 1);
    }
}
