//! Features with the words that they stand for, to be shown to people. Slow: each text is cut
//! twice. For `explain`, `features` and `df-table info`; no stage of a search calls it.

use super::kind::FeatureKind;
use crate::hash::FixedSet;
use crate::text::WordOptions;

/// The distinct features of a text, each with its words, in the order in which they first
/// occur: the features that [`super::Extractor`] gives.
pub fn labelled(
    text: &str,
    kind: FeatureKind,
    options: &WordOptions,
    seed: u64,
) -> Vec<(u64, String)> {
    let mut values = Vec::new();
    kind.maker(options, seed).all(text, &mut values);
    // One pass makes the values, another the texts: the fast way of making values never has the
    // texts.
    let labels = kind.text_maker(options).labels(text);
    // Both are in the order of the text (a law of all kinds).
    debug_assert_eq!(values.len(), labels.len());
    let mut seen: FixedSet<u64> = FixedSet::default();
    let all = values.into_iter().zip(labels);
    // By value, as the comparison does: two texts with the same value would be one feature.
    all.filter(|&(feature, _)| seen.insert(feature)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_shown_by_their_words() {
        let labels = |kind: &str, text: &str| {
            let kind = kind.parse().unwrap();
            let features = labelled(text, kind, &WordOptions::default(), 0);
            features
                .into_iter()
                .map(|(_, label)| label)
                .collect::<Vec<_>>()
        };
        assert_eq!(labels("words:2", "A rose, a ROSE"), ["a rose", "rose a"]);
        assert_eq!(labels("words:5", "A rose"), ["a rose"]);
        assert_eq!(labels("terms", "a b a"), ["a", "b", "a (2.)"]);
        assert_eq!(labels("chars:4", "Ab é cd"), ["ab é", "é cd"]);
        assert_eq!(labels("chars:9", "Ab é"), ["ab é"]);
        assert_eq!(
            labels("lines:2", "A rose\n\nis a\nROSE"),
            ["a rose / is a", "is a / rose"]
        );
    }
}
