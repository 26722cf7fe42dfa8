//! Record batches without files have the values of the files, and so have batches of the files.

use super::{HOSTILE, TABLES, metadata, parquet, small_result};
use arrow_array::RecordBatch;
use neardupe_core::pipeline::FindResult;
use neardupe_io::output::{OutputFormat, find_batches, write_tables};
use neardupe_io::result::StoredTables;
use neardupe_io::tables::tables;
use serde_json::json;
use std::fs;
use std::path::Path;

/// Checks all tables of a result whose files are in `folder` in all formats.
pub(crate) fn assert_same_batches(folder: &Path, result: &FindResult) {
    for format in OutputFormat::ALL {
        let summary = json!({
            "program": "neardupe",
            "command": "find",
            "options": {"output-format": format.name(), "meta-key": metadata()},
            "counts": result.totals,
        });
        fs::write(folder.join("summary.json"), summary.to_string()).unwrap();
        let stored = StoredTables::open(folder).unwrap();
        for name in TABLES {
            let made = find_batches(result, name, &metadata()).unwrap();
            let schema = made.schema().clone();
            let made: Vec<RecordBatch> = made.map(Result::unwrap).collect();
            let table = stored.table(name).unwrap().unwrap();
            let read = stored.batches(table).unwrap();
            assert_eq!(read.schema(), &schema, "{name} in {}", format.name());
            let read: Vec<RecordBatch> = read.map(Result::unwrap).collect();
            for batch in made.iter().chain(&read) {
                assert_eq!(batch.schema_ref(), &schema);
            }
            let mut expected = parquet::rows(&made);
            if format == OutputFormat::Parquet {
                let path = folder.join(format!("{name}.parquet"));
                assert_eq!(parquet::read(&path), expected, "{name}");
            }
            // TSV does not distinguish an empty value from an absent one.
            let mut found = parquet::rows(&read);
            if format == OutputFormat::Tsv {
                for row in expected.iter_mut().chain(&mut found) {
                    row.retain(|name, value| {
                        !name.starts_with("metadata.") || value != ""
                    });
                }
            }
            assert_eq!(found, expected, "{name} in {}", format.name());
        }
    }
}

#[test]
fn many_rows_are_several_batches() {
    let folder = tempfile::tempdir().unwrap();
    let ids: Vec<String> = (0..130).map(|number| format!("d{number:03}")).collect();
    let result = small_result(folder.path(), &ids);
    let batches = find_batches(&result, "pairs", &[]).unwrap();
    let batches: Vec<RecordBatch> = batches.map(Result::unwrap).collect();
    let num_rows: Vec<usize> = batches.iter().map(RecordBatch::num_rows).collect();
    assert_eq!(num_rows, [8192, 193]);
    assert_eq!(num_rows.iter().sum::<usize>() as u64, result.pairs.len());
}

#[test]
fn a_table_that_is_not_there_has_no_batches() {
    let folder = tempfile::tempdir().unwrap();
    let result = small_result(folder.path(), &HOSTILE.map(str::to_owned));
    assert!(find_batches(&result, "codes", &[]).is_none());
    assert!(find_batches(&result, "passages", &[]).is_none());
    let known: Vec<&str> = tables().map(|table| table.name).collect();
    assert!(TABLES.iter().all(|table| known.contains(table)));
}

#[test]
fn batches_of_a_damaged_file_end_with_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let result = small_result(folder, &["a", "b", "c"].map(str::to_owned));
    write_tables(folder, &result, OutputFormat::Jsonl, &metadata()).unwrap();
    let path = folder.join("duplicates.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let pairs = fs::read_to_string(folder.join("pairs.jsonl")).unwrap();
    let write_summary = |options: serde_json::Value| {
        let summary = json!({"program": "neardupe", "options": options, "counts": {}});
        fs::write(folder.join("summary.json"), summary.to_string()).unwrap();
    };
    let wrong = |table: &str| {
        let stored = StoredTables::open(folder).unwrap();
        let table = stored.table(table).unwrap().unwrap();
        let mut batches = stored.batches(table).unwrap();
        let error = batches.next().unwrap().unwrap_err().to_string();
        assert!(batches.next().is_none());
        error
    };
    // What the summary does not know of would be lost.
    write_summary(json!({"meta-key": ["other"]}));
    let error = wrong("duplicates");
    assert!(error.contains("line 1: metadata \"title\""), "{error}");
    write_summary(json!({"meta-key": metadata()}));
    fs::write(&path, text.replace("\"similar\"", "\"alike\"")).unwrap();
    let error = wrong("duplicates");
    assert!(
        error.contains("not a rule that this version knows"),
        "{error}"
    );
    let sides = pairs.replace('}', ",\"left_source\":\"old\"}");
    fs::write(folder.join("pairs.jsonl"), sides).unwrap();
    let error = wrong("pairs");
    assert!(error.contains("names no old documents"), "{error}");
}
