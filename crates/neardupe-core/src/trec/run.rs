//! A run: what a system returned for each topic, in the order in which trec_eval takes it.
//!
//! The column of ranks does not matter there, and not here: documents are ordered by score,
//! descending, then by id, descending as bytes. Scores are compared in single precision, as
//! trec_eval holds them, so that scores that differ in later digits are ties here too.

use super::names::{Names, topic_order};
use crate::hash::FixedSet;
use std::cmp::Ordering;

/// A line of a run, by the numbers of its ids.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunLine {
    /// The topic.
    pub topic: u32,
    /// The document.
    pub document: u32,
    /// The rank as written.
    pub rank: u64,
    /// The score, a finite number.
    pub score: f64,
}

/// A document and its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scored {
    /// The document.
    pub document: u32,
    /// Its score as written.
    pub score: f64,
}

/// What was returned for one topic: a run-topic.
#[derive(Debug, Clone, PartialEq)]
pub struct RunTopic {
    /// The topic.
    pub topic: u32,
    /// Documents in order, each once.
    pub results: Vec<Scored>,
}

/// All that one system returned.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Run {
    /// Its name.
    pub name: String,
    /// Topics in their order; none is empty.
    pub topics: Vec<RunTopic>,
    /// Lines left out, since their document stands at a better place of the same topic.
    pub repeated: u64,
    /// Topics whose ranks as written are not in the order of their scores.
    pub reordered: u64,
    /// Documents with the score of another one of the same topic.
    pub tied: u64,
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the precision of trec_eval is wanted"
)]
pub(super) fn single(score: f64) -> f32 {
    score as f32
}

impl Run {
    /// Puts lines in order. Of several lines with one document the first by order is kept.
    pub fn new(
        name: String,
        lines: &[RunLine],
        documents: &Names,
        topics: &Names,
    ) -> Self {
        let mut numbers: Vec<u32> = lines.iter().map(|line| line.topic).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers.sort_by(|&one, &two| topic_order(topics.text(one), topics.text(two)));
        let mut places = vec![0usize; topics.len()];
        for (place, &topic) in numbers.iter().enumerate() {
            places[topic as usize] = place;
        }
        let mut by_topic: Vec<Vec<RunLine>> = vec![Vec::new(); numbers.len()];
        for line in lines {
            by_topic[places[line.topic as usize]].push(*line);
        }
        let mut run = Run {
            name,
            ..Run::default()
        };
        let mut seen = FixedSet::default();
        for (topic, mut lines) in numbers.into_iter().zip(by_topic) {
            lines.sort_by(|one, two| {
                let scores = single(two.score).total_cmp(&single(one.score));
                scores.then_with(|| {
                    let ids = documents
                        .text(two.document)
                        .cmp(documents.text(one.document));
                    // The same document twice: the better rank, so that the order is whole.
                    ids.then(one.rank.cmp(&two.rank))
                })
            });
            run.reordered += u64::from(!lines.is_sorted_by_key(|line| line.rank));
            seen.clear();
            let all = lines.len();
            lines.retain(|line| seen.insert(line.document));
            run.repeated += (all - lines.len()) as u64;
            let ties = lines.windows(2).filter(|pair| {
                let [one, two] = [pair[0].score, pair[1].score].map(single);
                one.total_cmp(&two) == Ordering::Equal
            });
            run.tied += ties.count() as u64;
            let results = lines.iter().map(|line| Scored {
                document: line.document,
                score: line.score,
            });
            run.topics.push(RunTopic {
                topic,
                results: results.collect(),
            });
        }
        run
    }

    /// The results for a topic; none where there are none.
    pub fn topic(&self, topic: u32) -> Option<&RunTopic> {
        self.topics.iter().find(|one| one.topic == topic)
    }

    /// Gives documents and topics the numbers of other [`Names`].
    pub fn renumber(&mut self, documents: &[u32], topics: &[u32]) {
        for topic in &mut self.topics {
            topic.topic = topics[topic.topic as usize];
            for result in &mut topic.results {
                result.document = documents[result.document as usize];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(lines: &[(&str, &str, u64, f64)]) -> (Run, Names, Names) {
        let (mut documents, mut topics) = (Names::default(), Names::default());
        let lines: Vec<RunLine> = lines
            .iter()
            .map(|&(topic, document, rank, score)| RunLine {
                topic: topics.number(topic),
                document: documents.number(document),
                rank,
                score,
            })
            .collect();
        let run = Run::new("x".into(), &lines, &documents, &topics);
        (run, documents, topics)
    }

    #[test]
    fn scores_decide_then_ids_both_descending_and_ranks_nothing() {
        let (run, documents, topics) = made(&[
            ("10", "a", 1, 1.0),
            ("9", "c", 3, 0.5),
            ("9", "a", 1, 0.5),
            ("9", "b", 2, 7.0),
            ("9", "b", 9, 0.1),
            // A tie in single precision.
            ("9", "d", 0, 0.5 + 1e-12),
        ]);
        let ids: Vec<&str> = run.topics[0]
            .results
            .iter()
            .map(|result| documents.text(result.document))
            .collect();
        assert_eq!(ids, ["b", "d", "c", "a"]);
        assert_eq!(topics.text(run.topics[1].topic), "10");
        assert_eq!((run.repeated, run.reordered, run.tied), (1, 1, 2));
    }

    #[test]
    fn a_run_without_lines_has_no_topics() {
        let (run, _, _) = made(&[]);
        assert!(run.topics.is_empty());
    }
}
