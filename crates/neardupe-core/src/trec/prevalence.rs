//! How many results are near-duplicates of other results.
//!
//! A document of a run-topic counts when a near-duplicate stands at an earlier rank; with
//! [`Count::Involved`] both count, once the second is there (Table 4.1 and Figures 4.1 to 4.6 of
//! the waterloo thesis). All depths and thresholds come from one pass over the ranks: a
//! document's best similarity so far only rises, and each rise is counted for the thresholds in
//! between.

use super::near::{Groups, Near, PairList, SIMILARITY_ONE};
use super::run::Run;
use rayon::prelude::*;

/// Which documents of a near-duplicate pair count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Count {
    /// The later one.
    #[default]
    Earlier,
    /// Both.
    Involved,
}

crate::named!(Count as "count" { Earlier = "earlier", Involved = "involved" });

/// What is counted.
#[derive(Debug, Clone)]
pub struct PrevalenceConfig {
    /// How many of the first results are looked at, ascending.
    pub depths: Vec<usize>,
    /// Similarities in millionths, ascending.
    pub thresholds: Vec<u32>,
    /// Which documents count.
    pub count: Count,
}

/// The near-duplicates of one run-topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunTopicCounts {
    /// Place of the run.
    pub run: usize,
    /// The topic.
    pub topic: u32,
    /// Number of results.
    pub results: usize,
    /// For each depth, for each threshold.
    pub counts: Vec<Vec<u32>>,
}

/// The near-duplicates of a set of documents: those with another one in the set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetCounts {
    /// Number of documents.
    pub documents: usize,
    /// For each threshold.
    pub counts: Vec<u32>,
}

/// Counts the near-duplicates of all run-topics, in the order of runs and their topics.
pub fn prevalence(
    runs: &[Run],
    near: &Near,
    config: &PrevalenceConfig,
) -> Vec<RunTopicCounts> {
    let of_run = |counter: &mut PrevalenceCounter<'_>, (run, one): (usize, &Run)| {
        let topics = one.topics.iter().map(|topic| {
            let documents = topic.results.iter().map(|result| result.document);
            RunTopicCounts {
                run,
                topic: topic.topic,
                results: topic.results.len(),
                counts: counter.count(documents, &config.depths, config.count),
            }
        });
        topics.collect::<Vec<_>>()
    };
    let thresholds = &config.thresholds;
    let counts: Vec<Vec<RunTopicCounts>> = runs
        .par_iter()
        .enumerate()
        .map_init(|| PrevalenceCounter::new(near, thresholds), of_run)
        .collect();
    counts.into_iter().flatten().collect()
}

/// Counts the documents of each set that have a near-duplicate in the same set.
pub fn set_prevalence(
    sets: &[Vec<u32>],
    near: &Near,
    thresholds: &[u32],
) -> Vec<SetCounts> {
    sets.par_iter()
        .map_init(
            || PrevalenceCounter::new(near, thresholds),
            |counter, set| {
                let documents = set.iter().copied();
                let mut counts = counter.count(documents, &[usize::MAX], Count::Involved);
                SetCounts {
                    documents: set.len(),
                    counts: counts.pop().unwrap_or_default(),
                }
            },
        )
        .collect()
}

/// What is known of the documents of one list so far.
struct PrevalenceCounter<'a> {
    near: &'a Near,
    thresholds: &'a [u32],
    /// Of each document or group the list in which it was seen last.
    seen: Vec<u32>,
    /// Of each document its best similarity so far, in this list; of each group its members.
    best: Vec<u32>,
    list: u32,
    /// Documents that count, for each threshold.
    counts: Vec<u32>,
}

impl<'a> PrevalenceCounter<'a> {
    fn new(near: &'a Near, thresholds: &'a [u32]) -> Self {
        PrevalenceCounter {
            near,
            thresholds,
            seen: Vec::new(),
            best: Vec::new(),
            list: 0,
            counts: Vec::new(),
        }
    }

    /// The counts after each depth; a list that ends before has what it has at its end.
    fn count(
        &mut self,
        documents: impl Iterator<Item = u32>,
        depths: &[usize],
        count: Count,
    ) -> Vec<Vec<u32>> {
        // A new number makes all entries old: clearing the columns would cost an entry for each
        // document of all runs, for every list.
        self.list += 1;
        self.counts = vec![0; self.thresholds.len()];
        let mut after = Vec::with_capacity(depths.len());
        let deepest = depths.last().copied().unwrap_or(0);
        let near = self.near;
        for (rank, document) in documents.take(deepest).enumerate() {
            while depths.get(after.len()).is_some_and(|&depth| depth <= rank) {
                after.push(self.counts.clone());
            }
            match near {
                Near::Groups(groups) => self.meet_group(groups, document, count),
                Near::Pairs(pairs) => self.meet(pairs, document, count),
            }
        }
        // Depths beyond the end of the list.
        after.resize(depths.len(), self.counts.clone());
        after
    }

    /// The next document of a list, with groups.
    fn meet_group(&mut self, groups: &Groups, document: u32, count: Count) {
        let Some(group) = groups.of(document) else {
            return;
        };
        let members = self.enter(group);
        // The second member of a group makes the first one count too, if both are asked for.
        let new = match (members, count) {
            (0, _) => 0,
            (1, Count::Involved) => 2,
            _ => 1,
        };
        self.best[group as usize] = members + 1;
        // A group has every similarity.
        self.counts.iter_mut().for_each(|count| *count += new);
    }

