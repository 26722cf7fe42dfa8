use super::*;
use crate::document::Silent;
use crate::feature::{Extractor, FeatureKind, FeatureSpec};
use crate::frequency::{DfTable, FeatureSpecText};
use crate::passage::matrix::{Documents, matrix_diagonals, without_frequent};
use crate::passage::signer::{SentenceSignature, SentenceSigner};
use crate::signature::Lexicons;
use crate::store::WorkDir;
use crate::text::{Antecedents, WordOptions};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Nothing fits.
fn tiny() -> Budget {
    Budget {
        chunk_features: 40,
        features: 300,
        claims: 3 * 2 * 40 * 64,
        counters: 2000,
        group: 600,
        index: 400,
        rows: 0,
        ..Budget::new(256 << 20, 1)
    }
}

fn config(matching: Matching, gamma: u32) -> DiagonalConfig {
    DiagonalConfig {
        matching,
        gamma,
        within_document: false,
        max_documents: None,
        max_sentences: None,
        num_old: 0,
        budget: Budget::new(256 << 20, 1),
    }
}

struct Answer {
    diagonals: Vec<Diagonal>,
    frequent: Vec<FrequentSentence>,
    counts: SentenceCounts,
}

/// The fast way, on so many threads.
fn fast(documents: &[Vec<Vec<u64>>], config: &DiagonalConfig, threads: usize) -> Answer {
    let folder = tempfile::tempdir().unwrap();
    let work = WorkDir::new(folder.path().join("work"));
    let sentences = Sentences::new(config, &work);
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let mut collector = sentences.collector();
            scope.spawn(move || {
                let numbered = (0..).zip(documents);
                for (document, given) in numbered.skip(thread).step_by(threads) {
                    let given = given.iter().map(Vec::as_slice);
                    collector.document(document, given).unwrap();
                }
                collector.finish().unwrap();
            });
        }
    });
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    let found = pool
        .build()
        .unwrap()
        .install(|| find_diagonals(sentences, &Silent).unwrap());
    let mut frequent = Vec::new();
    found
        .for_each_frequent(|one| {
            frequent.push(one);
            Ok(())
        })
        .unwrap();
    Answer {
        diagonals: found.diagonals.to_vec().unwrap(),
        frequent,
        counts: found.counts,
    }
}

fn as_sets(documents: &[Vec<Vec<u64>>]) -> Documents {
    let set = |features: &Vec<u64>| features.iter().copied().collect();
    let sets = |sentences: &Vec<Vec<u64>>| sentences.iter().map(set).collect();
    documents.iter().map(sets).collect()
}

/// Sentences of a pool, some with a word changed or removed, as texts.
#[derive(Debug, Clone)]
struct Stream {
    chinese: bool,
    pool: Vec<Vec<u8>>,
    /// For each sentence the one of the pool, what is done to it and where.
    documents: Vec<Vec<(usize, u8, usize)>>,
}

const ENGLISH: [&str; 12] = [
    "the", "river", "of", "gate", "is", "Kings", "rose", "a", "2024", "and", "garden,",
    "was",
];
const CHINESE: [&str; 12] = [
    "国", "法", "的", "人", "民", "是", "中", "务", "院", "和", "，", "权",
];

impl Stream {
    fn sentence(&self, (which, what, at): (usize, u8, usize)) -> String {
        let mut words = self.pool[which % self.pool.len()].clone();
        if !words.is_empty() {
            let at = at % words.len();
            match what {
                0 => {
                    words.remove(at);
                }
                1 => words[at] = (words[at] + 1) % 12,
                _ => {}
            }
        }
        let (list, between) = if self.chinese {
            (&CHINESE, "")
        } else {
            (&ENGLISH, " ")
        };
        let words: Vec<&str> = words.iter().map(|&word| list[word as usize]).collect();
        words.join(between)
    }

    fn texts(&self) -> Vec<Vec<String>> {
        let texts = |document: &Vec<_>| -> Vec<String> {
            document
                .iter()
                .map(|&choice| self.sentence(choice))
                .collect()
        };
        self.documents.iter().map(texts).collect()
    }
}

