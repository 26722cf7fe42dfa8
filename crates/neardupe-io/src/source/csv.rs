//! Tables as text: CSV, and tables whose columns are parted by tabs (TSV).
//!
//! The first row names the columns. In CSV a field may be quoted, and then hold commas,
//! line feeds and doubled quotes (RFC 4180). In TSV nothing is quoted and a backslash is a
//! backslash: that is how such files are mostly written, and a lone quote in running text
//! must not swallow the rows after it.
//!
//! A row is held in memory up to the limit of a record; what is longer passes by.

use super::entries::{Entries, Entry};
use super::fields::Target;
use super::format::{FieldNames, FormatSpec, Guess, Layout, Sign};
use super::values::{Fault, Values};
use crate::charset::{self, Hints};
use csv_core::{ReadRecordResult, Reader, ReaderBuilder};
use neardupe_core::document::BadKind;
use std::io::{ErrorKind, Read};
use std::ops::Range;

/// Bytes read at a time.
const INPUT_BYTES: usize = 1 << 16;
/// More columns than this are no table of documents.
const MAX_COLUMNS: usize = 1 << 20;
/// Columns named in a fault.
const MAX_NAMES: usize = 20;

/// CSV as a format. Any text could be CSV, so only the name of a file, or the user, says that
/// it is.
pub(super) const CSV: FormatSpec = FormatSpec {
    name: "csv",
    title: "CSV",
    endings: &["csv"],
    sign: Sign::None,
    guess: Guess::Never,
    layout: Layout::Table { delimiter: b',' },
    fields: FieldNames::Free,
    record: "a row, which may be quoted; the first row names the fields",
    id: "column `id-key`",
    text: "columns `text-key`",
};

/// TSV as a format: another delimiter, and no quotes.
pub(super) const TSV: FormatSpec = FormatSpec {
    name: "tsv",
    title: "TSV",
    endings: &["tsv"],
    layout: Layout::Table { delimiter: b'\t' },
    record: "a row, in which nothing is quoted; the first row names the fields",
    ..CSV
};

/// The rows of a table.
pub(super) struct CsvEntries {
    /// Cuts rows and fields.
    rows: CsvRows,
    /// None before the header is read.
    header: Option<CsvHeader>,
    /// The end, or a fault after which nothing can be read, was reported.
    ended: bool,
}

/// What the first row says.
struct CsvHeader {
    /// Number of fields that every row must have.
    num_columns: usize,
    /// Names as written, for messages and for those who ask.
    names: Vec<String>,
    /// The columns that are decoded; fields of the others are cut and passed over.
    wanted: Vec<CsvColumn>,
}

/// A column that is wanted.
struct CsvColumn {
    /// Place in the row, from 0.
    number: usize,
    /// The fields that a cell is put into.
    targets: Vec<Target>,
    /// Where an empty cell goes: an empty id is none.
    targets_if_empty: Vec<Target>,
}

impl CsvEntries {
    /// Reads a table whose columns are parted by `delimiter`. Quotes mean something unless
    /// that is a tab.
    pub(super) fn new(
        reader: Box<dyn Read + Send>,
        delimiter: u8,
        max_record_bytes: u64,
    ) -> Self {
        CsvEntries {
            rows: CsvRows::new(reader, delimiter, max_record_bytes),
            header: None,
            ended: false,
        }
    }

    /// The names of the columns, once the first row was asked for.
    pub(super) fn names(&self) -> &[String] {
        self.header.as_ref().map_or(&[], |header| &header.names)
    }

    /// What ends the table is reported once.
    fn last(&mut self, entry: Entry) -> Entry {
        self.ended = true;
        entry
    }

    /// Reads the first row and finds the wanted columns. The error is the entry that ends the
    /// table; a table without a text column is refused here and not row by row.
    fn read_header(&mut self, values: &Values) -> Result<CsvHeader, Entry> {
        // Without a header nobody knows what a column is, so every fault here ends the table.
        if let Some(fault) = self.rows.begin() {
            return Err(Entry::Bad(0, fault));
        }
        let start = match self.rows.next(MAX_COLUMNS) {
            CsvRow::Fields(start) => start,
            CsvRow::Bad(start, (kind, detail))
            | CsvRow::Broken(start, (kind, detail)) => {
                return Err(Entry::Bad(start, (kind, format!("header: {detail}"))));
            }
            CsvRow::End => return Err(Entry::End),
        };
        let num_columns = self.rows.num_fields;
        if num_columns > MAX_COLUMNS {
            let detail = format!("{num_columns} columns, more than {MAX_COLUMNS}");
            return Err(Entry::Bad(start, (BadKind::Format, detail)));
        }
        let names: Vec<String> = (0..num_columns)
            .map(|number| {
                // Names are decoded by their own bytes, without the character set that the
                // user gave for texts.
                let mut name = String::new();
                charset::decode(self.rows.field(number), Hints::default(), &mut name);
                name
            })
            .collect();
        let mut wanted = Vec::new();
        for (number, name) in names.iter().enumerate() {
            let fields = values.fields();
            // Some write a space after the comma.
            // The exact name first, so that a column whose name really has spaces can be asked for.
            let targets = match fields.targets(name) {
                [] => fields.targets(name.trim()),
                targets => targets,
            };
            let not_id = |target: &Target| *target != Target::Id;
            if !targets.is_empty() {
                wanted.push(CsvColumn {
                    number,
                    targets: targets.to_vec(),
                    targets_if_empty: targets.iter().copied().filter(not_id).collect(),
                });
            }
        }
        let is_text = |target: &Target| matches!(target, Target::Text(_));
        let mut targets = wanted.iter().flat_map(|column| &column.targets);
        if !targets.any(is_text) {
            let fault = no_text_column(&values.fields().keys.text, &names);
            return Err(Entry::Bad(start, fault));
        }
        Ok(CsvHeader {
            num_columns,
            names,
            wanted,
        })
    }
}

