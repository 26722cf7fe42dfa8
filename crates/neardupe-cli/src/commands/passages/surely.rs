//! The shortest copies that are surely found, in words.

use neardupe_core::passage::PassageRule;
use serde_json::{Value, json};

/// For the summary.
pub(in super::super) fn stored(rule: &PassageRule) -> Value {
    let surely = rule.surely_found();
    json!({ "words": surely.words, "characters": surely.characters })
}

/// For people.
pub(in super::super) fn described(rule: &PassageRule) -> String {
    let surely = rule.surely_found();
    format!(
        "surely found: {} words in a row, unchanged ({} characters of scripts without spaces)",
        surely.words, surely.characters
    )
}

/// What is asked for but cannot be promised.
pub(in super::super) fn warning(rule: &PassageRule) -> Option<String> {
    let surely = rule.surely_found();
    (rule.min_words < surely.words).then(|| {
        format!(
            "--min-words {}: copies of fewer than {} words in a row (of scripts without spaces, {} \
             characters) may be missed",
            rule.min_words, surely.words, surely.characters
        )
    })
}
