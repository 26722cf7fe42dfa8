//! XML after the schema `docs/result.xsd`: one root a file, one element and one line a row.
//!
//! Texts, numbers and ratios are attributes; an optional number that is not there is left out.
//! An optional text is a child
//! `<field name="...">`, since its name is free; it is left out when there is none. The
//! items of a list are children with the name of one item.
//!
//! XML 1.0 cannot hold most control characters, U+FFFE and U+FFFF, not even as character
//! references. A row with one of them has `escaped="true"`: in all its values `\uXXXX`
//! (four hexadecimal digits) stands for such a character and `\\` for a backslash. In
//! every other row a backslash is a backslash, so only those who meet such rows need to
//! know.

use super::row::{RowFormat, RowOut};
use crate::tables::{Cell, Column, ColumnKind, Schema};
use std::io::{self, Write};
use std::sync::Arc;

/// Names the meaning of the elements; another meaning would get another number.
const NAMESPACE: &str = "urn:neardupe:result:1";

/// Writes rows of XML.
pub(super) struct Xml {
    /// Names of the table, the rows and the columns.
    schema: Arc<Schema>,
}

impl Xml {
    /// A format for tables of this schema.
    pub(super) fn new(schema: Arc<Schema>) -> Self {
        Xml { schema }
    }
}

/// Writes a cell as an attribute; an absent number is left out.
fn attribute(
    out: &mut RowOut<'_>,
    column: &Column,
    cell: &Cell<'_>,
    escaped: bool,
) -> io::Result<()> {
    if matches!(
        cell,
        Cell::MaybeNumber(None) | Cell::MaybeRatio(None) | Cell::MaybeDecimal(None, _)
    ) {
        return Ok(());
    }
    write!(out, " {}=\"", column.name)?;
    match cell {
        Cell::Text(text) => write_text(out, text, escaped)?,
        Cell::Number(number) => write!(out, "{number}")?,
        Cell::Ratio(ratio) => write!(out, "{ratio}")?,
        Cell::MaybeNumber(_)
        | Cell::Integer(_)
        | Cell::MaybeRatio(_)
        | Cell::Decimal(..)
        | Cell::MaybeDecimal(..) => {
            let number = cell.number().unwrap_or_default();
            out.write_all(number.as_bytes())?;
        }
        Cell::Maybe(_) | Cell::List(_) => {}
    }
    out.write_all(b"\"")
}

/// Writes a cell as children: a metadata value, or the items of a list. An absent value has
/// none.
fn children(
    out: &mut RowOut<'_>,
    column: &Column,
    cell: &Cell<'_>,
    escaped: bool,
) -> io::Result<()> {
    match (cell, column.kind) {
        (Cell::Maybe(Some(text)), _) => {
            out.write_all(b"<field name=\"")?;
            write_text(out, &column.name, escaped)?;
            out.write_all(b"\">")?;
            write_text(out, text, escaped)?;
            out.write_all(b"</field>")
        }
        (Cell::List(items), ColumnKind::List(item)) => items.each(|text| {
            write!(out, "<{item}>")?;
            write_text(out, text, escaped)?;
            write!(out, "</{item}>")
        }),
        _ => Ok(()),
    }
}

impl RowFormat for Xml {
    fn begin(&self, out: &mut Vec<u8>) -> io::Result<()> {
        writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
        writeln!(out, "<{} xmlns=\"{NAMESPACE}\">", self.schema.table)
    }

