//! The program as its users start it, one test program: every module is a subject.
#![allow(
    clippy::unwrap_used,
    reason = "a test program: whatever is not there is a failure"
)]

mod bad_input;
mod bounded;
mod cases;
mod dedup;
mod features;
mod inputs;
mod judge_terminal;
mod keep;
mod keep_work;
mod lines;
mod methods;
mod plan;
mod report;
#[cfg(unix)]
mod signals;
mod study_grid;
mod terminal;
mod walks;
