//! First stage: records become documents and distinct feature sets.
//!
//! Each thread has a [`Collector`]. Equal texts and equal sets are noticed as they come:
//! whoever claims a text or a set first keeps its features, later ones only refer to it.
//! Who was first does not matter, since the sets are equal.

use super::config::FindConfig;
use crate::candidate::partition::part_of;
use crate::document::{BadRecord, Position, Record, Sink};
use crate::error::{Error, Result};
use crate::feature::Extractor;
use crate::hash::{self, FixedSet};
use crate::store::{Segment, SegmentStore};
use std::sync::{Mutex, PoisonError};

/// Features in a segment before it is closed: 64 MiB.
const SEGMENT_FEATURES: usize = 8 << 20;
/// Characters of a document kept to show it by.
const PREVIEW_CHARS: usize = 64;

/// What all collectors of a job share.
#[derive(Debug)]
pub struct Shared<'a> {
    store: &'a SegmentStore,
    texts: Claims,
    sets: Claims,
    strict: bool,
}

impl<'a> Shared<'a> {
    /// Nothing claimed yet.
    pub fn new(store: &'a SegmentStore, strict: bool) -> Self {
        Shared {
            store,
            texts: Claims::new(),
            sets: Claims::new(),
            strict,
        }
    }
}

/// Which hashes have been met, split so that threads seldom wait for each other.
#[derive(Debug)]
struct Claims {
    parts: Vec<Mutex<FixedSet<u128>>>,
}

const CLAIM_PARTS: usize = 256;

impl Claims {
    fn new() -> Self {
        Claims {
            parts: (0..CLAIM_PARTS).map(|_| Mutex::default()).collect(),
        }
    }

    /// True for the first who asks.
    fn claim(&self, hash: u128) -> bool {
        let part = &self.parts[(hash >> 120) as usize];
        part.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(hash)
    }
}

/// How a collected document refers to its feature set.
#[derive(Debug, Clone, Copy)]
pub(super) enum SetRef {
    /// It has no word.
    Empty,
    /// It was first: the set with this number in its own collector.
    Own(u32),
    /// Another document had an equal set.
    Equal(u128),
    /// Another document had an equal text.
    SameText,
}

#[derive(Debug)]
pub(super) struct CollectedDocument {
    pub(super) position: Position,
    pub(super) collector: u32,
    pub(super) set: SetRef,
    pub(super) chars: u32,
    pub(super) text_hash: u128,
    pub(super) id: Option<Box<str>>,
    pub(super) preview: Box<str>,
    pub(super) metadata: Box<[Option<String>]>,
}

/// A set in a segment of its collector.
#[derive(Debug, Clone, Copy)]
pub(super) struct CollectedSet {
    pub(super) segment: u32,
    pub(super) start: u32,
    pub(super) len: u32,
    pub(super) head: u32,
    pub(super) hash: u128,
}

/// Takes the records of one thread.
#[derive(Debug)]
pub struct Collector<'a> {
    shared: &'a Shared<'a>,
    number: u32,
    extractor: Extractor,
    head_parts: usize,
    features: Vec<u64>,
    open: Vec<u64>,
    pub(super) segments: Vec<Segment>,
    pub(super) sets: Vec<CollectedSet>,
    pub(super) documents: Vec<CollectedDocument>,
    pub(super) bad_records: Vec<BadRecord>,
}

impl<'a> Collector<'a> {
    /// The collector of one thread.
    pub fn new(shared: &'a Shared<'a>, config: &FindConfig, number: u32) -> Self {
        Collector {
            shared,
            number,
            extractor: Extractor::new(config.features, &config.words, config.seed),
            head_parts: config.filters.head_parts(config.threshold),
            features: Vec::new(),
            open: Vec::new(),
            segments: Vec::new(),
            sets: Vec::new(),
            documents: Vec::new(),
            bad_records: Vec::new(),
        }
    }

