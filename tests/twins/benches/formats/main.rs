//! Reading and extracting in each format, beside the crates made for it alone.
//!
//! `make bench-formats`. One thread, everything from files in the page cache, best of
//! several rounds in which all take turns. What is compared:
//!
//! - *alone*: the field's crates do the least that makes text: `fastwarc` reads records and
//!   HTTP heads, `lol_html` gives text chunks as written, `serde_json` borrows two fields,
//!   `parquet` decodes two columns into Arrow arrays, `jieba-rs` cuts Chinese text;
//! - *reading*: our source to a sink that only counts: character sets, entities, white
//!   space and blocks included;
//! - *find*: the whole job, with features, join and clusters.
//!
//! The answer is checked: all carriers of the same pages must give the same texts, and as
//! many documents as the crates alone.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "a program that measures: a panic is how it fails"
)]

mod alone;
mod carriers;
mod pages;

use carriers::Carried;
use neardupe_core::document::{BadRecord, Record, Silent, Sink, Source};
use neardupe_core::error::Result;
use neardupe_core::hash;
use neardupe_core::pipeline::{FindConfig, find};
use neardupe_io::source::{FileSource, ReadOptions, TextType, discover};
use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

const ROUNDS: usize = 5;

/// Counts what is read.
#[derive(Debug, Default)]
struct Count {
    documents: u64,
    bytes: u64,
    /// A sum of hashes, so that their order does not matter.
    texts: u128,
}

impl Sink for Count {
    fn document(&mut self, record: &Record<'_>) -> Result<()> {
        self.documents += 1;
        self.bytes += record.text.len() as u64;
        self.texts = self.texts.wrapping_add(hash::text(record.text));
        Ok(())
    }

    fn bad_record(&mut self, bad: BadRecord) -> Result<()> {
        panic!("{bad:?}");
    }
}

fn options(carried: &Carried) -> ReadOptions {
    let mut options = ReadOptions::default();
    // Some of them hold pages in fields of JSON.
    options.text.text_type = TextType::Auto;
    options.keys.text = vec![carried.text_key.to_owned()];
    options
}

fn source(carried: &Carried) -> FileSource {
    let arguments = [carried.path.to_str().unwrap().to_owned()];
    FileSource::new(discover(&arguments, None).unwrap().files, options(carried))
}

fn reading(carried: &Carried) -> Count {
    let mut count = Count::default();
    let source = source(carried);
    for part in 0..source.num_parts().unwrap() {
        let sinks: Vec<&mut dyn Sink> = vec![&mut count];
        source.read_part(part, sinks, &Silent).unwrap();
    }
    count
}

fn whole_job(carried: &Carried, work: &Path) -> u64 {
    let mut config = FindConfig::new(work.join("work"));
    config.threads = 1;
    config.words = carried.words.clone();
    let result = find(&source(carried), &config, &Silent).unwrap();
    result.totals.documents
}

/// Best seconds of each work, taking turns.
fn best<const N: usize>(mut works: [&mut dyn FnMut(); N]) -> [f64; N] {
    let mut seconds = [f64::MAX; N];
    for _ in 0..ROUNDS {
        for (work, best) in works.iter_mut().zip(&mut seconds) {
            let start = Instant::now();
            work();
            *best = best.min(start.elapsed().as_secs_f64());
        }
    }
    seconds
}

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let pages = pages::web();
    let laws = pages::chinese();
    let mut report = String::new();
    writeln!(
        report,
        "pages: {}; Chinese: {}\n",
        pages.origin, laws.origin
    )
    .unwrap();
    report +=
        "| format | input | crates alone | reading | of alone | find | of alone |\n";
    report += "|---|--:|--:|--:|--:|--:|--:|\n";
    let mut same_texts = None;
    for carried in carriers::write_all(folder.path(), &pages.texts, &laws.texts) {
        let megabytes = carried.input_bytes as f64 / 1e6;
        let read = reading(&carried);
        assert_eq!(read.documents, carried.documents, "{}", carried.name);
        if carried.same_pages {
            let expected = same_texts.get_or_insert(read.texts);
            assert_eq!(read.texts, *expected, "{}: other texts", carried.name);
        }
        let mut alone = || assert_eq!((carried.alone)(&carried.path), carried.documents);
        let mut ours = || assert_eq!(reading(&carried).documents, carried.documents);
        let mut job = || {
            assert_eq!(whole_job(&carried, folder.path()), carried.documents);
        };
        let [alone, ours, job] = best([&mut alone, &mut ours, &mut job]);
        let speed = |seconds: f64| format!("{:.0} MB/s", megabytes / seconds);
        let row = format!(
            "| {} | {megabytes:.0} MB | {} | {} | {:.2} | {} | {:.2} |",
            carried.name,
            speed(alone),
            speed(ours),
            alone / ours,
            speed(job),
            alone / job
        );
        println!("{row}");
        report += &row;
        report.push('\n');
    }
    if let Some(path) = std::env::var_os("RECORD") {
        std::fs::write(path, heading() + &report).unwrap();
    }
}

fn heading() -> String {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu.lines().find(|line| line.starts_with("model name"));
    let model = model
        .and_then(|line| line.split(": ").nth(1))
        .unwrap_or("unknown");
    format!(
        "# Reading and extracting, by format\n\nWritten by `make bench-formats`. One thread \
         of {model}, best of {ROUNDS} rounds in which all take turns. MB/s are of the \
         input as stored in this row's format (compressed input counts unpacked).\n\n"
    )
}
