//! Verifies that a file is still what it was: the same documents in the same order, as many bad
//! records, as many entries without text.
//!
//! Both ways of rewriting go through this file: nothing is removed by a decision about another
//! text. The hash of each text (128 bits) was stored by the first pass; together with the order
//! and the counts it finds files that were replaced, appended to or cut while the job ran. The
//! check costs one hash a document and happens before the bytes of the document are written.

use super::decisions::Decisions;
use super::report::FileCounts;
use neardupe_core::document::DocIdx;
use neardupe_core::error::{Error, Result};
use neardupe_core::hash;
use neardupe_core::pipeline::Duplicate;
use neardupe_core::pipeline::documents::Documents;
use neardupe_io::source::replay::{Piece, Visitor};
use std::ops::Range;
use std::path::Path;

/// Compares a file with what was read of it before.
pub(super) struct SameFile<'a> {
    /// What the first pass recorded.
    documents: &'a Documents,
    /// For messages.
    path: &'a Path,
    /// The counts of the first pass.
    expected: FileCounts,
    /// The counts of this one.
    counts: FileCounts,
    /// Documents of the file that are still to come.
    rest: Range<DocIdx>,
}

impl<'a> SameFile<'a> {
    /// For one file, of which nothing was read yet.
    pub(super) fn new(
        documents: &'a Documents,
        expected: FileCounts,
        path: &'a Path,
    ) -> Self {
        SameFile {
            documents,
            path,
            expected,
            counts: FileCounts {
                file: expected.file,
                ..FileCounts::default()
            },
            rest: documents.of_file(expected.file),
        }
    }

    /// The next document; its number decides whether it is removed.
    pub(super) fn document(
        &mut self,
        text: &str,
        is_removed: impl FnOnce(DocIdx) -> bool,
    ) -> Result<DocIdx> {
        // Numbers of documents follow their order in the file, so the position is the identity.
        let next = DocIdx::between(self.rest.clone()).next();
        let Some(document) = next else {
            return Err(changed(self.path, "more documents than before"));
        };
        // A hash of 128 bits: other texts do not have the same by chance.
        if self.documents.text_hash(document)? != hash::text(text) {
            let id = self.documents.id(document)?;
            return Err(changed(self.path, &format!("the text of {id} is another")));
        }
        self.rest.start = DocIdx::new(document.get() + 1);
        self.counts.records += 1;
        if is_removed(document) {
            self.counts.removed += 1
        } else {
            self.counts.kept += 1
        }
        Ok(document)
    }

    /// A record that could not be read, as before.
    pub(super) fn bad(&mut self) {
        self.counts.records += 1;
        self.counts.bad_records += 1;
    }

    /// A record without text.
    pub(super) fn skipped(&mut self) {
        self.counts.skipped += 1;
    }

    /// The file was read to its end: what became of its records.
    pub(super) fn finish(self) -> Result<FileCounts> {
        let (counts, expected) = (self.counts, self.expected);
        // Fewer documents are found only here, at the end.
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

/// The same, with what becomes of each document as a whole.
pub(super) struct Checker<'a> {
    /// Whose duplicates these are.
    decisions: &'a Decisions<'a>,
    /// The comparison.
    same: SameFile<'a>,
    /// Place of the next removed document.
    removed: usize,
    /// Why the document met last is removed.
    current: Option<&'a Duplicate>,
}

impl<'a> Checker<'a> {
    /// For one file; duplicates of files before it are passed over at once.
    pub(super) fn new(decisions: &'a Decisions<'a>, file: u32, path: &'a Path) -> Self {
        let range = decisions.documents().of_file(file);
        Checker {
            decisions,
            same: SameFile::new(decisions.documents(), decisions.count(file), path),
            removed: decisions.first_removed(range.start),
            current: None,
        }
    }

    /// Why the document met last is removed; None when it is kept.
    pub(super) fn duplicate(&self) -> Option<&'a Duplicate> {
        self.current
    }

    /// The file was read to its end: what became of its records.
    pub(super) fn finish(self) -> Result<FileCounts> {
        self.same.finish()
    }
}

/// The error of a file that is not what it was.
///
/// The same remedy for every difference: the job must be started again.
pub(super) fn changed(path: &Path, what: &str) -> Error {
    let message = format!(
        "it changed while the job was at work ({what}); nothing was written, run it again"
    );
    Error::input(path.display().to_string(), message)
}

impl Visitor for Checker<'_> {
    fn document(&mut self, text: &str) -> Result<u32> {
        // Removed documents are in the order of documents, so one step forwards is enough.
        let next = self.decisions.removed(self.removed);
        let is_next = |document: DocIdx| next.is_some_and(|it| it.document == document);
        let document = self.same.document(text, is_next)?;
        self.current = next.filter(|duplicate| duplicate.document == document);
        self.removed += usize::from(self.current.is_some());
        Ok(document.get())
    }

    fn bad(&mut self) -> Result<()> {
        self.same.bad();
        Ok(())
    }

    fn skipped(&mut self) -> Result<()> {
        self.same.skipped();
        Ok(())
    }

    fn piece(&mut self, _: &Piece<'_>) -> Result<()> {
        Ok(())
    }
}
