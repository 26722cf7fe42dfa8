//! `report.html` as the program writes it: what it says, that it says no more than it may,
//! and that it stays small.

mod hostile;
mod passages;
mod says;

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A folder with input, and jobs in it.
struct Job {
    folder: tempfile::TempDir,
}

impl Job {
    fn new() -> Self {
        Job {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, lines: &[serde_json::Value]) {
        let lines = lines.iter().map(|line| format!("{line}\n"));
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, lines.collect::<String>()).unwrap();
    }

    /// Runs a job within the folder, its output in `out`; the page.
    fn report(&self, command: &[&str], stdin: &str) -> String {
        let mut child = Command::new(env!("CARGO_BIN_EXE_neardupe"))
            .args(command)
            .args(["--output", "out"])
            .current_dir(self.folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(stdin.as_bytes())
            .unwrap();
        assert!(child.wait().unwrap().success());
        let inner = self.path("out/_neardupe/report.html");
        let path = if inner.exists() {
            inner
        } else {
            self.path("out/report.html")
        };
        fs::read_to_string(path).unwrap()
    }
}

/// Many different words, always the same for a number.
fn text(number: usize, words: usize) -> String {
    let words =
        (0..words).map(|at| format!("w{}", (number * 7919 + at * at * 31) % 10_007));
    words.collect::<Vec<_>>().join(" ")
}

/// The text of a page without its tags.
fn plain(page: &str) -> String {
    let body = page.split("<body>").nth(1).unwrap();
    let body = body.split("<script").next().unwrap();
    let mut plain = String::new();
    for piece in body.split('<') {
        plain += piece.split_once('>').map_or(piece, |(_, text)| text);
        plain.push(' ');
    }
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}
