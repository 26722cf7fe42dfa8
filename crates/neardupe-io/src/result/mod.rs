//! Reads a result back: the folder that `find` or `passages` wrote, in any of its formats, row by row.
//!
//! [`ResultReader::open`] takes the folder (or the output of `dedup`, which has one inside)
//! and reads `summary.json`; [`ResultReader::pairs`] and its sisters stream the tables. A
//! format is one file that turns bytes into raw rows; `rows` makes typed rows of them. What is
//! missing, foreign or damaged is an error that names the file and the line.

mod cell;
mod folder;
mod jsonl;
mod listed;
mod parquet;
mod passages;
mod rows;
mod summary;
mod tsv;
mod xml;

pub use folder::{ResultReader, ResultTable};
pub use listed::{ListedPair, read_listed_pairs};
pub use passages::{StoredCopy, StoredPassage};
pub use rows::{
    StoredCluster, StoredCode, StoredDocument, StoredDuplicate, StoredPair, StoredRow,
    StoredRows,
};
pub use summary::StoredSummary;
