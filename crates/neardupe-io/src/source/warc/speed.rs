//! Measures reading of WARC against `fastwarc`, by the processor time of one thread, from
//! memory (Linux only):
//! `cargo test --release -p neardupe-io --lib warc::speed -- --ignored --nocapture`.

use super::cut::{Cut, Cutter};
use super::*;
use crate::source::testing;
use fastwarc::warc::iter::{ArchiveIterator, ArchiveIteratorOptions};
use std::io::{BufReader, Cursor};

/// Pages of 8 to 72 kB, the lengths by a fixed rule.
fn file() -> Vec<u8> {
    let words = "<p class=\"text\">Some words of a page, &amp; some more of them.</p>\n";
    let mut file = Vec::new();
    for number in 0..6000 {
        let body = words.repeat(120 + number * 7919 % 960);
        let http = format!(
            "HTTP/1.1 200 OK\r\nDate: Sun, 15 Nov 2026 10:00:00 GMT\r\nServer: \
             Apache\r\nCache-Control: max-age=604800\r\nVary: Accept-Encoding\r\n\
             X-Powered-By: PHP/8.2\r\nContent-Type: text/html; charset=utf-8\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let head = format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: 2026-11-15T10:00:00Z\r\n\
             WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-{number:012}>\r\n\
             WARC-Target-URI: https://example.org/{number}\r\nWARC-IP-Address: \
             93.184.216.34\r\nContent-Type: application/http; msgtype=response\r\n\
             Content-Length: {}\r\n\r\n{http}\r\n\r\n",
            http.len()
        );
        file.extend_from_slice(head.as_bytes());
    }
    file
}

fn by_twin(file: Vec<u8>, with_text: bool) -> usize {
    let options = ArchiveIteratorOptions {
        inplace: true,
        ..ArchiveIteratorOptions::default()
    };
    let mut count = 0;
    let mut content = Vec::new();
    let reader = BufReader::with_capacity(1 << 18, Cursor::new(file));
    for record in ArchiveIterator::with_options(reader, options) {
        let record = record.unwrap();
        let mut record = record.borrow_mut();
        count += usize::from(record.record_id().is_some());
        if with_text {
            content.clear();
            record
                .reader_mut()
                .unwrap()
                .read_to_end(&mut content)
                .unwrap();
            count += usize::from(std::str::from_utf8(&content).unwrap().is_empty());
        }
    }
    count
}

fn by_entries(file: Vec<u8>) -> usize {
    let mut entries = WarcEntries::new(Box::new(Cursor::new(file)), 128 << 20);
    let mut values = testing::values(&["text"], &["url", "date"]);
    let mut count = 0;
    loop {
        values.clear();
        match entries.next(&mut values) {
            Entry::Record(_) => count += 1,
            Entry::End => return count,
            other => panic!("{other:?}"),
        }
    }
}

fn by_cutter(file: Vec<u8>) -> usize {
    let reader = Box::new(Cursor::new(file));
    let mut cutter = Cutter::new(reader, 128 << 20, WarcFraming::default());
    let mut message = Message::default();
    let mut count = 0;
    loop {
        match cutter.next() {
            Cut::Record(_) => {
                let (framing, content) = cutter.parts();
                let stored = stored(&framing.headers, content).unwrap();
                count += usize::from(message.body_len(stored) > 0);
            }
            Cut::End => return count,
            other => panic!("{other:?}"),
        }
    }
}

/// Time of this thread on a processor: others may be at work on the machine.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    let nanoseconds = stat.split(' ').next().unwrap();
    nanoseconds.parse::<f64>().unwrap() / 1e9
}

type Run<'a> = (&'a str, &'a dyn Fn(Vec<u8>) -> usize);

#[test]
#[ignore = "a measurement"]
fn speed_against_the_twin() {
    let file = file();
    let megabytes = file.len() as f64 / 1e6;
    println!("{megabytes:.0} MB, 6000 records");
    for round in 0..5 {
        let all: [Run<'_>; 4] = [
            ("entries, with text", &by_entries),
            ("twin, HTTP heads and checked text", &|file| {
                by_twin(file, true)
            }),
            ("cutting and HTTP heads", &by_cutter),
            ("twin, HTTP heads, content passed over", &|file| {
                by_twin(file, false)
            }),
        ];
        for (name, run) in all {
            let copy = file.clone();
            let start = cpu_seconds();
            assert_eq!(run(copy), 6000);
            let seconds = cpu_seconds() - start;
            println!("{round} {name}: {:.0} MB/s", megabytes / seconds);
        }
    }
}