impl Entries for CsvEntries {
    fn next(&mut self, values: &mut Values) -> Entry {
        if self.ended {
            return Entry::End;
        }
        if self.header.is_none() {
            match self.read_header(values) {
                Ok(header) => self.header = Some(header),
                Err(entry) => return self.last(entry),
            }
        }
        let Some(header) = &self.header else {
            return Entry::End;
        };
        let start = match self.rows.next(header.num_columns) {
            CsvRow::Fields(start) => start,
            CsvRow::Bad(start, fault) => return Entry::Bad(start, fault),
            CsvRow::Broken(start, fault) => return self.last(Entry::Bad(start, fault)),
            CsvRow::End => return self.last(Entry::End),
        };
        let (found, expected) = (self.rows.num_fields, header.num_columns);
        // Never filled up or cut: in a row of another width a field may have lost its quotes, and the text would
        // come from the wrong column. RFC 4180, section 2, asks for the same number in every line.
        if found != expected {
            let detail = format!("row has {found} fields, the header {expected}");
            return Entry::Bad(start, (BadKind::Format, detail));
        }
        for column in &header.wanted {
            match self.rows.field(column.number) {
                // An empty id would make all records without one equal; an empty text is a text.
                [] => values.put_field(&column.targets_if_empty, b""),
                cell => values.put_field(&column.targets, cell),
            }
        }
        match values.check() {
            Ok(()) => Entry::Record(start),
            Err(fault) => Entry::Bad(start, fault),
        }
    }

    fn span(&self) -> Range<u64> {
        self.rows.start..self.rows.offset
    }
}

/// The fault of a table without the text.
pub(super) fn no_text_column(wanted: &[String], columns: &[String]) -> Fault {
    let named = &columns[..columns.len().min(MAX_NAMES)];
    let more = match columns.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let detail = format!(
        "no column {} among: {}{more}; `text-key` names the column of the text",
        wanted.join(", "),
        named.join(", "),
    );
    (BadKind::MissingText, detail)
}

/// What the next row is, and where it begins.
enum CsvRow {
    /// Its fields can be asked for.
    Fields(u64),
    /// It cannot be used, the next one may.
    Bad(u64, Fault),
    /// Nothing after it can be read.
    Broken(u64, Fault),
    /// No row is left.
    End,
}

/// Cuts bytes into rows and rows into fields.
struct CsvRows {
    /// The unpacked file.
    reader: Box<dyn Read + Send>,
    /// The state machine of `csv-core`. It keeps its state between calls, so a row may be cut
    /// anywhere by the end of `input`.
    parser: Reader,
    /// Room for one read.
    input: Vec<u8>,
    /// The part of `input` that has not been parsed.
    from: usize,
    /// End of what was read.
    to: usize,
    /// Place of `input[from]` in the unpacked file.
    offset: u64,
    /// Place of the row that was read last.
    start: u64,
    /// The fields of the row one after the other, without their quotes.
    row: Vec<u8>,
    /// Where in `row` each field ends.
    ends: Vec<usize>,
    /// Fields of the row, also where their ends were not kept.
    num_fields: usize,
    /// Limit of a row as stored, in bytes.
    max_bytes: u64,
}

impl CsvRows {
    /// A reader at the start of a file. `row` and `ends` begin small and grow with the longest
    /// row.
    fn new(reader: Box<dyn Read + Send>, delimiter: u8, max_bytes: u64) -> Self {
        let mut parser = ReaderBuilder::new();
        parser.delimiter(delimiter).quoting(delimiter != b'\t');
        CsvRows {
            reader,
            parser: parser.build(),
            input: vec![0; INPUT_BYTES],
            from: 0,
            to: 0,
            offset: 0,
            start: 0,
            row: vec![0; 1 << 12],
            ends: vec![0; 64],
            num_fields: 0,
            max_bytes,
        }
    }

