//! The job: stages in order, from a source to a result.
//!
//! [`config`] is what was asked for, [`method`] which pairs are compared. [`features`] makes the feature set of a record,
//! `read` collects documents and distinct sets, `rank` counts features and selects the sets that can have a partner,
//! `join` finds similar ones and clusters them, [`assemble`] makes documents of sets again; [`result`] is what came out,
//! and [`mod@find`] runs it all. What does not fit in memory, and how far a job has come, is in the work directory.
//!
//! A folder or file uses only those above it in this list (`tests/it/layering.rs`):

pub mod method;
pub mod config;
pub mod features;
pub(crate) mod read;
mod rank;
pub mod compare_filters;
pub mod assemble;
mod join;
pub mod result;
pub mod find;
pub mod compare;
pub mod explain;
pub mod similar;
pub mod passages;
pub mod study;
pub mod history;

pub use assemble::field_values::FieldValues;
pub use assemble::{field_values, rows};
pub use compare_filters::FilterComparison;
pub use config::{Against, ClusterMode, CompareFilters, FindConfig, PairsMode};
pub use features::{codes, frequent, set_maker};
pub use find::{find, find_in};
pub use method::{Hamming, Method, MethodChoice, MethodPromise};
pub use passages::{PassagesConfig, PassagesResult, passages};
pub use rank::recall;
pub use read::ids::IdOrder;
pub use read::sets::SetTable;
use read::{claims, doc_log};
pub use read::{documents, ids};
pub use result::{Cluster, Duplicate, FindResult, Rule, RuleCounts};
