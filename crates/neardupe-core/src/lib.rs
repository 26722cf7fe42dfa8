//! The methods and the pipeline of neardupe: near-duplicate documents in collections of any
//! size, exactly.
//!
//! Two documents are near-duplicates when their feature sets (by default runs of five
//! words) resemble each other: Jaccard at or above a threshold. Every pair at or above it is
//! found and no pair below it is reported, up to collisions of 64-bit hashes (see [`hash`]).
//!
//! The modules stand in the order of the flow:
//!
//! 1. a [`document::Source`] gives records, which become documents;
//! 2. [`text`] cuts them into words, [`feature`] makes sets of 64-bit features, held by
//!    [`store`];
//! 3. [`candidate`] finds which sets can be similar, [`verify`] computes their overlap, and
//!    [`join`] puts both together;
//! 4. [`cluster`] chooses representatives, [`pipeline`] runs it all.
//!
//! [`synth`] makes collections with known near-duplicates; [`trec`] tells what near-duplicates do to
//! runs and qrels of search evaluation.
//!
//! The core prints nothing and reads no clock, flag or environment; only [`store`] touches
//! files. A job from end to end:
//!
//! ```
//! use neardupe_core::document::{
//!     BlockRead, Origin, PartRead, Position, Progress, Record, Silent, Sink, Source,
//! };
//! use neardupe_core::error::Result;
//! use neardupe_core::pipeline::{FindConfig, find};
//!
//! struct Pages(Vec<&'static str>);
//!
//! impl Source for Pages {
//!     fn total_bytes(&self) -> u64 {
//!         0
//!     }
//!     fn origins(&self) -> Result<Option<Vec<Origin>>> {
//!         Ok(None)
//!     }
//!     fn file_names(&self) -> Vec<String> {
//!         vec!["page".to_owned()]
//!     }
//!     fn num_parts(&self) -> Result<u32> {
//!         Ok(1)
//!     }
//!     fn read_part(
//!         &self,
//!         _: u32,
//!         mut sinks: Vec<&mut dyn Sink>,
//!         _: &dyn Progress,
//!     ) -> Result<PartRead> {
//!         for (text, index) in self.0.iter().copied().zip(0..) {
//!             let position = Position { file: 0, block: 0, index };
//!             sinks[0].document(&Record { text, position, ..Record::default() })?;
//!         }
//!         let records = self.0.len() as u64;
//!         let block = BlockRead { records, ..BlockRead::default() };
//!         Ok(PartRead { blocks: vec![block], ..PartRead::default() })
//!     }
//! }
//!
//! let pages = Pages(vec![
//!     "A rose is a rose is a rose, said the poet to the gardener of the king.",
//!     "Something else altogether stands here.",
//!     "A ROSE is a rose is a rose: said the poet to the gardener of the king!",
//! ]);
//! let result = find(&pages, &FindConfig::new("work".into()), &Silent)?;
//! assert_eq!(result.duplicates.len(), 1);
//! assert_eq!(result.documents.id(result.duplicates[0].document)?, "page:3");
//! # Ok::<(), neardupe_core::error::Error>(())
//! ```

pub mod error;
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
