//! `compare_filters`: every setting finds what brute force finds, and what the signature filter
//! loses is what the measured recall says.

use crate::common::{TestDocument, answer, config, in_memory, run, tiny_budget};
use neardupe_core::document::Silent;
use neardupe_core::feature::Extractor;
use neardupe_core::pipeline::codes::{DfSource, LexiconPlan, Reading};
use neardupe_core::pipeline::compare_filters::{ComparedSample, Setting};
use neardupe_core::pipeline::recall::is_chosen;
use neardupe_core::pipeline::{CompareFilters, FilterComparison, FindConfig};
use neardupe_core::similarity::Similarity;
use neardupe_core::store::{Budget, WorkDir};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

fn documents(words: Vec<Vec<u32>>) -> Vec<TestDocument> {
    let numbered = words.into_iter().enumerate();
    let documents = numbered.map(|(number, words)| TestDocument {
        id: format!("d{number}"),
        words,
        value: None,
        old: false,
    });
    documents.collect()
}

/// Similar pairs of distinct sets, the slow way.
fn expected(documents: &[TestDocument], config: &FindConfig) -> u64 {
    let sets: BTreeSet<BTreeSet<u32>> = documents.iter().map(TestDocument::set).collect();
    let sets: Vec<_> = sets.into_iter().filter(|set| !set.is_empty()).collect();
    let (part, whole) = config.threshold.ratio().parts();
    let mut pairs = 0;
    for (at, left) in sets.iter().enumerate() {
        for right in &sets[..at] {
            let common = left.intersection(right).count();
            let (weight, of) = match config.similarity {
                Similarity::Resemblance => (common, left.len() + right.len() - common),
                Similarity::S3 => (2 * common, left.len() + right.len()),
                Similarity::Containment => (common, left.len().min(right.len())),
                Similarity::Estimate(_) => unreachable!("not asked for here"),
            };
            let reached = weight as u64 * whole >= of as u64 * part;
            pairs += u64::from(common > 0 && reached);
        }
    }
    pairs
}

fn compare(documents: &[TestDocument], config: &FindConfig) -> FilterComparison {
    run(documents, config).filters.unwrap()
}

fn asked(signature: Option<u32>) -> Option<CompareFilters> {
    let clock = || Duration::ZERO;
    Some(CompareFilters {
        signature,
        ..CompareFilters::new(clock)
    })
}

/// Makes keys of I-Match, as a job does.
fn with_keys(config: &mut FindConfig, documents: &[TestDocument], folder: &Path) {
    let plan = LexiconPlan {
        settings: "imatch:0.0-1.0,3,0.5".parse().unwrap(),
        words: config.words.clone(),
        seed: config.seed,
        df: DfSource::Collection,
    };
    let budget = Budget {
        features: 1 << 16,
        ..config.budget
    };
    let reading = Reading {
        source: &in_memory(documents, 1),
        threads: 2,
        budget: &budget,
        work: &WorkDir::new(folder.join("counts")),
        progress: &Silent,
    };
    config.lexicons = Some(Arc::new(plan.specify(reading).unwrap()));
}

/// Variants of a few bases, short documents and empty ones.
fn collection() -> impl Strategy<Value = Vec<TestDocument>> {
    let words = prop_oneof![
        prop::collection::vec(0u32..6, 0..4),
        prop::collection::vec(0u32..300, 0..40),
        (
            0u32..4,
            prop::collection::vec((0usize..30, 0u32..400), 0..6)
        )
            .prop_map(|(base, edits)| {
                let mut words: Vec<u32> = (base * 20..base * 20 + 30).collect();
                for (place, word) in edits {
                    words[place] = word;
                }
                words
            }),
    ];
    prop::collection::vec(words, 0..60).prop_map(documents)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn all_settings_agree_with_brute_force(
        documents in collection(),
        threshold in prop::sample::select(&["0.3", "0.5", "0.8", "1.0"][..]),
        similarity in prop::sample::select(&["resemblance", "s3", "containment"][..]),
        needed in prop::option::of(1u32..4),
        threads in prop::sample::select(&[1usize, 3][..]),
        bounded in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut config = config(threshold);
        config.similarity = similarity.parse().unwrap();
        config.threads = threads;
        config.work_dir = folder.path().join("work");
        if bounded {
            config.budget = tiny_budget();
        }
        let plainly = answer(&run(&documents, &config));
        config.compare_filters = asked(needed);
        if needed.is_some() {
            with_keys(&mut config, &documents, folder.path());
        }
        let result = run(&documents, &config);
        // What is found as ever does not depend on it.
        prop_assert_eq!(&answer(&result), &plainly);
        let comparison = result.filters.unwrap();
        prop_assert!(comparison.agrees(), "{:?}", comparison);
        prop_assert_eq!(comparison.samples.len(), 1);
        let sample = &comparison.samples[0];
        prop_assert_eq!(sample.one_in, 1);
        prop_assert_eq!(sample.rows.len(), 8 + usize::from(needed.is_some()));
        let all = expected(&documents, &config);
        for row in &sample.rows {
            prop_assert_eq!(row.ledger.found + row.lost, all, "{}", row.setting);
            if row.setting.is_exact() {
                prop_assert_eq!(row.lost, 0);
            }
        }
        if let Some(needed) = needed {
            let lossy = sample.rows.iter().find(|row| row.setting == Setting::Signature);
            let found = lossy.unwrap().ledger.found;
            config.compare_filters = None;
            config.filters.signature = Some(needed);
            let recall = run(&documents, &config).recall.unwrap();
            prop_assert_eq!((recall.found, recall.pairs), (found, all));
        }
    }
}

