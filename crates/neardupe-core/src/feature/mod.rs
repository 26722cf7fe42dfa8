//! From text to features: the set of 64-bit values that stands for a document.
//!
//! One file for each kind, which says all there is to say about it ([`FeatureKind`] lists them). All kinds obey the same rules: a
//! document too short for its features has one, its whole normalized text; a document
//! without a word has none. Spot signatures are the exception: a document may have none.
//!
//! The flow within the folder: [`Sampler`] reads a document with an [`Extractor`], which has the
//! maker of its kind, and thins the features by [`Sampling`]. 0 is never a feature. No feature
//! depends on anything but the text, the options and the seed ([`FeatureSpec`]).

mod chars;
mod definition;
mod extract;
mod grams;
mod kind;
mod sampler;
mod sampling;
mod labels;
#[cfg(test)]
mod laws;
mod lines;
mod occurrences;
mod plan;
mod spots;
mod table;
mod terms;
mod texts;
mod word_hashes;
mod winnow;
mod words;

pub use definition::FeatureUsage;
pub use extract::Extractor;
pub use kind::{FeatureKind, FeatureSpec};
pub use labels::labelled;
pub use occurrences::{Occurrence, OccurrenceReader, is_emphasis};
pub use plan::{GroupRatio, SamplingPlan};
pub use sampler::{Sampler, whole_text};
pub use sampling::Sampling;
pub use table::FeatureTable;
pub(crate) use word_hashes::ascii_word;
