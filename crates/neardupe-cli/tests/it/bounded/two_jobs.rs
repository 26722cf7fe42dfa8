//! Two jobs at once with the same output.

use super::place::{OUT, Place};
use std::fs;
use std::io::Write;

#[test]
fn the_second_is_refused_and_the_first_goes_on() {
    let place = Place::with_documents(600);
    let documents = fs::read(place.docs("a.jsonl")).unwrap();
    for checkpoint in [&[][..], &["--checkpoint"]] {
        // The first one waits for its input for as long as it must.
        let arguments = ["find", "-", "-o", OUT, "--input-format", "jsonl"];
        let mut first = place.command(&[&arguments[..], checkpoint].concat());
        let mut stdin = first.stdin();
        assert!(first.wait_until(|| place.work().join("lock").exists()));
        for second in [&[][..], &["--checkpoint"], &["--resume"]] {
            let ended = place.find(second).finish();
            ended.assert_says(2, &["--output", "another job is at work", ".out.work"]);
        }
        place.assert_no_result("the first is at work");
        stdin.write_all(&documents).unwrap();
        drop(stdin);
        first.finish().assert_code(0);
        place.assert_nothing_is_left("the first is done");
        assert_eq!(place.summary(OUT)["counts"]["documents"], 200);
        fs::remove_dir_all(place.path(OUT)).unwrap();
    }
}
