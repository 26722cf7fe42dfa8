//! Disks that are full: a small file system in memory, which the program alone can see.

use super::moments::files_of_stages;
use super::place::{OUT, Place, Tables, binary, files_of};
use super::running::{Ended, Running};
use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

/// Makes a file system with the limits `$1`, runs the program that follows, and copies to
/// `after` what is there then. If asked to, it makes room then and goes on.
const ON_SMALL_DISK: &str = r#"
mount -t tmpfs -o "$1" tmpfs small || exit 99
if test -d before; then cp -R before/. small/ || exit 98; fi
shift
"$@"; code=$?
mkdir after && cp -R small/. after/ || exit 97
if test "$code,$GO_ON" = 1,yes; then
    mount -o remount,size=1g,nr_inodes=1000 small || exit 96
    "$@" --resume || exit 95
    test -z "$(ls -A small)" || exit 94
fi
exit $code
"#;

/// How to get a place where file systems can be mounted, without any trace outside.
fn unshare(place: &Place) -> Option<&'static [&'static str]> {
    fs::create_dir(place.path("small")).unwrap();
    let ways: [&[&str]; 2] = [&["-m"], &["-r", "-m"]];
    let mut reason = String::new();
    for way in ways {
        let mut command = Command::new("unshare");
        command
            .args(way)
            .args(["mount", "-t", "tmpfs", "tmpfs", "small"]);
        match Running::try_start(command, &place.path("")).map(Running::finish) {
            Ok(ended) if ended.status.success() => return Some(way),
            Ok(ended) => reason = ended.stderr,
            Err(error) => reason = error.to_string(),
        }
    }
    eprintln!("skipped: no small file system can be made: {reason}");
    None
}

struct SmallDisk<'a> {
    place: &'a Place,
    unshare: &'static [&'static str],
    go_on: bool,
}

impl SmallDisk<'_> {
    /// Runs the program with a disk of these limits as the folder `small`.
    fn run(&self, limits: &str, arguments: &[&str]) -> Ended {
        let _ = fs::remove_dir_all(self.place.path("after"));
        let mut command = Command::new("unshare");
        command.args(self.unshare);
        command.args(["sh", "-c", ON_SMALL_DISK, "sh", limits]);
        command.arg(binary()).args(arguments);
        command.env("GO_ON", if self.go_on { "yes" } else { "no" });
        Running::start(command, &self.place.path("")).finish()
    }
}

/// Limits on the number of files, then on bytes up to this many.
fn limits(bytes: usize) -> Vec<String> {
    let files = (2..15).map(|files| format!("size=1g,nr_inodes={files}"));
    let shares = [5, 76, 85, 92, 98];
    let bytes =
        shares.map(|share| format!("size={},nr_inodes=1000", bytes / 100 * share));
    files.chain(bytes).collect()
}

#[test]
fn of_the_work_directory() {
    let place = Place::with_documents(900);
    let Some(unshare) = unshare(&place) else {
        return;
    };
    let work = ["--checkpoint", "--work-dir", "small"];
    let arguments = [&["find", "docs/a.jsonl", "-o", OUT], &work[..]].concat();
    let undisturbed = place.command(&arguments).finish();
    undisturbed.assert_code(0);
    let expected = place.tables(OUT);
    let needed = place.summary(OUT)["peak_disk_bytes"].as_u64().unwrap();
    let disk = SmallDisk {
        place: &place,
        unshare,
        go_on: true,
    };
    let (mut full, mut gone_on) = (BTreeSet::new(), 0);
    for limits in limits(usize::try_from(needed).unwrap()) {
        fs::remove_dir_all(place.path(OUT)).unwrap();
        let ended = disk.run(&limits, &arguments);
        let code = ended.status.code().unwrap();
        assert!(code <= 1, "{limits}: {code} {}", ended.stderr);
        // Either all was done at once, or after there was room.
        place.assert_result(&expected, &limits);
        if code == 0 {
            continue;
        }
        let first = ended
            .stderr
            .lines()
            .find(|line| line.contains("--work-dir"));
        let first = first.unwrap_or_else(|| panic!("{limits}: {}", ended.stderr));
        if first.contains("the disk is full") {
            let (before, _) = first.split_once(": the disk is full").unwrap();
            full.insert(before.rsplit_once('/').unwrap().1.to_owned());
        } else {
            assert!(first.contains("disk space in small"), "{limits}: {first}");
        }
        // What it promised is what it did.
        let went_on = ended.stderr.contains("going on with the work");
        assert_eq!(first.contains("then go on with"), went_on, "{limits}");
        gone_on += usize::from(went_on);
        assert_only_work(&place, &limits);
    }
    eprintln!("full when it wrote {full:?}; {gone_on} went on");
    assert!(full.contains("manifest") && full.contains("open") && gone_on > 2);
}

/// What is left in the work directory belongs to a stage that is done.
fn assert_only_work(place: &Place, after: &str) {
    let work = place.path("after/.out.work");
    let mut known = files_of_stages(&work);
    if !known.is_empty() {
        known.extend(["manifest", "lock", ".own-files"].map(str::to_owned));
    }
    known.sort_unstable();
    known.dedup();
    assert!(
        files_of(&work).keys().eq(&known),
        "{after}: {:?} where {known:?} belong",
        files_of(&work).keys()
    );
    assert_eq!(work.exists(), !known.is_empty(), "{after}: an empty folder");
    let others = fs::read_dir(place.path("after")).unwrap().count();
    assert_eq!(others, usize::from(work.exists()), "{after}");
}

#[test]
fn of_the_output() {
    let place = Place::with_documents(900);
    let Some(unshare) = unshare(&place) else {
        return;
    };
    fs::create_dir(place.path("before")).unwrap();
    let older = ["find", "docs/c.jsonl", "-o", "before/out"];
    place.command(&older).finish().assert_code(0);
    let before = files_of(&place.path("before/out"));
    let disk = SmallDisk {
        place: &place,
        unshare,
        go_on: false,
    };
    for format in ["jsonl", "tsv", "parquet", "xml"] {
        let fixed = ["find", "docs/a.jsonl", "--output-format", format];
        let arguments = [&fixed[..], &["-o", "whole"]].concat();
        place.command(&arguments).finish().assert_code(0);
        let new = room_for(&files_of(&place.path("whole")));
        let arguments = [&fixed[..], &["-o", "small/out"]].concat();
        // There is no room for a part of the new result, nor for one of its files.
        let mut limits = Vec::new();
        for missing in 1..5 {
            let bytes = room_for(&before) + new.saturating_sub(missing * PAGE);
            limits.push(format!("size={bytes},nr_inodes=1000"));
            let files = 2 + before.len() + missing;
            limits.push(format!("size=1g,nr_inodes={files}"));
        }
        for limits in limits {
            let ended = disk.run(&limits, &arguments);
            ended.assert_says(1, &["the disk is full", "free some space"]);
            let after = files_of(&place.path("after/out"));
            assert!(after == before, "{format} {limits}: the older result");
            let all = fs::read_dir(place.path("after")).unwrap().count();
            assert_eq!(all, 1, "{format} {limits}: something is left");
        }
    }
}

const PAGE: usize = 4096;

/// Bytes that files take on a disk.
fn room_for(files: &Tables) -> usize {
    let pages = files.values().map(|content| content.len().div_ceil(PAGE));
    pages.sum::<usize>() * PAGE
}