    fn row(&self, cells: &[Cell<'_>], out: &mut RowOut<'_>) -> io::Result<()> {
        let schema = &self.schema;
        let columns = || schema.columns.iter().zip(cells);
        // Decided for the whole row, so that a reader knows it before the first value.
        let escaped = columns().any(|(column, cell)| needs_escape(column, cell));
        write!(out, "<{}", schema.row)?;
        if escaped {
            out.write_all(b" escaped=\"true\"")?;
        }
        let is_child = |cell: &Cell<'_>| matches!(cell, Cell::Maybe(_) | Cell::List(_));
        for (column, cell) in columns().filter(|(_, cell)| !is_child(cell)) {
            attribute(out, column, cell, escaped)?;
        }
        if cells.iter().all(|cell| !is_child(cell)) {
            return out.write_all(b"/>\n");
        }
        out.write_all(b">")?;
        for (column, cell) in columns().filter(|(_, cell)| is_child(cell)) {
            children(out, column, cell, escaped)?;
        }
        writeln!(out, "</{}>", schema.row)
    }

    fn end(&self, out: &mut Vec<u8>) -> io::Result<()> {
        writeln!(out, "</{}>", self.schema.table)
    }
}

/// Whether a value has a character that XML cannot hold. The name of a metadata field is as
/// free as its value.
fn needs_escape(column: &Column, cell: &Cell<'_>) -> bool {
    let holds_unwritable = |text: &str| !is_plain(text) && text.contains(is_unwritable);
    match cell {
        Cell::Text(text) => holds_unwritable(text),
        Cell::Maybe(Some(text)) => {
            holds_unwritable(text) || holds_unwritable(&column.name)
        }
        Cell::List(items) => {
            let mut any = false;
            // What cannot be looked up is an error when it is written.
            let _ = items.each(|text| {
                any |= holds_unwritable(text);
                Ok(())
            });
            any
        }
        Cell::Maybe(None)
        | Cell::Number(_)
        | Cell::MaybeNumber(_)
        | Cell::Integer(_)
        | Cell::Ratio(..)
        | Cell::MaybeRatio(_)
        | Cell::Decimal(..)
        | Cell::MaybeDecimal(..) => false,
    }
}

/// Whether XML 1.0 has no way to write a character (production 2, `Char`). Surrogates are
/// no characters here.
fn is_unwritable(ch: char) -> bool {
    matches!(ch, '\0'..='\x08' | '\x0b' | '\x0c' | '\x0e'..='\x1f' | '\u{fffe}' | '\u{ffff}')
}

/// Whether nothing in a text needs a second look. That holds for most, and going through
/// bytes is cheap: a million pairs took 1.0 s to write, by characters 2.0 s.
fn is_plain(text: &str) -> bool {
    let plain = |byte| {
        matches!(byte, b' '..=b'~') && !matches!(byte, b'&' | b'<' | b'>' | b'"' | b'\\')
    };
    // Without an early end, so that it is done for many bytes at once.
    text.bytes().fold(true, |all, byte| all & plain(byte))
}

/// Whether a reader could take a character for markup or change it: readers turn line ends
/// into line feeds, white space in attributes into spaces, and those of XML 1.1 have more
/// line ends.
fn is_special(ch: char) -> bool {
    let white = matches!(ch, '\t' | '\n' | '\r' | '\u{2028}' | '\x7f'..='\u{9f}');
    white || matches!(ch, '&' | '<' | '>' | '"')
}

/// Writes the content of an element or of an attribute in double quotes.
fn write_text(out: &mut impl Write, text: &str, escaped: bool) -> io::Result<()> {
    if is_plain(text) {
        return out.write_all(text.as_bytes());
    }
    let stops = |ch: char| is_special(ch) || escaped && (ch == '\\' || is_unwritable(ch));
    let mut rest = text;
    while let Some(at) = rest.find(stops) {
        out.write_all(&rest.as_bytes()[..at])?;
        let mut after = rest[at..].chars();
        match after.next() {
            Some('&') => out.write_all(b"&amp;")?,
            Some('<') => out.write_all(b"&lt;")?,
            Some('>') => out.write_all(b"&gt;")?,
            Some('"') => out.write_all(b"&quot;")?,
            Some('\\') => out.write_all(b"\\\\")?,
            Some(ch) if is_unwritable(ch) => write!(out, "\\u{:04X}", u32::from(ch))?,
            Some(ch) => write!(out, "&#{};", u32::from(ch))?,
            None => {}
        }
        rest = after.as_str();
    }
    out.write_all(rest.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str, escaped: bool) -> String {
        let mut out = Vec::new();
        write_text(&mut out, text, escaped).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn markup_and_white_space_become_references() {
        assert_eq!(
            written("a<b>&\"c' ]]>", false),
            "a&lt;b&gt;&amp;&quot;c' ]]&gt;"
        );
        assert_eq!(written("\t\r\n\u{85}é", false), "&#9;&#13;&#10;&#133;é");
    }

    #[test]
    fn a_backslash_is_doubled_only_in_escaped_rows() {
        assert_eq!(written("C:\\u0001", false), "C:\\u0001");
        assert_eq!(
            written("C:\\u0001\u{1}\u{ffff}", true),
            "C:\\\\u0001\\u0001\\uFFFF"
        );
    }
}
