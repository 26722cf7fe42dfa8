//! The output folder: complete, or not there at all.

mod folder;
mod format;
mod jsonl;
mod parquet;
mod row;
mod summary;
mod table;
mod tables;
mod texts;
mod tsv;
mod xml;

pub use folder::ResultFolder;
pub(crate) use folder::is_result;
pub use format::OutputFormat;
pub use summary::{Summary, TopCluster, TopMember};
pub use tables::write_tables;
pub use texts::TextLog;
