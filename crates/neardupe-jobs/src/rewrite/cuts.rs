//! Which stretches are removed from each document.
//!
//! The core gives stretches as rows in the order of documents; here they are held as one list of
//! ranges and one of starts, four bytes a number, since every thread asks for the documents of
//! its file.

use neardupe_core::document::DocIdx;
use neardupe_core::error::Result;
use neardupe_core::pipeline::passages::Removals;
use std::ops::Range;

/// Stretches of texts that go, in bytes. A few numbers for each document that loses something
/// are held.
#[derive(Debug, Default)]
pub(super) struct Cuts {
    /// Documents that lose something and keep something, and where their stretches begin.
    documents: Vec<(DocIdx, usize)>,
    /// In order and apart; those that touch are one.
    stretches: Vec<Range<u32>>,
    /// Documents that are removed as a whole.
    removed: Vec<DocIdx>,
}

/// What becomes of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate<'a> {
    /// The document is kept as it is.
    Kept,
    /// These stretches go.
    Cut(&'a [Range<u32>]),
    /// The document is removed.
    Removed,
}

impl Cuts {
    pub(super) fn new(removals: &Removals) -> Result<Self> {
        let mut cuts = Cuts {
            removed: removals.removed.clone(),
            ..Cuts::default()
        };
        removals.rows.for_each(|row| {
            if cuts.removed.binary_search(&row.document).is_ok() {
                return Ok(());
            }
            let last = cuts.documents.last();
            if last.is_none_or(|&(document, _)| document != row.document) {
                cuts.documents.push((row.document, cuts.stretches.len()));
            } else if let Some(last) = cuts.stretches.last_mut()
                && last.end == row.start
            {
                last.end = row.end;
                return Ok(());
            }
            cuts.stretches.push(row.start..row.end);
            Ok(())
        })?;
        Ok(cuts)
    }

    pub(super) fn fate(&self, document: DocIdx) -> Fate<'_> {
        if self.removed.binary_search(&document).is_ok() {
            return Fate::Removed;
        }
        let documents = &self.documents;
        match documents.binary_search_by_key(&document, |&(document, _)| document) {
            Err(_) => Fate::Kept,
            Ok(at) => {
                let next = documents.get(at + 1);
                let end = next.map_or(self.stretches.len(), |&(_, start)| start);
                Fate::Cut(&self.stretches[documents[at].1..end])
            }
        }
    }

    /// How many documents of a range of numbers are removed, and how many are cut.
    pub(super) fn count(&self, range: &Range<DocIdx>) -> (u64, u64) {
        let removed = |end: DocIdx| self.removed.partition_point(|&one| one < end);
        let cut = |end: DocIdx| self.documents.partition_point(|&(one, _)| one < end);
        (
            (removed(range.end) - removed(range.start)) as u64,
            (cut(range.end) - cut(range.start)) as u64,
        )
    }
}

/// Appends a text without some stretches.
///
/// Stretches are in order and do not overlap. They begin and end at characters, so what remains
/// is UTF-8 if the text was.
pub(super) fn cut_bytes(text: &[u8], gone: &[Range<u32>], out: &mut Vec<u8>) {
    let mut start = 0;
    for one in gone {
        out.extend_from_slice(&text[start..one.start as usize]);
        start = one.end as usize;
    }
    out.extend_from_slice(&text[start..]);
}
