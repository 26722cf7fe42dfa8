//! Where records come from: arguments become files, files become blocks, blocks become
//! records, in parallel.
//!
//! `discover` finds the files, `detect` tells their format and compression, `read`
//! shares the work among threads, `lines` cuts text into lines, `jsonl`, `csv`, `parquet`
//! and `plain_text` make documents.

mod csv;
mod detect;
mod discover;
mod entries;
mod fields;
mod jsonl;
mod lines;
mod parquet;
mod plain_text;
mod read;
mod reader;
mod stream;
#[cfg(test)]
mod testing;
mod values;
mod work;

pub use detect::InputFormat;
pub use discover::{InputFile, discover};
pub use fields::FieldKeys;
pub use read::{FileSource, ReadOptions};
