//! Archives as they should be, and as they are: synthetic files, wrong lengths, files cut
//! off, hostile ones.

use super::*;
use crate::source::testing::{self, Document, Read as Got};
use crate::source::values::{Fault, TextKind};
use proptest::prelude::*;
use std::io::{self, Cursor};
use std::time::Instant;

const MAX_BYTES: u64 = 1 << 20;

fn read(bytes: &[u8]) -> Vec<Got> {
    read_limited(bytes, MAX_BYTES)
}

fn read_limited(bytes: &[u8], max_bytes: u64) -> Vec<Got> {
    let reader = Box::new(Cursor::new(bytes.to_vec()));
    let mut entries = WarcEntries::new(reader, max_bytes);
    testing::read_all(
        &mut entries,
        &mut testing::values(&["text"], &["url", "date"]),
    )
}

fn ids(all: &[Got]) -> Vec<&str> {
    let documents = testing::documents(all);
    let ids = documents.into_iter();
    ids.filter_map(|document| document.id.as_deref()).collect()
}

fn bad(all: &[Got]) -> Vec<(u64, &Fault)> {
    let bad = all.iter().filter_map(|got| match got {
        Got::Bad(offset, fault) => Some((*offset, fault)),
        Got::Document(_) | Got::Skipped => None,
    });
    bad.collect()
}

/// A record of plain text; `length` is what its head says.
fn record(id: &str, text: &str, length: &str) -> String {
    format!(
        "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Record-ID: <{id}>\r\n\
         Content-Type: text/plain\r\nContent-Length: {length}\r\n\r\n{text}\r\n\r\n"
    )
}

fn good(id: &str, text: &str) -> String {
    record(id, text, &text.len().to_string())
}

/// As ClueWeb09 has it: version 0.18, line feeds, dates of no calendar.
fn clueweb(number: usize, body: &str) -> String {
    let http = format!(
        "HTTP/1.1 200 OK\nContent-Type: text/html; charset=ISO-8859-1\nDate: Tue, 13 \
         Jan 2009 18:05:10 GMT\nPragma: no-cache\nContent-Length: {}\n\n{body}",
        body.len()
    );
    format!(
        "WARC/0.18\nWARC-Type: response\nWARC-Target-URI: http://00000-nrt-realestate\
         .homepagestartup.com/{number}\nWARC-Warcinfo-ID: 993d3969-9643-4934-b1c6-\
         68d4dbe55b83\nWARC-Date: 2009-03-65T08:43:19-0800\nWARC-Record-ID: <urn:uuid:\
         67f7cabd-146c-41cf-bd01-04f5fa7d5229>\nWARC-TREC-ID: clueweb09-en0000-00-\
         {number:05}\nContent-Type: application/http;msgtype=response\n\
         WARC-Identified-Payload-Type: \nContent-Length: {}\n\n{http}\n\n",
        http.len()
    )
}

const CLUEWEB_INFO: &str = "WARC/0.18\nWARC-Type: warcinfo\nWARC-Date: \
    2009-03-65T08:43:19-0800\nWARC-Record-ID: <urn:uuid:993d3969-9643-4934-b1c6-\
    68d4dbe55b83>\nContent-Type: application/warc-fields\nContent-Length: 54\n\n\
    software: Nutch 1.0-dev (modified for clueweb09)\nfoo: \n\n\n";

#[test]
fn clueweb09_is_read() {
    let pages = ["<p>one\n", "", "<p>three\n\n\n"];
    let mut file = CLUEWEB_INFO.to_owned();
    let mut offsets = Vec::new();
    for (number, page) in pages.iter().enumerate() {
        offsets.push(file.len() as u64);
        file += &clueweb(number, page);
    }
    let all = read(file.as_bytes());
    assert_eq!(all[0], Got::Skipped);
    assert_eq!(all.len(), 4);
    for (number, page) in pages.iter().enumerate() {
        let expected = Document {
            offset: offsets[number],
            id: Some(format!("clueweb09-en0000-00-{number:05}")),
            texts: vec![Some((*page).to_owned())],
            kinds: vec![Some(TextKind::Html)],
            metadata: vec![
                Some(format!(
                    "http://00000-nrt-realestate.homepagestartup.com/{number}"
                )),
                Some("2009-03-65T08:43:19-0800".to_owned()),
            ],
        };
        assert_eq!(all[number + 1], Got::Document(expected));
    }
}

