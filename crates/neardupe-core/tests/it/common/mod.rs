//! A collection in memory, and the obviously right answers to compare with.
#![allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    clippy::unwrap_used,
    reason = "shared by several test programs"
)]

use neardupe_core::candidate::bitmap::{common_keys, of_keys};
use neardupe_core::cluster::Keep;
use neardupe_core::document::{
    BlockRead, Origin, PartRead, Position, Progress, Record, Side, Silent, Sink, Source,
};
use neardupe_core::error::Result;
use neardupe_core::feature::{Extractor, FeatureKind, whole_text};
use neardupe_core::hash;
use neardupe_core::pair::Pair;
use neardupe_core::pipeline::{
    Cluster, ClusterMode, FindConfig, FindResult, Method, Rule, find,
};
use neardupe_core::signature::{Coder, IMatcher, MinHasher};
use neardupe_core::similarity::Similarity;
use neardupe_core::store::Budget;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// A document of a test: words, joined by spaces, and one metadata value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestDocument {
    pub id: String,
    pub words: Vec<u32>,
    pub value: Option<String>,
    /// One of the documents that new ones are compared with; these come first.
    pub old: bool,
}

/// A document of this word or a later one, and of no other, has a text without a word.
pub const WORDLESS: u32 = 1 << 19;

impl TestDocument {
    pub fn text(&self) -> String {
        if let [only] = self.words[..]
            && only >= WORDLESS
        {
            return "-".repeat((only - WORDLESS + 1) as usize);
        }
        let words: Vec<String> =
            self.words.iter().map(|word| format!("w{word}")).collect();
        words.join(" ")
    }

    pub fn set(&self) -> BTreeSet<u32> {
        self.words.iter().copied().collect()
    }
}

/// Deals documents one by one to all sinks, so that every run numbers sets alike: ledgers can be compared too.
pub struct TestSource {
    pub documents: Vec<TestDocument>,
    pub num_parts: usize,
}

impl Source for TestSource {
    fn total_bytes(&self) -> u64 {
        0
    }

    fn origins(&self) -> Result<Option<Vec<Origin>>> {
        Ok(Some(Vec::new()))
    }

    fn file_names(&self) -> Vec<String> {
        vec!["old".to_owned(), "memory".to_owned()]
    }

    fn side(&self, file: u32) -> Side {
        if file == 0 { Side::Old } else { Side::New }
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
                    file: u32::from(!document.old),
                    block: part,
                    index,
                },
                ..Record::default()
            })?;
        }
        let block = |file: u32| {
            let records = documents.iter().filter(|one| u32::from(!one.old) == file);
            BlockRead {
                file,
                block: part,
                places: u32::try_from(documents.len()).unwrap(),
                records: records.count() as u64,
                ..BlockRead::default()
            }
        };
        Ok(PartRead {
            blocks: vec![block(0), block(1)],
            ..PartRead::default()
        })
    }
}

/// Old and new documents in so many parts.
pub fn in_memory(documents: &[TestDocument], num_parts: usize) -> TestSource {
    TestSource {
        documents: documents.to_vec(),
        num_parts,
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
        keep_features: false,
    }
}