#[test]
fn each_filter_leaves_less() {
    // A word that all have, a few edits, and sizes that differ.
    let words = (0..120u32).map(|number| {
        let own = 1000 + number / 3 * 50;
        let len = 12 + number / 3 % 30;
        let mut words: Vec<u32> = (own..own + len).collect();
        words[number as usize % 3] = 7;
        words.push(1);
        words
    });
    let documents = documents(words.collect());
    let mut config = config("0.8");
    config.compare_filters = asked(None);
    let comparison = compare(&documents, &config);
    let rows = &comparison.samples[0].rows;
    let of = |setting| {
        rows.iter()
            .find(|row| row.setting == setting)
            .unwrap()
            .ledger
    };
    let all_on = of(Setting::AllOn);
    assert!(all_on.found > 0);
    assert!(of(Setting::NoPrefix).postings > all_on.postings);
    assert!(of(Setting::AllOff).candidates > all_on.candidates);
    // Every pair has a word in common.
    let pairs = all_on.sets * (all_on.sets - 1) / 2;
    for setting in [Setting::AllOff, Setting::PlainCounting, Setting::BruteForce] {
        assert_eq!(of(setting).candidates, pairs, "{setting}");
    }
    assert_eq!(of(Setting::BruteForce).verified, pairs);
}

#[test]
fn little_memory_means_a_sample_and_it_is_told() {
    let words = (0..600u32).map(|number| {
        let own = number / 2 * 2000;
        (own + number % 2..own + 1000).collect()
    });
    let documents = documents(words.collect());
    let folder = tempfile::tempdir().unwrap();
    let mut config = config("0.8");
    config.compare_filters = asked(None);
    config.work_dir = folder.path().join("work");
    // Of 599,700 features every third has a place.
    config.budget.memory = 26_000_000;
    let comparison = compare(&documents, &config);
    assert!(comparison.agrees());
    let sample = &comparison.samples[0];
    assert_eq!(sample.one_in, 3);
    assert!((120..300).contains(&sample.sets), "{}", sample.sets);
    assert!(sample.rows[0].ledger.found > 0);
}

/// 40 bases with 12 variants each; of the variants some are equal to others.
fn variants() -> Vec<TestDocument> {
    let words = (0..480u32).map(|number| {
        let own = number % 40 * 17;
        let mut words: Vec<u32> = (own..own + 25 + number % 3).collect();
        let place = (number / 40 * 2 % 20) as usize;
        words[place] = 2000 + number / 80;
        words
    });
    documents(words.collect())
}

/// The documents whose sets are in a sample.
fn chosen(
    documents: &[TestDocument],
    config: &FindConfig,
    one_in: u64,
) -> Vec<TestDocument> {
    let mut extractor = Extractor::new(config.features, &config.words, config.seed);
    let is_in = |document: &&TestDocument| {
        let mut features = Vec::new();
        extractor.extract(&document.text(), &mut features);
        is_chosen(&features, one_in)
    };
    documents.iter().filter(is_in).cloned().collect()
}

