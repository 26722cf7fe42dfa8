//! What is done is not done again, and only the same job goes on.

use super::moments::{ALL_READ, FIRST_PART_READ, KEPT, Moment};
use super::place::{OUT, Place};
use std::fs::{self, File};
use std::path::Path;

const RESUME: [&str; 2] = ["--checkpoint", "--resume"];

/// Makes the content of a file another one; its size and its time stay.
pub(crate) fn spoil(path: &Path) {
    let modified = fs::metadata(path).unwrap().modified().unwrap();
    let mut bytes = fs::read(path).unwrap();
    bytes
        .iter_mut()
        .filter(|byte| byte.is_ascii_lowercase())
        .for_each(|byte| *byte = b'x');
    fs::write(path, bytes).unwrap();
    let file = File::options().append(true).open(path).unwrap();
    file.set_modified(modified).unwrap();
}

/// Whoever read a spoilt file again would find other texts.
fn resumed_over_spoilt_input(moment: Moment, spoilt: &[&str]) -> serde_json::Value {
    let place = Place::with_documents(900);
    let expected = place.undisturbed(&["--write-text"]);
    place.kill_at(moment, &["--checkpoint", "--write-text"]);
    for name in spoilt {
        spoil(&place.docs(name));
    }
    let arguments = [&RESUME[..], &["--write-text"]].concat();
    place
        .find(&arguments)
        .finish()
        .assert_says(0, &["going on with the work"]);
    place.assert_result(&expected, moment.0);
    place.summary(OUT)["seconds"].clone()
}

#[test]
fn a_part_that_was_read_is_not_read_again() {
    resumed_over_spoilt_input(FIRST_PART_READ, &["a.jsonl"]);
}

#[test]
fn nothing_is_read_again_when_all_was_read() {
    let all = ["a.jsonl", "c.jsonl", "e.jsonl"];
    let seconds = resumed_over_spoilt_input(ALL_READ, &all);
    assert!(seconds["count"].is_number() && seconds["select"].is_number());
}

#[test]
fn sets_that_were_selected_are_not_selected_again() {
    let all = ["a.jsonl", "c.jsonl", "e.jsonl"];
    let seconds = resumed_over_spoilt_input(KEPT, &all);
    let stages = seconds.as_object().unwrap();
    assert!(stages.contains_key("join"), "{seconds}");
    for repeated in ["count", "select"] {
        assert!(!stages.contains_key(repeated), "{seconds}");
    }
}

#[test]
fn only_the_same_job_goes_on() {
    let place = Place::with_documents(900);
    let expected = place.undisturbed(&[]);
    place.kill_at(FIRST_PART_READ, &["--checkpoint", "--threads", "2"]);
    let refused = |arguments: &[&str], texts: &[&str]| {
        let all = [&RESUME[..], arguments].concat();
        place.find(&all).finish().assert_says(2, texts);
        place.assert_no_result("another job");
    };
    let threshold = ["--threshold", "0.8", "0.7"];
    refused(&["--threshold", "0.7"], &threshold);
    refused(&["--keep", "first"], &["--keep", "longest", "first"]);
    refused(&["--write-text"], &["--write-text", "true", "false"]);
    refused(&["--cluster", "none"], &["--cluster", "star", "none"]);

    let path = place.docs("c.jsonl");
    let (whole, modified) = (
        fs::read(&path).unwrap(),
        fs::metadata(&path).unwrap().modified().unwrap(),
    );
    let more = [&whole[..], b"{\"id\":\"more\",\"text\":\"more\"}\n"].concat();
    fs::write(&path, more).unwrap();
    refused(&[], &["--resume", "c.jsonl has changed"]);
    fs::remove_file(&path).unwrap();
    refused(&[], &["--resume", "c.jsonl"]);
    fs::write(&path, whole).unwrap();
    refused(&[], &["--resume", "c.jsonl has changed"]);
    File::options()
        .append(true)
        .open(&path)
        .unwrap()
        .set_modified(modified)
        .unwrap();
    fs::write(place.docs("f.jsonl"), "").unwrap();
    refused(&[], &["--resume", "reads 5 files, this one 6"]);
    fs::remove_file(place.docs("f.jsonl")).unwrap();

    // All is as it was; these may change.
    let free = ["--threads", "1", "--memory", "300M", "--threshold", "0.80"];
    let all = [&["--resume"], &free[..]].concat();
    place
        .find(&all)
        .finish()
        .assert_says(0, &["going on with the work"]);
    place.assert_result(&expected, "with other threads and memory");
}
