//! The documents of a job: numbered in the order of the input, each with a unique id.
//!
//! Held in memory are a few numbers of each; ids, first words and metadata stay in the log.

use super::doc_log::{DocLog, Logged};
use super::ids;
use super::read::ReadStage;
use super::sets::SetTable;
use crate::candidate::levels;
use crate::candidate::side::{SideKind, SideLayout};
use crate::document::{BadRecord, DocIdx, FileRead, Position};
use crate::error::Result;
use crate::hash::{self, FixedMap, FixedSet};
use crate::store::{Budget, WorkDir};
use rayon::prelude::*;
use std::borrow::Cow;
use std::ops::Range;

/// No feature set: the document has no text.
pub const NO_SET: u32 = u32::MAX;

/// Marks, in the log, the set of a document that has text but no feature: its text as a whole
/// stands for it.
pub(super) const FEATURELESS: u32 = 1 << 31;

/// Marks, in the log, the set of a document that has no whole shingle.
pub(super) const SHORTER: u32 = 1 << 30;

/// All documents, by number.
#[derive(Debug, Default)]
pub struct Documents {
    log: DocLog,
    /// Where each is in the log.
    places: Vec<u64>,
    sets: Vec<u32>,
    chars: Vec<u32>,
    /// What tells a document from others of the same id: `id#2` and so on.
    suffixes: FixedMap<u32, u32>,
    files: Vec<FileRead>,
    /// Number of the first document of each file, and at last of all documents.
    file_starts: Vec<u32>,
    set_table: SetTable,
    /// Sets of documents without a feature, and how many documents that are.
    featureless: FixedSet<u32>,
    /// Sets of texts that have no whole shingle.
    shorter: FixedSet<u32>,
    num_featureless: u64,
    bad: Vec<(Position, u64)>,
    /// The first documents are old ones, which new ones are compared with.
    num_old: u32,
}

/// A document while it gets its number.
#[derive(Debug, Clone, Copy)]
struct Row {
    place: u64,
    id_hash: u64,
    position: Position,
    set: u32,
    chars: u32,
}

