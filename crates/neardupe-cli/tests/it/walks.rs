//! The walks in `examples/` are typed by this test as a newcomer would type them: what they
//! say is printed must be printed.
//!
//! A walk is a Markdown page. Its `console` blocks hold commands (`$ command`, continued
//! after a `\` at the end of a line) and below each what it prints, on standard output and
//! standard error alike. All commands of a walk run in order in one shell, beside a copy of
//! `examples/`, with the program on the path. In what is expected `...` alone on a line stands for
//! any number of lines, and within a line for any text: for what is left out, and for what
//! differs from run to run. A command that fails must be followed by `$ echo $?`.
//!
//! `UPDATE_CASES=1 cargo test -p neardupe-cli walks::` writes what is printed into the pages and keeps
//! the lines with `...` that still hold: look at the changes before keeping them.
#![cfg(unix)]

use crate::lines::{Dots, Line, align, show};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A page of which fewer commands were found was not understood.
const FEWEST_COMMANDS: usize = 8;

#[test]
fn what_the_walks_say_is_printed() {
    let update = std::env::var("UPDATE_CASES").is_ok_and(|value| value == "1");
    let mut report = String::new();
    for path in walks() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).unwrap();
        let mut walk = parse(&text);
        let commands = walk.iter().filter(|part| part.command().is_some()).count();
        assert!(
            commands >= FEWEST_COMMANDS,
            "{name}: only {commands} commands found"
        );
        let faults = run(&mut walk, update);
        if !faults.is_empty() {
            writeln!(report, "\n{name}\n{faults}").unwrap();
        }
        let text_now: String = walk.iter().map(Part::text).collect();
        if text_now != text {
            fs::write(&path, text_now).unwrap();
        }
    }
    let remedy =
        "if this is as it should be: UPDATE_CASES=1 cargo test -p neardupe-cli walks::";
    assert!(report.is_empty(), "{report}\n{remedy}\n");
}

#[test]
fn the_index_names_every_walk_and_no_link_is_dead() {
    let index = fs::read_to_string(examples().join("README.md")).unwrap();
    let walks = walks();
    assert!(walks.len() >= 3, "{walks:?}");
    for walk in &walks {
        let name = walk.file_name().unwrap().to_string_lossy();
        assert!(
            index.contains(&format!("]({name})")),
            "README.md lacks {name}"
        );
    }
    for page in walks.iter().chain([&examples().join("README.md")]) {
        let text = fs::read_to_string(page).unwrap();
        let links: Vec<&str> = text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split([')', '#']).next())
            .filter(|link| !link.is_empty() && !link.starts_with("http"))
            .collect();
        assert!(!links.is_empty(), "{} links to nothing", page.display());
        for link in links {
            let target = examples().join(link);
            assert!(target.exists(), "{}: no {link}", page.display());
        }
    }
}

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// The pages in `examples/` but for its index, in order.
fn walks() -> Vec<PathBuf> {
    let entries = fs::read_dir(examples()).unwrap();
    let mut pages: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    pages.retain(|page| {
        page.extension().is_some_and(|ending| ending == "md")
            && !page.ends_with("README.md")
    });
    pages.sort_unstable();
    pages
}

/// A stretch of a page.
#[derive(Debug, PartialEq, Eq)]
enum Part {
    /// What is only read.
    Prose(String),
    /// What is typed, and what is printed then.
    Command { typed: String, expected: String },
}

impl Part {
    fn text(&self) -> String {
        match self {
            Part::Prose(text) => text.clone(),
            Part::Command { typed, expected } => format!("$ {typed}{expected}"),
        }
    }

    fn command(&self) -> Option<&str> {
        match self {
            Part::Prose(_) => None,
            Part::Command { typed, .. } => Some(typed),
        }
    }
}

/// A page in parts; together they are the page.
fn parse(page: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut in_console = false;
    let mut continued = false;
    for line in page.split_inclusive('\n') {
        match parts.last_mut() {
            Some(Part::Command { typed, .. }) if continued => typed.push_str(line),
            _ if in_console && line.starts_with("$ ") => parts.push(Part::Command {
                typed: line[2..].to_owned(),
                expected: String::new(),
            }),
            Some(Part::Command { expected, .. })
                if in_console && !line.starts_with("```") =>
            {
                expected.push_str(line);
            }
            Some(Part::Prose(text)) => text.push_str(line),
            _ => parts.push(Part::Prose(line.to_owned())),
        }
        let is_command = matches!(parts.last(), Some(Part::Command { expected, .. }) if expected.is_empty());
        continued = in_console && is_command && line.ends_with("\\\n");
        if line.starts_with("```") {
            in_console = !in_console && line.trim_end() == "```console";
        }
    }
    parts
}

