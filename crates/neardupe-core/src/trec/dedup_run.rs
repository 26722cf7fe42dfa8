//! A run without later near-duplicates.
//!
//! A document is removed when a kept document of the same topic, at an earlier rank, is its
//! near-duplicate: so every removed document has a near-duplicate that is kept. What comes after
//! moves up, down to the wanted depth.

use super::near::{Near, SIMILARITY_ONE};
use super::run::{RunTopic, Scored, single};
use crate::hash::FixedMap;

/// How a run is cleaned.
#[derive(Debug, Clone, Copy)]
pub struct DedupOptions {
    /// Least similarity, in millionths; groups have all.
    pub threshold: u32,
    /// How many documents a topic has afterwards, if there are as many; later results take the
    /// places of removed ones.
    pub depth: usize,
}

/// A document that was removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Removed {
    /// The document.
    pub document: u32,
    /// Its rank before, from 1.
    pub rank: usize,
    /// The first document that is kept and is its near-duplicate.
    pub duplicate_of: u32,
    /// The rank of that one before.
    pub duplicate_of_rank: usize,
    /// Their similarity in millionths.
    pub similarity: u32,
}

/// A topic of a cleaned run.
#[derive(Debug, Clone, PartialEq)]
pub struct DedupTopic {
    /// What is kept, in order, with the scores it had.
    pub kept: Vec<Scored>,
    /// What is removed, in the order of ranks; results below the wanted depth are not looked at.
    pub removed: Vec<Removed>,
}

/// Cleans one topic.
pub fn dedup_topic(topic: &RunTopic, near: &Near, options: &DedupOptions) -> DedupTopic {
    let mut kept: Vec<Scored> = Vec::new();
    let mut removed = Vec::new();
    // Of each document that is kept, or of its group: rank and document.
    let mut places: FixedMap<u32, (usize, u32)> = FixedMap::default();
    for (rank, result) in (1..).zip(&topic.results) {
        // Later results are neither kept nor removed: nobody looks at them.
        if kept.len() == options.depth {
            break;
        }
        let document = result.document;
        let earlier = match near {
            Near::Groups(groups) => groups.of(document).and_then(|group| {
                let place = places.get(&group)?;
                Some((*place, SIMILARITY_ONE))
            }),
            Near::Pairs(pairs) => {
                let near = pairs.of(document).iter();
                let near = near.filter(|near| near.1 >= options.threshold);
                // The least place is the first in the ranking. Only documents that are kept have
                // places, so a chain of near-duplicates does not remove everything.
                near.filter_map(|near| Some((*places.get(&near.0)?, near.1)))
                    .min()
            }
        };
        match earlier {
            Some(((duplicate_of_rank, duplicate_of), similarity)) => {
                removed.push(Removed {
                    document,
                    rank,
                    duplicate_of,
                    duplicate_of_rank,
                    similarity,
                });
            }
            None => {
                kept.push(*result);
                let place = match near {
                    Near::Groups(groups) => groups.of(document),
                    Near::Pairs(_) => Some(document),
                };
                if let Some(place) = place {
                    places.insert(place, (rank, document));
                }
            }
        }
    }
    DedupTopic { kept, removed }
}

/// Scores for documents in their order such that each is smaller than the one before, also in
/// single precision: a score that is not gives way to the next smaller number. Where that ends
/// at minus infinity, scores count down to 1.
pub fn decreasing_scores(results: &[Scored]) -> Vec<f64> {
    let mut scores = Vec::with_capacity(results.len());
    let mut last: Option<f32> = None;
    for result in results {
        let own = single(result.score);
        let (score, rounded) = match last {
            Some(last) if own >= last => {
                let next = last.next_down();
                (shortest(next), next)
            }
            _ => (result.score, own),
        };
        if !rounded.is_finite() {
            let all = results.len();
            return (0..all).map(|at| (all - at) as f64).collect();
        }
        scores.push(score);
        last = Some(rounded);
    }
    scores
}

/// The shortest decimal number that is this one in single precision.
fn shortest(score: f32) -> f64 {
    score
        .to_string()
        .parse()
        .unwrap_or_else(|_| f64::from(score))
}

