//! The documents of a job: numbered in the order of the input, each with a unique id.

use super::collect::{CollectedDocument, CollectedSet, Collector, SetRef};
use crate::document::{BadRecord, DocIdx, FileRead};
use crate::error::{Error, Result};
use crate::hash::{self, FixedMap};
use crate::store::Segment;
use rayon::prelude::*;
use std::cmp::Ordering;

/// No feature set: the document has no word.
pub const NO_SET: u32 = u32::MAX;

/// All documents, by number.
#[derive(Debug, Default)]
pub struct Documents {
    ids: Vec<Box<str>>,
    sets: Vec<u32>,
    set_sizes: Vec<u32>,
    chars: Vec<u32>,
    text_hashes: Vec<u128>,
    previews: Vec<Box<str>>,
    metadata: Vec<Box<[Option<String>]>>,
}

/// A set within a segment.
#[derive(Debug, Clone, Copy)]
pub struct SetSpan {
    /// Number of the set.
    pub set: u32,
    /// First feature in the segment.
    pub start: u32,
    /// Number of features.
    pub len: u32,
    /// Number of features of its head, which come first.
    pub head: u32,
}

/// A segment and the sets in it.
#[derive(Debug)]
pub struct SetSegment {
    /// The features.
    pub segment: Segment,
    /// The sets, in order of their places.
    pub spans: Vec<SetSpan>,
}

/// What the first stage leaves.
#[derive(Debug)]
pub struct Collection {
    /// The documents.
    pub documents: Documents,
    /// The features of their sets.
    pub segments: Vec<SetSegment>,
    /// What could not become a document, by position.
    pub bad_records: Vec<BadRecord>,
}

impl Documents {
    /// Number of documents.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "checked when they were numbered"
    )]
    pub fn len(&self) -> u32 {
        self.ids.len() as u32
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The unique id.
    pub fn id(&self, document: DocIdx) -> &str {
        &self.ids[document as usize]
    }

    /// Number of its feature set, or [`NO_SET`].
    pub fn set(&self, document: DocIdx) -> u32 {
        self.sets[document as usize]
    }

    /// Number of features.
    pub fn size(&self, document: DocIdx) -> u32 {
        match self.set(document) {
            NO_SET => 0,
            set => self.set_sizes[set as usize],
        }
    }

    /// Number of distinct feature sets.
    pub fn num_sets(&self) -> usize {
        self.set_sizes.len()
    }

    /// Number of characters.
    pub fn chars(&self, document: DocIdx) -> u32 {
        self.chars[document as usize]
    }

    /// Identity of its text.
    pub fn text_hash(&self, document: DocIdx) -> u128 {
        self.text_hashes[document as usize]
    }

    /// Its first words, on one line.
    pub fn preview(&self, document: DocIdx) -> String {
        let words = self.previews[document as usize].split_whitespace();
        let line = words.collect::<Vec<_>>().join(" ");
        line.replace(char::is_control, " ")
    }

    /// Its metadata, in the order of the fields asked for.
    pub fn metadata(&self, document: DocIdx) -> &[Option<String>] {
        &self.metadata[document as usize]
    }

    /// Order of two documents by id, as bytes.
    pub fn compare_ids(&self, left: DocIdx, right: DocIdx) -> Ordering {
        self.id(left).as_bytes().cmp(self.id(right).as_bytes())
    }
}

/// Puts together what the threads collected.
pub fn gather(collectors: Vec<Collector<'_>>, files: &[FileRead]) -> Result<Collection> {
    let mut sets = SetTable::default();
    let mut collected: Vec<CollectedDocument> = Vec::new();
    let mut bad_records = Vec::new();
    for collector in collectors {
        sets.add(collector.segments, &collector.sets)?;
        collected.extend(collector.documents);
        bad_records.extend(collector.bad_records);
    }
    if collected.len() >= u32::MAX as usize {
        return Err(Error::Limit {
            what: "documents".to_owned(),
            asked: collected.len() as u64,
            allowed: u64::from(u32::MAX),
            remedy: "split the collection".to_owned(),
        });
    }
    collected.par_sort_unstable_by_key(|document| document.position);
    bad_records.sort_unstable_by_key(|bad: &BadRecord| bad.position);
    let set_of_document = sets.resolve(&collected);
    let ids = unique_ids(&mut collected, files);
    let mut documents = Documents {
        ids,
        sets: set_of_document,
        ..Documents::default()
    };
    documents.set_sizes = sets.sizes;
    for document in collected {
        documents.chars.push(document.chars);
        documents.text_hashes.push(document.text_hash);
        documents.previews.push(document.preview);
        documents.metadata.push(document.metadata);
    }
    Ok(Collection {
        documents,
        segments: sets.segments,
        bad_records,
    })
}

