//! Input that is damaged, odd or large: what can be read is read, what cannot is recorded
//! with its place, and nothing is lost. The data are made here because they are too large
//! or too binary for the text cases.
//!
//! Every run checks, whatever its test is about: records = documents + bad records in
//! `summary.json`, as many rows in `bad-records.jsonl`, code 3 exactly when there are any,
//! and nothing left beside the result.

mod compressed;
mod files;
mod hostile;
mod lines;
mod records;
mod same_bytes;

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// A folder with input, in which the program runs.
struct Folder {
    temporary: tempfile::TempDir,
}

impl Folder {
    fn new() -> Self {
        Folder {
            temporary: tempfile::tempdir().unwrap(),
        }
    }

    /// A folder with one file.
    fn with(name: &str, content: impl AsRef<[u8]>) -> Self {
        let folder = Folder::new();
        folder.write(name, content);
        folder
    }

    fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.temporary.path().join(name)
    }

    fn write(&self, name: impl AsRef<Path>, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn command(&self, arguments: &[&str]) -> assert_cmd::Command {
        let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_neardupe"));
        command
            .current_dir(self.temporary.path())
            .args(["find", "--quiet"])
            .args(arguments);
        command
    }

    /// Runs `neardupe find` to a result in `neardupe-out`.
    fn find(&self, arguments: &[&str]) -> Found {
        self.found(&mut self.command(arguments))
    }

    fn find_in(&self, stdin: &[u8], arguments: &[&str]) -> Found {
        self.found(self.command(arguments).write_stdin(stdin))
    }

    fn found(&self, command: &mut assert_cmd::Command) -> Found {
        let output = command.output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        // Texts are short here, and seeds tell files apart.
        let is_expected = |line: &&str| {
            let idle = [
                "no document is long enough",
                "WARNING: --seed: ",
                // The result of the run before.
                "WARNING: passed over ",
            ];
            !idle.iter().any(|part| line.contains(part))
        };
        let told: Vec<&str> = stderr.lines().filter(is_expected).collect();
        assert_eq!((output.stdout.len(), told), (0, Vec::new()));
        self.assert_nothing_is_left();
        let found = Found::read(&self.path("neardupe-out"), output.status.code());
        found.assert_nothing_is_lost();
        found
    }

    /// Runs a command that must fail with code 1; what it says.
    fn fail(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        self.assert_nothing_is_left();
        String::from_utf8(output.stderr).unwrap()
    }

    fn assert_nothing_is_left(&self) {
        for entry in fs::read_dir(self.temporary.path()).unwrap() {
            let name = entry.unwrap().file_name();
            assert!(!name.to_string_lossy().starts_with('.'), "{name:?} is left");
        }
    }
}

/// A row of `bad-records.jsonl`.
#[derive(Debug, PartialEq, Eq)]
struct Bad {
    path: String,
    number: u64,
    offset: u64,
    kind: String,
    detail: String,
}

impl Bad {
    fn place(&self) -> (&str, u64, u64, &str) {
        (&self.path, self.number, self.offset, &self.kind)
    }
}

/// What a run found.
#[derive(Debug)]
struct Found {
    code: Option<i32>,
    summary: Value,
    bad: Vec<Bad>,
    pairs: String,
    clusters: String,
    duplicates: String,
}

impl Found {
    fn read(result: &Path, code: Option<i32>) -> Self {
        let text = |name: &str| fs::read_to_string(result.join(name)).unwrap();
        let table = |name: &str| {
            let jsonl = result.join(format!("{name}.jsonl"));
            let ending = if jsonl.exists() { "jsonl" } else { "tsv" };
            text(&format!("{name}.{ending}"))
        };
        let bad = text("bad-records.jsonl");
        let bad = bad.lines().map(|line| {
            let row: Value = serde_json::from_str(line).unwrap();
            let string = |key: &str| row[key].as_str().unwrap().to_owned();
            Bad {
                path: string("path"),
                number: row["number"].as_u64().unwrap(),
                offset: row["offset"].as_u64().unwrap(),
                kind: string("kind"),
                detail: string("detail"),
            }
        });
        Found {
            code,
            summary: serde_json::from_str(&text("summary.json")).unwrap(),
            bad: bad.collect(),
            pairs: table("pairs"),
            clusters: table("clusters"),
            duplicates: table("duplicates"),
        }
    }

    fn count(&self, name: &str) -> usize {
        usize::try_from(self.summary["counts"][name].as_u64().unwrap()).unwrap()
    }

    fn documents(&self) -> usize {
        self.count("documents")
    }

    fn assert_nothing_is_lost(&self) {
        let bad = self.count("bad_records");
        assert_eq!(self.count("records"), self.documents() + bad);
        assert_eq!(self.bad.len(), bad);
        let kinds = self.summary["bad_records_by_kind"].as_object().unwrap();
        let by_kind: u64 = kinds.values().map(|number| number.as_u64().unwrap()).sum();
        assert_eq!(by_kind, bad as u64);
        assert_eq!(self.code, Some(if bad > 0 { 3 } else { 0 }));
        assert!(
            self.bad
                .iter()
                .all(|bad| bad.number > 0 && !bad.detail.is_empty())
        );
    }

    /// Path, number, offset and kind of each bad record.
    fn places(&self) -> Vec<(&str, u64, u64, &str)> {
        self.bad.iter().map(Bad::place).collect()
    }

    /// The files that do not depend on threads, memory or the order of the input.
    fn tables(&self) -> [&str; 3] {
        [&self.pairs, &self.clusters, &self.duplicates]
    }
}

/// A small deterministic source of numbers.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }

    fn words(&mut self, number: usize) -> Vec<String> {
        (0..number)
            .map(|_| format!("w{}", self.below(5000)))
            .collect()
    }
}

/// A line of JSON lines, with its line end.
fn line(id: &str, text: &str) -> String {
    format!("{}\n", serde_json::json!({ "id": id, "text": text }))
}

/// Documents as JSON lines: every fourth is a copy of the one three before it with one word
/// changed, every tenth an exact copy.
fn collection(number: usize, seed: u64) -> Vec<String> {
    let mut numbers = Numbers(seed);
    let mut texts: Vec<Vec<String>> = Vec::new();
    for at in 0..number {
        let text = match at {
            3.. if at % 4 == 3 => {
                let mut words = texts[at - 3].clone();
                let changed = numbers.below(words.len());
                words[changed] = "changed".to_owned();
                words
            }
            9.. if at % 10 == 9 => texts[at - 9].clone(),
            _ => {
                let len = 40 + numbers.below(60);
                numbers.words(len)
            }
        };
        texts.push(text);
    }
    let lines = texts.iter().enumerate();
    lines
        .map(|(at, words)| line(&format!("d{at:04}"), &words.join(" ")))
        .collect()
}
