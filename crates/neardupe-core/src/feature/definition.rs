//! What a kind of features says of itself, and how its features are made.
//!
//! A kind is one file that implements [`Definition`] and one line in `kind.rs`. What is generic here is compiled
//! for each kind by itself: there is one call through a table for each document and none for each feature.
//!
//! Three traits share the work: [`Definition`] describes a kind, [`Make`] gives the features of a text to a
//! [`FeatureSink`], and [`FeatureMaker`] is the form of `Make` that can be called through a table, with one method for
//! each sink. The laws that every kind obeys are in `laws.rs`; a new kind is tested by its examples alone.

use super::table::FeatureTable;
use super::winnow::Winnower;
use crate::text::{WordOptions, WordReader, WordRule};
use std::fmt;

/// How a kind is typed, for help and messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeatureUsage {
    /// As typed: `words:N`.
    pub typed: &'static str,
    /// The values that are allowed; empty where nothing has to be said.
    pub limits: &'static str,
    /// What help adds; empty where nothing has to be said.
    pub remark: &'static str,
}

/// A kind of features.
pub(super) trait Definition: fmt::Display {
    /// How it is typed.
    fn usage() -> FeatureUsage
    where
        Self: Sized;

    /// Reads what was typed; none when it is another kind or out of its limits.
    fn parse(typed: &str) -> Option<Self>
    where
        Self: Sized;

    /// Some of the kind as typed, on which the laws of all kinds are tried (`laws.rs`).
    #[cfg(test)]
    fn examples() -> &'static [&'static str]
    where
        Self: Sized;

    /// The word rule unless one was asked for. Shingles see the neighbors of each character anyway.
    fn usual_rule(&self) -> WordRule {
        WordRule::Simple
    }

    /// Reads the words.
    fn reader(&self, options: &WordOptions) -> WordReader {
        WordReader::new(options.rule_or(self.usual_rule()), options)
    }

    /// How occurrences are weighed; none for features that have no weights.
    fn weighed(&self) -> Option<Weighed> {
        None
    }

    /// Whether features depend on the list of antecedents.
    fn uses_antecedents(&self) -> bool {
        false
    }

    /// Whether a text with words may have no feature. Of other kinds it then has one, itself.
    fn may_have_none(&self) -> bool {
        false
    }

    /// Whether `hash` says how features become numbers.
    fn takes_hash(&self) -> bool {
        true
    }

    /// Makes features the fast way: of the hashes of words where that can be.
    fn maker(&self, options: &WordOptions, seed: u64) -> Box<dyn FeatureMaker>;

    /// Makes features as hashes of their texts, and shows these: [`super::texts::ByText`].
    fn by_text(&self, options: &WordOptions, seed: u64) -> Box<dyn TextMaker>;

    /// The definition: the features of a text as strings.
    #[cfg(test)]
    fn slow(
        &self,
        text: &str,
        options: &WordOptions,
    ) -> std::collections::BTreeSet<String>;
}

/// Makes the maker of a kind by the hash in force: public, or under a key. Each is compiled by itself, so
/// the choice costs nothing for a word.
macro_rules! with_hasher {
    ($options:expr, $hasher:ident => $maker:expr) => {
        match $options.key {
            None => {
                let $hasher = crate::hash::PublicWords;
                Box::new($maker)
            }
            Some(key) => {
                let $hasher = crate::hash::KeyedWords::new(key);
                Box::new($maker)
            }
        }
    };
}
pub(super) use with_hasher;

/// Occurrences that have weights.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Weighed {
    /// Each word, as the feature of its first occurrence.
    Words,
    /// Runs of so many words.
    Runs(Vec<usize>),
}

/// Takes the features of a text.
pub(super) trait FeatureSink {
    /// The next one, in the order of the text.
    fn feature(&mut self, feature: u64);

    /// Those of one length are complete.
    fn end(&mut self) {}
}

/// Makes the features of one text after the other, reusing its buffers.
pub(super) trait Make: fmt::Debug + Send + Sync {
    /// Reads a text; how many words it has.
    fn read(&mut self, text: &str) -> usize;

    /// Most features that the text that was read may have.
    fn most(&self) -> usize;

    /// Gives all features of the text that was read to `sink`, repetitions included.
    ///
    /// Always inlined: as a call of its own the compiler reads the sink from memory for each feature, which made
    /// `words:5` 6 % and `chars:64` 2 % slower.
    fn make(&mut self, sink: &mut impl FeatureSink);

