//! A collection in memory, and the obviously right answers to compare with.
#![allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    clippy::unwrap_used,
    reason = "shared by several test programs"
)]

use neardupe_core::cluster::Keep;
use neardupe_core::document::{
    BlockRead, Origin, PartRead, Position, Progress, Record, Silent, Sink, Source,
};
use neardupe_core::error::Result;
use neardupe_core::pair::Pair;
use neardupe_core::pipeline::{Cluster, ClusterMode, FindConfig, FindResult, Rule, find};
use neardupe_core::store::Budget;
use neardupe_core::threshold::Threshold;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// A document of a test: words, joined by spaces, and one metadata value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestDocument {
    pub id: String,
    pub words: Vec<u32>,
    pub value: Option<String>,
}

impl TestDocument {
    pub fn text(&self) -> String {
        let words: Vec<String> =
            self.words.iter().map(|word| format!("w{word}")).collect();
        words.join(" ")
    }

    pub fn set(&self) -> BTreeSet<u32> {
        self.words.iter().copied().collect()
    }
}

pub struct MemorySource {
    pub documents: Vec<TestDocument>,
    pub num_parts: usize,
}

impl Source for MemorySource {
    fn total_bytes(&self) -> u64 {
        0
    }

    fn origins(&self) -> Result<Option<Vec<Origin>>> {
        Ok(Some(Vec::new()))
    }

    fn file_names(&self) -> Vec<String> {
        vec!["memory".to_owned()]
    }

    fn num_parts(&self) -> Result<u32> {
        Ok(u32::try_from(self.num_parts).unwrap())
    }

    fn read_part(
        &self,
        part: u32,
        mut sinks: Vec<&mut dyn Sink>,
        _progress: &dyn Progress,
    ) -> Result<PartRead> {
        let threads = sinks.len();
        let len = self.documents.len().div_ceil(self.num_parts).max(1);
        let documents = self.documents.chunks(len).nth(part as usize);
        let documents = documents.unwrap_or_default();
        for (number, document) in documents.iter().enumerate() {
            let index = u32::try_from(number).unwrap();
            let metadata = [document.value.clone()];
            sinks[number % threads].document(&Record {
                id: Some(&document.id),
                text: &document.text(),
                metadata: &metadata,
                position: Position {
                    file: 0,
                    block: part,
                    index,
                },
                ..Record::default()
            })?;
        }
        let block = BlockRead {
            block: part,
            places: u32::try_from(documents.len()).unwrap(),
            records: documents.len() as u64,
            ..BlockRead::default()
        };
        Ok(PartRead {
            blocks: vec![block],
            ..PartRead::default()
        })
    }
}

pub fn config(threshold: &str) -> FindConfig {
    let mut config = FindConfig::new(PathBuf::from("unused"));
    config.threshold = threshold.parse().unwrap();
    config.features = "words:1".parse().unwrap();
    config.metadata = vec!["value".to_owned()];
    config.threads = 2;
    config
}

/// A budget so small that everything is put away, counted in many rounds, and joined in
/// many windows.
pub fn tiny_budget() -> Budget {
    Budget {
        memory: 1 << 26,
        read_threads: 2,
        chunk_features: 60,
        features: 500,
        claims: 300,
        counters: 700,
        group: 600,
        index: 3000,
        rows: 200,
        checkpoint: false,
    }
}

pub fn run(documents: &[TestDocument], config: &FindConfig) -> FindResult {
    let source = MemorySource {
        documents: documents.to_vec(),
        num_parts: 1,
    };
    find(&source, config, &Silent).unwrap()
}

/// What a result says, by ids.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answer {
    pub duplicates: Vec<(String, String, u32, String)>,
    pub clusters: Vec<(String, Vec<String>)>,
    pub pairs: Vec<(String, String, u32)>,
}

pub fn answer(result: &FindResult) -> Answer {
    let id = |document| result.documents.id(document).unwrap().into_owned();
    let mut answer = Answer::default();
    let duplicates = result.duplicates.iter();
    answer.duplicates.extend(duplicates.map(|row| {
        let rule = row.rule.name().to_owned();
        (id(row.document), id(row.representative), row.overlap, rule)
    }));
    let clusters = |cluster: &Cluster| {
        let members = cluster.members.iter().map(|&member| id(member)).collect();
        answer.clusters.push((id(cluster.representative), members));
        Ok(())
    };
    result.for_each_cluster(clusters).unwrap();
    let pairs = |pair: &Pair| {
        answer
            .pairs
            .push((id(pair.left), id(pair.right), pair.overlap));
        Ok(())
    };
    result.for_each_pair(pairs).unwrap();
    assert_eq!(result.totals.clusters, answer.clusters.len() as u64);
    assert_eq!(result.totals.pairs, answer.pairs.len() as u64);
    answer
}

/// The definition, by brute force.
pub struct Brute<'a> {
    documents: &'a [TestDocument],
    sets: Vec<BTreeSet<u32>>,
    threshold: (u64, u64),
}

impl<'a> Brute<'a> {
    pub fn new(documents: &'a [TestDocument], threshold: Threshold) -> Self {
        let sets = documents.iter().map(TestDocument::set).collect();
        Brute {
            documents,
            sets,
            threshold: threshold.fraction(),
        }
    }

    fn overlap(&self, left: usize, right: usize) -> u64 {
        self.sets[left].intersection(&self.sets[right]).count() as u64
    }

    fn union(&self, left: usize, right: usize) -> u64 {
        self.sets[left].union(&self.sets[right]).count() as u64
    }

