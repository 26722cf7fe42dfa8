//! The tables of `history` in XML: the rows of JSON lines, and they obey the schema.

use super::parquet;
use super::{HOSTILE, Row, assert_obeys_schema, text, xml};
use arrow_array::RecordBatch;
use neardupe_core::document::Silent;
use neardupe_core::feature::{FeatureKind, FeatureSpec};
use neardupe_core::frequency::{DfTable, FeatureSpecText};
use neardupe_core::pipeline::history::rules::Factors;
use neardupe_core::pipeline::history::{HistoryConfig, HistoryResult, IdField, history};
use neardupe_core::signature::{CodeSpec, Idf};
use neardupe_core::store::{Budget, WorkDir};
use neardupe_core::text::WordOptions;
use neardupe_io::output::{OutputFormat, history_batches, write_history};
use neardupe_io::result::StoredTables;
use neardupe_io::source::{FileSource, ReadOptions, discover};
use serde_json::json;
use std::fs;
use std::path::Path;
use std::sync::Arc;

const TABLES: [&str; 2] = ["history", "revisit"];

#[test]
fn history_in_xml_has_the_rows_of_json_lines_and_obeys_the_schema() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for dated in [true, false] {
        let result = small_history(folder, dated);
        for format in [OutputFormat::Jsonl, OutputFormat::Xml] {
            write_history(folder, &result, format).unwrap();
        }
        for table in TABLES {
            let path = folder.join(format!("{table}.xml"));
            assert_obeys_schema(&path);
            let mut expected = text::read_jsonl(&folder.join(format!("{table}.jsonl")));
            assert!(expected.len() >= HOSTILE.len(), "{table}");
            // XML has only texts.
            for value in expected.iter_mut().flat_map(Row::values_mut) {
                if value.is_u64() {
                    *value = json!(value.to_string());
                }
            }
            assert_eq!(xml::read(&path), expected, "{table}");
            let num_with = |name: &str| {
                let has = |row: &&Row| row.contains_key(name);
                expected.iter().filter(has).count()
            };
            // What is optional is there and is not.
            assert_eq!(num_with("date") > 0, dated, "{table}");
            if table == "revisit" {
                for name in ["distance", "interval_days"] {
                    let count = num_with(name);
                    assert!(count < expected.len(), "{name}");
                    assert_eq!(count > 0, dated || name == "distance", "{name}");
                }
            }
        }
    }
}

#[test]
fn batches_of_a_history_have_the_rows_of_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for dated in [true, false] {
        let result = small_history(folder, dated);
        for format in OutputFormat::ALL {
            write_history(folder, &result, format).unwrap();
            let summary = json!({
                "program": "neardupe",
                "command": "history",
                "options": {"output-format": format.name()},
                "counts": {},
            });
            fs::write(folder.join("summary.json"), summary.to_string()).unwrap();
            let stored = StoredTables::open(folder).unwrap();
            for name in TABLES {
                let made = history_batches(&result, name).unwrap();
                let table = stored.table(name).unwrap().unwrap();
                let read = stored.batches(table).unwrap();
                assert_eq!(made.schema(), read.schema(), "{name}");
                let made: Vec<RecordBatch> = made.map(Result::unwrap).collect();
                let read: Vec<RecordBatch> = read.map(Result::unwrap).collect();
                assert!(parquet::rows(&made).len() >= HOSTILE.len(), "{name}");
                let format = format.name();
                assert_eq!(
                    parquet::rows(&read),
                    parquet::rows(&made),
                    "{name} in {format}"
                );
            }
        }
        assert!(history_batches(&result, "pairs").is_none());
    }
}

/// Versions of documents with hostile ids: one has a single version, of others the text stays,
/// changes in its signs, or becomes another one.
fn small_history(folder: &Path, dated: bool) -> HistoryResult {
    let mut lines = String::new();
    for (number, id) in HOSTILE.iter().enumerate() {
        for version in 0..=number % 5 {
            let end = match number % 3 {
                0 => String::new(),
                1 => "!".repeat(version),
                _ => format!(" and on day {version} much of it is told in other words"),
            };
            let text = format!("{}{end}", super::TEXT);
            let date = format!("2024-01-{:02}", 1 + version * (1 + number % 2));
            lines += &format!("{}\n", json!({"id": id, "text": text, "date": date}));
        }
    }
    // Every document has two versions at least, but for the last.
    for id in HOSTILE {
        let record = json!({"id": id, "text": super::TEXT, "date": "2024-03-01"});
        lines += &format!("{record}\n");
    }
    let single = json!({"id": "single", "text": super::TEXT, "date": "2024-01-01"});
    lines += &format!("{single}\n");
    let input = folder.join("versions.jsonl");
    fs::write(&input, lines).unwrap();
    let found = discover(&[input.to_str().unwrap().to_owned()], None).unwrap();
    let mut options = ReadOptions::default();
    options.keys.metadata = vec!["date".to_owned()];
    let source = FileSource::new(found.files, options);
    let work = WorkDir::new(folder.join("work"));
    let config = config(dated);
    history(&source, &mut std::iter::empty(), &config, &work, &Silent).unwrap()
}

fn config(dated: bool) -> HistoryConfig {
    let words = WordOptions::default();
    let features = FeatureKind::Terms;
    let specification = FeatureSpecText::from(&FeatureSpec::new(features, &words, 0));
    let df = DfTable::from_counts(specification, 0, 1, std::iter::empty());
    HistoryConfig {
        codes: Arc::new(CodeSpec {
            features,
            words,
            seed: 0,
            variant: "original".parse().unwrap(),
            idf: Idf::None,
            reserve: None,
            fields: vec!["date".to_owned()],
            num_features: 0,
            df: Arc::new(df),
            of_hosts: None,
            anchors: None,
        }),
        ids: IdField::Given,
        date: dated.then(|| ("date".to_owned(), 0)),
        factors: Factors::default(),
        all: true,
        store: false,
        threads: 2,
        budget: Budget::new(256 << 20, 2),
    }
}
