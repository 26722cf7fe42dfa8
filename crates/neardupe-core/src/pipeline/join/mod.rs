//! Similar sets become duplicates, clusters and pairs of documents.

mod saved;
mod stage;

pub(super) use stage::join;
