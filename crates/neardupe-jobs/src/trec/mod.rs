//! Runs, qrels, topics and near-duplicates from files, and the tables, figures and pages made of
//! them.
//!
//! `lines` cuts files into lines and keeps what is wrong with them; [`read_runs`],
//! [`read_qrels`], [`read_topics`] and `near` parse; [`NamedDocuments`] is a source that hands on only
//! the documents that a collection is needed for. Results go out as the CSV tables that
//! `neardupe_io::tables` declares, as run and qrels files (`write`), and as pages (`prevalence_page`,
//! `effect_page`).

mod effect_page;
mod lines;
mod near;
mod parallel;
mod prevalence_page;
mod qrels;
mod runs;
mod topics;
mod wanted;
mod write;

pub use effect_page::{effect_page, write_effect};
pub use lines::{BadLine, BadLines};
pub use near::{
    CollectionRead, NearFile, NearOrigin, near_of_collection, read_groups, read_pairs,
    read_result,
};
pub use parallel::in_parallel;
pub use prevalence_page::{PrevalenceTables, prevalence_page, write_prevalence};
pub use qrels::{QrelsFile, QrelsFormat, read_qrels};
pub use runs::{RunSet, read_runs};
pub use topics::{TopicTitle, read_topics};
pub use wanted::{NamedDocuments, Others};
pub use write::{WrittenTopic, write_qrels, write_run};

use neardupe_core::trec::Names;

/// Documents and topics by number.
#[derive(Debug, Default)]
pub struct Ids {
    /// Documents.
    pub documents: Names,
    /// Topics.
    pub topics: Names,
}
