//! Parquet: rows are copied group by group, column by column.

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
    task: &'a FileTask<'a>,
    checker: Checker<'a>,
    from: RowsFrom,
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
