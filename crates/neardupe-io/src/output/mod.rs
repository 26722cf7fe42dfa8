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

pub(crate) use folder::is_result;
pub use folder::{ResultFolder, beside};
pub use format::OutputFormat;
pub use summary::{Summary, TopCluster, TopMember};
pub use tables::write_tables;
pub use texts::TextLog;