    fn similar(&self, left: usize, right: usize) -> bool {
        let (numerator, denominator) = self.threshold;
        let union = self.union(left, right);
        union > 0
            && !self.sets[left].is_empty()
            && !self.sets[right].is_empty()
            && self.overlap(left, right) * denominator >= numerator * union
    }

    /// Documents in priority order, by the definition of each rule.
    fn order(&self, keep: &Keep) -> Vec<usize> {
        let number = |at: usize| {
            let value = self.documents[at].value.as_deref();
            value.and_then(|value| value.parse::<i64>().ok())
        };
        let key = |at: usize| -> (i64, i64) {
            let size = i64::try_from(self.sets[at].len()).unwrap();
            let chars = i64::try_from(self.documents[at].text().chars().count()).unwrap();
            match keep {
                Keep::Longest => (-size, -chars),
                Keep::Shortest => (size, chars),
                Keep::First => (i64::try_from(at).unwrap(), 0),
                Keep::Highest(_) | Keep::Newest(_) => {
                    (number(at).map_or(i64::MAX, |number| -number), 0)
                }
                Keep::ShortestField(_) => {
                    let len = self.documents[at].value.as_ref().map(|value| value.len());
                    (len.map_or(i64::MAX, |len| i64::try_from(len).unwrap()), 0)
                }
                Keep::Prefer(_, wanted) => match &self.documents[at].value {
                    None => (2, 0),
                    Some(value) => (i64::from(value != wanted), 0),
                },
            }
        };
        let mut order: Vec<usize> = (0..self.documents.len()).collect();
        order.sort_by_key(|&at| (key(at), self.documents[at].id.clone()));
        order
    }

    fn rule(&self, document: usize, representative: usize) -> Rule {
        if self.documents[document].text() == self.documents[representative].text() {
            Rule::EqualText
        } else if self.sets[document] == self.sets[representative] {
            Rule::EqualFeatures
        } else if self.similar(document, representative) {
            Rule::Similar
        } else {
            Rule::Linked
        }
    }

    /// Representative of each document that is not one itself.
    fn assignment(&self, mode: ClusterMode, keep: &Keep) -> BTreeMap<usize, usize> {
        let order = self.order(keep);
        let mut of = BTreeMap::new();
        match mode {
            ClusterMode::Star => {
                let mut representatives: Vec<usize> = Vec::new();
                for &document in &order {
                    let mut best: Option<usize> = None;
                    for &candidate in &representatives {
                        if !self.similar(document, candidate) {
                            continue;
                        }
                        let better = best.is_none_or(|best| {
                            self.overlap(document, candidate) * self.union(document, best)
                                > self.overlap(document, best)
                                    * self.union(document, candidate)
                        });
                        if better {
                            best = Some(candidate);
                        }
                    }
                    match best {
                        Some(best) => {
                            of.insert(document, best);
                        }
                        None => representatives.push(document),
                    }
                }
            }
            ClusterMode::Components => {
                let mut component: Vec<usize> = (0..self.documents.len()).collect();
                for left in 0..self.documents.len() {
                    for right in 0..left {
                        if self.similar(left, right) {
                            let (from, to) = (component[left], component[right]);
                            for value in &mut component {
                                if *value == from {
                                    *value = to;
                                }
                            }
                        }
                    }
                }
                let mut first: BTreeMap<usize, usize> = BTreeMap::new();
                for &document in &order {
                    match first.get(&component[document]) {
                        Some(&representative) => {
                            of.insert(document, representative);
                        }
                        None => {
                            first.insert(component[document], document);
                        }
                    }
                }
            }
            ClusterMode::Neighbors | ClusterMode::None => {}
        }
        of
    }

    fn pair(&self, one: usize, other: usize) -> (String, String, u32) {
        let mut ids = [
            self.documents[one].id.clone(),
            self.documents[other].id.clone(),
        ];
        ids.sort();
        let [left, right] = ids;
        (
            left,
            right,
            u32::try_from(self.overlap(one, other)).unwrap(),
        )
    }

    pub fn all_pairs(&self) -> Vec<(String, String, u32)> {
        let mut pairs = Vec::new();
        for left in 0..self.documents.len() {
            for right in 0..left {
                if self.similar(left, right) {
                    pairs.push(self.pair(left, right));
                }
            }
        }
        pairs.sort();
        pairs
    }

    /// The whole answer; `all` for all pairs rather than evidence.
    pub fn answer(&self, mode: ClusterMode, keep: &Keep, all: bool) -> Answer {
        let assignment = self.assignment(mode, keep);
        let id = |at: usize| self.documents[at].id.clone();
        let mut answer = Answer::default();
        let mut clusters: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (&document, &representative) in &assignment {
            let rule = self.rule(document, representative);
            let overlap = u32::try_from(self.overlap(document, representative)).unwrap();
            let name = rule.name().to_owned();
            answer
                .duplicates
                .push((id(document), id(representative), overlap, name));
            let members = clusters.entry(id(representative)).or_default();
            members.extend([id(document), id(representative)]);
            if rule != Rule::Linked {
                answer.pairs.push(self.pair(document, representative));
            }
        }
        if mode == ClusterMode::Neighbors {
            for (left, right, _) in self.all_pairs() {
                for (lead, other) in [(&left, &right), (&right, &left)] {
                    let members = clusters.entry(lead.clone()).or_default();
                    members.extend([lead.clone(), other.clone()]);
                }
            }
        }
        if all {
            answer.pairs = self.all_pairs();
        }
        answer.duplicates.sort();
        answer.pairs.sort();
        answer.clusters = clusters
            .into_iter()
            .map(|(lead, members)| (lead, members.into_iter().collect()))
            .collect();
        answer
    }
}
