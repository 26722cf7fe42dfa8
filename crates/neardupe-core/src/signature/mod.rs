//! Signatures: a few numbers that stand for a document; similar documents share some of them.
//!
//! [`minhash`] stands for the set of features and is cut into [`bands`]; [`simhash`] is a code
//! of 64 bits of the weighted features ([`variant`], [`weights`]), made by a [`Coder`]. A
//! signature only says which documents are worth comparing: what is reported is verified on
//! the features unless asked otherwise, so it can miss a pair but not invent one.

pub mod anchors;
pub mod bands;
pub mod coder;
pub mod imatch;
pub mod minhash;
pub mod simhash;
pub mod variant;
pub mod weights;

pub use anchors::Anchors;
pub use bands::Bands;
pub use coder::{CodeSpec, Coder, Reserve};
pub use imatch::{IMatchSettings, IMatcher, KeyMaker, Lexicons};
pub use minhash::MinHasher;
pub use simhash::Simhasher;
pub use variant::{Idf, Numeric, Variant, read_weight};
