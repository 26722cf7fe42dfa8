//! Features are counted and ranked by how rare they are, and sets that can have a partner are selected.
//!
//! [`context`] is the way of the exact join, and what all ways have in common; `banded` has keys instead of rare
//! features, `leveled` prefixes at several levels of sampling, `common` sets common features aside. `open` chooses.
//! [`recall`] measures by the exact join of a sample what a method misses.

mod banded;
mod common;
pub(in crate::pipeline) mod context;
mod leveled;
mod open;
pub mod recall;

pub(in crate::pipeline) use open::open_sets;
