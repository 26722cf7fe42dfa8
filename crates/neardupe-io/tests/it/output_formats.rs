//! A result is the same in every format: the rows of TSV, Parquet and XML are those of
//! JSON lines, whatever characters are in ids and metadata; XML obeys its schema; and a
//! disk that refuses is reported with the path.

mod batches;
mod history;
mod parquet;
mod text;
mod xml;

use neardupe_core::document::Silent;
use neardupe_core::error::Error;
use neardupe_core::pipeline::{FindConfig, FindResult, PairsMode, find};
use neardupe_io::output::{OutputFormat, write_tables};
use neardupe_io::source::{FileSource, ReadOptions, discover};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// A row by column. Ratios are texts of six decimals; what is absent is left out.
type Row = BTreeMap<String, Value>;

const TABLES: [&str; 4] = ["pairs", "clusters", "duplicates", "documents"];

const TEXT: &str = "The harbour was quiet that morning, and the fishermen sat on the wall \
                    mending their nets while the gulls waited for the first boat";

/// Ids that mean something to some format, or that some format cannot hold as they are.
const HOSTILE: [&str; 16] = [
    "plain",
    " spaces  around ",
    "tab\tand\nline\r\nends",
    "\"quotes\" and 'quotes'",
    "<id a=\"b\">&amp;&#1;</id>",
    "]]>",
    "<!-- -->",
    "back\\slash\\u0001 \\\\",
    "bell \u{7} and \\ backslash",
    "null \0",
    "not a character \u{fffe}",
    "nor this \u{ffff}",
    "next line \u{85} separator \u{2028} mark \u{feff}",
    "😀 \u{10ffff} 文書",
    "e\u{301} and é",
    "delete \u{7f}",
];

#[test]
fn all_formats_hold_the_same_rows() {
    let folder = tempfile::tempdir().unwrap();
    let result = small_result(folder.path(), &HOSTILE.map(str::to_owned));
    assert_eq!(result.duplicates.len(), HOSTILE.len() - 1);
    assert_same_rows(folder.path(), &result);
}

proptest! {
    // Few, because every case writes and syncs 16 files.
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn all_formats_hold_the_same_rows_whatever_the_ids(
        ids in proptest::collection::vec(any::<String>(), 2..12)
    ) {
        let folder = tempfile::tempdir().unwrap();
        assert_same_rows(folder.path(), &small_result(folder.path(), &ids));
    }
}

#[test]
fn a_result_without_rows_is_a_table_without_rows() {
    let folder = tempfile::tempdir().unwrap();
    let result = small_result(folder.path(), &["alone".to_owned()]);
    assert!(result.pairs.is_empty());
    assert_same_rows(folder.path(), &result);
}

#[test]
fn xml_obeys_its_schema() {
    let folder = tempfile::tempdir().unwrap();
    let result = small_result(folder.path(), &HOSTILE.map(str::to_owned));
    write_tables(folder.path(), &result, OutputFormat::Xml, &metadata()).unwrap();
    for table in TABLES {
        assert_obeys_schema(&folder.path().join(format!("{table}.xml")));
    }
}

#[expect(clippy::print_stdout, reason = "says why nothing was checked")]
fn assert_obeys_schema(path: &Path) {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/result.xsd");
    let output = Command::new("xmllint")
        .args(["--noout", "--nonet", "--schema"])
        .arg(&schema)
        .arg(path)
        .output();
    match output {
        Err(error) => {
            println!("not checked against {}: xmllint: {error}", schema.display());
        }
        Ok(output) => assert!(
            output.status.success(),
            "{}: {}",
            path.display(),
            String::from_utf8_lossy(&output.stderr)
        ),
    }
}

#[test]
fn the_same_result_has_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let result = small_result(folder.path(), &HOSTILE.map(str::to_owned));
    for format in OutputFormat::ALL {
        let mut written = [0, 1].map(|_| {
            write_tables(folder.path(), &result, format, &metadata()).unwrap();
            TABLES.map(|table| {
                let name = format!("{table}.{}", format.name());
                fs::read(folder.path().join(name)).unwrap()
            })
        });
        let [first, second] = &mut written;
        assert!(first == second, "{}", format.name());
    }
}

/// `/dev/full` accepts every file and refuses every byte.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported_with_the_path() {
    let folder = tempfile::tempdir().unwrap();
    let result = small_result(folder.path(), &HOSTILE.map(str::to_owned));
    for format in OutputFormat::ALL {
        for table in TABLES {
            let full = tempfile::tempdir().unwrap();
            let path = full.path().join(format!("{table}.{}", format.name()));
            std::os::unix::fs::symlink("/dev/full", &path).unwrap();
            let written = write_tables(full.path(), &result, format, &metadata());
            let Err(Error::Io { path: at, source }) = written else {
                panic!("{}: {written:?}", path.display());
            };
            assert_eq!(at, path);
            assert_eq!(source.kind(), std::io::ErrorKind::StorageFull, "{source}");
        }
    }
}

fn assert_same_rows(folder: &Path, result: &FindResult) {
    for format in OutputFormat::ALL {
        write_tables(folder, result, format, &metadata()).unwrap();
    }
    for table in TABLES {
        let read = |format: OutputFormat| {
            let path = folder.join(format!("{table}.{}", format.name()));
            match format {
                OutputFormat::Jsonl => text::read_jsonl(&path),
                OutputFormat::Tsv => text::read_tsv(&path),
                OutputFormat::Parquet => parquet::read(&path),
                OutputFormat::Xml => xml::read(&path),
            }
        };
        let mut expected = read(OutputFormat::Jsonl);
        assert_eq!(read(OutputFormat::Parquet), expected, "{table} in Parquet");
        assert_eq!(read(OutputFormat::Xml), expected, "{table} in XML");
        // TSV does not tell an empty value from an absent one.
        let mut tsv = read(OutputFormat::Tsv);
        for row in expected.iter_mut().chain(&mut tsv) {
            row.retain(|name, value| !name.starts_with("metadata.") || value != "");
        }
        assert_eq!(tsv, expected, "{table} in TSV");
    }
    batches::assert_same_batches(folder, result);
}

/// Metadata fields asked for; one twice, one whose name XML cannot hold.
fn metadata() -> Vec<String> {
    ["title", "odd \u{1}\t\"<\\", "title"]
        .map(str::to_owned)
        .to_vec()
}

/// Documents with these ids whose texts are equal or differ in one word, and what is found
/// in them.
fn small_result(folder: &Path, ids: &[String]) -> FindResult {
    let mut lines = String::new();
    for (number, id) in ids.iter().enumerate() {
        let end = if number % 2 == 0 {
            "today."
        } else {
            "tomorrow."
        };
        let mut record = json!({"id": id, "text": format!("{TEXT} {end}")});
        // All three of a value, an empty one and none.
        if number % 3 > 0 {
            record["title"] = json!(if number % 3 == 1 { id } else { "" });
        }
        if number % 4 == 3 {
            record[&metadata()[1]] = json!(id);
        }
        lines += &format!("{record}\n");
    }
    let input = folder.join("documents.jsonl");
    fs::write(&input, lines).unwrap();
    let files = discover(&[input.to_str().unwrap().to_owned()], None)
        .unwrap()
        .files;
    let mut options = ReadOptions::default();
    options.keys.metadata = metadata();
    let mut config = FindConfig::new(folder.join("work"));
    config.metadata = metadata();
    config.pairs = PairsMode::All;
    find(&FileSource::new(files, options), &config, &Silent).unwrap()
}
