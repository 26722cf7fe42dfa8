//! The laws of all kinds of features, tried on the examples that each kind gives. A kind that was added
//! is tried without a line here; what a failure most likely means is said beside each law.

use super::definition::Definition;
use super::{Extractor, FeatureKind, OccurrenceReader, labelled};
use crate::hash::{FeatureHash, HashKey};
use crate::text::{Antecedents, Stem, StopWords, WordOptions, slow};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::collections::BTreeSet;

/// The words of a text as a kind sees them, for definitions with strings.
pub(super) fn words(
    kind: &dyn Definition,
    text: &str,
    options: &WordOptions,
) -> Vec<String> {
    slow::chosen_words(text, options.rule_or(kind.usual_rule()), options)
}

/// A text too short for a feature has one, all its words.
pub(super) fn or_whole(mut set: BTreeSet<String>, words: &[String]) -> BTreeSet<String> {
    if set.is_empty() && !words.is_empty() {
        set.insert(words.join(" "));
    }
    set
}

/// Texts in which words, scripts, lines and antecedents meet and repeat.
const TEXT: &str =
    "([abAB] |é|中国|法|The |the |is |a |rivers |river |roads |ab1 |, |\n|\r\n){0,30}";

fn options() -> impl Strategy<Value = WordOptions> {
    let words = prop::sample::select(vec![
        (None, "none", "none"),
        (Some("simple"), "none", "none"),
        (Some("segmented"), "none", "none"),
        (Some("spaces"), "none", "none"),
        (Some("segmented"), "en", "none"),
        (Some("segmented"), "en", "en"),
        (Some("simple"), "auto", "auto"),
    ]);
    let hash = prop::sample::select(vec!["multilinear", "xxh3", "rabin64", "md5"]);
    let list = prop::sample::select(vec!["the\nis\na", "the 2 1\nis 1 3\n法", "é 1 2"]);
    let key = prop::option::of(any::<u128>().prop_map(HashKey::new));
    (words, hash, list, key).prop_map(|((rule, stop_words, stem), hash, list, key)| {
        WordOptions {
            key,
            rule: rule.map(|rule| rule.parse().unwrap()),
            stop_words: StopWords::named(stop_words).unwrap(),
            stem: stem.parse::<Stem>().unwrap(),
            hash: hash.parse::<FeatureHash>().unwrap(),
            antecedents: Antecedents::from_lines("list", list).unwrap(),
            ..WordOptions::default()
        }
    })
}

fn features(kind: FeatureKind, options: &WordOptions, text: &str) -> Vec<u64> {
    let mut features = Vec::new();
    Extractor::new(kind, options, 0).extract(text, &mut features);
    features
}

/// Tries a law on each kind, so many times.
fn holds<S: Strategy>(
    cases: u32,
    values: impl Fn() -> S,
    law: impl Fn(FeatureKind, S::Value) -> std::result::Result<(), TestCaseError>,
) {
    for kind in FeatureKind::examples() {
        let mut runner = TestRunner::new(Config::with_cases(cases));
        let tried = runner.run(&values(), |value| law(kind, value));
        if let Err(error) = tried {
            panic!("features {kind}: {error}");
        }
    }
}

/// Fails when the fast way and the definition (`slow`) see other features, or when two features of a text
/// have the same value.
#[test]
fn two_texts_share_as_many_features_as_by_the_definition() {
    holds(
        200,
        || (TEXT, TEXT, options()),
        |kind, (left, right, options)| {
            let (fast_left, fast_right) = (
                features(kind, &options, &left),
                features(kind, &options, &right),
            );
            let sets = |fast: &[u64]| fast.iter().copied().collect::<BTreeSet<u64>>();
            prop_assert_eq!(sets(&fast_left).len(), fast_left.len());
            let (slow_left, slow_right) =
                (kind.slow(&left, &options), kind.slow(&right, &options));
            prop_assert_eq!(fast_left.len(), slow_left.len());
            prop_assert_eq!(
                sets(&fast_left).intersection(&sets(&fast_right)).count(),
                slow_left.intersection(&slow_right).count()
            );
            Ok(())
        },
    );
}

/// Fails when `texts` gives features in another order or number than the fast way, so that people would be
/// shown the wrong words.
#[test]
fn labels_are_those_of_the_features() {
    holds(
        100,
        || (TEXT, options(), 0u64..2),
        |kind, (text, options, seed)| {
            let mut values = Vec::new();
            kind.maker(&options, seed).all(&text, &mut values);
            let labels = kind.text_maker(&options).labels(&text);
            prop_assert_eq!(values.len(), labels.len());
            let mut expected = Vec::new();
            Extractor::new(kind, &options, seed).extract(&text, &mut expected);
            let found = labelled(&text, kind, &options, seed);
            let of_labels: BTreeSet<&String> =
                found.iter().map(|(_, label)| label).collect();
            prop_assert_eq!(of_labels.len(), found.len());
            let found: Vec<u64> = found.into_iter().map(|(value, _)| value).collect();
            prop_assert_eq!(found, expected);
            Ok(())
        },
    );
}

