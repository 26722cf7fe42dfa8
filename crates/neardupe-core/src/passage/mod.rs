//! Copied passages: stretches of two documents that are the same or nearly so, located in
//! both.
//!
//! The paper's way (Zhang et al., Efficient Partial-Duplicate Detection Based on Sequence
//! Matching, SIGIR 2010): [`signer`] makes signatures of sentences, [`sentences`] gathers
//! them, [`sentence_pairs`] finds the sentences that match, [`diagonals`] the lines of
//! matches. [`matrix`] is the definition they must agree with.

pub mod diagonals;
mod expand;
mod groups;
pub mod matrix;
pub mod sentence_pairs;
pub mod sentences;
mod set_join;
pub mod signer;
mod ticker;
