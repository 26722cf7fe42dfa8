//! `passages`: every stretch of text that two documents have in common, located in both. Two methods:
//! common stretches of words that grow from seeds, and diagonals of matching sentences (`sentences`, as
//! published). It reads as `find` does, with a job of `find` that compares nothing.

mod in_process;
mod job;
mod run;
mod sentences;
mod spec;
mod summary;
pub(crate) mod templates;

pub use in_process::{PassagesSearched, passages_for};
pub use job::PassagesJob;
pub use run::{LongPassage, PassagesOutcome};
pub use sentences::{PassagesPreset, SentenceSearch, SignatureChoice};
pub use spec::PassagesSpec;
pub use summary::{PassagesLedger, PassagesNumbers, PassagesSummary};
