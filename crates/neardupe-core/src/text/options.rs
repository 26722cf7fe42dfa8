//! What can be asked for about words.

use super::{Antecedents, ChainWords, Stem, StopWords, WordEffect, WordRule};
use crate::hash::{FeatureHash, HashKey};
use std::sync::Arc;

/// How text becomes the words that features are made of.
#[derive(Debug, Clone, Default)]
pub struct WordOptions {
    /// The rule, when one was asked for.
    pub rule: Option<WordRule>,
    /// Words that are skipped, as if they were not there.
    pub stop_words: StopWords,
    /// Words cut to their stems; stop words are known by their full form.
    pub stem: Stem,
    /// Where spot signatures are taken; nothing else depends on it.
    pub antecedents: Antecedents,
    /// How features become numbers. Spot signatures are made of the hashes of words in any case.
    pub hash: FeatureHash,
    /// A key of the usual hash. Without one it is the public hash, whose values are the same in
    /// every job and may be stored, and which a text can be aimed at.
    pub key: Option<HashKey>,
    /// What the options did so far; copies of them share it.
    pub effect: Arc<WordEffect>,
}

impl WordOptions {
    /// The rule in force; `usual` is that of the features when nothing was asked for. Lists
    /// of stop words and stemmers are about words, so they call for the segmented rule.
    pub fn rule_or(&self, usual: WordRule) -> WordRule {
        let plain = self.stop_words.is_none() && self.stem == Stem::None;
        let rule = if plain { usual } else { WordRule::Segmented };
        self.rule.unwrap_or(rule)
    }

    /// Antecedents and the words that no chain of a spot signature has, for feature
    /// specifications.
    pub fn spots_specification(&self) -> String {
        let skipped = ChainWords::new(self).specification();
        format!(
            "{}; chains without {skipped}",
            self.antecedents.specification()
        )
    }
}