fn streams() -> impl Strategy<Value = Stream> {
    let sentence = prop_oneof![
        prop::collection::vec(0u8..12, 0..4),
        prop::collection::vec(0u8..12, 4..26)
    ];
    // Stretches of the pool in its order, so that whole stretches are copied.
    let edits = prop::collection::vec((0u8..9, 0usize..26), 1..7);
    let stretch = (0usize..8, edits).prop_map(|(first, edits)| {
        let numbered = (first..).zip(edits);
        let choices = numbered.map(|(which, (what, at))| (which, what, at));
        choices.collect::<Vec<_>>()
    });
    let document = prop::collection::vec(stretch, 0..4).prop_map(|parts| parts.concat());
    let documents = prop::collection::vec(document, 1..8);
    let pool = prop::collection::vec(sentence, 1..8);
    (any::<bool>(), pool, documents).prop_map(|(chinese, pool, documents)| Stream {
        chinese,
        pool,
        documents,
    })
}

/// Signatures of all sentences; df is counted over the documents.
fn signed(kind: &str, texts: &[Vec<String>]) -> (SentenceSignature, Vec<Vec<Vec<u64>>>) {
    let words = WordOptions {
        antecedents: Antecedents::from_lines("list", "the\nis\na\n的\n是").unwrap(),
        ..WordOptions::default()
    };
    let signature = match kind.split_once(':') {
        Some(("shingles", len)) => SentenceSignature::Shingles(len.parse().unwrap()),
        Some(("imatch", _)) => {
            let mut counts: BTreeMap<u64, u32> = BTreeMap::new();
            let mut extractor = Extractor::new(FeatureKind::Terms, &words, 0);
            for text in texts {
                let mut terms = Vec::new();
                extractor.distinct(&text.join(" "), &mut terms);
                for term in terms {
                    *counts.entry(term).or_insert(0) += 1;
                }
            }
            let specification = FeatureSpec::new(FeatureKind::Terms, &words, 0);
            let specification = FeatureSpecText::from(&specification);
            let num = texts.len() as u64;
            let counts = counts.into_iter();
            SentenceSignature::IMatch(Arc::new(Lexicons {
                settings: kind.parse().unwrap(),
                words: words.clone(),
                seed: 0,
                df: Arc::new(DfTable::from_counts(specification, num, 1, counts)),
            }))
        }
        _ => SentenceSignature::SpotSigs,
    };
    let mut signer = SentenceSigner::new(&signature, &words, 0);
    let mut sign = |text: &String| signer.sign(text).to_vec();
    let documents = texts.iter();
    let documents = documents.map(|text| text.iter().map(&mut sign).collect());
    let documents = documents.collect();
    (signature, documents)
}

