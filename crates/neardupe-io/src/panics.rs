//! Libraries that panic on damaged input instead of answering with an error.
//!
//! Two libraries are called in this way, for Parquet and for the main content of pages. A panic
//! unwinds up to here and becomes a bad record or a damaged file; data that the library was working
//! on is dropped and never used again.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local!(static INSIDE: Cell<bool> = const { Cell::new(false) });

/// Runs a part of a library on bytes that may be anything. None when it panicked.
pub fn guarded<T>(work: impl FnOnce() -> T) -> Option<T> {
    let before = INSIDE.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(work));
    INSIDE.set(before);
    outcome.ok()
}

/// Whether a panic of this thread would be caught and recorded as a fault of the input: a
/// program's panic hook need not speak of it.
pub fn is_guarded() -> bool {
    INSIDE.get()
}
