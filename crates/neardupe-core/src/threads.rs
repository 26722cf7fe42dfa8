//! Threads: a job has one pool, and everything it does at once is done there.
//!
//! Who calls from a thread of a pool has chosen it; then no other one is made. A service keeps one pool for all of
//! its jobs, and a program that runs one job makes one for it.

use crate::error::{Error, Result};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The threads that something is done with.
#[derive(Debug)]
pub enum Pool {
    /// Those of the caller.
    Callers,
    /// Its own.
    Own(rayon::ThreadPool),
}

impl Pool {
    /// The pool of the caller, or a new one with this many threads.
    pub fn here(threads: usize) -> Result<Self> {
        match rayon::current_thread_index() {
            Some(_) => Ok(Pool::Callers),
            None => pool(threads).map(Pool::Own),
        }
    }

    /// Does something in it.
    pub fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match self {
            Pool::Callers => work(),
            Pool::Own(pool) => pool.install(work),
        }
    }

    /// Begins something in it that this thread waits for at the end of `work`.
    pub fn in_place_scope<'scope, T>(
        &self,
        work: impl FnOnce(&rayon::Scope<'scope>) -> T,
    ) -> T {
        match self {
            Pool::Callers => rayon::in_place_scope(work),
            Pool::Own(pool) => pool.in_place_scope(work),
        }
    }
}

/// Does something in the pool of the caller, or in a new one with this many threads. No result depends on how
/// many they are.
pub fn with_threads<T: Send>(
    threads: usize,
    work: impl FnOnce() -> Result<T> + Send,
) -> Result<T> {
    Pool::here(threads)?.install(work)
}

/// A pool with this many threads.
pub fn pool(threads: usize) -> Result<rayon::ThreadPool> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| Error::Internal(format!("cannot start threads: {error}")))
}

/// Does `work` with each of some items, all at once as far as there are threads: those of the caller's pool, or new
/// ones.
///
/// In a pool this is a broadcast, not a scope: a thread that waits for something inside of `work`, such as a parallel
/// sort under a lock, must never begin with another item, which may want the same lock.
pub fn at_once<T: Send>(items: Vec<T>, work: impl Fn(T) + Sync) {
    if rayon::current_thread_index().is_none() {
        let work = &work;
        std::thread::scope(|scope| {
            for item in items {
                scope.spawn(move || work(item));
            }
        });
        return;
    }
    let items: Vec<Mutex<Option<T>>> = items
        .into_iter()
        .map(|item| Mutex::new(Some(item)))
        .collect();
    let next = AtomicUsize::new(0);
    rayon::broadcast(|_| {
        // There may be more items than threads.
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            let item = item.lock().ok().and_then(|mut item| item.take());
            if let Some(item) = item {
                work(item);
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum_of(items: Vec<u64>) -> u64 {
        let sum = Mutex::new(0);
        at_once(items, |item| *sum.lock().unwrap() += item);
        sum.into_inner().unwrap()
    }

    #[test]
    fn every_item_is_worked_on_once_with_and_without_a_pool() {
        for threads in [1, 2, 5] {
            let in_pool = with_threads(threads, || Ok(sum_of((1..=100).collect())));
            assert_eq!(in_pool.unwrap(), 5050);
        }
        assert_eq!(sum_of((1..=7).collect()), 28);
    }

    #[test]
    fn a_job_in_a_pool_makes_no_other() {
        let outer = pool(3).unwrap();
        let threads =
            outer.install(|| with_threads(1, || Ok(rayon::current_num_threads())));
        assert_eq!(threads.unwrap(), 3);
    }
}
