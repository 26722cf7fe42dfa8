//! The methods and the pipeline of neardupe: near-duplicate documents in collections of any
//! size, exactly.
//!
//! Two documents are near-duplicates when their feature sets (by default runs of five
//! words) resemble each other: Jaccard at or above a threshold. Every pair at or above it is
//! found and no pair below it is reported, up to collisions of 64-bit hashes (see [`hash`]).
//!
//! This crate is the inside of neardupe: `neardupe-jobs` is the library to use.
//! The modules stand in the order of the flow:
//!
//! 1. a [`document::Source`] gives records, which become documents;
//! 2. [`text`] cuts them into words, [`feature`] makes sets of 64-bit features, held by
//!    [`store`];
//! 3. [`candidate`] finds which sets can be similar, [`verify`] computes their overlap, and
//!    [`join`] puts both together;
//! 4. [`cluster`] chooses representatives, [`pipeline`] runs it all.
//!
//! [`synth`] makes collections with known near-duplicates; [`trec`] measures what near-duplicates
//! do to runs and qrels of search evaluation.
//!
//! The core prints nothing and reads no clock, flag or environment; only [`store`] touches
//! files. A job from end to end:
//!
//! ```
//! use neardupe_core::document::{MemorySource, Silent};
//! use neardupe_core::pipeline::{FindConfig, find};
//!
//! let pages = MemorySource::of_texts(["To be, or not to be.", "Something else.", "to be or not to
//! be"]); let result = find(&pages, &FindConfig::new("work".into()), &Silent)?;
//! assert_eq!(result.documents.id(result.duplicates[0].document)?, "memory:3");
//! # Ok::<(), neardupe_core::error::Error>(())
//! ```

pub mod error;
pub mod numbers;
pub mod ratio;
pub mod names;
pub mod threads;
pub mod hash;
pub mod threshold;
pub mod similarity;
pub mod value;
pub mod document;
pub mod store;
pub mod text;
pub mod feature;
pub mod frequency;
pub mod signature;
pub mod candidate;
pub mod verify;
pub mod pair;
pub mod join;
pub mod cluster;
pub mod passage;
pub mod pipeline;
pub mod eval;
pub mod synth;
pub mod trec;
