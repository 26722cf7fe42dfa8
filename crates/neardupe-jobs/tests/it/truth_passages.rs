//! Truths of passages are read from every form alike, and put beside a result whichever way
//! round their sides are.

use neardupe_core::eval::passages::{LocatedPassage, LocatedSide, measure};
use neardupe_io::result::ResultReader;
use neardupe_jobs::truth::{
    Between, LocateOptions, Located, PassageTruth, TrueRow, locate, read_passages,
};
use proptest::prelude::*;
use serde_json::json;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn some_row() -> impl Strategy<Value = TrueRow> {
    let places =
        || (0u32..50, 0u32..20).prop_map(|(start, length)| (start, start + length));
    let kind = prop_oneof![Just(""), Just("light"), Just("none & <all>")];
    (0u8..4, 0u8..4, places(), places(), kind).prop_map(
        |(left, right, one, other, kind)| TrueRow {
            left: format!("susp-{left}"),
            right: format!("source-{right}"),
            places: [one, other],
            kind: kind.to_owned(),
        },
    )
}

fn separated(rows: &[TrueRow], separator: &str) -> String {
    let header = [
        "susp",
        "susp_offset",
        "susp_length",
        "source",
        "source_offset",
        "source_length",
        "obfuscation",
    ];
    let mut text = header.join(separator) + "\n";
    for row in rows {
        let [(a, b), (c, d)] = row.places;
        let numbers = [a, b - a, c, d - c].map(|number| number.to_string());
        let cells = [
            &row.left,
            &numbers[0],
            &numbers[1],
            &row.right,
            &numbers[2],
            &numbers[3],
            &row.kind,
        ];
        text += &(cells.map(String::as_str).join(separator) + "\n");
    }
    text
}

fn own_columns(rows: &[TrueRow]) -> String {
    let line = |row: &TrueRow| {
        let [(a, b), (c, d)] = row.places;
        let row = json!({"left": row.left, "left_start": a, "left_end": b, "right": row.right,
            "right_start": c, "right_end": d, "kind": row.kind});
        format!("{row}\n")
    };
    rows.iter().map(line).collect()
}

/// The files of PAN: one for each suspicious document.
fn pan(rows: &[TrueRow], folder: &Path) {
    fs::create_dir(folder).unwrap();
    let documents: BTreeSet<&String> = rows.iter().map(|row| &row.left).collect();
    for document in documents {
        let mut text =
            format!("<?xml version=\"1.0\"?>\n<document reference=\"{document}.txt\">");
        for row in rows.iter().filter(|row| row.left == *document) {
            let [(a, b), (c, d)] = row.places;
            let kind = row.kind.replace('&', "&amp;").replace('<', "&lt;");
            text += &format!(
                "<feature name=\"plagiarism\" this_offset=\"{a}\" this_length=\"{}\" \
                 source_reference=\"{}.txt\" source_offset=\"{c}\" source_length=\"{}\" \
                 obfuscation=\"{kind}\"/>",
                b - a,
                row.right,
                d - c
            );
        }
        fs::write(folder.join(format!("{document}.xml")), text + "</document>").unwrap();
    }
}

/// A result with these passages, ids with this before and after them.
fn write_result(folder: &Path, rows: &[TrueRow], names: (&str, &str)) {
    fs::create_dir(folder).unwrap();
    let line = |row: &TrueRow| {
        let [(a, b), (c, d)] = row.places;
        let id = |id: &str| format!("{}{id}{}", names.0, names.1);
        let row = json!({"left": id(&row.right), "left_start": c, "left_end": d,
            "right": id(&row.left), "right_start": a, "right_end": b,
            "left_sentences": "1-1", "right_sentences": "1-1", "words": 1,
            "similarity": 1.0, "left_share": 1.0, "right_share": 1.0, "kind": "other"});
        format!("{row}\n")
    };
    let text: String = rows.iter().map(line).collect();
    fs::write(folder.join("passages.jsonl"), text).unwrap();
    let summary = json!({"program": "neardupe", "version": "0", "command": "passages",
        "options": {}, "counts": {"documents": 8, "passages": rows.len()}});
    fs::write(folder.join("summary.json"), summary.to_string()).unwrap();
}

