//! `judge` on a terminal: single keys, and the terminal is as before whatever happens. The
//! terminal is one that `script` makes; where that is not installed nothing is checked.
#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    reason = "a test program: whatever is not there is a failure or told"
)]

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

const PROGRAM: &str = env!("CARGO_BIN_EXE_neardupe");

/// Runs a line of a shell on a terminal of its own, types what is given whenever the text
/// before it has been printed, and returns all that was printed.
fn on_terminal(folder: &Path, line: &str, typed: &[(&str, &str)]) -> Option<String> {
    let child = Command::new("script")
        .args(["-q", "-e", "-c", line, "/dev/null"])
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .env("TERM", "xterm")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(error) => {
            // Not println: the test harness hides what it prints in tests that pass.
            let message = format!("skipped: keys on a terminal: script: {error}\n");
            std::io::stderr().write_all(message.as_bytes()).unwrap();
            return None;
        }
    };
    let mut keys = child.stdin.take().unwrap();
    let mut screen = child.stdout.take().unwrap();
    let mut shown = Vec::new();
    let mut seen = 0;
    let mut buffer = [0; 1 << 12];
    for (before, answer) in typed {
        loop {
            let text = String::from_utf8_lossy(&shown[seen..]).into_owned();
            if let Some(at) = text.find(before) {
                seen += at + before.len();
                break;
            }
            let read = screen.read(&mut buffer).unwrap();
            assert!(read > 0, "{before:?} is not shown: {text}");
            shown.extend_from_slice(&buffer[..read]);
        }
        keys.write_all(answer.as_bytes()).unwrap();
        keys.flush().unwrap();
    }
    screen.read_to_end(&mut shown).unwrap();
    drop(keys);
    child.wait().unwrap();
    Some(String::from_utf8_lossy(&shown).into_owned())
}

fn result(folder: &Path) {
    let text = "the harbour was quiet that morning and the fishermen sat on the wall mending \
                their nets while the gulls waited for the first boat";
    let lines: String = (0..3)
        .map(|number| format!("{{\"id\":\"d{number}\",\"text\":\"{text} {number}\"}}\n"))
        .collect();
    fs::write(folder.join("docs.jsonl"), lines).unwrap();
    let found = Command::new(PROGRAM)
        .args([
            "find",
            "docs.jsonl",
            "--pairs",
            "all",
            "--quiet",
            "-o",
            "out",
        ])
        .current_dir(folder)
        .status();
    assert!(found.unwrap().success());
}

const ASKED: &str = "[q]uit: ";

#[test]
fn single_keys_label_pairs() {
    let folder = tempfile::tempdir().unwrap();
    result(folder.path());
    let line = format!("stty -a > before; {PROGRAM} judge out; stty -a > after");
    let typed = [
        (ASKED, "d"),
        (ASKED, "k"),
        ("other words): ", "2\n"),
        (ASKED, "n"),
        (ASKED, "b"),
        (ASKED, "u"),
        (ASKED, "d"),
    ];
    let Some(shown) = on_terminal(folder.path(), &line, &typed) else {
        return;
    };
    assert!(shown.contains("3 of 3 pairs are judged"), "{shown}");
    let labels =
        fs::read_to_string(folder.path().join("out.labels/judge.jsonl")).unwrap();
    assert_eq!(labels.lines().count(), 3, "{labels}");
    let count = |label: &str| labels.matches(&format!("\"label\":\"{label}\"")).count();
    assert_eq!((count("duplicate"), count("unclear")), (2, 1), "{labels}");
    assert!(labels.contains("\"kind\":\"version\""), "{labels}");
    same_terminal(folder.path());
}

#[test]
fn the_terminal_is_as_before_after_ctrl_c() {
    let folder = tempfile::tempdir().unwrap();
    result(folder.path());
    let line =
        format!("stty -a > before; {PROGRAM} judge out; echo code $?; stty -a > after");
    let typed = [(ASKED, "d"), (ASKED, "\u{3}")];
    let Some(shown) = on_terminal(folder.path(), &line, &typed) else {
        return;
    };
    assert!(shown.contains("code 130"), "{shown}");
    let labels =
        fs::read_to_string(folder.path().join("out.labels/judge.jsonl")).unwrap();
    assert_eq!(labels.lines().count(), 1, "{labels}");
    same_terminal(folder.path());
}

fn same_terminal(folder: &Path) {
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    assert_eq!(read("before"), read("after"));
    assert!(!read("before").is_empty());
}
