//! The documents of a job: numbered in the order of the input, each with a unique id.
//!
//! Held in memory are a few numbers of each; ids, first words and metadata stay in the log.

use super::doc_log::{DocLog, Logged};
use super::sets::SetTable;
use crate::candidate::levels;
use crate::candidate::side::SideKind;
use crate::document::{BadRecord, DocIdx, FileRead, Position};
use crate::error::Result;
use crate::hash::{FixedMap, FixedSet};
use crate::numbers::{Column, LogOffset, MaybeSet, SetIdx, of_len};
use std::borrow::Cow;
use std::ops::Range;

/// All documents, by number.
#[derive(Debug, Default)]
pub struct Documents {
    pub(super) log: DocLog,
    /// Where each is in the log.
    pub(super) offsets: Column<DocIdx, LogOffset>,
    /// None for a document without text.
    pub(super) sets: Column<DocIdx, MaybeSet>,
    pub(super) chars: Column<DocIdx, u32>,
    /// What distinguishes a document from others of the same id: `id#2` and so on.
    pub(super) suffixes: FixedMap<DocIdx, u32>,
    pub(super) files: Vec<FileRead>,
    /// The first document of each file.
    pub(super) file_starts: Vec<DocIdx>,
    pub(super) set_table: SetTable,
    /// Sets of documents without a feature, and how many documents that are.
    pub(super) featureless: FixedSet<SetIdx>,
    /// Sets of texts that have no whole shingle.
    pub(super) shorter: FixedSet<SetIdx>,
    pub(super) num_featureless: u64,
    pub(super) bad: Vec<(Position, LogOffset)>,
    /// The first documents are old ones, which new ones are compared with.
    pub(super) num_old: u32,
}

impl Documents {
    /// Number of documents.
    pub fn len(&self) -> u32 {
        of_len(self.offsets.len())
    }

    /// All documents, in the order of the input.
    pub fn all(
        &self,
    ) -> impl DoubleEndedIterator<Item = DocIdx> + ExactSizeIterator + Clone + use<> {
        DocIdx::first(self.len())
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.offsets.is_empty()
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
    pub(in crate::pipeline) fn given_id(&self, document: DocIdx) -> Result<Cow<'_, str>> {
        let offset = self.offsets[document];
        match self.log.id(offset)? {
            Some(id) => Ok(id),
            None => {
                let position = self.log.document(offset, |document| document.position)?;
                Ok(Cow::Owned(made_id(&self.files, position)))
            }
        }
    }

    /// The id as given, if there is one.
    pub(in crate::pipeline) fn own_id(
        &self,
        document: DocIdx,
    ) -> Result<Option<Cow<'_, str>>> {
        self.log.id(self.offsets[document])
    }

    /// Its feature set; none for a document without text.
    #[inline]
    pub fn set(&self, document: DocIdx) -> Option<SetIdx> {
        self.sets[document].get()
    }

    /// Number of features.
    pub fn size(&self, document: DocIdx) -> u32 {
        let set = self.set(document);
        set.map_or(0, |set| self.set_table.size(set))
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
            None => &[][..],
            Some(set) => self.set_table.levels(set),
        };
        levels::sizes(row(one), row(other))
    }

    /// What a document counts by when the longest is kept: the number of its features before
    /// adaptive sampling, about.
    pub fn weight(&self, document: DocIdx) -> u64 {
        let size = u64::from(self.size(document));
        match (self.is_leveled(), self.set(document)) {
            (true, Some(set)) => {
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
        set.is_some_and(|set| self.shorter.contains(&set))
    }

    /// The simhash, if documents have one and this one has a word.
    pub fn code(&self, document: DocIdx) -> Option<u64> {
        let set = self.set(document)?;
        if self.featureless.contains(&set) {
            return None;
        }
        self.set_table.code(set)
    }

    /// The feature sets.
    pub fn set_table(&self) -> &SetTable {
        &self.set_table
    }

    /// Number of characters.
    pub fn chars(&self, document: DocIdx) -> u32 {
        self.chars[document]
    }

    /// Identity of its text in this job: under a key that no writer of a text knows.
    pub fn text_key(&self, document: DocIdx) -> Result<u128> {
        let offset = self.offsets[document];
        self.log.document(offset, |document| document.text_key)
    }

    /// The public hash of its text, which is the same in every job.
    pub fn text_hash(&self, document: DocIdx) -> Result<u128> {
        let offset = self.offsets[document];
        self.log.document(offset, |document| document.text_hash)
    }

    /// Where it was read.
    pub fn position(&self, document: DocIdx) -> Result<Position> {
        let offset = self.offsets[document];
        self.log.document(offset, |document| document.position)
    }

    /// The documents of a file: they have numbers one after the other.
    pub fn of_file(&self, file: u32) -> Range<DocIdx> {
        let start = |file: usize| self.file_starts.get(file).copied();
        let (first, next) = (start(file as usize), start(file as usize + 1));
        let end = DocIdx::new(self.len());
        first.unwrap_or(end)..next.unwrap_or(end)
    }

    /// Its first words, on one line.
    pub fn preview(&self, document: DocIdx) -> Result<String> {
        let offset = self.offsets[document];
        self.log.document(offset, |document| {
            let words = document.preview.split_whitespace();
            let line = words.collect::<Vec<_>>().join(" ");
            line.replace(char::is_control, " ")
        })
    }

    /// Its metadata, in the order of the fields asked for.
    pub fn metadata(&self, document: DocIdx) -> Result<Vec<Option<String>>> {
        let offset = self.offsets[document];
        self.log.document(offset, |document| document.metadata())
    }

    /// Whether a document is one that new ones are compared with.
    pub fn is_old(&self, document: DocIdx) -> bool {
        document.get() < self.num_old
    }

    /// Number of documents that new ones are compared with.
    pub fn num_old(&self) -> u32 {
        self.num_old
    }

    /// The other documents.
    pub fn new_ones(&self) -> impl Iterator<Item = DocIdx> + use<> {
        DocIdx::between(DocIdx::new(self.num_old)..DocIdx::new(self.len()))
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
        self.bad.iter().filter_map(|&(_, offset)| {
            let bad = self.log.get(offset, |logged| match logged {
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

/// The id of a document that has none of its own: its file and its number in it.
pub(super) fn made_id(files: &[FileRead], position: Position) -> String {
    let file = &files[position.file as usize];
    format!("{}:{}", file.name, file.record_number(position))
}

/// Seed of the hash of an id: an old document and a new one may have the same id.
pub(in crate::pipeline) fn id_seed(is_old: bool) -> u64 {
    u64::from(is_old)
}
