//! Measures of a predicted relation against the true one, from three numbers a document: how
//! many duplicates are predicted, how many are true, and how many are both.
//!
//! That is enough for all of them, for clusters and for pairs that are not transitive:
//!
//! - *pairs*: half the sums over documents are the numbers of pairs; precision, recall, F1.
//! - *B-cubed* (Bagga and Baldwin 1998; for relations that are not partitions, each document with
//!   its duplicates and itself): the means of `(both + 1) / (predicted + 1)` and
//!   `(both + 1) / (true + 1)`.
//! - *adjusted Rand index* (Hubert and Arabie 1985), in the form by pair counts:
//!   `2 (ad - bc) / ((a + b)(b + d) + (a + c)(c + d))` with a pairs in both, b predicted only,
//!   c true only, d in neither.
//! - *strict accuracy*: the share of documents whose duplicates are exactly the true ones.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Takes documents one by one.
#[derive(Debug, Clone, Default)]
pub struct DuplicateTally {
    all: DuplicateSums,
    /// Documents that have a duplicate, predicted or true.
    involved: DuplicateSums,
}

/// Sums over documents.
#[derive(Debug, Clone, Default)]
struct DuplicateSums {
    documents: u64,
    predicted: u128,
    truth: u128,
    both: u128,
    exact: u64,
    /// Sum of `both + 1` by `predicted + 1`: exact until the last division.
    precision: BTreeMap<u64, u128>,
    /// Sum of `both + 1` by `true + 1`.
    recall: BTreeMap<u64, u128>,
}

impl DuplicateSums {
    fn add(&mut self, predicted: u64, truth: u64, both: u64, documents: u64) {
        let times = u128::from(documents);
        self.documents += documents;
        self.predicted += times * u128::from(predicted);
        self.truth += times * u128::from(truth);
        self.both += times * u128::from(both);
        if predicted == both && truth == both {
            self.exact += documents;
        }
        let common = times * (u128::from(both) + 1);
        // Terms with the same divisor are added as whole numbers: documents may come in any order,
        // from any number of threads, and the sums are the same.
        *self.precision.entry(predicted + 1).or_insert(0) += common;
        *self.recall.entry(truth + 1).or_insert(0) += common;
    }

    /// Means over the documents; none without documents.
    fn by_document(&self) -> Option<ByDocument> {
        let precision = mean(&self.precision, self.documents)?;
        let recall = mean(&self.recall, self.documents)?;
        Some(ByDocument {
            documents: self.documents,
            bcubed_precision: precision,
            bcubed_recall: recall,
            bcubed_f1: 2.0 * precision * recall / (precision + recall),
            exact: self.exact,
            strict_accuracy: quotient(
                u128::from(self.exact),
                u128::from(self.documents),
            )?,
        })
    }
}

impl DuplicateTally {
    /// Counts `documents` documents, each with so many duplicates predicted, true, and both.
    pub fn add(&mut self, predicted: u64, truth: u64, both: u64, documents: u64) {
        debug_assert!(both <= predicted && both <= truth);
        if documents == 0 {
            return;
        }
        self.all.add(predicted, truth, both, documents);
        // Measures by document over all would be near 1 for any result when most documents have no
        // duplicate.
        if predicted > 0 || truth > 0 {
            self.involved.add(predicted, truth, both, documents);
        }
    }

    /// Documents counted so far.
    pub fn documents(&self) -> u64 {
        self.all.documents
    }

    /// The measures of the documents that were counted.
    pub fn measures(&self) -> Measures {
        // Each pair was counted at both of its documents. A document has fewer than 2^32 others, so
        // half of the sums has at most 63 bits.
        let half = |sum: u128| {
            debug_assert!(sum >> 65 == 0, "more pairs than 2^32 documents have");
            u64::try_from(sum / 2).unwrap_or(u64::MAX)
        };
        let sums = &self.all;
        let pairs = PairCounts {
            documents: sums.documents,
            predicted: half(sums.predicted),
            truth: half(sums.truth),
            both: half(sums.both),
        };
        Measures {
            precision: pairs.precision(),
            recall: pairs.recall(),
            f1: pairs.f1(),
            adjusted_rand_index: pairs.adjusted_rand_index(),
            all: sums.by_document(),
            involved: self.involved.by_document(),
            pairs,
        }
    }
}

/// All measures of a result. What divides nothing by nothing is none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measures {
    /// Numbers of pairs.
    pub pairs: PairCounts,
    /// Share of the predicted pairs that are true.
    pub precision: Option<f64>,
    /// Share of the true pairs that are predicted.
    pub recall: Option<f64>,
    /// Harmonic mean of the two.
    pub f1: Option<f64>,
    /// Adjusted Rand index over all documents.
    pub adjusted_rand_index: Option<f64>,
    /// Measures by document, over all.
    pub all: Option<ByDocument>,
    /// Over those that have a duplicate, predicted or true.
    pub involved: Option<ByDocument>,
}