fn kinds() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "shingles:1",
        "shingles:2",
        "shingles:3",
        "shingles:4",
        "imatch:0.1-1.0,0",
        "imatch:0.0-1.0,3,0.3",
        "spotsigs",
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn diagonals_are_those_of_the_matrices(
        stream in streams(),
        kind in kinds(),
        tau in prop::sample::select(vec!["0.5", "0.8", "0.9", "1"]),
        gamma in 0u32..4,
        within_document in any::<bool>(),
        num_old in 0u32..4,
    ) {
        let (signature, documents) = signed(kind, &stream.texts());
        let matching = signature.matching(tau.parse().unwrap());
        let sets = as_sets(&documents);
        let slow = |gamma| -> Vec<Diagonal> {
            let all = matrix_diagonals(&sets, matching, gamma, within_document);
            all.into_iter().filter(|one| one.right >= num_old).collect()
        };
        let expected = slow(gamma);
        let num_pairs: u64 = slow(0).iter().map(|one| u64::from(one.len)).sum();
        for (budget, threads) in [
            (Budget::new(256 << 20, 1), 1), (tiny(), 1), (tiny(), 3),
        ] {
            let config = DiagonalConfig {
                within_document, num_old, budget, ..config(matching, gamma)
            };
            let answer = fast(&documents, &config, threads);
            prop_assert_eq!(&answer.diagonals, &expected);
            prop_assert_eq!(answer.counts.sentence_pairs, num_pairs);
            prop_assert_eq!(answer.counts.diagonals, expected.len() as u64);
            prop_assert!(answer.frequent.is_empty());
        }
    }

    #[test]
    fn frequent_sentences_are_as_if_they_were_not_there(
        stream in streams(),
        kind in kinds(),
        tau in prop::sample::select(vec!["0.5", "0.8", "0.9", "1"]),
        gamma in 0u32..3,
        within_document in any::<bool>(),
        max_documents in 1u32..4,
    ) {
        let (signature, documents) = signed(kind, &stream.texts());
        let matching = signature.matching(tau.parse().unwrap());
        let sets = as_sets(&documents);
        let left = without_frequent(&sets, matching, max_documents);
        // Where sentences match by keys, those that are left are what counts.
        let expected = matrix_diagonals(&left, matching, gamma, within_document);
        let frequent = slow_frequent(&sets, matching, max_documents);
        for (budget, threads) in [(Budget::new(256 << 20, 1), 1), (tiny(), 3)] {
            let config = DiagonalConfig {
                within_document,
                budget,
                max_documents: Some(max_documents),
                ..config(matching, gamma)
            };
            let answer = fast(&documents, &config, threads);
            prop_assert_eq!(&answer.diagonals, &expected);
            prop_assert_eq!(&answer.frequent, &frequent);
        }
    }
}

/// What the streams are for: signatures that are alike and not equal, diagonals of several
/// sentences, and frequent sentences. Else the properties above would say little.
#[test]
fn streams_have_similar_signatures_and_long_diagonals() {
    let mut runner = TestRunner::deterministic();
    let (mut similar, mut long, mut frequent) = (0, 0, 0);
    for _ in 0..100 {
        let stream = streams().new_tree(&mut runner).unwrap().current();
        let (signature, documents) = signed("shingles:2", &stream.texts());
        let matching = signature.matching("0.8".parse().unwrap());
        let answer = fast(&documents, &config(matching, 3), 1);
        similar += u32::from(answer.counts.signature_pairs > 0);
        long += u32::from(!answer.diagonals.is_empty());
        let left = without_frequent(&as_sets(&documents), matching, 2);
        frequent += u32::from(left != as_sets(&documents));
    }
    // At least a quarter must have each.
    let enough = [similar, long, frequent].iter().all(|&number| number >= 25);
    assert!(enough, "{similar} {long} {frequent}");
}

/// By first sentence the most frequent of the signatures that begin there.
fn slow_frequent(
    sets: &Documents,
    matching: Matching,
    max_documents: u32,
) -> Vec<FrequentSentence> {
    let mut places: BTreeMap<BTreeSet<u64>, Vec<(u32, u32)>> = BTreeMap::new();
    for (document, sentences) in (0..).zip(sets) {
        for (sentence, features) in (0..).zip(sentences) {
            let units: Vec<BTreeSet<u64>> = match matching {
                Matching::Resemblance(_) => vec![features.clone()],
                Matching::SharedKey => features.iter().map(|&key| [key].into()).collect(),
            };
            for unit in units.into_iter().filter(|unit| !unit.is_empty()) {
                places.entry(unit).or_default().push((document, sentence));
            }
        }
    }
    let mut frequent: BTreeMap<(u32, u32), (u32, u32)> = BTreeMap::new();
    for places in places.values() {
        let documents: BTreeSet<u32> = places.iter().map(|place| place.0).collect();
        let numbers = (
            u32::try_from(documents.len()).unwrap(),
            u32::try_from(places.len()).unwrap(),
        );
        if numbers.0 > max_documents {
            let most = frequent.entry(places[0]).or_insert(numbers);
            *most = numbers.max(*most);
        }
    }
    let expected = |(place, numbers): ((u32, u32), (u32, u32))| FrequentSentence {
        document: place.0,
        sentence: place.1,
        num_documents: numbers.0,
        num_sentences: numbers.1,
    };
    frequent.into_iter().map(expected).collect()
}

