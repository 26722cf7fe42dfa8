//! The input written again without repeated passages: documents that lose some sentences with
//! the rest of their text and all else unchanged, documents that lose all of their text apart.
//!
//! The cutting follows the format. A line of JSON, a cell, a value of a column and a plain file
//! can hold a shorter text; HTML, XML and archives cannot, since their text is made of markup or
//! has a length that the format states, so they are refused before anything is read. A text must
//! be stored as UTF-8: offsets are those of the decoded text, and in another character set they
//! would cut elsewhere. A document whose passages are all repeated is removed as a whole and
//! written apart, unshortened, so the input can be put together again from both outputs and the
//! tables.

use super::bad::BadWriter;
use super::check::SameFile;
use super::cut_rows::CutRows;
use super::cuts::{Cuts, Fate, cut_bytes};
use super::pack::Packer;
use super::report::FileCounts;
use super::{
    copy_bad_file, cut_json, cut_table, for_each_file, make_folder_of, once_only,
};
use crate::rewrite::tables::write_files;
use neardupe_core::document::DocIdx;
use neardupe_core::document::Progress;
use neardupe_core::error::{Error, Result};
use neardupe_core::hash;
use neardupe_core::pipeline::documents::Documents;
use neardupe_core::pipeline::passages::Removals;
use neardupe_io::compress::Compression;
use neardupe_io::output::{BAD, REMOVED};
use neardupe_io::source::parquet::copy::RowsFrom;
use neardupe_io::source::replay::{Part, Piece, Visitor};
use neardupe_io::source::{FileSource, InputFormat, Layout, Sniffed};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A rewriting of some files without repeated passages.
pub struct PassageRewrite<'a> {
    /// Where the documents come from.
    pub source: &'a FileSource,
    /// The documents.
    pub documents: &'a Documents,
    /// What is removed from them.
    pub removals: &'a Removals,
    /// The output folder.
    pub folder: &'a Path,
    /// Number of threads.
    pub threads: usize,
}

/// Refuses, before anything is read, files that cannot hold a shortened text.
pub fn check_texts(source: &FileSource, files: &[u32]) -> Result<()> {
    for &file in files {
        // A format that is not known was a bad record; there is no text of it to cut.
        let Some(kind) = source.kind_of(file)? else {
            continue;
        };
        let name = &source.files()[file as usize].name;
        let style = TextStyle::of(kind.format.spec().layout);
        if style.is_none() {
            return Err(cannot_be_shortened(name, kind.format));
        }
        // Of columns only strings can be replaced, and only if the text is made of one of
        // them.
        if style == Some(TextStyle::Column)
            && let columns @ [_, ..] = &source.text_columns(file)?[..]
            && let Ok(rows) = RowsFrom::open(Path::new(source.path(file)?))
            && !matches!(columns, [only] if rows.holds_texts(*only))
        {
            let message =
                "its text is not one column of strings, which could be shortened";
            return Err(Error::input(name, message));
        }
    }
    Ok(())
}

/// Names what can be done instead.
fn cannot_be_shortened(name: &str, format: InputFormat) -> Error {
    let message = format!(
        "it is {format}, which cannot hold a shortened text; neardupe passages `write-text` \
         writes all texts to texts.jsonl, and that can be cut"
    );
    Error::input(name, message)
}

/// How the texts of a format are shortened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextStyle {
    /// A string of a line of JSON.
    Line,
    /// A cell of a table whose columns are parted by this.
    Cell(u8),
    /// A value of a column.
    Column,
    /// The whole file.
    File,
}

impl TextStyle {
    /// None for formats that cannot hold a shortened text: theirs is made of markup, or has a length
    /// that the format states.
    fn of(layout: Layout) -> Option<Self> {
        match layout {
            Layout::Lines => Some(TextStyle::Line),
            Layout::Table { delimiter } => Some(TextStyle::Cell(delimiter)),
            Layout::Columns => Some(TextStyle::Column),
            Layout::Document { is_html: false } => Some(TextStyle::File),
            Layout::Document { is_html: true } | Layout::Entries(_) => None,
        }
    }
}

/// Writes the table of files.
pub fn write_file_counts(
    folder: &Path,
    documents: &Documents,
    files: &[FileCounts],
) -> Result<()> {
    let read = documents.files();
    let name = |counts: &FileCounts| read[counts.file as usize].name.as_str();
    write_files(folder, files.iter().map(|counts| (name(counts), *counts)))
}

