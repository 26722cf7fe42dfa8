//! Laws of the whole core, one program: every module is a subject.
#![allow(
    clippy::unwrap_used,
    reason = "a test program: whatever is not there is a failure"
)]

mod brute_force;
mod common;
mod compare_filters;
mod keep_exact;
mod layering;
mod methods;
mod passages;
mod resume;
mod resume_passages;
mod study;
