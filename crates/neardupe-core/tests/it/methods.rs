//! Laws of all methods, tried on each that is registered. A method without a line in `jobs` fails the first test.
//! Brute force over codes and keys, with all ways to cluster, is in `brute_force.rs`.

use crate::common::{
    Answer, TestDocument, TestSource, answer, config, in_memory, run, tiny_budget,
};
use crate::resume::{StopAfter, codes, documents, go_on, lexicons, reading};
use neardupe_core::error::Error;
use neardupe_core::feature::FeatureKind;
use neardupe_core::pipeline::codes::{DfPlan, DfSource};
use neardupe_core::pipeline::method::{Weigher, weight};
use neardupe_core::pipeline::{
    ClusterMode, FindConfig, Hamming, Method, MethodPromise, PairsMode,
};
use neardupe_core::signature::{Bands, MinHasher};
use neardupe_core::store::WorkDir;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

fn source() -> TestSource {
    in_memory(&documents(), 3)
}

/// A job for each method, and for its settings that change what is compared.
fn jobs(source: &TestSource) -> Vec<FindConfig> {
    let mut base = config("0.6");
    base.pairs = PairsMode::All;
    let with = |change: &dyn Fn(&mut FindConfig)| {
        let mut job = base.clone();
        change(&mut job);
        job
    };
    let simhash = |distance, verified| {
        with(&|job: &mut FindConfig| {
            job.method = Method::Simhash(Hamming { distance, verified });
            job.codes = Some(codes(source, job));
            if !verified {
                job.similarity = "s3".parse().unwrap();
                job.threshold = format!("{}", f64::from(64 - distance) / 64.0)
                    .parse()
                    .unwrap();
            }
        })
    };
    vec![
        base.clone(),
        with(&|job| {
            job.lexicons = Some(lexicons(source, job));
            job.filters.signature = Some(2);
        }),
        with(&|job| job.method = Method::MinHash("20x3".parse().unwrap())),
        simhash(24, true),
        simhash(16, false),
        with(&|job| {
            job.method = Method::IMatch;
            job.lexicons = Some(lexicons(source, job));
        }),
        with(&|job| weigh(source, job, "20x3".parse().unwrap())),
    ]
}

/// Makes a job of weighted features.
fn weigh(source: &TestSource, job: &mut FindConfig, bands: Bands) {
    job.method = Method::WeightedMinHash(bands);
    job.features = FeatureKind::Terms;
    let plan = DfPlan {
        features: job.features,
        words: job.words.clone(),
        seed: job.seed,
        df: DfSource::Collection,
    };
    let work = WorkDir::new(PathBuf::from("unused"));
    let (table, counted) = plan
        .specify_counted(reading(source, &work, &job.budget))
        .unwrap();
    assert!(counted > 100, "{counted}");
    job.df = Some(table);
}

#[test]
fn every_method_is_tried() {
    let tried: BTreeSet<&str> = jobs(&source())
        .iter()
        .map(|job| job.method.name())
        .collect();
    assert_eq!(tried, Method::NAMES.iter().copied().collect());
}

/// Fails when something of one thread or one chunk is left over for the next.
#[test]
fn threads_and_memory_change_nothing() {
    let source = source();
    for mut job in jobs(&source) {
        for cluster in [ClusterMode::Star, ClusterMode::Components] {
            job.cluster = cluster;
            job.threads = 1;
            let straight = answer(&run(&source.documents, &job));
            assert!(straight.pairs.len() > 100, "{}", job.method);
            job.threads = 3;
            assert_eq!(answer(&run(&source.documents, &job)), straight);
            let folder = tempfile::tempdir().unwrap();
            let mut spilled = job.clone();
            spilled.budget = tiny_budget();
            spilled.work_dir = folder.path().join("work");
            let result = run(&source.documents, &spilled);
            assert!(result.spilled);
            assert_eq!(answer(&result), straight, "{}", job.method);
        }
    }
}

/// Fails when what a method keeps is not written, or is read back as something else.
#[test]
fn stopped_and_resumed_is_straight() {
    let source = source();
    for mut job in jobs(&source) {
        let straight = answer(&run(&source.documents, &job));
        job.budget = tiny_budget();
        job.budget.checkpoint = true;
        let mut stops = 0;
        for first in [3u64, 60] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("work");
            let mut patience = first;
            loop {
                let progress = StopAfter(AtomicU64::new(patience));
                job.threads = 1 + stops % 3;
                match go_on(&source, &job, &path, &progress) {
                    Ok((result, _)) => {
                        assert_eq!(answer(&result), straight, "{}", job.method);
                        break;
                    }
                    Err(Error::Cancelled) => {
                        stops += 1;
                        patience += patience / 2 + 5;
                    }
                    Err(error) => panic!("{}: {error}", job.method),
                }
            }
        }
        assert!(stops > 3, "{}: {stops} stops", job.method);
    }
}

/// What is compared of each document, by its definition: words with their weights.
fn weights(source: &TestSource, job: &FindConfig) -> Vec<BTreeMap<u32, u64>> {
    let mut dfs: BTreeMap<u32, u32> = BTreeMap::new();
    for document in source.documents.iter().filter(|one| has_words(one)) {
        for word in document.set() {
            *dfs.entry(word).or_default() += 1;
        }
    }
    // Documents without a word are not counted.
    let all = source.documents.iter().filter(|one| has_words(one)).count() as u64;
    let is_weighed = matches!(job.method, Method::WeightedMinHash(_));
    let of = |document: &TestDocument| {
        let mut weights: BTreeMap<u32, u64> = BTreeMap::new();
        if !has_words(document) {
            return weights;
        }
        for &word in &document.words {
            *weights.entry(word).or_default() += 1;
        }
        for (word, count) in &mut weights {
            *count = match is_weighed {
                true => weight(*count, dfs[word], all),
                false => 1,
            };
        }
        weights.retain(|_, weight| *weight > 0);
        weights
    };
    source.documents.iter().map(of).collect()
}

