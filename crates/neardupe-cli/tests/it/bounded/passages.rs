//! Searches for passages that are ended by force, and what goes on with them.

use super::Numbers;
use super::kill::kill_started_at_random;
use super::moments::{ALL_READ, FIRST_PART_READ, Moment, RESULT_AND_WORK};
use super::place::{DOCS, OUT, Place, Tables};
use super::repeat::spoil;
use super::running::Running;
use std::fs;
use std::path::Path;

const CHECKPOINT: &str = "--checkpoint";
const SEARCHED: Moment = ("texts are searched", |seen| seen.stage("search"));
const TEXTS_WRITTEN: Moment = ("texts are being written", |seen| {
    seen.files.iter().any(|name| name.starts_with("cut-00000"))
});

fn passages<'a>(place: &'a Place, output: &str, arguments: &[&'a str]) -> Running {
    let fixed = ["passages", DOCS, "-o", output, "--max-record-bytes", "1M"];
    let known = ["--allow-bad-records", "2"];
    place.command(&[&fixed[..], &known, arguments].concat())
}

/// What a search finds that nothing happens to, in memory.
fn undisturbed(place: &Place, arguments: &[&str]) -> Tables {
    passages(place, "undisturbed", arguments)
        .finish()
        .assert_code(0);
    assert_eq!(place.summary("undisturbed")["spilled"], false);
    place.tables("undisturbed")
}

fn resume(place: &Place, arguments: &[&str]) -> super::running::Ended {
    passages(place, OUT, &[arguments, &["--resume"]].concat()).finish()
}

#[test]
fn killed_at_every_stage() {
    let place = Place::with_documents(900);
    let expected = undisturbed(&place, &["--write-text"]);
    assert!(expected["passages.jsonl"].len() > 10_000);
    let arguments = [CHECKPOINT, "--write-text"];
    let moments = [
        TEXTS_WRITTEN,
        FIRST_PART_READ,
        ALL_READ,
        SEARCHED,
        RESULT_AND_WORK,
    ];
    for moment in moments {
        place.kill_started_at(moment, || passages(&place, OUT, &arguments));
        resume(&place, &arguments).assert_code(0);
        place.assert_result(&expected, moment.0);
    }
}

#[test]
fn killed_at_random_moments() {
    let mut numbers = Numbers::seeded(11);
    let place = Place::with_documents(900);
    let expected = undisturbed(&place, &[]);
    let start = |arguments: &[&str]| passages(&place, OUT, arguments);
    kill_started_at_random(&place, start, &[CHECKPOINT], &expected, 4, &mut numbers);
}

#[test]
#[ignore = "long: run by make test-long"]
fn killed_at_random_moments_with_little_memory() {
    let mut numbers = Numbers::seeded(12);
    let place = Place::with_documents(100_000);
    let expected = undisturbed(&place, &["--memory", "4G"]);
    let start = |arguments: &[&str]| passages(&place, OUT, arguments);
    let little = ["--memory", "256M"];
    kill_started_at_random(&place, start, &little, &expected, 20, &mut numbers);
    assert_eq!(place.summary(OUT)["spilled"], true);
}

/// Whoever read a spoilt file again would find other texts.
#[test]
fn nothing_is_read_again_when_all_was_read() {
    let place = Place::with_documents(600);
    for signature in [&[][..], &["--signature", "words:4", "--gamma", "1"]] {
        let expected = undisturbed(&place, signature);
        let arguments = [&[CHECKPOINT], signature].concat();
        place.kill_started_at(ALL_READ, || passages(&place, OUT, &arguments));
        let names = ["a.jsonl", "c.jsonl", "e.jsonl"];
        let whole = names.map(|name| fs::read(place.docs(name)).unwrap());
        for name in names {
            spoil(&place.docs(name));
        }
        resume(&place, &arguments).assert_says(0, &["going on with the work"]);
        place.assert_result(&expected, "spoilt");
        for (name, whole) in names.iter().zip(whole) {
            fs::write(place.docs(name), whole).unwrap();
        }
    }
}

