//! The output folder: complete, or not there at all.

mod folder;
mod summary;
mod table;
mod tables;
mod texts;

pub use folder::ResultFolder;
pub(crate) use folder::is_result;
pub use summary::{Summary, TopCluster, TopMember};
pub use table::OutputFormat;
pub use tables::write_tables;
pub use texts::TextLog;
