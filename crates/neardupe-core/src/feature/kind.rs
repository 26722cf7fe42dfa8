//! Which features, as typed and as stored.
//!
//! [`FeatureKind`] is the small value that configurations hold. It answers every question by making
//! the definition of its kind for a moment and asking it, so a kind is described in one place.

use super::definition::{Definition, FeatureMaker, FeatureUsage, TextMaker, Weighed};
use super::{chars, grams, lines, spots, terms, words};
use crate::error::{Error, Result};
use crate::hash::FeatureHash;
use crate::text::{self, WordOptions, WordReader, WordRule};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// One line for each kind: its variant, its numbers, and the type that defines it.
macro_rules! kinds {
    ($(
        $(#[doc = $doc:literal])*
        $variant:ident $(($($field:ident: $type:ty),+))? in $module:ident::$definition:ident;
    )+) => {
        /// A kind of feature.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum FeatureKind {
            $( $(#[doc = $doc])* $variant $(($($type),+))?, )+
        }

        impl FeatureKind {
            /// Asks the definition of the kind.
            fn ask<T>(self, ask: impl FnOnce(&dyn Definition) -> T) -> T {
                match self {
                    $( FeatureKind::$variant $(($($field),+))? => {
                        ask(&$module::$definition { $($($field),+)? })
                    } )+
                }
            }

            /// The kind that reads what was typed.
            fn parse(typed: &str) -> Option<Self> {
                $(
                    // Definitions refuse what is not theirs, so the order of the lines has no
                    // effect here.
                    if let Some(read) = $module::$definition::parse(typed) {
                        let $module::$definition { $($($field),+)? } = read;
                        return Some(FeatureKind::$variant $(($($field),+))?);
                    }
                )+
                None
            }

            /// How each kind is typed, in the order of help.
            pub fn usages() -> Vec<FeatureUsage> {
                vec![$( $module::$definition::usage() ),+]
            }

            /// Some of each kind.
            #[cfg(test)]
            pub(super) fn examples() -> Vec<FeatureKind> {
                let all = [$( $module::$definition::examples() ),+].concat();
                all.into_iter().map(|typed| typed.parse().unwrap()).collect()
            }
        }
    };
}

// All kinds of features, in the order in which help lists them.
kinds! {
    /// Runs of this many words.
    Words(len: u32) in words::Words;
    /// Runs of this many words and of that many, together.
    Mixed(short: u32, long: u32) in words::Mixed;
    /// This many characters of the normalized text, starting at each word.
    Chars(len: u32) in chars::Chars;
    /// This many characters of the normalized text, starting at every character; with `true`
    /// without the spaces between words.
    Grams(len: u32, no_space: bool) in grams::Grams;
    /// Runs of this many lines, each as its words; lines without a word are none.
    Lines(len: u32) in lines::LineRuns;
    /// Each word together with the number of its occurrence.
    Terms in terms::Terms;
    /// An antecedent with a chain of words after it; the list is in [`WordOptions`].
    SpotSigs in spots::SpotSigs;
}

impl FeatureKind {
    /// All kinds as help lists them.
    pub fn help() -> String {
        let shown = |usage: FeatureUsage| match usage.remark {
            "" => usage.typed.to_owned(),
            remark => format!("{} ({remark})", usage.typed),
        };
        let mut all: Vec<String> = Self::usages().into_iter().map(shown).collect();
        let last = all.pop().unwrap_or_default();
        format!("{} or {last}", all.join(", "))
    }

    /// The word rule in force with these options.
    pub fn word_rule(self, options: &WordOptions) -> WordRule {
        options.rule_or(self.ask(|kind| kind.usual_rule()))
    }

    /// Whether features have weights, so that simhashes can be made of them.
    pub fn has_weights(self) -> bool {
        self.weighed().is_some()
    }

    /// Whether features depend on the list of antecedents in [`WordOptions`].
    pub fn uses_antecedents(self) -> bool {
        self.ask(|kind| kind.uses_antecedents())
    }

    /// Whether a text with words may have no feature.
    pub fn may_have_none(self) -> bool {
        self.ask(|kind| kind.may_have_none())
    }

    /// Whether `hash` says how features become numbers.
    pub fn takes_hash(self) -> bool {
        self.ask(|kind| kind.takes_hash())
    }

    pub(super) fn weighed(self) -> Option<Weighed> {
        self.ask(|kind| kind.weighed())
    }

    /// Reads the words that features of this kind are made of.
    pub(super) fn reader(self, options: &WordOptions) -> WordReader {
        self.ask(|kind| kind.reader(options))
    }

    /// Makes features, by the hash that `options` name.
    pub(super) fn maker(self, options: &WordOptions, seed: u64) -> Box<dyn FeatureMaker> {
        self.ask(|kind| {
            // The usual hash is made of the hashes of words, without a text of each feature; any
            // other needs the text. Kinds without a choice always take the first way.
            let is_by_text = options.hash != FeatureHash::Multilinear;
            if is_by_text && kind.takes_hash() {
                kind.by_text(options, seed).into_maker()
            } else {
                kind.maker(options, seed)
            }
        })
    }

    /// Knows the texts of features. Its values are not used, so the seed is any.
    pub(super) fn text_maker(self, options: &WordOptions) -> Box<dyn TextMaker> {
        self.ask(|kind| kind.by_text(options, 0))
    }

    /// The definition: the features of a text as strings.
    #[cfg(test)]
    pub(super) fn slow(
        self,
        text: &str,
        options: &WordOptions,
    ) -> std::collections::BTreeSet<String> {
        self.ask(|kind| kind.slow(text, options))
    }
}

impl FromStr for FeatureKind {
    type Err = Error;

    fn from_str(typed: &str) -> Result<Self> {
        Self::parse(typed).ok_or_else(|| {
            let shown = |usage: FeatureUsage| match usage.limits {
                "" => usage.typed.to_owned(),
                limits => format!("{} ({limits})", usage.typed),
            };
            let all: Vec<String> = Self::usages().into_iter().map(shown).collect();
            let message = format!("{typed:?} is not one of {}", all.join(", "));
            Error::config("features", message)
        })
    }
}

impl fmt::Display for FeatureKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.ask(|kind| kind.fmt(out))
    }
}

