//! `history`: what became of documents from version to version, which should be indexed again first, and how
//! soon each should be visited again.

mod job;
mod run;

pub use job::{HistoryFactor, HistoryJob, HistorySpec};
pub use run::{HistoryId, HistoryOutcome, HistorySummary};
