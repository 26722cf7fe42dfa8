//! What is known to be right, and how a result compares with it.
//!
//! A truth is a file of pairs, with or without labels (`table`, `file`), a file of groups, or
//! a field of the documents themselves (`field`). `relation` holds it, `compare` counts.
//! Documents are known here by 128-bit hashes of their ids.
//!
//! Of located passages the truth is a table (`passages`) or a folder of PAN (`pan`);
//! `located` puts it beside a result of `passages`, `texts` cuts the documents into sentences.
//!
//! A pair is counted as right when the truth has it, whatever its similarity. Two kinds of truth
//! must be kept apart. A whole truth lists all duplicates, so precision and recall can be counted
//! over all pairs. A sample (labels of people) lists some pairs, so only these count, and recall
//! is that of the sample.

mod compare;
mod field;
mod file;
mod located;
mod pan;
mod passages;
mod passing;
mod relation;
mod table;
mod texts;

pub use compare::{Comparison, Predicted, SampleCounts, compare, compare_sample};
pub use field::{CollectedIds, collect};
pub use file::{LabelRule, Truth, TruthFile, TruthOptions, read_truth};
pub use located::{Between, LeftOut, LocateOptions, Located, locate};
pub use passages::{PassageIds, PassageTruth, TrueRow, read_passages};
pub use relation::{Ids, Labelled, Partition, TruePairs};
pub use texts::{CutTexts, cut_texts};
