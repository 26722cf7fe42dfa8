//! The targets and their samples.

use crate::evaluation;
use crate::record::{read, read_file};
use crate::results;
use neardupe_core::text::{Segmenter, WordSink, slow, words};
use neardupe_io::charset::{self, Hints};
use neardupe_io::compress;
use neardupe_io::extract::{Content, Extracted, HtmlExtractor, HtmlOptions};
use neardupe_io::output::OutputFormat;
use neardupe_io::source::{InputFormat, Layout};
use std::io::Read;
use std::panic::RefUnwindSafe;
use std::path::{Path, PathBuf};

/// Something that takes any bytes.
pub struct Target {
    /// Its name.
    pub name: String,
    /// What is damaged.
    pub samples: Vec<Vec<u8>>,
    /// Panics when something is wrong.
    pub check: Box<dyn Fn(Vec<u8>) + RefUnwindSafe + Send + Sync>,
}

const JSON: &str =
    "{\"id\":\"a\",\"text\":\"one two \\u00e9 three\"}\n{\"id\":7,\"text\":\"x\"}\n";
const ROWS: &str = "id,text,url\n1,\"one, \"\"two\"\" and\nthree\",x\n2,four,y\n";
const TRUTH: &str = "left\tright\tlabel\na\tb\t1\nc\td\t0\n";
const LABELS: &str = "{\"left\":\"a\",\"right\":\"b\",\"label\":\"not\"}\n";
const WORDS: &str = "Straße ǰ ΑΣ İ 中文かなก็ =\u{338} 한국어 e\u{301}";

/// All targets.
pub fn targets() -> Vec<Target> {
    let marked = || samples("formats", &[".sgml", ".sgm", ".xml"]);
    let mut anything = marked();
    anything.push(JSON.into());
    anything.extend(samples("warc-samples", &[".warc.gz"]));
    let mut texts = marked();
    texts.push(WORDS.into());
    let mut targets: Vec<Target> = InputFormat::ALL
        .iter()
        .flat_map(|&it| [format(it), rewrite(it)])
        .collect();
    targets.extend([
        target(
            "packed",
            samples("warc-samples", &[".gz", ".lz4"]),
            |bytes| {
                read(bytes, Some(InputFormat::Warc));
            },
        ),
        target(
            "dedup-packed",
            samples("warc-samples", &[".warc.gz"]),
            |bytes| results::rewrite(&bytes, InputFormat::Warc),
        ),
        target("anything", anything, |bytes| read(bytes, None)),
        target("main-content", marked(), main_content),
        target("charset", marked(), decode),
        target("words", texts, fast_words_are_slow_words),
        result("result-jsonl", OutputFormat::Jsonl),
        result("result-tsv", OutputFormat::Tsv),
        result("result-xml", OutputFormat::Xml),
        result("result-parquet", OutputFormat::Parquet),
        target("truth", vec![TRUTH.into(), LABELS.into()], |bytes| {
            results::truth(&bytes);
        }),
        target("diff", marked(), |bytes| results::diff(&bytes)),
        target("evaluation", evaluation::samples(), |bytes| {
            evaluation::check(&bytes);
        }),
    ]);
    targets
}

fn result(name: &str, format: OutputFormat) -> Target {
    target(name, results::tables(format), move |bytes| {
        results::read_tables(&bytes, format);
    })
}

/// What is damaged of a format: small files that have most of what it can have.
fn samples_of(format: InputFormat) -> Vec<Vec<u8>> {
    match format {
        InputFormat::Jsonl => vec![JSON.repeat(4).into()],
        InputFormat::Csv => vec![ROWS.repeat(4).into()],
        InputFormat::Tsv => vec![ROWS.replace(',', "\t").into()],
        InputFormat::Parquet => samples("formats", &[".parquet"]),
        InputFormat::Text | InputFormat::Html => {
            samples("formats", &[".sgml", ".sgm", ".xml"])
        }
        InputFormat::Warc => unpacked(samples("warc-samples", &[".warc", ".warc.gz"])),
        InputFormat::Arc => unpacked(samples("warc-samples", &[".arc", ".arc.gz"])),
        InputFormat::Trec => samples("formats", &[".sgml"]),
        InputFormat::Reuters => samples("formats", &["reuters.sgm"]),
        InputFormat::Nitf => samples("formats", &["nitf.xml"]),
        InputFormat::Pubmed => samples("formats", &["pubmed.xml"]),
    }
}

