//! The output folder: complete, or not there at all.

mod dedup;
mod filters;
mod folder;
mod format;
mod history;
mod jsonl;
mod lines;
mod parquet;
mod passage_files;
pub(crate) mod passages;
mod removed_passages;
pub(crate) mod row;
mod short;
mod summary;
pub(crate) mod table;
pub(crate) mod tables;
mod texts;
mod tsv;
mod xml;

pub(crate) use dedup::{RecordPlaces, RemovedRow, write_files, write_removed};
pub use filters::{FILTERS, write_filters};
pub(crate) use folder::is_result;
pub use folder::{OwnResult, RESULT, ResultFolder, ResultKind, beside};
pub use format::OutputFormat;
pub use history::write_history;
pub use passage_files::{OtherForm, write_other_form};
pub use passages::{Offsets, PassageCounts, write_passages};
pub use removed_passages::write_removed_passages;
pub use short::{SHORT_DOCUMENTS, short_documents, write_short_documents};
pub(crate) use summary::largest_clusters;
pub use summary::{
    CurvePoint, IMatchSummary, MethodSummary, SIGNATURE_FILTER, SimhashSummary,
    SpotSummary, Summary, TopCluster, TopMember,
};
pub(crate) use tables::side;
pub use tables::write_tables;
pub use texts::TextLog;

/// The antecedents of a result of spot signatures, as `--antecedents` reads them.
pub const ANTECEDENTS: &str = "antecedents.txt";
