//! The rows of `study features|signatures|hamming|passages|threshold` are what `find`, `passages` and
//! `eval` say one by one.

use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

type Pairs = BTreeSet<(String, String)>;

fn documents() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let path: PathBuf = root.join("postgresql-text/documents.jsonl.gz");
    path.canonicalize().unwrap().to_string_lossy().into_owned()
}

/// What a command prints.
fn neardupe(folder: &Path, arguments: &str) -> String {
    let output = assert_cmd::Command::new(env!("CARGO_BIN_EXE_neardupe"))
        .args(arguments.split_whitespace())
        .current_dir(folder)
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

/// The rows of a study.
fn study(folder: &Path, arguments: &str) -> Vec<Value> {
    let printed = neardupe(folder, &format!("study {arguments} --json -o study"));
    let summary: Value = serde_json::from_str(&printed).unwrap();
    let rows = summary["rows"].as_array().unwrap().clone();
    let table = fs::read_to_string(folder.join("study/grid.csv")).unwrap();
    assert_eq!(table.lines().count(), rows.len() + 1);
    let findings = summary["findings"].as_array().unwrap();
    let last = findings.last().unwrap().as_str().unwrap();
    assert!(last.starts_with("Recommended: --"), "{last}");
    rows
}

/// All pairs that `find` finds.
fn find(folder: &Path, flags: &str) -> Pairs {
    let input = documents();
    neardupe(
        folder,
        &format!("find {input} --pairs all --cluster none -q -o found {flags}"),
    );
    let text = fs::read_to_string(folder.join("found/pairs.jsonl")).unwrap();
    let pair = |line: &str| {
        let row: Value = serde_json::from_str(line).unwrap();
        let id = |name: &str| row[name].as_str().unwrap().to_owned();
        (id("left"), id("right"))
    };
    text.lines().map(pair).collect()
}

fn row<'a>(rows: &'a [Value], cells: &[(&str, &str)]) -> &'a Value {
    let has = |row: &Value, name: &str, text: &str| row[name] == text;
    rows.iter()
        .find(|row| cells.iter().all(|(name, text)| has(row, name, text)))
        .unwrap_or_else(|| panic!("no row {cells:?}"))
}

/// A row says of pairs what counting says.
fn check(row: &Value, found: &Pairs, truth: &Pairs) {
    let right = found.intersection(truth).count();
    assert_eq!(row["pairs"], found.len(), "{row}");
    assert_eq!(row["right"], right, "{row}");
    let is = |name: &str, part: usize, whole: usize| match row[name].as_f64() {
        None => assert_eq!(whole, 0, "{row}"),
        Some(value) => {
            assert!((value - part as f64 / whole as f64).abs() < 1e-12, "{row}");
        }
    };
    is("precision", right, found.len());
    is("recall", right, truth.len());
    is("f1", 2 * right, found.len() + truth.len());
}

#[test]
fn features_are_scored_as_find_finds_them() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    let input = documents();
    let kinds = "--kinds words:3,terms --thresholds 0.5,0.7";
    let rows = study(folder, &format!("features {input} {kinds}"));
    // The default is compared too, and its threshold.
    assert_eq!(rows.len(), 9);
    let truth = find(folder, "--threshold 0.8");
    for (kind, threshold) in [("words:3", "0.7"), ("terms", "0.8"), ("words:5", "0.8")] {
        let found = find(
            folder,
            &format!("--features {kind} --threshold {threshold}"),
        );
        let cells = [("features", kind), ("threshold", threshold)];
        check(row(&rows, &cells), &found, &truth);
    }
}

#[test]
fn methods_are_scored_as_find_finds_them() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    let input = documents();
    let rows = study(folder, &format!("signatures {input} --threshold 0.7"));
    let truth = find(folder, "--threshold 0.7");
    for (flags, threshold) in [
        ("--method exact", "--threshold 0.7"),
        ("--method minhash --bands fineweb", "--threshold 0.7"),
        ("--method simhash --features words:5", "--threshold 0.7"),
        ("--method simhash --no-verify", ""),
        ("--method imatch --no-verify", ""),
        ("--sample mod:4", "--threshold 0.7"),
    ] {
        let found = find(folder, &format!("{flags} {threshold}"));
        check(row(&rows, &[("setting", flags)]), &found, &truth);
    }
}

