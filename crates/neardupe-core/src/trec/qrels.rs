//! What assessors said of documents: labels by topic, and by subtopic for diversity.

use super::names::{Names, topic_order};
use crate::hash::FixedMap;
use std::collections::BTreeSet;

/// One judgment, by the numbers of its ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Judgment {
    /// The topic.
    pub topic: u32,
    /// The aspect of the topic; 0 where the qrels have none.
    pub subtopic: u32,
    /// The document.
    pub document: u32,
    /// The label: relevant from 1 up; 0 and below is not relevant, however it is written.
    pub label: i32,
}

/// The judgments of one topic, in the order in which they were written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QrelsTopic {
    /// The topic.
    pub topic: u32,
    /// Its judgments.
    pub judgments: Vec<Judgment>,
}

impl QrelsTopic {
    /// Labels by document; the highest where a document has several, one a subtopic.
    pub fn labels(&self) -> FixedMap<u32, i32> {
        let mut labels = FixedMap::default();
        for one in &self.judgments {
            let label = labels.entry(one.document).or_insert(one.label);
            *label = one.label.max(*label);
        }
        labels
    }

    /// Documents with a label of 1 or more, in the order of their numbers.
    pub fn relevant(&self) -> Vec<u32> {
        let relevant = self.judgments.iter().filter(|one| one.label > 0);
        let relevant: BTreeSet<u32> = relevant.map(|one| one.document).collect();
        relevant.into_iter().collect()
    }
}

/// All judgments.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Qrels {
    /// Topics in their order; none is empty.
    pub topics: Vec<QrelsTopic>,
    /// Whether judgments are by subtopic.
    pub is_diversity: bool,
    /// Judgments that repeat one with the same label.
    pub repeated: u64,
}

impl Qrels {
    /// Sorts judgments by topic. Of several for the same document and subtopic the first is kept;
    /// the places of those that contradict it are returned.
    pub fn new(
        judgments: &[Judgment],
        topics: &Names,
        is_diversity: bool,
    ) -> (Self, Vec<usize>) {
        let mut numbers: Vec<u32> = judgments.iter().map(|one| one.topic).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers.sort_by(|&one, &two| topic_order(topics.text(one), topics.text(two)));
        let mut places = vec![0usize; topics.len()];
        let mut qrels = Qrels {
            is_diversity,
            ..Qrels::default()
        };
        for (place, &topic) in numbers.iter().enumerate() {
            places[topic as usize] = place;
            qrels.topics.push(QrelsTopic {
                topic,
                judgments: Vec::new(),
            });
        }
        let mut labels: FixedMap<(u32, u32, u32), i32> = FixedMap::default();
        let mut contradicting = Vec::new();
        for (at, one) in judgments.iter().enumerate() {
            // Without diversity the second column of qrels has no meaning, whatever it has.
            let subtopic = if is_diversity { one.subtopic } else { 0 };
            let one = Judgment { subtopic, ..*one };
            let key = (one.topic, subtopic, one.document);
            match labels.get(&key) {
                None => {
                    labels.insert(key, one.label);
                    qrels.topics[places[one.topic as usize]].judgments.push(one);
                }
                Some(&label) if label == one.label => qrels.repeated += 1,
                Some(_) => contradicting.push(at),
            }
        }
        (qrels, contradicting)
    }

    /// The judgments of a topic.
    pub fn topic(&self, topic: u32) -> Option<&QrelsTopic> {
        self.topics.iter().find(|one| one.topic == topic)
    }

    /// Number of judgments.
    pub fn len(&self) -> usize {
        self.topics.iter().map(|topic| topic.judgments.len()).sum()
    }

    /// Whether nothing was judged.
    pub fn is_empty(&self) -> bool {
        self.topics.is_empty()
    }

    /// All documents with a label of 1 or more for some topic, in the order of their numbers.
    pub fn relevant(&self) -> Vec<u32> {
        let topics = self.topics.iter();
        let relevant: BTreeSet<u32> = topics.flat_map(QrelsTopic::relevant).collect();
        relevant.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_contradicting_judgments_stays() {
        let mut topics = Names::default();
        let topic = topics.number("1");
        let judged = |document, subtopic, label| Judgment {
            topic,
            subtopic,
            document,
            label,
        };
        let all = [
            judged(0, 0, 2),
            judged(0, 0, 2),
            judged(0, 0, 1),
            judged(1, 0, -2),
        ];
        let (qrels, contradicting) = Qrels::new(&all, &topics, false);
        assert_eq!(contradicting, [2]);
        assert_eq!((qrels.len(), qrels.repeated), (2, 1));
        assert_eq!(qrels.relevant(), [0]);
        let by_subtopic = [judged(0, 1, 0), judged(0, 2, 1)];
        let (qrels, _) = Qrels::new(&by_subtopic, &topics, true);
        assert_eq!(qrels.topics[0].labels().get(&0), Some(&1));
    }
}
