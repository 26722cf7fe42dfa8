//! Rows of XML after `docs/result.xsd`: one element a row, below one root.
//!
//! The file is read as a stream with the row at hand in memory. Comments and processing
//! instructions are passed over; an entity that is not one of the five of XML is an error.

use super::reader::{RowReader, damaged};
use crate::tables::raw::{KnownColumn, known, typed};
use crate::tables::{ColumnDeclaration, ColumnKind, RawRow, Value};
use neardupe_core::error::{Error, Result};
use quick_xml::XmlVersion;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::reader::Reader;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// The meaning that this program knows; `output/xml.rs` writes it.
const NAMESPACE: &str = "urn:neardupe:result:1";

/// Reads rows of XML.
pub(super) struct Xml {
    /// The file, which every error names.
    path: PathBuf,
    /// Columns that rows may have.
    columns: &'static [ColumnDeclaration],
    /// Parses the file and counts its lines.
    reader: Reader<NumberedLines>,
    /// What the parser holds of an event, in memory that is used again.
    buffer: Vec<u8>,
    /// The root was read.
    begun: bool,
    /// The end of the root was read.
    done: bool,
}

/// A row while its children are read.
struct Open {
    /// The row so far.
    row: RawRow,
    /// Whether its values have escapes.
    escaped: bool,
    /// Name of the child that is open, and its text so far.
    child: Option<(String, String)>,
}

impl Xml {
    /// Opens a file; its root is looked at with the first row.
    pub(super) fn open(
        path: &Path,
        columns: &'static [ColumnDeclaration],
    ) -> Result<Self> {
        let file = File::open(path).map_err(|error| Error::io(path, error))?;
        let lines = NumberedLines {
            inner: BufReader::with_capacity(1 << 16, file),
            number: 1,
        };
        Ok(Xml {
            path: path.to_path_buf(),
            columns,
            reader: Reader::from_reader(lines),
            buffer: Vec::new(),
            begun: false,
            done: false,
        })
    }

    /// The next row; None at the end of the root. A file that ends before that is cut off.
    fn read(&mut self) -> Result<Option<RawRow>, String> {
        let mut open: Option<Open> = None;
        loop {
            self.buffer.clear();
            let event = self.reader.read_event_into(&mut self.buffer);
            match event.map_err(|error| error.to_string())? {
                // The first element is the root. Its namespace says which meaning the elements
                // have.
                Event::Start(start) if !self.begun => {
                    let (attributes, _) = attributes(&start)?;
                    let ours = |(name, value): &(String, String)| {
                        name == "xmlns" && value == NAMESPACE
                    };
                    if !attributes.iter().any(ours) {
                        return Err(format!("the root is not of {NAMESPACE}"));
                    }
                    self.begun = true;
                }
                Event::Start(start) => match &mut open {
                    None => open = Some(begin(self.columns, &start)?),
                    Some(row) if row.child.is_none() => {
                        let (attributes, _) = attributes(&start)?;
                        let name =
                            attributes.into_iter().find(|(name, _)| name == "name");
                        let name = match name {
                            Some((_, name)) => plain(&name, row.escaped)?,
                            None => start.name().0.to_owned(),
                        };
                        row.child = Some((name, String::new()));
                    }
                    Some(_) => return Err("an element within a value".to_owned()),
                },
                Event::Empty(start) => match &mut open {
                    None if self.begun => {
                        return Ok(Some(begin(self.columns, &start)?.row));
                    }
                    // An empty member.
                    Some(row) if row.child.is_none() => {
                        let name = start.name().0.to_owned();
                        row.child = Some((name, String::new()));
                        end_child(self.columns, row)?;
                    }
                    _ => return Err("an element in a wrong place".to_owned()),
                },
                Event::Text(text) => {
                    if let Some(Open {
                        child: Some((_, value)),
                        ..
                    }) = &mut open
                    {
                        *value += &text.xml10_content();
                    }
                }
                Event::GeneralRef(reference) => {
                    if let Some(Open {
                        child: Some((_, value)),
                        ..
                    }) = &mut open
                    {
                        value.push(referred(&reference)?);
                    }
                }
                // The end of a value, of a row, or of the root, by what is open.
                Event::End(_) => match open.take() {
                    None => {
                        self.done = true;
                        return Ok(None);
                    }
                    Some(mut row) if row.child.is_some() => {
                        end_child(self.columns, &mut row)?;
                        open = Some(row);
                    }
                    Some(row) => return Ok(Some(row.row)),
                },
                Event::Eof => return Err("the file ends before its last row".to_owned()),
                _ => {}
            }
        }
    }
}

