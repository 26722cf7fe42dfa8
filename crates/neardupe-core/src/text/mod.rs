//! From text to words.
//!
//! A word is a maximal run of letters, marks and digits after NFC and full case folding; everything
//! else separates. Ideographs, kana and Thai letters are one word each, with the marks that follow
//! them ([`WordRule::Simple`]), or their runs are cut by dictionaries ([`WordRule::Segmented`]); or
//! words are whatever lies between spaces ([`WordRule::Spaces`]). [`mod@words`] is the fast form of
//! the first, [`WordReader`] of all options together; [`slow`] is the definition they must agree
//! with.

mod antecedents;
mod chain_words;
mod class;
mod dictionary;
mod effect;
pub mod language;
mod languages;
mod mask;
mod options;
mod reader;
mod rule;
mod segment;
mod sentences;
pub mod slow;
mod spans;
mod stem;
mod stop_words;
pub mod words;

pub use antecedents::{Antecedents, FOR_SENTENCES, Spot};
pub use chain_words::ChainWords;
pub(crate) use class::stands_alone;
pub use effect::WordEffect;
pub use language::Language;
pub use options::WordOptions;
pub use reader::WordReader;
pub use rule::WordRule;
pub use segment::Segmenter;
pub use sentences::{SENTENCE_RULE, SentenceCutter, trimmed};
pub use spans::{PlacedSink, placed_words, word_spans};
pub use stem::Stem;
pub use stop_words::{StopList, StopWords};
pub use words::{WordSink, words};

/// The simple rule in full, for feature specifications.
pub const WORD_RULE: &str = "runs of letters, marks, digits; NFC, full case folding; \
                             ideographs, kana, Thai letters single";

/// Version of the Unicode tables in use.
pub const UNICODE_VERSION: &str = "18.0";
