use super::*;
use crate::source::jsonl;
use crate::source::testing::{self, Read as Seen, documents, read_all};
use proptest::prelude::*;
use std::io::{self, Cursor};
use std::sync::Arc;

const MAX: u64 = 1 << 20;

fn entries(bytes: &[u8], delimiter: u8, max: u64) -> CsvEntries {
    CsvEntries::new(Box::new(Cursor::new(bytes.to_vec())), delimiter, max)
}

/// All entries of a table with an id, a text and a field `url`.
fn read(bytes: &[u8]) -> Vec<Seen> {
    let mut values = testing::values(&["text"], &["url"]);
    read_all(&mut entries(bytes, b',', MAX), &mut values)
}

fn texts(all: &[Seen]) -> Vec<(u64, Option<&str>, &str)> {
    let documents = documents(all).into_iter();
    documents
        .map(|document| {
            let text = document.texts[0].as_deref().unwrap();
            (document.offset, document.id.as_deref(), text)
        })
        .collect()
}

fn bad(all: &[Seen]) -> Vec<(u64, BadKind, &str)> {
    let mut found = Vec::new();
    for read in all {
        if let Seen::Bad(offset, (kind, detail)) = read {
            found.push((*offset, *kind, detail.as_str()));
        }
    }
    found
}

#[test]
fn rows_are_cut_and_quotes_taken_off() {
    let all = read(
        b"\xef\xbb\xbfid,url,text\r\n1,u,plain\r\n\r\n2,,\"a, \"\"b\"\"\nc\"\n,x,\n4,,last",
    );
    assert_eq!(
        texts(&all),
        [
            (16, Some("1"), "plain"),
            (29, Some("2"), "a, \"b\"\nc"),
            (45, None, ""),
            (49, Some("4"), "last"),
        ]
    );
    assert_eq!(all.len(), 4);
    assert_eq!(documents(&all)[1].metadata, [Some(String::new())]);
}

#[test]
fn rows_of_another_width_are_bad_and_the_next_is_read() {
    let all = read(b"id,text\n1\n2,b\n3,c,d,e\n4,d\n");
    assert_eq!(texts(&all), [(10, Some("2"), "b"), (22, Some("4"), "d")]);
    assert_eq!(
        bad(&all),
        [
            (8, BadKind::Format, "row has 1 fields, the header 2"),
            (14, BadKind::Format, "row has 4 fields, the header 2"),
        ]
    );
    let wide = format!("id,text\n{}\n1,a\n", ",".repeat(1000));
    let all = read(wide.as_bytes());
    assert_eq!(bad(&all)[0].2, "row has 1001 fields, the header 2");
    assert_eq!(texts(&all).len(), 1);
}

#[test]
fn a_table_without_the_text_is_one_fault() {
    let all = read(b"id,body,x\n1,a,b\n2,c,d\n");
    let detail =
        "no column text among: id, body, x; `text-key` names the column of the text";
    assert_eq!(bad(&all), [(0, BadKind::MissingText, detail)]);
    assert_eq!(all.len(), 1);
    assert!(read(b"").is_empty());
    assert!(read(b"\n\n").is_empty());
    assert!(read(b"id,text\n").is_empty());
    assert_eq!(bad(&read(b"\xff\xfei\0d\0"))[0].1, BadKind::Format);
}

#[test]
fn tabs_part_without_quotes() {
    let table = b"id\ttext\n1\t\"a\n2\tb\\tc\"\n";
    let mut values = testing::values(&["text"], &[]);
    let all = read_all(&mut entries(table, b'\t', MAX), &mut values);
    assert_eq!(
        texts(&all),
        [(8, Some("1"), "\"a"), (13, Some("2"), "b\\tc\"")]
    );
}

#[test]
fn too_long_a_row_passes_by() {
    let long = "x".repeat(300_000);
    let table = format!("id,text\n1,a\n2,\"{long}\n\"\n3,{}\n4,b\n", "y".repeat(18));
    let mut values = testing::values(&["text"], &[]);
    let mut entries = entries(table.as_bytes(), b',', 20);
    let all = read_all(&mut entries, &mut values);
    let detail = "longer than 20 bytes; `max-record-bytes` raises the limit";
    assert_eq!(bad(&all), [(12, BadKind::TooLong, detail)]);
    let ids: Vec<_> = texts(&all).iter().map(|row| row.1.unwrap()).collect();
    assert_eq!(ids, ["1", "3", "4"]);
    assert!(entries.rows.row.len() < 1 << 18, "the row was not kept");
}

#[test]
fn an_open_quote_ends_the_table_with_one_fault() {
    for max in [MAX, 100] {
        let mut table = b"id,text\n1,a\n2,\"b\n".to_vec();
        table.extend_from_slice(&b"3,c\n".repeat(1000));
        let mut values = testing::values(&["text"], &[]);
        let all = read_all(&mut entries(&table, b',', max), &mut values);
        assert_eq!(texts(&all), [(8, Some("1"), "a")]);
        let detail =
            "a quote is never closed: 4005 bytes to the end of the file are lost";
        assert_eq!(bad(&all), [(12, BadKind::Format, detail)]);
    }
    assert_eq!(texts(&read(b"id,text\n1,\"a\"")), [(8, Some("1"), "a")]);
}

