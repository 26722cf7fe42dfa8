//! Parquet: rows are copied group by group, column by column.
//!
//! A group is decided row by row while the documents are read again, and copied at its end:
//! columns cannot be written row by row. So at most the decisions and new values of one group
//! are in memory.

use super::added::Value;
use super::check::Checker;
use super::report::FileCounts;
use super::{FileTask, Mode, copy_bad_file, make_folder_of};
use neardupe_core::document::DocIdx;
use neardupe_core::error::{Error, Result};
use neardupe_io::source::parquet::copy::{NewKind, NewValues, RowsFrom, RowsTo};
use neardupe_io::source::replay::{Piece, Visitor};
use neardupe_io::source::values::Fault;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Writes the rows of a file to others.
pub(super) struct RowWriter<'a> {
    /// What the file is, and what of it is written.
    task: &'a FileTask<'a>,
    /// Compares each document with what the result recorded, and returns its number.
    checker: Checker<'a>,
    /// The file that is read a second time for copying. Its rows are never decoded into our
    /// types: all columns and types are kept.
    from: RowsFrom,
    /// Path and writer of each output, where it is wanted. The path is for messages.
    kept: Option<(PathBuf, RowsTo)>,
    removed: Option<(PathBuf, RowsTo)>,
    bad: Option<(PathBuf, RowsTo)>,
    /// The rows of the open group that go to each.
    to_kept: Vec<bool>,
    to_removed: Vec<bool>,
    to_bad: Vec<bool>,
    /// Some of the file is damaged: bad rows cannot be copied one by one.
    is_damaged: bool,
    /// Values of the new columns, for the rows that get some.
    added: Vec<NewValues>,
}

impl<'a> RowWriter<'a> {
    /// Opens all outputs of the file at once, with the schema of the input. New columns are
    /// in `kept` only when rows are annotated, and always in `removed`, which is where a
    /// reader looks for the reason.
    pub(super) fn new(task: &'a FileTask<'a>, checker: Checker<'a>) -> Result<Self> {
        let from = RowsFrom::open(task.path).map_err(|fault| refused(task, fault))?;
        let columns = task.rewrite.fields.columns();
        let none = Vec::new();
        let begin = |wanted: bool, path: PathBuf, longer: bool| {
            if !wanted {
                return Ok(None);
            }
            make_folder_of(&path)?;
            let out = File::create(&path).map_err(|error| Error::io(&path, error))?;
            let columns = if longer { &columns } else { &none };
            let to = from.begin(out, columns);
            let to = to.map_err(|fault| refused(task, fault))?;
            Ok::<_, Error>(Some((path, to)))
        };
        let annotates = task.rewrite.mode == Mode::Annotate;
        let kept = begin(task.writes_kept(), task.kept_path(), annotates)?;
        let removed = begin(task.writes_removed(), task.removed_path(), true)?;
        let bad = begin(task.expected.bad_records > 0, task.bad_path(), false)?;
        Ok(RowWriter {
            added: new_values(task),
            task,
            checker,
            kept,
            removed,
            bad,
            from,
            to_kept: Vec::new(),
            to_removed: Vec::new(),
            to_bad: Vec::new(),
            is_damaged: false,
        })
    }