/// What all settings say of a sample is what brute force says of its documents.
fn assert_counted(sample: &ComparedSample, all: &[TestDocument], config: &FindConfig) {
    let chosen = chosen(all, config, sample.one_in);
    let sets: BTreeSet<BTreeSet<u32>> = chosen.iter().map(TestDocument::set).collect();
    let features: usize = sets.iter().map(BTreeSet::len).sum();
    assert_eq!(sample.sets, sets.len() as u64);
    assert_eq!(sample.features, features as u64);
    let pairs = expected(&chosen, config);
    for row in &sample.rows {
        assert_eq!(row.ledger.sets, sample.sets, "{}", row.setting);
        assert_eq!(row.ledger.found + row.lost, pairs, "{}", row.setting);
        assert!(!row.setting.is_exact() || row.same, "{}", row.setting);
    }
    let sets: Vec<_> = sets.iter().collect();
    let (mut each, mut meet, mut postings) = (0, 0, 0);
    for (at, left) in sets.iter().enumerate() {
        for right in &sets[..at] {
            let common = left.intersection(right).count() as u64;
            each += 1;
            meet += u64::from(common > 0);
            postings += common;
        }
    }
    let of = |setting| sample.rows.iter().find(|row| row.setting == setting);
    if let Some(row) = of(Setting::BruteForce) {
        assert_eq!([row.ledger.candidates, row.ledger.verified], [each; 2]);
    }
    if let Some(row) = of(Setting::PlainCounting) {
        let counted = [row.ledger.candidates, row.ledger.postings];
        assert_eq!(counted, [meet, postings]);
    }
}

#[test]
fn what_grows_with_the_square_runs_on_a_bounded_sample() {
    let documents = variants();
    let folder = tempfile::tempdir().unwrap();
    let mut config = config("0.6");
    config.work_dir = folder.path().join("work");
    with_keys(&mut config, &documents, folder.path());
    // One in the square root of what is too much: there are 480 sets with 12,480 features.
    for (max_steps, one_in) in [(u64::MAX, 1), (400_000, 4), (60_000, 10), (1, 2448)] {
        config.compare_filters = Some(CompareFilters {
            max_steps,
            ..asked(Some(1)).unwrap()
        });
        config.threads = 1;
        let comparison = compare(&documents, &config);
        assert!(comparison.agrees(), "{comparison:?}");
        let settings = |sample: &ComparedSample| -> Vec<Setting> {
            sample.rows.iter().map(|row| row.setting).collect()
        };
        if one_in == 1 {
            assert_eq!(comparison.samples.len(), 1);
            assert_eq!(settings(&comparison.samples[0]).len(), 9);
            assert_counted(&comparison.samples[0], &documents, &config);
            continue;
        }
        let [whole, sample] = &comparison.samples[..] else {
            panic!("{comparison:?}");
        };
        assert_eq!((whole.one_in, sample.one_in), (1, one_in));
        use Setting::{AllOff, AllOn, BruteForce, NoBitmap, NoLength};
        use Setting::{NoPosition, NoPrefix, PlainCounting, Signature};
        assert_eq!(
            settings(whole),
            [AllOn, NoLength, NoPosition, NoBitmap, Signature]
        );
        assert_eq!(
            settings(sample),
            [AllOn, NoPrefix, AllOff, PlainCounting, BruteForce]
        );
        // Sets are chosen by their hashes, so the bound holds about.
        let steps = sample.sets * sample.features;
        assert!(steps <= max_steps * 2, "{steps}");
        assert!(sample.sets > 0 || max_steps == 1);
        assert!(sample.rows[0].ledger.found > 10 || max_steps == 1);
        assert_counted(whole, &documents, &config);
        assert_counted(sample, &documents, &config);
        for threads in [2, 5] {
            config.threads = threads;
            assert_eq!(compare(&documents, &config), comparison);
        }
        config.budget = tiny_budget();
        let mut spilled = compare(&documents, &config);
        config.budget = crate::common::config("0.6").budget;
        // Features are looked up once for each window of lists, and there are more of them.
        let rows = spilled.samples.iter_mut().zip(&comparison.samples);
        for (row, whole) in
            rows.flat_map(|(one, other)| one.rows.iter_mut().zip(&other.rows))
        {
            assert!(row.ledger.lookups >= whole.ledger.lookups);
            row.ledger.lookups = whole.ledger.lookups;
        }
        assert_eq!(spilled, comparison);
    }
}

#[test]
fn of_a_giant_cluster_a_sample_is_taken() {
    let documents = variants();
    let mut config = config("0.6");
    let all = expected(&documents, &config);
    for (max_pairs, one_in) in [(all, 1), (all - 1, 4), (all / 40, 16)] {
        config.compare_filters = Some(CompareFilters {
            max_pairs,
            ..asked(None).unwrap()
        });
        let comparison = compare(&documents, &config);
        assert!(comparison.agrees());
        assert_eq!(comparison.samples.len(), 1);
        let sample = &comparison.samples[0];
        assert_eq!(sample.one_in, one_in);
        assert!((1..=max_pairs).contains(&sample.rows[0].ledger.found));
        assert_counted(sample, &documents, &config);
    }
}