fn resemblance(tau: &str) -> Matching {
    Matching::Resemblance(tau.parse().unwrap())
}

#[test]
fn sentences_without_features_match_nothing_and_end_diagonals() {
    let (a, b, c) = (vec![11, 12], vec![21], vec![31, 32, 33]);
    let documents = vec![
        vec![a.clone(), vec![], b.clone(), c.clone()],
        vec![a, vec![], b, c],
        vec![vec![], vec![]],
    ];
    let answer = fast(&documents, &config(resemblance("0.9"), 0), 1);
    let diagonal = |first, len| Diagonal {
        left: 0,
        right: 1,
        left_first: first,
        right_first: first,
        len,
    };
    assert_eq!(answer.diagonals, [diagonal(0, 1), diagonal(2, 2)]);
    assert_eq!(answer.counts.signed, 6);
    assert_eq!(answer.counts.unsigned, 4);
    assert_eq!(answer.counts.features, 12);
    assert_eq!(answer.counts.signatures, 3);
}

#[test]
fn short_sentences_match_when_they_are_the_same() {
    let texts = |text: &[&str]| text.iter().map(|&text| text.to_owned()).collect();
    let texts = [
        texts(&["Yes.", "No.", "Indeed he did."]),
        texts(&["YES!", "No…", "Indeed he did not."]),
    ];
    let (signature, documents) = signed("shingles:4", &texts);
    let matching = signature.matching("0.9".parse().unwrap());
    let answer = fast(&documents, &config(matching, 1), 1);
    assert_eq!(answer.diagonals.len(), 1);
    assert_eq!(answer.diagonals[0].len, 2);
}

#[test]
fn sentences_without_a_key_match_nothing() {
    let texts = |text: &[&str]| text.iter().map(|&text| text.to_owned()).collect();
    let texts = [
        texts(&["Yes.", "", "The gardener came."]),
        texts(&["Yes.", "", "The gardener came."]),
    ];
    let (signature, documents) = signed("imatch:0.0-1.0,0", &texts);
    let matching = signature.matching("0.9".parse().unwrap());
    assert_eq!(matching, Matching::SharedKey);
    let answer = fast(&documents, &config(matching, 0), 1);
    assert_eq!(answer.diagonals.len(), 1);
    assert_eq!(answer.diagonals[0].left_first, 2);
    assert_eq!(answer.counts.unsigned, 4);
}

/// A sentence in all documents: counted and listed, and no pair is made of it.
#[test]
fn a_frequent_sentence_costs_no_pairs() {
    let documents: Vec<Vec<Vec<u64>>> = (0..3000u64)
        .map(|number| vec![vec![7, 8, 9], vec![1000 + number / 2]])
        .collect();
    let limited = DiagonalConfig {
        max_documents: Some(100),
        ..config(resemblance("0.9"), 0)
    };
    let answer = fast(&documents, &limited, 1);
    assert_eq!(answer.counts.sentence_pairs, 1500);
    assert_eq!(answer.counts.frequent, 1);
    assert_eq!(
        answer.frequent,
        [FrequentSentence {
            document: 0,
            sentence: 0,
            num_documents: 3000,
            num_sentences: 3000,
        }]
    );
}

#[test]
fn a_sentence_that_fills_a_few_documents_can_be_limited_too() {
    let documents: Vec<Vec<Vec<u64>>> = vec![vec![vec![5, 6]; 50]; 2];
    let unlimited = fast(&documents, &config(resemblance("0.9"), 0), 1);
    assert_eq!(unlimited.counts.sentence_pairs, 2500);
    let limited = DiagonalConfig {
        max_sentences: Some(99),
        ..config(resemblance("0.9"), 0)
    };
    let answer = fast(&documents, &limited, 1);
    assert_eq!(answer.counts.sentence_pairs, 0);
    assert_eq!(answer.frequent[0].num_sentences, 100);
}
