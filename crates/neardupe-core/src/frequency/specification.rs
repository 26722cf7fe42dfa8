//! The specification of features as it is stored with a table, and how two of them differ.

use crate::feature::FeatureSpec;
use serde::{Deserialize, Serialize};

/// A [`FeatureSpec`] that was written down, perhaps by another version of this program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeatureSpecText {
    /// The kind, as typed.
    pub features: String,
    /// How text becomes words.
    pub word_rule: String,
    /// Which words are left out: name and hash of the list.
    pub stop_words: String,
    /// Which words are cut to their stems.
    pub stem: String,
    /// The Unicode tables behind the word rule.
    pub unicode: String,
    /// How words become values.
    pub hash: String,
    /// Seed of the hash.
    pub seed: u64,
}

impl From<&FeatureSpec> for FeatureSpecText {
    fn from(specification: &FeatureSpec) -> Self {
        FeatureSpecText {
            features: specification.features.clone(),
            word_rule: specification.word_rule.to_string(),
            stop_words: specification.stop_words.clone(),
            stem: specification.stem.clone(),
            unicode: specification.unicode.to_string(),
            hash: specification.hash.to_string(),
            seed: specification.seed,
        }
    }
}

impl FeatureSpecText {
    /// What differs, and both values of each; nothing when features of both are the same.
    pub fn differences(
        &self,
        other: &FeatureSpecText,
    ) -> Vec<(&'static str, String, String)> {
        let text = |value: &str| value.to_owned();
        let both = [
            ("features", text(&self.features), text(&other.features)),
            ("words", text(&self.word_rule), text(&other.word_rule)),
            (
                "stop words",
                text(&self.stop_words),
                text(&other.stop_words),
            ),
            ("stem", text(&self.stem), text(&other.stem)),
            ("Unicode tables", text(&self.unicode), text(&other.unicode)),
            ("hash", text(&self.hash), text(&other.hash)),
            ("seed", self.seed.to_string(), other.seed.to_string()),
        ];
        let differ = both.into_iter().filter(|(_, one, other)| one != other);
        differ.collect()
    }
}