pub fn run(documents: &[TestDocument], config: &FindConfig) -> FindResult {
    let source = in_memory(documents, 1);
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

/// The feature of a word.
fn feature_of(word: u32, config: &FindConfig) -> u64 {
    let mut feature = Vec::new();
    let mut extractor = Extractor::new(config.features, &config.words, config.seed);
    let document = TestDocument {
        id: String::new(),
        words: vec![word],
        value: None,
        old: false,
    };
    extractor.extract_document(&document.text(), &mut feature);
    feature[0]
}

/// The features of a document as far as its text decides; of one without a word its text.
fn features_of(document: &TestDocument, config: &FindConfig) -> Vec<u64> {
    let (text, mut features) = (document.text(), Vec::new());
    config.sampler().extract(&text, &mut features);
    if features.is_empty() {
        features.extend(whole_text(&text, None));
    }
    features
}

/// Whether the feature of a word is kept at a ratio.
fn is_kept_at(
    ratio: u32,
    word: u32,
    document: &TestDocument,
    config: &FindConfig,
) -> bool {
    const SALT: u64 = 0x5bf0_3635_dcf5_9f1d;
    let feature = rank_of(word, document, config).rotate_right(8);
    word >= NONE_KEPT || hash::mix(feature ^ SALT).is_multiple_of(u64::from(ratio))
}

/// Where a word of a document stands in the order in which the smallest are taken: by its
/// feature, into which the block goes.
fn rank_of(word: u32, document: &TestDocument, config: &FindConfig) -> u64 {
    const BLOCK_SEED: u64 = 0x71d6_7fff_eda6_0000;
    if word >= NONE_KEPT {
        return u64::from(word);
    }
    let feature = feature_of(word, config);
    hash::rank(match (&config.block_by, &document.value) {
        (None, _) => feature,
        (Some(_), None) => hash::numbered(feature, BLOCK_SEED, 0),
        (Some(_), Some(value)) => {
            hash::numbered(feature, hash::bytes(value.as_bytes(), BLOCK_SEED), 0)
        }
    })
}

/// The definition, by brute force.
pub struct Brute<'a> {
    documents: &'a [TestDocument],
    config: &'a FindConfig,
    sets: Vec<BTreeSet<u32>>,
    /// Keys of the signatures.
    keys: Vec<Vec<u64>>,
    /// Simhashes.
    codes: Vec<Option<u64>>,
    /// Places of words in the order in which the smallest are taken, if they are.
    ranks: Vec<BTreeMap<u32, u64>>,
}

/// The simhash of a document, if the method has one.
fn code_of(document: &TestDocument, coder: Option<&mut Coder>) -> Option<u64> {
    let metadata = [document.value.clone()];
    coder?.code(&Record {
        text: &document.text(),
        metadata: &metadata,
        ..Record::default()
    })
}

/// Whether codes alone are compared.
fn compares_codes(config: &FindConfig) -> bool {
    matches!(config.method, Method::Simhash(hamming) if !hamming.verified)
}

/// The keys of a document's signature, if the method has any.
fn keys_of(document: &TestDocument, config: &FindConfig) -> Vec<u64> {
    if let Some(lexicons) = &config.lexicons {
        let (mut terms, mut keys) = (Vec::new(), Vec::new());
        let (words, seed) = (&lexicons.words, lexicons.seed);
        let mut extractor = Extractor::new(FeatureKind::Terms, words, seed);
        extractor.distinct(&document.text(), &mut terms);
        let df = |term: u64| u64::from(lexicons.df.df(term));
        IMatcher::new(lexicons.settings, lexicons.df.num_documents(), seed)
            .sign(&terms, df, &mut keys);
        keys.resize(lexicons.num_keys(), 0);
        return keys;
    }
    let Method::MinHash(bands) = config.method else {
        return Vec::new();
    };
    let (mut values, mut keys) = (Vec::new(), Vec::new());
    let mut features = features_of(document, config);
    config.sampling.take_smallest(&mut features);
    MinHasher::new(bands.num_values(), config.seed).sign(&features, &mut values);
    bands.keys(&values, &mut keys);
    keys
}

/// In the place of a word: all words of a document of which sampling keeps none.
const NONE_KEPT: u32 = 1 << 20;