/// Everything on which feature values depend. Two results are compared only when it agrees; it is
/// stored with every result, so a change of what a field says makes old results incomparable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeatureSpec {
    /// The kind, as typed.
    pub features: String,
    /// How text becomes words.
    pub word_rule: Cow<'static, str>,
    /// Which words are skipped: name and hash of the list.
    pub stop_words: String,
    /// Which words are cut to their stems.
    pub stem: String,
    /// Where spot signatures are taken, size and hash of the list, and which words no chain has, name
    /// and hash of the list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub antecedents: Option<String>,
    /// The Unicode tables behind the word rule.
    pub unicode: Cow<'static, str>,
    /// How words become values; changes when any stored value would.
    pub hash: Cow<'static, str>,
    /// Seed of the hash.
    pub seed: u64,
}

impl FeatureSpec {
    /// The specification of a job.
    pub fn new(kind: FeatureKind, words: &WordOptions, seed: u64) -> Self {
        FeatureSpec {
            features: kind.to_string(),
            word_rule: kind.word_rule(words).specification().into(),
            stop_words: words.stop_words.specification(),
            stem: words.stem.specification(),
            antecedents: kind.uses_antecedents().then(|| words.spots_specification()),
            unicode: text::UNICODE_VERSION.into(),
            hash: words.hash.specification().into(),
            seed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_read_as_they_are_written() {
        for text in [
            "words:5",
            "chars:64",
            "lines:4",
            "terms",
            "words:1",
            "words:3+5",
            "spotsigs",
        ] {
            assert_eq!(text.parse::<FeatureKind>().unwrap().to_string(), text);
        }
        for wrong in [
            "words",
            "words:0",
            "words:65",
            "words:5+3",
            "words:3+",
            "words:2+2",
            "chars:",
            "lines:0",
            "lines:65",
            "ngram:5",
            "",
            "terms:2",
            "spotsigs:2",
        ] {
            assert!(wrong.parse::<FeatureKind>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn specifications_differ_where_words_do() {
        let kind = FeatureKind::Words(5);
        let plain = FeatureSpec::new(kind, &WordOptions::default(), 0);
        assert_eq!(plain.word_rule, text::WORD_RULE);
        assert_eq!((&*plain.stop_words, &*plain.stem), ("none", "none"));
        let list = |lines| WordOptions {
            stop_words: text::StopWords::from_lines("list.txt", lines),
            ..WordOptions::default()
        };
        let one = FeatureSpec::new(kind, &list("the"), 0);
        assert_ne!(one.word_rule, plain.word_rule);
        assert_ne!(one, FeatureSpec::new(kind, &list("the a"), 0));
    }
    #[test]
    fn specifications_name_the_antecedents_of_spot_signatures_alone() {
        let list = |lines| WordOptions {
            antecedents: text::Antecedents::from_lines("list.txt", lines).unwrap(),
            ..WordOptions::default()
        };
        let spec = |kind, lines| FeatureSpec::new(kind, &list(lines), 0);
        let (spots, terms) = (FeatureKind::SpotSigs, FeatureKind::Terms);
        assert_ne!(spec(spots, "the"), spec(spots, "the\nis"));
        assert_eq!(spec(spots, "is\nthe"), spec(spots, "the 1 2\nis"));
        assert_eq!(spec(terms, "the"), spec(terms, "the\nis"));
        assert_eq!(spec(spots, "the").word_rule, spec(terms, "the").word_rule);
    }
}