/// One file on its way.
pub(super) struct CutTask<'a> {
    pub(super) rewrite: &'a PassageRewrite<'a>,
    pub(super) cuts: &'a Cuts,
    /// The name of the file below the output folder.
    name: &'a str,
    /// Where it is written, below each output folder.
    relative: PathBuf,
    pub(super) path: &'a Path,
    /// Format and compression, as detected.
    kind: Sniffed,
    /// What the result recorded of the file: what is read must agree with it.
    pub(super) expected: FileCounts,
}

impl PassageRewrite<'_> {
    /// Writes these files; what became of the records of each.
    pub fn run(&self, files: &[u32], progress: &dyn Progress) -> Result<Vec<FileCounts>> {
        let cuts = Cuts::new(self.removals)?;
        for_each_file(self.threads, files, |file| self.file(file, &cuts, progress))
    }

    /// Rewrites one file, by the way its format allows. Files are independent, so threads
    /// share them out.
    fn file(
        &self,
        file: u32,
        cuts: &Cuts,
        progress: &dyn Progress,
    ) -> Result<FileCounts> {
        let input = &self.source.files()[file as usize];
        let Some(path) = &input.path else {
            return Err(once_only(&input.name));
        };
        // Known before reading: a file that loses nothing is copied, which is much faster
        // than cutting it.
        let range = self.documents.of_file(file);
        let (removed, num_cut) = cuts.count(&range);
        let expected = FileCounts::expected(self.documents, file, removed);
        let same = SameFile::new(self.documents, expected, path);
        let Some(kind) = self.source.kind_of(file)? else {
            // Nothing of it can be read, now as before.
            let mut only = Only { same, cuts };
            self.source.replay(file, &mut only, progress)?;
            copy_bad_file(path, &self.folder.join(BAD).join(input.relative()))?;
            return only.same.finish();
        };
        let task = CutTask {
            rewrite: self,
            cuts,
            name: &input.name,
            relative: input.relative(),
            path,
            kind,
            expected,
        };
        let style = TextStyle::of(kind.format.spec().layout)
            .ok_or_else(|| cannot_be_shortened(&input.name, kind.format))?;
        // A file without changes is copied byte for byte, but only after it was verified like the
        // rest.
        let changes = num_cut + removed + expected.bad_records > 0;
        let counts = match style {
            // A file of one document that is removed as a whole needs no cutting either.
            _ if !changes => task.copy(same, progress)?,
            TextStyle::File if num_cut == 0 => task.copy(same, progress)?,
            TextStyle::File => {
                let mut writer = TextFile {
                    task: &task,
                    same,
                    buffer: Vec::new(),
                };
                self.source.replay(file, &mut writer, progress)?;
                writer.finish()?
            }
            TextStyle::Column if kind.compression != Compression::None => {
                // It cannot be read: it is one bad record.
                let mut only = Only { same, cuts };
                self.source.replay(file, &mut only, progress)?;
                copy_bad_file(path, &task.bad_path())?;
                return only.same.finish();
            }
            TextStyle::Column => {
                let mut writer = CutRows::new(&task, same)?;
                self.source.replay(file, &mut writer, progress)?;
                writer.finish()?
            }
            TextStyle::Line => task.cut_records(same, None, progress)?,
            TextStyle::Cell(delimiter) => {
                task.cut_records(same, Some(delimiter), progress)?
            }
        };
        task.copy_permissions()?;
        Ok(counts)
    }
}

