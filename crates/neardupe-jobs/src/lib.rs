//! Everything that can be done with a collection, as jobs: what a front asks for, and what it gets.
//!
//! A job is described by parameters ([`param`], [`spec`]), each declared once; a description is validated into a
//! job that cannot be wrong, and a job is run with an [`exec::Exec`] ([`kind`]). The other modules are what jobs are
//! made of: results as pages ([`report`]), compared with what is known to be right ([`truth`]), written again without
//! duplicates ([`rewrite`]).
//!
//! ```
//! use neardupe_core::document::Silent;
//! use neardupe_jobs::exec::Exec;
//! use neardupe_jobs::kind::find::FindSpec;
//! use neardupe_jobs::param::Params;
//! # fn main() -> neardupe_core::error::Result<()> {
//! # let folder = std::env::temp_dir().join(format!("neardupe-jobs-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder).unwrap();
//! # let docs = folder.join("docs.jsonl");
//! # std::fs::write(&docs, "{\"id\": 1, \"text\": \"a b\"}\n{\"id\": 2, \"text\": \"a b\"}\n").unwrap();
//! let options = serde_json::json!({
//!     "inputs": [docs],
//!     "threshold": 0.9,
//!     "output": folder.join("out"),
//! });
//! let spec = FindSpec::from_map(options.as_object().unwrap(), "find")?;
//! let outcome = spec.validate()?.run(&Exec::new(&Silent))?;
//! assert_eq!(outcome.summary.counts.duplicates, 1);
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok(())
//! # }
//! ```
//!
//! A module uses only modules that stand above it.

pub mod numbers;
mod phrases;
pub mod system;
pub mod param;
pub mod exec;
pub mod job;
pub mod spec;
pub mod diff;
pub mod causes;
pub mod passage_tables;
pub mod rewrite;
pub mod summary;
pub mod report;
pub mod history_store;
pub mod rethreshold;
pub mod study;
pub mod trec;
pub mod truth;
pub mod kind;
pub mod registry;
