//! Results, truth, rewriting and quality on real files, one program: every module is a subject.
#![allow(
    clippy::unwrap_used,
    reason = "a test program: whatever is not there is a failure"
)]

#[path = "../../../neardupe-io/tests/it/carriers/mod.rs"]
mod carriers;
mod collisions;
mod labelled;
mod params;
mod passage_spans;
mod passages;
mod quality;
mod quality_common;
mod rethreshold;
mod rewrite;
mod study;
mod study_resume;
mod trec;
mod truth;
mod truth_passages;