#[cfg(test)]
mod tests {
    use super::super::near::{Groups, PairList};
    use super::*;
    use proptest::prelude::*;

    fn topic(documents: &[u32]) -> RunTopic {
        let results = documents.iter().map(|&document| Scored {
            document,
            score: 1.0,
        });
        RunTopic {
            topic: 0,
            results: results.collect(),
        }
    }

    fn documents(topic: &DedupTopic) -> Vec<u32> {
        topic.kept.iter().map(|result| result.document).collect()
    }

    #[test]
    fn a_near_duplicate_of_what_went_stays_and_the_rest_moves_up() {
        let pairs = PairList::new(&[(1, 2, 900_000), (2, 3, 900_000), (3, 4, 400_000)]);
        let options = DedupOptions {
            threshold: 500_000,
            depth: 3,
        };
        let cleaned =
            dedup_topic(&topic(&[1, 2, 3, 4, 5]), &Near::Pairs(pairs), &options);
        assert_eq!(documents(&cleaned), [1, 3, 4]);
        let removed = Removed {
            document: 2,
            rank: 2,
            duplicate_of: 1,
            duplicate_of_rank: 1,
            similarity: 900_000,
        };
        assert_eq!(cleaned.removed, [removed]);
    }

    #[test]
    fn scores_fall_strictly_and_stay_where_they_do() {
        let scored = |scores: &[f64]| {
            let results = scores.iter().map(|&score| Scored { document: 0, score });
            decreasing_scores(&results.collect::<Vec<_>>())
        };
        assert_eq!(scored(&[3.5, 2.25, -1.0]), [3.5, 2.25, -1.0]);
        let tied = scored(&[2.0, 2.0, 2.0, 1.0]);
        assert!(
            tied.is_sorted_by(|one, two| single(*one) > single(*two)),
            "{tied:?}"
        );
        assert!(tied[2] > 1.99 && tied[3] > 0.99, "{tied:?}");
        let low = f64::from(f32::MIN);
        assert_eq!(scored(&[low, low]), [2.0, 1.0]);
        assert_eq!(scored(&[1e300, 1.0]), [2.0, 1.0]);
    }

    proptest! {
        #[test]
        fn a_cleaned_topic_obeys_its_laws(
            list in proptest::sample::subsequence((0u32..20).collect::<Vec<_>>(), 0..=20)
                .prop_shuffle(),
            pairs in proptest::collection::vec((0u32..20, 0u32..20, 0u32..=10), 0..40),
            groups in proptest::collection::vec(
                proptest::collection::vec(0u32..20, 0..4), 0..4),
            depth in 0usize..22,
        ) {
            let pairs: Vec<_> = pairs.iter().map(|&(a, b, s)| (a, b, s * 100_000)).collect();
            let options = DedupOptions { threshold: 500_000, depth };
            let topic = topic(&list);
            for near in [Near::Pairs(PairList::new(&pairs)), Near::Groups(Groups::new(&groups))] {
                let is_near = |left: u32, right: u32| match &near {
                    Near::Pairs(pairs) => pairs.of(left).iter().any(|&(other, similarity)| {
                        other == right && similarity >= 500_000
                    }),
                    Near::Groups(groups) => {
                        groups.of(left).is_some() && groups.of(left) == groups.of(right)
                    }
                };
                // The definition, with everything compared with everything.
                let mut slow: Vec<u32> = Vec::new();
                for &document in &list {
                    let stays = !slow.iter().any(|&other| is_near(document, other));
                    if stays && slow.len() < depth {
                        slow.push(document);
                    }
                }
                let cleaned = dedup_topic(&topic, &near, &options);
                prop_assert_eq!(&documents(&cleaned), &slow);
                for one in &cleaned.removed {
                    prop_assert!(slow.contains(&one.duplicate_of));
                    prop_assert!(is_near(one.document, one.duplicate_of));
                    prop_assert!(one.duplicate_of_rank < one.rank);
                    prop_assert_eq!(list[one.rank - 1], one.document);
                }
            }
        }
    }
}
