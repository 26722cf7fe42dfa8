//! A result is read back as it was written, in every format and whatever characters are in
//! it; and what is missing, foreign or damaged is refused with the file and the place.

use neardupe_core::document::Silent;
use neardupe_core::error::Error;
use neardupe_core::pipeline::{Cluster, FindConfig, FindResult, PairsMode, find};
use neardupe_core::ratio::six_decimals;
use neardupe_io::output::{OutputFormat, write_tables};
use neardupe_io::result::{
    ResultReader, ResultTable, StoredCluster, StoredDocument, StoredDuplicate, StoredPair,
};
use neardupe_io::source::{FileSource, ReadOptions, discover};
use proptest::prelude::*;
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

const TEXT: &str = "The harbour was quiet that morning, and the fishermen sat on the wall \
                    mending their nets while the gulls waited for the first boat";

const HOSTILE: [&str; 14] = [
    "plain",
    " spaces  around ",
    "tab\tand\nline\r\nends",
    "\"quotes\" and 'quotes'",
    "<id a=\"b\">&amp;&#1;</id>",
    "]]>",
    "back\\slash\\u0001 \\\\",
    "bell \u{7} and \\ backslash",
    "null \0",
    "nor this \u{ffff}",
    "next line \u{85} separator \u{2028} mark \u{feff}",
    "😀 \u{10ffff} 文書",
    "e\u{301} and é",
    "delete \u{7f}",
];

/// Changes the text of a file.
type Damage<'a> = &'a dyn Fn(&str) -> String;

/// The rows of a result.
#[derive(Debug, PartialEq)]
struct Tables {
    pairs: Vec<StoredPair>,
    clusters: Vec<StoredCluster>,
    duplicates: Vec<StoredDuplicate>,
    documents: Vec<StoredDocument>,
}

#[test]
fn every_format_is_read_back_as_it_was_written() {
    let folder = tempfile::tempdir().unwrap();
    check_round_trip(folder.path(), &HOSTILE.map(str::to_owned));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn every_format_is_read_back_whatever_the_ids(
        ids in proptest::collection::vec(any::<String>(), 1..12)
    ) {
        let folder = tempfile::tempdir().unwrap();
        check_round_trip(folder.path(), &ids);
    }
}

fn check_round_trip(folder: &Path, ids: &[String]) {
    let result = small_result(folder, ids);
    for format in OutputFormat::ALL {
        let out = written(folder, &result, format);
        let mut expected = expected(&result);
        let mut found = read(&ResultReader::open(&out).unwrap());
        for tables in [&mut expected, &mut found] {
            let rows = tables.duplicates.iter_mut().map(|row| &mut row.metadata);
            let more = tables.documents.iter_mut().map(|row| &mut row.metadata);
            for metadata in rows.chain(more) {
                match format {
                    // XML leaves out what is not there.
                    OutputFormat::Xml => metadata.retain(|(_, value)| value.is_some()),
                    // TSV does not tell an empty value from none.
                    OutputFormat::Tsv => {
                        for (_, value) in metadata {
                            *value = value.take().filter(|value| !value.is_empty());
                        }
                    }
                    OutputFormat::Jsonl | OutputFormat::Parquet => {}
                }
            }
        }
        assert_eq!(found, expected, "{}", format.name());
    }
}

#[test]
fn the_result_inside_an_output_of_dedup_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let result = small_result(folder.path(), &HOSTILE.map(str::to_owned));
    let out = written(folder.path(), &result, OutputFormat::Jsonl);
    let outer = folder.path().join("deduplicated");
    fs::create_dir(&outer).unwrap();
    fs::rename(out, outer.join("_neardupe")).unwrap();
    let reader = ResultReader::open(&outer).unwrap();
    assert_eq!(reader.folder(), outer.join("_neardupe"));
    assert_eq!(read(&reader), expected(&result));
}

#[test]
fn what_is_no_result_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let message = |path: &Path| ResultReader::open(path).unwrap_err().to_string();
    let missing = message(&folder.path().join("nowhere"));
    assert!(
        missing.contains("nowhere: there is no such folder"),
        "{missing}"
    );
    let empty = message(folder.path());
    assert!(empty.contains("has no summary.json"), "{empty}");
    let summary = folder.path().join("summary.json");
    for (text, expected) in [
        ("{}", "not a summary of neardupe"),
        ("{\n\n", "summary.json: damaged: line 3"),
        ("[1]", "damaged: line 1"),
        ("{\"program\":\"neardupe\"}", "missing field `version`"),
    ] {
        fs::write(&summary, text).unwrap();
        let message = message(folder.path());
        assert!(message.contains(expected), "{text}: {message}");
    }
}

