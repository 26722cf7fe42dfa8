//! What each thread does with the records that pass.

use super::nearest::Nearest;
use super::wanted::{WantedIds, numbered_id};
use super::{Fetched, Found};
use neardupe_core::document::{BadRecord, Position, Record, Sink, SourceRead};
use neardupe_core::error::Result;
use neardupe_core::hash;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// What the threads share. It is locked only for documents that can be meant.
pub(super) struct FetchShared {
    /// Which ids are looked for.
    wanted: WantedIds,
    /// One group per base, in the order of [`WantedIds::bases`].
    groups: Mutex<Vec<DocumentsOfId>>,
    /// Documents that all threads have read.
    num_documents: AtomicU64,
    /// Whether texts are held: places alone take little memory.
    with_text: bool,
}

/// The documents that have one id, as far as they can be meant.
#[derive(Debug, Default)]
struct DocumentsOfId {
    /// By content and then by place: the order in which they get their numbers.
    first: BTreeMap<(u128, Position), Fetched>,
    /// Numbers that documents have in ids of their own.
    taken: BTreeSet<u32>,
}

impl DocumentsOfId {
    /// The document that gets a number.
    fn numbered(&self, number: u32) -> Option<(&(u128, Position), &Fetched)> {
        // The first document keeps the id as it is; the next ones get 2, 3 and so on, without
        // the numbers that other documents have of their own.
        let mut next = 2;
        for member in self.first.iter().skip(1) {
            while self.taken.contains(&next) {
                next += 1;
            }
            if next == number {
                return Some(member);
            }
            next += 1;
        }
        None
    }
}

impl FetchShared {
    /// Holds texts too; for some ids this may be some texts more than are asked for.
    pub(super) fn new(wanted: WantedIds) -> Self {
        let groups = wanted
            .bases
            .iter()
            .map(|_| DocumentsOfId::default())
            .collect();
        FetchShared {
            wanted,
            groups: Mutex::new(groups),
            num_documents: AtomicU64::new(0),
            with_text: true,
        }
    }

    /// The same without texts.
    pub(super) fn of_places(wanted: WantedIds) -> Self {
        FetchShared {
            with_text: false,
            ..FetchShared::new(wanted)
        }
    }

    /// Changes one group under the lock.
    fn with_group(&self, base: usize, change: impl FnOnce(&mut DocumentsOfId)) {
        let mut groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut groups[base]);
    }

    /// Holds a document if it can still be meant. Of the documents of an id only the first
    /// `most` by content and place are needed, so memory does not grow with their number.
    fn add(&self, base: usize, record: &Record<'_>) {
        let key = (hash::text(record.text), record.position);
        let most = self.wanted.bases[base].most;
        // Hashing a text is done outside of the lock.
        self.with_group(base, |group| {
            let first = &mut group.first;
            if first.len() >= most
                && first.last_key_value().is_some_and(|(last, _)| *last < key)
            {
                return;
            }
            first.insert(key, fetched(record, self.with_text));
            if first.len() > most {
                first.pop_last();
            }
        });
    }

    /// Where the documents are, and their metadata, when all has been read.
    pub(super) fn finish_places(
        self,
        ids: &[String],
    ) -> Vec<Option<(Position, Vec<Option<String>>)>> {
        let groups = self
            .groups
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let named = ids.iter().map(|id| named(&self.wanted, &groups, id));
        named
            .map(|found| found.map(|(key, found)| (key.1, found.metadata.clone())))
            .collect()
    }

    /// What was found, when all has been read.
    pub(super) fn finish(
        self,
        ids: &[String],
        read: &SourceRead,
        nearest: Vec<Nearest>,
    ) -> Found {
        let groups = self
            .groups
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let documents: Vec<Option<Fetched>> = ids
            .iter()
            .map(|id| {
                let (key, document) = named(&self.wanted, &groups, id)?;
                let file = &read.files[key.1.file as usize];
                Some(Fetched {
                    id: id.clone(),
                    file: file.name.clone(),
                    number: file.record_number(key.1),
                    ..document.clone()
                })
            })
            .collect();
        let nearest = Nearest::merge(nearest, &read.files);
        let nearest = ids
            .iter()
            .zip(&documents)
            .map(|(id, document)| match document {
                Some(_) => Vec::new(),
                None => nearest.of(id),
            });
        Found {
            nearest: nearest.collect(),
            documents,
            num_documents: self.num_documents.into_inner(),
        }
    }
}