impl<'a> Brute<'a> {
    pub fn new(documents: &'a [TestDocument], config: &'a FindConfig) -> Self {
        let mut whole_sets: Vec<BTreeSet<u32>> = Vec::new();
        let sampled = |document: &TestDocument| {
            let all = document.set();
            let sampling = &config.sampling;
            if sampling.is_by_hash() && sampling.modulus.is_none() {
                return all;
            }
            let mut features = features_of(document, config);
            let is_kept = |&word: &u32| features.contains(&feature_of(word, config));
            let mut kept: Vec<u32> = all.iter().copied().filter(is_kept).collect();
            if let Some(plan) = &config.sampling.adaptive {
                let ratio = plan.ratio(document.words.len() as u64);
                let thinned = kept.iter().copied();
                let thinned: BTreeSet<u32> = thinned
                    .filter(|&word| is_kept_at(ratio, word, document, config))
                    .collect();
                if !thinned.is_empty() || all.is_empty() {
                    return thinned;
                }
                let all: BTreeSet<u32> = kept.into_iter().collect();
                let known = whole_sets.iter().position(|set| *set == all);
                let number = known.unwrap_or_else(|| {
                    whole_sets.push(all);
                    whole_sets.len() - 1
                });
                return BTreeSet::from([NONE_KEPT + u32::try_from(number).unwrap()]);
            }
            if !kept.is_empty() || all.is_empty() {
                if let Some(most) = config.sampling.smallest {
                    kept.sort_by_key(|&word| rank_of(word, document, config));
                    kept.truncate(most as usize);
                }
                return kept.into_iter().collect();
            }
            // Of winnowed features those that are kept by none.
            let all: BTreeSet<u32> = match config.sampling.winnow {
                None => all,
                Some(_) => {
                    let mut winnowed = config.clone();
                    winnowed.sampling.modulus = None;
                    features.clear();
                    winnowed.sampler().extract(&document.text(), &mut features);
                    let is_kept =
                        |word: &u32| features.contains(&feature_of(*word, config));
                    all.into_iter().filter(is_kept).collect()
                }
            };
            let known = whole_sets.iter().position(|set| *set == all);
            let number = known.unwrap_or_else(|| {
                whole_sets.push(all);
                whole_sets.len() - 1
            });
            BTreeSet::from([NONE_KEPT + u32::try_from(number).unwrap()])
        };
        let mut coder = config.codes.clone().map(|spec| Coder::new(spec).unwrap());
        let codes: Vec<Option<u64>> = documents
            .iter()
            .map(|document| code_of(document, coder.as_mut()))
            .collect();
        let bits = |code: &Option<u64>| -> BTreeSet<u32> {
            let Some(code) = *code else {
                return BTreeSet::new();
            };
            let bits = (0u32..64).map(|bit| (bit, (code >> bit) & 1 == 1));
            bits.map(|(bit, set)| bit * 2 + u32::from(set)).collect()
        };
        let sets: Vec<BTreeSet<u32>> = match compares_codes(config) {
            true => {
                let of_code = |(document, code): (&TestDocument, &Option<u64>)| match code
                {
                    Some(_) => bits(code),
                    // Without a code only an equal text is similar.
                    None => document.set(),
                };
                documents.iter().zip(&codes).map(of_code).collect()
            }
            false => documents.iter().map(sampled).collect(),
        };
        let keys = documents.iter().map(|document| keys_of(document, config));
        let ranks = documents.iter().zip(&sets).map(|(document, set)| {
            let words = set.iter().filter(|_| config.sampling.smallest.is_some());
            let rank = |&word: &u32| (word, rank_of(word, document, config));
            words.map(rank).collect()
        });
        let ranks = ranks.collect();
        Brute {
            ranks,
            documents,
            config,
            sets,
            keys: keys.collect(),
            codes,
        }
    }

    /// Whether documents that are alike count as equal: those of one block do.
    fn in_one_block(&self, left: usize, right: usize) -> bool {
        self.config.block_by.is_none()
            || self.documents[left].value == self.documents[right].value
    }

    fn equal_sets(&self, left: usize, right: usize) -> bool {
        self.sets[left] == self.sets[right]
            && self.codes[left] == self.codes[right]
            && (self.config.lexicons.is_none() || self.keys[left] == self.keys[right])
            && self.in_one_block(left, right)
            && self.ratio_of(left) == self.ratio_of(right)
            && (self.sets[left].len() >= self.config.min_overlap as usize
                || self.documents[left].text() == self.documents[right].text())
    }