#[test]
fn a_damaged_table_is_refused_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let result = small_result(folder.path(), &["a", "b", "c"].map(str::to_owned));
    let good = |format: OutputFormat| {
        let out = written(folder.path(), &result, format);
        let path = out.join(format!("pairs.{}", format.name()));
        let text = fs::read_to_string(&path).unwrap_or_default();
        (out, path, text)
    };
    let last_id = "\"c\"";
    let cases: [(OutputFormat, Damage<'_>, &str); 12] = [
        (
            OutputFormat::Jsonl,
            &|t| t.replacen("overlap", "common", 3),
            "line 1",
        ),
        (
            OutputFormat::Jsonl,
            &|t| t.trim_end().to_owned(),
            "line 3: the file ends",
        ),
        (
            OutputFormat::Jsonl,
            &|t| t.replace(last_id, "7"),
            "line 2, column",
        ),
        (
            OutputFormat::Jsonl,
            &|t| t.replace("0.", "7."),
            "not between 0 and 1",
        ),
        (
            OutputFormat::Jsonl,
            &|t| t.lines().take(2).map(|line| format!("{line}\n")).collect(),
            "it has 2 rows, but summary.json says 3",
        ),
        (
            OutputFormat::Tsv,
            &|_| String::new(),
            "line 1: the file is empty",
        ),
        (
            OutputFormat::Tsv,
            &|t| t.replace("similarity", "x"),
            "line 2: no value of",
        ),
        (
            OutputFormat::Tsv,
            &|t| t.replace("b\t", "b\tb\t"),
            "line 2: 7 values",
        ),
        (
            OutputFormat::Tsv,
            &|t| t.replace("a\tc", "a\\\tc"),
            "line 3: a backslash",
        ),
        (
            OutputFormat::Xml,
            &|t| t.replace("</pairs>\n", ""),
            "line 6: ",
        ),
        (
            OutputFormat::Xml,
            &|t| t.replace("urn:neardupe", "urn:x"),
            "line 2: the root",
        ),
        (
            OutputFormat::Xml,
            &|t| t.replace("overlap=\"", "overlap=\"x"),
            "line 3: overlap",
        ),
    ];
    for (format, damage, expected) in cases {
        let (out, path, text) = good(format);
        let damaged = damage(&text);
        assert_ne!(damaged, text, "{expected}");
        fs::write(&path, damaged).unwrap();
        let reader = ResultReader::open(&out).unwrap();
        let error = reader
            .pairs()
            .and_then(|rows| rows.collect::<Result<Vec<_>, _>>())
            .unwrap_err();
        let message = error.to_string();
        assert!(message.contains(expected), "{expected}: {message}");
        assert!(message.contains("pairs."), "{message}");
    }
}

#[test]
fn damaged_parquet_is_refused_wherever_it_is_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let result = small_result(folder.path(), &HOSTILE.map(str::to_owned));
    let out = written(folder.path(), &result, OutputFormat::Parquet);
    let path = out.join("pairs.parquet");
    let bytes = fs::read(&path).unwrap();
    let reader = ResultReader::open(&out).unwrap();
    let expected = expected(&result).pairs;
    let mut refused = 0;
    for at in (0..bytes.len()).step_by(13) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x15;
        fs::write(&path, damaged).unwrap();
        let rows = reader
            .pairs()
            .and_then(|rows| rows.collect::<Result<Vec<_>, _>>());
        match rows {
            Err(Error::Corrupt { path: at, .. }) => {
                assert_eq!(at, path);
                refused += 1;
            }
            Err(other) => panic!("{other}"),
            // Some bytes say nothing about the rows.
            Ok(rows) => assert_eq!(rows.len(), expected.len()),
        }
    }
    assert!(refused > 20, "{refused}");
}

#[test]
fn a_missing_table_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let result = small_result(folder.path(), &["a", "b"].map(str::to_owned));
    let out = written(folder.path(), &result, OutputFormat::Jsonl);
    for table in [ResultTable::Clusters, ResultTable::Documents] {
        fs::remove_file(out.join(format!("{}.jsonl", table.name()))).unwrap();
    }
    let reader = ResultReader::open(&out).unwrap();
    assert_eq!(reader.file(ResultTable::Clusters), None);
    let message = reader.clusters().unwrap_err().to_string();
    assert!(message.contains("has no table of clusters"), "{message}");
    let message = reader.documents().unwrap_err().to_string();
    assert!(message.contains("find `pairs all`"), "{message}");
}