#[test]
fn lengths_counted_before_returns_were_taken_out_are_understood() {
    let page = "<p>one\r\ntwo\r\nthree\r\n";
    let mut file = CLUEWEB_INFO.to_owned();
    for number in 0..3 {
        file += &clueweb(number, page);
    }
    let changed = file.replace("\r\n", "\n");
    let all = read(changed.as_bytes());
    let documents = testing::documents(&all);
    assert_eq!((all.len(), documents.len()), (4, 3));
    for document in documents {
        assert_eq!(document.texts[0].as_deref(), Some("<p>one\ntwo\nthree\n"));
    }
}

#[test]
fn a_wet_file_is_plain_text() {
    let text = "Grüße\n<b>not a tag</b>\nWARC/1.0\nis a line of the text\n";
    let file = [
        record("info", "isPartOf: x\r\n", "13").replace("conversion", "warcinfo"),
        good("urn:uuid:a", text),
        good("urn:uuid:b", ""),
    ];
    let all = read(file.concat().as_bytes());
    let documents = testing::documents(&all);
    assert_eq!(ids(&all), ["urn:uuid:a", "urn:uuid:b"]);
    assert_eq!(documents[0].texts[0].as_deref(), Some(text));
    assert_eq!(documents[0].kinds, [Some(TextKind::Plain)]);
    assert_eq!((documents[1].texts[0].as_deref(), all.len()), (Some(""), 3));
}

#[test]
fn types_without_text_are_skipped() {
    for name in [
        "request",
        "metadata",
        "revisit",
        "continuation",
        "strange",
        "",
    ] {
        let file = good("a", "text").replace("conversion", name);
        assert_eq!(read(file.as_bytes()), [Got::Skipped], "{name}");
    }
    for (kind, content_type) in [("resource", "image/png"), ("response", "text/css")] {
        let file = good("a", "text").replace("conversion", kind);
        let file = file.replace("text/plain", content_type);
        assert_eq!(read(file.as_bytes()), [Got::Skipped], "{kind}");
    }
    // The first record of ClueWeb22 has no length.
    let info = "WARC/1.0\r\nWARC-Type: warcinfo\r\n\r\nsoftware: x\r\n\r\n";
    let all = read([info, &good("a", "text")].concat().as_bytes());
    assert_eq!((&all[0], ids(&all)), (&Got::Skipped, vec!["a"]));
}

#[test]
fn every_header_is_a_field() {
    let http =
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nServer: Caf\u{e9}\r\n\r\n<p>";
    let file = format!(
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:x>\r\n\
         WARC-Target-URI: <http://a/ b>\r\nWARC-Date: null\r\n\
         WARC-IP-Address: ::1\r\nTrec_Target_ID: t\r\n\
         Content-Type: application/http\r\nContent-Length: {}\r\n\r\n{http}",
        http.len()
    );
    let names = [
        "url",
        "date",
        "ip",
        "status",
        "content-type",
        "trec_target_id",
        "warc-record-id",
        "warc-type",
        "http-server",
        "http-content-type",
        "content-length",
        "http-date",
    ];
    let mut values = testing::values(&["text"], &names);
    let mut entries = WarcEntries::new(Box::new(Cursor::new(file)), MAX_BYTES);
    let all = testing::read_all(&mut entries, &mut values);
    let document = testing::documents(&all)[0];
    let metadata: Vec<_> = document.metadata.iter().map(Option::as_deref).collect();
    let length = http.len().to_string();
    let expected = [
        Some("http://a/ b"),
        Some("null"),
        Some("::1"),
        Some("200"),
        Some("text/html"),
        Some("t"),
        Some("<urn:x>"),
        Some("response"),
        Some("Café"),
        Some("text/html"),
        Some(length.as_str()),
        None,
    ];
    assert_eq!(metadata, expected);
    assert_eq!(document.id.as_deref(), Some("urn:x"));
}

