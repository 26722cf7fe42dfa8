//! Documents similar to one: a query against a source, or against the features that a job
//! has kept.
//!
//! The features of the query go into a flat table once, and those of each document are
//! looked up in it, with an early end. No index is made: it would be asked once. Held of each
//! document is what its id depends on, about 40 bytes; of those found, the best.

mod hits;
mod kept;
mod names;

pub use hits::{Hit, SimilarResult};
pub use kept::{KeptWork, similar_in};

use crate::document::{
    BadRecord, Progress, Record, Sink, Source, SourceRead, check_cancelled,
};
use crate::error::{Error, Result};
use crate::feature::{Extractor, FeatureKind, FeatureTable};
use crate::hash;
use crate::similarity::{Bounds, Similarity};
use crate::text::WordOptions;
use crate::threshold::Threshold;
use hits::{Best, Found};
use names::Names;

/// What is asked for.
#[derive(Debug, Clone)]
pub struct SimilarConfig {
    /// How similarity is measured.
    pub similarity: Similarity,
    /// The smallest similarity that counts.
    pub threshold: Threshold,
    /// Which features stand for a document.
    pub features: FeatureKind,
    /// How text becomes words.
    pub words: WordOptions,
    /// Seed of the feature hash.
    pub seed: u64,
    /// Number of threads; no result depends on it.
    pub threads: usize,
    /// How many documents are given at most, the best ones; none for all.
    pub top: Option<usize>,
}

/// A text for which similar documents are wanted.
#[derive(Debug)]
pub struct Query {
    table: FeatureTable,
    size: u32,
    text_hash: u128,
    bounds: Bounds,
    is_shorter: bool,
}

/// Features looked up between two checks for an early end.
const STEP: usize = 32;

impl Query {
    /// Makes the features of a query; an empty text is refused.
    pub fn new(text: &str, config: &SimilarConfig) -> Result<Self> {
        let mut features = Vec::new();
        let mut extractor = Extractor::new(config.features, &config.words, config.seed);
        extractor.extract_document(text, &mut features);
        if features.is_empty() {
            let message = "is empty, so nothing is similar to it";
            return Err(Error::input("the query", message));
        }
        let mut table = FeatureTable::default();
        table.reset(features.len());
        for &feature in &features {
            table.insert(feature);
        }
        Ok(Query {
            table,
            size: narrow(features.len()),
            text_hash: hash::text(text),
            bounds: Bounds::new(config.similarity, config.threshold),
            is_shorter: extractor.was_shorter(),
        })
    }

    /// Whether it has no whole shingle ([`Extractor::was_shorter`]).
    pub fn is_shorter(&self) -> bool {
        self.is_shorter
    }

    /// Number of its features.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// Number of features that it shares with a set, if that is enough.
    fn overlap(&self, features: &[u64]) -> Option<u32> {
        let size = narrow(features.len());
        if size == 0 {
            return None;
        }
        let needed = self.bounds.min_overlap(self.size, size);
        if needed > size.min(self.size) {
            return None;
        }
        let mut missing_allowed = size - needed;
        let mut overlap = 0;
        for step in features.chunks(STEP) {
            let hits = step.iter().map(|&one| u32::from(self.table.contains(one)));
            let hits = hits.sum::<u32>();
            missing_allowed = missing_allowed.checked_sub(narrow(step.len()) - hits)?;
            overlap += hits;
        }
        Some(overlap)
    }
}

fn narrow(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Finds the documents of a source that are similar to a query, the best first.
pub fn similar(
    source: &dyn Source,
    query: &Query,
    config: &SimilarConfig,
    progress: &dyn Progress,
) -> Result<SimilarResult> {
    progress.begin("search", source.total_bytes());
    let file_names = source.file_names();
    let search = Search {
        query,
        config,
        file_names: &file_names,
    };
    let threads = config.threads.max(1);
    let mut collectors: Vec<Collector<'_>> =
        (0..threads).map(|_| Collector::new(search)).collect();
    let mut parts = Vec::new();
    for part in 0..source.num_parts()? {
        check_cancelled(progress)?;
        let sinks = collectors.iter_mut().map(|one| one as &mut dyn Sink);
        parts.push(source.read_part(part, sinks.collect(), progress)?);
    }
    let read = SourceRead::gather(file_names.clone(), &parts);
    let mut best = Best::new(config.similarity, query.size, config.top);
    let mut names = Names::default();
    let mut result = SimilarResult {
        query_size: query.size,
        ..SimilarResult::default()
    };
    for collector in collectors {
        best.append(collector.best);
        names.append(collector.names);
        result.num_documents += collector.num_documents;
        result.num_bad_records += collector.num_bad_records;
    }
    result.num_hits = best.num_found;
    let found = best.finish();
    let ids = names.resolve(&found, &read.files);
    let hits = found.into_iter().zip(ids);
    result.hits = hits
        .map(|(found, id)| found.into_hit(id, &read.files))
        .collect();
    Ok(result)
}

/// What all threads know.
#[derive(Clone, Copy)]
struct Search<'a> {
    query: &'a Query,
    config: &'a SimilarConfig,
    file_names: &'a [String],
}

/// Compares the documents of one thread with the query.
struct Collector<'a> {
    search: Search<'a>,
    extractor: Extractor,
    features: Vec<u64>,
    best: Best,
    names: Names,
    num_documents: u64,
    num_bad_records: u64,
}

impl<'a> Collector<'a> {
    fn new(search: Search<'a>) -> Self {
        let config = search.config;
        Collector {
            search,
            extractor: Extractor::new(config.features, &config.words, config.seed),
            features: Vec::new(),
            best: Best::new(config.similarity, search.query.size, config.top),
            names: Names::default(),
            num_documents: 0,
            num_bad_records: 0,
        }
    }
}

impl Sink for Collector<'_> {
    fn document(&mut self, record: &Record<'_>) -> Result<()> {
        self.num_documents += 1;
        let text_hash = hash::text(record.text);
        self.names.add(record.id, text_hash, record.position);
        self.features.clear();
        self.extractor
            .extract_document(record.text, &mut self.features);
        let Some(overlap) = self.search.query.overlap(&self.features) else {
            return Ok(());
        };
        let file = record.position.file as usize;
        self.best.add(Found {
            overlap,
            size: narrow(self.features.len()),
            name: record
                .id
                .unwrap_or(&self.search.file_names[file])
                .to_owned(),
            is_made: record.id.is_none(),
            text_hash,
            position: record.position,
            is_equal_text: text_hash == self.search.query.text_hash,
            preview: hits::preview(record.text),
            document: 0,
        });
        Ok(())
    }

    fn bad_record(&mut self, _: BadRecord) -> Result<()> {
        self.num_bad_records += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
