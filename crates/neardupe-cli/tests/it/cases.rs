//! Program tests as text: every folder in `tests/cases` is a case, and adding one needs no
//! Rust.
//!
//! A case has a file `cmd`, the files its commands read, and what is expected:
//!
//! | name | what |
//! |---|---|
//! | `cmd` | one command a line, as typed: `neardupe find docs.jsonl --keep first`; words with spaces in quotes; lines that begin with `#` say what the case shows |
//! | `stdin` | piped into each command |
//! | `stdout`, `stderr` | what must be printed; absent when nothing is. Of several commands each that prints is headed by `$` and its line |
//! | `exit` | the exit code: one for all commands, or one line for each; absent when all are 0 |
//! | `expected/` | files that must be there afterwards, byte for byte, under the same relative path; other files are not looked at |
//! | anything else | input, copied to an empty folder in which the commands run |
//!
//! Besides, in every case: no hidden file stays behind, and a command that ends with code 1
//! or 2 leaves all files as they were.
//!
//! What differs from run to run is masked in what is printed (never in `expected/`):
//!
//! - `N documents (SIZE) in ...` keeps only its first half;
//! - the line that begins with `join:` and, in JSON, the objects `ledger` and `seconds` lose
//!   their content;
//! - the lines of `--compare-filters` keep the setting and what it found;
//! - in JSON the values of `version`, `threads`, `memory` and `peak_memory_bytes`, and in the answer to
//!   `--version` the version, become `[version]` and so on;
//! - the path of the folder becomes `[folder]`;
//! - the lines of stages, which a command prints when it takes over two seconds, are removed.
//!
//! Each is a test of its own, `cases::each::` and the name with `_` instead of `-`; one that was added
//! since the last build runs in `cases_that_are_new`.
//!
//! `UPDATE_CASES=1 cargo test -p neardupe-cli cases::` rewrites `stdout`, `stderr`, `exit` and the
//! files that are in `expected/` (to have one more compared, make an empty one there first): look at the
//! changes before keeping them.

use crate::lines::{Dots, align, show};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// Names that are not input.
const RESERVED: [&str; 6] = ["cmd", "stdin", "stdout", "stderr", "exit", "expected"];

/// One test for each folder, by the build script.
mod each {
    include!(concat!(env!("OUT_DIR"), "/cases.rs"));
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases")
}

fn run(name: &str) {
    let case = root().join(name);
    let update = std::env::var("UPDATE_CASES").is_ok_and(|value| value == "1");
    let outcome = Outcome::of(&case);
    let faults = if update {
        outcome.store(&case)
    } else {
        outcome.faults(&case)
    };
    let remedy = format!(
        "if this is as it should be: UPDATE_CASES=1 cargo test -p neardupe-cli cases::each::{}",
        name.replace('-', "_")
    );
    assert!(faults.is_empty(), "\ncase {name}\n{faults}\n{remedy}\n");
}