    /// Whether two documents are taken for similar because they are equal.
    fn taken_together(&self, left: usize, right: usize) -> bool {
        !self.config.keep_exact && self.equal_sets(left, right)
    }

    /// Whether a word is in more documents than are allowed.
    fn is_common(&self, word: u32, block_of: usize) -> bool {
        let Some(most) = self.config.sampling.commonality else {
            return false;
        };
        let having = (0..self.documents.len()).filter(|&at| {
            self.in_one_block(at, block_of) && self.sets[at].contains(&word)
        });
        having.count() > most as usize
    }

    /// One in so many features of a document is kept by adaptive sampling.
    fn ratio_of(&self, document: usize) -> u32 {
        let num_words = self.documents[document].words.len() as u64;
        let plan = &self.config.sampling.adaptive;
        plan.as_ref().map_or(1, |plan| plan.ratio(num_words))
    }

    /// Sizes of two sets: of what the rules of both keep.
    fn sizes(&self, left: usize, right: usize) -> [u64; 2] {
        let coarser = self.ratio_of(left).max(self.ratio_of(right));
        [left, right].map(|at| match &self.config.sampling.adaptive {
            None => self.sets[at].len() as u64,
            Some(_) => {
                let document = &self.documents[at];
                let words = self.sets[at].iter();
                let kept = words
                    .filter(|&&word| is_kept_at(coarser, word, document, self.config));
                kept.count() as u64
            }
        })
    }

    fn overlap(&self, left: usize, right: usize) -> u64 {
        if self.ratio_of(left) != self.ratio_of(right) {
            let coarser = self.ratio_of(left).max(self.ratio_of(right));
            let common = self.sets[left].intersection(&self.sets[right]);
            let document = &self.documents[left];
            let kept =
                common.filter(|&&word| is_kept_at(coarser, word, document, self.config));
            // Of which nothing is kept is like nothing of another ratio.
            return kept.filter(|&&word| word < NONE_KEPT).count() as u64;
        }
        let common = self.sets[left].intersection(&self.sets[right]);
        if self.taken_together(left, right) {
            return common.count() as u64;
        }
        let counted = common.filter(|&&word| !self.is_common(word, left));
        let Similarity::Estimate(most) = self.config.similarity else {
            return counted.count() as u64;
        };
        // All that one or both have, in order; what is common in the collection is had by each.
        let shared: BTreeSet<u32> = counted.copied().collect();
        let mut union: Vec<(u64, bool)> = Vec::new();
        for side in [left, right] {
            let words = self.sets[side].iter();
            let words = words.filter(|word| side == left || !shared.contains(word));
            union.extend(
                words.map(|word| (self.ranks[side][word], shared.contains(word))),
            );
        }
        union.sort_unstable();
        union.truncate(most as usize);
        union.iter().filter(|(_, shared)| *shared).count() as u64
    }

    /// Similarity as part and whole.
    fn ratio(&self, left: usize, right: usize) -> (u64, u64) {
        let overlap = self.overlap(left, right);
        let sizes = self.sizes(left, right);
        match self.config.similarity {
            Similarity::Resemblance => (overlap, sizes[0] + sizes[1] - overlap),
            Similarity::S3 => (2 * overlap, sizes[0] + sizes[1]),
            Similarity::Containment => (overlap, sizes[0].min(sizes[1])),
            Similarity::Estimate(most) => {
                let union = sizes[0] + sizes[1] - overlap;
                (overlap, union.min(u64::from(most)))
            }
        }
    }

    /// Whether the method compares two documents.
    fn meets(&self, left: usize, right: usize) -> bool {
        if let (Method::Simhash(hamming), Some(spec)) =
            (self.config.method, &self.config.codes)
        {
            let (Some(one), Some(other)) = (self.codes[left], self.codes[right]) else {
                // A text without a word has no code: only an equal text is near.
                return self.taken_together(left, right);
            };
            let differing = one ^ other;
            return differing & spec.reserved_bits() == 0
                && differing.count_ones() <= hamming.distance;
        }
        let keys = [left, right].map(|at| &self.keys[at]);
        if self.taken_together(left, right) {
            return true;
        }
        if self.config.method == Method::Exact {
            let sketches = keys.map(|keys| of_keys(keys));
            let common = common_keys(&sketches[0], &sketches[1]);
            return self
                .config
                .filters
                .signature
                .is_none_or(|needed| common >= needed);
        }
        keys[0].iter().any(|key| *key != 0 && keys[1].contains(key))
    }