    /// Closes the last segment.
    pub fn finish(&mut self) -> Result<()> {
        if !self.open.is_empty() {
            let features = std::mem::take(&mut self.open);
            self.segments.push(self.shared.store.keep(features)?);
        }
        Ok(())
    }

    /// Puts the features at hand into a segment; where they begin.
    fn store_features(&mut self) -> Result<usize> {
        let len = self.features.len();
        if self.open.len() + len > self.open.capacity() {
            self.finish()?;
            self.open.reserve_exact(SEGMENT_FEATURES.max(len));
        }
        let start = self.open.len();
        self.open.extend_from_slice(&self.features);
        Ok(start)
    }

    fn set_of(&mut self, text: &str, text_hash: u128) -> Result<SetRef> {
        if !self.shared.texts.claim(text_hash) {
            return Ok(SetRef::SameText);
        }
        self.features.clear();
        self.extractor.extract(text, &mut self.features);
        if self.features.is_empty() {
            return Ok(SetRef::Empty);
        }
        let hash = hash::set(&self.features);
        if !self.shared.sets.claim(hash) {
            return Ok(SetRef::Equal(hash));
        }
        let head = head_first(&mut self.features, self.head_parts);
        let start = self.store_features()?;
        let number = narrow(self.sets.len())?;
        self.sets.push(CollectedSet {
            segment: narrow(self.segments.len())?,
            start: narrow(start)?,
            len: narrow(self.features.len())?,
            head: narrow(head)?,
            hash,
        });
        Ok(SetRef::Own(number))
    }
}

/// Moves the features of the first parts to the front; how many there are.
fn head_first(features: &mut [u64], head_parts: usize) -> usize {
    let mut head = 0;
    for at in 0..features.len() {
        // No branch: the outcome is random.
        let in_head = part_of(features[at]) < head_parts;
        features.swap(at, head);
        head += usize::from(in_head);
    }
    head
}

fn narrow(value: usize) -> Result<u32> {
    u32::try_from(value).map_err(|_| Error::Limit {
        what: "documents, or features of a document".to_owned(),
        asked: value as u64,
        allowed: u64::from(u32::MAX),
        remedy: "split the collection".to_owned(),
    })
}

impl Sink for Collector<'_> {
    fn document(&mut self, record: &Record<'_>) -> Result<()> {
        let text_hash = hash::text(record.text);
        let set = self.set_of(record.text, text_hash)?;
        self.documents.push(CollectedDocument {
            position: record.position,
            collector: self.number,
            set,
            chars: narrow(record.text.chars().count())?,
            text_hash,
            id: record.id.map(Box::from),
            preview: preview(record.text),
            metadata: record.metadata.into(),
        });
        Ok(())
    }

    fn bad_record(&mut self, bad: BadRecord) -> Result<()> {
        if self.shared.strict {
            let what = format!("record with a fault of kind {}", bad.kind.name());
            return Err(Error::input(
                what,
                format!("{}; stopped by --strict", bad.detail),
            ));
        }
        self.bad_records.push(bad);
        Ok(())
    }
}

/// The first characters of a text; shown on one line later.
fn preview(text: &str) -> Box<str> {
    let text = text.trim_start();
    let end = text
        .char_indices()
        .nth(PREVIEW_CHARS)
        .map_or(text.len(), |(at, _)| at);
    text[..end].into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;

    #[test]
    fn the_head_comes_first_and_nothing_is_lost() {
        for parts in [0, 1, 97, 256] {
            let mut features: Vec<u64> = (0..500).map(mix).collect();
            let head = head_first(&mut features, parts);
            assert!(
                features[..head]
                    .iter()
                    .all(|&feature| part_of(feature) < parts)
            );
            assert!(
                features[head..]
                    .iter()
                    .all(|&feature| part_of(feature) >= parts)
            );
            features.sort_unstable();
            let mut all: Vec<u64> = (0..500).map(mix).collect();
            all.sort_unstable();
            assert_eq!(features, all);
        }
    }
}
