//! Parquet: rows are copied group by group, column by column, and texts that lose something are
//! written without it.
//!
//! Rows of a group come as documents or bad rows, in order; when the group ends each output gets
//! the rows that belong to it. Only the text column of shortened rows is encoded anew; all other
//! columns and levels are copied, so types that the program does not know survive. A bad row that
//! cannot be copied may be a sign of damage, and then the file as a whole is copied beside the
//! output.

use super::check::SameFile;
use super::cuts::{Fate, cut_bytes};
use super::passages::{CutTask, not_utf8};
use super::report::FileCounts;
use super::{copy_bad_file, make_folder_of};
use neardupe_core::document::DocIdx;
use neardupe_core::error::{Error, Result};
use neardupe_core::hash;
use neardupe_io::source::parquet::copy::{ChangedTexts, RowsFrom, RowsTo};
use neardupe_io::source::replay::{Piece, Visitor};
use neardupe_io::source::values::Fault;
use parquet::errors::ParquetError;
use std::fs::File;
use std::path::PathBuf;

/// Whether a row, by its document, is written to an output.
type Belongs<'a> = &'a dyn Fn(&Option<DocIdx>) -> bool;

/// Writes the rows of a file to one or two others.
pub(super) struct CutRows<'a> {
    /// What the file is, and what of it is written.
    task: &'a CutTask<'a>,
    /// Compares each document with the one that was compared, by hash.
    same: SameFile<'a>,
    /// The file again, for copying.
    from: RowsFrom,
    /// The column of the text.
    column: usize,
    /// Path and writer of each output; None if nothing is written there.
    kept: Option<(PathBuf, RowsTo)>,
    removed: Option<(PathBuf, RowsTo)>,
    bad: Option<(PathBuf, RowsTo)>,
    /// Some of the file is damaged: bad rows cannot be copied one by one.
    is_damaged: bool,
    /// The documents of the open group; None for bad rows.
    rows: Vec<Option<DocIdx>>,
}

impl<'a> CutRows<'a> {
    /// Opens the outputs that will have something in them. A file whose rows cannot be copied
    /// is refused here, before any is written.
    pub(super) fn new(task: &'a CutTask<'a>, same: SameFile<'a>) -> Result<Self> {
        let from = RowsFrom::open(task.path).map_err(|fault| refused(task, fault))?;
        let begin = |wanted: bool, path: PathBuf| {
            if !wanted {
                return Ok(None);
            }
            make_folder_of(&path)?;
            let out = File::create(&path).map_err(|error| Error::io(&path, error))?;
            let to = from.begin(out, &[]);
            Ok::<_, Error>(Some((path, to.map_err(|fault| refused(task, fault))?)))
        };
        Ok(CutRows {
            kept: begin(task.writes_kept(), task.kept_path())?,
            removed: begin(task.expected.removed > 0, task.removed_path())?,
            bad: begin(task.expected.bad_records > 0, task.bad_path())?,
            is_damaged: false,
            column: task.text_column()?,
            task,
            same,
            from,
            rows: Vec::new(),
        })
    }

    /// Closes the outputs and returns what was counted.
    pub(super) fn finish(self) -> Result<FileCounts> {
        let counts = self.same.finish()?;
        let bad = self.bad.filter(|_| !self.is_damaged);
        if self.is_damaged {
            copy_bad_file(self.task.path, &self.task.bad_path())?;
        }
        for (path, to) in [self.kept, self.removed, bad].into_iter().flatten() {
            let file = to.finish().map_err(|fault| refused(self.task, fault))?;
            file.sync_data().map_err(|error| Error::io(&path, error))?;
        }
        Ok(counts)
    }
}

/// The error of a file whose rows cannot be copied.
fn refused(task: &CutTask<'_>, (_, detail): Fault) -> Error {
    let message = format!("its rows cannot be copied: {detail}");
    Error::input(task.path.display().to_string(), message)
}

impl Visitor for CutRows<'_> {
    /// Notes the document for the end of its group, after its hash was compared.
    fn document(&mut self, text: &str) -> Result<u32> {
        let cuts = self.task.cuts;
        let document = self
            .same
            .document(text, |document| cuts.fate(document) == Fate::Removed)?;
        self.rows.push(Some(document));
        Ok(document.get())
    }

    fn bad(&mut self) -> Result<()> {
        self.rows.push(None);
        self.same.bad();
        Ok(())
    }

    fn uncut(&mut self) -> Result<()> {
        // What could not be decoded is no row.
        self.rows.pop();
        self.is_damaged = true;
        Ok(())
    }

    fn skipped(&mut self) -> Result<()> {
        self.same.skipped();
        Ok(())
    }

    fn piece(&mut self, _: &Piece<'_>) -> Result<()> {
        Ok(())
    }

    /// Copies the rows of the group to each output. Called at the end of each group, in
    /// order.
    fn group_end(&mut self, group: usize) -> Result<()> {
        let task = self.task;
        let rows = std::mem::take(&mut self.rows);
        let fate = |row: &Option<DocIdx>| row.map(|document| task.cuts.fate(document));
        // Called for each text while its column is copied; None leaves it as it is.
        let change = |row: usize, text: &[u8]| {
            let Some(Some(document)) = rows.get(row) else {
                return Ok(None);
            };
            let Fate::Cut(gone) = task.cuts.fate(*document) else {
                return Ok(None);
            };
            let outside = |error: Error| ParquetError::External(error.into());
            let documents = task.rewrite.documents;
            // The column is read by other code than the text was: the hash proves that both
            // mean the same value.
            let is_same = std::str::from_utf8(text).is_ok_and(|text| {
                let known = documents.text_hash(*document);
                known.is_ok_and(|known| known == hash::text(text))
            });
            // In another character set places in the decoded text are not those of the bytes.
            if !is_same {
                return Err(outside(not_utf8(task, *document)));
            }
            let mut left = Vec::with_capacity(text.len());
            cut_bytes(text, gone, &mut left);
            Ok(Some(left))
        };
        let changed = ChangedTexts {
            column: self.column,
            text: &change,
        };
        // Each row belongs to exactly one output.
        let is_kept =
            |row: &Option<DocIdx>| matches!(fate(row), Some(Fate::Kept | Fate::Cut(_)));
        let is_removed = |row: &Option<DocIdx>| fate(row) == Some(Fate::Removed);
        let outputs: [(_, Belongs<'_>, _, _); 3] = [
            (&mut self.kept, &is_kept, Some(&changed), false),
            (&mut self.removed, &is_removed, None, false),
            (&mut self.bad, &Option::is_none, None, true),
        ];
        for (out, belongs, change, is_bad) in outputs {
            let wanted = rows.iter().map(belongs);
            let mut wanted: Vec<bool> = wanted.collect();
            // What follows the last row that is wanted may be damaged.
            let last = wanted.iter().rposition(|&wanted| wanted);
            wanted.truncate(last.map_or(0, |last| last + 1));
            if let Some((_, to)) = out {
                let copied = self.from.copy_changed(group, &wanted, &[], change, to);
                match copied {
                    // What is wrong with a row may be damage: then the whole file is copied.
                    Err(_) if is_bad => self.is_damaged = true,
                    copied => copied.map_err(|fault| refused(task, fault))?,
                }
            }
        }
        Ok(())
    }
}
