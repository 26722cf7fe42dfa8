//! The output folder: complete, or not there at all.

mod filters;
mod folder;
mod format;
mod history;
mod jsonl;
mod lines;
mod parquet;
mod passages;
pub mod row;
mod short;
pub mod table;
pub mod tables;
mod texts;
mod tsv;
mod xml;

pub use filters::{FILTERS, write_filters};
pub(crate) use folder::is_result;
pub use folder::{BAD, OwnResult, REMOVED, RESULT, ResultFolder, ResultKind, beside};
pub use format::OutputFormat;
pub use history::write_history;
pub use passages::{Offsets, copies_schema, passage_pairs_schema, passages_schema};
pub use short::{SHORT_DOCUMENTS, short_documents, write_short_documents};
pub use tables::{side, write_tables};
pub use texts::TextLog;

/// The antecedents of a result of spot signatures, as `antecedents` reads them.
pub const ANTECEDENTS: &str = "antecedents.txt";
