//! First stage: a source becomes documents with numbers and ids, and distinct feature sets.
//!
//! [`parts`] reads part by part, [`collect`] takes the records of one thread, [`claims`] knows which texts and sets
//! have been met, [`doc_log`] holds what is known of records; [`gather`] numbers the [`documents`] in the end, with
//! their [`sets`] and [`ids`].

pub(super) mod claims;
mod collect;
pub(super) mod doc_log;
pub mod documents;
pub(super) mod gather;
pub mod ids;
pub(super) mod parts;
pub(super) mod sets;