/// Means over documents.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ByDocument {
    /// How many documents.
    pub documents: u64,
    /// B-cubed precision.
    pub bcubed_precision: f64,
    /// B-cubed recall.
    pub bcubed_recall: f64,
    /// Harmonic mean of the two.
    pub bcubed_f1: f64,
    /// Documents whose duplicates are exactly the true ones.
    pub exact: u64,
    /// Their share.
    pub strict_accuracy: f64,
}

/// Numbers of pairs among some documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairCounts {
    /// Documents.
    pub documents: u64,
    /// Predicted pairs.
    pub predicted: u64,
    /// True pairs.
    pub truth: u64,
    /// Pairs that are both.
    pub both: u64,
}

impl PairCounts {
    /// Share of the predicted pairs that are true.
    pub fn precision(&self) -> Option<f64> {
        quotient(self.both.into(), self.predicted.into())
    }

    /// Share of the true pairs that are predicted.
    pub fn recall(&self) -> Option<f64> {
        quotient(self.both.into(), self.truth.into())
    }

    /// Harmonic mean of precision and recall.
    pub fn f1(&self) -> Option<f64> {
        let sum = u128::from(self.predicted) + u128::from(self.truth);
        quotient(2 * u128::from(self.both), sum)
    }

    /// The adjusted Rand index; 1 when both put nothing, or everything, together. None
    /// without two documents.
    pub fn adjusted_rand_index(&self) -> Option<f64> {
        if self.documents < 2 {
            return None;
        }
        let documents = i128::from(self.documents);
        let [both, predicted, truth] =
            [self.both, self.predicted, self.truth].map(i128::from);
        let (only_predicted, only_true) = (predicted - both, truth - both);
        let neither = documents * (documents - 1) / 2 - predicted - only_true;
        // Each product is below 2^125 for up to 2^32 documents.
        let above = 2 * (both * neither - only_predicted * only_true);
        let below =
            predicted * (only_predicted + neither) + truth * (only_true + neither);
        if below == 0 {
            return Some(1.0);
        }
        #[expect(clippy::cast_precision_loss, reason = "the last division")]
        Some(above as f64 / below as f64)
    }
}

