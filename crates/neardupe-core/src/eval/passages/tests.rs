//! The measures against their definitions, with sets of characters.

use super::*;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

type Characters = BTreeSet<(u32, u32)>;

fn side(document: u32, start: u32, end: u32) -> LocatedSide {
    LocatedSide {
        document,
        start,
        end,
    }
}

fn of_side(side: LocatedSide) -> Characters {
    (side.start..side.end)
        .map(|place| (side.document, place))
        .collect()
}

fn characters(passage: &LocatedPassage) -> Characters {
    passage.sides().into_iter().flat_map(of_side).collect()
}

/// What a passage found and a true one have in common, if the one detects the other.
fn detected(truth: &LocatedPassage, found: &LocatedPassage) -> Option<Characters> {
    let [a, b] = truth.sides().map(of_side);
    let [c, d] = found.sides().map(of_side);
    let meet = |one: &Characters, other: &Characters| !one.is_disjoint(other);
    let detects = (meet(&a, &c) && meet(&b, &d)) || (meet(&a, &d) && meet(&b, &c));
    let both = || &characters(truth) & &characters(found);
    detects.then(both)
}

fn union<'a>(passages: impl Iterator<Item = &'a LocatedPassage>) -> Characters {
    passages.flat_map(characters).collect()
}

#[expect(clippy::cast_precision_loss, reason = "a measure")]
fn mean_share(of: &[LocatedPassage], by: &[LocatedPassage]) -> Option<f64> {
    let share = |one: &LocatedPassage| {
        let covered: Characters = by
            .iter()
            .filter_map(|other| detected(one, other))
            .flatten()
            .collect();
        covered.len() as f64 / characters(one).len() as f64
    };
    (!of.is_empty()).then(|| of.iter().map(share).sum::<f64>() / of.len() as f64)
}

fn near(left: Option<f64>, right: Option<f64>) -> bool {
    match (left, right) {
        (Some(left), Some(right)) => (left - right).abs() < 1e-9,
        (left, right) => left.is_none() && right.is_none(),
    }
}

fn some_passage() -> impl Strategy<Value = LocatedPassage> {
    let one = || {
        (0u32..4, 0u32..25, 1u32..12)
            .prop_map(|(document, start, length)| side(document, start, start + length))
    };
    (one(), one()).prop_map(|(one, other)| LocatedPassage::new(one, other))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(800))]

    #[test]
    #[expect(clippy::cast_precision_loss, reason = "measures")]
    fn measures_are_those_of_the_definition(
        truth in proptest::collection::btree_map(some_passage(), 0u32..3, 0..14),
        found in proptest::collection::btree_set(some_passage(), 0..14),
    ) {
        let listed = truth.iter().map(|(&passage, &kind)| TruePassage { passage, kind });
        let found: Vec<LocatedPassage> = found.into_iter().collect();
        let measures = measure(listed.collect(), found.clone());
        let only: Vec<LocatedPassage> = truth.keys().copied().collect();

        let pairs = || only.iter().flat_map(|one| found.iter().map(move |two| (one, two)));
        let both: Characters =
            pairs().filter_map(|(one, two)| detected(one, two)).flatten().collect();
        let (in_truth, in_found) = (union(only.iter()), union(found.iter()));
        prop_assert_eq!(measures.characters, CharacterCounts {
            truth: in_truth.len() as u64,
            found: in_found.len() as u64,
            both: both.len() as u64,
        });
        let is_detected = |one: &&LocatedPassage| found.iter().any(|two| detected(one, two).is_some());
        let num_detected = only.iter().filter(is_detected).count();
        prop_assert_eq!(measures.detected, num_detected as u64);
        let is_right = |two: &&LocatedPassage| only.iter().any(|one| detected(one, two).is_some());
        prop_assert_eq!(measures.right, found.iter().filter(is_right).count() as u64);
        let detections = pairs().filter(|(one, two)| detected(one, two).is_some()).count();
        prop_assert_eq!(measures.detections, detections as u64);
        let granularity = (num_detected > 0).then(|| detections as f64 / num_detected as f64);
        prop_assert!(near(measures.granularity, granularity));
        prop_assert!(near(measures.by_passage.recall, mean_share(&only, &found)));
        prop_assert!(near(measures.by_passage.precision, mean_share(&found, &only)));

        let mut kinds: BTreeMap<u32, Vec<LocatedPassage>> = BTreeMap::new();
        for (&passage, &kind) in &truth {
            kinds.entry(kind).or_default().push(passage);
        }
        for (kind, only) in kinds {
            let measures = measures.kinds[kind as usize];
            prop_assert_eq!(measures.passages, only.len() as u64);
            prop_assert_eq!(measures.detected, only.iter().filter(is_detected).count() as u64);
            prop_assert_eq!(measures.characters, union(only.iter()).len() as u64);
            let both: Characters = only
                .iter()
                .flat_map(|one| found.iter().filter_map(|two| detected(one, two)))
                .flatten()
                .collect();
            prop_assert_eq!(measures.found, both.len() as u64);
            prop_assert!(near(measures.macro_recall, mean_share(&only, &found)));
        }
    }
}

fn passage(left: (u32, u32), right: (u32, u32)) -> LocatedPassage {
    LocatedPassage::new(side(0, left.0, left.1), side(1, right.0, right.1))
}

#[test]
fn a_passage_found_in_two_pieces_costs_granularity() {
    let truth = vec![TruePassage {
        passage: passage((0, 100), (200, 300)),
        kind: 0,
    }];
    let whole = measure(truth.clone(), vec![passage((0, 100), (200, 300))]);
    assert_eq!(whole.granularity, Some(1.0));
    assert_eq!(whole.micro.plagdet, Some(1.0));
    let pieces = vec![passage((0, 50), (200, 250)), passage((50, 100), (250, 300))];
    let pieces = measure(truth, pieces);
    assert_eq!(pieces.granularity, Some(2.0));
    assert_eq!(pieces.micro.f1, Some(1.0));
    assert!(near(pieces.micro.plagdet, Some(1.0 / libm::log2(3.0))));
}

#[test]
fn both_sides_must_overlap() {
    let truth = vec![TruePassage {
        passage: passage((0, 100), (200, 300)),
        kind: 0,
    }];
    // Right on one side only.
    let found = measure(truth.clone(), vec![passage((0, 100), (0, 100))]);
    assert_eq!((found.detected, found.characters.both), (0, 0));
    assert_eq!(found.micro.plagdet, Some(0.0));
    assert_eq!(found.granularity, None);
    // Partly right on both: 60 + 20 of 200 characters that were found.
    let found = measure(truth, vec![passage((40, 140), (280, 380))]);
    assert_eq!(found.characters.both, 80);
    assert!(near(found.micro.precision, Some(0.4)));
}

#[test]
fn nothing_is_divided_by_nothing() {
    let none = measure(Vec::new(), Vec::new());
    assert_eq!(none, PassageMeasures::default());
    let found = measure(Vec::new(), vec![passage((0, 9), (0, 9))]);
    assert_eq!(
        (found.micro.precision, found.micro.recall),
        (Some(0.0), None)
    );
    assert_eq!(found.micro.f1, Some(0.0));
}

/// A mean of nothing is shown as 0, not as -0.
#[test]
fn what_is_not_found_has_a_recall_of_plain_zero() {
    let passage = LocatedPassage::new(side(0, 0, 9), side(1, 0, 9));
    let known = vec![TruePassage { passage, kind: 0 }];
    let measures = measure(known, Vec::new());
    let recall = measures.by_passage.recall.map(f64::to_bits);
    assert_eq!(recall, Some(0));
}
