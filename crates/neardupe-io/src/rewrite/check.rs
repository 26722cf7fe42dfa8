//! That a file is still what it was: the same documents in the same order, as many bad
//! records, as many entries without text.

use super::decisions::Decisions;
use super::report::FileCounts;
use crate::source::replay::{Piece, Visitor};
use neardupe_core::document::DocIdx;
use neardupe_core::error::{Error, Result};
use neardupe_core::hash;
use neardupe_core::pipeline::Duplicate;
use std::path::Path;

/// Compares a file with what was read of it before, and counts what becomes of it.
pub(super) struct Checker<'a> {
    decisions: &'a Decisions<'a>,
    path: &'a Path,
    expected: FileCounts,
    counts: FileCounts,
    next: DocIdx,
    end: DocIdx,
    /// Place of the next removed document.
    removed: usize,
    /// Why the document met last is removed.
    current: Option<&'a Duplicate>,
}

impl<'a> Checker<'a> {
    pub(super) fn new(decisions: &'a Decisions<'a>, file: u32, path: &'a Path) -> Self {
        let range = decisions.documents().of_file(file);
        Checker {
            decisions,
            path,
            expected: decisions.count(file),
            counts: FileCounts {
                file,
                ..FileCounts::default()
            },
            next: range.start,
            end: range.end,
            removed: decisions.first_removed(range.start),
            current: None,
        }
    }

    /// Why the document met last is removed; None when it is kept.
    pub(super) fn duplicate(&self) -> Option<&'a Duplicate> {
        self.current
    }

    /// The file has been gone through: what became of its records.
    pub(super) fn finish(self) -> Result<FileCounts> {
        let (counts, expected) = (self.counts, self.expected);
        if counts != expected {
            return Err(changed(
                self.path,
                &format!(
                    "{} documents and {} bad records, before {} and {}",
                    counts.kept + counts.removed,
                    counts.bad_records,
                    expected.kept + expected.removed,
                    expected.bad_records
                ),
            ));
        }
        counts.check(self.path)?;
        Ok(counts)
    }
}

/// The error of a file that is not what it was.
pub(super) fn changed(path: &Path, what: &str) -> Error {
    let message = format!(
        "it changed while the job was at work ({what}); nothing was written, run it again"
    );
    Error::input(path.display().to_string(), message)
}

impl Visitor for Checker<'_> {
    fn document(&mut self, text: &str) -> Result<u32> {
        let document = self.next;
        if document >= self.end {
            return Err(changed(self.path, "more documents than before"));
        }
        let documents = self.decisions.documents();
        if documents.text_hash(document)? != hash::text(text) {
            let id = documents.id(document)?;
            return Err(changed(self.path, &format!("the text of {id} is another")));
        }
        self.next += 1;
        self.counts.records += 1;
        let duplicate = self.decisions.removed(self.removed);
        self.current = duplicate.filter(|duplicate| duplicate.document == document);
        match self.current {
            Some(_) => {
                self.removed += 1;
                self.counts.removed += 1;
            }
            None => self.counts.kept += 1,
        }
        Ok(document)
    }

    fn bad(&mut self) -> Result<()> {
        self.counts.records += 1;
        self.counts.bad_records += 1;
        Ok(())
    }

    fn skipped(&mut self) -> Result<()> {
        self.counts.skipped += 1;
        Ok(())
    }

    fn piece(&mut self, _: &Piece<'_>) -> Result<()> {
        Ok(())
    }
}
