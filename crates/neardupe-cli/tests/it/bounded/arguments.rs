//! What can be typed wrongly about memory, the work directory and resuming.

use super::place::{OUT, Place};
use std::fs;

#[test]
fn memory_that_is_too_little_or_no_size() {
    let place = Place::with_documents(30);
    for (typed, says) in [
        ("100M", "at least 256M"),
        ("1", "at least 256M"),
        ("268435455", "at least 256M"),
        ("0", "is not a size"),
        ("x", "is not a size"),
        ("", "is not a size"),
        ("-1G", "is not a size"),
    ] {
        let quoted = format!("{typed:?}");
        let ended = place.find(&[&format!("--memory={typed}")]).finish();
        ended.assert_says(2, &["--memory", &quoted, says]);
        place.assert_no_result(typed);
        place.assert_nothing_is_left(typed);
    }
    place.find(&["--memory", "256M"]).finish().assert_code(0);
    place.assert_nothing_is_left("256M");
}

#[test]
fn standard_input_cannot_be_resumed() {
    let place = Place::with_documents(30);
    for input in ["-", "/dev/stdin"] {
        let ended = place
            .command(&["find", input, "-o", OUT, "--resume"])
            .finish();
        ended.assert_says(2, &["--resume", "only once"]);
        place.assert_no_result(input);
        place.assert_nothing_is_left(input);
    }
}

#[test]
fn the_work_directory_can_be_elsewhere() {
    let place = Place::with_documents(600);
    let expected = place.undisturbed(&[]);
    fs::create_dir(place.path("elsewhere")).unwrap();
    let arguments = ["--checkpoint", "--work-dir", "elsewhere"];
    let mut job = place.find(&arguments);
    let work = place.path("elsewhere/.out.work");
    assert!(job.wait_until(|| work.join("manifest").exists()));
    assert!(!place.work().exists());
    job.kill();
    let resumed = [&arguments[..], &["--resume"]].concat();
    place.find(&resumed).finish().assert_code(0);
    place.assert_result(&expected, "elsewhere");
    assert_eq!(fs::read_dir(place.path("elsewhere")).unwrap().count(), 0);
}
