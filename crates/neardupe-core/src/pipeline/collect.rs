//! First stage: records become documents and distinct feature sets.
//!
//! Each thread has a [`Collector`]. Equal texts and equal sets are noticed as they come:
//! whoever claims a text or a set first keeps its features, later ones only refer to it.
//! Who was first does not matter, since the sets are equal.

use super::config::FindConfig;
use crate::document::{BadRecord, Position, Record, Sink};
use crate::error::{Error, Result};
use crate::feature::Extractor;
use crate::hash::{self, FixedSet};
use crate::store::{Segment, SegmentStore};
use std::sync::{Mutex, PoisonError};

/// Features in a segment before it is closed: 64 MiB.
const SEGMENT_FEATURES: usize = 8 << 20;
/// Characters of a document kept to show it by.
const PREVIEW_CHARS: usize = 60;

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
        Shared { store, texts: Claims::new(), sets: Claims::new(), strict }
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
        Claims { parts: (0..CLAIM_PARTS).map(|_| Mutex::default()).collect() }
    }

    /// True for the first who asks.
    fn claim(&self, hash: u128) -> bool {
        let part = &self.parts[(hash >> 120) as usize];
        part.lock().unwrap_or_else(PoisonError::into_inner).insert(hash)
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
    pub(super) hash: u128,
}

/// Takes the records of one thread.
#[derive(Debug)]
pub struct Collector<'a> {
    shared: &'a Shared<'a>,
    number: u32,
    extractor: Extractor,
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
            extractor: Extractor::new(config.features, config.seed),
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
            self.close_segment()?;
        }
        Ok(())
    }

    fn close_segment(&mut self) -> Result<()> {
        let features = std::mem::take(&mut self.open);
        self.segments.push(self.shared.store.keep(features)?);
        Ok(())
    }

    fn set_of(&mut self, text: &str, text_hash: u128) -> Result<SetRef> {
        if !self.shared.texts.claim(text_hash) {
            return Ok(SetRef::SameText);
        }
        // A text has at most one word for two bytes: room is checked once, not for each.
        if self.open.len() + text.len() / 2 + 1 > SEGMENT_FEATURES && !self.open.is_empty() {
            self.close_segment()?;
        }
        if self.open.capacity() == 0 {
            self.open.reserve_exact(SEGMENT_FEATURES.max(text.len() / 2 + 1));
        }
        let start = self.open.len();
        self.extractor.extract(text, &mut self.open);
        let features = &self.open[start..];
        if features.is_empty() {
            return Ok(SetRef::Empty);
        }
        let hash = hash::set(features);
        if !self.shared.sets.claim(hash) {
            self.open.truncate(start);
            return Ok(SetRef::Equal(hash));
        }
        let number = narrow(self.sets.len())?;
        self.sets.push(CollectedSet {
            segment: narrow(self.segments.len())?,
            start: narrow(start)?,
            len: narrow(features.len())?,
            hash,
        });
        Ok(SetRef::Own(number))
    }
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
            return Err(Error::input(what, format!("{}; stopped by --strict", bad.detail)));
        }
        self.bad_records.push(bad);
        Ok(())
    }
}

/// The first words of a text on one line.
fn preview(text: &str) -> Box<str> {
    let mut preview = String::with_capacity(PREVIEW_CHARS + 8);
    let mut chars = 0;
    for word in text.split_whitespace() {
        if !preview.is_empty() {
            preview.push(' ');
            chars += 1;
        }
        for ch in word.chars() {
            if chars == PREVIEW_CHARS {
                return preview.into();
            }
            preview.push(if ch.is_control() { ' ' } else { ch });
            chars += 1;
        }
    }
    preview.into()
}
