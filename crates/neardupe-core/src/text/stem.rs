//! Stems of words (Porter, "An algorithm for suffix stripping", 1980, and its relatives in
//! Snowball): forms of one word count as equal.

use super::language::{Language, LanguageOf, listed};
use super::rule::{DETECTOR, STEMMERS};
use crate::error::{Error, Result};
use crate::hash::{self, FixedMap};
use rust_stemmers::{Algorithm, Stemmer};
use std::fmt;
use std::str::FromStr;

/// Which words are cut to their stems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stem {
    /// None.
    #[default]
    None,
    /// Those of each document by its language; none where that has no stemmer or is unknown.
    Auto,
    /// All by the stemmer of this language.
    Of(Language),
}

impl Stem {
    /// The stemmer of a document.
    pub(super) fn algorithm(self, language: &LanguageOf<'_>) -> Option<Algorithm> {
        match self {
            Stem::None => None,
            Stem::Auto => language.get()?.stemmer(),
            Stem::Of(language) => language.stemmer(),
        }
    }

    /// All that stems depend on, for feature specifications.
    pub fn specification(self) -> String {
        match self {
            Stem::None => self.to_string(),
            Stem::Auto => format!("auto by {DETECTOR}; {STEMMERS}"),
            Stem::Of(language) => format!("{language}; {STEMMERS}"),
        }
    }
}

impl FromStr for Stem {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "none" => Ok(Stem::None),
            "auto" => Ok(Stem::Auto),
            _ => {
                let language = Language::named(text);
                let stemmed = language.filter(|language| language.stemmer().is_some());
                stemmed.map(Stem::Of).ok_or_else(|| {
                    let all = Language::all().filter(|one| one.stemmer().is_some());
                    let message = format!(
                        "{text:?} is not none, auto or a language with a stemmer: {}",
                        listed(all)
                    );
                    Error::config("stem", message)
                })
            }
        }
    }
}

impl fmt::Display for Stem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stem::None => out.write_str("none"),
            Stem::Auto => out.write_str("auto"),
            Stem::Of(language) => language.fmt(out),
        }
    }
}

/// Longer words have no ending worth cutting, and some stemmers need time by the square of
/// the length.
const MAX_WORD_BYTES: usize = 256;

/// The stem of a folded word.
pub(super) fn stem(algorithm: Algorithm, word: &str) -> String {
    if word.len() > MAX_WORD_BYTES {
        return word.to_owned();
    }
    let stem = Stemmer::create(algorithm).stem(word);
    // A few words, such as the Greek article, are all ending: they are kept.
    if stem.is_empty() {
        return word.to_owned();
    }
    stem.into_owned()
}

/// Stems remembered: computed once per word of a vocabulary instead of once per occurrence.
#[derive(Debug, Default)]
pub(super) struct Stems {
    known: FixedMap<(u64, u64), Box<str>>,
}

/// About 20 MB a thread. Beyond it all are forgotten, which costs what was saved before.
const MAX_STEMS: usize = 1 << 18;

impl Stems {
    /// The stem of a folded word.
    pub(super) fn stem(&mut self, algorithm: Algorithm, word: &str) -> &str {
        if self.known.len() >= MAX_STEMS {
            self.known.clear();
        }
        // By hash, as words are compared everywhere; one collection may have several languages.
        let key = (hash::word(word.as_bytes()), algorithm as u64);
        let stem = self.known.entry(key);
        stem.or_insert_with(|| stem_of(algorithm, word))
    }
}

fn stem_of(algorithm: Algorithm, word: &str) -> Box<str> {
    stem(algorithm, word).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn options_are_read_by_code_and_by_name() {
        assert_eq!("none".parse::<Stem>().unwrap(), Stem::None);
        assert_eq!("auto".parse::<Stem>().unwrap(), Stem::Auto);
        assert_eq!("German".parse::<Stem>().unwrap().to_string(), "de");
        for wrong in ["zh", "", "porter"] {
            let error = wrong.parse::<Stem>().unwrap_err().to_string();
            assert!(error.contains("ar (Arabic), da (Danish)"), "{error}");
        }
    }

    #[test]
    fn forms_of_a_word_have_one_stem() {
        for (algorithm, word, expected) in [
            (Algorithm::English, "connections", "connect"),
            (Algorithm::English, "connected", "connect"),
            (Algorithm::German, "häuser", "haus"),
            (Algorithm::Russian, "книгами", "книг"),
            (Algorithm::English, "宪法", "宪法"),
            (Algorithm::Greek, "ουσ", "ουσ"),
        ] {
            assert_eq!(stem(algorithm, word), expected);
        }
        let long = "ed".repeat(200);
        assert_eq!(stem(Algorithm::English, &long), long);
    }

    proptest! {
        #[test]
        fn remembered_stems_are_those_of_the_stemmers(
            words in prop::collection::vec("[a-eins]{1,8}|[аеинсы]{1,6}|\\PC{1,5}", 1..30)
        ) {
            let mut stems = Stems::default();
            for language in Language::all() {
                let Some(algorithm) = language.stemmer() else { continue };
                for word in &words {
                    let expected = stem(algorithm, word);
                    prop_assert!(!expected.is_empty());
                    prop_assert_eq!(stems.stem(algorithm, word), &expected);
                    prop_assert_eq!(stems.stem(algorithm, word), &expected);
                }
            }
        }
    }
}
