//! Features with the words that they stand for, to be shown to people. Slow, and made of the
//! same functions as the fast way, word for word.

use super::chars::Normalized;
use super::kind::FeatureKind;
use super::spots::Spots;
use super::texts::TextFeatures;
use super::{lines, terms, words};
use crate::hash::{self, FeatureHash, FixedMap, FixedSet, Multipliers};
use crate::text::{ChainWords, WordOptions, WordSink};

/// The distinct features of a text, each with its words, in the order in which they first
/// occur: the features that [`super::Extractor`] gives.
pub fn labelled(
    text: &str,
    kind: FeatureKind,
    options: &WordOptions,
    seed: u64,
) -> Vec<(u64, String)> {
    if options.hash != FeatureHash::Multilinear && kind != FeatureKind::SpotSigs {
        return by_text(text, kind, options, seed);
    }
    let mut collected = Collected(Vec::new());
    kind.reader(options).read(text, &mut collected);
    if let FeatureKind::Lines(len) = kind {
        return lines::labelled(text, len as usize, kind.reader(options), seed);
    }
    let Collected(texts) = collected;
    let hashes: Vec<u64> = texts
        .iter()
        .map(|word| hash::word(word.as_bytes()))
        .collect();
    let mut features = Vec::new();
    let mut seen: FixedSet<u64> = FixedSet::default();
    let mut at = 0;
    let mut add = |at: &mut usize, feature: u64, label: &dyn Fn(usize) -> String| {
        if seen.insert(feature) {
            features.push((feature, label(*at)));
        }
        *at += 1;
    };
    match kind {
        FeatureKind::Words(_) | FeatureKind::Mixed(..) => {
            let lens = kind.word_lens().into_iter();
            let all: Vec<Multipliers> =
                lens.map(|len| Multipliers::new(seed, len)).collect();
            for multipliers in words::fitting(&all, hashes.len()) {
                at = 0;
                let len = multipliers.factors().len();
                let label = |at: usize| texts[at..texts.len().min(at + len)].join(" ");
                words::shingle(&hashes, multipliers, seed, |feature| {
                    add(&mut at, feature, &label);
                });
            }
        }
        FeatureKind::Chars(len) => {
            let mut normalized = Normalized::default();
            texts.iter().for_each(|word| normalized.folded(word));
            let joined = texts.join(" ");
            let starts: Vec<usize> = texts
                .iter()
                .scan(0, |start, word| {
                    let at = *start;
                    *start += word.len() + 1;
                    Some(at)
                })
                .collect();
            let label =
                |at: usize| joined[starts[at]..].chars().take(len as usize).collect();
            normalized
                .shingle(len as usize, seed, |feature| add(&mut at, feature, &label));
        }
        FeatureKind::Lines(_) => {}
        FeatureKind::Terms => {
            let mut counts: FixedMap<&str, u32> = FixedMap::default();
            let label: Vec<String> = texts
                .iter()
                .map(|word| {
                    let count = counts.entry(word).or_insert(0);
                    *count += 1;
                    match *count {
                        1 => word.clone(),
                        more => format!("{word} ({more}.)"),
                    }
                })
                .collect();
            let label = |at: usize| label[at].clone();
            let mut occurrences = FixedMap::default();
            terms::terms(&hashes, &mut occurrences, seed, |feature| {
                add(&mut at, feature, &label);
            });
        }
        FeatureKind::SpotSigs => {
            let mut spots = Spots::default();
            let chain_words = ChainWords::new(options);
            spots.find(&hashes, &options.antecedents, &chain_words);
            let label = |at: usize| {
                let found = &spots.found()[at];
                let words = std::iter::once(found.at).chain(spots.chain(found));
                let words: Vec<&str> = words.map(|at| texts[at].as_str()).collect();
                words.join(":")
            };
            spots.signatures(&hashes, seed, |feature| add(&mut at, feature, &label));
        }
    }
    features
}

/// Features that are hashes of texts, with these texts as they are shown.
fn by_text(
    text: &str,
    kind: FeatureKind,
    options: &WordOptions,
    seed: u64,
) -> Vec<(u64, String)> {
    let mut texts = TextFeatures::default();
    texts.read(text, kind, &mut kind.reader(options));
    let mut features = Vec::new();
    let mut seen: FixedSet<u64> = FixedSet::default();
    let emit = |feature: u64, text: &str| {
        if seen.insert(feature) {
            let label = match (kind, text.rsplit_once(' ')) {
                (FeatureKind::Terms, Some((word, "1"))) => word.to_owned(),
                (FeatureKind::Terms, Some((word, more))) => format!("{word} ({more}.)"),
                _ => text.replace('\n', " / "),
            };
            features.push((feature, label));
        }
    };
    texts.each(kind, options.hash, seed, emit, || ());
    features
}

pub(super) struct Collected(pub(super) Vec<String>);

impl WordSink for Collected {
    fn ascii(&mut self, text: &[u8], start: usize, end: usize) {
        let lower = text[start..end].iter().map(|byte| char::from(byte | 0x20));
        self.0.push(lower.collect());
    }

    fn folded(&mut self, word: &str) {
        self.0.push(word.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feature::Extractor;
    use crate::text::StopWords;
    use proptest::prelude::*;

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

    proptest! {
        #[test]
        fn they_are_the_features_of_the_extractor(
            text in "([abAB] |é|中国|The |rivers |ab1 |, |\n){0,30}",
            kind in prop::sample::select(vec![
                "words:1", "words:3", "words:5", "words:8", "words:3+5", "chars:3",
                "chars:7", "lines:1", "lines:2", "terms"
            ]),
            stop_words in prop::sample::select(vec!["none", "en"]),
            hash in prop::sample::select(vec!["multilinear", "multilinear", "xxh3"]),
            seed in 0u64..2,
        ) {
            let kind: FeatureKind = kind.parse().unwrap();
            let options = WordOptions {
                stop_words: StopWords::named(stop_words).unwrap(),
                hash: hash.parse().unwrap(),
                ..WordOptions::default()
            };
            let mut expected = Vec::new();
            Extractor::new(kind, &options, seed).extract(&text, &mut expected);
            let found = labelled(&text, kind, &options, seed);
            let found: Vec<u64> = found.into_iter().map(|(feature, _)| feature).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
