//! Formats, extraction, results and quality on real files, one program: every module is a subject.
#![allow(
    clippy::unwrap_used,
    reason = "a test program: whatever is not there is a failure"
)]

mod carriers;
mod every_format;
mod html_common;
mod html_hostile;
mod html_main;
mod html_manuals;
mod output_formats;
mod parts;
mod result_reader;
mod same_in_every_format;
mod table_docs;
