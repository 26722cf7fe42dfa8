//! Every method with every way to do the work: the result is always that of a job that is held in
//! memory. Signatures of some methods are made of frequencies that are counted first, so whatever
//! runs a part of a job (an estimate before it, a job that goes on) must make them too.

use super::moments::{ALL_READ, FIRST_PART_READ};
use super::place::{DOCS, Place};
use std::fs;

/// Ways to find pairs.
const METHODS: [&[&str]; 9] = [
    &["--method", "exact"],
    &["--method", "minhash"],
    &["--method", "simhash"],
    &["--method", "simhash", "--no-verify"],
    &["--method", "imatch"],
    &["--method", "imatch", "--no-verify"],
    &["--signature-filter", "imatch"],
    &["--features", "spotsigs", "--antecedents", "20"],
    &["--sample", "adaptive:precision=0.8"],
];

/// Ways to do the work. A file of the collection is large by its name, so each of these begins with
/// an estimate.
const WORK: [&[&str]; 5] = [
    &["--checkpoint"],
    &["--memory", "256M"],
    &["--checkpoint", "--memory", "256M", "--threads", "1"],
    &["--checkpoint", "--write-text"],
    &["--checkpoint", "--resume"],
];

#[test]
fn every_method_gives_the_same_whatever_the_work_options() {
    let place = Place::with_documents(90);
    for method in METHODS {
        let plain = place.undisturbed(method);
        assert!(plain["duplicates.jsonl"].len() > 100, "{method:?}");
        let with_texts = place.undisturbed(&[method, &["--write-text"]].concat());
        for work in WORK {
            let arguments = [method, work].concat();
            place.find(&arguments).finish().assert_code(0);
            let expected = if work.contains(&"--write-text") {
                &with_texts
            } else {
                &plain
            };
            place.assert_result(expected, &format!("{arguments:?}"));
        }
    }
}

#[test]
fn every_method_goes_on_after_a_kill() {
    let place = Place::with_documents(240);
    for method in METHODS {
        let expected = place.undisturbed(method);
        for moment in [FIRST_PART_READ, ALL_READ] {
            let arguments = [method, &["--checkpoint"]].concat();
            place.kill_at(moment, &arguments);
            let resumed = [&arguments[..], &["--resume"]].concat();
            let ended = place.find(&resumed).finish();
            ended.assert_says(0, &["going on with the work"]);
            place.assert_result(&expected, &format!("{method:?} {}", moment.0));
        }
    }
}

#[test]
fn every_method_is_planned() {
    let place = Place::with_documents(90);
    let fixed = ["plan", DOCS, "--max-record-bytes", "1M"];
    for method in METHODS {
        for work in [&[][..], &["--checkpoint"], &["--memory", "256M"]] {
            let arguments = [&fixed[..], method, work].concat();
            place.command(&arguments).finish().assert_code(0);
            place.assert_nothing_is_left(&format!("{arguments:?}"));
        }
    }
}

/// A plan leaves the work of an unfinished job alone.
#[test]
fn a_plan_does_not_touch_unfinished_work() {
    let place = Place::with_documents(240);
    let arguments = ["--checkpoint", "--method", "simhash"];
    let expected = place.undisturbed(&arguments[1..]);
    place.kill_at(FIRST_PART_READ, &arguments);
    let plan = ["plan", DOCS, "-o", "out", "--max-record-bytes", "1M"];
    let plan = [&plan[..], &arguments].concat();
    place.command(&plan).finish().assert_code(0);
    let resumed = [&arguments[..], &["--resume"]].concat();
    let ended = place.find(&resumed).finish();
    ended.assert_says(0, &["going on with the work"]);
    place.assert_result(&expected, "planned in between");
}

/// Features can be kept where they are those of documents; codes are kept in the result.
#[test]
fn work_is_kept_with_every_method_that_has_features() {
    let place = Place::with_documents(90);
    for method in METHODS {
        let is_sampled = method.contains(&"--sample");
        let arguments = [method, &["--keep-work"]].concat();
        let ended = place.find(&arguments).finish();
        if method.contains(&"simhash") || is_sampled {
            ended.assert_says(2, &["--keep-work"]);
            continue;
        }
        ended.assert_code(0);
        let expected = place.undisturbed(method);
        place.assert_tables(&expected, &format!("{arguments:?}"));
        fs::remove_dir_all(place.work()).unwrap();
    }
}

/// The kept documents, too, are the same.
#[test]
fn every_method_removes_the_same_whatever_the_work_options() {
    let place = Place::with_documents(90);
    for method in METHODS {
        let dedup = |output: &str, work: &[&str]| {
            let fixed = ["dedup", "docs/a.jsonl", "docs/c.jsonl", "-o", output];
            let unverified: &[&str] = if method.contains(&"--no-verify") {
                &["--allow-unverified"]
            } else {
                &[]
            };
            let arguments = [&fixed[..], method, unverified, work].concat();
            place.command(&arguments).finish().assert_code(0);
            ["a.jsonl", "c.jsonl"]
                .map(|name| fs::read(place.path(output).join(name)).unwrap_or_default())
        };
        let plain = dedup("plain", &[]);
        assert!(plain.iter().any(|file| !file.is_empty()), "{method:?}");
        for work in [&["--checkpoint"][..], &["--checkpoint", "--memory", "256M"]] {
            assert!(dedup("spilled", work) == plain, "{method:?} {work:?}");
        }
    }
}
