//! The definition: the pdc-mr paper's Algorithms 1 and 2 as they are printed, over lists and
//! matrices in memory. For tests: it takes the square of everything. It is the slow twin of
//! [`find_diagonals`](super::sentence_pairs::find_diagonals), so it shares no code with it beyond
//! the types of the result.
//!
//! One line differs from the print: Algorithm 1 emits pairs with a resemblance of at least
//! tau, not below it.

use super::diagonals::Diagonal;
use super::sentence_pairs::Matching;
use crate::numbers::of_len;
use std::collections::{BTreeMap, BTreeSet};

/// The features of each sentence of each document.
pub type Documents = Vec<Vec<BTreeSet<u64>>>;

/// Document and sentence.
type Sentence = (usize, usize);

/// All diagonals longer than `gamma`, in order.
pub fn matrix_diagonals(
    documents: &Documents,
    matching: Matching,
    gamma: u32,
    within_document: bool,
) -> Vec<Diagonal> {
    let mut found = Vec::new();
    for ((left, right), pairs) in sentence_pairs(documents, matching) {
        if left == right && !within_document {
            continue;
        }
        let (rows, columns) = (documents[left].len(), documents[right].len());
        let mut matrix = vec![vec![false; columns]; rows];
        for (left_sentence, right_sentence) in pairs {
            matrix[left_sentence][right_sentence] = true;
        }
        for (left_first, right_first, len) in sequences(&mut matrix) {
            // The matrix is in memory, so its sides are small.
            if of_len(len) > gamma {
                found.push(Diagonal {
                    left: of_len(left),
                    right: of_len(right),
                    left_first: of_len(left_first),
                    right_first: of_len(right_first),
                    len: of_len(len),
                });
            }
        }
    }
    found.sort_unstable();
    found
}

/// Algorithm 1: the pairs of sentences that match, by pair of documents, each once.
fn sentence_pairs(
    documents: &Documents,
    matching: Matching,
) -> BTreeMap<Sentence, Vec<Sentence>> {
    let mut having: BTreeMap<u64, Vec<Sentence>> = BTreeMap::new();
    for (document, sentences) in documents.iter().enumerate() {
        for (sentence, features) in sentences.iter().enumerate() {
            for &feature in features {
                having
                    .entry(feature)
                    .or_default()
                    .push((document, sentence));
            }
        }
    }
    // Map: all pairs with a common feature, and the features that they share.
    let mut shared: BTreeMap<(Sentence, Sentence), u64> = BTreeMap::new();
    for list in having.values() {
        for &one in list {
            for &other in list {
                // Each pair once, whichever of its sentences the list has first.
                if one < other {
                    *shared.entry((one, other)).or_insert(0) += 1;
                }
            }
        }
    }
    // Reduce: |A and B| / |A or B| >= tau, in whole numbers.
    let mut pairs: BTreeMap<Sentence, Vec<Sentence>> = BTreeMap::new();
    for ((left, right), overlap) in shared {
        let size = |(document, sentence): Sentence| documents[document][sentence].len();
        let union = (size(left) + size(right)) as u64 - overlap;
        let is_match = match matching {
            Matching::Resemblance(tau) => {
                let (numerator, denominator) = tau.ratio().parts();
                overlap * denominator >= numerator * union
            }
            Matching::SharedKey => true,
        };
        if is_match {
            let pair = pairs.entry((left.0, right.0)).or_default();
            pair.push((left.1, right.1));
        }
    }
    pairs
}

