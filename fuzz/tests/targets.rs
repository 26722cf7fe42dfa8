//! The fuzz targets.
#![allow(
    clippy::unwrap_used,
    reason = "a test program: a panic is how it fails"
)]

use bolero::check;
use neardupe_core::text::{Segmenter, WordSink, slow, words};
use neardupe_fuzz::{Edit, damaged, read, read_file};
use neardupe_io::charset::{self, Hints};
use neardupe_io::source::InputFormat;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

fn seconds() -> Duration {
    let told = std::env::var("FUZZ_SECONDS").ok();
    let seconds = told.and_then(|text| text.parse().ok()).unwrap_or(1);
    Duration::from_secs(seconds)
}

/// Files of the corpus, the smallest first: damage hits small ones harder.
fn samples(folder: &str, endings: &[&str]) -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus").join(folder);
    let mut found: Vec<Vec<u8>> = files(&root)
        .into_iter()
        .filter(|path| {
            let name = path.to_string_lossy();
            endings.iter().any(|ending| name.ends_with(ending))
        })
        .map(|path| fs::read(path).unwrap())
        .filter(|bytes| bytes.len() < 200_000)
        .collect();
    found.sort_by_key(Vec::len);
    assert!(!found.is_empty(), "no samples in {folder}");
    found
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut all: Vec<PathBuf> = entries
        .flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] })
        .collect();
    all.sort();
    all
}

/// Runs `target` on damaged samples.
fn fuzz(samples: &[Vec<u8>], target: impl Fn(Vec<u8>) + std::panic::RefUnwindSafe) {
    check!()
        .with_test_time(seconds())
        .with_type::<(u8, Vec<Edit>)>()
        .for_each(|(sample, edits)| {
            let sample = &samples[*sample as usize % samples.len()];
            target(damaged(sample, edits));
        });
}

fn fuzz_format(name: &str, samples: &[Vec<u8>]) {
    let format: InputFormat = name.parse().unwrap();
    fuzz(samples, |bytes| read(bytes, Some(format)));
}

fn unpacked(samples: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    let unpack = |bytes: Vec<u8>| {
        let (_, mut reader) =
            neardupe_io::compress::unpack(Box::new(std::io::Cursor::new(bytes))).ok()?;
        let mut unpacked = Vec::new();
        // What comes before damage is a sample too.
        let _ = std::io::Read::read_to_end(&mut reader, &mut unpacked);
        Some(unpacked)
    };
    samples.into_iter().filter_map(unpack).collect()
}

const JSON: &str = "{\"id\":\"a\",\"text\":\"one two \\u00e9 three\"}\n{\"id\":7,\"text\":\"x\"}\n";
const ROWS: &str = "id,text,url\n1,\"one, \"\"two\"\" and\nthree\",x\n2,four,y\n";

#[test]
fn jsonl() {
    fuzz_format("jsonl", &[JSON.into()]);
}

#[test]
fn csv() {
    fuzz_format("csv", &[ROWS.into()]);
}

#[test]
fn tsv() {
    fuzz_format("tsv", &[ROWS.replace(',', "\t").into()]);
}

#[test]
fn html() {
    let pages = samples("formats", &["trec-web.sgml", ".xml"]);
    fuzz_format("html", &pages);
}

#[test]
fn text() {
    fuzz_format("text", &samples("formats", &[".sgml", ".sgm", ".xml"]));
}

#[test]
fn warc() {
    fuzz_format("warc", &unpacked(samples("warc-samples", &[".warc", ".warc.gz"])));
}

#[test]
fn packed_warc() {
    fuzz_format("warc", &samples("warc-samples", &[".warc.gz", ".lz4"]));
}

#[test]
fn arc() {
    fuzz_format("arc", &unpacked(samples("warc-samples", &[".arc", ".arc.gz"])));
}

#[test]
fn trec() {
    fuzz_format("trec", &samples("formats", &[".sgml"]));
}

#[test]
fn reuters() {
    fuzz_format("reuters", &samples("formats", &["reuters.sgm"]));
}

#[test]
fn nitf() {
    fuzz_format("nitf", &samples("formats", &["nitf.xml"]));
}

#[test]
fn pubmed() {
    fuzz_format("pubmed", &samples("formats", &["pubmed.xml"]));
}

#[test]
fn whatever_it_looks_like() {
    let mut all = samples("formats", &[".sgml", ".sgm", ".xml"]);
    all.push(JSON.into());
    all.extend(samples("warc-samples", &[".warc.gz"]));
    fuzz(&all, |bytes| read(bytes, None));
}

#[test]
fn parquet() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fuzzed.parquet");
    let samples = samples("formats", &[".parquet"]);
    fuzz(&samples, |bytes| {
        fs::write(&path, bytes).unwrap();
        read_file(&path, Some(InputFormat::Parquet));
    });
}

#[test]
fn charset() {
    let samples = samples("formats", &[".sgml", ".xml"]);
    fuzz(&samples, |bytes| {
        for declares in [false, true] {
            let hints = Hints {
                declares,
                ..Hints::default()
            };
            charset::decode(&bytes, hints, &mut String::new());
        }
        charset::is_binary(&bytes);
    });
}

struct Collect(Vec<String>);

impl WordSink for Collect {
    fn ascii(&mut self, text: &[u8], start: usize, end: usize) {
        let word = std::str::from_utf8(&text[start..end]).unwrap();
        self.0.push(word.to_ascii_lowercase());
    }
    fn folded(&mut self, word: &str) {
        self.0.push(word.to_owned());
    }
}

#[test]
fn fast_words_are_slow_words() {
    let mut texts = samples("formats", &[".sgml", ".xml"]);
    texts.push("Straße ǰ ΑΣ İ 中文かなก็ =\u{338} 한국어 e\u{301}".into());
    fuzz(&texts, |bytes| {
        let text = String::from_utf8_lossy(&bytes);
        let mut fast = Collect(Vec::new());
        words(&text, &Segmenter::default(), &mut fast);
        assert_eq!(fast.0, slow::words(&text));
    });
}