#[expect(clippy::cast_precision_loss, reason = "the last division")]
/// A quotient; none when nothing is divided.
fn quotient(part: u128, whole: u128) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// Mean of `sum / size` terms over so many documents.
fn mean(sums: &BTreeMap<u64, u128>, documents: u64) -> Option<f64> {
    let terms = sums
        .iter()
        .filter_map(|(&size, &sum)| quotient(sum, size.into()));
    #[expect(clippy::cast_precision_loss, reason = "the last division")]
    (documents > 0).then(|| terms.sum::<f64>() / documents as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Which documents are duplicates of which, both ways.
    type Related = Vec<BTreeSet<usize>>;

    fn of_clusters(clusters: &[u8]) -> Related {
        let same = |left: usize| {
            (0..clusters.len())
                .filter(|&right| right != left && clusters[left] == clusters[right])
                .collect()
        };
        (0..clusters.len()).map(same).collect()
    }

    fn of_pairs(documents: usize, pairs: &[(usize, usize)]) -> Related {
        let mut related = vec![BTreeSet::new(); documents];
        for &(left, right) in pairs {
            let (left, right) = (left % documents, right % documents);
            if left != right {
                related[left].insert(right);
                related[right].insert(left);
            }
        }
        related
    }

    fn tally(predicted: &Related, truth: &Related) -> Measures {
        let mut tally = DuplicateTally::default();
        for (ours, right) in predicted.iter().zip(truth) {
            let both = ours.intersection(right).count();
            let [ours, right, both] = [ours.len(), right.len(), both].map(|n| n as u64);
            tally.add(ours, right, both, 1);
        }
        tally.measures()
    }

    fn near(left: Option<f64>, right: Option<f64>) {
        match (left, right) {
            (Some(left), Some(right)) => {
                assert!((left - right).abs() < 1e-12, "{left} {right}");
            }
            _ => assert_eq!(left.is_some(), right.is_some()),
        }
    }

    /// The definitions, pair by pair and document by document.
    fn check_slowly(predicted: &Related, truth: &Related) {
        let found = tally(predicted, truth);
        let documents = predicted.len();
        let (mut a, mut b, mut c, mut d) = (0.0, 0.0, 0.0, 0.0);
        for left in 0..documents {
            for right in left + 1..documents {
                match (
                    predicted[left].contains(&right),
                    truth[left].contains(&right),
                ) {
                    (true, true) => a += 1.0,
                    (true, false) => b += 1.0,
                    (false, true) => c += 1.0,
                    (false, false) => d += 1.0,
                }
            }
        }
        let share = |part: f64, whole: f64| (whole > 0.0).then(|| part / whole);
        near(found.precision, share(a, a + b));
        near(found.recall, share(a, a + c));
        near(found.f1, share(2.0 * a, 2.0 * a + b + c));
        // Hubert and Arabie: (index - expected) / (maximum - expected).
        let total: f64 = a + b + c + d;
        if total > 0.0 {
            let expected = (a + b) * (a + c) / total;
            let most = ((a + b) + (a + c)) / 2.0;
            let slow = if most - expected == 0.0 {
                1.0
            } else {
                (a - expected) / (most - expected)
            };
            near(found.adjusted_rand_index, Some(slow));
        }
        let (mut precision, mut recall, mut exact) = (0.0, 0.0, 0);
        for document in 0..documents {
            let with = |related: &Related| {
                let mut all = related[document].clone();
                all.insert(document);
                all
            };
            let (ours, right) = (with(predicted), with(truth));
            let both = ours.intersection(&right).count() as f64;
            precision += both / ours.len() as f64;
            recall += both / right.len() as f64;
            exact += u64::from(ours == right);
        }
        let all = found.all.unwrap();
        near(
            Some(all.bcubed_precision),
            Some(precision / documents as f64),
        );
        near(Some(all.bcubed_recall), Some(recall / documents as f64));
        assert_eq!(all.exact, exact);
    }

    proptest! {
        #[test]
        fn measures_of_clusters_are_those_of_their_definitions(
            both in proptest::collection::vec((0u8..5, 0u8..5), 1..40)
        ) {
            let (predicted, truth): (Vec<u8>, Vec<u8>) = both.into_iter().unzip();
            check_slowly(&of_clusters(&predicted), &of_clusters(&truth));
        }

        #[test]
        fn measures_of_pairs_are_those_of_their_definitions(
            documents in 1usize..25,
            predicted in proptest::collection::vec((0usize..25, 0usize..25), 0..40),
            truth in proptest::collection::vec((0usize..25, 0usize..25), 0..40),
        ) {
            let predicted = of_pairs(documents, &predicted);
            check_slowly(&predicted, &of_pairs(documents, &truth));
        }
    }

    #[test]
    fn an_example_worked_by_hand() {
        // Truth {1,2,3} {4,5} {6}; predicted {1,2} {3,4,5} {6}: 2 of 4 predicted pairs are
        // among the 4 true ones; 9 of the 15 pairs are in neither.
        let found = tally(
            &of_clusters(&[1, 1, 2, 2, 2, 3]),
            &of_clusters(&[1, 1, 1, 2, 2, 3]),
        );
        assert_eq!(
            found.pairs,
            PairCounts {
                documents: 6,
                predicted: 4,
                truth: 4,
                both: 2
            }
        );
        near(found.precision, Some(0.5));
        near(found.f1, Some(0.5));
        // 2 (2 * 9 - 2 * 2) / (4 * 11 + 4 * 11)
        near(found.adjusted_rand_index, Some(28.0 / 88.0));
        let all = found.all.unwrap();
        // 1, 2: 2/2; 3: 1/3; 4, 5: 2/3; 6: 1.
        near(
            Some(all.bcubed_precision),
            Some((1.0 + 1.0 + 1.0 / 3.0 + 4.0 / 3.0 + 1.0) / 6.0),
        );
        // 1, 2: 2/3; 3: 1/3; 4, 5: 1; 6: 1.
        near(
            Some(all.bcubed_recall),
            Some((4.0 / 3.0 + 1.0 / 3.0 + 2.0 + 1.0) / 6.0),
        );
        assert_eq!((all.exact, all.documents), (1, 6));
        assert_eq!(found.involved.unwrap().documents, 5);
        assert_eq!(found.involved.unwrap().exact, 0);
    }

    #[test]
    fn giant_collections_do_not_overflow() {
        let mut tally = DuplicateTally::default();
        let documents = u64::from(u32::MAX);
        tally.add(documents - 1, documents - 1, documents - 1, documents);
        let found = tally.measures();
        near(found.adjusted_rand_index, Some(1.0));
        let mut halves = DuplicateTally::default();
        let half = documents / 2;
        halves.add(half - 1, documents - 1, half - 1, 2 * half);
        assert!(halves.measures().adjusted_rand_index.unwrap().is_finite());
        assert_eq!(halves.measures().all.unwrap().exact, 0);
    }

    #[test]
    fn nothing_predicted_and_nothing_true_is_right() {
        let mut tally = DuplicateTally::default();
        tally.add(0, 0, 0, 7);
        let found = tally.measures();
        assert_eq!(
            (found.precision, found.recall, found.f1),
            (None, None, None)
        );
        near(found.adjusted_rand_index, Some(1.0));
        assert_eq!(found.all.unwrap().exact, 7);
        assert_eq!(found.involved, None);
    }
}
