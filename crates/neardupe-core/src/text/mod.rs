//! From text to words.
//!
//! A word is a maximal run of letters, marks and digits after NFC and full case folding;
//! everything else separates. Ideographs, kana and Thai letters are one word each, with the
//! marks that follow them. [`mod@words`] is the fast form, [`slow`] the definition it must
//! agree with.

mod class;
mod mask;
mod segment;
pub mod slow;
pub mod words;

pub use segment::Segmenter;
pub use words::{WordSink, words};

/// Name of the word rule and the Unicode version behind it, for feature specifications.
pub const WORD_RULE: &str = "runs of letters, marks, digits; NFC, full case folding; \
                             ideographs, kana, Thai letters single";

/// Version of the Unicode tables in use.
pub const UNICODE_VERSION: &str = "18.0";