#[test]
fn distances_are_scored_as_find_finds_them_whatever_the_threads() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    let input = documents();
    let asked = format!("hamming {input} --max-distance 4");
    let rows = study(folder, &asked);
    let truth = find(folder, "");
    let mut before = Pairs::new();
    assert_eq!(rows.len(), 5);
    for (distance, row) in rows.iter().enumerate() {
        let flags = format!("--method simhash --no-verify --distance {distance}");
        let found = find(folder, &flags);
        check(row, &found, &truth);
        assert_eq!(row["added_pairs"], found.len() - before.len());
        let mean = row["mean_neighbours"].as_f64().unwrap();
        assert!((mean - 2.0 * found.len() as f64 / 563.0).abs() < 1e-12);
        before = found;
    }
    let plain = |mut rows: Vec<Value>| {
        for row in &mut rows {
            for name in ["seconds", "cpu_seconds", "compare_seconds"] {
                assert!(row.as_object_mut().unwrap().remove(name).is_some());
            }
        }
        rows
    };
    for threads in ["1", "3"] {
        let again = study(folder, &format!("{asked} --threads {threads}"));
        assert_eq!(plain(again), plain(rows.clone()));
    }
}

#[test]
fn thresholds_are_scored_as_eval_does_and_put_together_as_find_does() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    let input = documents();
    let rows = study(
        folder,
        &format!("threshold {input} --truth-field page --thresholds 0.5,0.8,1"),
    );
    for threshold in ["0.5", "0.8", "1"] {
        let found = find(folder, &format!("--threshold {threshold}"));
        let printed = neardupe(folder, "eval found --truth-field page --json");
        let eval: Value = serde_json::from_str(&printed).unwrap();
        let row = row(&rows, &[("threshold", threshold)]);
        assert_eq!(row["pairs"], found.len());
        for name in ["precision", "recall", "f1"] {
            assert_eq!(row[name], eval["measures"][name], "{threshold} {name}");
        }
        let put = format!(
            "find {input} --threshold {threshold} --cluster components -o put --json"
        );
        let put: Value = serde_json::from_str(&neardupe(folder, &put)).unwrap();
        assert_eq!(row["clusters"], put["counts"]["clusters"]);
        assert_eq!(row["removed"], put["counts"]["duplicates"]);
    }
}

#[test]
fn listed_pairs_are_scored_as_eval_does() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    let input = documents();
    // Every second pair, one of unknown documents, and some that are none.
    let mut truth = String::from("left\tright\tlabel\n");
    for (number, (left, right)) in find(folder, "--threshold 0.6").iter().enumerate() {
        let label = ["duplicate", "not"][usize::from(number % 5 == 0)];
        if number % 2 == 0 {
            truth += &format!("{right}\t{left}\t{label}\n");
        }
    }
    truth += "nobody\tnothing\tduplicate\n";
    fs::write(folder.join("truth.tsv"), truth).unwrap();
    let rows = study(
        folder,
        &format!("threshold {input} --truth truth.tsv --thresholds 0.7,0.9"),
    );
    for threshold in ["0.7", "0.9"] {
        find(folder, &format!("--threshold {threshold}"));
        let asked = format!("eval found --truth truth.tsv --input {input} --json");
        let eval: Value = serde_json::from_str(&neardupe(folder, &asked)).unwrap();
        let row = row(&rows, &[("threshold", threshold)]);
        assert_eq!(row["right"], eval["sample"]["found"]);
        assert_eq!(row["precision"], eval["sample"]["precision"]["share"]);
        assert_eq!(row["recall"], eval["sample"]["recall"]["share"]);
        assert_eq!(row["f1"], eval["sample"]["f1"]);
    }
}

#[test]
fn passages_are_measured_as_eval_does() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases");
    for name in ["docs.jsonl", "passages.tsv"] {
        let from = cases.join("eval-passages").join(name);
        fs::copy(from, folder.join(name)).unwrap();
    }
    let rows = study(
        folder,
        "passages docs.jsonl --truth passages.tsv --between susp-,source-",
    );
    assert_eq!(rows.len(), 22);
    for setting in [
        "(default)",
        "--min-words 10",
        "--tau 0.2",
        "--signature words:2 --gamma 1",
        "--signature spotsigs --gamma 1",
        "--signature imatch --gamma 1",
    ] {
        let flags = setting.trim_start_matches("(default)");
        neardupe(folder, &format!("passages docs.jsonl {flags} -q -o found"));
        let eval = "eval found --truth passages.tsv --between susp-,source- --json";
        let eval: Value = serde_json::from_str(&neardupe(folder, eval)).unwrap();
        let row = row(&rows, &[("setting", setting)]);
        let measures = &eval["measures"];
        assert_eq!(row["true_passages"], measures["truth"]);
        for name in ["precision", "recall", "f1", "plagdet"] {
            assert_eq!(row[name], measures["micro"][name], "{setting} {name}");
        }
    }
    // Without labels the default is right.
    let rows = study(folder, "passages docs.jsonl --only tau");
    assert_eq!(rows[0]["f1"], 1.0);
}
