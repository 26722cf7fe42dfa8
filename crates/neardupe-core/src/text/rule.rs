//! Which rule makes words, and the versions of everything words depend on.

/// How text becomes words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordRule {
    /// Ideographs, kana and Thai letters are one word each.
    Simple,
    /// Runs of them, and of Lao, Khmer and Myanmar letters, are cut by dictionaries.
    Segmented,
    /// Whatever lies between white space, without signs at its ends that are neither letters, marks
    /// nor digits: "don't" is one word, in every script.
    Spaces,
}

impl WordRule {
    /// All rules.
    pub const ALL: [WordRule; 3] =
        [WordRule::Simple, WordRule::Segmented, WordRule::Spaces];

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
            WordRule::Spaces => {
                "what white space separates, without what is no letter, mark or digit at \
                 its ends; NFC, full case folding"
            }
        }
    }
}

/// The version of the language detector.
pub(super) const DETECTOR: &str = "whatlang 0.18.0";
/// The version of the stemmers.
pub(super) const STEMMERS: &str = "rust-stemmers 1.2.0";

crate::named!(WordRule as "words" {
    Simple = "simple",
    Segmented = "segmented",
    Spaces = "spaces",
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_as_they_are_written() {
        for rule in WordRule::ALL {
            assert_eq!(rule.to_string().parse::<WordRule>().unwrap(), rule);
        }
        let error = "jieba".parse::<WordRule>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "words: \"jieba\" is not one of simple, segmented, spaces"
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