impl CutTask<'_> {
    /// Copies the file as it is stored: no document of it is shortened.
    fn copy(&self, same: SameFile<'_>, progress: &dyn Progress) -> Result<FileCounts> {
        let mut only = Only {
            same,
            cuts: self.cuts,
        };
        let source = self.rewrite.source;
        source.replay(self.expected.file, &mut only, progress)?;
        let counts = only.same.finish()?;
        if self.writes_kept() {
            self.copy_file(&self.kept_path())?;
        }
        if self.expected.removed > 0 {
            self.copy_file(&self.removed_path())?;
        }
        if counts.bad_records > 0 {
            copy_bad_file(self.path, &self.bad_path())?;
        }
        Ok(counts)
    }

    /// Cuts JSON lines, or rows of a table with this delimiter.
    fn cut_records(
        &self,
        same: SameFile<'_>,
        delimiter: Option<u8>,
        progress: &dyn Progress,
    ) -> Result<FileCounts> {
        let mut writer = CutRecords::new(self, same, delimiter)?;
        let source = self.rewrite.source;
        source.replay(self.expected.file, &mut writer, progress)?;
        writer.finish()
    }

    /// Whether there is a file of what is kept. Formats of rows have one even if all rows are
    /// removed, as long as the input could be read: tools expect a file.
    pub(super) fn writes_kept(&self) -> bool {
        let is_table = self.kind.format.has_free_fields() && self.expected.is_readable();
        is_table || self.expected.kept + self.expected.skipped > 0
    }

    /// In the output folder, under the name of the input.
    pub(super) fn kept_path(&self) -> PathBuf {
        self.rewrite.folder.join(&self.relative)
    }

    /// Where documents that lose all of their text are written.
    pub(super) fn removed_path(&self) -> PathBuf {
        self.rewrite.folder.join(REMOVED).join(&self.relative)
    }

    /// Where records that could not be read are written.
    pub(super) fn bad_path(&self) -> PathBuf {
        self.rewrite.folder.join(BAD).join(&self.relative)
    }

    /// Copies the file as it is, compressed or not.
    fn copy_file(&self, to: &Path) -> Result<()> {
        make_folder_of(to)?;
        fs::copy(self.path, to).map_err(|error| Error::io(to, error))?;
        Ok(())
    }

    /// Copies who may read the input.
    fn copy_permissions(&self) -> Result<()> {
        let metadata = self.path.metadata();
        let metadata = metadata.map_err(|error| Error::io(self.path, error))?;
        for written in [self.kept_path(), self.removed_path(), self.bad_path()] {
            if written.is_file() {
                fs::set_permissions(&written, metadata.permissions())
                    .map_err(|error| Error::io(&written, error))?;
            }
        }
        Ok(())
    }

    fn text_key(&self) -> &str {
        let keys = &self.rewrite.source.options().keys;
        keys.text.first().map_or("", String::as_str)
    }

    /// The column of the text: of several of the same name the last is read.
    pub(super) fn text_column(&self) -> Result<usize> {
        let columns = self.rewrite.source.text_columns(self.expected.file)?;
        let missing = || Error::Internal(format!("{}: no column of text", self.name));
        columns.last().copied().ok_or_else(missing)
    }
}

/// Looks only, whether the file is what it was.
struct Only<'a> {
    /// Compares each document with the one that was compared.
    same: SameFile<'a>,
    /// Which documents count as removed.
    cuts: &'a Cuts,
}

impl Visitor for Only<'_> {
    fn document(&mut self, text: &str) -> Result<u32> {
        let document = self
            .same
            .document(text, |document| self.cuts.fate(document) == Fate::Removed)?;
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

/// A file that is one document and keeps some of its text: it is UTF-8 then.
struct TextFile<'a> {
    /// What the file is, and what of it is written.
    task: &'a CutTask<'a>,
    same: SameFile<'a>,
    /// The text that is left. It is written at the end, when the whole file is known to be
    /// what it was.
    buffer: Vec<u8>,
}

impl TextFile<'_> {
    /// Writes the text. If the file has changed since, the error comes first and nothing is
    /// written.
    fn finish(self) -> Result<FileCounts> {
        let counts = self.same.finish()?;
        let task = self.task;
        let mut out = Packer::create(task.kept_path(), task.kind.compression)?;
        out.write(&self.buffer)?;
        out.finish()?;
        Ok(counts)
    }
}

impl Visitor for TextFile<'_> {
    /// There is one such call per file.
    fn document(&mut self, text: &str) -> Result<u32> {
        let document = self.same.document(text, |_| false)?;
        self.buffer.clear();
        let gone = match self.task.cuts.fate(document) {
            Fate::Cut(gone) => gone,
            _ => &[],
        };
        cut_bytes(text.as_bytes(), gone, &mut self.buffer);
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

/// How records are cut.
enum Style {
    /// JSON lines.
    Lines,
    /// A table: what parts its columns, and the column of the text.
    Table(u8, usize),
}

/// JSON lines, and tables as text.
struct CutRecords<'a> {
    /// What the file is, and what of it is written.
    task: &'a CutTask<'a>,
    same: SameFile<'a>,
    style: Style,
    /// None where nothing is to be written.
    kept: Option<Packer>,
    removed: Option<Packer>,
    /// Created at the first bad record.
    bad: BadWriter,
    /// The head of the table was written.
    begun: bool,
    /// The record that was cut last.
    buffer: Vec<u8>,
}

