//! Documents similar to one: a query against a source, or against the features that a job
//! has kept.
//!
//! The features of the query go into a flat table once, and those of each document are
//! looked up in it, with an early end. No index is made: it would be asked once. Held of each
//! document is what its id depends on, about 40 bytes; of those found, the best.

mod hits;
mod kept;
mod names;
mod query;

pub use hits::{Hit, SimilarResult};
pub use kept::{KeptWork, similar_in};
pub use query::{Query, SimilarConfig};

use crate::document::{
    BadRecord, Progress, Record, Sink, Source, SourceRead, check_cancelled,
};
use crate::error::Result;
use crate::feature::Extractor;
use crate::hash::{self, TextKey};
use crate::numbers::{DocIdx, narrow};
use hits::{Best, FoundDocument};
use names::Names;
use query::Matcher;

/// Finds the documents of a source that are similar to a query, the best first.
pub fn similar(
    source: &dyn Source,
    query: &Query,
    config: &SimilarConfig,
    progress: &dyn Progress,
) -> Result<SimilarResult> {
    progress.begin("search", source.total_bytes());
    let file_names = source.file_names();
    let search = QuerySearch {
        query,
        config,
        file_names: &file_names,
    };
    let threads = config.threads.max(1);
    let mut collectors: Vec<HitCollector<'_>> =
        (0..threads).map(|_| HitCollector::new(search)).collect();
    let mut parts = Vec::new();
    for part in 0..source.num_parts()? {
        check_cancelled(progress)?;
        let sinks = collectors.iter_mut().map(|one| one as &mut dyn Sink);
        parts.push(source.read_part(part, sinks.collect(), progress)?);
    }
    let read = SourceRead::gather(file_names.clone(), &parts);
    let mut best = Best::new(config.similarity, query.size(), config.top);
    let mut names = Names::default();
    let mut result = SimilarResult {
        query_size: query.size(),
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
struct QuerySearch<'a> {
    query: &'a Query,
    config: &'a SimilarConfig,
    file_names: &'a [String],
}

/// Compares the documents of one thread with the query.
struct HitCollector<'a> {
    search: QuerySearch<'a>,
    matcher: Matcher,
    extractor: Extractor,
    text_key: TextKey,
    features: Vec<u64>,
    best: Best,
    names: Names,
    num_documents: u64,
    num_bad_records: u64,
}

impl<'a> HitCollector<'a> {
    /// The collector of one thread.
    fn new(search: QuerySearch<'a>) -> Self {
        let config = search.config;
        HitCollector {
            search,
            matcher: search.query.matcher(),
            extractor: Extractor::new(config.features, &config.words, config.seed),
            text_key: TextKey::new(config.key),
            features: Vec::new(),
            best: Best::new(config.similarity, search.query.size(), config.top),
            names: Names::default(),
            num_documents: 0,
            num_bad_records: 0,
        }
    }
}

impl Sink for HitCollector<'_> {
    fn document(&mut self, record: &Record<'_>) -> Result<()> {
        self.num_documents += 1;
        let text_hash = hash::text(record.text);
        // Of every document, similar or not: whether an id repeats depends on all.
        self.names.add(record.id, text_hash, record.position);
        self.features.clear();
        self.extractor
            .extract_document(record.text, &mut self.features);
        let size = narrow(self.features.len(), "features of a document")?;
        let Some(overlap) = self.matcher.overlap(&self.features) else {
            return Ok(());
        };
        let file = record.position.file as usize;
        self.best.add(FoundDocument {
            overlap,
            size,
            name: record
                .id
                .unwrap_or(&self.search.file_names[file])
                .to_owned(),
            is_made: record.id.is_none(),
            text_hash,
            position: record.position,
            is_equal_text: hash::text_identity(
                text_hash,
                self.text_key.text(record.text),
            ) == self.search.query.text_key,
            preview: hits::preview(record.text),
            document: DocIdx::default(),
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
