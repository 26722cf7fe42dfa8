//! `judge` on a terminal: single keys, and the terminal is as before whatever happens. The
//! terminal is one that `script` makes; where that is not installed nothing is checked.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

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
    let mut screen = Screen::new(child.stdout.take().unwrap());
    let mut last = "";
    for (before, answer) in typed {
        screen.wait_for(before, || {
            keys.write_all(last.as_bytes()).unwrap();
            keys.flush().unwrap();
        });
        // The program asks and then listens to single keys: what comes between is lost.
        std::thread::sleep(Duration::from_millis(100));
        keys.write_all(answer.as_bytes()).unwrap();
        keys.flush().unwrap();
        last = answer;
    }
    screen.wait_for_end(|| {
        keys.write_all(last.as_bytes()).unwrap();
        keys.flush().unwrap();
    });
    drop(keys);
    child.wait().unwrap();
    Some(String::from_utf8_lossy(&screen.shown).into_owned())
}

/// What a terminal shows. When nothing new comes for long, the last key was lost, as it is
/// for people who type too soon: it is typed again.
struct Screen {
    pieces: Receiver<Vec<u8>>,
    shown: Vec<u8>,
    seen: usize,
}

/// Longer than any answer takes, and how often a key is typed again.
const PATIENCE: Duration = Duration::from_secs(15);
const MOST_AGAIN: usize = 4;

impl Screen {
    fn new(mut screen: impl Read + Send + 'static) -> Self {
        let (send, pieces) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 1 << 12];
            while let Ok(read) = screen.read(&mut buffer) {
                if read == 0 || send.send(buffer[..read].to_vec()).is_err() {
                    break;
                }
            }
        });
        Screen {
            pieces,
            shown: Vec::new(),
            seen: 0,
        }
    }

    /// Takes what comes next; whether it is the end.
    fn take(&mut self, mut again: impl FnMut()) -> bool {
        for _ in 0..MOST_AGAIN {
            match self.pieces.recv_timeout(PATIENCE) {
                Ok(piece) => {
                    self.shown.extend_from_slice(&piece);
                    return false;
                }
                Err(RecvTimeoutError::Disconnected) => return true,
                Err(RecvTimeoutError::Timeout) => again(),
            }
        }
        panic!("nothing more: {}", String::from_utf8_lossy(&self.shown));
    }

    fn wait_for(&mut self, text: &str, mut again: impl FnMut()) {
        loop {
            let new = String::from_utf8_lossy(&self.shown[self.seen..]).into_owned();
            if let Some(at) = new.find(text) {
                self.seen += at + text.len();
                return;
            }
            assert!(!self.take(&mut again), "{text:?} is not shown: {new}");
        }
    }

    fn wait_for_end(&mut self, mut again: impl FnMut()) {
        while !self.take(&mut again) {}
    }
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
