//! In how many sets of a collection some features occur, exactly.

use crate::document::{BadRecord, Progress, Record, Sink, Source, check_cancelled};
use crate::error::Result;
use crate::feature::{Extractor, FeatureKind};
use crate::hash::{self, FixedMap, FixedSet};
use crate::text::WordOptions;
use std::sync::{Mutex, PoisonError};

/// Counts of some features.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FeatureCounts {
    counts: FixedMap<u64, u32>,
    /// Documents that were read.
    pub num_documents: u64,
}

impl FeatureCounts {
    /// In how many sets a feature occurs.
    pub fn of(&self, feature: u64) -> u32 {
        self.counts.get(&feature).copied().unwrap_or(0)
    }
}

/// Counts in how many different sets of a source each of `features` occurs, as the join does:
/// documents with equal sets count once. Held are the counts, and a hash of each set that
/// has one of the features.
pub fn count_features(
    source: &dyn Source,
    features: impl Iterator<Item = u64>,
    kind: FeatureKind,
    words: &WordOptions,
    seed: u64,
    threads: usize,
    progress: &dyn Progress,
) -> Result<FeatureCounts> {
    progress.begin("count", source.total_bytes());
    let mut empty: FixedMap<u64, u32> = FixedMap::default();
    empty.extend(features.map(|feature| (feature, 0)));
    let seen = Mutex::new(FixedSet::default());
    let counter = || CountingSink {
        extractor: Extractor::new(kind, words, seed),
        features: Vec::new(),
        counts: empty.clone(),
        seen: &seen,
        num_documents: 0,
    };
    let mut counters: Vec<CountingSink<'_>> =
        (0..threads.max(1)).map(|_| counter()).collect();
    for part in 0..source.num_parts()? {
        check_cancelled(progress)?;
        let sinks = counters.iter_mut().map(|one| one as &mut dyn Sink);
        source.read_part(part, sinks.collect(), progress)?;
    }
    let mut all = FeatureCounts::default();
    for counter in counters {
        all.num_documents += counter.num_documents;
        for (feature, count) in counter.counts {
            *all.counts.entry(feature).or_insert(0) += count;
        }
    }
    Ok(all)
}

/// Counts the documents of one thread.
struct CountingSink<'a> {
    extractor: Extractor,
    features: Vec<u64>,
    counts: FixedMap<u64, u32>,
    seen: &'a Mutex<FixedSet<u128>>,
    num_documents: u64,
}

impl Sink for CountingSink<'_> {
    fn document(&mut self, record: &Record<'_>) -> Result<()> {
        self.num_documents += 1;
        self.features.clear();
        self.extractor
            .extract_document(record.text, &mut self.features);
        let counts = &mut self.counts;
        let is_wanted = |feature: &&u64| counts.contains_key(*feature);
        // Most documents have none of them, and need no hash.
        if !self.features.iter().any(|feature| is_wanted(&feature)) {
            return Ok(());
        }
        let hash = hash::set(&self.features);
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if !seen.insert(hash) {
            return Ok(());
        }
        drop(seen);
        for feature in &self.features {
            if let Some(count) = counts.get_mut(feature) {
                *count += 1;
            }
        }
        Ok(())
    }

    fn bad_record(&mut self, _: BadRecord) -> Result<()> {
        Ok(())
    }
}
