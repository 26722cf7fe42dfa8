//! Rows of values with names: TSV, CSV or JSON lines, with or without a header.
//!
//! Files of labels come from many tools, so the form is detected: the extension decides for CSV and
//! TSV, else a brace at the beginning means JSON lines, and a tab in the first row TSV. A first row of
//! known names, or with a name that was asked for, is a header. Values are kept as text, and
//! whoever asks for a column says what it must be.

use neardupe_core::error::{Error, Result};
use serde_json::{Map, Value};
use std::path::Path;

/// A row: its line and its values by name or by number.
pub(super) struct TableRow {
    /// From 1, for messages. Where a quoted cell has line ends, it is the line on which the
    /// row begins.
    pub(super) line: u64,
    pub(super) cells: Cells,
}

/// Values are text for the one kind, and JSON for the other: a number in JSON need not be
/// parsed again.
pub(super) enum Cells {
    /// By number; the names are those of the header.
    Listed(Vec<String>),
    /// By name.
    Named(Map<String, Value>),
}

/// A file of labels, as rows.
pub(super) struct TableFile {
    /// The header, if there is one.
    pub(super) header: Option<Vec<String>>,
    pub(super) rows: Vec<TableRow>,
}

/// Names of the two ids that are recognized without a parameter.
/// `source` is in two of them, on different sides: a header must have both names.
pub(super) const ID_NAMES: [(&str, &str); 11] = [
    ("left", "right"),
    ("susp", "source"),
    ("id_a", "id_b"),
    ("id_1", "id_2"),
    ("id1", "id2"),
    ("doc1", "doc2"),
    ("doc_1", "doc_2"),
    ("doc_a", "doc_b"),
    ("first", "second"),
    ("source", "target"),
    ("id", "duplicate_of"),
];

/// Other names that a header has.
const HEADER_NAMES: [&str; 4] = ["label", "similarity", "resemblance", "score"];

/// Reads all rows of a file. `asked` are names of columns the user gave.
pub(super) fn read(path: &Path, asked: &[&str]) -> Result<TableFile> {
    let bytes = std::fs::read(path).map_err(|error| Error::io(path, error))?;
    // Spreadsheets write a byte order mark, which would be part of the first name.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    let ending = path.extension().and_then(|ending| ending.to_str());
    // A brace is looked for after white space only; values can be quoted, so a brace cannot
    // begin a table.
    let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    let rows = match ending {
        Some("csv") => separated(path, bytes, b',')?,
        Some("tsv" | "tab") => lines_of_tabs(path, bytes)?,
        // An empty file says that there is no duplicate.
        _ if first.is_none_or(|&first| first == b'{') => return json_lines(path, bytes),
        _ => {
            let line = bytes
                .split(|&byte| byte == b'\n')
                .next()
                .unwrap_or_default();
            if line.contains(&b'\t') {
                lines_of_tabs(path, bytes)?
            } else if line.contains(&b',') {
                separated(path, bytes, b',')?
            } else {
                let message =
                    "neither JSON lines, nor values separated by tabs or commas";
                return Err(Error::input(path.display().to_string(), message));
            }
        }
    };
    Ok(with_header(rows, asked))
}

/// Takes the first row off if it is a header.
fn with_header(mut rows: Vec<TableRow>, asked: &[&str]) -> TableFile {
    // Only the first row is looked at: labels are not searched for a header in the middle.
    let is_header = |row: &TableRow| match &row.cells {
        Cells::Listed(cells) => {
            let has = |name: &str| cells.iter().any(|cell| cell.trim() == name);
            // One of them alone may be an id.
            let both = |(left, right): &(&str, &str)| has(left) && has(right);
            asked.iter().chain(&HEADER_NAMES).any(|name| has(name))
                || ID_NAMES.iter().any(both)
        }
        Cells::Named(_) => false,
    };
    let header = if rows.first().is_some_and(is_header) {
        match rows.remove(0).cells {
            Cells::Listed(cells) => {
                Some(cells.iter().map(|cell| cell.trim().to_owned()).collect())
            }
            Cells::Named(_) => None,
        }
    } else {
        None
    };
    TableFile { header, rows }
}

/// Names the line, since an editor may show such a file without complaint.
fn not_utf8(path: &Path, line: u64) -> Error {
    Error::input(format!("{}:{line}", path.display()), "not UTF-8")
}

/// Tabs part cells, without quoting: ids may have quotes in them, as titles do. Blank lines
/// are skipped.
fn lines_of_tabs(path: &Path, bytes: &[u8]) -> Result<Vec<TableRow>> {
    let mut rows = Vec::new();
    for (line, text) in (1..).zip(bytes.split(|&byte| byte == b'\n')) {
        let text = std::str::from_utf8(text).map_err(|_| not_utf8(path, line))?;
        let text = text.strip_suffix('\r').unwrap_or(text);
        if !text.is_empty() {
            let cells = text.split('\t').map(str::to_owned).collect();
            rows.push(TableRow {
                line,
                cells: Cells::Listed(cells),
            });
        }
    }
    Ok(rows)
}

/// Values with quotes as in RFC 4180. Rows need not have equally many cells here: whoever
/// asks for a column reports what is missing.
fn separated(path: &Path, bytes: &[u8], delimiter: u8) -> Result<Vec<TableRow>> {
    let mut reader = csv_core::ReaderBuilder::new().delimiter(delimiter).build();
    let mut rows = Vec::new();
    let mut rest = bytes;
    // Both buffers grow as needed and are used for all rows.
    let (mut output, mut ends) = (vec![0; 1 << 10], vec![0; 16]);
    let (mut written, mut num_ends) = (0, 0);
    let mut line = 1;
    loop {
        use csv_core::ReadRecordResult as Read;
        let (result, taken, put, fields) =
            reader.read_record(rest, &mut output[written..], &mut ends[num_ends..]);
        rest = &rest[taken..];
        written += put;
        num_ends += fields;
        match result {
            Read::InputEmpty => {}
            Read::OutputFull => output.resize(output.len() * 2, 0),
            Read::OutputEndsFull => ends.resize(ends.len() * 2, 0),
            // `ends` are the ends of the cells in `output`.
            Read::Record => {
                let mut cells = Vec::with_capacity(num_ends);
                let mut from = 0;
                for &end in &ends[..num_ends] {
                    let cell = std::str::from_utf8(&output[from..end]);
                    cells.push(cell.map_err(|_| not_utf8(path, line))?.to_owned());
                    from = end;
                }
                rows.push(TableRow {
                    line,
                    cells: Cells::Listed(cells),
                });
                (written, num_ends) = (0, 0);
                line = reader.line();
            }
            Read::End => return Ok(rows),
        }
    }
}

/// One object per line; anything else is an error with its line. Blank lines are skipped.
fn json_lines(path: &Path, bytes: &[u8]) -> Result<TableFile> {
    let mut rows = Vec::new();
    for (line, text) in (1..).zip(bytes.split(|&byte| byte == b'\n')) {
        if text.trim_ascii().is_empty() {
            continue;
        }
        let cells = serde_json::from_slice(text).map_err(|error| {
            let place = format!("{}:{line}", path.display());
            Error::input(place, format!("not a JSON object: {error}"))
        })?;
        rows.push(TableRow {
            line,
            cells: Cells::Named(cells),
        });
    }
    Ok(TableFile { header: None, rows })
}
