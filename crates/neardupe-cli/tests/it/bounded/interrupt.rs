//! Ctrl-C: what is done is kept if it can be, and the message tells how to go on.

use super::moments::{ALL_READ, Seen};
use super::place::{OUT, Place, binary};
use super::running::{Ended, Running};
use std::fs;
use std::io::Write;
use std::process::Command;

/// How often a job is started that is too fast to be interrupted.
const TRIES: usize = 30;

/// Interrupts jobs when they are ready for it until one was not done before.
fn interrupted(
    place: &Place,
    start: impl Fn() -> Running,
    is_ready: impl Fn(&mut Running) -> bool,
) -> Ended {
    for _ in 0..TRIES {
        let mut job = start();
        if is_ready(&mut job) {
            job.interrupt();
        }
        let ended = job.finish();
        if ended.status.code() != Some(0) {
            return ended;
        }
        fs::remove_dir_all(place.path(OUT)).unwrap();
    }
    panic!("no job was interrupted");
}

fn all_read(place: &Place) -> impl Fn(&mut Running) -> bool + use<'_> {
    move |job| job.wait_until(|| (ALL_READ.1)(&Seen::of(place)))
}

/// Runs a command as it was printed.
fn run_printed(place: &Place, printed: &str) -> Ended {
    // The program is found by its name, as by whoever types it.
    let folder = binary().parent().unwrap().canonicalize().unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::iter::once(folder).chain(std::env::split_paths(&path));
    let mut shell = Command::new("sh");
    shell.args(["-c", printed]);
    shell.env("PATH", std::env::join_paths(paths).unwrap());
    Running::start(shell, &place.path("")).finish()
}

#[test]
fn the_printed_command_goes_on() {
    let place = Place::with_documents(1500);
    let expected = place.undisturbed(&[]);
    // What a shell would take apart, and an end of flags.
    fs::rename(place.path("docs"), place.path("it's docs")).unwrap();
    let fixed = ["find", "--checkpoint", "-o", OUT];
    let bad = ["--max-record-bytes", "512K", "--allow-bad-records", "2"];
    let endings: [&[&str]; 2] = [&["it's docs"], &["--", "it's docs"]];
    for inputs in endings {
        let arguments = [&fixed[..], &bad, inputs].concat();
        let ended = interrupted(&place, || place.command(&arguments), all_read(&place));
        ended.assert_says(130, &["stopped on request", "--resume"]);
        place.assert_no_result("interrupted");
        let (_, printed) = ended.stderr.split_once("go on with: ").unwrap();
        let ended = run_printed(&place, printed);
        ended.assert_says(0, &["going on with the work"]);
        place.assert_result(&expected, printed);
        fs::remove_dir_all(place.path(OUT)).unwrap();
    }
}

#[test]
fn a_resumed_job_can_be_interrupted_again() {
    let place = Place::with_documents(1500);
    let expected = place.undisturbed(&[]);
    let start = || place.find(&["--checkpoint"]);
    interrupted(&place, start, all_read(&place)).assert_code(130);
    let resume = ["--checkpoint", "--resume"];
    let is_going_on = |job: &mut Running| job.wait_until_said("going on");
    let ended = interrupted(&place, || place.find(&resume), is_going_on);
    ended.assert_code(130);
    assert_eq!(
        ended.stderr.matches("--resume").count(),
        1,
        "{}",
        ended.stderr
    );
    place.find(&resume).finish().assert_code(0);
    place.assert_result(&expected, "interrupted twice");
}

#[test]
fn what_cannot_be_read_again_is_not_kept() {
    let place = Place::with_documents(600);
    let documents = fs::read(place.docs("a.jsonl")).unwrap();
    for kind in [&[][..], &["--checkpoint"]] {
        // It reads what is written here, so it cannot be done before it is interrupted.
        let mut job = place.command(&[&["find", "-", "-o", OUT], kind].concat());
        let mut stdin = job.stdin();
        stdin.write_all(&documents).unwrap();
        assert!(job.wait_until(|| place.work().exists()));
        job.interrupt();
        // Enough to notice; nobody listens when it was noticed.
        while stdin.write_all(&documents).is_ok() {}
        drop(stdin);
        let ended = job.finish();
        ended.assert_says(130, &["stopped on request", "nothing was kept"]);
        place.assert_no_result("interrupted");
        place.assert_nothing_is_left("interrupted");
    }
}