/// Folders that were added after the list was made.
#[test]
fn cases_that_are_new() {
    let folders = fs::read_dir(root()).unwrap();
    let names = folders.map(|folder| name_of(&folder.unwrap().path()));
    for name in names.filter(|name| !each::NAMES.contains(&name.as_str())) {
        run(&name);
    }
    assert!(each::NAMES.len() > 80, "{}", each::NAMES.len());
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

/// What the commands of a case did.
#[derive(Default)]
struct Outcome {
    stdout: String,
    stderr: String,
    exit: String,
    /// Files afterwards, by path relative to the folder.
    files: BTreeMap<PathBuf, Vec<u8>>,
    /// Laws that were broken.
    broken: String,
}

impl Outcome {
    fn of(case: &Path) -> Self {
        let temporary = tempfile::tempdir().unwrap();
        // A linked temporary folder would be printed under its true name.
        let folder = temporary.path().canonicalize().unwrap();
        for (path, content) in files_below(case) {
            let first = path
                .components()
                .next()
                .unwrap()
                .as_os_str()
                .to_string_lossy();
            if !RESERVED.contains(&first.as_ref()) {
                write_file(&folder.join(path), &content);
            }
        }
        let commands = read_text(&case.join("cmd"));
        let commands: Vec<&str> = commands
            .lines()
            .filter(|line| !line.starts_with('#') && !line.trim().is_empty())
            .collect();
        assert!(
            !commands.is_empty(),
            "case {}: cmd has no command",
            name_of(case)
        );
        let stdin = fs::read(case.join("stdin")).unwrap_or_default();
        let mut outcome = Outcome {
            files: files_below(&folder),
            ..Outcome::default()
        };
        for &command in &commands {
            let head = if commands.len() > 1 {
                format!("$ {command}\n")
            } else {
                String::new()
            };
            outcome.run(command, &head, &stdin, &folder);
        }
        let codes: Vec<&str> = outcome.exit.lines().collect();
        if codes.iter().all(|&code| code == codes[0]) {
            outcome.exit = if codes[0] == "0" {
                String::new()
            } else {
                format!("{}\n", codes[0])
            };
        }
        outcome
    }

    /// Runs a command; `head` is put before what it prints.
    fn run(&mut self, command: &str, head: &str, stdin: &[u8], folder: &Path) {
        let words = split(command);
        let [program, arguments @ ..] = &words[..] else {
            panic!("an empty command")
        };
        assert_eq!(program, "neardupe", "commands begin with neardupe");
        let output = assert_cmd::Command::new(env!("CARGO_BIN_EXE_neardupe"))
            .args(arguments)
            .current_dir(folder)
            // What could change the way texts are printed.
            .env_remove("COLUMNS")
            .env_remove("CLICOLOR_FORCE")
            .env_remove("RUST_BACKTRACE")
            .write_stdin(stdin)
            .output()
            .unwrap();
        let code = output.status.code();
        let shown = code.map_or("ended by a signal".to_owned(), |code| code.to_string());
        writeln!(self.exit, "{shown}").unwrap();
        for (all, printed) in [
            (&mut self.stdout, &output.stdout),
            (&mut self.stderr, &output.stderr),
        ] {
            if !printed.is_empty() {
                *all += head;
                *all += &mask(printed, folder);
            }
        }
        let before = std::mem::replace(&mut self.files, files_below(folder));
        if matches!(code, Some(1 | 2)) && before != self.files {
            writeln!(self.broken, "failed, but changed files: {command}").unwrap();
        }
        for path in self.files.keys().filter(|path| !before.contains_key(*path)) {
            if path
                .components()
                .any(|part| part.as_os_str().to_string_lossy().starts_with('.'))
            {
                writeln!(self.broken, "left {} behind: {command}", path.display())
                    .unwrap();
            }
        }
    }

    /// What is printed, under the names of the files that say what is expected.
    fn printed(&self) -> [(&str, &str); 3] {
        [
            ("stdout", &self.stdout),
            ("stderr", &self.stderr),
            ("exit", &self.exit),
        ]
    }

    /// Where the outcome is not what is expected; empty when it is.
    fn faults(&self, case: &Path) -> String {
        let mut faults = self.broken.clone();
        for (name, actual) in self.printed() {
            let expected = fs::read(case.join(name)).unwrap_or_default();
            compare(name, &expected, Some(actual.as_bytes()), &mut faults);
        }
        for (path, expected) in files_below(&case.join("expected")) {
            let actual = self.files.get(&path).map(Vec::as_slice);
            compare(&path.display().to_string(), &expected, actual, &mut faults);
        }
        faults
    }

    /// Makes the outcome what is expected; what could not be stored.
    fn store(&self, case: &Path) -> String {
        let mut faults = self.broken.clone();
        for (name, actual) in self.printed() {
            let path = case.join(name);
            if !actual.is_empty() {
                write_file(&path, actual.as_bytes());
            } else if path.exists() {
                fs::remove_file(&path).unwrap();
            }
        }
        for path in files_below(&case.join("expected")).keys() {
            match self.files.get(path) {
                Some(actual) => write_file(&case.join("expected").join(path), actual),
                None => writeln!(faults, "{} was not written", path.display()).unwrap(),
            }
        }
        faults
    }
}

/// All files below a folder by relative path; none when there is no such folder.
fn files_below(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut open = vec![PathBuf::new()];
    while let Some(inner) = open.pop() {
        let Ok(entries) = fs::read_dir(folder.join(&inner)) else {
            continue;
        };
        for entry in entries {
            let entry = entry.unwrap();
            let path = inner.join(entry.file_name());
            if entry.file_type().unwrap().is_dir() {
                open.push(path);
            } else {
                files.insert(path, fs::read(entry.path()).unwrap());
            }
        }
    }
    files
}

fn read_text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn write_file(path: &Path, content: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

/// Words of a command line; single and double quotes hold words together.
fn split(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut open = None;
    for ch in command.chars() {
        match (open, ch) {
            (Some(quote), _) if ch == quote => open = None,
            (None, '"' | '\'') => {
                open = Some(ch);
                word.get_or_insert_default();
            }
            (None, ' ') => words.extend(word.take()),
            _ => word.get_or_insert_default().push(ch),
        }
    }
    assert_eq!(open, None, "a quote is not closed: {command}");
    words.extend(word);
    words
}

/// Text as printed, without what differs from run to run; see the top of this file.
fn mask(printed: &[u8], folder: &Path) -> String {
    let text = String::from_utf8_lossy(printed);
    let text = text.replace(&*folder.to_string_lossy(), "[folder]");
    let mut masked = String::new();
    let mut hidden = false;
    for line in text.split_inclusive('\n') {
        let indent = &line[..line.len() - line.trim_start().len()];
        let content = line.trim();
        let comma = if content.ends_with(',') { "," } else { "" };
        let json_key = content
            .strip_prefix('"')
            .and_then(|rest| rest.split_once("\": "));
        if hidden {
            hidden = !content.starts_with('}');
            if !hidden {
                masked.push_str(&format!("...}}{comma}\n"));
            }
        } else if let Some((key @ ("ledger" | "seconds"), "{")) = json_key {
            hidden = true;
            masked.push_str(&format!("{indent}\"{key}\": {{"));
        } else if let Some((
            key @ ("version" | "threads" | "memory" | "peak_memory_bytes"),
            _,
        )) = json_key
        {
            masked.push_str(&format!("{indent}\"{key}\": [{key}]{comma}\n"));
        } else if let Some((documents, _)) = content.split_once(") in ")
            && content.ends_with(" memory")
        {
            masked.push_str(&format!("{documents}) in [seconds], [rate], [memory]\n"));
        } else if is_progress(content) {
            // Printed only by commands that take over two seconds, as any may on a busy machine.
        } else if content.starts_with("join: ") {
            masked.push_str("join: [ledger]\n");
        } else if let Some((setting, found)) = compared_filter(content) {
            masked.push_str(&format!("{indent}{setting} [ledger] {found} [seconds]\n"));
        } else if content == concat!("neardupe ", env!("CARGO_PKG_VERSION")) {
            masked.push_str("neardupe [version]\n");
        } else {
            masked.push_str(line);
        }
    }
    masked
}

/// Whether a line says how long a stage took: `read      464.6 MB in 1.3 s, 365.8 MB/s`.
fn is_progress(line: &str) -> bool {
    let Some((before, after)) = line.split_once(" s, ").or(line.split_once(" s")) else {
        return false;
    };
    let mut words = before.split_whitespace();
    let stage = words.next().unwrap_or_default();
    let seconds = words.next_back().unwrap_or_default();
    let is_rate = after.is_empty() || after.ends_with("/s");
    let is_stage = stage.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_last = words.next_back().is_none_or(|word| word == "in");
    is_stage && is_rate && is_last && seconds.parse::<f64>().is_ok()
}

/// The setting of a line of `--compare-filters`, and how many pairs it found.
fn compared_filter(line: &str) -> Option<(&str, &str)> {
    let words: Vec<&str> = line.strip_suffix(" x")?.split_whitespace().collect();
    let [
        ..,
        _postings,
        _candidates,
        _verified,
        found,
        _seconds,
        _times,
    ] = words[..]
    else {
        return None;
    };
    // Numbers stand apart from the setting, whose words do not.
    Some((line.split_once("  ")?.0, found))
}

fn compare(name: &str, expected: &[u8], actual: Option<&[u8]>, faults: &mut String) {
    let Some(actual) = actual else {
        writeln!(faults, "  {name}: was not written").unwrap();
        return;
    };
    if expected != actual {
        writeln!(faults, "  {name}: - expected, + found").unwrap();
        let expected = String::from_utf8_lossy(expected);
        let actual = String::from_utf8_lossy(actual);
        faults.push_str(&show(&align(&expected, &actual, Dots::Literal)));
    }
}

#[test]
fn quotes_hold_words_together() {
    assert_eq!(split("a  'b c' \"\" d'e f'"), ["a", "b c", "", "de f"]);
}

#[test]
fn only_what_differs_from_run_to_run_is_masked() {
    let printed = "1 documents (5 B) in 0.01 s, 90.9 kB/s, 6.3 MB memory\n\
                   join: 3 sets\n  \"threads\": 8,\n  \"seconds\": {\n    \"total\": 1\n  },\n\
                   read /x/y/docs.jsonl in memory\n  \
                   no length filter        1,024      9      8      7     0.001     1.5 x\n";
    let expected = "1 documents (5 B) in [seconds], [rate], [memory]\n\
                    join: [ledger]\n  \"threads\": [threads],\n  \"seconds\": {...},\n\
                    read [folder]/docs.jsonl in memory\n  \
                    no length filter [ledger] 7 [seconds]\n";
    assert_eq!(mask(printed.as_bytes(), Path::new("/x/y")), expected);
}
