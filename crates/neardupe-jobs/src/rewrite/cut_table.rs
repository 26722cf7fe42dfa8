//! CSV and TSV: stretches are taken out of one cell of a row, and everything else is kept,
//! byte for byte.
//!
//! The cell is found by the same rules as the reader has (quotes, doubled quotes, no quoting in
//! TSV); a property test compares both. Its content must hash to the text that was compared, or
//! the row is refused: a cell in another encoding has other offsets. A cell that was quoted is
//! quoted again, also where the rest would not need it.

use super::cuts::cut_bytes;
use super::table::quote;
use std::ops::Range;

/// A cell of a row.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CellAt {
    /// Where it is written, with its quotes.
    pub(super) place: Range<usize>,
    /// What it says.
    pub(super) content: Vec<u8>,
}

/// The cell of a column; None when the row is shorter.
pub(super) fn cell_at(row: &[u8], delimiter: u8, column: usize) -> Option<CellAt> {
    let quoting = delimiter != b'\t';
    let mut at = 0;
    for number in 0.. {
        let start = at;
        let mut content = Vec::new();
        let mut quoted = quoting && row.get(at) == Some(&b'"');
        at += usize::from(quoted);
        while let Some(&byte) = row.get(at) {
            match byte {
                b'"' if quoted && row.get(at + 1) == Some(&b'"') => {
                    content.push(byte);
                    at += 1;
                }
                b'"' if quoted => quoted = false,
                _ if quoted => content.push(byte),
                b'\r' | b'\n' => break,
                byte if byte == delimiter => break,
                byte => content.push(byte),
            }
            at += 1;
        }
        if number == column {
            return Some(CellAt {
                place: start..at,
                content,
            });
        }
        if row.get(at) != Some(&delimiter) {
            return None;
        }
        at += 1;
    }
    None
}

/// Appends the row without some stretches of a cell.
pub(super) fn cut(
    row: &[u8],
    delimiter: u8,
    cell: &CellAt,
    gone: &[Range<u32>],
    out: &mut Vec<u8>,
) {
    out.extend_from_slice(&row[..cell.place.start]);
    let mut left = Vec::with_capacity(cell.content.len());
    cut_bytes(&cell.content, gone, &mut left);
    let was_quoted = delimiter != b'\t' && row.get(cell.place.start) == Some(&b'"');
    // What was a text without stretches is one.
    let text = String::from_utf8_lossy(&left);
    match (was_quoted, delimiter) {
        (true, _) => {
            out.push(b'"');
            out.extend_from_slice(text.replace('"', "\"\"").as_bytes());
            out.push(b'"');
        }
        (false, b'\t') => out.extend_from_slice(&left),
        (false, _) => quote(&text, out),
    }
    out.extend_from_slice(&row[cell.place.end..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cut_row(row: &str, delimiter: u8, column: usize, gone: Range<u32>) -> String {
        let cell = cell_at(row.as_bytes(), delimiter, column).unwrap();
        let mut out = Vec::new();
        let gone = std::slice::from_ref(&gone);
        cut(row.as_bytes(), delimiter, &cell, gone, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn only_the_cell_changes() {
        assert_eq!(
            cut_row("a,b c d,\"e\"\r\n", b',', 1, 0..2),
            "a,c d,\"e\"\r\n"
        );
        assert_eq!(
            cut_row("a,\"say \"\"x\"\",\r\nok\",e\n", b',', 1, 0..4),
            "a,\"\"\"x\"\",\r\nok\",e\n"
        );
        // A quote that comes to the beginning must be quoted.
        assert_eq!(cut_row("x \"y\",b", b',', 0, 0..2), "\"\"\"y\"\"\",b");
        assert_eq!(cut_row("a\t\"b c\td\n", b'\t', 1, 0..1), "a\tb c\td\n");
        assert_eq!(cell_at(b"a,b\n", b',', 2), None);
        assert_eq!(cell_at(b"a,\n", b',', 1).unwrap().content, b"");
    }

    proptest! {
        /// As the reader of tables reads them.
        #[test]
        fn cells_are_found_as_they_are_read(row in "[a\", \u{e9}\n]{0,24}") {
            let mut parser = csv_core::ReaderBuilder::new().build();
            let (mut out, mut ends) = ([0; 64], [0; 32]);
            let mut text = row.trim_matches('\n').as_bytes();
            prop_assume!(!text.is_empty());
            let whole = text;
            let (mut len, mut num) = (0, 0);
            loop {
                let (result, read, written, fields) =
                    parser.read_record(text, &mut out[len..], &mut ends[num..]);
                text = &text[read..];
                (len, num) = (len + written, num + fields);
                if matches!(
                    result,
                    csv_core::ReadRecordResult::Record | csv_core::ReadRecordResult::End
                ) {
                    break;
                }
            }
            let mut start = 0;
            for (number, &end) in ends[..num].iter().enumerate() {
                let cell = cell_at(whole, b',', number).unwrap();
                prop_assert_eq!(&cell.content[..], &out[start..end]);
                start = end;
            }
            prop_assert!(cell_at(whole, b',', num).is_none());
        }
    }
}
