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
mod judge_terminal;
mod keep;
mod keep_work;
mod lines;
mod methods;
mod plan;
mod report;
mod study_grid;
mod walks;
