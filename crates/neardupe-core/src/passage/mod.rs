//! Copied passages: stretches of text that two documents have in common, located in both.
//!
//! A text is cut into words and sentences ([`cut`]). Texts that may share a passage share a
//! seed: a run of eight words, or a whole sentence ([`seeds`]). From a seed the common stretch
//! is extended word by word over edits ([`extend`]); neighbouring stretches are put together
//! and those that are long and similar enough are passages ([`merge`]). What a passage is
//! called is decided by [`kind`]. Which sentences can go since a kept text has them is decided by
//! [`removal`].

pub mod cut;
pub mod extend;
pub mod kind;
pub mod merge;
pub mod removal;
pub mod seeds;

pub use cut::{CutText, TextCutter};
pub use extend::{Fragment, Reach};
pub use kind::{Kind, KindFacts, kind_of};
pub use merge::{Aligned, PassageRule, Scratch, passages_of};