    /// The next document of a list, with pairs. The cost is its number of pairs.
    fn meet(&mut self, pairs: &PairList, document: u32, count: Count) {
        let mut own = 0;
        for &(other, similarity) in pairs.of(document) {
            if !self.is_seen(other) {
                continue;
            }
            // Only its best similarity matters: at every threshold up to it the document counts,
            // once.
            own = similarity.max(own);
            if count == Count::Involved {
                let before = self.best[other as usize];
                self.raise(before, similarity);
                self.best[other as usize] = similarity.max(before);
            }
        }
        self.enter(document);
        self.best[document as usize] = own;
        self.raise(0, own);
    }

    /// A document has risen from one best similarity to another.
    fn raise(&mut self, from: u32, to: u32) {
        for (count, &threshold) in self.counts.iter_mut().zip(self.thresholds) {
            *count += u32::from(from < threshold && threshold <= to.min(SIMILARITY_ONE));
        }
    }

    fn is_seen(&self, place: u32) -> bool {
        self.seen.get(place as usize) == Some(&self.list)
    }

    /// Notes a document or group; what was known of it in this list.
    fn enter(&mut self, place: u32) -> u32 {
        let at = place as usize;
        if self.seen.len() <= at {
            self.seen.resize(at + 1, 0);
            self.best.resize(at + 1, 0);
        }
        if self.seen[at] != self.list {
            self.seen[at] = self.list;
            self.best[at] = 0;
        }
        self.best[at]
    }
}

#[cfg(test)]
mod tests {
    use super::super::run::{RunTopic, Scored};
    use super::*;
    use proptest::prelude::*;

    const THRESHOLDS: [u32; 3] = [100_000, 500_000, 900_000];

    /// The definition: every pair of ranks is looked at for every depth and threshold.
    fn slow(
        documents: &[u32],
        similarity: &dyn Fn(u32, u32) -> u32,
        depth: usize,
        threshold: u32,
        count: Count,
    ) -> u32 {
        let top = &documents[..depth.min(documents.len())];
        let counts = (0..top.len()).filter(|&at| {
            (0..top.len()).any(|other| {
                let stands = match count {
                    Count::Earlier => other < at,
                    Count::Involved => other != at,
                };
                stands && similarity(top[at], top[other]) >= threshold
            })
        });
        u32::try_from(counts.count()).unwrap()
    }

    fn list() -> impl Strategy<Value = Vec<u32>> {
        let documents: Vec<u32> = (0..24).collect();
        proptest::sample::subsequence(documents, 0..=24).prop_shuffle()
    }

    fn check(near: &Near, similarity: &dyn Fn(u32, u32) -> u32, lists: &[Vec<u32>]) {
        for count in [Count::Earlier, Count::Involved] {
            let config = PrevalenceConfig {
                depths: vec![1, 3, 10, 50],
                thresholds: THRESHOLDS.to_vec(),
                count,
            };
            let topics = lists.iter().zip(0..).map(|(list, topic)| RunTopic {
                topic,
                results: list
                    .iter()
                    .map(|&document| Scored {
                        document,
                        score: 0.0,
                    })
                    .collect(),
            });
            let run = Run {
                topics: topics.collect(),
                ..Run::default()
            };
            let counted = prevalence(&[run], near, &config);
            for (one, list) in counted.iter().zip(lists) {
                for (depth, row) in config.depths.iter().zip(&one.counts) {
                    for (&threshold, &found) in THRESHOLDS.iter().zip(row) {
                        let expected = slow(list, similarity, *depth, threshold, count);
                        assert_eq!(
                            found, expected,
                            "{list:?} {depth} {threshold} {count:?}"
                        );
                    }
                }
            }
        }
        let sets = set_prevalence(lists, near, &THRESHOLDS);
        for (one, list) in sets.iter().zip(lists) {
            for (&threshold, &found) in THRESHOLDS.iter().zip(&one.counts) {
                let expected = slow(list, similarity, 99, threshold, Count::Involved);
                assert_eq!(found, expected);
            }
        }
    }

    proptest! {
        #[test]
        fn counts_are_those_of_the_definition(
            lists in proptest::collection::vec(list(), 1..4),
            pairs in proptest::collection::vec((0u32..24, 0u32..24, 0u32..=10), 0..40),
            groups in proptest::collection::vec(
                proptest::collection::vec(0u32..24, 0..4), 0..5),
        ) {
            let pairs: Vec<_> = pairs.iter().map(|&(a, b, s)| (a, b, s * 100_000)).collect();
            let pairs = PairList::new(&pairs);
            let similarity = |left: u32, right: u32| {
                let near = pairs.of(left).iter().find(|near| near.0 == right);
                near.map_or(0, |near| near.1)
            };
            check(&Near::Pairs(pairs.clone()), &similarity, &lists);
            let groups = Groups::new(&groups);
            let together = |left: u32, right: u32| {
                let group = groups.of(left);
                u32::from(group.is_some() && group == groups.of(right)) * SIMILARITY_ONE
            };
            check(&Near::Groups(groups.clone()), &together, &lists);
        }
    }
}
