//! Which features, as typed and as stored.

use crate::error::{Error, Result};
use crate::text::{self, WordOptions, WordReader, WordRule};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// A kind of feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeatureKind {
    /// Runs of this many words.
    Words(u32),
    /// Runs of this many words and of that many, together.
    Mixed(u32, u32),
    /// This many characters of the normalised text, starting at each word.
    Chars(u32),
    /// Runs of this many lines, each as its words; lines without a word are none.
    Lines(u32),
    /// Each word together with the number of its occurrence.
    Terms,
    /// An antecedent with a chain of words after it; the list is in [`WordOptions`].
    SpotSigs,
}

impl FeatureKind {
    /// How many words the shingles have: none for features that are no word shingles.
    pub fn word_lens(self) -> Vec<usize> {
        match self {
            FeatureKind::Words(len) => vec![len as usize],
            FeatureKind::Mixed(short, long) => vec![short as usize, long as usize],
            FeatureKind::Chars(_)
            | FeatureKind::Lines(_)
            | FeatureKind::Terms
            | FeatureKind::SpotSigs => Vec::new(),
        }
    }

    /// The word rule in force with these options. Terms stand by themselves, so they are
    /// words of dictionaries, and so do the words of a chain; shingles see the neighbours of
    /// each character anyway.
    pub fn word_rule(self, options: &WordOptions) -> WordRule {
        options.rule_or(match self {
            FeatureKind::Words(_)
            | FeatureKind::Mixed(..)
            | FeatureKind::Chars(_)
            | FeatureKind::Lines(_) => WordRule::Simple,
            FeatureKind::Terms | FeatureKind::SpotSigs => WordRule::Segmented,
        })
    }
}

impl FeatureKind {
    /// Reads the words that features of this kind are made of.
    pub(super) fn reader(self, options: &WordOptions) -> WordReader {
        let rule = self.word_rule(options);
        match self {
            FeatureKind::SpotSigs => WordReader::keeping_antecedents(rule, options),
            _ => WordReader::new(rule, options),
        }
    }
}

const MAX_WORDS: u32 = 64;
const MAX_CHARS: u32 = 1000;
const MAX_LINES: u32 = 64;

impl FromStr for FeatureKind {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = || {
            Error::config(
                "features",
                format!(
                    "{text:?} is not one of words:N (N from 1 to {MAX_WORDS}), words:N+M, \
                     chars:N (N from 1 to {MAX_CHARS}), lines:N (N from 1 to {MAX_LINES}), \
                     terms, spotsigs"
                ),
            )
        };
        let number = |digits: &str, most: u32| {
            let number = digits.parse::<u32>().ok();
            number
                .filter(|number| (1..=most).contains(number))
                .ok_or_else(wrong)
        };
        match text.split_once(':') {
            None if text == "terms" => Ok(FeatureKind::Terms),
            None if text == "spotsigs" => Ok(FeatureKind::SpotSigs),
            Some(("words", digits)) => match digits.split_once('+') {
                None => Ok(FeatureKind::Words(number(digits, MAX_WORDS)?)),
                Some((short, long)) => {
                    let (short, long) =
                        (number(short, MAX_WORDS)?, number(long, MAX_WORDS)?);
                    match short < long {
                        true => Ok(FeatureKind::Mixed(short, long)),
                        false => Err(wrong()),
                    }
                }
            },
            Some(("chars", digits)) => Ok(FeatureKind::Chars(number(digits, MAX_CHARS)?)),
            Some(("lines", digits)) => Ok(FeatureKind::Lines(number(digits, MAX_LINES)?)),
            _ => Err(wrong()),
        }
    }
}

impl fmt::Display for FeatureKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FeatureKind::Words(len) => write!(out, "words:{len}"),
            FeatureKind::Mixed(short, long) => write!(out, "words:{short}+{long}"),
            FeatureKind::Chars(len) => write!(out, "chars:{len}"),
            FeatureKind::Lines(len) => write!(out, "lines:{len}"),
            FeatureKind::Terms => out.write_str("terms"),
            FeatureKind::SpotSigs => out.write_str("spotsigs"),
        }
    }
}

/// Everything on which feature values depend. Two results are compared only when it agrees.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeatureSpec {
    /// The kind, as typed.
    pub features: String,
    /// How text becomes words.
    pub word_rule: Cow<'static, str>,
    /// Which words are left out: name and hash of the list.
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
            antecedents: match kind {
                FeatureKind::SpotSigs => Some(words.spots_specification()),
                _ => None,
            },
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
