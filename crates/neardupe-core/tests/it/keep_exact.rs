//! `--sample commonality:N --keep-exact` gives what a program in another language gives by brute
//! force: corpus/uncommon_pairs.py made the collections, many documents of which are copies, and
//! the answers. Pairs, star clusters, and what the study counts under each limit.

use crate::common::{TestDocument, answer, config, in_memory, run, tiny_budget};
use neardupe_core::document::Silent;
use neardupe_core::pair::Pair;
use neardupe_core::pipeline::study::{SamplingStudy, SizeGroups, study_sampling};
use neardupe_core::pipeline::{FindConfig, PairsMode};
use neardupe_core::store::WorkDir;
use serde::Deserialize;
use std::path::Path;
use std::time::Duration;

#[derive(Deserialize)]
struct Collection {
    name: String,
    words: u32,
    documents: Vec<Text>,
    all_pair_records: u128,
    limits: Vec<Limit>,
}

#[derive(Deserialize)]
struct Text {
    id: String,
    text: String,
}

#[derive(Deserialize)]
struct Limit {
    commonality: u32,
    pair_records: u128,
    answers: Vec<Stored>,
}

#[derive(Deserialize)]
struct Stored {
    threshold: String,
    /// Left, right, overlap, sizes and similarity.
    pairs: Vec<String>,
    /// Document, representative, overlap and rule.
    duplicates: Vec<String>,
}

fn collections() -> Vec<Collection> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = folder.join("../../corpus/uncommon-pairs.json");
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

impl Collection {
    fn documents(&self) -> Vec<TestDocument> {
        let word = |word: &str| word.strip_prefix('w').unwrap().parse().unwrap();
        let document = |text: &Text| TestDocument {
            id: text.id.clone(),
            words: text.text.split_whitespace().map(word).collect(),
            value: None,
            old: false,
        };
        self.documents.iter().map(document).collect()
    }

    fn config(&self, threshold: &str) -> FindConfig {
        let mut config = config(threshold);
        config.features = format!("words:{}", self.words).parse().unwrap();
        config
    }
}

#[test]
fn pairs_and_clusters_are_those_of_brute_force() {
    let folder = tempfile::tempdir().unwrap();
    let (mut num_pairs, mut num_equal) = (0, 0);
    for collection in collections() {
        let documents = collection.documents();
        for limit in &collection.limits {
            for (stored, tiny) in limit
                .answers
                .iter()
                .flat_map(|stored| [(stored, false), (stored, true)])
            {
                let mut config = collection.config(&stored.threshold);
                let sample = format!("commonality:{}", limit.commonality);
                config.sampling = sample.parse().unwrap();
                config.keep_exact = true;
                config.pairs = PairsMode::All;
                if tiny {
                    config.budget = tiny_budget();
                    config.work_dir = folder.path().join("work");
                }
                let result = run(&documents, &config);
                let context = (&collection.name, &sample, &stored.threshold);
                let id = |document| result.documents.id(document).unwrap();
                let mut pairs = Vec::new();
                let row = |pair: &Pair| {
                    let union = pair.left_size + pair.right_size - pair.overlap;
                    let similarity = f64::from(pair.overlap) / f64::from(union);
                    pairs.push(format!(
                        "{} {} {} {} {} {similarity:.6}",
                        id(pair.left),
                        id(pair.right),
                        pair.overlap,
                        pair.left_size,
                        pair.right_size
                    ));
                    Ok(())
                };
                result.for_each_pair(row).unwrap();
                pairs.sort();
                assert_eq!(pairs, stored.pairs, "{context:?}");
                let duplicates = answer(&result).duplicates;
                let rows: Vec<String> = duplicates
                    .into_iter()
                    .map(|(document, of, overlap, rule)| {
                        format!("{document} {of} {overlap} {rule}")
                    })
                    .collect();
                assert_eq!(rows, stored.duplicates, "{context:?}");
                let equal = |row: &&String| row.contains("equal-");
                let equal = stored.duplicates.iter().filter(equal).count() as u64;
                let totals = &result.totals;
                assert_eq!(totals.rules.equal_text + totals.rules.equal_features, equal);
                num_pairs += pairs.len();
                num_equal += equal;
            }
        }
    }
    assert!(
        num_pairs > 1000 && num_equal > 100,
        "{num_pairs} {num_equal}"
    );
}

#[test]
fn a_study_counts_the_pair_records_and_pairs_of_brute_force() {
    for collection in collections() {
        let limits = collection.limits.iter().map(|limit| limit.commonality);
        let thresholds = collection.limits[0].answers.iter();
        let thresholds = thresholds.map(|stored| stored.threshold.parse().unwrap());
        let asked = SamplingStudy {
            thresholds: thresholds.collect(),
            max_divisor: 2,
            groups: SizeGroups::default(),
            keep_exact: true,
            commonality: limits.collect(),
            max_list: usize::MAX,
            clock: || Duration::ZERO,
        };
        let folder = tempfile::tempdir().unwrap();
        let work = WorkDir::new(folder.path().join("work"));
        let source = in_memory(&collection.documents(), 1);
        let config = collection.config("0.5");
        let result = study_sampling(&source, &config, &asked, &work, &Silent).unwrap();
        assert_eq!(result.pair_records, collection.all_pair_records);
        let mut rows = result.commonality.iter();
        for limit in &collection.limits {
            for stored in &limit.answers {
                let row = rows.next().unwrap();
                let context = (&collection.name, limit.commonality, &stored.threshold);
                assert_eq!(row.limit, limit.commonality);
                assert_eq!(row.pair_records, limit.pair_records, "{context:?}");
                assert_eq!(row.figures.pairs, stored.pairs.len() as u64, "{context:?}");
            }
        }
        assert!(rows.next().is_none());
    }
}

/// The example of the thesis: what more documents share than the limit says is no evidence, also
/// when these documents are equal.
#[test]
fn fifteen_copies_are_no_pairs_at_ten_and_all_pairs_at_fifteen() {
    let copy = |number: u32| TestDocument {
        id: format!("d{number:02}"),
        words: (0..20).collect(),
        value: None,
        old: false,
    };
    let copies: Vec<TestDocument> = (0..15).map(copy).collect();
    for (sample, keep_exact, pairs) in [
        ("commonality:10", false, 105),
        ("commonality:10", true, 0),
        ("commonality:15", true, 105),
    ] {
        let mut config = config("0.5");
        config.sampling = sample.parse().unwrap();
        config.keep_exact = keep_exact;
        config.pairs = PairsMode::All;
        let found = answer(&run(&copies, &config));
        assert_eq!(found.pairs.len(), pairs, "{sample} {keep_exact}");
        let duplicates = if pairs == 0 { 0 } else { 14 };
        assert_eq!(found.duplicates.len(), duplicates, "{sample} {keep_exact}");
    }
}
