//! Which documents some run returned together for a topic.

use super::run::Run;

/// Of each document, the run-topics that have it among their first results.
#[derive(Debug, Clone, Default)]
pub struct Together {
    places: Vec<Vec<u32>>,
}

impl Together {
    /// Looks at the first `depth` results of every run-topic.
    pub fn new(runs: &[Run], depth: usize) -> Self {
        let mut places: Vec<Vec<u32>> = Vec::new();
        let topics = runs.iter().flat_map(|run| &run.topics);
        for (place, topic) in (0u32..).zip(topics) {
            for result in topic.results.iter().take(depth) {
                let document = result.document as usize;
                if places.len() <= document {
                    places.resize(document + 1, Vec::new());
                }
                places[document].push(place);
            }
        }
        Together { places }
    }

    /// In how many run-topics both documents are.
    pub fn count(&self, left: u32, right: u32) -> usize {
        let of = |document: u32| self.places.get(document as usize);
        let (Some(left), Some(right)) = (of(left), of(right)) else {
            return 0;
        };
        let (few, many) = if left.len() < right.len() {
            (left, right)
        } else {
            (right, left)
        };
        let both = few.iter().filter(|place| many.binary_search(place).is_ok());
        both.count()
    }
}

#[cfg(test)]
mod tests {
    use super::super::run::{RunTopic, Scored};
    use super::*;

    #[test]
    fn documents_are_together_within_the_depth_of_one_run_topic() {
        let topic = |documents: &[u32]| RunTopic {
            topic: 0,
            results: documents
                .iter()
                .map(|&document| Scored {
                    document,
                    score: 0.0,
                })
                .collect(),
        };
        let run = Run {
            topics: vec![topic(&[1, 2, 3]), topic(&[3, 4]), topic(&[2, 1])],
            ..Run::default()
        };
        let together = Together::new(&[run], 2);
        assert_eq!(together.count(1, 2), 2);
        assert_eq!(together.count(2, 3), 0);
        assert_eq!(together.count(4, 3), 1);
        assert_eq!(together.count(1, 99), 0);
    }
}