#[test]
fn only_the_same_job_goes_on() {
    let place = Place::with_documents(600);
    let expected = undisturbed(&place, &[]);
    let templates = place.path("templates.txt");
    fs::write(
        &templates,
        "some words of a template that nobody has repeated",
    )
    .unwrap();
    place.kill_started_at(FIRST_PART_READ, || passages(&place, OUT, &[CHECKPOINT]));
    let refused = |arguments: &[&str], texts: &[&str]| {
        resume(&place, arguments).assert_says(2, texts);
        place.assert_no_result("another job");
    };
    refused(&["--min-words", "30"], &["--min-words", "20", "30"]);
    refused(&["--expand"], &["--expand", "false", "true"]);
    refused(
        &["--ignore", "templates.txt"],
        &["--ignore", "templates.txt"],
    );
    let find = place.find(&[CHECKPOINT, "--resume"]).finish();
    find.assert_says(2, &["of the command passages, this one of find"]);
    // All is as it was; these may change.
    let free = [
        "--threads",
        "1",
        "--memory",
        "300M",
        "--offsets",
        "characters",
    ];
    resume(&place, &free).assert_says(0, &["going on with the work"]);
    place.assert_result(&expected, "with other threads and memory");
}

#[test]
fn ctrl_c_says_how_to_go_on() {
    let place = Place::with_documents(900);
    let expected = undisturbed(&place, &[]);
    for _ in 0..30 {
        let mut job = passages(&place, OUT, &[CHECKPOINT]);
        if job.wait_until(|| super::moments::Seen::of(&place).stage("read-00002")) {
            job.interrupt();
        }
        let ended = job.finish();
        if ended.status.code() == Some(0) {
            fs::remove_dir_all(place.path(OUT)).unwrap();
            continue;
        }
        ended.assert_says(
            130,
            &["stopped on request", "go on with: neardupe passages"],
        );
        place.assert_no_result("interrupted");
        resume(&place, &[CHECKPOINT]).assert_says(0, &["going on with the work"]);
        place.assert_result(&expected, "interrupted");
        return;
    }
    panic!("no job was interrupted");
}

#[test]
fn what_can_be_read_only_once_is_not_resumed() {
    let place = Place::with_documents(30);
    for option in ["--resume", CHECKPOINT] {
        let ended = place
            .command(&["passages", "-", "-o", OUT, option])
            .finish();
        ended.assert_says(
            2,
            &[option, "standard input and pipes can be read only once"],
        );
        place.assert_no_result(option);
        place.assert_nothing_is_left(option);
    }
}

/// All files of a folder and of those in it, but those that tell of time and memory.
fn all_files(folder: &Path, files: &mut Tables) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy();
        if path.is_dir() {
            all_files(&path, files);
        } else if name != "summary.json" && name != "manifest.txt" {
            files.insert(name.clone().into_owned(), fs::read(&path).unwrap());
        }
    }
}

#[test]
fn dedup_of_passages_goes_on() {
    let place = Place::with_documents(900);
    let dedup = |output: &str, more: &[&str]| {
        let fixed = [
            "dedup",
            "docs/a.jsonl",
            "docs/c.jsonl",
            "--passages",
            "-o",
            output,
        ];
        place.command(&[&fixed[..], more].concat())
    };
    dedup("undisturbed", &[]).finish().assert_code(0);
    let mut expected = Tables::new();
    all_files(&place.path("undisturbed"), &mut expected);
    assert!(expected["removed-passages.jsonl"].len() > 1000);
    for moment in [FIRST_PART_READ, SEARCHED] {
        place.kill_started_at(moment, || dedup(OUT, &[CHECKPOINT]));
        let other = dedup(OUT, &[CHECKPOINT, "--resume", "--sentence-share", "0.9"]);
        other.finish().assert_says(2, &["--sentence-share", "0.9"]);
        let ended = dedup(OUT, &[CHECKPOINT, "--resume"]).finish();
        ended.assert_says(0, &["going on with the work"]);
        let mut found = Tables::new();
        all_files(&place.path(OUT), &mut found);
        assert!(found == expected, "{}: {:?}", moment.0, found.keys());
        place.assert_nothing_is_left(moment.0);
    }
}