fn read(reader: &ResultReader) -> Tables {
    Tables {
        pairs: reader.pairs().unwrap().map(Result::unwrap).collect(),
        clusters: reader.clusters().unwrap().map(Result::unwrap).collect(),
        duplicates: reader.duplicates().unwrap().map(Result::unwrap).collect(),
        documents: reader.documents().unwrap().map(Result::unwrap).collect(),
    }
}

fn ratio(part: u32, whole: u64) -> f64 {
    six_decimals(u64::from(part), whole).parse().unwrap()
}

/// What the tables must hold.
fn expected(result: &FindResult) -> Tables {
    let documents = &result.documents;
    let id = |document| documents.id(document).unwrap().into_owned();
    let metadata = |document| {
        let values = documents.metadata(document).unwrap();
        vec![("odd \u{1}\t\"<\\".to_owned(), values[0].clone())]
    };
    let mut tables = Tables {
        pairs: Vec::new(),
        clusters: Vec::new(),
        duplicates: Vec::new(),
        documents: Vec::new(),
    };
    let mut pairs = Vec::new();
    result
        .for_each_pair(|pair| {
            pairs.push(StoredPair {
                left: id(pair.left),
                right: id(pair.right),
                similarity: ratio(pair.overlap, pair.union()),
                overlap: pair.overlap,
                left_size: pair.left_size,
                right_size: pair.right_size,
                left_source: None,
                right_source: None,
            });
            Ok(())
        })
        .unwrap();
    tables.pairs = pairs;
    let add = |cluster: &Cluster| {
        tables.clusters.push(StoredCluster {
            cluster_id: id(cluster.representative),
            size: u32::try_from(cluster.members.len()).unwrap(),
            cluster_source: None,
            members: cluster.members.iter().map(|&member| id(member)).collect(),
        });
        Ok(())
    };
    result.for_each_cluster(add).unwrap();
    for row in &result.duplicates {
        let size = u64::from(documents.size(row.document));
        let other = u64::from(documents.size(row.representative));
        tables.duplicates.push(StoredDuplicate {
            id: id(row.document),
            duplicate_of: id(row.representative),
            similarity: ratio(row.overlap, size + other - u64::from(row.overlap)),
            containment: ratio(row.overlap, size),
            containment_of_representative: ratio(row.overlap, other),
            rule: row.rule,
            duplicate_of_source: None,
            metadata: metadata(row.document),
        });
    }
    for (rank, priority) in result.priority_ranks.as_ref().unwrap().iter() {
        let document = result.order.document(rank);
        tables.documents.push(StoredDocument {
            id: id(document),
            size: documents.size(document),
            characters: documents.chars(document),
            text_hash: documents.text_hash(document).unwrap(),
            place: priority.get(),
            source: None,
            metadata: metadata(document),
        });
    }
    tables
}

fn written(folder: &Path, result: &FindResult, format: OutputFormat) -> PathBuf {
    let out = folder.join(format!("out-{}", format.name()));
    fs::create_dir_all(&out).unwrap();
    write_tables(&out, result, format, &["odd \u{1}\t\"<\\".to_owned()]).unwrap();
    let summary = json!({
        "program": "neardupe",
        "version": "0",
        "command": "find",
        "options": {"output-format": format.name()},
        "feature_specification": {},
        "counts": result.totals,
    });
    fs::write(out.join("summary.json"), summary.to_string()).unwrap();
    out
}

/// Documents with these ids whose texts are equal or differ in one word, and what is found
/// in them.
fn small_result(folder: &Path, ids: &[String]) -> FindResult {
    let mut lines = String::new();
    for (number, id) in ids.iter().enumerate() {
        let end = ["today.", "tomorrow."][number % 2];
        let mut record = json!({"id": id, "text": format!("{TEXT} {end}")});
        if number % 3 > 0 {
            let value = if number % 3 == 1 { id } else { "" };
            record["odd \u{1}\t\"<\\"] = json!(value);
        }
        lines += &format!("{record}\n");
    }
    let input = folder.join("documents.jsonl");
    fs::write(&input, lines).unwrap();
    let files = discover(&[input.to_str().unwrap().to_owned()], None)
        .unwrap()
        .files;
    let mut options = ReadOptions::default();
    options.keys.metadata = vec!["odd \u{1}\t\"<\\".to_owned()];
    let mut config = FindConfig::new(folder.join("work"));
    config.metadata = options.keys.metadata.clone();
    config.pairs = PairsMode::All;
    find(&FileSource::new(files, options), &config, &Silent).unwrap()
}
