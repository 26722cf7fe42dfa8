//! `neardupe dedup`: what is kept stays byte for byte, what is removed has proof, nothing is
//! lost, and nothing is written by halves.

mod archives;
mod fields;
mod laws;
mod modes;
mod refused;

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::Output;

/// A folder in which the program runs.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    /// A folder with these files in `in`.
    pub(crate) fn with(files: &[(&str, &[u8])]) -> Self {
        let folder = Folder::new();
        for (name, content) in files {
            folder.write(&format!("in/{name}"), content);
        }
        folder
    }

    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: &[u8]) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        let path = self.path(name);
        fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        assert_cmd::Command::new(env!("CARGO_BIN_EXE_neardupe"))
            .args(arguments)
            .current_dir(self.0.path())
            .output()
            .unwrap()
    }

    /// Runs `dedup in -o out` with more arguments; checks what always holds.
    pub(crate) fn dedup(&self, arguments: &[&str]) -> Output {
        let all = [&["dedup", "in", "-o", "out"], arguments].concat();
        let output = self.run(&all);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(matches!(output.status.code(), Some(0 | 3)), "{told}");
        let hidden = fs::read_dir(self.0.path()).unwrap();
        let hidden = hidden.map(|entry| entry.unwrap().file_name());
        let hidden = hidden.filter(|name| name.to_string_lossy().starts_with('.'));
        assert_eq!(hidden.count(), 0, "something is left behind");
        self.check_counts();
        output
    }

    /// Kept, removed and bad records are all records: by file and in total.
    fn check_counts(&self) {
        let summary = self.summary();
        let (counts, dedup) = (&summary["counts"], &summary["dedup"]);
        let mut sums = BTreeMap::new();
        for row in rows(&self.read("out/_neardupe/files.jsonl")) {
            let number = |name: &str| row[name].as_u64().unwrap();
            let parts = number("kept") + number("removed") + number("bad_records");
            assert_eq!(parts, number("records"), "{row}");
            for name in ["kept", "removed", "bad_records", "records"] {
                *sums.entry(name).or_insert(0) += number(name);
            }
        }
        for name in ["kept", "removed", "bad_records"] {
            assert_eq!(dedup[name], sums[name], "{name}");
        }
        assert_eq!(counts["records"], sums["records"]);
        assert_eq!(counts["duplicates"], sums["removed"]);
        let removed = rows(&self.read("out/_neardupe/removed.jsonl"));
        assert_eq!(removed.len() as u64, sums["removed"]);
    }

    pub(crate) fn summary(&self) -> Value {
        serde_json::from_slice(&self.read("out/_neardupe/summary.json")).unwrap()
    }

    /// The summary of a result other than the collection.
    pub(crate) fn summary_of(&self, result: &str) -> Value {
        serde_json::from_slice(&self.read(&format!("{result}/summary.json"))).unwrap()
    }

    /// Ids of the rows of a file of JSON lines.
    pub(crate) fn ids(&self, name: &str) -> Vec<String> {
        let ids = rows(&unpacked(name, self.read(name)));
        let ids = ids.iter().map(|row| row["id"].as_str().unwrap().to_owned());
        ids.collect()
    }
}

pub(crate) fn rows(bytes: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(bytes).unwrap();
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// `len` words of a text that shares nothing with those of other seeds.
pub(crate) fn prose(seed: &str, len: usize) -> String {
    let words = (0..len).map(|number| format!("{seed}{number}"));
    words.collect::<Vec<_>>().join(" ")
}

/// A line of JSON.
pub(crate) fn line(id: &str, text: &str) -> String {
    serde_json::json!({"id": id, "text": text}).to_string() + "\n"
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let fast = flate2::Compression::fast();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), fast);
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

/// Unpacks by the ending of the name; what is packed must be so.
pub(crate) fn unpacked(name: &str, bytes: Vec<u8>) -> Vec<u8> {
    let mut out = Vec::new();
    match name.rsplit_once('.').unwrap().1 {
        "gz" => {
            let mut reader = flate2::read::MultiGzDecoder::new(&bytes[..]);
            reader.read_to_end(&mut out).unwrap();
        }
        "zst" => out = zstd::decode_all(&bytes[..]).unwrap(),
        "bz2" => {
            let mut reader = bzip2::read::MultiBzDecoder::new(&bytes[..]);
            reader.read_to_end(&mut out).unwrap();
        }
        _ => out = bytes,
    }
    out
}