/// Numbers the sets of all collectors.
#[derive(Default)]
struct SetTable {
    segments: Vec<SetSegment>,
    sizes: Vec<u32>,
    hashes: Vec<u128>,
    /// Number of the first set of each collector.
    firsts: Vec<u32>,
}

impl SetTable {
    fn add(&mut self, segments: Vec<Segment>, sets: &[CollectedSet]) -> Result<()> {
        let first_segment = self.segments.len();
        let first = u32::try_from(self.sizes.len())
            .map_err(|_| Error::Internal("more sets than documents".to_owned()))?;
        self.firsts.push(first);
        self.segments
            .extend(segments.into_iter().map(|segment| SetSegment {
                segment,
                spans: Vec::new(),
            }));
        for (set, collected) in (first..).zip(sets) {
            let segment = &mut self.segments[first_segment + collected.segment as usize];
            let CollectedSet {
                start, len, head, ..
            } = *collected;
            let span = SetSpan {
                set,
                start,
                len,
                head,
            };
            segment.spans.push(span);
            self.sizes.push(collected.len);
            self.hashes.push(collected.hash);
        }
        Ok(())
    }

    /// The set of each document, following the references to equal sets and texts.
    fn resolve(&self, documents: &[CollectedDocument]) -> Vec<u32> {
        let mut by_hash: FixedMap<u128, u32> = FixedMap::default();
        let mut by_text: FixedMap<u128, u32> = FixedMap::default();
        for document in documents {
            match document.set {
                SetRef::Equal(hash) => {
                    by_hash.insert(hash, NO_SET);
                }
                SetRef::SameText => {
                    by_text.insert(document.text_hash, NO_SET);
                }
                SetRef::Empty | SetRef::Own(_) => {}
            }
        }
        if !by_hash.is_empty() {
            for (set, hash) in (0u32..).zip(&self.hashes) {
                if let Some(known) = by_hash.get_mut(hash) {
                    *known = set;
                }
            }
        }
        let direct = |document: &CollectedDocument| match document.set {
            SetRef::Empty => Some(NO_SET),
            SetRef::Own(number) => {
                Some(self.firsts[document.collector as usize] + number)
            }
            SetRef::Equal(hash) => by_hash.get(&hash).copied(),
            SetRef::SameText => None,
        };
        let mut sets: Vec<u32> = Vec::with_capacity(documents.len());
        for document in documents {
            let set = direct(document);
            if let (Some(set), Some(known)) = (set, by_text.get_mut(&document.text_hash))
            {
                *known = set;
            }
            sets.push(set.unwrap_or(NO_SET));
        }
        for (set, document) in sets.iter_mut().zip(documents) {
            if let SetRef::SameText = document.set {
                *set = by_text.get(&document.text_hash).copied().unwrap_or(NO_SET);
            }
        }
        sets
    }
}

/// Gives every document an id of its own: `path:number` where there is none, `id#2` and so
/// on where one repeats, ordered by content and then by place.
fn unique_ids(documents: &mut [CollectedDocument], files: &[FileRead]) -> Vec<Box<str>> {
    let mut ids: Vec<Box<str>> = documents
        .iter_mut()
        .map(|document| {
            document.id.take().unwrap_or_else(|| {
                let file = &files[document.position.file as usize];
                let number = file.record_number(document.position);
                format!("{}:{number}", file.name).into()
            })
        })
        .collect();
    let mut hashed: Vec<(u64, u32)> = (0u32..)
        .zip(&ids)
        .map(|(number, id)| (hash::bytes(id.as_bytes(), 0), number))
        .collect();
    hashed.par_sort_unstable();
    let taken = |id: &str| {
        let hash = hash::bytes(id.as_bytes(), 0);
        let at = hashed.partition_point(|&(other, _)| other < hash);
        hashed.get(at).is_some_and(|&(other, _)| other == hash)
    };
    for run in hashed.chunk_by(|left, right| left.0 == right.0) {
        if run.len() == 1 {
            continue;
        }
        let mut same: Vec<u32> = run.iter().map(|&(_, number)| number).collect();
        same.sort_unstable_by_key(|&number| {
            let document = &documents[number as usize];
            (document.text_hash, document.position)
        });
        let base = ids[same[0] as usize].clone();
        let mut suffix = 2u32;
        for &number in &same[1..] {
            if ids[number as usize] != base {
                // Two different ids with one hash: nothing repeats.
                continue;
            }
            let mut unique = format!("{base}#{suffix}");
            while taken(&unique) {
                suffix += 1;
                unique = format!("{base}#{suffix}");
            }
            suffix += 1;
            ids[number as usize] = unique.into();
        }
    }
    ids
}
