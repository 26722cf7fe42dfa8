//! Every kind of input that once took far more memory than `--memory` allows: what is read stays within
//! it, and what cannot be is refused with a word about the memory that would be enough.
//!
//! The long form has the sizes that were measured; the short one the same shapes, smaller, and a limit
//! that is smaller too.
#![cfg(target_os = "linux")]

use super::Numbers;
use super::place::binary;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// A document as long as 256M allow.
const LONGEST: usize = 4 << 20;
/// What a job with 256M may use: a quarter more.
const MOST_BYTES: u64 = 320 << 20;
/// The same for small inputs: the program as built for tests, its threads, and some room.
const MOST_OF_SMALL: u64 = 160 << 20;

/// A job over one of the inputs.
struct Job {
    arguments: &'static [&'static str],
    /// How it ends: 0, or 3 where records were refused.
    code: i32,
}

const JOBS: &[Job] = &[
    job(&["find", "longest", "-o", "out"], 0),
    job(
        &["find", "longest", "-o", "out", "--features", "grams:8"],
        3,
    ),
    job(&["passages", "longest", "-o", "out"], 0),
    job(&["find", "too-long", "-o", "out"], 3),
    job(&["passages", "too-long", "-o", "out"], 3),
    job(&["find", "lines", "-o", "out"], 3),
    job(&["find", "page", "-o", "out", "--content", "main"], 0),
    job(&["find", "pages", "-o", "out", "--content", "main"], 3),
    job(&["find", "named", "-o", "out"], 3),
    job(&["plan", "tiny"], 0),
    job(&["plan", "tiny", "--method", "minhash"], 0),
    job(&["find", "equal", "-o", "out"], 0),
    job(&["find", "ids", "-o", "out"], 0),
    job(&["find", "texts", "-o", "out", "--features", "terms"], 0),
    job(
        &[
            "find",
            "texts",
            "-o",
            "out",
            "--sample",
            "adaptive:precision=0.9",
        ],
        0,
    ),
    job(&["study", "sampling", "texts", "-o", "out"], 0),
];

const fn job(arguments: &'static [&'static str], code: i32) -> Job {
    Job { arguments, code }
}

#[test]
fn memory_is_bounded_for_every_kind_of_small_input() {
    walk(16, MOST_OF_SMALL);
}

#[test]
#[ignore = "long: run by make test-long"]
fn memory_is_bounded_for_every_kind_of_input() {
    walk(1, MOST_BYTES);
}

/// Runs all jobs over inputs that are so many times smaller.
fn walk(smaller: usize, most_bytes: u64) {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    write_inputs(folder, smaller);
    let mut too_much = Vec::new();
    for job in JOBS {
        let peak = peak_of(folder, job);
        eprintln!("{:4} MB  {}", peak >> 20, job.arguments.join(" "));
        if peak > most_bytes {
            too_much.push((job.arguments, peak));
        }
        if job.code == 3 {
            assert_says_why(&folder.join("out/bad-records.jsonl"), job);
        }
        let _ = fs::remove_dir_all(folder.join("out"));
    }
    assert!(too_much.is_empty(), "more than {most_bytes}: {too_much:?}");
}

/// Every record that was refused has the reason, and how much memory is enough.
fn assert_says_why(bad_records: &Path, job: &Job) {
    let bad = fs::read_to_string(bad_records).unwrap();
    let too_long = bad.lines().filter(|line| line.contains("\"too-long\""));
    let says_why =
        |line: &str| line.contains("`memory`; ") && line.contains("M are enough");
    assert!(too_long.clone().count() > 0, "{:?}: {bad}", job.arguments);
    for line in too_long {
        assert!(says_why(line), "{:?}: {line}", job.arguments);
    }
}