/// The document that has an id, or gets it.
fn named<'a>(
    wanted: &WantedIds,
    groups: &'a [DocumentsOfId],
    id: &str,
) -> Option<(&'a (u128, Position), &'a Fetched)> {
    let group = |id: &str| {
        let at = wanted.base_of(Some(id), Position::default())?;
        Some(&groups[at])
    };
    let own = group(id)?.first.first_key_value();
    own.or_else(|| {
        let (base, number) = numbered_id(id)?;
        group(base)?.numbered(number)
    })
}

/// What is held of a record. File and number are filled in when all blocks are known.
fn fetched(record: &Record<'_>, with_text: bool) -> Fetched {
    let text = if with_text { record.text } else { "" };
    Fetched {
        id: record.id.unwrap_or_default().to_owned(),
        text: text.to_owned(),
        metadata: record.metadata.to_vec(),
        file: String::new(),
        number: 0,
    }
}

/// Takes the documents that can be meant.
pub(super) struct Fetching<'a> {
    /// Shared with the other threads.
    shared: &'a FetchShared,
    /// Ids that are written like those that are sought.
    nearest: Nearest,
    /// Documents that passed this thread.
    num_documents: u64,
}

impl<'a> Fetching<'a> {
    /// A sink for one thread.
    pub(super) fn new(shared: &'a FetchShared) -> Self {
        let ids = shared.wanted.bases.iter().map(|base| base.id.as_str());
        Fetching {
            shared,
            nearest: Nearest::new(ids),
            num_documents: 0,
        }
    }

    /// Adds the count of this thread to that of all.
    pub(super) fn finish(self) -> Nearest {
        self.shared
            .num_documents
            .fetch_add(self.num_documents, Ordering::Relaxed);
        self.nearest
    }
}

impl Sink for Fetching<'_> {
    fn document(&mut self, record: &Record<'_>) -> Result<()> {
        self.num_documents += 1;
        let shared = self.shared;
        if let Some(base) = shared.wanted.base_of(record.id, record.position) {
            shared.add(base, record);
        }
        let Some(id) = record.id else { return Ok(()) };
        if let Some((base, number)) = shared.wanted.taken_by(id)
            // A larger number could not be reached by the documents that are held.
            && number as usize <= shared.wanted.bases[base].most
        {
            shared.with_group(base, |group| {
                group.taken.insert(number);
            });
        }
        self.nearest.see(id);
        Ok(())
    }

    fn bad_record(&mut self, _: BadRecord) -> Result<()> {
        Ok(())
    }
}

/// Takes nothing: what the source says of its blocks is enough.
#[derive(Debug, Clone, Copy)]
pub(super) struct Counting;

impl Sink for Counting {
    fn document(&mut self, _: &Record<'_>) -> Result<()> {
        Ok(())
    }

    fn bad_record(&mut self, _: BadRecord) -> Result<()> {
        Ok(())
    }
}

/// Takes the first document and counts the others.
#[derive(Debug, Default)]
pub(super) struct OnlyOne {
    /// The document with the earliest place, and that place.
    pub(super) first: Option<(Position, Fetched)>,
    /// Documents in all.
    pub(super) num_documents: u64,
    /// The first bad record, for the message when there is no document.
    pub(super) bad: Option<BadRecord>,
}

impl Sink for OnlyOne {
    fn document(&mut self, record: &Record<'_>) -> Result<()> {
        self.num_documents += 1;
        let is_first = self
            .first
            .as_ref()
            .is_none_or(|(first, _)| record.position < *first);
        if is_first {
            self.first = Some((record.position, fetched(record, true)));
        }
        Ok(())
    }

    fn bad_record(&mut self, bad: BadRecord) -> Result<()> {
        self.bad.get_or_insert(bad);
        Ok(())
    }
}
