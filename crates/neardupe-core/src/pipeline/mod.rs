//! The job: stages in order, from a source to a result.
//!
//! [`collect`] turns records into documents and feature sets, [`documents`] gives them ids
//! and numbers, [`prepare`] counts features and selects the sets that can have a partner,
//! [`mod@find`] joins and clusters, [`assemble`] writes clusters of sets as clusters of
//! documents. [`config`] is what was asked for, [`result`] what came out.

pub mod assemble;
pub mod collect;
pub mod config;
pub mod documents;
pub mod find;
pub mod prepare;
pub mod result;

pub use config::{ClusterMode, FindConfig, PairsMode};
pub use find::find;
pub use result::{Cluster, Duplicate, FindResult, Rule};
