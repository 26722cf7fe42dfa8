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

use crate::candidate::filter::{Filters, Passed, PostingPair};
use crate::document::{
    BadRecord, Progress, Record, Sink, Source, SourceRead, check_cancelled,
};
use crate::error::{Error, Result};
use crate::feature::{Extractor, FeatureKind};
use crate::hash;
use crate::similarity::{Bounds, Similarity};
use crate::text::WordOptions;
use crate::threshold::Threshold;
use crate::verify::Verifier;
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
    verifier: Verifier,
    size: u32,
    text_hash: u128,
    bounds: Bounds,
    is_shorter: bool,
}

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
        Ok(Query {
            verifier: Verifier::of(&features),
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

    /// What compares sets with it. Each thread has its own.
    fn matcher(&self) -> Matcher {
        Matcher {
            verifier: self.verifier.clone(),
            size: self.size,
            bounds: self.bounds,
        }
    }
}

/// Compares sets with a query.
struct Matcher {
    verifier: Verifier,
    size: u32,
    bounds: Bounds,
}

impl Matcher {
    /// Number of features that the query shares with a set, if that is enough.
    fn overlap(&mut self, features: &[u64]) -> Option<u32> {
        let size = narrow(features.len());
        if size == 0 {
            return None;
        }
        let sizes = [self.size, size];
        let pair = PostingPair::of_sizes(&sizes);
        match Filters::default().passes(&pair, self.bounds) {
            Passed::Dropped(_) => None,
            Passed::Candidate { min_overlap } => {
                self.verifier
                    .overlap_with(features, self.bounds, min_overlap)
            }
        }
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
    matcher: Matcher,
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
            matcher: search.query.matcher(),
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
        let Some(overlap) = self.matcher.overlap(&self.features) else {
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
