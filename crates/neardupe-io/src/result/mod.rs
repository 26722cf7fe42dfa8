//! Reads a result back: the folder that `find` or `passages` wrote, in any of its formats, row by row.
//!
//! [`ResultReader::open`] takes the folder (or the output of `dedup`, which has one inside)
//! and reads `summary.json`; [`ResultReader::pairs`] and its sisters stream the tables. A
//! format is one file that turns bytes into raw rows; `rows` makes typed rows of them, as
//! `tables` declares them. [`StoredTables`] gives record batches of any table of any result. What
//! is missing, foreign or damaged is an error that names the file and the line.

mod csv;
mod folder;
mod jsonl;
mod listed;
mod parquet;
mod reader;
mod rows;
mod stored_tables;
mod summary;
mod tsv;
mod xml;

pub use crate::tables::{
    StoredCluster, StoredCode, StoredCopy, StoredDocument, StoredDuplicate, StoredPair,
    StoredPassage, StoredRow,
};
pub use folder::{ResultReader, ResultTable};
pub use listed::{ListedPair, read_listed_pairs};
pub use rows::StoredRows;
pub use stored_tables::StoredTables;
pub use summary::StoredSummary;
