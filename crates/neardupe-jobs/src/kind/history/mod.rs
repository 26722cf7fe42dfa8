//! `history`: how documents changed from version to version, which should be indexed again first, and
//! how soon each should be visited again. Versions are compared by their simhashes, and a store of
//! codes stands for the texts of earlier runs.

mod job;
mod run;

pub use job::{HistoryFactor, HistoryJob, HistorySpec};
pub use run::{HistoryId, HistoryOutcome, HistorySummary};
