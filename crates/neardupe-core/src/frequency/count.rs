//! Counts the documents of a source that have each feature, in bounded memory.
//!
//! Each thread has a map; a map that is full goes to the work directory in order of its
//! features, and the sums are made when all has been read ([`super::runs`]). Sums do not depend
//! on who counted what, nor on when it was put away.

use super::runs::{CountRow, Runs};
use super::specification::FeatureSpecText;
use super::sums::{CountSums, DOCUMENTS_WITH_ONE};
use super::table::{DfTable, Facts};
use crate::document::{
    BadKind, BadRecord, Position, Progress, Record, Sink, Source, SourceRead,
    check_cancelled,
};
use crate::error::Result;
use crate::feature::{Extractor, FeatureKind, FeatureSpec};
use crate::hash::FixedMap;
use crate::numbers::{in_memory, narrow};
use crate::store::{Budget, WorkDir};
use crate::text::WordOptions;
use std::collections::BTreeMap;

/// Features of fewer documents are left out by default: a feature that is not in the
/// table is then known to be in one document at most, so nothing is lost.
pub const DEFAULT_MIN_DF: u32 = 2;
/// Entries of a table at most, by default: 48 MB as a file.
pub const DEFAULT_MAX_ENTRIES: usize = 4_000_000;

/// Bytes of a place in a map: key, count and mark, and the row that it becomes.
const PLACE_BYTES: u64 = 34;
/// Bad records that are listed one by one.
const SHOWN_BAD: usize = 5;

/// What is counted, and how.
#[derive(Debug, Clone)]
pub struct CountConfig {
    /// Which features.
    pub features: FeatureKind,
    /// How text becomes words.
    pub words: WordOptions,
    /// Seed of the feature hash.
    pub seed: u64,
    /// Number of threads; no result depends on it.
    pub threads: usize,
    /// What may be held; no result depends on it.
    pub budget: Budget,
    /// Features of fewer documents are left out of the table.
    pub min_df: u32,
    /// Entries of the table at most: with more, a larger `min_df` is taken, the smallest that
    /// suffices.
    pub max_entries: usize,
}

/// What was counted.
#[derive(Debug, Clone)]
pub struct CountedTable {
    /// The table.
    pub table: DfTable,
    /// Documents without a word, which are not counted.
    pub num_empty: u64,
    /// Distinct features before any was left out.
    pub num_features: u64,
    /// Bad records, by kind.
    pub bad_records: BTreeMap<BadKind, u64>,
    /// The first bad records of the input.
    pub bad_sample: Vec<BadSample>,
    /// Whether counts went to the work directory.
    pub spilled: bool,
}

impl CountedTable {
    /// Number of bad records.
    pub fn num_bad(&self) -> u64 {
        self.bad_records.values().sum()
    }
}

/// A bad record that is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadSample {
    /// Its file.
    pub file: String,
    /// Its number in the file, from 1.
    pub number: u64,
    /// The kind of fault.
    pub kind: BadKind,
    /// What exactly was wrong.
    pub detail: String,
}

/// Counts the documents of a source that have each feature. Counted are documents with at least
/// one feature, each once for each distinct feature ([`Extractor::distinct`]).
pub fn count(
    source: &dyn Source,
    config: &CountConfig,
    work: &WorkDir,
    progress: &dyn Progress,
) -> Result<CountedTable> {
    count_with(source, config, &|_, _| {}, work, progress)
}

