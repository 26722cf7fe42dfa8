//! Passages by whole sentences: the precision and recall of Zhang, Zhang, Yu and Huang,
//! *Efficient Partial-Duplicate Detection Based on Sequence Matching* (SIGIR 2010), section
//! 5.4, which says how accurately duplication is located.
//!
//! A passage stands for the sentences of each of its documents that lie in it with more than
//! half of their characters. What is counted is (document, other document, sentence), each
//! once, on both sides.

use super::cover::{self, Stretch};
use super::passages::{LocatedPassage, LocatedSide, TruePassage};
use crate::numbers::of_len;
use crate::ratio::Ratio;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Precision, recall and F1 of passages by whole sentences.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct SentenceMeasures {
    /// Sentences of true passages, once for each other document.
    pub truth: u64,
    /// Sentences of passages found.
    pub found: u64,
    /// Sentences of both.
    pub both: u64,
    /// `both` by `found`.
    pub precision: Option<f64>,
    /// `both` by `truth`.
    pub recall: Option<f64>,
    /// Harmonic mean of these.
    pub f1: Option<f64>,
}

/// Measures what was found. `sentences` gives the characters of each sentence of a document,
/// in order and without overlaps; passages of a document without any do not count.
pub fn measure_sentences<'a>(
    truth: &[TruePassage],
    found: &[LocatedPassage],
    sentences: impl Fn(u32) -> &'a [Range<u32>],
) -> SentenceMeasures {
    let stretches = |passage: &LocatedPassage| {
        let [one, other] = passage.sides();
        let stretch = |side: LocatedSide, partner: LocatedSide| {
            let places = inside(sentences(side.document), side.start..side.end);
            Stretch {
                key: (side.document, partner.document),
                start: places.start,
                end: places.end,
            }
        };
        // The partner is part of the key: a sentence copied to two documents counts twice, once for
        // each.
        [stretch(one, other), stretch(other, one)]
    };
    let mut truth: Vec<_> = truth
        .iter()
        .flat_map(|one| stretches(&one.passage))
        .collect();
    let mut found: Vec<_> = found.iter().flat_map(stretches).collect();
    cover::join(&mut truth);
    cover::join(&mut found);
    let both = cover::common(&truth, &found);
    let (truth, found) = (cover::covered(&truth), cover::covered(&found));
    SentenceMeasures {
        truth,
        found,
        both,
        precision: Ratio::new(both, found).share(),
        recall: Ratio::new(both, truth).share(),
        f1: Ratio::new(2 * both, truth + found).share(),
    }
}

/// Which sentences lie in a stretch with more than half of their characters: those between
/// the first and the last one, since they do not overlap.
fn inside(sentences: &[Range<u32>], stretch: Range<u32>) -> Range<u32> {
    let is_in = |sentence: &Range<u32>| {
        let start = sentence.start.max(stretch.start);
        let end = sentence.end.min(stretch.end);
        u64::from(end.saturating_sub(start)) * 2
            > u64::from(sentence.end - sentence.start)
    };
    // All sentences that meet the stretch. Those between the first and the last lie in it as a
    // whole, so only these two are tried.
    let mut from = sentences.partition_point(|one| one.end <= stretch.start);
    let mut to = sentences.partition_point(|one| one.start < stretch.end);
    if from < to && !is_in(&sentences[from]) {
        from += 1;
    }
    if from < to && !is_in(&sentences[to - 1]) {
        to -= 1;
    }
    // Sentences are ranges of characters in 32 bits, and none is empty.
    of_len(from)..of_len(to.max(from))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Sentences by the lengths of these and of the gaps before them.
    fn sentences(lengths: &[(u32, u32)]) -> Vec<Range<u32>> {
        let mut at = 0;
        let one = |&(gap, length): &(u32, u32)| {
            let start = at + gap;
            at = start + length;
            start..at
        };
        lengths.iter().map(one).collect()
    }

    /// The definition: sentence by sentence, character by character.
    fn slow(
        passages: &[LocatedPassage],
        texts: &[Vec<Range<u32>>],
    ) -> BTreeSet<(u32, u32, usize)> {
        let mut all = BTreeSet::new();
        for passage in passages {
            let [one, other] = passage.sides();
            for (side, partner) in [(one, other), (other, one)] {
                for (at, sentence) in texts[side.document as usize].iter().enumerate() {
                    let within = sentence
                        .clone()
                        .filter(|place| (side.start..side.end).contains(place))
                        .count();
                    if 2 * within > sentence.len() {
                        all.insert((side.document, partner.document, at));
                    }
                }
            }
        }
        all
    }

    fn some_passages() -> impl Strategy<Value = Vec<LocatedPassage>> {
        let side = || {
            (0u32..3, 0u32..40, 1u32..30).prop_map(|(document, start, length)| {
                LocatedSide {
                    document,
                    start,
                    end: start + length,
                }
            })
        };
        let one =
            (side(), side()).prop_map(|(one, other)| LocatedPassage::new(one, other));
        proptest::collection::vec(one, 0..8)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]
        #[test]
        fn sentences_are_those_of_the_definition(
            truth in some_passages(),
            found in some_passages(),
            lengths in proptest::collection::vec(
                proptest::collection::vec((0u32..3, 1u32..9), 0..10), 3
            ),
        ) {
            let texts: Vec<_> = lengths.iter().map(|one| sentences(one)).collect();
            let (in_truth, in_found) = (slow(&truth, &texts), slow(&found, &texts));
            let truth: Vec<TruePassage> =
                truth.iter().map(|&passage| TruePassage { passage, kind: 0 }).collect();
            let measures =
                measure_sentences(&truth, &found, |document| &texts[document as usize]);
            prop_assert_eq!(measures.truth, in_truth.len() as u64);
            prop_assert_eq!(measures.found, in_found.len() as u64);
            let both = in_truth.intersection(&in_found).count() as u64;
            prop_assert_eq!(measures.both, both);
        }
    }

    #[test]
    fn more_than_half_of_a_sentence_must_be_inside() {
        let sentences = [0..10, 12..22, 22..30];
        assert_eq!(inside(&sentences, 5..22), 1..2);
        assert_eq!(inside(&sentences, 4..26), 0..2);
        assert_eq!(inside(&sentences, 4..27), 0..3);
        assert!(inside(&sentences, 13..16).is_empty());
        assert!(inside(&sentences, 10..12).is_empty());
        assert!(inside(&[], 0..9).is_empty());
    }
}
