//! Formats that are one record after the other: lines, tables as text, archives, elements.
//!
//! The reader cuts the file into pieces and says what each is; a piece is written as it was read.
//! Removed records go to a file of the same format, which is complete by itself: it has the head
//! of the table, or what an archive has around its entries.
//!
//! Nothing is parsed here but what must change: a line or a row that gets new fields. All
//! else is bytes of the input, so a record that is kept is equal to the byte.

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
    /// What the file is, and what of it is written.
    task: &'a FileTask<'a>,
    /// Compares each document with what the result recorded.
    checker: Checker<'a>,
    style: RecordStyle,
    /// None where nothing is to be written, as with `ids-only`.
    kept: Option<Packer>,
    removed: Option<Packer>,
    /// Created at the first bad record: most files have none.
    bad: BadWriter,
    /// The head of the table was written.
    begun: bool,
    /// The document whose bytes came last is removed. What follows it, such as its line
    /// end, comes when the next one is known already.
    last_removed: bool,
    /// Holds the line or row with its new fields; used again for each.
    buffer: Vec<u8>,
}

impl<'a> RecordWriter<'a> {
    /// Creates the outputs that will have something in them, by what the result expects.
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

    /// Closes all outputs and returns what was counted. The checker comes first: if the input
    /// has changed since, nothing must look finished.
    pub(super) fn finish(self) -> Result<FileCounts> {
        let counts = self.checker.finish()?;
        for packer in [self.kept, self.removed].into_iter().flatten() {
            packer.finish()?;
        }
        self.bad.finish(self.task.path)?;
        Ok(counts)
    }

    /// Writes a piece of a document to the kept or the removed file. Only the first piece
    /// decides which: all later ones follow it.
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

    /// Writes what lies between records: blank lines, the head of a table, or what an archive
    /// has around its entries.
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
            // Blank lines between rows belong to the kept file; the removed one is complete
            // without.
            RecordStyle::Table(_) if self.begun => write(&mut self.kept, piece),
            RecordStyle::Table(delimiter) => {
                self.begun = true;
                self.head(delimiter, piece)
            }
        }
    }

    /// The first row of a table, with more columns where there are more cells.
    fn head(&mut self, delimiter: u8, piece: &Piece<'_>) -> Result<()> {
        // Bad rows are written as they were, so their file has the old head.
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

/// Writes a piece, if there is an output for it. A new member of a compressed file begins
/// where one began in the input, so that tools which read member by member still can.
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
            // Records without text, such as requests in a crawl, are no duplicates and are
            // kept.
            Part::Skipped => write(&mut self.kept, piece),
            Part::Between => self.between(piece),
            Part::Bad => self.bad.write(piece),
        }
    }

    /// The reader could not cut this file into pieces from here on: all of it is copied among
    /// the bad records.
    fn uncut(&mut self) -> Result<()> {
        self.bad.take_whole();
        Ok(())
    }
}
