//! How many documents have each feature: the weights of Simhash and I-Match come from it
//! (tf x ln(N / df)).
//!
//! A table is frozen: weights that followed the collection would change the signature of
//! every document whenever one is added. So it is counted once ([`count()`]), stored with the
//! specification of its features and a checksum ([`DfTable`]), and named by an identity that
//! changes with any number in it. Signatures can be compared when they were made with the same
//! table. Tables of parts of a collection can be added up ([`merge`]); `english` is a small
//! one that comes with the program.

mod count;
mod english;
pub mod merge;
mod runs;
mod specification;
mod sums;
mod table;

pub(crate) use count::Bad;
pub use count::{
    Adapt, BadSample, CountConfig, CountedTable, DEFAULT_MAX_ENTRIES, DEFAULT_MIN_DF,
    count, count_with,
};
pub use english::ENGLISH;
pub use specification::FeatureSpecText;
pub use table::{DfTable, may_replace};
