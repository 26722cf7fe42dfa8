//! From similar sets to clusters of documents.
//!
//! [`priority`] says which document is kept before which, [`star`] makes the default
//! clusters, [`components`] the transitive ones; [`from_pairs`] makes star clusters of pairs
//! that are known.

pub mod components;
pub mod from_pairs;
pub mod priority;
mod search;
pub mod star;
pub mod union_find;

pub use priority::Keep;