/// Algorithm 2: the longest diagonal from each pair that is left, which is eliminated. Pairs
/// come row by row, so that each diagonal is found from its root.
fn sequences(matrix: &mut [Vec<bool>]) -> Vec<(usize, usize, usize)> {
    let mut found = Vec::new();
    for row in 0..matrix.len() {
        for column in 0..matrix[row].len() {
            let mut len = 0;
            // Rows ascend, then columns: when (row, column) is reached and still set,
            // (row - 1, column - 1) was either not set or followed before. So it is a
            // root, and `len` is maximal.
            while row + len < matrix.len()
                && column + len < matrix[row].len()
                && matrix[row + len][column + len]
            {
                matrix[row + len][column + len] = false;
                len += 1;
            }
            if len > 0 {
                found.push((row, column, len));
            }
        }
    }
    found
}

/// The documents as they are when frequent signatures take no part: sets, or keys where
/// sentences match by keys.
pub fn without_frequent(
    documents: &Documents,
    matching: Matching,
    max_documents: u32,
) -> Documents {
    let units = |features: &BTreeSet<u64>| -> Vec<BTreeSet<u64>> {
        match matching {
            Matching::Resemblance(_) => vec![features.clone()],
            Matching::SharedKey => features.iter().map(|&key| [key].into()).collect(),
        }
    };
    let mut having: BTreeMap<BTreeSet<u64>, BTreeSet<usize>> = BTreeMap::new();
    for (document, sentences) in documents.iter().enumerate() {
        for unit in sentences.iter().flat_map(units) {
            having.entry(unit).or_default().insert(document);
        }
    }
    let is_left = |unit: &BTreeSet<u64>| having[unit].len() <= max_documents as usize;
    let sentence = |features: &BTreeSet<u64>| {
        units(features)
            .into_iter()
            .filter(is_left)
            .flatten()
            .collect()
    };
    let document = |sentences: &Vec<_>| sentences.iter().map(sentence).collect();
    documents.iter().map(document).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentence(text: &str) -> BTreeSet<u64> {
        text.bytes().map(u64::from).collect()
    }

    fn document(text: &str) -> Vec<BTreeSet<u64>> {
        text.split(' ').map(sentence).collect()
    }

    fn found(
        texts: &[&str],
        tau: &str,
        gamma: u32,
        within: bool,
    ) -> Vec<(u32, u32, u32, u32, u32)> {
        let documents = texts.iter().map(|text| document(text)).collect();
        let matching = Matching::Resemblance(tau.parse().unwrap());
        let diagonals = matrix_diagonals(&documents, matching, gamma, within);
        let parts = |one: &Diagonal| {
            (
                one.left,
                one.right,
                one.left_first,
                one.right_first,
                one.len,
            )
        };
        diagonals.iter().map(parts).collect()
    }

    #[test]
    fn a_run_of_matching_sentences_is_one_diagonal_from_its_root() {
        assert_eq!(
            found(&["x a b c y", "a b c"], "1", 0, false),
            [(0, 1, 1, 0, 3)]
        );
        assert_eq!(found(&["x a b c y", "a b c"], "1", 3, false), []);
        assert_eq!(
            found(&["x a b c y", "a b c"], "1", 2, false),
            [(0, 1, 1, 0, 3)]
        );
        // A gap ends a diagonal, and another line begins another.
        assert_eq!(
            found(&["a b z c", "a b y c", "q"], "1", 0, false),
            [(0, 1, 0, 0, 2), (0, 1, 3, 3, 1)]
        );
    }

    #[test]
    fn a_pair_exactly_at_the_threshold_is_in() {
        assert_eq!(
            found(&["abcd", "abcde"], "0.8", 0, false),
            [(0, 1, 0, 0, 1)]
        );
        assert_eq!(found(&["abcd", "abcde"], "0.81", 0, false), []);
    }

    #[test]
    fn one_document_is_compared_with_itself_on_request_only() {
        assert_eq!(found(&["a b x a b"], "1", 0, false), []);
        assert_eq!(found(&["a b x a b"], "1", 1, true), [(0, 0, 0, 3, 2)]);
        // Overlapping stretches of one document.
        assert_eq!(found(&["a a a"], "1", 1, true), [(0, 0, 0, 1, 2)]);
    }
}
