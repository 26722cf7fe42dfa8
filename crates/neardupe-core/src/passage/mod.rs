//! Copied passages: stretches of text that two documents have in common, located in both.
//!
//! Two ways. *Seed and extend* (the default): a text is cut into words and sentences ([`cut`]).
//! Texts that may share a passage share a seed: a run of eight words, or a whole sentence
//! ([`seeds`]). From a seed the common stretch is extended word by word over edits ([`extend`]);
//! neighboring stretches are put together and those that are long and similar enough are
//! passages ([`merge`]).
//!
//! *Diagonals* (Zhang et al., Efficient Partial-Duplicate Detection Based on Sequence Matching,
//! SIGIR 2010): [`signer`] makes signatures of sentences, [`sentences`] gathers them,
//! [`sentence_pairs`] finds the sentences that match, [`diagonals`] the lines of matches.
//! [`matrix`] is the definition they must agree with.
//!
//! What a passage is called is decided by [`kind`]; which sentences can go, since a kept text has
//! them, by [`removal`].

pub mod cut;
pub mod diagonals;
pub mod expand;
pub mod extend;
pub mod groups;
pub mod kind;
pub mod matrix;
pub mod merge;
pub mod removal;
mod reused_map;
pub mod seeds;
pub mod sentence_pairs;
pub mod sentences;
mod set_join;
pub mod signer;
mod ticker;

pub use cut::{CutText, TextCutter};
pub use extend::{Fragment, Reach};
pub use kind::{KindFacts, PassageKind, kind_of};
pub use merge::{Aligned, PassageRule, Scratch, SeedChain, SurelyFound, passages_of};
pub use reused_map::ReusedMap;
pub use signer::{SentenceSignature, SentenceSigner};
