//! Whether options about words found anything to work on. A job that was given an option which
//! never had an effect says so at its end.

use std::sync::atomic::{AtomicBool, Ordering};

/// What options did to any document so far. Shared by all who read words by the same options.
#[derive(Debug, Default)]
pub struct WordEffect {
    stopped: AtomicBool,
    stemmed: AtomicBool,
    cut: AtomicBool,
}

impl WordEffect {
    /// A stop word was skipped.
    pub fn has_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// A word was cut to a stem that differs from it.
    pub fn has_stemmed(&self) -> bool {
        self.stemmed.load(Ordering::Relaxed)
    }

    /// Words were made otherwise than by the simple rule: a run of a script without spaces was cut by a
    /// dictionary, or words between spaces have more than letters and digits.
    pub fn has_cut(&self) -> bool {
        self.cut.load(Ordering::Relaxed)
    }

    pub(super) fn stop(&self) {
        mark(&self.stopped);
    }

    pub(super) fn stem(&self) {
        mark(&self.stemmed);
    }

    pub(super) fn cut(&self) {
        mark(&self.cut);
    }
}

/// Written once: threads that only read share the line in their caches.
fn mark(flag: &AtomicBool) {
    if !flag.load(Ordering::Relaxed) {
        flag.store(true, Ordering::Relaxed);
    }
}