    /// Closes the outputs and returns what was counted. A file with damage has its bad
    /// records copied whole, since a damaged group cannot be split into rows. Data is forced
    /// to the disk before the caller renames the folder.
    pub(super) fn finish(self) -> Result<FileCounts> {
        let counts = self.checker.finish()?;
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

/// An empty column for each new field. Called once per group: values belong to the rows of
/// one group.
fn new_values(task: &FileTask<'_>) -> Vec<NewValues> {
    let columns = task.rewrite.fields.columns();
    let empty = |kind| match kind {
        NewKind::Text => NewValues::Text(Vec::new()),
        NewKind::Whole => NewValues::Whole(Vec::new()),
        NewKind::Ratio => NewValues::Ratio(Vec::new()),
        NewKind::Bool => NewValues::Bool(Vec::new()),
    };
    columns.iter().map(|column| empty(column.kind)).collect()
}

/// The error of a file whose rows cannot be copied.
fn refused(task: &FileTask<'_>, (_, detail): Fault) -> Error {
    let path: &Path = task.path;
    let message = format!(
        "its rows cannot be copied: {detail}; `ids-only` writes lists of ids for any format"
    );
    Error::input(path.display().to_string(), message)
}

/// Adds a value to a column of its type.
fn push(values: &mut NewValues, value: Value) -> Result<()> {
    let broken = |what: &str| Error::Internal(format!("{what} in a column"));
    match (values, value) {
        (NewValues::Text(all), Value::Text(text)) => all.push(Some(text)),
        (NewValues::Text(all), Value::Null) => all.push(None),
        (NewValues::Whole(all), Value::Whole(number)) => {
            let number = i64::try_from(number);
            all.push(Some(number.map_err(|_| broken("a huge number"))?));
        }
        (NewValues::Ratio(all), Value::Ratio(ratio)) => {
            // By way of the text: the double that readers of the other formats get.
            let ratio = ratio.parse();
            all.push(Some(ratio.map_err(|_| broken("no number"))?));
        }
        (NewValues::Ratio(all), Value::Null) => all.push(None),
        (NewValues::Bool(all), Value::Bool(value)) => all.push(Some(value)),
        _ => return Err(broken("a value of another type")),
    }
    Ok(())
}

impl Visitor for RowWriter<'_> {
    /// Marks the row and, where it gets new columns, adds their values. Values are added only
    /// for rows that are written with them, so their number is that of the marks in that
    /// output.
    fn document(&mut self, text: &str) -> Result<u32> {
        let document = self.checker.document(text)?;
        let duplicate = self.checker.duplicate();
        let split = self.task.rewrite.mode == Mode::Split;
        let removed = duplicate.is_some() && split;
        self.to_kept.push(!removed);
        self.to_removed.push(removed);
        self.to_bad.push(false);
        if removed || !split {
            let fields = self.task.rewrite.fields;
            let row =
                // With `annotate` every kept row has values; for a row that is no duplicate
                // most of them are null.
                fields.values(self.task.decisions, DocIdx::new(document), duplicate)?;
            for (values, value) in self.added.iter_mut().zip(row) {
                push(values, value)?;
            }
        }
        Ok(document)
    }

    fn bad(&mut self) -> Result<()> {
        self.to_kept.push(false);
        self.to_removed.push(false);
        self.to_bad.push(true);
        self.checker.bad()
    }

    fn uncut(&mut self) -> Result<()> {
        // What could not be decoded is no row.
        self.to_bad.pop();
        self.is_damaged = true;
        Ok(())
    }

    fn skipped(&mut self) -> Result<()> {
        self.checker.skipped()
    }

    fn piece(&mut self, _: &Piece<'_>) -> Result<()> {
        Ok(())
    }

    /// Copies the rows of the group to the outputs and clears all marks. Called once per
    /// group of rows, in their order.
    fn group_end(&mut self, group: usize) -> Result<()> {
        let annotates = self.task.rewrite.mode == Mode::Annotate;
        let outputs = [
            (&mut self.kept, &mut self.to_kept, annotates, false),
            (&mut self.removed, &mut self.to_removed, true, false),
            (&mut self.bad, &mut self.to_bad, false, true),
        ];
        for (out, wanted, longer, is_bad) in outputs {
            // What follows the last row that is wanted may be damaged.
            let last = wanted.iter().rposition(|&wanted| wanted);
            wanted.truncate(last.map_or(0, |last| last + 1));
            if let Some((_, to)) = out {
                let added = if longer { &self.added[..] } else { &[] };
                let copied = self.from.copy(group, wanted, added, to);
                match copied {
                    // What is wrong with a row may be damage: then the whole file is copied.
                    Err(_) if is_bad => self.is_damaged = true,
                    copied => copied.map_err(|fault| refused(self.task, fault))?,
                }
            }
            wanted.clear();
        }
        self.added = new_values(self.task);
        Ok(())
    }
}
