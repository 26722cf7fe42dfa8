//! The kinds of jobs, one folder or file each. `find` is the one that most others build on: they read
//! documents as it does (`reading`, `stored`), or run it and do something with its answer (`dedup`,
//! `study`, `plan`).
//!
//! A new kind is a file here, a line in [`registry`](crate::registry) and a command of the command line.

pub mod compare;
pub mod dedup;
pub mod df_table;
pub mod eval;
pub mod explain;
pub mod features;
pub mod find;
pub mod history;
pub mod judge;
pub mod methods;
pub mod passages;
pub mod plan;
mod reading;
pub mod rethreshold;
pub mod similar;
pub mod sources;
pub mod stored;
pub mod study;
pub mod synth;
pub mod trec;
