//! Lines: their ends, their numbers, the borders of blocks, and lines that are too long.

use super::compressed::gzip;
use super::{Folder, Found, Numbers, line};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// Bytes of a block as it is read; lines around its borders are the hard ones.
const BLOCK: usize = 1 << 20;

#[test]
fn line_ends_blank_lines_and_a_byte_order_mark_change_nothing_but_places() {
    let lines: Vec<String> = (0..20)
        .map(|at| line(&format!("d{}", at / 2), "same text"))
        .collect();
    let plain = Folder::with("docs.jsonl", lines.concat()).find(&["docs.jsonl"]);
    assert_eq!(plain.documents(), 20);
    let windows = lines.concat().replace('\n', "\r\n");
    let marked = format!("\u{feff}{}", lines.concat());
    let blank = lines.join("\n \t\r\n\n");
    let unfinished = lines.concat().trim_end().to_owned();
    for content in [windows, marked, blank, unfinished] {
        let folder = Folder::with("docs.jsonl", &content);
        assert_eq!(folder.find(&["docs.jsonl"]).tables(), plain.tables());
        assert_eq!(
            folder.find_in(content.as_bytes(), &["-"]).tables(),
            plain.tables()
        );
        folder.write("docs.jsonl.gz", gzip(content.as_bytes()));
        assert_eq!(folder.find(&["docs.jsonl.gz"]).tables(), plain.tables());
    }
}

