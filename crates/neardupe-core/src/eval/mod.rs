//! How good a result is, by a truth that people or other programs made, and what a sample
//! says about the whole.
//!
//! [`tally`] has the measures of a result against a whole truth, [`passages`] and [`sentences`]
//! those of located passages, [`interval`] what can be said from a sample, [`kappa`] how far
//! people agree, [`strata`] how pairs are drawn.
//! Counts are integers; only the last division is not.

mod cover;
pub mod interval;
pub mod kappa;
pub mod passages;
pub mod sentences;
pub mod strata;
pub mod tally;

pub use interval::{Interval, Proportion};
pub use tally::{DuplicateTally, Measures};