/// The largest memory of a job, which must end as expected.
fn peak_of(folder: &Path, job: &Job) -> u64 {
    let said = File::create(folder.join("stderr")).unwrap();
    let mut child = Command::new(binary())
        .args(job.arguments)
        .args(["--memory", "256M", "--threads", "2"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(said)
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    let ended = loop {
        // The largest so far: it is enough to look now and then, and at the end.
        let read = fs::read_to_string(&status).unwrap_or_default();
        let line = read.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
        peak = peak.max(kilobytes.map_or(0, |number| number.parse().unwrap()));
        if let Some(ended) = child.try_wait().unwrap() {
            break ended;
        }
        sleep(Duration::from_millis(2));
    };
    let said = fs::read_to_string(folder.join("stderr")).unwrap();
    assert_eq!(ended.code(), Some(job.code), "{:?}: {said}", job.arguments);
    peak << 10
}

fn write_inputs(folder: &Path, smaller: usize) {
    let mut numbers = Numbers(7);
    let mut input = |name: &str, write: &mut dyn FnMut(&mut dyn Write, &mut Numbers)| {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut file = BufWriter::new(File::create(path).unwrap());
        write(&mut file, &mut numbers);
        file.flush().unwrap();
    };
    for name in ["longest/a.txt", "longest/b.txt", "longest/c.txt"] {
        input(name, &mut |out, numbers| words(out, numbers, LONGEST));
    }
    let too_long = LONGEST + 120_000_000 / smaller;
    for name in ["too-long/a.txt", "too-long/b.txt"] {
        input(name, &mut |out, numbers| words(out, numbers, too_long));
    }
    input("lines/a.jsonl", &mut |out, numbers| {
        for bytes in [LONGEST - 100, too_long, LONGEST - 100] {
            out.write_all(b"{\"text\":\"").unwrap();
            words(out, numbers, bytes);
            out.write_all(b"\"}\n").unwrap();
        }
    });
    for (name, bytes) in [("page/a.html", LONGEST), ("pages/a.html", 27_000_000)] {
        input(name, &mut |out, numbers| page(out, numbers, bytes));
    }
    input("named/a.jsonl", &mut |out, _| {
        out.write_all(b"{\"text\":\"a few words of a text\"}\n")
            .unwrap();
    });
    input("named/summary.json", &mut |out, numbers| {
        out.write_all(b"{\"options\":\"").unwrap();
        words(out, numbers, 300_000_000 / smaller);
        out.write_all(b"\"}").unwrap();
    });
    input("tiny/a.jsonl", &mut |out, numbers| {
        for number in 0..2_500_000 / (smaller * smaller.min(2)) {
            let (one, other) = (numbers.below(1 << 30), numbers.below(1 << 30));
            writeln!(
                out,
                "{{\"id\":\"{number}\",\"text\":\"w{one:x} w{other:x}\"}}"
            )
            .unwrap();
        }
    });
    input("equal/a.jsonl", &mut |out, _| {
        for number in 0..2_500_000 / (smaller * smaller.min(4)) {
            let text = "the very same page of some words";
            writeln!(out, "{{\"id\":\"{number}\",\"text\":\"{text}\"}}").unwrap();
        }
    });
    input("ids/a.jsonl", &mut |out, _| {
        let start = "x".repeat(4990);
        for number in 0..100_000 / smaller {
            let text = "the very same page of some words";
            writeln!(out, "{{\"id\":\"{start}{number}\",\"text\":\"{text}\"}}").unwrap();
        }
    });
    input("texts/a.jsonl", &mut |out, numbers| {
        for number in 0..100_000 / smaller {
            write!(out, "{{\"id\":\"{number}\",\"text\":\"").unwrap();
            words(out, numbers, 1600);
            out.write_all(b"\"}\n").unwrap();
        }
    });
}

/// Words until there are so many bytes.
fn words(out: &mut dyn Write, numbers: &mut Numbers, bytes: usize) {
    let mut line = String::with_capacity(bytes.min(1 << 20) + 16);
    let mut left = bytes;
    while left > 0 {
        line.clear();
        while line.len() < left.min(1 << 20) {
            line.push_str(&format!("w{:x} ", numbers.below(50_000_000)));
        }
        line.truncate(left);
        out.write_all(line.as_bytes()).unwrap();
        left -= line.len();
    }
}

/// A page of paragraphs of so many bytes.
fn page(out: &mut dyn Write, numbers: &mut Numbers, bytes: usize) {
    const END: &str = "</p></article>";
    out.write_all(b"<html><body><article>").unwrap();
    let mut left = bytes - 21 - END.len();
    while left > 0 {
        let paragraph = left.min(500);
        let tags = if paragraph > 7 { "<p>" } else { "" };
        out.write_all(tags.as_bytes()).unwrap();
        words(out, numbers, paragraph - tags.len());
        left -= paragraph;
    }
    out.write_all(END.as_bytes()).unwrap();
}
