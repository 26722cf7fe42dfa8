use super::*;
use crate::document::{MemoryDocument, MemoryRow, MemoryRows, MemorySource, Silent};
use crate::error::Error;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Texts in parts; every seventh is followed by a bad record.
struct Texts {
    parts: Vec<Vec<String>>,
}

/// Rows of texts; what is none is a bad record.
struct Rows<'a>(Vec<Option<&'a str>>);

impl MemoryRows for Rows<'_> {
    fn num_rows(&self) -> usize {
        self.0.len()
    }

    fn row(&self, number: usize) -> MemoryRow<'_> {
        match self.0[number] {
            None => MemoryRow::Bad(BadKind::Json, format!("bad {number}")),
            Some(text) => MemoryRow::Document(MemoryDocument {
                text: text.into(),
                ..MemoryDocument::default()
            }),
        }
    }
}

impl Texts {
    fn source(&self) -> MemorySource<Rows<'_>> {
        let mut rows = Vec::new();
        for part in &self.parts {
            for (number, text) in part.iter().enumerate() {
                rows.push(Some(text.as_str()));
                if number % 7 == 0 {
                    rows.push(None);
                }
            }
        }
        let len = rows.len().div_ceil(self.parts.len());
        MemorySource::new("texts", Rows(rows)).shared_by(1, len)
    }
}

fn config(kind: &str, threads: usize) -> CountConfig {
    CountConfig {
        features: kind.parse().unwrap(),
        words: WordOptions::default(),
        seed: 5,
        threads,
        budget: Budget::new(1 << 30, threads),
        min_df: 1,
        max_entries: usize::MAX,
    }
}

fn counted(source: &Texts, config: &CountConfig) -> Result<CountedTable> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("work");
    let counted = count(
        &source.source(),
        config,
        &WorkDir::new(path.clone()),
        &Silent,
    );
    assert!(!path.exists(), "the work directory goes when it is done");
    counted
}

/// The definition: a map over all documents.
fn slow(source: &Texts, config: &CountConfig) -> (u64, BTreeMap<u64, u32>) {
    let mut counts = BTreeMap::new();
    let mut num_documents = 0;
    for text in source.parts.iter().flatten() {
        let mut features = Vec::new();
        Extractor::new(config.features, &config.words, config.seed)
            .distinct(text, &mut features);
        let features: BTreeSet<u64> = features.into_iter().collect();
        num_documents += u64::from(!features.is_empty());
        for feature in features {
            *counts.entry(feature).or_insert(0) += 1;
        }
    }
    (num_documents, counts)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn counts_are_those_of_a_plain_map_for_any_threads_and_memory(
        parts in prop::collection::vec(
            prop::collection::vec("([a-d] |[a-c][a-e] |[a-z]{3} |. ){0,12}", 0..30), 1..4
        ),
        kind in prop::sample::select(vec!["terms", "words:2", "chars:3"]),
        min_df in 0u32..4,
        max_entries in prop::sample::select(vec![0, 1, 5, 20, usize::MAX]),
    ) {
        let source = Texts { parts };
        let (num_documents, all) = slow(&source, &config(kind, 1));
        let mut least = min_df.max(1);
        while all.values().filter(|&&df| df >= least).count() > max_entries {
            least += 1;
        }
        for (threads, features) in [(1, None), (4, None), (1, Some(1100)), (4, Some(3000))] {
            let mut config = config(kind, threads);
            config.min_df = min_df;
            config.max_entries = max_entries;
            if let Some(bytes) = features {
                // Maps of 14 or 28 entries; a table of more than 34 or 93 is refused.
                config.budget.features = bytes;
                config.budget.read_threads = threads;
            }
            let counted = match counted(&source, &config) {
                Err(Error::Limit { .. }) if features.is_some() => continue,
                counted => counted.unwrap(),
            };
            let table = &counted.table;
            prop_assert_eq!(table.num_documents(), num_documents);
            let kept = all.iter().filter(|&(_, &df)| df >= least);
            prop_assert!(table.entries().eq(kept.map(|(&feature, &df)| (feature, df))));
            prop_assert_eq!(counted.num_features, all.len() as u64);
            let bound = all.values().filter(|&&df| df < least).max();
            prop_assert!(bound.is_none_or(|&df| df <= table.unseen()));
            let num_texts = source.parts.iter().map(|part| part.len() as u64).sum::<u64>();
            prop_assert_eq!(num_documents + counted.num_empty, num_texts);
        }
    }
}

/// Many texts whose words are spread over a large vocabulary.
fn many() -> Texts {
    let text = |number: u64| {
        let words = (0..40).map(|at| {
            let word = crate::hash::mix(number * 40 + at) % (1 << (at % 14));
            format!("w{word}")
        });
        words.collect::<Vec<_>>().join(" ")
    };
    Texts {
        parts: vec![
            (0..300).map(text).collect(),
            (300..500).map(text).collect(),
            vec!["...".to_owned()],
        ],
    }
}

#[test]
fn spilled_counts_give_the_table_of_counts_in_memory() {
    let source = many();
    let straight = counted(&source, &config("terms", 1)).unwrap();
    assert!(!straight.spilled);
    assert_eq!(
        (straight.table.num_documents(), straight.num_empty),
        (500, 1)
    );
    for threads in [1, 4] {
        let mut config = config("terms", threads);
        config.budget.read_threads = threads;
        // Hundreds of runs, so that they are merged on the way; a table of twenty fits.
        config.budget.features = 700;
        config.max_entries = 20;
        let spilled = counted(&source, &config).unwrap();
        assert!(spilled.spilled);
        let expected = straight.table.clone().cut(1, 20);
        assert_eq!(spilled.table.identity(), expected.identity());
        assert!(spilled.table.len() > 10);
    }
}

#[test]
fn a_table_that_does_not_fit_is_refused() {
    let mut config = config("terms", 1);
    config.budget.features = 700;
    let message = counted(&many(), &config).unwrap_err().to_string();
    assert!(message.contains("lower `max-entries`"), "{message}");
}

#[test]
fn bad_records_are_counted_and_the_first_are_told() {
    for threads in [1, 3] {
        let counted = counted(&many(), &config("terms", threads)).unwrap();
        let bad = counted.bad_records[&BadKind::Json];
        assert_eq!(bad, 43 + 29 + 1);
        let shown: Vec<(&str, u64, &str)> = counted
            .bad_sample
            .iter()
            .map(|bad| (&*bad.file, bad.number, &*bad.detail))
            .collect();
        assert_eq!(shown.len(), SHOWN_BAD);
        assert_eq!(shown[0], ("texts", 2, "bad 1"));
        assert!(shown.is_sorted_by_key(|&(_, number, _)| number));
    }
}
