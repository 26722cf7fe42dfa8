//! File formats in and out.
//!
//! [`source`] turns arguments into files and files into records, in parallel;
//! [`compress`] unpacks what is packed, [`charset`] decodes it and [`extract`] makes text of
//! HTML; [`output`] writes a result folder that appears complete or not at all, [`result`]
//! reads it back, [`rethreshold`] clusters it again at a higher threshold, and [`truth`]
//! compares it with what is known to be right; [`fetch`] gets documents back by their ids,
//! and [`diff`] shows how two of them differ; [`rewrite`] writes the input again without its
//! duplicates; [`causes`] tells why they are duplicates; [`history_store`] keeps codes of
//! versions from run to run; [`trec`] reads runs and qrels of search evaluation; [`report`] makes the page that shows it all to people.

pub mod causes;
pub mod charset;
pub mod compress;
pub mod diff;
pub mod extract;
pub mod fetch;
pub mod history_store;
pub mod numbers;
pub mod output;
mod panics;
pub mod passage_kinds;
mod phrases;
pub mod report;
pub mod result;
pub mod rethreshold;
pub mod rewrite;
pub mod source;
pub mod study;
pub mod trec;
pub mod truth;

pub use panics::is_guarded;