impl Documents {
    /// Number of documents.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "checked when they were numbered"
    )]
    pub fn len(&self) -> u32 {
        self.places.len() as u32
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The unique id.
    pub fn id(&self, document: DocIdx) -> Result<Cow<'_, str>> {
        let id = self.given_id(document)?;
        match self.suffixes.get(&document) {
            None => Ok(id),
            Some(suffix) => Ok(Cow::Owned(format!("{id}#{suffix}"))),
        }
    }

    /// The id as given, or made of the file and the number in it.
    pub(super) fn given_id(&self, document: DocIdx) -> Result<Cow<'_, str>> {
        let place = self.places[document as usize];
        match self.log.id(place)? {
            Some(id) => Ok(id),
            None => {
                let position = self.log.document(place, |document| document.position)?;
                Ok(Cow::Owned(made_id(&self.files, position)))
            }
        }
    }

    /// The id as given, if there is one.
    pub(super) fn own_id(&self, document: DocIdx) -> Result<Option<Cow<'_, str>>> {
        self.log.id(self.places[document as usize])
    }

    /// Number of its feature set, or [`NO_SET`].
    pub fn set(&self, document: DocIdx) -> u32 {
        self.sets[document as usize]
    }

    /// Number of features.
    pub fn size(&self, document: DocIdx) -> u32 {
        match self.set(document) {
            NO_SET => 0,
            set => self.set_table.size(set),
        }
    }

    /// Whether sizes depend on what a document is compared with: see [`levels`].
    fn is_leveled(&self) -> bool {
        let layout = self.set_table.side().layout();
        layout.place(SideKind::Levels).is_some()
    }

    /// Numbers of features of two documents as they are compared: with adaptive sampling those
    /// that both rules keep.
    pub fn sizes(&self, one: DocIdx, other: DocIdx) -> (u32, u32) {
        if !self.is_leveled() {
            return (self.size(one), self.size(other));
        }
        let row = |document| match self.set(document) {
            NO_SET => &[][..],
            set => self.set_table.levels(set),
        };
        levels::sizes(row(one), row(other))
    }

    /// What a document counts by when the longest is kept: the number of its features before
    /// adaptive sampling, about.
    pub fn weight(&self, document: DocIdx) -> u64 {
        let size = u64::from(self.size(document));
        match (self.is_leveled(), self.set(document)) {
            (true, set) if set != NO_SET => {
                let levels = self.set_table.levels(set);
                size << (levels.first().copied().unwrap_or(0) >> 32).min(31)
            }
            _ => size,
        }
    }

    /// Documents that have text but no feature, since it has no word or no spot signature: their
    /// text as a whole is their only feature.
    pub fn num_featureless(&self) -> u64 {
        self.num_featureless
    }

    /// Whether a document has words but no whole shingle: its only feature is its text, so it can be
    /// equal to others but is contained in none.
    pub fn is_shorter(&self, document: DocIdx) -> bool {
        let set = self.set(document);
        set != NO_SET && self.shorter.contains(&set)
    }

    /// The simhash, if documents have one and this one has a word.
    pub fn code(&self, document: DocIdx) -> Option<u64> {
        match self.set(document) {
            NO_SET => None,
            set if self.featureless.contains(&set) => None,
            set => self.set_table.code(set),
        }
    }

    /// The feature sets.
    pub fn set_table(&self) -> &SetTable {
        &self.set_table
    }

    /// Number of characters.
    pub fn chars(&self, document: DocIdx) -> u32 {
        self.chars[document as usize]
    }

    /// Identity of its text.
    pub fn text_hash(&self, document: DocIdx) -> Result<u128> {
        let place = self.places[document as usize];
        self.log.document(place, |document| document.text_hash)
    }

    /// Where it was read.
    pub fn position(&self, document: DocIdx) -> Result<Position> {
        let place = self.places[document as usize];
        self.log.document(place, |document| document.position)
    }

    /// The documents of a file: they have numbers one after the other.
    pub fn of_file(&self, file: u32) -> Range<DocIdx> {
        let start = |file: usize| self.file_starts.get(file).copied();
        let (first, next) = (start(file as usize), start(file as usize + 1));
        first.unwrap_or(self.len())..next.unwrap_or(self.len())
    }

    /// Its first words, on one line.
    pub fn preview(&self, document: DocIdx) -> Result<String> {
        let place = self.places[document as usize];
        self.log.document(place, |document| {
            let words = document.preview.split_whitespace();
            let line = words.collect::<Vec<_>>().join(" ");
            line.replace(char::is_control, " ")
        })
    }

    /// Its metadata, in the order of the fields asked for.
    pub fn metadata(&self, document: DocIdx) -> Result<Vec<Option<String>>> {
        let place = self.places[document as usize];
        self.log.document(place, |document| document.metadata())
    }

    /// Whether a document is one that new ones are compared with.
    pub fn is_old(&self, document: DocIdx) -> bool {
        document < self.num_old
    }

    /// Number of documents that new ones are compared with.
    pub fn num_old(&self) -> u32 {
        self.num_old
    }

    /// Number of bad records.
    pub fn num_bad_records(&self) -> u64 {
        self.bad.len() as u64
    }

    /// Calls `visit` with each bad record, in the order of the input.
    pub fn for_each_bad_record(
        &self,
        mut visit: impl FnMut(&BadRecord) -> Result<()>,
    ) -> Result<()> {
        self.each_bad_record().try_for_each(|bad| visit(&bad?))
    }

    /// The bad records in the order of the input, for those who take them one by one.
    pub fn each_bad_record(&self) -> impl Iterator<Item = Result<BadRecord>> + '_ {
        self.bad.iter().filter_map(|&(_, place)| {
            let bad = self.log.get(place, |logged| match logged {
                Logged::Bad(bad) => Some(bad),
                Logged::Document(_) => None,
            });
            bad.transpose()
        })
    }

    /// The files that were read.
    pub fn files(&self) -> &[FileRead] {
        &self.files
    }
}