fn located(folder: &Path, path: &Path, truth: PassageTruth) -> Located {
    let result = ResultReader::open(folder).unwrap();
    locate(&result, path, truth, &LocateOptions::default()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn every_form_says_the_same(
        truth in proptest::collection::vec(some_row(), 1..12),
        found in proptest::collection::vec(some_row(), 0..12),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        fs::write(folder.join("t.tsv"), separated(&truth, "\t")).unwrap();
        fs::write(folder.join("t.csv"), separated(&truth, ",")).unwrap();
        fs::write(folder.join("t.jsonl"), own_columns(&truth)).unwrap();
        pan(&truth, &folder.join("pan"));
        write_result(&folder.join("plain"), &found, ("", ""));
        write_result(&folder.join("files"), &found, ("texts/", ".txt"));
        let mut all = Vec::new();
        for name in ["t.tsv", "t.csv", "t.jsonl", "pan"] {
            let path = folder.join(name);
            let read = read_passages(&path).unwrap();
            if name != "pan" {
                prop_assert_eq!(&read.rows, &truth);
            }
            let located = located(&folder.join("plain"), &path, read);
            prop_assert_eq!(located.rows, truth.len() as u64);
            all.push((measure(located.truth, located.found), located.kinds));
        }
        let path = folder.join("pan");
        let read = read_passages(&path).unwrap();
        let located = located(&folder.join("files"), &path, read);
        all.push((measure(located.truth, located.found), located.kinds));
        prop_assert!(all.windows(2).all(|two| two[0] == two[1]), "{:?}", all);

        // By hand: numbers of documents are their own.
        let by_hand = |row: &TrueRow| {
            let side = |id: &str, more: u32, (start, end)| LocatedSide {
                document: more + u32::from(id.as_bytes()[id.len() - 1]),
                start,
                end,
            };
            let (left, right) = (side(&row.left, 0, row.places[0]), side(&row.right, 500, row.places[1]));
            LocatedPassage::new(left, right)
        };
        let set = |rows: &[TrueRow]| -> BTreeSet<LocatedPassage> {
            let passages = rows.iter().map(by_hand);
            passages.filter(|one| !one.has_empty_side()).collect()
        };
        let measures = &all[0].0;
        prop_assert_eq!(measures.truth, set(&truth).len() as u64);
        prop_assert_eq!(measures.found, set(&found).len() as u64);
        let both = set(&truth).intersection(&set(&found)).count() as u64;
        prop_assert!(measures.detected >= both);
    }
}

fn one(left: &str, right: &str) -> TrueRow {
    TrueRow {
        left: left.to_owned(),
        right: right.to_owned(),
        places: [(0, 10), (5, 15)],
        kind: String::new(),
    }
}

#[test]
fn pairs_that_do_not_count_are_left_out_on_both_sides() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let truth = [one("susp-1", "source-1"), one("susp-1", "source-2")];
    let found = [
        one("susp-1", "source-1"),
        one("susp-1", "source-2"),
        one("susp-2", "susp-1"),
        one("susp-2", "source-1"),
    ];
    write_result(&folder.join("out"), &found, ("", ""));
    let path = folder.join("t.tsv");
    fs::write(&path, separated(&truth, "\t")).unwrap();
    let pairs = folder.join("pairs.tsv");
    fs::write(&pairs, "susp\tsource\nsource-2\tsusp-1\nsusp-2\tsource-1\n").unwrap();
    let result = ResultReader::open(&folder.join("out")).unwrap();
    let options = LocateOptions {
        ignored_pairs: Some(&pairs),
        between: Some(Between("source-".to_owned(), "susp-".to_owned())),
    };
    let read = read_passages(&path).unwrap();
    let located = locate(&result, &path, read, &options).unwrap();
    assert_eq!((located.truth.len(), located.found.len()), (1, 1));
    let left_out = &located.left_out;
    assert_eq!((left_out.true_ignored, left_out.found_ignored), (1, 2));
    assert_eq!(left_out.found_elsewhere, 1);
    assert_eq!(
        measure(located.truth, located.found).micro.plagdet,
        Some(1.0)
    );
}

#[test]
fn two_documents_that_are_one_file_of_the_truth_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    pan(&[one("susp-1", "source-1")], &folder.join("pan"));
    let found = [
        one("a/susp-1.txt", "source-1"),
        one("b/susp-1.txt", "source-1"),
    ];
    write_result(&folder.join("out"), &found, ("", ""));
    let result = ResultReader::open(&folder.join("out")).unwrap();
    let path = folder.join("pan");
    let read = read_passages(&path).unwrap();
    let error = locate(&result, &path, read, &LocateOptions::default()).unwrap_err();
    let error = error.to_string();
    assert!(
        error.contains("two documents of the result are the file"),
        "{error}"
    );
}
