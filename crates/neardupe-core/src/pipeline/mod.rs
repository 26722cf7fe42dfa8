//! The job: stages in order, from a source to a result.
//!
//! `read` reads part by part, [`set_maker`] makes the feature set of a record, `collect` logs documents and
//! keeps each set once, [`documents`] gives them ids and numbers, `prepare` counts features and
//! selects the sets that can have a partner, [`mod@find`] joins and clusters, [`assemble`]
//! writes clusters of sets as clusters of documents. [`config`] is what was asked for,
//! [`result`] what came out. What does not fit in memory, and how far a job has come, is in
//! the work directory.

pub mod assemble;
mod banded;
mod claims;
pub mod codes;
mod collect;
mod common;
pub mod compare;
pub mod compare_filters;
pub mod config;
mod doc_log;
pub mod documents;
pub mod explain;
pub mod field_values;
pub mod find;
pub mod frequent;
pub mod history;
pub mod ids;
mod leveled;
pub mod method;
pub mod passages;
pub mod places;
mod prepare;
mod read;
pub mod recall;
pub mod result;
pub mod rows;
mod saved;
pub mod set_maker;
mod sets;
pub mod similar;
pub mod study;

pub use compare_filters::{CompareFilters, FilterComparison};
pub use config::{Against, ClusterMode, FindConfig, PairsMode};
pub use field_values::FieldValues;
pub use find::{find, find_in};
pub use ids::IdOrder;
pub use method::{Hamming, Method, MethodChoice, MethodPromise};
pub use passages::{PassagesConfig, PassagesResult, passages};
pub use result::{Cluster, Duplicate, FindResult, Rule, RuleCounts};
pub use sets::SetTable;
