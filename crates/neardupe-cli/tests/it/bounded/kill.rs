//! Jobs that are killed and resumed until they are done.

use super::Numbers;
use super::moments::{ALL, FIRST_PART_READ, RESULT_AND_WORK, SECOND_PART, Seen};
use super::place::{Place, Tables};
use super::running::Running;
use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

const CHECKPOINT: &str = "--checkpoint";

/// Kills jobs at random moments, resumes each until it is done, and compares; until there
/// were so many kills.
pub(crate) fn kill_at_random(
    place: &Place,
    arguments: &[&str],
    expected: &Tables,
    kills: usize,
    numbers: &mut Numbers,
) {
    let find = |arguments: &[&str]| place.find(arguments);
    kill_started_at_random(place, find, arguments, expected, kills, numbers);
}

/// The same with jobs of any kind.
pub(crate) fn kill_started_at_random(
    place: &Place,
    start_job: impl Fn(&[&str]) -> Running,
    arguments: &[&str],
    expected: &Tables,
    kills: usize,
    numbers: &mut Numbers,
) {
    let start = Instant::now();
    start_job(arguments).finish().assert_code(0);
    place.assert_result(expected, "not killed");
    let duration = start.elapsed();
    let mut done = 0;
    while done < kills {
        let mut told = String::new();
        let mut resume = false;
        loop {
            let with_resume = [arguments, &["--resume"]].concat();
            let job = start_job(if resume { &with_resume } else { arguments });
            // What is killed may be killed again.
            if resume && (done == kills || numbers.below(3) == 0) {
                job.finish().assert_code(0);
                break;
            }
            let after = duration * u32::try_from(numbers.below(1000)).unwrap() / 1000;
            sleep(after);
            if !job.kill() {
                break;
            }
            let stage = Seen::of(place).stages.pop().unwrap_or_default();
            told += &format!(" killed after {after:.2?} {stage}");
            (done, resume) = (done + 1, true);
        }
        place.assert_result(expected, &told);
        eprintln!("{done} of {kills}, {duration:.2?} undisturbed:{told}");
    }
}

#[test]
fn killed_at_random_moments() {
    let mut numbers = Numbers::seeded(1);
    let place = Place::with_documents(3000);
    let expected = place.undisturbed(&[]);
    assert!(expected["duplicates.jsonl"].len() > 10_000);
    kill_at_random(&place, &[CHECKPOINT], &expected, 5, &mut numbers);
}

#[test]
fn killed_at_every_stage() {
    let place = Place::with_documents(1500);
    // All pairs are sought after the clusters, so that there is time to be killed then.
    let arguments = [CHECKPOINT, "--pairs", "all"];
    let expected = place.undisturbed(&arguments[1..]);
    for moment in ALL {
        place.kill_at(moment, &arguments);
        let resumed = [&arguments[..], &["--resume"]].concat();
        place.find(&resumed).finish().assert_code(0);
        place.assert_result(&expected, moment.0);
    }
}

/// A part is done as a whole or not at all: if some of its files were in the manifest, they
/// would be written again under the same names, and the next kill would leave them damaged.
#[test]
fn killed_again_and_again_in_the_same_part() {
    let place = Place::with_documents(1500);
    let expected = place.undisturbed(&[]);
    place.kill_at(SECOND_PART, &[CHECKPOINT]);
    let resume = [CHECKPOINT, "--resume"];
    for _ in 0..3 {
        let mut job = place.find(&resume);
        if job.wait_until_said("going on") {
            job.wait_until(|| (SECOND_PART.1)(&Seen::of(&place)));
        }
        job.kill();
    }
    let mut job = place.find(&resume);
    let done = job.wait_until(|| {
        let seen = Seen::of(&place);
        for part in ["00000", "00001", "00002"] {
            let entered =
                ["read", "features"].map(|kind| seen.stage(&format!("{kind}-{part}")));
            assert_eq!(entered[0], entered[1], "{seen:?}");
        }
        false
    });
    assert!(!done);
    job.finish().assert_code(0);
    place.assert_result(&expected, "killed again and again");
}

/// Removing files takes a while, too. What is left of the work must not be taken for work.
#[test]
fn killed_while_the_work_is_removed() {
    let place = Place::with_documents(300);
    let expected = place.undisturbed(&["--write-text"]);
    for _ in 0..6 {
        place.kill_at(RESULT_AND_WORK, &[CHECKPOINT, "--write-text"]);
        place.assert_tables(&expected, RESULT_AND_WORK.0);
        let resumed = [CHECKPOINT, "--write-text", "--resume"];
        place.find(&resumed).finish().assert_code(0);
        place.assert_result(&expected, RESULT_AND_WORK.0);
    }
}

#[test]
fn killed_with_other_ways_to_cluster() {
    let mut numbers = Numbers::seeded(2);
    let place = Place::with_documents(1000);
    for cluster in ["components", "neighbors"] {
        let arguments = [CHECKPOINT, "--cluster", cluster, "--keep", "shortest"];
        let expected = place.undisturbed(&arguments[1..]);
        kill_at_random(&place, &arguments, &expected, 2, &mut numbers);
    }
}

#[test]
fn killed_while_texts_are_written_down() {
    let mut numbers = Numbers::seeded(3);
    let place = Place::with_documents(1500);
    let expected = place.undisturbed(&["--write-text"]);
    assert!(expected["texts.jsonl"].len() > 1_000_000);
    let arguments = [CHECKPOINT, "--write-text"];
    kill_at_random(&place, &arguments, &expected, 4, &mut numbers);
}

/// Killed jobs, then one that is not resumed: it starts anew and says so.
#[test]
fn what_a_killed_job_left_is_removed_by_a_new_one() {
    let place = Place::with_documents(1500);
    let expected = place.undisturbed(&[]);
    for arguments in [&[][..], &[CHECKPOINT]] {
        place.kill_at(FIRST_PART_READ, &[CHECKPOINT]);
        // Of a job that was killed later.
        fs::create_dir(place.path(".out.partial")).unwrap();
        let own = ".out.partial/.own-files";
        fs::write(place.path(own), "files of neardupe\n").unwrap();
        fs::write(place.path(".out.partial/pairs.jsonl"), "{").unwrap();
        let ended = place.find(arguments).finish();
        ended.assert_says(0, &["discarded an unfinished job", "--resume"]);
        place.assert_result(&expected, "started anew");
    }
}

#[test]
fn nothing_to_resume_is_no_error() {
    let place = Place::with_documents(300);
    let expected = place.undisturbed(&[]);
    let ended = place.find(&["--resume"]).finish();
    ended.assert_says(0, &["nothing to resume; starting from the beginning"]);
    place.assert_result(&expected, "nothing to resume");
    let wait = Duration::from_millis(1);
    // Killed before anything was done: there is nothing either.
    let job = place.find(&[CHECKPOINT]);
    sleep(wait);
    job.kill();
    place
        .find(&[CHECKPOINT, "--resume"])
        .finish()
        .assert_code(0);
    place.assert_result(&expected, "killed at once");
}
