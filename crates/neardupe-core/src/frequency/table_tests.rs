use super::*;
use crate::feature::{FeatureKind, FeatureSpec};
use crate::hash::mix;
use crate::text::{StopWords, WordOptions};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fs;

fn specification(kind: &str, stop_words: &str, seed: u64) -> FeatureSpec {
    let options = WordOptions {
        stop_words: StopWords::named(stop_words).unwrap(),
        ..WordOptions::default()
    };
    FeatureSpec::new(kind.parse::<FeatureKind>().unwrap(), &options, seed)
}

fn table(num_documents: u64, unseen: u32, counts: &[(u64, u32)]) -> DfTable {
    let specification = FeatureSpecText::from(&specification("terms", "none", 0));
    DfTable::from_counts(specification, num_documents, unseen, counts.iter().copied())
}

/// A table with all features of its documents.
fn complete(num_documents: u64, counts: &BTreeMap<u64, u32>) -> DfTable {
    let facts = Facts {
        specification: FeatureSpecText::from(&specification("terms", "none", 0)),
        num_documents,
        min_df: 1,
        uncertainty: 0,
    };
    let (features, dfs) = counts.iter().map(|(&feature, &df)| (feature, df)).unzip();
    DfTable::of(facts, features, dfs)
}

#[test]
fn features_in_the_table_have_their_number_and_others_the_unseen_one() {
    let counts: Vec<(u64, u32)> = (1..5000).map(|at| (mix(at), 3)).collect();
    for len in [0, 1, 2, 3, 100, 4999] {
        let table = table(9, 2, &counts[..len]);
        assert_eq!((table.len(), table.is_empty()), (len, len == 0));
        for (at, &(feature, df)) in counts.iter().enumerate() {
            assert_eq!(table.df(feature), if at < len { df } else { 2 });
        }
        for edge in [1, u64::MAX, 1 << 63] {
            assert_eq!(table.get(edge), None);
        }
    }
    let ends = table(9, 1, &[(u64::MAX, 4), (1, 5), (1, 2)]);
    assert_eq!((ends.df(u64::MAX), ends.df(1), ends.len()), (4, 7, 2));
    assert!((ends.idf(u64::MAX) - (9.0f64 / 4.0).ln()).abs() < 1e-12);
    assert!(table(0, 0, &[]).idf(7).abs() < 1e-12);
}

#[test]
fn the_identity_changes_with_anything_that_weights_depend_on() {
    let first = table(9, 1, &[(3, 4), (5, 6)]);
    assert!(first.identity().starts_with("df1-") && first.identity().len() == 20);
    assert_eq!(first.identity(), table(9, 1, &[(5, 6), (3, 4)]).identity());
    let other = FeatureSpecText::from(&specification("terms", "none", 1));
    let others = [
        table(10, 1, &[(3, 4), (5, 6)]),
        table(9, 2, &[(3, 4), (5, 6)]),
        table(9, 1, &[(3, 4), (5, 7)]),
        table(9, 1, &[(4, 4), (5, 6)]),
        table(9, 1, &[(3, 4)]),
        table(9, 1, &[]),
        DfTable::from_counts(other, 9, 1, [(3, 4), (5, 6)].into_iter()),
    ];
    let mut names: Vec<&str> = others.iter().map(DfTable::identity).collect();
    names.push(first.identity());
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), others.len() + 1);
    // A change of this name makes every stored signature worthless: it needs a new prefix.
    let plain = FeatureSpecText {
        features: "terms".to_owned(),
        word_rule: "rule".to_owned(),
        stop_words: "none".to_owned(),
        stem: "none".to_owned(),
        unicode: "18.0".to_owned(),
        hash: "hash".to_owned(),
        seed: 0,
    };
    let fixed = DfTable::from_counts(plain, 9, 1, [(3, 4), (5, 6)].into_iter());
    assert_eq!(fixed.identity(), "df1-6b33021edad62c18");
}

#[test]
fn a_table_of_other_features_is_refused_by_what_differs() {
    let table = table(9, 1, &[(3, 4)]);
    table.check(&specification("terms", "none", 0)).unwrap();
    let refused = |specification: &FeatureSpec| {
        let message = table.check(specification).unwrap_err().to_string();
        assert!(message.starts_with("df-table: "), "{message}");
        message
    };
    let message = refused(&specification("terms", "en", 0));
    assert!(
        message.contains(" stop words none in place of en"),
        "{message}"
    );
    let message = refused(&specification("words:5", "none", 7));
    assert!(
        message.contains("features terms in place of words:5; words "),
        "{message}"
    );
    assert!(message.contains("seed 0 in place of 7"), "{message}");
}

#[test]
fn what_is_cut_is_counted_as_unseen() {
    let table = table(90, 1, &[(1, 9), (2, 5), (3, 5), (4, 2)]);
    let found = |min_df, most| {
        let cut = table.clone().cut(min_df, most);
        (cut.len(), cut.unseen(), cut.df(1), cut.df(4))
    };
    assert_eq!(found(2, 4), (4, 1, 9, 2));
    assert_eq!(found(3, 4), (3, 2, 9, 2));
    assert_eq!(found(0, 3), (3, 2, 9, 2));
    // Two features have the same number: both stay or go.
    assert_eq!(found(0, 2), (1, 5, 9, 5));
    assert_eq!(found(0, 0), (0, 9, 9, 9));
}

