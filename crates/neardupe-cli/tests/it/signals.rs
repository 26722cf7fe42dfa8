//! Signals, with real processes: a job that waits for input ends at the first one, and a limit on the size of
//! files is an error like a full disk.

use crate::dedup::Folder;
use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Longer than any of these jobs takes to end, on a busy machine.
const LIMIT: Duration = Duration::from_secs(60);

fn start(folder: &Folder, arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_neardupe"))
        .args(arguments)
        .current_dir(folder.path(""))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Sends one signal; the code with which the program ends.
fn code_after(job: &mut Child, signal: &str) -> Option<i32> {
    let pid = job.id().to_string();
    assert!(
        Command::new("kill")
            .args([signal, &pid])
            .status()
            .unwrap()
            .success()
    );
    let since = Instant::now();
    while since.elapsed() < LIMIT {
        if let Some(status) = job.try_wait().unwrap() {
            return status.code();
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    job.kill().unwrap();
    job.wait().unwrap();
    panic!("the job does not end");
}

#[test]
fn a_job_that_waits_for_a_pipe_ends_at_the_first_signal() {
    for (signal, code) in [("-INT", 130), ("-TERM", 143)] {
        for (input, threads) in [("pipe", "1"), ("pipe", "4"), ("-", "1"), ("-", "4")] {
            let folder = Folder::new();
            let made = Command::new("mkfifo").arg(folder.path("pipe")).status();
            assert!(made.unwrap().success());
            let arguments = ["find", input, "-o", "out", "-q", "--threads", threads];
            let mut job = start(&folder, &arguments);
            let since = Instant::now();
            // It has opened its work directory, so signals are heard.
            while !folder.path(".out.work").exists() && since.elapsed() < LIMIT {
                std::thread::sleep(Duration::from_millis(5));
            }
            assert_eq!(
                code_after(&mut job, signal),
                Some(code),
                "{input} {threads}"
            );
            let left = fs::read_dir(folder.path("")).unwrap().count();
            assert_eq!(left, 1, "only the pipe is left");
        }
    }
}

#[test]
fn a_file_that_may_not_grow_is_an_error() {
    let mut lines = String::new();
    for number in 0..2000 {
        lines += &format!(
            "{{\"id\":\"{number}\",\"text\":\"{}\"}}\n",
            "a b c d e f ".repeat(9)
        );
    }
    let folder = Folder::with(&[("a.jsonl", lines.as_bytes())]);
    let program = env!("CARGO_BIN_EXE_neardupe");
    let script = format!("ulimit -f 20; exec '{program}' find in -o out -q");
    let output = Command::new("sh")
        .args(["-c", &script])
        .current_dir(folder.path(""))
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("File too large"), "{said}");
    assert_eq!(fs::read_dir(folder.path("")).unwrap().count(), 1, "{said}");
}