#[test]
fn wrong_lengths_spoil_one_record_only() {
    let text = "some words\r\n\r\nand some more words\r\n";
    let len = text.len();
    for (length, detail) in [
        (
            "5".to_owned(),
            "the length 5 is wrong: the next record begins 39 bytes",
        ),
        ((len - 3).to_string(), "the length 32 is wrong"),
        ((len + 9).to_string(), "the length 44 is wrong"),
        ((len + 140).to_string(), "the length 175 is wrong"),
        ("100000".to_owned(), "the length 100000 is wrong"),
        ("99999999".to_owned(), "the length 99999999 is wrong"),
        (
            u64::MAX.to_string(),
            "the length 18446744073709551615 is wrong",
        ),
        ("1".repeat(50), "the length 18446744073709551615 is wrong"),
        ("-1".to_owned(), "Content-Length \"-1\" is no length"),
        ("ten".to_owned(), "Content-Length \"ten\" is no length"),
        (String::new(), "Content-Length \"\" is no length"),
    ] {
        let before = good("before", text);
        let file = [
            before.clone(),
            record("wrong", text, &length),
            good("after", text),
            good("last", text),
        ];
        let all = read(file.concat().as_bytes());
        assert_eq!(ids(&all), ["before", "after", "last"], "{length}");
        let [(offset, (kind, found))] = bad(&all)[..] else {
            panic!("{length}: {all:?}");
        };
        assert_eq!((offset, *kind), (before.len() as u64, BadKind::Format));
        assert!(found.starts_with(detail), "{length}: {found}");
    }
    let file = [
        record("wrong", text, "1").replace("Content-Length", "Length"),
        good("after", text),
    ];
    let all = read(file.concat().as_bytes());
    assert_eq!((ids(&all), bad(&all).len()), (vec!["after"], 1));
}

#[test]
fn records_are_parted_by_any_number_of_line_ends() {
    let mut file = "\r\n\n".to_owned();
    for (number, parting) in ["", "\n", "\r\n", "\r\n\r\n\r\n", " \n\t\n"]
        .iter()
        .enumerate()
    {
        let record = good(&number.to_string(), "some words");
        file += record.trim_end();
        file += parting;
    }
    // wget counted one line end too many (jwarc issue 29).
    file += &record("wget", "some words", "11");
    file += good("last", "some words").trim_end();
    let all = read(file.as_bytes());
    assert_eq!(ids(&all), ["0", "1", "2", "3", "4", "wget", "last"]);
    assert_eq!(all.len(), 7);
}

#[test]
fn a_record_inside_a_record_of_the_right_length_is_its_text() {
    let inner = good("inner", "some words");
    let file = [good("outer", &inner), good("next", "more")].concat();
    let all = read(file.as_bytes());
    assert_eq!((ids(&all), all.len()), (vec!["outer", "next"], 2));
    let text = testing::documents(&all)[0].texts[0].as_deref();
    assert_eq!(text, Some(inner.as_str()));
}

#[test]
fn damage_between_records_spoils_neither() {
    let file = [
        good("a", "some words"),
        good("b", "some words").replace("WARC/1.0", "WXRC/1.0"),
        good("c", "some words"),
    ];
    let all = read(file.concat().as_bytes());
    assert_eq!((ids(&all), bad(&all).len()), (vec!["a", "c"], 1));
    let all = read(format!("garbage\n{}", good("a", "words")).as_bytes());
    assert_eq!((ids(&all), bad(&all)[0].0), (vec!["a"], 0));
}

