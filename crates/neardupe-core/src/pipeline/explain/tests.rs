use super::*;
use crate::document::{MemorySource, Silent};
use crate::feature::{Extractor, FeatureKind};
use crate::similarity::Similarity;
use crate::text::WordOptions;
use crate::threshold::Threshold;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn features(text: &str) -> Vec<u64> {
    let mut features = Vec::new();
    Extractor::new(FeatureKind::Words(1), &WordOptions::default(), 0)
        .extract(text, &mut features);
    features
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn no_filter_drops_a_similar_pair_and_counts_are_exact(
        pages in prop::collection::vec("([a-m] ){0,14}", 2..10),
        threshold in prop::sample::select(vec!["0.3", "0.5", "0.8", "1"]),
        similarity in prop::sample::select(vec![Similarity::Resemblance, Similarity::S3]),
        threads in 1usize..4,
    ) {
        let (left, right) = (features(&pages[0]), features(&pages[1]));
        let both = left.iter().chain(&right).copied();
        let source = MemorySource::of_texts(&pages);
        let counts = count_features(
            &source, both.clone(), FeatureKind::Words(1), &WordOptions::default(), 0, threads,
            &Silent,
        ).unwrap();
        prop_assert_eq!(counts.num_documents, pages.len() as u64);
        let sets: BTreeSet<BTreeSet<u64>> =
            pages.iter().map(|text| features(text).into_iter().collect()).collect();
        for feature in both {
            let expected = sets.iter().filter(|set| set.contains(&feature)).count();
            prop_assert_eq!(counts.of(feature) as usize, expected);
        }
        let threshold: Threshold = threshold.parse().unwrap();
        let bounds = Bounds::new(similarity, threshold);
        let steps = JoinSteps::new(&left, &right, &counts, bounds, false);
        let (part, whole) = steps.overlap.ratio(similarity).parts();
        let (p, q) = threshold.ratio().parts();
        let is_similar = part > 0 && part * q >= p * whole;
        let is_found = matches!(steps.verdict, Verdict::Similar | Verdict::Equal);
        prop_assert_eq!(is_similar, is_found, "{:?}", steps.verdict);
        for common in &steps.common {
            let (one, other) = (common.left_position, common.right_position);
            prop_assert_eq!(steps.left.features[one as usize], common.feature);
            prop_assert_eq!(steps.right.features[other as usize], common.feature);
        }
        prop_assert!(steps.left.counts.is_sorted());
    }
}

#[test]
fn each_filter_can_be_the_one_that_decides() {
    let verdict = |left: &str, right: &str, threshold: &str| {
        let pages = MemorySource::of_texts([left, right]);
        let (left, right) = (features(left), features(right));
        let both = left.iter().chain(&right).copied();
        let (kind, words) = (FeatureKind::Words(1), WordOptions::default());
        let counts = count_features(&pages, both, kind, &words, 0, 1, &Silent).unwrap();
        let threshold = threshold.parse().unwrap();
        let bounds = Bounds::new(Similarity::Resemblance, threshold);
        JoinSteps::new(&left, &right, &counts, bounds, false).verdict
    };
    assert_eq!(verdict("", "a", "0.5"), Verdict::Empty);
    assert_eq!(verdict("a b", "b a", "0.5"), Verdict::Equal);
    assert_eq!(verdict("a b c d", "a", "0.5"), Verdict::Length);
    assert_eq!(verdict("a b c d", "e f g h", "0.5"), Verdict::Prefix);
    assert_eq!(verdict("a b c d", "a b c e", "0.6"), Verdict::Similar);
    assert_eq!(verdict("a b c d", "a b e f", "0.3"), Verdict::Similar);
}
