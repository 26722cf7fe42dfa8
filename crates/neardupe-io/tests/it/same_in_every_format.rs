//! The same documents in every format that can carry them give the same bytes.
//!
//! The documents are the example pages with numbers for ids, their white space collapsed:
//! marked-up formats carry no other.

use crate::carriers::Document;
use neardupe_core::document::Silent;
use neardupe_core::pipeline::{FindConfig, PairsMode, find};
use neardupe_io::output::{OutputFormat, write_tables};
use neardupe_io::source::FileSource;
use std::fs;
use std::path::Path;

/// Example pages, some Chinese ones with near-copies, and one of awkward characters.
fn documents() -> Vec<Document> {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/pages");
    let mut paths: Vec<_> = walk(&pages);
    paths.sort();
    let mut texts: Vec<String> = paths
        .iter()
        .step_by(3)
        .map(|path| fs::read_to_string(path).unwrap())
        .collect();
    let law = "中华人民共和国公民在法律面前一律平等。国家尊重和保障人权。任何公民享有宪法和\
               法律规定的权利，同时必须履行宪法和法律规定的义务。";
    texts.push(law.repeat(2));
    texts.push(law.repeat(2).replace("任何公民", "每个公民"));
    texts
        .push("if a < b && c > d then \"x\" else 'y' ]]> &amp; </p> naïve 😀".to_owned());
    let documents = (1u32..).zip(texts).map(|(number, text)| Document {
        id: number.to_string(),
        text: text.split_whitespace().collect::<Vec<_>>().join(" "),
    });
    documents.collect()
}

fn walk(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| {
            if path.is_dir() {
                walk(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

/// All tables of a result, as bytes.
fn tables(source: &FileSource) -> (String, u64) {
    let out = tempfile::tempdir().unwrap();
    let mut config = FindConfig::new(out.path().join("work"));
    config.threshold = "0.4".parse().unwrap();
    config.pairs = PairsMode::All;
    let result = find(source, &config, &Silent).unwrap();
    assert_eq!(result.totals.bad_records, 0, "{:?}", source.files());
    write_tables(out.path(), &result, OutputFormat::Jsonl, &[]).unwrap();
    let read = |name: &str| fs::read_to_string(out.path().join(name)).unwrap();
    let names = ["pairs.jsonl", "clusters.jsonl", "duplicates.jsonl"];
    (names.map(read).concat(), result.totals.documents)
}

#[test]
fn every_format_gives_the_same_bytes() {
    let documents = documents();
    let folder = tempfile::tempdir().unwrap();
    let mut expected = None;
    for carrier in crate::carriers::ALL {
        let path = folder.path().join(carrier.name);
        (carrier.write)(&path, &documents);
        let (found, number) = tables(&carrier.source(&path));
        let prefix = format!("\"{}", carrier.id_prefix);
        let found = found.replace(&prefix, "\"");
        assert_eq!(number, documents.len() as u64, "{}", carrier.name);
        let expected = expected.get_or_insert_with(|| found.clone());
        assert!(expected.lines().count() > 50, "few documents are similar");
        assert_eq!(&found, expected, "{}", carrier.name);
    }
}
