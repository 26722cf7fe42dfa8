//! Formats, extraction, results and quality on real files, one program: every module is a subject.
#![allow(
    clippy::unwrap_used,
    reason = "a test program: whatever is not there is a failure"
)]

mod carriers;
mod html_common;
mod html_hostile;
mod html_main;
mod html_manuals;
mod labelled;
mod output_formats;
mod parts;
mod passage_spans;
mod passages;
mod quality;
mod quality_common;
mod result_reader;
mod rethreshold;
mod rewrite;
mod same_in_every_format;
mod trec;
mod truth;
mod truth_passages;