#[test]
fn long_records_are_passed_over_and_said() {
    let words = "some words\n".repeat(100_000);
    let image = good("image", &words).replace("text/plain", "image/png");
    let request = good("request", &words).replace("conversion", "request");
    let http = format!("HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n\r\n{words}");
    let video = good("video", &http)
        .replace("conversion", "response")
        .replace("text/plain", "application/http");
    let file = [
        good("a", "words"),
        good("long", &words),
        good("b", "words"),
        image,
        request,
        video,
        good("c", "words"),
    ];
    let all = read(file.concat().as_bytes());
    assert_eq!(ids(&all), ["a", "b", "c"]);
    let detail = "longer than 1048576 bytes; `max-record-bytes` raises the limit";
    let fault = (BadKind::TooLong, detail.to_owned());
    assert_eq!(bad(&all), [(file[0].len() as u64, &fault)]);
    assert_eq!(all.len(), 7);
    let exact = "x".repeat(100);
    let file = [good("a", &exact), good("b", "words")].concat();
    assert_eq!(ids(&read_limited(file.as_bytes(), 100)), ["a", "b"]);
    assert_eq!(ids(&read_limited(file.as_bytes(), 99)), ["b"]);
    // Wrong as well as long.
    let file = [record("a", &words, "1100009"), good("b", "words")].concat();
    let all = read(file.as_bytes());
    assert_eq!((ids(&all), bad(&all)[0].1.0), (vec!["b"], BadKind::Format));
}

/// Some bytes, then a fault.
struct Broken(Cursor<Vec<u8>>);

impl io::Read for Broken {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.0.read(buffer)? {
            0 => Err(io::Error::other("corrupt deflate stream")),
            read => Ok(read),
        }
    }
}

#[test]
fn a_file_that_ends_early_loses_its_last_record_alone() {
    let file = [good("a", "some words"), good("b", "some more words")].concat();
    let whole = good("a", "some words").len();
    for len in whole + 1..file.len() {
        let cut = &file.as_bytes()[..len];
        let all = read(cut);
        let is_whole = cut.ends_with(b"more words")
            || cut.ends_with(b"\n") && { len > file.len() - 5 }
            || cut.ends_with(b"words\r")
            || cut.ends_with(b"words\r\n\r");
        let expected = if is_whole { vec!["a", "b"] } else { vec!["a"] };
        assert_eq!(ids(&all), expected, "{len}");
        assert_eq!(bad(&all).len(), usize::from(!is_whole), "{len}");

        let reader = Box::new(Broken(Cursor::new(cut.to_vec())));
        let mut entries = WarcEntries::new(reader, MAX_BYTES);
        let all = testing::read_all(&mut entries, &mut testing::values(&["text"], &[]));
        assert_eq!(ids(&all), expected, "{len}");
        let last = bad(&all).pop().unwrap();
        let detail = "corrupt deflate stream; the rest of the file is lost";
        assert_eq!(last.1, &(BadKind::Compression, detail.to_owned()), "{len}");
        let num_faults = bad(&all)
            .iter()
            .filter(|(_, fault)| fault.1 == detail)
            .count();
        assert_eq!(num_faults, 1, "{len}");
    }
    assert!(read(b"").is_empty() && read(b"\r\n\r\n").is_empty());
}

#[test]
fn hostile_heads_end() {
    let next = good("next", "words");
    for line in ["X", "X: y\r\n", "x y z\n", "\u{0}\n", "WARC-X\n"] {
        let head = line.repeat(2_000_000 / line.len());
        let file = format!("WARC/1.0\r\n{head}\r\n\r\n{next}");
        let all = read(file.as_bytes());
        assert_eq!(ids(&all), ["next"], "{line:?}");
        assert_eq!(bad(&all)[0].1.0, BadKind::Format, "{line:?}");
        assert!(bad(&all).len() <= 2, "{line:?}: {}", bad(&all).len());
    }
    let blank = format!("{}{next}", "\r\n".repeat(2_000_000));
    assert_eq!(ids(&read(blank.as_bytes())), ["next"]);
}

