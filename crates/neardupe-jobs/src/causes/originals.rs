//! The documents of a result where they were read from: their URLs, how many each host has,
//! and the texts of some.
//!
//! The input may be gone or have changed since the job: then ids are looked for, not record
//! numbers, and what is missing is reported as gone. Reading goes through all of the input,
//! because records have no index, and hosts are counted in the same pass, since that is the only
//! one over all documents.

use super::URL_FIELD;
use super::address::Address;
use super::hosts::HostTotals;
use neardupe_core::document::{Position, Progress, Record};
use neardupe_core::error::Result;
use neardupe_core::hash::FixedMap;
use neardupe_io::fetch::{Located, Watcher, locate};
use neardupe_io::source::{Bounds, Excerpt, FileSource};

/// Bytes of texts that are held at once.
/// Texts beyond it are missing, so their pairs are not looked at.
const MAX_HELD_BYTES: usize = 512 << 20;

/// Where documents are read again: the input, and what it was compared with.
pub struct Originals {
    /// The documents of the job.
    pub new: FileSource,
    /// Those they were compared with, if they were.
    pub old: Option<FileSource>,
    /// The same in the same order, read for the main content of pages only; where that is
    /// another text.
    pub main: Option<Box<Originals>>,
    /// The metadata fields that are read.
    pub metadata: Vec<String>,
}

/// What is known of documents, those of each side by their ids.
#[derive(Debug, Default)]
pub(super) struct DocumentOrigins {
    /// New documents first, then old ones.
    sides: [FixedMap<String, DocumentOrigin>; 2],
}

/// Where a document is, and its URL.
#[derive(Debug, Clone, Default)]
pub(super) struct DocumentOrigin {
    /// None if it was not found.
    pub(super) position: Option<Position>,
    /// None if it has no field for it.
    pub(super) url: Option<String>,
}

impl DocumentOrigins {
    /// What is known of a document; None if it was not looked for.
    pub(super) fn get(&self, id: &str, is_old: bool) -> Option<&DocumentOrigin> {
        self.sides[usize::from(is_old)].get(id)
    }
}

/// Counts the documents of each host.
struct HostCounter {
    /// The place of the address among the metadata.
    url: Option<usize>,
    /// Documents of each host, of this thread.
    totals: HostTotals,
}

impl Watcher for HostCounter {
    fn see(&mut self, record: &Record<'_>) {
        let url = self.url.and_then(|at| record.metadata.get(at)?.as_deref());
        let address = Address::new(record.id.unwrap_or_default(), url);
        if let Some(host) = address.host() {
            self.totals.add(host);
        }
    }
}

impl Originals {
    /// The sources by side: 0 for new, 1 for old documents.
    fn sides(&self) -> impl Iterator<Item = (usize, &FileSource)> {
        let old = self.old.as_ref().map(|old| (1, old));
        std::iter::once((0, &self.new)).chain(old)
    }

    /// Finds where documents are, and counts all by host.
    pub(super) fn locate(
        &self,
        wanted: [Vec<String>; 2],
        threads: usize,
        progress: &dyn Progress,
    ) -> Result<(DocumentOrigins, HostTotals)> {
        let mut known = DocumentOrigins::default();
        let mut totals = HostTotals::default();
        let url = self.metadata.iter().position(|field| field == URL_FIELD);
        for (side, source) in self.sides() {
            let counter = || HostCounter {
                url,
                totals: HostTotals::default(),
            };
            let mut counters: Vec<HostCounter> = std::iter::repeat_with(counter)
                .take(threads.max(1))
                .collect();
            let found = locate(source, &wanted[side], &mut counters, progress)?;
            let each = wanted[side].iter().zip(found);
            known.sides[side] = each
                .map(|(id, found)| (id.clone(), origin_of(found, url)))
                .collect();
            for counter in counters {
                totals.merge(counter.totals);
            }
        }
        Ok((known, totals))
    }

    /// The texts at these places of both sides, those that come first first.
    pub(super) fn texts(
        &self,
        wanted: &[(bool, Position)],
        stage: &'static str,
        threads: usize,
        progress: &dyn Progress,
    ) -> Result<OriginalTexts> {
        let mut texts = OriginalTexts::default();
        let num_sides = self.sides().count();
        progress.begin(stage, 0);
        for (side, source) in self.sides() {
            let wanted = wanted.iter().filter(|(old, _)| usize::from(*old) == side);
            let positions: Vec<Position> =
                wanted.map(|(_, position)| *position).collect();
            let bounds = Bounds {
                // Wanted documents are everywhere in the input, so all of it may be read.
                read_bytes: u64::MAX,
                held_bytes: MAX_HELD_BYTES / num_sides,
            };
            texts.sides[side] = source.texts_at(&positions, bounds, threads, progress)?;
        }
        Ok(texts)
    }
}

/// The place and the address of what was found.
fn origin_of(found: Option<Located>, url: Option<usize>) -> DocumentOrigin {
    match found {
        None => DocumentOrigin::default(),
        Some(found) => DocumentOrigin {
            position: Some(found.position),
            url: url.and_then(|at| found.metadata.into_iter().nth(at)?),
        },
    }
}

/// Texts that were read again, by side and place.
#[derive(Debug, Default)]
pub(super) struct OriginalTexts {
    /// As in `DocumentOrigins`.
    sides: [FixedMap<Position, Excerpt>; 2],
}

impl OriginalTexts {
    /// The text of a document, if it was read.
    pub(super) fn get(&self, (is_old, position): (bool, Position)) -> Option<&Excerpt> {
        self.sides[usize::from(is_old)].get(&position)
    }
}