    /// Whether two documents are compared, and similar.
    fn similar(&self, left: usize, right: usize) -> bool {
        self.reaches(left, right) && self.meets(left, right)
    }

    fn reaches(&self, left: usize, right: usize) -> bool {
        let (numerator, denominator) = self.config.threshold.ratio().parts();
        let [one, other] = [left, right].map(|at| self.documents[at].old);
        let within = self.config.against.is_none_or(|against| against.within);
        let compared = match (one, other) {
            (true, true) => false,
            (false, false) => within,
            _ => true,
        };
        let (part, whole) = self.ratio(left, right);
        compared
            && self.in_one_block(left, right)
            && !self.sets[left].is_empty()
            && !self.sets[right].is_empty()
            && part * denominator >= numerator * whole
            && (self.taken_together(left, right)
                || self.overlap(left, right) >= u64::from(self.config.min_overlap))
    }

    /// Whether a document can be removed in favour of another.
    fn yields_to(&self, document: usize, other: usize) -> bool {
        let removes_containing = self
            .config
            .against
            .is_some_and(|against| against.remove_containing);
        self.similar(document, other)
            && (self.config.similarity != Similarity::Containment
                || removes_containing
                || self.sets[document].len() <= self.sets[other].len())
    }

    /// Documents in priority order, by the definition of each rule.
    fn order(&self, keep: &Keep) -> Vec<usize> {
        let number = |at: usize| {
            let value = self.documents[at].value.as_deref();
            value.map(|value| value.trim_end_matches(".00").parse::<i64>().unwrap())
        };
        let key = |at: usize| -> (i64, i64) {
            let size = i64::try_from(self.sets[at].len()).unwrap();
            let size = size * i64::from(self.ratio_of(at));
            let chars = i64::try_from(self.documents[at].text().chars().count()).unwrap();
            match keep {
                Keep::Longest => (-size, -chars),
                Keep::Shortest => (size, chars),
                Keep::First => (i64::try_from(at).unwrap(), 0),
                Keep::Highest(_) | Keep::Newest(_) => {
                    (number(at).map_or(i64::MAX, |number| -number), 0)
                }
                Keep::Lowest(_) | Keep::Oldest(_) => (number(at).unwrap_or(i64::MAX), 0),
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
        let largest_first = |at: usize| match self.config.similarity {
            Similarity::Containment => -i64::try_from(self.sets[at].len()).unwrap(),
            _ => 0,
        };
        let side = |at: usize| !self.documents[at].old;
        order.sort_by_key(|&at| {
            (
                side(at),
                largest_first(at),
                key(at),
                self.documents[at].id.clone(),
            )
        });
        order
    }

    fn rule(&self, document: usize, representative: usize) -> Rule {
        let texts = [document, representative].map(|at| self.documents[at].text());
        let equal_sets = self.equal_sets(document, representative)
            && (!self.config.keep_exact || self.reaches(document, representative));
        if equal_sets && texts[0] == texts[1] {
            Rule::EqualText
        } else if equal_sets {
            Rule::EqualFeatures
        } else if self.reaches(document, representative) {
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
                        if !self.yields_to(document, candidate) {
                            continue;
                        }
                        // One with the very same features before one that contains them.
                        let key = |other: usize| {
                            let (part, whole) = self.ratio(document, other);
                            (part, whole, self.taken_together(document, other))
                        };
                        let better = best.is_none_or(|best| {
                            let (new, best) = (key(candidate), key(best));
                            let (left, right) = (new.0 * best.1, best.0 * new.1);
                            (left, new.2) > (right, best.2)
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
