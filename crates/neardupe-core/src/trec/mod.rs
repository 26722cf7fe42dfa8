//! Near-duplicates in search evaluation: how many results of runs are near-duplicates, runs and
//! qrels without them, and what they do to measures and to the order of systems.
//!
//! After H. Khoshdel Nikkhoo, *The Impact of Near-Duplicate Documents on Information Retrieval
//! Evaluation* (Waterloo 2010, chapters 3 and 4), and Fröbe, Bittner, Potthast, Hagen, *The
//! Effect of Content-Equivalent Near-Duplicates on the Evaluation of Search Engines* (ECIR 2020).
//!
//! Documents and topics are numbers given by [`Names`]. A [`Run`] has ranked documents for each
//! topic, [`Qrels`] the labels that assessors gave; [`Near`] says which documents are
//! near-duplicates, as groups or as pairs with a similarity. [`prevalence`] counts,
//! [`dedup_topic`], [`drop_near`] and [`propagate`] clean, a [`Measure`] scores, and [`effect`]
//! compares scores before and after. Nothing here reads a file.

mod correlation;
mod dedup_run;
mod diversity;
mod effect;
mod graded;
mod judgments;
mod measure;
mod names;
mod near;
mod prevalence;
mod qrels;
mod run;
mod shares;
mod significance;
mod together;

pub use correlation::{kendall_tau, tau_ap};
pub use dedup_run::{DedupOptions, DedupTopic, Removed, decreasing_scores, dedup_topic};
pub use effect::{
    Effect, EffectConfig, EffectRow, Policy, PolicyMeasure, effect, run_scores,
};
pub use judgments::{Disagreement, Propagated, drop_near, inconsistent, propagate};
pub use measure::{Ideal, Measure, Topic, TopicScores};
pub use names::{Names, topic_order};
pub use near::{Groups, Near, PairList, SIMILARITY_ONE};
pub use prevalence::{
    Count, PrevalenceConfig, RunTopicCounts, SetCounts, prevalence, set_prevalence,
};
pub use qrels::{Judgment, Qrels, QrelsTopic};
pub use run::{Run, RunLine, RunTopic, Scored};
pub use shares::{SHARE_ROWS, ShareTable};
pub use significance::{PairedTest, paired_t_test};
pub use together::Together;

use crate::error::Result;

/// Does something with this many threads at most. Nothing here depends on how many they are.
pub fn with_threads<T: Send>(
    threads: usize,
    work: impl FnOnce() -> T + Send,
) -> Result<T> {
    crate::threads::with_threads(threads, || Ok(work()))
}
