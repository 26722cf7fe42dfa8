//! CSV and TSV: columns are put at the end of rows, before the line end; everything else
//! is kept byte for byte.

use super::added::Value;

/// Appends the row with more cells to `out`.
pub(super) fn add(row: &[u8], delimiter: u8, cells: &[String], out: &mut Vec<u8>) {
    let is_line_end = |byte: &&u8| matches!(byte, b'\r' | b'\n');
    // `\r\n`, `\n` or nothing, at the end of a file.
    let line_end = row.iter().rev().take_while(is_line_end).count();
    let (content, line_end) = row.split_at(row.len() - line_end);
    out.extend_from_slice(content);
    for cell in cells {
        out.push(delimiter);
        // The delimiter decides the form, as in the tables that we write.
        match delimiter {
            b'\t' => escape(cell, out),
            _ => quote(cell, out),
        }
    }
    out.extend_from_slice(line_end);
}

/// A value as the content of a cell; null is an empty one.
pub(super) fn cell(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        Value::Whole(number) => number.to_string(),
        Value::Ratio(ratio) => ratio.clone(),
        Value::Bool(value) => value.to_string(),
        Value::Null => String::new(),
    }
}

/// Quoted where it must be (RFC 4180).
pub(super) fn quote(cell: &str, out: &mut Vec<u8>) {
    // Spaces at the ends would be cut by some readers.
    if !cell.contains([',', '"', '\n', '\r']) && cell.trim().len() == cell.len() {
        out.extend_from_slice(cell.as_bytes());
        return;
    }
    out.push(b'"');
    out.extend_from_slice(cell.replace('"', "\"\"").as_bytes());
    out.push(b'"');
}

/// Nothing is quoted in TSV: what would end the cell is written as in our own tables.
fn escape(cell: &str, out: &mut Vec<u8>) {
    for ch in cell.chars() {
        match ch {
            '\\' => out.extend_from_slice(b"\\\\"),
            '\t' => out.extend_from_slice(b"\\t"),
            '\n' => out.extend_from_slice(b"\\n"),
            '\r' => out.extend_from_slice(b"\\r"),
            other => out.extend_from_slice(other.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn added(row: &str, delimiter: u8, cells: &[&str]) -> String {
        let cells: Vec<String> = cells.iter().map(|&cell| cell.to_owned()).collect();
        let mut out = Vec::new();
        add(row.as_bytes(), delimiter, &cells, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn cells_come_before_the_line_end() {
        assert_eq!(
            added("a,\"b\r\n\"\r\n", b',', &["x", ""]),
            "a,\"b\r\n\",x,\r\n"
        );
        assert_eq!(added("a,", b',', &["x"]), "a,,x");
        assert_eq!(added("a\"b\tc\n", b'\t', &["x"]), "a\"b\tc\tx\n");
    }

    #[test]
    fn what_would_end_a_cell_is_quoted_or_escaped() {
        let cells = ["a,b", "say \"x\"", "1\n2", " s", "#"];
        assert_eq!(
            added("r\n", b',', &cells),
            "r,\"a,b\",\"say \"\"x\"\"\",\"1\n2\",\" s\",#\n"
        );
        assert_eq!(added("r\n", b'\t', &["a\tb", "1\n2"]), "r\ta\\tb\t1\\n2\n");
        assert_eq!(added("r\n", b'\t', &["a\\tb"]), "r\ta\\\\tb\n");
    }
}
