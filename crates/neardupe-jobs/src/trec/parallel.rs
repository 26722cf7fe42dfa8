//! Work shared by threads, its results in order.
//!
//! Files are taken one by one by whichever thread is free; results come back by number, so
//! nothing depends on timing.

use neardupe_core::threads::at_once;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Does `work` for each number below `number`, by up to `threads` threads; the results are in the
/// order of the numbers.
pub fn in_parallel<T: Send>(
    threads: usize,
    number: usize,
    work: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, T)>> = Mutex::new(Vec::with_capacity(number));
    at_once(vec![(); threads.clamp(1, number.max(1))], |()| {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= number {
                break;
            }
            let result = work(at);
            if let Ok(mut done) = done.lock() {
                done.push((at, result));
            }
        }
    });
    let mut done = done
        .into_inner()
        .unwrap_or_else(|broken| broken.into_inner());
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}
