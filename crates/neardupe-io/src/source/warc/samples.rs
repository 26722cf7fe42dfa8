//! Real archives: what is read of each.

use super::*;
use crate::compress;
use crate::source::arc::ArcEntries;
use crate::source::testing::{self, Read as Entry};
use std::io::Write as _;
use std::path::{Path, PathBuf};

const MAX_BYTES: u64 = 128 << 20;

/// Name, documents, bad records, what holds no text.
type Row = (&'static str, usize, usize, usize);

/// Files of `corpus/warc-samples`.
const KEPT: &[Row] = &[
    ("fastwarc-block-sized-records.warc.gz", 0, 0, 3),
    ("fastwarc-clipped.warc.gz", 0, 1, 0),
    ("fastwarc-warcfile.warc.gz", 16, 0, 34),
    ("fastwarc-warcfile.warc.lz4", 16, 0, 34),
    ("warcio/bad.arc", 1, 2, 1),
    ("warcio/example-bad-non-chunked.warc.gz", 1, 0, 5),
    ("warcio/example-bad.warc.gz.bad", 2, 0, 4),
    ("warcio/example-digest.warc", 0, 0, 4),
    ("warcio/example-iana.org-chunked.warc", 1, 0, 2),
    ("warcio/example-resource.warc.gz", 1, 0, 2),
    ("warcio/example-space-in-target-uri.warc.gz", 0, 0, 2),
    ("warcio/example-space-in-url.arc", 0, 1, 1),
    ("warcio/example-trunc.warc", 0, 1, 3),
    ("warcio/example-wget-bad-target-uri.warc.gz", 3, 0, 3),
    ("warcio/example-wrong-chunks.warc.gz", 1, 0, 1),
    ("warcio/example.arc", 1, 0, 1),
    ("warcio/example.arc.gz", 1, 0, 1),
    ("warcio/example.warc", 1, 0, 5),
    ("warcio/example.warc.gz", 1, 0, 5),
    ("warcio/post-test.warc.gz", 0, 0, 6),
];

/// Files that lie beside the repository.
const BESIDE: &[Row] = &[
    ("commoncrawl-2010-sample.arc.gz", 8, 0, 1),
    ("commoncrawl-2015-11-sample.warc.gz", 16, 0, 40),
    ("crawl-2020-topic-1.warc.gz", 238, 0, 1),
    ("dolma-sample-0000.warc.gz", 24, 0, 24),
    ("dolma-sample-0001.warc.gz", 17, 0, 17),
    ("wayback-topic-02.warc.gz", 128, 0, 1),
];

fn repository() -> PathBuf {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    crates.parent().unwrap().to_path_buf()
}

fn kept() -> PathBuf {
    repository().join("corpus/warc-samples")
}

/// The larger samples, or None and a line on standard error.
fn beside() -> Option<PathBuf> {
    let data = std::env::var_os("NEARDUPE_DATA").unwrap_or("../shared/data".into());
    let folder = repository().join(data).join("warc-samples");
    if folder.is_dir() {
        return Some(folder);
    }
    let message = format!(
        "skipped: larger WARC samples, as there is no folder {}; NEARDUPE_DATA can name \
         the folder that holds warc-samples\n",
        folder.display()
    );
    // Not eprintln: the test harness hides what it prints in tests that pass.
    std::io::stderr().write_all(message.as_bytes()).unwrap();
    None
}

fn unpacked(path: &Path) -> Box<dyn std::io::Read + Send> {
    compress::open(path).unwrap().1
}

fn entries(path: &Path) -> Box<dyn Entries> {
    let reader = unpacked(path);
    if path.to_string_lossy().contains(".arc") {
        Box::new(ArcEntries::new(reader, MAX_BYTES))
    } else {
        Box::new(WarcEntries::new(reader, MAX_BYTES))
    }
}

fn read(path: &Path) -> Vec<Entry> {
    let mut values = testing::values(&["text"], &["url", "status", "content-type"]);
    testing::read_all(&mut *entries(path), &mut values)
}

fn counts(all: &[Entry]) -> (usize, usize, usize) {
    let count = |is: fn(&Entry) -> bool| all.iter().filter(|entry| is(entry)).count();
    (
        count(|entry| matches!(entry, Entry::Document(_))),
        count(|entry| matches!(entry, Entry::Bad(..))),
        count(|entry| matches!(entry, Entry::Skipped)),
    )
}

fn check(folder: &Path, rows: &[Row]) {
    let mut faults = Vec::new();
    for &(name, documents, bad, skipped) in rows {
        let all = read(&folder.join(name));
        let found = counts(&all);
        if found != (documents, bad, skipped) {
            let bad = all.iter().filter(|entry| matches!(entry, Entry::Bad(..)));
            let bad: Vec<_> = bad.collect();
            faults.push(format!("{name}: {found:?} {bad:?}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn kept_samples_are_read_as_counted() {
    check(&kept(), KEPT);
}

#[test]
fn samples_beside_the_repository_are_read_as_counted() {
    if let Some(folder) = beside() {
        check(&folder, BESIDE);
    }
}

#[test]
fn pages_come_out_whatever_they_are_packed_in() {
    for (name, words) in [
        ("example.warc", "Example Domain"),
        ("example-bad-non-chunked.warc.gz", "Example Domain"),
        ("example-wrong-chunks.warc.gz", "Example Domain"),
        ("example-resource.warc.gz", "Example Domain"),
        ("example.arc.gz", "Example Domain"),
        ("example-iana.org-chunked.warc", "time zone database"),
    ] {
        let all = read(&kept().join("warcio").join(name));
        let documents = testing::documents(&all);
        let text = documents[0].texts[0].as_deref().unwrap();
        let has = |words: &str| text.to_lowercase().contains(&words.to_lowercase());
        assert!(
            has(words) && has("</html>") && !has("\u{fffd}"),
            "{name}: {text}"
        );
        assert!(!text.starts_with("001c37"), "{name}");
    }
}