/// Changes the features of a record before they are counted.
pub type Adapt<'a> = &'a (dyn Fn(&Record<'_>, &mut Vec<u64>) + Sync);

/// As [`count()`], of features that were made of those of each document.
pub fn count_with(
    source: &dyn Source,
    config: &CountConfig,
    adapt: Adapt<'_>,
    work: &WorkDir,
    progress: &dyn Progress,
) -> Result<CountedTable> {
    let runs = Runs::new(work);
    let threads = config.budget.read_threads.min(config.threads).max(1);
    let mut collectors: Vec<CountCollector<'_>> = (0..threads)
        .map(|_| CountCollector::new(config, adapt, &runs, threads, progress))
        .collect();
    progress.begin("read", source.total_bytes());
    let mut parts = Vec::new();
    for part in 0..source.num_parts()? {
        check_cancelled(progress)?;
        let sinks = collectors.iter_mut().map(|one| one as &mut dyn Sink);
        parts.push(source.read_part(part, sinks.collect(), progress)?);
    }
    let read = SourceRead::gather(source.file_names(), &parts);
    let (mut memory, mut bad) = (Vec::new(), Bad::default());
    let (mut num_documents, mut num_empty, mut spilled) = (0, 0, false);
    for mut collector in collectors {
        // What each thread still has is merged from memory: a small job writes no file.
        memory.push(collector.take_rows());
        bad.append(std::mem::take(&mut collector.bad));
        num_documents += collector.num_documents;
        num_empty += collector.num_empty;
        spilled |= collector.spilled;
    }
    progress.begin("add up", 0);
    let specification = FeatureSpec::new(config.features, &config.words, config.seed);
    let facts = Facts {
        specification: FeatureSpecText::from(&specification),
        num_documents,
        min_df: config.min_df,
        uncertainty: 0,
    };
    let sums = CountSums {
        runs: &runs,
        memory: &memory,
        max_entries: config.max_entries,
        max_bytes: config.budget.features,
    };
    let (table, num_features) = sums.table(facts, progress)?;
    Ok(CountedTable {
        table,
        num_empty,
        num_features,
        bad_sample: bad.sample(&read),
        bad_records: bad.kinds,
        spilled,
    })
}

/// Counts the documents of one thread.
struct CountCollector<'a> {
    runs: &'a Runs<'a>,
    adapt: Adapt<'a>,
    progress: &'a dyn Progress,
    extractor: Extractor,
    features: Vec<u64>,
    counts: FixedMap<u64, u32>,
    /// Entries of the map at most.
    most: usize,
    num_documents: u64,
    num_empty: u64,
    bad: Bad,
    spilled: bool,
}

impl<'a> CountCollector<'a> {
    fn new(
        config: &CountConfig,
        adapt: Adapt<'a>,
        runs: &'a Runs<'a>,
        threads: usize,
        progress: &'a dyn Progress,
    ) -> Self {
        let room = in_memory(config.budget.features / threads as u64 / PLACE_BYTES);
        // Maps grow by doubling, and are full at seven eighths of their places.
        let places = 1usize << room.max(16).ilog2();
        CountCollector {
            runs,
            adapt,
            progress,
            extractor: Extractor::new(config.features, &config.words, config.seed),
            features: Vec::new(),
            counts: FixedMap::default(),
            most: places / 8 * 7,
            num_documents: 0,
            num_empty: 0,
            bad: Bad::default(),
            spilled: false,
        }
    }

    /// Empties the map; its content in order.
    fn take_rows(&mut self) -> Vec<CountRow> {
        let counts = self.counts.drain();
        let mut rows: Vec<CountRow> = counts
            .map(|(feature, count)| CountRow {
                feature,
                count: u64::from(count),
            })
            .collect();
        // The map has an order of its own, which depends on what came before.
        rows.sort_unstable();
        rows
    }
}

impl Sink for CountCollector<'_> {
    fn give_back(&mut self) {
        self.extractor.give_back();
        self.features = Vec::new();
    }

    fn document(&mut self, record: &Record<'_>) -> Result<()> {
        check_cancelled(self.progress)?;
        self.features.clear();
        self.extractor.distinct(record.text, &mut self.features);
        (self.adapt)(record, &mut self.features);
        if self.features.is_empty() {
            self.num_empty += 1;
            return Ok(());
        }
        self.num_documents += 1;
        for at in 0..self.features.len() {
            // Before the entry is looked up: a map that is full would grow to twice its size.
            if self.counts.len() == self.most {
                let rows = self.take_rows();
                self.runs.put(&rows)?;
                self.spilled = true;
            }
            let count = self.counts.entry(self.features[at]).or_insert(0);
            // Not before 2^32 documents of one thread, and then the count must not stop
            // silently: a table would give the word a wrong weight.
            *count = narrow(*count as usize + 1, DOCUMENTS_WITH_ONE)?;
        }
        Ok(())
    }

    fn bad_record(&mut self, bad: BadRecord) -> Result<()> {
        self.bad.add(bad);
        Ok(())
    }
}

/// The bad records of a thread: how many, and the first.
#[derive(Debug, Default)]
pub(crate) struct Bad {
    pub(crate) kinds: BTreeMap<BadKind, u64>,
    first: Vec<(Position, BadRecord)>,
}

impl Bad {
    pub(crate) fn add(&mut self, bad: BadRecord) {
        *self.kinds.entry(bad.kind).or_insert(0) += 1;
        self.first.push((bad.position, bad));
        if self.first.len() >= 4 * SHOWN_BAD {
            self.keep_first();
        }
    }

    fn keep_first(&mut self) {
        self.first.sort_by_key(|(position, _)| *position);
        self.first.truncate(SHOWN_BAD);
    }

    pub(crate) fn append(&mut self, other: Bad) {
        for (kind, count) in other.kinds {
            *self.kinds.entry(kind).or_insert(0) += count;
        }
        self.first.extend(other.first);
        self.keep_first();
    }

    pub(crate) fn sample(&mut self, read: &SourceRead) -> Vec<BadSample> {
        let sample = |(position, bad): (Position, BadRecord)| {
            let file = read.files.get(position.file as usize);
            BadSample {
                file: file.map(|file| file.name.clone()).unwrap_or_default(),
                number: file.map_or(0, |file| file.record_number(position)),
                kind: bad.kind,
                detail: bad.detail,
            }
        };
        std::mem::take(&mut self.first)
            .into_iter()
            .map(sample)
            .collect()
    }
}

#[cfg(test)]
#[path = "count_tests.rs"]
mod tests;
