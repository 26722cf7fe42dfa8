//! Formats that are one record after the other: lines, tables as text, archives, elements.
//!
//! The reader cuts the file into pieces and says what each is; a piece is written as it was read.
//! Removed records go to a file of the same format, which is complete by itself: it has the head
//! of the table, or what an archive has around its entries.

use super::added::Value;
use super::bad::BadWriter;
use super::check::Checker;
use super::pack::Packer;
use super::report::FileCounts;
use super::{FileTask, Mode, lines, table};
use neardupe_core::document::DocIdx;
use neardupe_core::error::Result;
use neardupe_io::source::Around;
use neardupe_io::source::replay::{Part, Piece, Visitor};

/// How records of a format are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RecordStyle {
    /// Fields can be added; what is between lines is blank.
    Lines,
    /// Cells can be added; what is before the first row is the head.
    Table(u8),
    /// Entries as they are, those without text among the kept ones.
    Entries(Around),
}

/// Writes the records of a file to one or two others.
pub(super) struct RecordWriter<'a> {
    task: &'a FileTask<'a>,
    checker: Checker<'a>,
    style: RecordStyle,
    kept: Option<Packer>,
    removed: Option<Packer>,
    bad: BadWriter,
    /// The head of the table was written.
    begun: bool,
    /// The document whose bytes came last is removed. What follows it, such as its line
    /// end, comes when the next one is known already.
    last_removed: bool,
    buffer: Vec<u8>,
}

impl<'a> RecordWriter<'a> {
    pub(super) fn new(
        task: &'a FileTask<'a>,
        style: RecordStyle,
        checker: Checker<'a>,
    ) -> Result<Self> {
        let create = |wanted: bool, path| {
            let packer = || Packer::create(path, task.kind.compression);
            wanted.then(packer).transpose()
        };
        Ok(RecordWriter {
            task,
            checker,
            style,
            kept: create(task.writes_kept(), task.kept_path())?,
            removed: create(task.writes_removed(), task.removed_path())?,
            bad: BadWriter::new(task.bad_path(), task.kind.compression),
            begun: false,
            last_removed: false,
            buffer: Vec::new(),
        })
    }

    pub(super) fn finish(self) -> Result<FileCounts> {
        let counts = self.checker.finish()?;
        for packer in [self.kept, self.removed].into_iter().flatten() {
            packer.finish()?;
        }
        self.bad.finish(self.task.path)?;
        Ok(counts)
    }

    fn document(&mut self, document: u32, piece: &Piece<'_>) -> Result<()> {
        let duplicate = self.checker.duplicate();
        let split = self.task.rewrite.mode == Mode::Split;
        if piece.is_first {
            self.last_removed = duplicate.is_some() && split;
        }
        let out = if self.last_removed {
            &mut self.removed
        } else {
            &mut self.kept
        };
        // A record may come in several pieces, and fields are added to the first, which has all
        // of a line or row.
        let adds = piece.is_first && (duplicate.is_some() || !split);
        if !adds {
            return write(out, piece);
        }
        let fields = self.task.rewrite.fields;
        let values =
            || fields.values(self.task.decisions, DocIdx::new(document), duplicate);
        self.buffer.clear();
        match self.style {
            RecordStyle::Entries(_) => return write(out, piece),
            RecordStyle::Table(delimiter) => {
                let cells: Vec<String> = values()?.iter().map(table::cell).collect();
                table::add(piece.bytes, delimiter, &cells, &mut self.buffer);
            }
            RecordStyle::Lines => {
                let values = values()?;
                lines::check(piece.bytes, fields, self.task.name)?;
                lines::add(piece.bytes, fields, &values, &mut self.buffer)?;
            }
        }
        let bytes = &self.buffer;
        write(out, &Piece { bytes, ..*piece })
    }

    fn between(&mut self, piece: &Piece<'_>) -> Result<()> {
        match self.style {
            RecordStyle::Lines | RecordStyle::Entries(Around::Kept) => {
                write(&mut self.kept, piece)
            }
            RecordStyle::Entries(Around::Both) => {
                write(&mut self.kept, piece)?;
                write(&mut self.removed, piece)?;
                // Text around entries belongs to every output. The file of bad records does not
                // exist until there is one, so until then the text is kept as its head.
                if self.bad.has_any() {
                    self.bad.write(piece)
                } else {
                    self.bad.head(piece.bytes);
                    Ok(())
                }
            }
            RecordStyle::Table(_) if self.begun => write(&mut self.kept, piece),
            RecordStyle::Table(delimiter) => {
                self.begun = true;
                self.head(delimiter, piece)
            }
        }
    }

    /// The first row of a table, with more columns where there are more cells.
    fn head(&mut self, delimiter: u8, piece: &Piece<'_>) -> Result<()> {
        self.bad.head(piece.bytes);
        let names = self.task.rewrite.fields.names();
        let names: Vec<String> = names
            .map(|name| table::cell(&Value::Text(name.to_owned())))
            .collect();
        self.buffer.clear();
        table::add(piece.bytes, delimiter, &names, &mut self.buffer);
        let bytes = &self.buffer;
        let longer = Piece { bytes, ..*piece };
        write(&mut self.removed, &longer)?;
        match self.task.rewrite.mode {
            Mode::Split => write(&mut self.kept, piece),
            Mode::Annotate => write(&mut self.kept, &longer),
        }
    }
}

fn write(out: &mut Option<Packer>, piece: &Piece<'_>) -> Result<()> {
    let Some(out) = out else {
        return Ok(());
    };
    if piece.begins_member {
        out.begin_member()?;
    }
    out.write(piece.bytes)
}

impl Visitor for RecordWriter<'_> {
    fn document(&mut self, text: &str) -> Result<u32> {
        self.checker.document(text)
    }

    fn bad(&mut self) -> Result<()> {
        self.checker.bad()
    }

    fn skipped(&mut self) -> Result<()> {
        self.checker.skipped()
    }

    fn piece(&mut self, piece: &Piece<'_>) -> Result<()> {
        match piece.part {
            Part::Document(document) => self.document(document, piece),
            Part::Skipped => write(&mut self.kept, piece),
            Part::Between => self.between(piece),
            Part::Bad => self.bad.write(piece),
        }
    }

    fn uncut(&mut self) -> Result<()> {
        self.bad.take_whole();
        Ok(())
    }
}
