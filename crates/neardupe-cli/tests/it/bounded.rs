//! Jobs that are ended by force, run out of room or find their work damaged: whatever
//! happens, the result is the one of a job that nothing happens to, or there is none and the
//! message says why.
//!
//! The program is killed for real. Where it is killed depends on the clock, so no test says
//! how far it must have come: where that matters the work directory is watched, and a job
//! that was too fast is started again. Every wait has a limit.
//!
//! `make test-long` runs the same with a large collection and the program as released.
#![cfg(unix)]
#![allow(clippy::print_stderr, reason = "seeds and skipped tests are told")]

mod arguments;
mod damage;
mod disk_full;
mod interrupt;
mod kill;
mod long;
mod memory;
mod methods;
mod moments;
mod passages;
mod place;
mod repeat;
mod running;
mod two_jobs;

/// A small deterministic source of numbers.
struct Numbers(u64);

impl Numbers {
    /// Numbers that are the same in every run, unless `KILL_SEED` asks for others.
    fn seeded(seed: u64) -> Self {
        let asked = std::env::var("KILL_SEED").ok();
        let seed = asked.and_then(|seed| seed.parse().ok()).unwrap_or(seed);
        eprintln!("KILL_SEED={seed}");
        Numbers(seed)
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }
}
