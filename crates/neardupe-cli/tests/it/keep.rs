//! Which documents are kept, for every rule of `--keep`: as an independent program says.
//!
//! `tools/keep_reference.py` made the collections and the answers in `corpus/keep`; it shares no
//! code with this project.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/keep")
}

fn neardupe(folder: &Path, arguments: &[&str]) {
    let output = assert_cmd::Command::new(env!("CARGO_BIN_EXE_neardupe"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {error}");
}

/// Duplicates with their representatives, in the order of the file.
fn duplicates(path: &Path) -> Vec<[String; 2]> {
    let text = fs::read_to_string(path).unwrap();
    let row = |line: &str| {
        let row: Value = serde_json::from_str(line).unwrap();
        ["id", "duplicate_of"].map(|name| row[name].as_str().unwrap().to_owned())
    };
    text.lines().map(row).collect()
}

#[test]
fn every_rule_keeps_what_brute_force_keeps() {
    let expected = fs::read_to_string(corpus().join("expected.json")).unwrap();
    let expected: Vec<Value> = serde_json::from_str(&expected).unwrap();
    assert!(expected.len() >= 72, "{}", expected.len());
    let folder = tempfile::tempdir().unwrap();
    for (number, case) in expected.iter().enumerate() {
        let text = |name: &str| case[name].as_str().unwrap_or_default();
        let input = corpus().join(text("documents"));
        // Threads and memory change nothing.
        let threads = ["1", "2", "5"][number % 3];
        let mut arguments = vec![
            "find",
            input.to_str().unwrap(),
            "--quiet",
            "--threshold",
            "0.5",
            "--keep",
            text("keep"),
            "--threads",
            threads,
            "-o",
            "out",
        ];
        if !text("block_by").is_empty() {
            arguments.extend(["--block-by", text("block_by")]);
        }
        if number % 2 == 0 {
            arguments.push("--checkpoint");
        }
        neardupe(folder.path(), &arguments);
        let found = duplicates(&folder.path().join("out/duplicates.jsonl"));
        let wanted: Vec<[String; 2]> =
            serde_json::from_value(case["duplicates"].clone()).unwrap();
        assert_eq!(found, wanted, "{arguments:?}");
        let summary = fs::read_to_string(folder.path().join("out/summary.json")).unwrap();
        let summary: Value = serde_json::from_str(&summary).unwrap();
        let counts = case["values"].as_object().into_iter().flatten();
        for (name, count) in counts {
            // Zeros of dates are not written.
            let found = summary["keep_values"][name].as_u64().unwrap_or(0);
            assert_eq!(Some(found), count.as_u64(), "{name} of {arguments:?}");
        }
    }
}
