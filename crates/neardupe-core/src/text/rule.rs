//! Which rule makes words, and the versions of everything words depend on.

use crate::error::{Error, Result};
use std::fmt;
use std::str::FromStr;

/// How scripts written without spaces become words; all others are cut alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordRule {
    /// Ideographs, kana and Thai letters are one word each.
    Simple,
    /// Runs of them, and of Lao, Khmer and Myanmar letters, are cut by dictionaries.
    Segmented,
}

impl WordRule {
    /// The rule in full, for feature specifications.
    pub fn specification(self) -> &'static str {
        match self {
            WordRule::Simple => super::WORD_RULE,
            WordRule::Segmented => {
                "runs of letters, marks, digits; NFC, full case folding; \
                 runs of ideographs by jieba-rs 0.11.0; runs with kana, runs of Japanese \
                 documents (whatlang 0.18.0), Thai, Lao, Khmer, Myanmar \
                 by icu_segmenter 2.4.0"
            }
        }
    }
}

/// The version of the language detector.
pub(super) const DETECTOR: &str = "whatlang 0.18.0";
/// The version of the stemmers.
pub(super) const STEMMERS: &str = "rust-stemmers 1.2.0";

impl FromStr for WordRule {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "simple" => Ok(WordRule::Simple),
            "segmented" => Ok(WordRule::Segmented),
            _ => Err(Error::config(
                "--words",
                format!("{text:?} is not one of simple, segmented"),
            )),
        }
    }
}

impl fmt::Display for WordRule {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            WordRule::Simple => "simple",
            WordRule::Segmented => "segmented",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_as_they_are_written() {
        for text in ["simple", "segmented"] {
            assert_eq!(text.parse::<WordRule>().unwrap().to_string(), text);
        }
        let error = "jieba".parse::<WordRule>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "--words: \"jieba\" is not one of simple, segmented"
        );
    }

    #[test]
    fn the_versions_named_are_those_of_the_manifest() {
        let manifest = include_str!("../../../../Cargo.toml");
        let named = [WordRule::Segmented.specification(), DETECTOR, STEMMERS].join(" ");
        for name in ["icu_segmenter", "jieba-rs", "rust-stemmers", "whatlang"] {
            let line = manifest.lines().find(|line| line.starts_with(name));
            let version = line.and_then(|line| line.split("\"=").nth(1));
            let version = version.and_then(|rest| rest.split('"').next()).unwrap();
            assert!(named.contains(&format!("{name} {version}")), "{name}");
        }
    }
}