    /// The bytes of a field, without its quotes; `number` must be below the number of fields.
    fn field(&self, number: usize) -> &[u8] {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.row[start..self.ends[number]]
    }

    /// Passes over a byte order mark.
    fn begin(&mut self) -> Option<Fault> {
        // A few bytes may come alone, out of a pipe.
        while self.to < 3 {
            match self.reader.read(&mut self.input[self.to..]) {
                Ok(0) => break,
                Ok(read) => self.to += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Some(broken(&error)),
            }
        }
        match &self.input[..self.to] {
            [0xef, 0xbb, 0xbf, ..] => self.pass(3),
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
                let detail = "UTF-16, in which tables are not read; convert it to UTF-8";
                return Some((BadKind::Format, detail.to_owned()));
            }
            _ => {}
        }
        None
    }

    /// Reads on when all has been parsed. Whether there is anything.
    fn fill(&mut self) -> std::io::Result<bool> {
        while self.from == self.to {
            match self.reader.read(&mut self.input) {
                Ok(0) => return Ok(false),
                Ok(read) => (self.from, self.to) = (0, read),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    /// Notes that so many bytes have been parsed.
    fn pass(&mut self, bytes: usize) {
        self.from += bytes;
        self.offset += bytes as u64;
    }

    /// Passes over line ends, and so over empty lines. Whether a row follows.
    fn skip_line_ends(&mut self) -> std::io::Result<bool> {
        // The parser skips empty lines too, but then the place of a row would be that of the empty
        // lines before it.
        while self.fill()? {
            let rest = &self.input[self.from..self.to];
            match rest.iter().position(|&byte| byte != b'\n' && byte != b'\r') {
                Some(at) => {
                    self.pass(at);
                    return Ok(true);
                }
                None => self.pass(rest.len()),
            }
        }
        Ok(false)
    }

    /// The next row. Of more than `max_fields` fields only the number is reported.
    fn next(&mut self, max_fields: usize) -> CsvRow {
        match self.skip_line_ends() {
            // The start is known only now, after the line ends.
            Ok(true) => {}
            Ok(false) => return CsvRow::End,
            Err(error) => {
                self.start = self.offset;
                return CsvRow::Broken(self.offset, broken(&error));
            }
        }
        let start = self.offset;
        self.start = start;
        let (mut written, mut num_ends, mut dropped_ends) = (0, 0, 0);
        let mut too_long = false;
        loop {
            let more = match self.fill() {
                Ok(more) => more,
                Err(error) => return CsvRow::Broken(start, broken(&error)),
            };
            // A line feed closes the last row, unless it is within quotes.
            let input = if more {
                &self.input[self.from..self.to]
            } else {
                b"\n"
            };
            let (result, read, bytes, ends) = self.parser.read_record(
                input,
                &mut self.row[written..],
                &mut self.ends[num_ends..],
            );
            if !more && result != ReadRecordResult::Record {
                let detail = format!(
                    "a quote is never closed: {} bytes to the end of the file are lost",
                    self.offset - start
                );
                return CsvRow::Broken(start, (BadKind::Format, detail));
            }
            // The byte that ends a row is no part of it.
            let end = u64::from(more && result == ReadRecordResult::Record);
            if more {
                self.pass(read);
            }
            written += bytes;
            num_ends += ends;
            if result == ReadRecordResult::Record {
                self.num_fields = dropped_ends + num_ends;
                too_long |= self.offset - start - end > self.max_bytes;
                if !too_long {
                    return CsvRow::Fields(start);
                }
                let detail = format!(
                    "longer than {} bytes; `max-record-bytes` raises the limit",
                    self.max_bytes
                );
                return CsvRow::Bad(start, (BadKind::TooLong, detail));
            }
            // Still within the row. A row over the limit is parsed on to its end, since only
            // the parser knows where it ends.
            too_long |= self.offset - start > self.max_bytes;
            if too_long {
                // Nobody will ask for the fields: the buffers are written over.
                (written, num_ends, dropped_ends) = (0, 0, 0);
                continue;
            }
            // The parser stopped because its room was full; it goes on where it was.
            if written == self.row.len() {
                self.row.resize(2 * written, 0);
            }
            if num_ends == self.ends.len() {
                // A row with far more fields than the header is bad already: its ends are only
                // counted.
                if num_ends <= max_fields {
                    self.ends.resize(2 * num_ends, 0);
                } else {
                    dropped_ends += num_ends;
                    num_ends = 0;
                }
            }
        }
    }
}

/// The fault of a stream that broke. Nothing after it can be unpacked.
fn broken(error: &std::io::Error) -> Fault {
    let detail = format!("{error}; the rest of the file is lost");
    (BadKind::Compression, detail)
}

#[cfg(test)]
mod tests;
