//! What is known to be right, and how a result compares with it.
//!
//! A truth is a file of pairs, with or without labels (`table`, `file`), a file of groups, or
//! a field of the documents themselves (`field`). `relation` holds it, `compare` counts.
//! Documents are known here by 128-bit hashes of their ids.

mod compare;
mod field;
mod file;
mod relation;
mod table;

pub use compare::{Comparison, Predicted, SampleCounts, compare, compare_sample};
pub use field::{Collected, collect};
pub use file::{LabelRule, Truth, TruthFile, TruthOptions, read_truth};
pub use relation::{Ids, Labelled, Partition, TruePairs};