fn has_words(document: &TestDocument) -> bool {
    document.text().starts_with('w')
}

/// Sums of the smaller and of the larger weights.
fn overlap(left: &BTreeMap<u32, u64>, right: &BTreeMap<u32, u64>) -> (u64, u64) {
    let of = |side: &BTreeMap<u32, u64>, word| side.get(word).copied().unwrap_or(0);
    let words: BTreeSet<&u32> = left.keys().chain(right.keys()).collect();
    words.into_iter().fold((0, 0), |(least, most), word| {
        let (one, other) = (of(left, word), of(right, word));
        (least + one.min(other), most + one.max(other))
    })
}

/// All pairs at or above the threshold by the definition, with their overlap.
fn similar(source: &TestSource, job: &FindConfig) -> BTreeMap<(String, String), u32> {
    let weights = weights(source, job);
    let (part, whole) = job.threshold.ratio().parts();
    let mut pairs = BTreeMap::new();
    for (left, one) in source.documents.iter().enumerate() {
        for (right, other) in source.documents.iter().enumerate().skip(left + 1) {
            let (least, most) = overlap(&weights[left], &weights[right]);
            let same = one.text() == other.text();
            if (most > 0 && least * whole >= part * most) || (most == 0 && same) {
                let mut ids = [one.id.clone(), other.id.clone()];
                ids.sort();
                let [left, right] = ids;
                // A text without a feature has one, itself.
                let least = u32::try_from(least.max(u64::from(most == 0))).unwrap();
                pairs.insert((left, right), least);
            }
        }
    }
    pairs
}

fn by_ids(found: &Answer) -> BTreeMap<(String, String), u32> {
    let pairs = found.pairs.iter().cloned();
    pairs
        .map(|(left, right, overlap)| ((left, right), overlap))
        .collect()
}

/// Fails when a method that verifies reports a pair below the threshold, or an overlap that is not that of the
/// definition; or when the exact one misses a pair.
#[test]
fn what_is_verified_is_similar() {
    let source = source();
    for job in jobs(&source) {
        let promise = job.method.promise();
        if promise == MethodPromise::Estimated {
            continue;
        }
        let similar = similar(&source, &job);
        let found = by_ids(&answer(&run(&source.documents, &job)));
        for (pair, overlap) in &found {
            assert_eq!(similar.get(pair), Some(overlap), "{} {pair:?}", job.method);
        }
        let loses = job.filters.signature.is_some();
        if promise == MethodPromise::Exact && !loses {
            assert!(found == similar, "{} of {}", found.len(), similar.len());
        }
    }
}

/// Weighted MinHash compares exactly the pairs whose signatures agree in a band.
#[test]
fn weighted_minhash_is_brute_force_over_pairs_that_share_a_key() {
    let source = source();
    for bands in ["1x1", "4x3", "20x3"] {
        let bands: Bands = bands.parse().unwrap();
        let mut job = config("0.6");
        job.cluster = ClusterMode::None;
        job.pairs = PairsMode::All;
        weigh(&source, &mut job, bands);
        let table = Arc::clone(job.df.as_ref().unwrap());
        let mut weigher =
            Weigher::new(job.features, &job.words, job.seed, table).unwrap();
        let mut keys: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
        let mut elements_of: BTreeMap<&str, BTreeSet<u64>> = BTreeMap::new();
        for document in &source.documents {
            let mut elements: Vec<u64> = Vec::new();
            let (mut values, mut own) = (Vec::new(), Vec::new());
            weigher.elements(&document.text(), &mut elements);
            MinHasher::new(bands.num_values(), job.seed).sign(&elements, &mut values);
            bands.keys(&values, &mut own);
            keys.insert(&document.id, own);
            elements_of.insert(&document.id, elements.into_iter().collect());
        }
        let mut expected = similar(&source, &job);
        let all = expected.len();
        expected.retain(|(left, right), _| {
            let [one, other] = [left, right].map(|id| &keys[id.as_str()]);
            let [left, right] = [left, right].map(|id| &elements_of[id.as_str()]);
            // Equal documents are noticed while they are read.
            left == right || one.iter().any(|key| other.contains(key))
        });
        let found = by_ids(&answer(&run(&source.documents, &job)));
        assert!(expected.len() > 50, "{}", expected.len());
        assert!(found == expected, "{bands}: {} of {all}", found.len());
    }
}

/// The share of the pairs of the exact definition that are found, as it was asked for.
#[test]
fn weighted_minhash_finds_what_its_bands_promise() {
    let source = source();
    for (threshold, recall) in [("0.3", 0.9), ("0.5", 0.99), ("0.8", 0.99)] {
        let mut job = config(threshold);
        job.cluster = ClusterMode::None;
        job.pairs = PairsMode::All;
        let bands = Bands::for_threshold(job.resemblance(), recall, 256).unwrap();
        weigh(&source, &mut job, bands);
        let similar = similar(&source, &job);
        let result = run(&source.documents, &job);
        let found = by_ids(&answer(&result));
        assert!(similar.len() > 50, "{}", similar.len());
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let share = found.len() as f64 / similar.len() as f64;
        assert!(share >= recall, "{threshold}: {share} of {}", similar.len());
        assert!(found.keys().all(|pair| similar.contains_key(pair)));
        // The job measures the same on its sample.
        let measured = result.recall.unwrap();
        assert!(measured.found <= measured.pairs && measured.pairs > 50);
    }
}
