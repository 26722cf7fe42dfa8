//! The output folder: complete, or not there at all.
//!
//! A table is written once, row by row, in one of five formats (`jsonl`, `tsv`, `csv`, `xml`, `parquet`). All but
//! Parquet make the bytes of a row without knowing the rows before it (`row`), so other threads can make
//! rows. Bytes depend on the rows alone: no format has a time or a version in it but Parquet, which names
//! the program that wrote it.

mod csv;
mod filters;
mod find;
mod folder;
mod history;
mod jsonl;
mod lines;
mod manifest;
mod offsets;
mod parquet;
mod row;
mod rows_of;
pub mod table;
mod texts;
mod tsv;
mod xml;

pub use crate::tables::{OutputFormat, ResultKind};
pub use filters::{FILTERS, write_filters};
pub use find::{
    SHORT_DOCUMENTS, bad_record_rows, find_batches, short_documents, side,
    write_bad_records, write_short_documents, write_tables,
};
pub use folder::{
    BAD, OwnResult, REMOVED, RESULT, ResultFolder, beside, check_output_file,
};
pub use history::{history_batches, write_history};
pub(crate) use manifest::ResultManifest;
pub use offsets::Offsets;
pub use rows_of::RowsOf;
pub use texts::TextLog;

/// The antecedents of a result of spot signatures, as `antecedents` reads them.
pub const ANTECEDENTS: &str = "antecedents.txt";
