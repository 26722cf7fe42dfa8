//! Input made to do harm: time and memory stay bounded, what is wrong is recorded, and
//! the neighbours are processed.

use super::compressed::gzip;
use super::{Folder, Found, line};
use std::fmt::Write as _;
use std::io::Write;
use std::time::Duration;

/// More than any of these may take, even on a busy machine.
const MOST_TIME: Duration = Duration::from_secs(100);
const MOST_MEMORY: u64 = 900 << 20;

/// Runs `find` over a folder that also holds two copies of a good document; they must be
/// found, in bounded time and memory.
fn beside_good_neighbours(folder: &Folder, arguments: &[&str]) -> Found {
    folder.write(
        "a-good.jsonl",
        line("first", "a good document of seven words"),
    );
    folder.write(
        "z-good.jsonl",
        line("last", "a good document of seven words"),
    );
    let mut command = folder.command(&[".", "--seed", "1"]);
    command.args(arguments).timeout(MOST_TIME);
    let found = folder.found(&mut command);
    assert!(
        found.clusters.contains(r#""first","last""#),
        "{}",
        found.clusters
    );
    let peak = found.summary["peak_memory_bytes"].as_u64().unwrap();
    assert!(peak < MOST_MEMORY, "{peak} bytes");
    found
}

#[test]
fn tags_nested_20_000_deep_are_text_with_and_without_main_content() {
    for tag in ["div", "b", "table", "svg", "blockquote"] {
        let page = format!(
            "<html><body>{}inner words{}",
            format!("<{tag}>").repeat(20_000),
            format!("</{tag}>").repeat(20_000)
        );
        for content in ["full", "main"] {
            let folder = Folder::with("deep.html", &page);
            let found = beside_good_neighbours(&folder, &["--content", content]);
            assert_eq!((found.documents(), found.bad.len()), (3, 0));
            let deep = &found.summary["remarks"]["main-too-deep"];
            assert_eq!(deep.as_u64(), (content == "main").then_some(1), "{tag}");
        }
    }
}

#[test]
fn a_page_of_one_tag_without_end_takes_time_in_proportion() {
    let mut pages = vec![
        ("opened", format!("<div {}", "a=b ".repeat(8 << 20))),
        ("repeated", "<b>".repeat(10 << 20)),
        ("scripts", "<script>".repeat(4 << 20)),
        ("comments", "<!--".repeat(8 << 20)),
        ("brackets", "<".repeat(30 << 20)),
        ("ends", "</".repeat(15 << 20)),
        ("quotes", format!("<a href=\"{}", "x".repeat(30 << 20))),
    ];
    for (name, page) in pages.drain(..) {
        let folder = Folder::with("page.html", &page);
        drop(page);
        let found = beside_good_neighbours(&folder, &[]);
        assert_eq!((found.documents(), found.bad.len()), (3, 0), "{name}");
    }
}

#[test]
fn a_gigabyte_of_one_tag_is_one_record_over_the_limit() {
    let folder = Folder::new();
    let mut file = std::fs::File::create(folder.path("page.html")).unwrap();
    file.write_all("<b>".repeat(1 << 20).as_bytes()).unwrap();
    // The rest is one tag that never ends, of zeros that take no place on a disk.
    file.write_all(b"<b ").unwrap();
    file.set_len(1 << 30).unwrap();
    drop(file);
    let found = beside_good_neighbours(&folder, &[]);
    assert_eq!(found.places(), [("page.html", 1, 0, "too-long")]);
    // The same from a pipe.
    let tags = "<b>".repeat((200 << 20) / 3);
    let found = folder.find_in(tags.as_bytes(), &["-", "--input-format", "html"]);
    assert_eq!(found.places(), [("stdin", 1, 0, "too-long")]);
    let peak = found.summary["peak_memory_bytes"].as_u64().unwrap();
    assert!(peak < MOST_MEMORY, "{peak} bytes");
}

#[test]
fn entities_without_end_are_text() {
    let mut laughs =
        "<?xml version=\"1.0\"?><!DOCTYPE nitf [<!ENTITY e0 \"ha\">".to_owned();
    for level in 1..40 {
        let before = format!("&e{};", level - 1).repeat(10);
        write!(laughs, "<!ENTITY e{level} \"{before}\">").unwrap();
    }
    laughs += "]><nitf><body><body.content><p>&e39;</p></body.content></body></nitf>";
    let folder = Folder::with("laughs.xml", laughs);
    folder.write("digits.html", format!("<p>&#{}", "1".repeat(30 << 20)));
    folder.write("names.html", format!("<p>&{}", "amp".repeat(10 << 20)));
    folder.write("marks.html", "&".repeat(30 << 20));
    folder.write("nested.html", format!("<p>&{}lt;", "amp;".repeat(5 << 20)));
    let found = beside_good_neighbours(&folder, &[]);
    assert_eq!(found.count("records"), 7);
}

#[test]
fn a_gzip_bomb_ends_at_the_limit_in_every_kind_of_format() {
    let best = flate2::Compression::best();
    let mut blanks = flate2::write::GzEncoder::new(Vec::new(), best);
    blanks.write_all(&vec![b' '; 4 << 20]).unwrap();
    let blanks = blanks.finish().unwrap().repeat(100);
    let record =
        b"WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: 99999999999\r\n\r\n";
    let bombs: [(&str, &[u8]); 4] = [
        ("bomb.jsonl.gz", b"{\"id\":1,\"text\":\""),
        ("bomb.csv.gz", b"id,text\n1,\""),
        ("bomb.warc.gz", record),
        ("bomb.txt.gz", b"text"),
    ];
    for (name, start) in bombs {
        let folder = Folder::new();
        let mut file = std::fs::File::create(folder.path(name)).unwrap();
        file.write_all(&gzip(start)).unwrap();
        // 25 GB of nothing in 26 MB.
        for _ in 0..64 {
            file.write_all(&blanks).unwrap();
        }
        drop(file);
        let found = beside_good_neighbours(&folder, &[]);
        assert!(!found.bad.is_empty(), "{name}");
    }
}

#[test]
fn names_of_death_and_archives_that_hold_them_are_harmless() {
    let folder = Folder::new();
    let mut zip = b"PK\x03\x04\x14\0\0\0\0\0".to_vec();
    zip.extend(b"../../../../tmp/neardupe-was-here\0".repeat(50));
    folder.write("slip.jsonl", &zip);
    let words = "words of a document in a file of an odd name";
    for name in [
        "line\nfeed.txt",
        "tab\t\"quote\".txt",
        "<b>&amp;.txt",
        "-rf.txt",
        "$(id).txt",
    ] {
        folder.write(name, words);
    }
    let long = format!("{}.txt", "n".repeat(250));
    folder.write(&long, words);
    let found = beside_good_neighbours(&folder, &[]);
    assert_eq!(found.bad.len(), 1);
    assert!(found.bad[0].detail.contains("zip"), "{:?}", found.bad);
    assert_eq!(found.documents(), 8);
    assert!(found.clusters.contains(r#""line\nfeed.txt""#));
    let found = beside_good_neighbours(&folder, &["--output-format", "tsv"]);
    assert!(
        found.clusters.contains(r#"line\nfeed.txt"#),
        "{}",
        found.clusters
    );
}

#[test]
fn mixed_and_unmarked_character_sets_are_read_as_far_as_they_can_be() {
    let text = "Die Straße nach Köln war lang und über die Brücke führte kein Weg zurück";
    let folder = Folder::with("utf8.txt", text);
    let utf16 = |text: &str| -> Vec<u8> {
        text.encode_utf16().flat_map(u16::to_le_bytes).collect()
    };
    folder.write("utf16.txt", utf16(text));
    folder.write(
        "utf16.html",
        utf16(&format!("<html><body><p>{text}</p></body></html>")),
    );
    // A page in UTF-8 with a comment somebody pasted in Latin-1.
    let mut mixed = format!("<meta charset=utf-8><p>{text}</p>").into_bytes();
    mixed.extend(b"<p>caf\xe9 ol\xe9</p>");
    folder.write("mixed.html", mixed);
    let found = beside_good_neighbours(&folder, &["--threshold", "0.5"]);
    assert_eq!((found.documents(), found.bad.len()), (6, 0));
    assert!(found.clusters.contains(r#""size":4"#), "{}", found.clusters);
    assert_eq!(found.summary["remarks"]["characters replaced"], 1);
    assert_eq!(found.summary["remarks"]["charset UTF-16LE"], 2);
}

#[test]
fn warc_records_of_wrong_length_cost_only_themselves() {
    let record = |id: &str, text: &str, length: usize| {
        format!(
            "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Record-ID: <{id}>\r\n\
             Content-Type: text/plain\r\nContent-Length: {length}\r\n\r\n{text}\r\n\r\n"
        )
    };
    let text = "words of a page that was archived more than once in one crawl";
    for wrong in [3, 200, 100_000, 99_999_999_999_999] {
        let content = record("one", text, text.len())
            + &record("wrong", "words of another page altogether", wrong)
            + &record("two", text, text.len())
            + &record("three", text, text.len());
        let folder = Folder::with("crawl.warc", &content);
        folder.write("packed.warc.gz", gzip(content.as_bytes()));
        let found = beside_good_neighbours(&folder, &[]);
        assert!(found.clusters.contains(r#""one","#), "{wrong}");
        assert!(
            found.clusters.contains(r#""three""#),
            "{wrong}: {}",
            found.clusters
        );
        assert!(!found.bad.is_empty(), "{wrong}");
        assert!(
            found
                .bad
                .iter()
                .all(|bad| bad.kind == "format" || bad.kind == "too-long")
        );
    }
}

#[test]
fn parquet_without_the_text_column_cut_or_damaged_costs_what_is_lost() {
    let sample = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../corpus/formats/snappy.parquet"
    );
    let whole = std::fs::read(sample).unwrap();
    let folder = Folder::with("whole.parquet", &whole);
    assert_eq!(beside_good_neighbours(&folder, &[]).documents(), 42);
    // JSON has another name for the text; no column of the table has it.
    let folder = Folder::with("whole.parquet", &whole);
    folder.write(
        "named.jsonl",
        "{\"id\":\"x\",\"text\":\"y\",\"body\":\"z\"}\n",
    );
    let found = folder.find(&["whole.parquet", "named.jsonl", "--text-key", "body"]);
    assert_eq!(found.documents(), 1);
    assert_eq!(found.places(), [("whole.parquet", 1, 0, "missing-text")]);
    assert!(found.bad[0].detail.contains("id, text, meta, day"));
    for len in [0, 3, 7, 100, whole.len() / 2, whole.len() - 1] {
        let folder = Folder::with("cut.parquet", &whole[..len]);
        let found = beside_good_neighbours(&folder, &[]);
        assert_eq!(found.documents(), 2, "{len}");
        assert_eq!(found.bad.len(), 1, "{len}");
    }
    // A page in the first of four groups of ten rows.
    let mut damaged = whole.clone();
    damaged[60..90].fill(0xff);
    let folder = Folder::with("damaged.parquet", &damaged);
    let found = beside_good_neighbours(&folder, &[]);
    assert_eq!(
        (found.documents(), found.bad.len()),
        (32, 1),
        "{:?}",
        found.bad
    );
    assert_eq!(found.bad[0].kind, "format");
}
