//! Our readers beside those of other crates.
#![allow(clippy::unwrap_used, reason = "a test program")]

mod html;
mod warc;