    /// The same, but each feature once by what it stands for, however often it occurs: these are
    /// the features whose documents are counted. It makes a difference to terms alone.
    fn make_counted(&mut self, sink: &mut impl FeatureSink) {
        self.make(sink);
    }

    /// Whether the text that was read has a word but is too short for a feature.
    fn is_shorter(&self) -> bool;
}

/// [`Make`] of any kind. Each of these reads a text and returns how many words it has.
pub(super) trait FeatureMaker: fmt::Debug + Send + Sync {
    /// All features, repetitions included.
    fn all(&mut self, text: &str, features: &mut Vec<u64>) -> usize;

    /// The distinct ones, in the order in which they first occur.
    fn distinct(&mut self, text: &str, to: Distinct<'_>) -> usize;

    /// The distinct features whose documents are counted ([`Make::make_counted`]).
    fn counted(&mut self, text: &str, to: Distinct<'_>) -> usize;

    /// Of each run of `window` features the smallest, length by length; the distinct ones of these.
    fn winnowed(
        &mut self,
        text: &str,
        window: u32,
        winnower: &mut Winnower,
        to: Distinct<'_>,
    ) -> usize;

    /// Whether the last text has a word but is too short for a feature.
    fn was_shorter(&self) -> bool;
}

/// A maker that knows the texts of features.
pub(super) trait TextMaker: FeatureMaker {
    /// The texts of all features, repetitions included, as they are shown.
    fn labels(&mut self, text: &str) -> Vec<String>;

    /// The same maker without its texts.
    fn into_maker(self: Box<Self>) -> Box<dyn FeatureMaker>;
}

/// Where distinct features go.
pub(super) struct Distinct<'a> {
    /// The features of this document so far, for lookups.
    pub(super) seen: &'a mut FeatureTable,
    /// Where new ones are appended.
    pub(super) features: &'a mut Vec<u64>,
}

impl FeatureSink for Distinct<'_> {
    #[inline(always)]
    fn feature(&mut self, feature: u64) {
        // The set decides, the list keeps the order of the text.
        if self.seen.insert(feature) {
            self.features.push(feature);
        }
    }
}

impl FeatureSink for Vec<u64> {
    fn feature(&mut self, feature: u64) {
        self.push(feature);
    }
}

/// Winnows each length by itself.
struct Winnowed<'a> {
    winnower: &'a mut Winnower,
    window: u32,
    to: Distinct<'a>,
}

impl FeatureSink for Winnowed<'_> {
    #[inline(always)]
    fn feature(&mut self, feature: u64) {
        self.winnower.add(feature);
    }

    fn end(&mut self) {
        let to = &mut self.to;
        self.winnower.choose(self.window, |one| to.feature(one));
        // The next length begins with an empty list: windows never reach from one length into
        // another.
        self.winnower.begin();
    }
}

impl<M: Make> FeatureMaker for M {
    fn all(&mut self, text: &str, features: &mut Vec<u64>) -> usize {
        let num_words = self.read(text);
        self.make(features);
        num_words
    }

    fn distinct(&mut self, text: &str, mut to: Distinct<'_>) -> usize {
        // The table needs its size before the first feature: it does not grow.
        let num_words = self.read(text);
        to.seen.reset(self.most());
        self.make(&mut to);
        num_words
    }

    fn counted(&mut self, text: &str, mut to: Distinct<'_>) -> usize {
        let num_words = self.read(text);
        to.seen.reset(self.most());
        self.make_counted(&mut to);
        num_words
    }

    fn winnowed(
        &mut self,
        text: &str,
        window: u32,
        winnower: &mut Winnower,
        to: Distinct<'_>,
    ) -> usize {
        let num_words = self.read(text);
        to.seen.reset(self.most());
        winnower.begin();
        let mut sink = Winnowed {
            winnower,
            window,
            to,
        };
        // The order of the text matters here, and repetitions too: both are what windows are made
        // of.
        self.make(&mut sink);
        num_words
    }

    fn was_shorter(&self) -> bool {
        self.is_shorter()
    }
}

/// The number after the name of a kind, as `5` in `words:5`.
pub(super) fn number_after(typed: &str, name: &str, most: u32) -> Option<u32> {
    number(typed.strip_prefix(name)?.strip_prefix(':')?, most)
}

/// A whole number from 1 to `most`.
pub(super) fn number(digits: &str, most: u32) -> Option<u32> {
    let number = digits.parse::<u32>().ok();
    number.filter(|number| (1..=most).contains(number))
}