#[test]
fn files_come_back_and_damage_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.df");
    for len in [0, 1, 300] {
        let counts: Vec<(u64, u32)> = (0..len).map(|at| (mix(at), 7)).collect();
        let table = table(500, 6, &counts);
        table.write(&path).unwrap();
        let read = DfTable::read(&path).unwrap();
        assert_eq!(read.identity(), table.identity());
        assert_eq!(read.specification(), table.specification());
        assert_eq!((read.num_documents(), read.unseen()), (500, 6));
        assert!(read.entries().eq(table.entries()));
    }
    let whole = fs::read(&path).unwrap();
    for at in (0..whole.len()).step_by(37) {
        let mut damaged = whole.clone();
        damaged[at] ^= 16;
        fs::write(&path, &damaged).unwrap();
        assert!(DfTable::read(&path).is_err(), "byte {at}");
        fs::write(&path, &whole[..at]).unwrap();
        assert!(DfTable::read(&path).is_err(), "cut at {at}");
    }
    let text = String::from_utf8_lossy(&whole[..20]).into_owned();
    assert!(text.starts_with("neardupe df-table 1\n"), "{text}");
    let mut later = whole.clone();
    later[18] = b'2';
    fs::write(&path, &later).unwrap();
    let message = DfTable::read(&path).unwrap_err().to_string();
    assert!(message.contains("version 1, found version 2"), "{message}");
    fs::write(&path, "rare words").unwrap();
    let message = DfTable::read(&path).unwrap_err().to_string();
    assert!(message.contains("is not a file that begins"), "{message}");
    let missing = DfTable::read(&folder.path().join("none"));
    assert!(missing.unwrap_err().to_string().contains("none"));
}

#[test]
fn a_well_sealed_file_that_is_no_table_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.df");
    table(5, 1, &[(3, 4), (5, 6)]).write(&path).unwrap();
    let whole = fs::read(&path).unwrap();
    let content = &whole[20..whole.len() - 8];
    let refused =
        |content: &[u8]| decode(content).map_or_else(|what| what, |_| String::new());
    assert_eq!(refused(content), "");
    assert!(refused(&content[..content.len() - 1]).contains("entries of 12"));
    assert!(refused(&content[..content.len() - 12]).contains("2 entries of 12"));
    assert!(refused(b"no header").contains("no header"));
    assert!(refused(b"{}\n").contains("its header"));
    let mut mixed = content.to_vec();
    let at = content.len() - 24;
    mixed[at] = 9;
    assert!(refused(&mixed).contains("not in order"));
}

#[test]
fn tables_of_different_features_are_not_added_up() {
    let other = FeatureSpecText::from(&specification("terms", "en", 0));
    let other = DfTable::from_counts(other, 1, 1, std::iter::empty());
    let message = DfTable::merge(&[table(1, 1, &[]), other]).unwrap_err();
    let message = message.to_string();
    assert!(
        message.contains("stop words none in the first"),
        "{message}"
    );
    assert!(DfTable::merge(&[]).is_err());
}

#[test]
fn what_tables_have_left_out_is_told_of_their_sum() {
    let first = table(100, 1, &[(1, 50), (2, 2)]);
    let second = table(200, 4, &[(1, 20), (3, 5), (4, 6)]);
    let sum = DfTable::merge(&[first, second]).unwrap();
    // A feature in neither may have 1 + 4 documents, so 2 and 3 are as good as unseen.
    assert_eq!((sum.num_documents(), sum.unseen(), sum.len()), (300, 5, 2));
    assert_eq!((sum.df(1), sum.df(2), sum.df(3), sum.df(4)), (70, 5, 5, 6));
    assert_eq!(sum.uncertainty(), 4);
}

proptest! {
    #[test]
    fn the_sum_of_complete_tables_is_the_table_of_all_documents(
        parts in prop::collection::vec(
            prop::collection::btree_map(0u64..40, 1u32..9, 0..30), 1..5
        ),
    ) {
        let mut all: BTreeMap<u64, u32> = BTreeMap::new();
        for (&feature, &df) in parts.iter().flatten() {
            *all.entry(feature).or_insert(0) += df;
        }
        let tables: Vec<DfTable> = parts.iter().map(|part| complete(10, part)).collect();
        let sum = DfTable::merge(&tables).unwrap();
        // Through the work directory it is the same.
        let folder = tempfile::tempdir().unwrap();
        let work = crate::store::WorkDir::new(folder.path().join("work"));
        let mut merger = super::super::merge::Merger::new(&work, 1300);
        let silent = crate::document::Silent;
        tables.iter().for_each(|table| merger.add(table, &silent).unwrap());
        let spilled = merger.finish(1, usize::MAX, &silent).unwrap();
        prop_assert_eq!(spilled.identity(), sum.identity());
        let expected = complete(10 * parts.len() as u64, &all);
        prop_assert_eq!(sum.identity(), expected.identity());
        prop_assert_eq!((sum.min_df(), sum.uncertainty()), (1, 0));
    }

    #[test]
    fn sums_of_cut_tables_are_as_near_as_they_say(
        parts in prop::collection::vec(
            (prop::collection::btree_map(0u64..20, 1u32..9, 0..20), 1u32..5), 1..5
        ),
    ) {
        let mut all: BTreeMap<u64, u64> = BTreeMap::new();
        let mut tables = Vec::new();
        for (part, min_df) in &parts {
            for (&feature, &df) in part {
                *all.entry(feature).or_insert(0) += u64::from(df);
            }
            tables.push(complete(10, part).cut(*min_df, usize::MAX));
        }
        let sum = DfTable::merge(&tables).unwrap();
        for (feature, df) in sum.entries() {
            let df = u64::from(df);
            prop_assert!(df <= all[&feature] && all[&feature] <= df + sum.uncertainty());
        }
    }
}
