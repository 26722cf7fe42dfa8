//! `neardupe plan` tells from a sample what `find` then needs. Time is compared by
//! bench/bounded.py: here machines are too busy.

use assert_cmd::Command;
use serde_json::Value;
use std::path::Path;

fn neardupe(folder: &Path, arguments: &[&str]) -> std::process::Output {
    let mut command = Command::cargo_bin("neardupe").unwrap();
    command.current_dir(folder).args(arguments);
    command.output().unwrap()
}

fn json(folder: &Path, arguments: &[&str]) -> Value {
    let output = neardupe(folder, arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// What was expected as a multiple of what happened.
fn ratio(plan: &Value, expected: &str, summary: &Value, happened: &str) -> f64 {
    let happened = summary.pointer(happened).unwrap().as_f64().unwrap();
    plan[expected].as_f64().unwrap() / happened
}

#[test]
fn a_large_collection_is_told_from_a_sample() {
    let folder = tempfile::tempdir().unwrap();
    let made = [
        "synth",
        "--documents",
        "24000",
        "--output",
        "c",
        "--seed",
        "5",
    ];
    assert!(neardupe(folder.path(), &made).status.success());
    let input = "c/documents.jsonl";
    for more in [&[][..], &["--checkpoint"]] {
        let plan = [&["plan", input, "--json", "--threads", "2"], more].concat();
        let plan = json(folder.path(), &plan);
        let find = ["find", input, "--json", "-o", "out", "--threads", "2"];
        let find = [&find, more].concat();
        let summary = json(folder.path(), &find);
        assert!(plan["sample_share"].as_f64().unwrap() < 0.8);
        let pairs = [
            ("documents", "/counts/documents"),
            ("features", "/counts/features"),
            ("memory_bytes", "/peak_memory_bytes"),
            ("disk_bytes", "/peak_disk_bytes"),
        ];
        assert_eq!(plan["spills"], summary["spilled"]);
        for (expected, happened) in pairs {
            let spills = plan["spills"] == true;
            // Nothing is written when nothing spills; and memory is what is allowed when
            // something does, of which so small a collection needs little.
            if (expected == "disk_bytes" && !spills)
                || (expected == "memory_bytes" && spills)
            {
                continue;
            }
            let ratio = ratio(&plan, expected, &summary, happened);
            let off = (ratio - 1.0).abs();
            assert!(off < 0.25, "{expected} is {ratio:.2} of what happened");
        }
    }
    let names = std::fs::read_dir(folder.path()).unwrap();
    let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
}

#[test]
fn a_small_collection_is_read_as_a_whole() {
    let folder = tempfile::tempdir().unwrap();
    let text = "{\"id\":\"a\",\"text\":\"one two three four five six\"}\n".repeat(9);
    std::fs::write(folder.path().join("a.jsonl"), text).unwrap();
    let plan = json(folder.path(), &["plan", "a.jsonl", "--json"]);
    assert_eq!(plan["documents"], 9);
    assert_eq!(plan["features"], 2);
    assert_eq!(plan["sample_share"], 1.0);
    assert_eq!(plan["spills"], false);
    let shown = neardupe(folder.path(), &["plan", "a.jsonl"]).stdout;
    let shown = String::from_utf8(shown).unwrap();
    for words in [
        "1 file",
        "documents",
        "everything fits",
        "nothing but the result",
    ] {
        assert!(shown.contains(words), "{words:?} is not in:\n{shown}");
    }
}

#[test]
fn what_can_be_read_only_once_is_not_planned() {
    let folder = tempfile::tempdir().unwrap();
    let output = neardupe(folder.path(), &["plan", "-"]);
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(message.contains("only once"), "{message}");
}

/// Options that change what a job does, each of which the estimate must do as well.
const CHOICES: [&[&str]; 27] = [
    &["--features", "chars:20"],
    &["--features", "terms", "--stop-words", "en", "--stem", "en"],
    &["--features", "spotsigs"],
    &["--features", "spotsigs", "--antecedents", "10"],
    &["--similarity", "containment"],
    &["--similarity", "s3", "--threshold", "1"],
    &["--sample", "mod:8"],
    &["--sample", "winnow:8"],
    &["--sample", "smallest:200"],
    &["--sample", "commonality:50"],
    &["--sample", "adaptive:precision=0.9"],
    &["--compare-filters"],
    &["--compare-filters", "--signature-filter", "imatch"],
    &["--against", "old.jsonl"],
    &["--against", "old.jsonl", "--method", "simhash"],
    &["--against", "old.jsonl", "--method", "imatch", "--within"],
    &["--method", "simhash", "--idf", "none"],
    &["--method", "simhash", "--variant", "template"],
    &["--method", "simhash", "--block-by", "id"],
    &["--preset", "waterloo"],
    &["--preset", "ye"],
    &["--preset", "mapdupreducer"],
    &["--preset", "mit"],
    &["--preset", "broder97"],
    &["--preset", "fetterly03"],
    &["--preset", "shivakumar98"],
    &["--preset", "heintze96"],
];

#[test]
fn every_choice_is_planned_and_estimated_before_its_job() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let made = ["synth", "--documents", "120", "--output", "c"];
    assert!(neardupe(path, &made).status.success());
    let all = std::fs::read_to_string(path.join("c/documents.jsonl")).unwrap();
    let (old, new): (Vec<_>, Vec<_>) =
        (all.lines().enumerate()).partition(|(number, _)| number % 4 == 0);
    for (name, rows) in [("old.jsonl", old), ("new.jsonl", new)] {
        let rows: Vec<&str> = rows.into_iter().map(|(_, row)| row).collect();
        std::fs::write(path.join(name), rows.join("\n")).unwrap();
    }
    for choice in CHOICES {
        let plan = [&["plan", "new.jsonl", "--json"], choice].concat();
        let plan = json(path, &plan);
        let find = |more: &[&str]| {
            let find = ["find", "new.jsonl", "--json", "-o", "out"];
            let summary = json(path, &[&find, choice, more].concat());
            let tables = ["duplicates.jsonl", "pairs.jsonl", "clusters.jsonl"];
            let tables =
                tables.map(|name| std::fs::read(path.join("out").join(name)).ok());
            (summary, tables)
        };
        let (summary, tables) = find(&[]);
        assert_eq!(
            plan["documents"], summary["counts"]["documents"],
            "{choice:?}"
        );
        assert_eq!(plan["spills"], false, "{choice:?}");
        let (spilled, of_spilled) = find(&["--checkpoint"]);
        assert_eq!(spilled["spilled"], true, "{choice:?}");
        assert!(tables == of_spilled, "{choice:?}");
    }
    let names = std::fs::read_dir(path).unwrap();
    let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 4, "{names:?}");
}

/// What goes before a job, and what is made of it, is part of what is expected.
#[test]
fn signatures_and_studies_are_part_of_the_plan() {
    let folder = tempfile::tempdir().unwrap();
    let made = ["synth", "--documents", "24000", "--output", "c"];
    assert!(neardupe(folder.path(), &made).status.success());
    let input = "c/documents.jsonl";
    for method in [
        &["--method", "simhash"][..],
        &["--features", "terms"],
        &["--sample", "adaptive:precision=0.9"],
    ] {
        let plan = [&["plan", input, "--json", "--threads", "2"], method].concat();
        let plan = json(folder.path(), &plan);
        let find = ["find", input, "--json", "-o", "out", "--threads", "2"];
        let summary = json(folder.path(), &[&find, method].concat());
        for (expected, happened) in [
            ("documents", "/counts/documents"),
            ("features", "/counts/features"),
            ("memory_bytes", "/peak_memory_bytes"),
        ] {
            let ratio = ratio(&plan, expected, &summary, happened);
            let message =
                format!("{method:?}: {expected} is {ratio:.2} of what happened");
            assert!((0.7..1.4).contains(&ratio), "{message}");
        }
    }
}