/// Tiny records by the hundred thousand, each of which could cost as much as a whole file.
#[test]
fn hostile_files_take_time_by_their_length() {
    let tiny = |length: &str| record("a", "w", length).repeat(100_000);
    let open = "WARC/1.0\nA: b\n".repeat(400_000);
    let http = "HTTP/1.1 200 OK\r\nA: b\r\nB: c\r\n".to_owned();
    let unended = record("a", &http, "99999999").replace("conversion", "response");
    for (name, file) in [
        ("good", tiny("1")),
        (
            "a million",
            "WARC/1.0\nContent-Length: 0\n\n".repeat(1_000_000),
        ),
        ("swallowing", tiny("1000000")),
        ("beyond the limit", tiny("99999999")),
        ("to the end", tiny("1048576")),
        ("short", tiny("0")),
        ("heads without end", open),
        ("HTTP heads without end", unended.repeat(100_000)),
        ("garbage", "WARC/1.0\n\n".repeat(500_000)),
    ] {
        let start = Instant::now();
        let reader = Box::new(Cursor::new(file));
        let mut entries = WarcEntries::new(reader, MAX_BYTES);
        let mut values = testing::values(&["text"], &[]);
        while entries.next(&mut values) != Entry::End {
            values.clear();
        }
        let seconds = start.elapsed().as_secs_f64();
        // Measured: below 1 s each; what grows with the square takes minutes.
        assert!(seconds < 20.0, "{name}: {seconds} s");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Damage to one record never reaches the ones beyond its neighbours.
    #[test]
    fn records_away_from_damage_are_read(
        texts in prop::collection::vec("[a-z \r\n<>:é]{0,200}", 6..12),
        hurt in 2usize..4,
        at in 0.0f64..1.0,
        cut in 0usize..60,
        put in prop::collection::vec(any::<u8>(), 0..60),
    ) {
        let records: Vec<String> = texts
            .iter()
            .enumerate()
            .map(|(number, text)| good(&format!("id-{number}"), text))
            .collect();
        let mut bytes = records[..hurt].concat().into_bytes();
        let mut damaged = records[hurt].clone().into_bytes();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a place within a short record"
        )]
        let from = (at * damaged.len() as f64) as usize;
        let to = damaged.len().min(from + cut);
        damaged.splice(from..to, put);
        bytes.extend_from_slice(&damaged);
        bytes.extend_from_slice(records[hurt + 1..].concat().as_bytes());
        let all = read_limited(&bytes, 5000);
        let ids = ids(&all);
        for number in (0..hurt - 1).chain(hurt + 2..records.len()) {
            let id = format!("id-{number}");
            prop_assert!(ids.contains(&id.as_str()), "{} of {:?}", id, ids);
            let documents = testing::documents(&all);
            let document = documents.iter().find(|document| {
                document.id.as_deref() == Some(id.as_str())
            });
            let text = document.and_then(|document| document.texts[0].clone());
            prop_assert_eq!(text.as_ref(), Some(&texts[number]));
        }
    }

    #[test]
    fn any_bytes_are_read_without_panic(
        parts in prop::collection::vec(
            prop_oneof![
                Just(b"WARC/1.0\r\n".to_vec()),
                Just(b"Content-Length: 20\r\n".to_vec()),
                Just(b"Content-Length: 2000\r\n".to_vec()),
                Just(b"WARC-Type: response\r\n".to_vec()),
                Just(b"HTTP/1.1 200 OK\r\n".to_vec()),
                Just(b"Content-Encoding: gzip\r\n".to_vec()),
                Just(b"Transfer-Encoding: chunked\r\n".to_vec()),
                Just(b"\r\n".to_vec()),
                Just(b"\n".to_vec()),
                Just(b"http://a/ 1.2.3.4 20100101000000 text/html 20\n".to_vec()),
                prop::collection::vec(any::<u8>(), 0..40),
            ],
            0..40,
        ),
    ) {
        let bytes = parts.concat();
        read_limited(&bytes, 100);
        let reader = Box::new(Cursor::new(bytes));
        let mut entries = crate::source::arc::ArcEntries::new(reader, 100);
        testing::read_all(&mut entries, &mut testing::values(&["text"], &[]));
    }
}
