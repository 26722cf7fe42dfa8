//! Slow twins from elsewhere: what well-known crates make of the input that our own readers
//! read. The crates stand in this package alone, so that no other test builds them.
#![allow(
    clippy::unwrap_used,
    reason = "helpers of tests: a failed step fails the test"
)]

pub mod html;
pub mod warc;

#[path = "../../../crates/neardupe-io/tests/it/html_common/mod.rs"]
#[allow(dead_code, reason = "the tests of neardupe-io use the rest")]
mod html_common;

pub use html_common::{cpu_time, extract, pages, say};
