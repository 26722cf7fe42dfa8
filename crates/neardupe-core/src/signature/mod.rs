//! Signatures: a few numbers that stand for a set, of which similar sets share some.
//!
//! A signature only says which sets are worth comparing. What is reported is verified on the
//! features, so a signature can miss a pair but not invent one.

pub mod bands;
pub mod imatch;
pub mod minhash;
pub mod simhash;

pub use bands::Bands;
pub use imatch::{IMatchSettings, IMatcher};
pub use minhash::MinHasher;
pub use simhash::Simhasher;