/// Runs the commands of a walk; tells what is not as expected, or makes it so.
fn run(walk: &mut [Part], update: bool) -> String {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path().join("examples");
    copy(&examples(), &folder);
    let printed = temporary.path().join("printed");
    fs::create_dir(&printed).unwrap();
    let commands: Vec<String> = walk
        .iter()
        .filter_map(Part::command)
        .map(str::to_owned)
        .collect();
    // One shell for all, as in a terminal: `cd` and `$?` reach the next command.
    let mut script = String::new();
    for (number, command) in commands.iter().enumerate() {
        let file = printed.join(number.to_string());
        let file = file.display();
        write!(
            script,
            "exec >'{file}' 2>&1\n(exit ${{code:-0}})\n{command}code=$?\n\
             echo $code >'{file}.code'\n"
        )
        .unwrap();
    }
    let program = Path::new(env!("CARGO_BIN_EXE_neardupe"));
    let path = format!(
        "{}:{}",
        program.parent().unwrap().display(),
        std::env::var("PATH").unwrap()
    );
    Command::new("sh")
        .args(["-c", &script])
        .current_dir(temporary.path())
        .env("PATH", path)
        .env("LC_ALL", "C")
        // What could change the way texts are printed.
        .env_remove("COLUMNS")
        .env_remove("CLICOLOR_FORCE")
        .env_remove("RUST_BACKTRACE")
        .stdin(Stdio::null())
        .status()
        .unwrap();

    let mut faults = String::new();
    let parts = walk.iter_mut().filter_map(|part| match part {
        Part::Prose(_) => None,
        Part::Command { typed, expected } => Some((typed, expected)),
    });
    for (number, (typed, expected)) in parts.enumerate() {
        let Ok(code) = fs::read_to_string(printed.join(format!("{number}.code"))) else {
            writeln!(faults, "  $ {typed}  the shell did not get here").unwrap();
            continue;
        };
        let asked = commands
            .get(number + 1)
            .is_some_and(|next| next == "echo $?\n");
        if code != "0\n" && !asked {
            writeln!(faults, "  $ {typed}  ended with code {code}").unwrap();
        }
        let actual = fs::read(printed.join(number.to_string())).unwrap();
        // A carriage return before the line end cannot be seen.
        let mut actual = String::from_utf8_lossy(&actual).replace("\r\n", "\n");
        if !actual.is_empty() && !actual.ends_with('\n') {
            actual.push('\n');
        }
        let lines = align(expected, &actual, Dots::Wild);
        if lines.iter().all(|line| matches!(line, Line::Both(_))) {
            continue;
        }
        if update {
            *expected = updated(&lines);
        } else {
            write!(faults, "  $ {typed}{}", show(&lines)).unwrap();
        }
    }
    faults
}

/// What is expected from now on.
fn updated(lines: &[Line]) -> String {
    let mut text = String::new();
    for line in lines {
        match line {
            Line::Both(line) => text.push_str(line),
            Line::Expected(_) => {}
            Line::Printed(line) => match line.split_once(") in ") {
                Some((documents, rest)) if rest.ends_with(" memory\n") => {
                    writeln!(text, "{documents}) in ...").unwrap();
                }
                _ if line.starts_with("join: ") => text.push_str("join: ...\n"),
                _ => text.push_str(line),
            },
        }
    }
    text
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        // What somebody's own walk has left.
        if entry.file_name() == "out" {
            continue;
        }
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn commands_are_told_from_what_they_print() {
    let page =
        "# Walk\n\n```console\n$ a \\\n    b\nc\n\n$ d\n```\nText\n```\n$ e\n```\n";
    let command = |typed: &str, expected: &str| Part::Command {
        typed: typed.to_owned(),
        expected: expected.to_owned(),
    };
    let parts = parse(page);
    assert_eq!(
        parts,
        [
            Part::Prose("# Walk\n\n```console\n".to_owned()),
            command("a \\\n    b\n", "c\n\n"),
            command("d\n", ""),
            Part::Prose("```\nText\n```\n$ e\n```\n".to_owned()),
        ]
    );
    assert_eq!(parts.iter().map(Part::text).collect::<String>(), page);
}

#[test]
fn a_walk_that_is_not_true_is_found_out() {
    let fault = |page: &str| run(&mut parse(&format!("```console\n{page}```\n")), false);
    assert_eq!(
        fault("$ echo a b\na ...\n$ cd examples/pages && ls\n...\npg17\n"),
        ""
    );
    assert_eq!(
        fault("$ false\n$ echo $?\n1\n$ neardupe -V\nneardupe ...\n"),
        ""
    );
    for wrong in [
        "$ echo a\n",
        "$ echo a\nb\n",
        "$ true\na\n",
        "$ false\n",
        "$ neardupe no-such-command\n...\n",
        "$ echo 'a\na\n",
        "$ exit\n$ echo a\na\n",
    ] {
        assert_ne!(fault(wrong), "", "{wrong}");
    }
    let mut walk = parse("```console\n$ echo x; echo b; echo c\na\nb\n...\n```\n");
    assert_eq!(run(&mut walk, true), "");
    assert_eq!(walk[1].text(), "$ echo x; echo b; echo c\nx\nb\n...\n");
}
