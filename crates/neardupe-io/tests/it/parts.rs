//! However a source is cut into parts, and by however many threads they are read, the same
//! records come out of it, in parts that follow each other; and the texts that are written
//! down on the way are the same.

mod cancelled;
mod same_records;
mod texts;

use crate::carriers::Document;
use neardupe_core::document::{
    BadKind, BadRecord, PartRead, Position, Record, Silent, Sink, Source, SourceRead,
};
use neardupe_core::error::Result;
use neardupe_io::source::{FileSource, InputFormat, ReadOptions, discover};
use std::path::Path;

/// A range of a file of lines has as many bytes.
const RANGE_BYTES: u64 = 1 << 20;

/// What came out of a part.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) documents: Vec<(Position, Option<String>, String)>,
    pub(crate) bad: Vec<(Position, BadKind)>,
}

impl Sink for Seen {
    fn document(&mut self, record: &Record<'_>) -> Result<()> {
        let id = record.id.map(str::to_owned);
        let text = record.text.to_owned();
        self.documents.push((record.position, id, text));
        Ok(())
    }

    fn bad_record(&mut self, bad: BadRecord) -> Result<()> {
        self.bad.push((bad.position, bad.kind));
        Ok(())
    }
}

impl Seen {
    fn append(&mut self, mut other: Seen) {
        self.documents.append(&mut other.documents);
        self.bad.append(&mut other.bad);
    }

    fn sorted(mut self) -> Seen {
        self.documents.sort();
        self.bad.sort();
        self
    }
}

/// Documents whose texts differ, with numbers for ids.
pub(crate) fn documents(number: usize, words: usize) -> Vec<Document> {
    let document = |number: usize| {
        let words = (0..words).map(|word| format!("word{}", (number * 7 + word) % 1000));
        let text = words.collect::<Vec<_>>().join(" ");
        Document {
            id: number.to_string(),
            text: format!("A < B & {number}: {text}"),
        }
    };
    (1..=number).map(document).collect()
}

fn source(input: &Path, format: Option<InputFormat>, part_bytes: u64) -> FileSource {
    let arguments = [input.to_str().unwrap().to_owned()];
    let files = discover(&arguments, format).unwrap().files;
    let options = ReadOptions {
        format,
        part_bytes,
        ..ReadOptions::default()
    };
    FileSource::new(files, options)
}

/// Reads all parts: what came out of each, by position, and what the source says of it.
pub(crate) fn read(source: &dyn Source, threads: usize) -> (Vec<Seen>, SourceRead) {
    let mut seen = Vec::new();
    let mut reads: Vec<PartRead> = Vec::new();
    for part in 0..source.num_parts().unwrap() {
        let mut sinks: Vec<Seen> = (0..threads).map(|_| Seen::default()).collect();
        let threads = sinks.iter_mut().map(|sink| sink as &mut dyn Sink).collect();
        reads.push(source.read_part(part, threads, &Silent).unwrap());
        let mut all = Seen::default();
        sinks.into_iter().for_each(|sink| all.append(sink));
        seen.push(all.sorted());
    }
    (seen, SourceRead::gather(source.file_names(), &reads))
}

pub(crate) fn together(parts: Vec<Seen>) -> Seen {
    let mut all = Seen::default();
    parts.into_iter().for_each(|part| all.append(part));
    all
}

/// A folder with files of most formats, one of many ranges and one that cannot be read.
fn mixed(folder: &Path) {
    let small = documents(120, 30);
    for carrier in crate::carriers::ALL {
        if !carrier.is_forced {
            (carrier.write)(&folder.join(carrier.name), &small);
        }
    }
    let [plain, gzip, ..] = crate::carriers::ALL;
    let large = documents(4000, 120);
    (plain.write)(&folder.join("large.jsonl"), &large);
    (gzip.write)(&folder.join("large.jsonl.gz"), &large);
    let bytes = folder.join("large.jsonl").metadata().unwrap().len();
    assert!(bytes > 3 * RANGE_BYTES, "{bytes}");
    std::fs::write(folder.join("middle.jsonl"), b"PK\x03\x04 no lines at all").unwrap();
}