#[test]
fn blank_lines_count_as_lines_and_not_as_records() {
    let content =
        "\u{feff}\n\r\n{\"text\":\"a word\"}\n   \n\noops\r\n\n{\"text\":\"a word\"}";
    for bytes in [content.as_bytes().to_vec(), gzip(content.as_bytes())] {
        let folder = Folder::with("docs.jsonl", &bytes);
        let found = folder.find(&["docs.jsonl"]);
        assert!(
            found
                .clusters
                .contains(r#"["docs.jsonl:3","docs.jsonl:8"]"#)
        );
        assert_eq!(found.places(), [("docs.jsonl", 6, 29, "json")]);
        assert_eq!(found.count("records"), 3);
    }
}

#[test]
fn a_byte_order_mark_is_no_part_of_a_text() {
    let folder = Folder::with("a.txt", "\u{feff}one two three");
    folder.write("b.txt", "one two three");
    assert!(folder.find(&["."]).duplicates.contains("equal-text"));
}

/// The same content plain, packed and on standard input, under one name, so that even ids
/// made from the name are equal. All must give the same; returns it.
fn every_way_to_read(content: &[u8], arguments: &[&str]) -> Found {
    let folder = Folder::with("plain/stdin", content);
    let packed = gzip(content);
    folder.write("packed/stdin", &packed);
    let with = |input, threads| [&[input, "--threads", threads], arguments].concat();
    let plain = folder.find(&with("plain/stdin", "3"));
    for found in [
        folder.find(&with("plain/stdin", "1")),
        folder.find(&with("packed/stdin", "3")),
        folder.find_in(content, &with("-", "3")),
        folder.find_in(&packed, &with("-", "1")),
    ] {
        assert_eq!(found.tables(), plain.tables());
        assert_eq!(found.bad, plain.bad);
        assert_eq!(found.documents(), plain.documents());
    }
    plain
}

/// JSON lines of exactly these lengths, line end included; every fifth is broken, every
/// third has no id.
fn lines_of(lengths: &[usize], numbers: &mut Numbers) -> Vec<Vec<u8>> {
    let mut lines = Vec::new();
    for (at, &len) in lengths.iter().enumerate() {
        let id = if at % 3 == 0 {
            String::new()
        } else {
            format!("\"id\":\"d{at}\",")
        };
        let mut line = format!("{{{id}\"text\":\"");
        let end = if at % 5 == 4 { "\"" } else { "\"}" };
        // Few different words, so that the long documents resemble each other by chance
        // now and then, and short ones are equal.
        while line.len() + end.len() + 1 < len {
            line.push_str(["ab ", "cde ", "f "][numbers.below(3)]);
        }
        line.truncate(len - end.len() - 1);
        line.push_str(end);
        line.push('\n');
        lines.push(line.into_bytes());
    }
    lines
}

#[test]
fn lines_around_the_borders_of_blocks_are_read_once_and_numbered_right() {
    let mut numbers = Numbers(7);
    // Line ends as the last byte of a block and as the first, a line over three blocks, a
    // line that is a block, then whatever chance brings.
    let mut lengths = vec![100, BLOCK - 100, BLOCK + 1, 50, BLOCK - 51, 2 * BLOCK + 77];
    let sum: usize = lengths.iter().sum();
    lengths.push(BLOCK - sum % BLOCK);
    lengths.push(BLOCK);
    for _ in 0..150 {
        lengths.push(match numbers.below(10) {
            0 => 1000 + numbers.below(BLOCK / 4),
            1..4 => 1000 + numbers.below(5000),
            _ => 40 + numbers.below(200),
        });
    }
    let lines = lines_of(&lengths, &mut numbers);
    let content = lines.concat();
    assert!(content.len() > 7 * BLOCK);
    let found = every_way_to_read(&content, &[]);
    assert_eq!(found.count("records"), lines.len());
    let broken: Vec<(&str, u64, u64, &str)> = (4..lines.len())
        .step_by(5)
        .map(|at| {
            let offset: usize = lengths[..at].iter().sum();
            ("stdin", at as u64 + 1, offset as u64, "json")
        })
        .collect();
    assert_eq!(found.places(), broken);
}

#[test]
fn lines_over_the_limit_are_left_out_wherever_they_stand() {
    let mut numbers = Numbers(8);
    // With a limit of 3000 bytes: lines just at it and just over it, lines that are found
    // too long inside their block, at its border and beyond it, and one at the end.
    let mut lengths = vec![3001, 3002, BLOCK, 60, 3 * BLOCK + 5, 60, 60, 5000];
    for _ in 0..300 {
        lengths.push(if numbers.below(4) == 0 {
            3002 + numbers.below(BLOCK / 8)
        } else {
            60
        });
    }
    lengths.push(BLOCK + 17);
    let mut lines = lines_of(&lengths, &mut numbers);
    lines.last_mut().unwrap().pop();
    let too_long: Vec<u64> = (1u64..)
        .zip(&lengths)
        .filter(|&(_, &len)| len > 3001)
        .map(|(at, _)| at)
        .collect();
    let found = every_way_to_read(&lines.concat(), &["--max-record-bytes", "3000"]);
    let reported = found
        .bad
        .iter()
        .filter(|bad| bad.kind == "too-long")
        .map(|bad| bad.number);
    assert_eq!(reported.collect::<Vec<_>>(), too_long);
    assert_eq!(found.count("records"), lines.len());
}

const LONG_LINE: usize = 200 << 20;

/// Writes two documents, a line of 200 MB, two documents; where the line begins.
fn with_a_giant_line(path: &Path, pack: fn(&[u8]) -> Vec<u8>) -> u64 {
    let mut out = BufWriter::new(File::create(path).unwrap());
    let before =
        line("a", "the same words on both sides") + &line("b", "other words here");
    out.write_all(&pack(before.as_bytes())).unwrap();
    out.write_all(&pack(b"{\"id\":\"giant\",\"text\":\""))
        .unwrap();
    let part = pack(&vec![b'x'; 1 << 20]);
    for _ in 0..LONG_LINE >> 20 {
        out.write_all(&part).unwrap();
    }
    out.write_all(&pack(b"\"}\n")).unwrap();
    let after = line("c", "the same words on both sides") + &line("d", "more words");
    out.write_all(&pack(after.as_bytes())).unwrap();
    out.flush().unwrap();
    before.len() as u64
}

#[test]
fn a_line_of_200_mb_costs_one_record_and_little_memory() {
    for (name, pack) in [
        ("docs.jsonl", <[u8]>::to_vec as fn(&[u8]) -> Vec<u8>),
        ("docs.jsonl.gz", gzip),
    ] {
        let folder = Folder::new();
        let offset = with_a_giant_line(&folder.path(name), pack);
        let found = folder.find(&[name]);
        assert_eq!(found.documents(), 4, "{name}");
        assert_eq!(found.places(), [(name, 3, offset, "too-long")]);
        assert_eq!(
            found.clusters,
            "{\"cluster_id\":\"a\",\"size\":2,\"members\":[\"a\",\"c\"]}\n"
        );
        let peak = found.summary["peak_memory_bytes"].as_u64().unwrap();
        assert!(peak < 600 << 20, "{name}: {peak} bytes");
    }
}