impl RowReader for Xml {
    fn next_row(&mut self) -> Result<Option<RawRow>> {
        if self.done {
            return Ok(None);
        }
        let row = self.read();
        row.map_err(|what| damaged(&self.path, &self.place(), what))
    }

    fn place(&self) -> String {
        format!("line {}", self.reader.get_ref().number)
    }
}

/// Begins a row with the values of its attributes.
fn begin(columns: &[ColumnDeclaration], start: &BytesStart<'_>) -> Result<Open, String> {
    let (attributes, escaped) = attributes(start)?;
    let mut open = Open {
        row: RawRow::new(columns),
        escaped,
        child: None,
    };
    for (name, text) in attributes {
        put(columns, &mut open.row, &name, plain(&text, escaped)?)?;
    }
    // A list without items has no children.
    for (column, value) in columns.iter().zip(&mut open.row.values) {
        if matches!(column.kind, ColumnKind::List(_)) && value.is_none() {
            *value = Some(Value::List(Vec::new()));
        }
    }
    Ok(open)
}

/// Ends a child: an item of a list, or a metadata value by its name.
fn end_child(columns: &[ColumnDeclaration], open: &mut Open) -> Result<(), String> {
    let Some((name, text)) = open.child.take() else {
        return Ok(());
    };
    let text = plain(&text, open.escaped)?;
    let lists = columns.iter().zip(&mut open.row.values);
    for (column, value) in lists {
        if matches!(column.kind, ColumnKind::List(item) if item == name)
            && let Some(Value::List(items)) = value
        {
            items.push(text);
            return Ok(());
        }
    }
    put(columns, &mut open.row, &name, text)
}

/// Puts a value by the name of its column.
fn put(
    columns: &[ColumnDeclaration],
    row: &mut RawRow,
    name: &str,
    text: String,
) -> Result<(), String> {
    match known(columns, name) {
        KnownColumn::Declared(at, kind) => {
            let value = typed(kind, text).map_err(|what| format!("{name}: {what}"))?;
            row.values[at] = Some(value);
        }
        KnownColumn::Metadata(field) => row.metadata.push((field.to_owned(), Some(text))),
        KnownColumn::Other => {}
    }
    Ok(())
}

/// The attributes of an element, and whether it says that its values are escaped.
fn attributes(start: &BytesStart<'_>) -> Result<(Vec<(String, String)>, bool), String> {
    let mut texts = Vec::new();
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|error| error.to_string())?;
        let value = attribute.normalized_value(XmlVersion::Explicit1_0);
        let value = value.map_err(|error| error.to_string())?.into_owned();
        texts.push((attribute.key.0.to_owned(), value));
    }
    let escaped = texts
        .iter()
        .any(|(name, value)| name == "escaped" && value == "true");
    Ok((texts, escaped))
}

/// The character of a reference. Only those of XML itself are known: nothing can expand without
/// end.
fn referred(reference: &BytesRef<'_>) -> Result<char, String> {
    let ch = reference.resolve_char_ref();
    if let Some(ch) = ch.map_err(|error| error.to_string())? {
        return Ok(ch);
    }
    match &*reference.xml10_content() {
        "amp" => Ok('&'),
        "lt" => Ok('<'),
        "gt" => Ok('>'),
        "quot" => Ok('"'),
        "apos" => Ok('\''),
        other => Err(format!("&{other}; is not known")),
    }
}

/// A value without the escapes of a row that has them.
fn plain(text: &str, escaped: bool) -> Result<String, String> {
    if !escaped || !text.contains('\\') {
        return Ok(text.to_owned());
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        plain += before;
        if let Some(after) = after.strip_prefix('\\') {
            plain.push('\\');
            rest = after;
            continue;
        }
        let digits = after.strip_prefix('u').and_then(|after| after.get(..4));
        let number = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let Some(ch) = number.and_then(char::from_u32) else {
            return Err(format!("a backslash that escapes nothing in {text:?}"));
        };
        plain.push(ch);
        rest = &after[5..];
    }
    Ok(plain + rest)
}

/// Counts lines as they are read.
struct NumberedLines {
    /// The file.
    inner: BufReader<File>,
    /// Line of what is read next, from 1.
    number: u64,
}

impl Read for NumberedLines {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(out)?;
        self.number += memchr::memchr_iter(b'\n', &out[..read]).count() as u64;
        Ok(read)
    }
}

impl BufRead for NumberedLines {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        // Only what was given up counts: a parser may look at the same bytes again.
        let passed = self.inner.buffer().get(..amount).unwrap_or_default();
        self.number += memchr::memchr_iter(b'\n', passed).count() as u64;
        self.inner.consume(amount);
    }
}
