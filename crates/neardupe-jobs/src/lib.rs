//! Near-duplicate documents and copied passages in collections of any size: the library behind the program
//! `neardupe`, and what other fronts (Python, a service) are made of.
//!
//! Which texts repeat another one:
//!
//! ```
//! use neardupe_jobs::{FindSpec, MemorySource};
//!
//! let pages = MemorySource::of_texts(["To be, or not to be.", "Else.", "to be or not to be"]);
//! let found = FindSpec::default().find_in(&pages)?;
//! assert_eq!(found[0].duplicate, "memory:3");
//! # Ok::<(), neardupe_jobs::Error>(())
//! ```
//!
//! Everything that the program does is a job: parameters by name, a check, a run, a summary. The names
//! are those of the flags, and so are the values.
//!
//! ```
//! use neardupe_jobs::{Exec, Silent, job_kind};
//! # let folder = std::env::temp_dir().join(format!("neardupe-jobs-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder).unwrap();
//! # let docs = folder.join("docs.jsonl");
//! # std::fs::write(&docs, "{\"id\": 1, \"text\": \"a b\"}\n{\"id\": 2, \"text\": \"a b\"}\n").unwrap();
//! let options = serde_json::json!({
//!     "inputs": [docs],
//!     "threshold": 0.9,
//!     "output": folder.join("out"),
//! });
//! let find = job_kind("find")?;
//! let end = (find.run)(options.as_object().unwrap(), &Exec::new(&Silent))?;
//! assert_eq!(end.summary["counts"]["duplicates"], 1);
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok::<(), neardupe_jobs::Error>(())
//! ```
//!
//! The names that this page re-exports are meant for other programs and are stable. The modules are
//! internal and change with the program: parameters ([`param`], [`spec`]), kinds of jobs ([`kind`]),
//! and the parts of jobs, such as pages that show results ([`report`]), comparison with a known truth
//! ([`truth`]) and rewriting the input without its duplicates ([`rewrite`]).
//!
//! A module uses only modules that are declared above it; `tests/it/layering.rs` of the core holds this
//! order.

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

pub use exec::Exec;
pub use job::{Job, JobOutcome, JobSpec};
pub use kind::dedup::DedupSpec;
pub use kind::find::{FindSpec, FoundDuplicate};
pub use kind::passages::PassagesSpec;
pub use neardupe_core::document::{
    BadKind, MemoryDocument, MemoryRow, MemoryRows, MemorySource, Progress, Side, Silent,
    Source,
};
pub use neardupe_core::error::{Error, Result};
pub use neardupe_io::source::{ArrowRows, ArrowSource, FieldKeys, FileSource};
pub use param::Params;
pub use registry::{JOB_KINDS, JobEnd, JobKind, Options, job_kind};
