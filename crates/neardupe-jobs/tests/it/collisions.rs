//! Documents that were made to be taken for others (corpus/collisions).

use neardupe_core::document::MemorySource;
use neardupe_core::feature::{Extractor, FeatureKind};
use neardupe_core::text::WordOptions;
use neardupe_jobs::{FindSpec, FoundDuplicate, Params};
use serde_json::Value;
use std::io::Read;
use std::path::PathBuf;
use std::time::{Duration, Instant};

fn corpus(name: &str) -> PathBuf {
    let corpus =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus/collisions");
    corpus.join(name)
}

fn find(name: &str, key: &str, options: &[(&str, &str)]) -> Vec<FoundDuplicate> {
    let text = std::fs::read_to_string(corpus(name)).unwrap();
    let rows: Vec<Value> = text
        .lines()
        .map(|row| serde_json::from_str(row).unwrap())
        .collect();
    let field = |row: &Value, name: &str| row[name].as_str().unwrap().to_owned();
    let documents = rows
        .iter()
        .map(|row| (field(row, "id"), field(row, "text")));
    let mut spec = FindSpec::default();
    // Tests run beside each other: each needs a place of its own.
    let work = tempfile::tempdir().unwrap();
    let place = work.path().to_str().unwrap();
    spec.set("work-dir", &place.into()).unwrap();
    spec.set("hash-key", &key.into()).unwrap();
    for (name, value) in options {
        spec.set(name, &(*value).into()).unwrap();
    }
    spec.find_in(&MemorySource::of_documents(documents))
        .unwrap()
}

fn is_attack(found: &FoundDuplicate) -> bool {
    [&found.duplicate, &found.representative]
        .iter()
        .any(|id| id.contains("attacker"))
}

#[test]
fn a_page_with_the_feature_values_of_another_does_not_take_its_place() {
    // It does by the public hash: the file is what it says.
    assert!(find("features.jsonl", "public", &[]).iter().any(is_attack));
    for _ in 0..20 {
        assert!(!find("features.jsonl", "random", &[]).iter().any(is_attack));
    }
    // Methods whose results depend on values take a key that is given, since it is the same tomorrow.
    let key = "00000000000000000000000000000007";
    for options in [&[][..], &[("method", "minhash")], &[("sample", "winnow:4")]] {
        assert!(!find("features.jsonl", key, options).iter().any(is_attack));
    }
}

#[test]
fn a_text_with_the_hash_of_another_is_another_text() {
    let public = neardupe_core::hash::text;
    let text = std::fs::read_to_string(corpus("text.jsonl")).unwrap();
    let rows = text
        .lines()
        .map(|row| serde_json::from_str::<Value>(row).unwrap());
    let hashes: Vec<u128> = rows
        .map(|row| public(row["text"].as_str().unwrap()))
        .collect();
    assert_eq!(hashes[0], hashes[1]);
    for key in ["random", "public"] {
        // Whatever the features are hashed by.
        for options in [&[][..], &[("method", "minhash")]] {
            assert!(
                !find("text.jsonl", key, options).iter().any(is_attack),
                "{key}"
            );
        }
    }
}

#[test]
fn words_that_were_made_to_meet_in_one_slot_cost_no_more_than_others() {
    let packed = std::fs::File::open(corpus("flood.txt.gz")).unwrap();
    let mut text = String::new();
    flate2::read::GzDecoder::new(packed)
        .read_to_string(&mut text)
        .unwrap();
    let other: String = text
        .chars()
        .map(|one| if one == 'a' { 'b' } else { one })
        .collect();
    let kind = FeatureKind::Words(1);
    let mut extractor = Extractor::new(kind, &WordOptions::default(), 0);
    let mut time = |text: &str| {
        let mut features = Vec::new();
        let start = Instant::now();
        extractor.extract(text, &mut features);
        (start.elapsed(), features.len())
    };
    let (flood, num_features) = time(&text);
    assert!(num_features > 4_000);
    // It took 22 s; ordinary text of this length takes milliseconds.
    let limit = time(&other).0 * 20 + Duration::from_millis(500);
    assert!(flood < limit, "{flood:?}");
}