/// Fails when buffers of one text are left over for the next, when threads disagree, or when `most` is
/// too small.
#[test]
fn features_depend_on_the_text_alone() {
    holds(
        60,
        || (prop::collection::vec(TEXT, 1..5), options()),
        |kind, (texts, options)| {
            let mut one = Extractor::new(kind, &options, 0);
            for text in &texts {
                let mut found = Vec::new();
                one.extract(text, &mut found);
                prop_assert_eq!(&found, &features(kind, &options, text));
                let mut all = Vec::new();
                let mut maker = kind.maker(&options, 0);
                maker.all(text, &mut all);
                let mut other = Vec::new();
                maker.all(text, &mut other);
                prop_assert_eq!(all, other);
            }
            let by_threads = std::thread::scope(|scope| {
                let begin = |text: &String| {
                    let options = &options;
                    let text = text.clone();
                    scope.spawn(move || features(kind, options, &text))
                };
                let running: Vec<_> = texts.iter().map(begin).collect();
                let joined = running.into_iter().map(|one| one.join().unwrap());
                joined.collect::<Vec<_>>()
            });
            let straight = texts.iter().map(|text| features(kind, &options, text));
            prop_assert_eq!(by_threads, straight.collect::<Vec<_>>());
            Ok(())
        },
    );
}

/// Fails when the ends of lists (`FeatureSink::end`) are missing or wrong.
#[test]
fn winnowed_features_are_some_of_all() {
    holds(
        100,
        || (TEXT, options(), 1u32..6),
        |kind, (text, options, window)| {
            let all = features(kind, &options, &text);
            let mut kept = Vec::new();
            let mut extractor = Extractor::new(kind, &options, 0);
            extractor.winnow(&text, window, &mut kept);
            prop_assert!(kept.iter().all(|one| all.contains(one)));
            prop_assert_eq!(kept.is_empty(), all.is_empty());
            if window == 1 {
                prop_assert_eq!(&kept, &all);
            }
            let distinct: BTreeSet<&u64> = kept.iter().collect();
            prop_assert_eq!(distinct.len(), kept.len());
            Ok(())
        },
    );
}

/// Fails when a text too short has not exactly one feature that no longer text has, or when `is_shorter`
/// does not know it.
#[test]
fn short_and_empty_texts_are_known() {
    holds(
        100,
        || ("([ab] |é|\n){1,6}", options()),
        |kind, (text, options)| {
            let mut extractor = Extractor::new(kind, &options, 0);
            let mut found = Vec::new();
            let num_words = extractor.extract(&text, &mut found);
            if num_words == 0 {
                prop_assert!(found.is_empty() && !extractor.was_shorter());
            } else if !kind.may_have_none() {
                prop_assert!(!found.is_empty());
            }
            if extractor.was_shorter() {
                prop_assert_eq!(found.len(), 1);
                let longer = features(kind, &options, &text.repeat(1100));
                prop_assert!(!longer.contains(&found[0]));
            }
            found.clear();
            for nothing in ["", " .,! \n\n"] {
                extractor.extract(nothing, &mut found);
                prop_assert!(found.is_empty() && !extractor.was_shorter());
            }
            Ok(())
        },
    );
}

/// Fails when `weighed` reads other features than the fast way.
#[test]
fn what_has_weights_is_what_is_counted() {
    let options = WordOptions::default();
    let refused = OccurrenceReader::new(FeatureKind::Chars(1), &options, 0);
    let message = refused.unwrap_err().to_string();
    for kind in FeatureKind::examples() {
        let reader = OccurrenceReader::new(kind, &options, 0);
        assert_eq!(reader.is_ok(), kind.has_weights(), "{kind}");
        // The message lists those that have.
        let name = kind.to_string();
        let name = name.split(':').next().unwrap_or_default();
        assert_eq!(message.contains(name), kind.has_weights(), "{kind}");
    }
    holds(
        60,
        || TEXT,
        |kind, text| {
            if !kind.has_weights() {
                return Ok(());
            }
            let options = WordOptions::default();
            let mut counted = Vec::new();
            Extractor::new(kind, &options, 0).distinct(&text, &mut counted);
            let mut weighed = Vec::new();
            let mut reader = OccurrenceReader::new(kind, &options, 0).unwrap();
            reader.read(&text, &[], &mut weighed);
            let weighed: BTreeSet<u64> = weighed.iter().map(|one| one.feature).collect();
            prop_assert_eq!(weighed, counted.into_iter().collect::<BTreeSet<u64>>());
            Ok(())
        },
    );
}

/// Fails when what is shown cannot be typed, or when two kinds take the same text.
#[test]
fn kinds_are_read_as_they_are_written() {
    for kind in FeatureKind::examples() {
        let typed = kind.to_string();
        assert_eq!(typed.parse::<FeatureKind>().unwrap(), kind);
        for wrong in [
            format!("{typed}:"),
            format!("{typed} "),
            format!("x{typed}"),
        ] {
            assert!(wrong.parse::<FeatureKind>().is_err(), "{wrong}");
        }
    }
    let usages = FeatureKind::usages();
    let typed: BTreeSet<&str> = usages.iter().map(|usage| usage.typed).collect();
    assert_eq!(typed.len(), usages.len());
    assert!(FeatureKind::help().contains("words:N+M (both lengths), chars:N"));
}