#[test]
fn cells_that_are_not_utf8_are_told_by_their_bytes() {
    let text = "中华人民共和国公民在法律面前一律平等,国家尊重和保障人权。";
    let chinese = encoding_rs::GBK.encode(text).0;
    let table = [b"id,text\n1,\"", &chinese[..], b"\"\n2,b\n"].concat();
    let mut values = testing::values(&["text"], &[]);
    let mut entries = entries(&table, b',', MAX);
    assert_eq!(entries.next(&mut values), Entry::Record(8));
    assert_eq!(values.texts[0].value, text);
    assert_eq!(values.remarks.charset, Some(encoding_rs::GBK));
}

/// Gives some bytes, then fails.
struct Failing(Cursor<Vec<u8>>);

impl Read for Failing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // One byte at a time, as the worst of pipes.
        match self.0.read(&mut buffer[..1])? {
            0 => Err(io::Error::other("damaged")),
            read => Ok(read),
        }
    }
}

#[test]
fn a_stream_that_breaks_off_ends_with_a_fault() {
    let reader = Failing(Cursor::new(b"\xef\xbb\xbfid,text\n1,a\n2,b".to_vec()));
    let mut values = testing::values(&["text"], &[]);
    let mut entries = CsvEntries::new(Box::new(reader), b',', MAX);
    let all = read_all(&mut entries, &mut values);
    assert_eq!(texts(&all), [(11, Some("1"), "a")]);
    let detail = "damaged; the rest of the file is lost";
    assert_eq!(bad(&all), [(15, BadKind::Compression, detail)]);
}

fn quoted(cell: &str) -> String {
    format!("\"{}\"", cell.replace('"', "\"\""))
}

proptest! {
    /// A table reads as JSON lines of the same rows, however it is cut on its way.
    #[test]
    fn a_table_reads_as_json_lines_do(
        rows in prop::collection::vec(("[a-z]{1,3}", "(?s).{0,40}", "[,\"\r\nx]{0,6}"), 0..8),
        piece in 1..50usize,
        crlf in any::<bool>(),
    ) {
        let end = if crlf { "\r\n" } else { "\n" };
        let mut table = format!("text,id,other,url{end}");
        let mut offsets = Vec::new();
        for (id, text, url) in &rows {
            offsets.push(table.len() as u64);
            let cells = [quoted(text), id.clone(), "-".to_owned(), quoted(url)];
            table += &cells.join(",");
            table += end;
        }
        let mut values = testing::values(&["text"], &["url"]);
        let pieces = Pieces(Cursor::new(table.into_bytes()), piece);
        let mut entries = CsvEntries::new(Box::new(pieces), b',', MAX);
        let mut json = testing::values(&["text"], &["url"]);
        let fields = Arc::clone(json.fields());
        for ((id, text, url), offset) in rows.iter().zip(offsets) {
            values.clear();
            prop_assert_eq!(entries.next(&mut values), Entry::Record(offset));
            let line = serde_json::json!({"id": id, "text": text, "url": url});
            jsonl::read_line(line.to_string().as_bytes(), &fields, &mut json).unwrap();
            prop_assert_eq!(&values.id, &json.id);
            prop_assert_eq!(&values.texts[0].value, &json.texts[0].value);
            prop_assert_eq!(&values.metadata, &json.metadata);
        }
        prop_assert_eq!(entries.next(&mut values), Entry::End);
    }

    /// Any bytes come to an end, with offsets that grow.
    #[test]
    fn any_bytes_come_to_an_end(
        bytes in prop::collection::vec(prop::sample::select(&b"a,\"\r\n\tb\xff"[..]), 0..200),
        tab in any::<bool>(),
        max in 1..40u64,
    ) {
        let table = [&b"id,text\n"[..], &bytes].concat();
        let table = if tab { [&b"id\ttext\n"[..], &bytes].concat() } else { table };
        let delimiter = if tab { b'\t' } else { b',' };
        let mut values = testing::values(&["text"], &[]);
        let all = read_all(&mut entries(&table, delimiter, max), &mut values);
        let offsets = all.iter().map(|read| match read {
            Seen::Document(document) => document.offset,
            Seen::Bad(offset, _) => *offset,
            Seen::Skipped => 0,
        });
        let offsets: Vec<u64> = offsets.collect();
        prop_assert!(offsets.is_sorted_by(|left, right| left < right));
    }
}

/// Gives a few bytes at a time.
struct Pieces(Cursor<Vec<u8>>, usize);

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = buffer.len().min(self.1);
        self.0.read(&mut buffer[..bytes])
    }
}