impl<'a> CutRecords<'a> {
    /// Creates the outputs that will have something in them.
    fn new(
        task: &'a CutTask<'a>,
        same: SameFile<'a>,
        delimiter: Option<u8>,
    ) -> Result<Self> {
        let create = |wanted: bool, path| {
            let packer = || Packer::create(path, task.kind.compression);
            wanted.then(packer).transpose()
        };
        // A table whose head cannot be read has no documents, and no column is asked for.
        let column = || match task.expected.kept + task.expected.removed {
            0 => Ok(0),
            _ => task.text_column(),
        };
        Ok(CutRecords {
            style: match delimiter {
                Some(delimiter) => Style::Table(delimiter, column()?),
                None => Style::Lines,
            },
            kept: create(task.writes_kept(), task.kept_path())?,
            removed: create(task.expected.removed > 0, task.removed_path())?,
            bad: BadWriter::new(task.bad_path(), task.kind.compression),
            task,
            same,
            begun: false,
            buffer: Vec::new(),
        })
    }

    /// Closes the outputs and returns what was counted; an error of the comparison comes
    /// first.
    fn finish(self) -> Result<FileCounts> {
        let counts = self.same.finish()?;
        for packer in [self.kept, self.removed].into_iter().flatten() {
            packer.finish()?;
        }
        self.bad.finish(self.task.path)?;
        Ok(counts)
    }

    /// The cell or string must be the text that was compared: it is found a second time here, by
    /// code other than the reader's, and the hash holds the two together.
    fn cut(&mut self, document: DocIdx, bytes: &[u8], gone: &[Range<u32>]) -> Result<()> {
        self.buffer.clear();
        let out = &mut self.buffer;
        match self.style {
            Style::Lines => cut_json::cut(bytes, self.task.text_key(), gone, out)?,
            Style::Table(delimiter, column) => {
                let cell = cut_table::cell_at(bytes, delimiter, column);
                let known = self.task.rewrite.documents.text_hash(document)?;
                let is_text = |cell: &cut_table::CellAt| {
                    let text = std::str::from_utf8(&cell.content);
                    text.is_ok_and(|text| hash::text(text) == known)
                };
                let cell = cell.filter(is_text);
                let cell = cell.ok_or_else(|| not_utf8(self.task, document))?;
                cut_table::cut(bytes, delimiter, &cell, gone, out);
            }
        }
        write(&mut self.kept, &self.buffer)
    }

    /// What is between records. The first of it is the head of a table, which all outputs
    /// get.
    fn between(&mut self, bytes: &[u8]) -> Result<()> {
        let is_head = !std::mem::replace(&mut self.begun, true);
        if is_head && matches!(self.style, Style::Table(..)) {
            write(&mut self.removed, bytes)?;
            self.bad.head(bytes);
        }
        write(&mut self.kept, bytes)
    }
}

/// The error of a text that cannot be shortened: its bytes are not its characters.
pub(super) fn not_utf8(task: &CutTask<'_>, document: DocIdx) -> Error {
    let id = task.rewrite.documents.id(document);
    let message = format!(
        "the text of {} is not stored as UTF-8, and cannot be shortened; convert the file, nothing \
         was written",
        id.unwrap_or_default()
    );
    Error::input(task.path.display().to_string(), message)
}

/// Writes bytes, if there is an output for them.
fn write(out: &mut Option<Packer>, bytes: &[u8]) -> Result<()> {
    match out {
        Some(out) => out.write(bytes),
        None => Ok(()),
    }
}

impl Visitor for CutRecords<'_> {
    fn document(&mut self, text: &str) -> Result<u32> {
        let cuts = self.task.cuts;
        let document = self
            .same
            .document(text, |document| cuts.fate(document) == Fate::Removed)?;
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

    fn uncut(&mut self) -> Result<()> {
        self.bad.take_whole();
        Ok(())
    }

    fn piece(&mut self, piece: &Piece<'_>) -> Result<()> {
        match piece.part {
            Part::Bad => self.bad.write(piece),
            Part::Skipped => write(&mut self.kept, piece.bytes),
            Part::Between => self.between(piece.bytes),
            Part::Document(document) => {
                match self.task.cuts.fate(DocIdx::new(document)) {
                    // The fate was decided by the table of removed passages, not by what is
                    // read now.
                    Fate::Removed => write(&mut self.removed, piece.bytes),
                    // What ends its line may come by itself.
                    Fate::Cut(gone) if piece.is_first => {
                        self.cut(DocIdx::new(document), piece.bytes, gone)
                    }
                    Fate::Kept | Fate::Cut(_) => write(&mut self.kept, piece.bytes),
                }
            }
        }
    }
}
