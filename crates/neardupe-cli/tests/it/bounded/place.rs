//! A folder with a collection, in which jobs run, and what they leave there.

use super::running::Running;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder with the collection.
pub(crate) const DOCS: &str = "docs";
/// Where results go.
pub(crate) const OUT: &str = "out";
/// As large as a part of the input at least is.
const PART_BYTES: u64 = 1 << 30;

/// The program: the one that is tested, or the one that is named.
pub(crate) fn binary() -> PathBuf {
    match std::env::var_os("NEARDUPE_BINARY") {
        // Tests run in the folder of their package, the name is given from the top.
        Some(path) => Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../..")
            .join(path),
        None => PathBuf::from(env!("CARGO_BIN_EXE_neardupe")),
    }
}

/// A folder in which jobs run.
pub(crate) struct Place {
    temporary: tempfile::TempDir,
}

/// The files of a result but for its summary.
pub(crate) type Tables = BTreeMap<String, Vec<u8>>;

impl Place {
    /// A folder with a synthetic collection of three parts.
    ///
    /// A part ends when it holds enough bytes. So between the files of documents stand files
    /// that are large by name only: they are holes, and longer than a record may be, so that
    /// nobody reads far into them.
    pub(crate) fn with_documents(number: usize) -> Self {
        let place = Place {
            temporary: tempfile::tempdir().unwrap(),
        };
        let typed = number.to_string();
        let made = ["synth", "--documents", &typed, "-o", "made"];
        place.command(&made).finish().assert_code(0);
        fs::create_dir(place.path(DOCS)).unwrap();
        let all = File::open(place.path("made/documents.jsonl")).unwrap();
        let mut lines = BufReader::with_capacity(1 << 20, all);
        for name in ["a.jsonl", "c.jsonl", "e.jsonl"] {
            let file = File::create(place.docs(name)).unwrap();
            copy_lines(&mut lines, number.div_ceil(3), file);
        }
        for name in ["b.txt", "d.txt"] {
            let mut file = File::create(place.docs(name)).unwrap();
            // What is looked at to tell what a file is.
            file.write_all(&b"This file is far too long.\n".repeat(1 << 10))
                .unwrap();
            file.set_len(PART_BYTES).unwrap();
        }
        fs::remove_dir_all(place.path("made")).unwrap();
        place
    }

    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.temporary.path().join(name)
    }

    /// A file of the collection.
    pub(crate) fn docs(&self, name: &str) -> PathBuf {
        self.path(DOCS).join(name)
    }

    /// The work directory of a job that writes to `out`.
    pub(crate) fn work(&self) -> PathBuf {
        self.path(".out.work")
    }

    /// A command in this folder.
    pub(crate) fn command(&self, arguments: &[&str]) -> Running {
        let mut command = Command::new(binary());
        command.args(arguments);
        Running::start(command, self.temporary.path())
    }

    /// Starts `find` over the collection. Its two files of nothing are known to be bad.
    pub(crate) fn find(&self, arguments: &[&str]) -> Running {
        let fixed = ["find", DOCS, "-o", OUT, "--max-record-bytes", "512K"];
        let known = ["--allow-bad-records", "2"];
        self.command(&[&fixed[..], &known, arguments].concat())
    }

    /// What a job finds that nothing happens to, in memory.
    pub(crate) fn undisturbed(&self, arguments: &[&str]) -> Tables {
        let plain = ["-o", "undisturbed"];
        let fixed = ["find", DOCS, "--max-record-bytes", "512K"];
        let known = ["--allow-bad-records", "2"];
        let all = [&fixed[..], &known, &plain, arguments].concat();
        self.command(&all).finish().assert_code(0);
        assert_eq!(self.summary("undisturbed")["spilled"], false);
        self.tables("undisturbed")
    }

    pub(crate) fn summary(&self, result: &str) -> Value {
        let text = fs::read_to_string(self.path(result).join("summary.json"));
        serde_json::from_str(&text.unwrap()).unwrap()
    }

    pub(crate) fn tables(&self, result: &str) -> Tables {
        let mut tables = files_of(&self.path(result));
        // They tell of time and memory.
        assert!(tables.remove("summary.json").is_some());
        assert!(tables.remove("report.html").is_some());
        // It has the size of the summary.
        assert!(tables.remove("manifest.txt").is_some());
        tables
    }

    /// The result is this one, and nothing else is left.
    pub(crate) fn assert_result(&self, expected: &Tables, after: &str) {
        self.assert_tables(expected, after);
        self.assert_nothing_is_left(after);
    }

    /// The result is this one.
    pub(crate) fn assert_tables(&self, expected: &Tables, after: &str) {
        let found = self.tables(OUT);
        assert!(
            found.keys().eq(expected.keys()),
            "{after}: {:?}",
            found.keys()
        );
        for (name, content) in expected {
            // Not assert_eq: nobody wants to read both.
            assert!(found[name] == *content, "{after}: {name} is another");
        }
    }

    /// No work directory, no half result and no older one that was set aside.
    pub(crate) fn assert_nothing_is_left(&self, after: &str) {
        for entry in fs::read_dir(self.temporary.path()).unwrap() {
            let name = entry.unwrap().file_name();
            let hidden = name.to_string_lossy().starts_with('.');
            assert!(!hidden, "{after}: {name:?} is left");
        }
    }

    /// Neither a result nor a half one.
    pub(crate) fn assert_no_result(&self, after: &str) {
        for name in [OUT, ".out.partial", ".out.old"] {
            assert!(!self.path(name).exists(), "{after}: {name} is there");
        }
    }
}

fn copy_lines(lines: &mut impl BufRead, number: usize, file: File) {
    let mut file = BufWriter::with_capacity(1 << 20, file);
    let mut line = Vec::new();
    for _ in 0..number {
        line.clear();
        lines.read_until(b'\n', &mut line).unwrap();
        file.write_all(&line).unwrap();
    }
    file.flush().unwrap();
}

/// The files of a folder by name; none when it is not there.
pub(crate) fn files_of(folder: &Path) -> Tables {
    let Ok(entries) = fs::read_dir(folder) else {
        return Tables::new();
    };
    let read = entries.map(|entry| {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        (name, fs::read(entry.path()).unwrap())
    });
    read.collect()
}
