//! Records that cannot become documents: each is recorded with its line number, byte offset
//! and kind, and its neighbours are read.

use super::{Folder, line};

/// Puts a line between two good ones; number of documents and kinds of the bad records.
fn between_good_lines(record: &[u8]) -> (usize, Vec<String>) {
    let before = line("before", "the line before").replacen('{', "{\"url\":\"u\",", 1);
    let mut content = before.clone().into_bytes();
    content.extend_from_slice(record);
    content.push(b'\n');
    content.extend_from_slice(line("after", "the line after").as_bytes());
    let found =
        Folder::with("docs.jsonl", &content).find(&["docs.jsonl", "--meta-key", "url"]);
    for (path, number, offset, _) in found.places() {
        assert_eq!(
            (path, number, offset),
            ("docs.jsonl", 2, before.len() as u64)
        );
    }
    (
        found.documents(),
        found.bad.into_iter().map(|bad| bad.kind).collect(),
    )
}

#[test]
fn every_kind_of_bad_record_is_told_apart_and_placed() {
    let cases: [(&[u8], &str); 17] = [
        (b"{\"id\": \"x\", \"text\": \"cut off", "json"),
        (b"{\"id\": \"x\", \"text\": \"a\",}", "json"),
        (b"{'id': 'x', 'text': 'a'}", "json"),
        (b"{\"id\": \"x\"} {\"text\": \"a\"}", "json"),
        (b"plain words", "json"),
        (b"[\"text\"]", "json"),
        (b"\"text\"", "json"),
        (b"null", "json"),
        (b"{\"text\": \"a raw \x01 control character\"}", "json"),
        (b"{\"id\": \"x\"}", "missing-text"),
        (b"{\"Text\": \"a\"}", "missing-text"),
        (b"{\"text\": null}", "missing-text"),
        (b"{\"text\": 17}", "missing-text"),
        (b"{\"text\": [\"a\"]}", "missing-text"),
        (b"{\"text\": {\"en\": \"a\"}}", "missing-text"),
        (b"{\"id\": {}, \"text\": \"a\"}", "bad-field"),
        (b"{\"text\": \"caf\xe9\"}", "invalid-utf8"),
    ];
    for (record, kind) in cases {
        let shown = String::from_utf8_lossy(record);
        assert_eq!(
            between_good_lines(record),
            (2, vec![kind.to_owned()]),
            "{shown}"
        );
    }
}

#[test]
fn lone_surrogates_and_paired_ones_are_text() {
    for lone in [
        r"\ud83d",
        r"\ude00",
        r"\ud83d x",
        r"\ud83d\n",
        r"\ud83d\ud83d",
        r"\ude00\ud83d",
    ] {
        let record = format!(r#"{{"text": "a {lone}"}}"#);
        assert_eq!(between_good_lines(record.as_bytes()), (3, vec![]), "{lone}");
    }
    let (documents, bad) = between_good_lines(br#"{"text": "a \ud83d\ude00 b"}"#);
    assert_eq!((documents, bad.len()), (3, 0));
}

#[test]
fn json_nested_ten_thousand_levels_deep_ends_nothing() {
    const LEVELS: usize = 10_000;
    let arrays = "[".repeat(LEVELS) + &"]".repeat(LEVELS);
    let objects = "{\"a\":".repeat(LEVELS) + "1" + &"}".repeat(LEVELS);
    for (record, kind) in [
        (arrays.clone(), "json"),
        ("[".repeat(LEVELS), "json"),
        ("{\"a\":".repeat(LEVELS), "json"),
        (format!("{{\"text\":{arrays}}}"), "missing-text"),
        (format!("{{\"text\":{objects}}}"), "missing-text"),
        (format!("{{\"text\":{}", "[".repeat(LEVELS)), "json"),
        (format!("{{\"id\":{objects},\"text\":\"a\"}}"), "bad-field"),
        (objects.clone(), "missing-text"),
    ] {
        let start = &record[..record.len().min(30)];
        let found = between_good_lines(record.as_bytes());
        assert_eq!(found, (2, vec![kind.to_owned()]), "{start}...");
    }
    // Where nobody looks, any depth is as good as none.
    for nested in [arrays, objects] {
        let record = format!("{{\"other\":{nested},\"text\":\"a\"}}");
        assert_eq!(between_good_lines(record.as_bytes()), (3, vec![]));
    }
}

#[test]
fn a_wanted_key_below_many_levels_of_its_own_name_is_no_crash() {
    let key = ["a"; 200].join(".");
    let nested =
        |levels: usize| "{\"a\":".repeat(levels) + "\"deep\"" + &"}".repeat(levels);
    let content = nested(200) + "\n" + &nested(10_000) + "\n" + &nested(3) + "\n";
    let found =
        Folder::with("docs.jsonl", content).find(&["docs.jsonl", "--text-key", &key]);
    // How deep a wanted field may lie is a limit of the reader: deeper is bad, not fatal.
    assert_eq!(found.documents() + found.bad.len(), 3);
    assert_eq!(found.bad.last().unwrap().kind, "missing-text");
}

#[test]
fn text_files_are_read_in_their_character_set() {
    let text = "L’été, la forêt était très éloignée de là où nous étions déjà.";
    let folder = Folder::with("utf8.txt", text);
    let latin = text.chars().map(|ch| match ch {
        '’' => 0x92,
        ch => u8::try_from(u32::from(ch)).unwrap(),
    });
    folder.write("latin.txt", latin.collect::<Vec<u8>>());
    for (name, order) in [
        ("big.txt", u16::to_be_bytes as fn(u16) -> [u8; 2]),
        ("little.txt", u16::to_le_bytes),
    ] {
        folder.write(
            name,
            text.encode_utf16().flat_map(order).collect::<Vec<u8>>(),
        );
    }
    let found = folder.find(&["."]);
    assert_eq!((found.documents(), found.bad.len()), (4, 0));
    assert_eq!(found.duplicates.matches("equal-text").count(), 3);
}

#[test]
fn a_file_of_nothing_but_bad_records_is_no_crash() {
    let content = "oops\n".repeat(1000);
    let found = Folder::with("docs.jsonl", content).find(&["docs.jsonl"]);
    assert_eq!((found.documents(), found.bad.len()), (0, 1000));
    assert_eq!(found.places()[999], ("docs.jsonl", 1000, 4995, "json"));
    assert_eq!(found.tables(), ["", "", ""]);
}