fn made_id(files: &[FileRead], position: Position) -> String {
    let file = &files[position.file as usize];
    format!("{}:{}", file.name, file.record_number(position))
}

/// Sets have nothing beside their features, or nothing of it is wanted.
pub(super) fn no_side() -> SideLayout {
    SideLayout::default()
}

/// Numbers the documents that were read.
pub(super) fn gather(
    stage: &mut ReadStage,
    budget: &Budget,
    work: &WorkDir,
    num_old_files: u32,
    layout: SideLayout,
) -> Result<Documents> {
    let set_table = SetTable::gather(stage, work, layout)?;
    let mut documents = Documents {
        log: std::mem::take(&mut stage.log),
        files: std::mem::take(&mut stage.read.files),
        set_table,
        ..Documents::default()
    };
    let mut rows = rows(&mut documents, num_old_files)?;
    budget.check_documents(rows.len() as u64)?;
    rows.par_sort_unstable_by_key(|row| row.position);
    let num_old = rows.partition_point(|row| row.position.file < num_old_files);
    documents.num_old = u32::try_from(num_old).unwrap_or(u32::MAX);
    documents.bad.par_sort_unstable();
    documents.places = rows.iter().map(|row| row.place).collect();
    documents.sets = rows.iter().map(|row| row.set).collect();
    documents.chars = rows.iter().map(|row| row.chars).collect();
    let files = 0..documents.files.len();
    documents.file_starts = files
        .map(|file| rows.partition_point(|row| (row.position.file as usize) < file))
        .map(|start| u32::try_from(start).unwrap_or(u32::MAX))
        .collect();
    let hashes = (0u32..).zip(&rows);
    let mut hashes: Vec<(u64, u32)> =
        hashes.map(|(number, row)| (row.id_hash, number)).collect();
    drop(rows);
    hashes.par_sort_unstable();
    documents.suffixes = ids::suffixes(&documents, &hashes)?;
    Ok(documents)
}

/// Seed of the hash of an id: an old document and a new one may have the same id.
pub(super) fn id_seed(is_old: bool) -> u64 {
    u64::from(is_old)
}

fn rows(documents: &mut Documents, num_old_files: u32) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    let mut bad = Vec::new();
    let (mut featureless, mut num_featureless) = (FixedSet::default(), 0);
    let mut shorter = FixedSet::default();
    documents.log.for_each(|place, logged| {
        match logged {
            Logged::Bad(record) => bad.push((record.position, place)),
            Logged::Document(document) => {
                let seed = id_seed(document.position.file < num_old_files);
                let id_hash = match document.id {
                    Some(id) => hash::bytes(id.as_bytes(), seed),
                    None => {
                        let id = made_id(&documents.files, document.position);
                        hash::bytes(id.as_bytes(), seed)
                    }
                };
                let set = match document.set {
                    NO_SET => NO_SET,
                    flagged => {
                        let set = flagged & !(FEATURELESS | SHORTER);
                        let set = documents.set_table.canonical(set);
                        if flagged & FEATURELESS != 0 {
                            featureless.insert(set);
                            num_featureless += 1;
                        }
                        if flagged & SHORTER != 0 {
                            shorter.insert(set);
                        }
                        set
                    }
                };
                rows.push(Row {
                    place,
                    id_hash,
                    position: document.position,
                    set,
                    chars: document.chars,
                });
            }
        }
        Ok(())
    })?;
    documents.bad = bad;
    documents.featureless = featureless;
    documents.shorter = shorter;
    documents.num_featureless = num_featureless;
    Ok(rows)
}