/// Reads a format.
fn format(format: InputFormat) -> Target {
    let check = move |bytes: Vec<u8>| match format.spec().layout {
        Layout::Columns => {
            let file = tempfile::NamedTempFile::new().expect("a file");
            std::fs::write(file.path(), bytes).expect("room for it");
            read_file(file.path(), format);
        }
        Layout::Lines
        | Layout::Table { .. }
        | Layout::Entries(_)
        | Layout::Document { .. } => read(bytes, Some(format)),
    };
    target(format.name(), samples_of(format), check)
}

/// Reads a format and writes it again without duplicates.
fn rewrite(format: InputFormat) -> Target {
    let name = format!("dedup-{format}");
    target(&name, samples_of(format), move |bytes| {
        results::rewrite(&bytes, format)
    })
}

fn target(
    name: &str,
    samples: Vec<Vec<u8>>,
    check: impl Fn(Vec<u8>) + RefUnwindSafe + Send + Sync + 'static,
) -> Target {
    Target {
        name: name.to_owned(),
        samples,
        check: Box::new(check),
    }
}

fn main_content(bytes: Vec<u8>) {
    let options = HtmlOptions {
        content: Content::Main,
        keep_regions: true,
        keep_links: true,
        ..HtmlOptions::default()
    };
    let mut out = Extracted::default();
    HtmlExtractor::new(options).extract(&String::from_utf8_lossy(&bytes), &mut out);
    for region in &out.regions {
        assert!(out.text.get(region.span.start..region.span.end).is_some());
    }
}

fn decode(bytes: Vec<u8>) {
    for declares in [false, true] {
        let hints = Hints {
            declares,
            ..Hints::default()
        };
        charset::decode(&bytes, hints, &mut String::new());
    }
    charset::is_binary(&bytes);
}

struct Collect(Vec<String>);

impl WordSink for Collect {
    fn ascii(&mut self, text: &[u8], start: usize, end: usize) {
        let word = std::str::from_utf8(&text[start..end]).expect("it is ASCII");
        self.0.push(word.to_ascii_lowercase());
    }

    fn folded(&mut self, word: &str) {
        self.0.push(word.to_owned());
    }
}

fn fast_words_are_slow_words(bytes: Vec<u8>) {
    let text = String::from_utf8_lossy(&bytes);
    let mut fast = Collect(Vec::new());
    words(&text, &Segmenter::default(), &mut fast);
    assert_eq!(fast.0, slow::words(&text));
}

/// Small files of the corpus.
fn samples(folder: &str, endings: &[&str]) -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    let wanted = |path: &PathBuf| {
        let name = path.to_string_lossy();
        endings.iter().any(|ending| name.ends_with(ending))
    };
    let files = files(&root.join(folder)).into_iter().filter(wanted);
    let found: Vec<Vec<u8>> = files
        .filter_map(|path| std::fs::read(path).ok())
        .filter(|bytes| bytes.len() < 200_000)
        .collect();
    assert!(!found.is_empty(), "no samples in {folder}");
    found
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut all = Vec::new();
    for path in entries.map(|entry| entry.path()) {
        if path.is_dir() {
            all.extend(files(&path));
        } else {
            all.push(path);
        }
    }
    all.sort();
    all
}

fn unpacked(samples: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    let unpack = |bytes: Vec<u8>| {
        let bytes = std::io::Cursor::new(bytes);
        let (_, mut reader) = compress::unpack(Box::new(bytes)).ok()?;
        let mut unpacked = Vec::new();
        // What comes before damage is a sample too.
        let _ = reader.read_to_end(&mut unpacked);
        Some(unpacked)
    };
    samples.into_iter().filter_map(unpack).collect()
}
