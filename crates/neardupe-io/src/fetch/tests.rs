use super::*;
use crate::source::{ReadOptions, discover};
use neardupe_core::document::Silent;
use neardupe_core::hash;
use neardupe_core::pipeline::{FindConfig, find};
use proptest::prelude::*;
use std::fs;
use std::path::Path;

fn source(folder: &Path, arguments: &[&str]) -> FileSource {
    let arguments = arguments.iter().map(|name| folder.join(name));
    let arguments: Vec<String> = arguments
        .map(|path| path.to_str().unwrap().to_owned())
        .collect();
    let files = discover(&arguments, None).unwrap().files;
    FileSource::new(files, ReadOptions::default())
}

fn row(id: Option<&str>, text: &str) -> String {
    let id = id.map_or(String::new(), |id| format!("\"id\":{id:?},"));
    format!("{{{id}\"text\":{text:?}}}\n")
}

/// Every id that `find` gives leads back to its document.
fn check_all_ids(folder: &Path, arguments: &[&str], threads: usize) {
    let config = FindConfig::new(folder.join("work"));
    let result = find(&source(folder, arguments), &config, &Silent).unwrap();
    let documents = &result.documents;
    let ids: Vec<String> = documents
        .all()
        .map(|document| documents.id(document).unwrap().into_owned())
        .collect();
    let fetched = fetch(&source(folder, arguments), &ids, threads, &Silent).unwrap();
    for (number, document) in documents.all().zip(&fetched) {
        assert_eq!(document.id, ids[number.index()]);
        let hash = hash::text(&document.text);
        assert_eq!(
            hash,
            documents.text_hash(number).unwrap(),
            "{}",
            document.id
        );
    }
    let mut places: Vec<_> = fetched.iter().map(|one| (&one.file, one.number)).collect();
    places.sort_unstable();
    places.dedup();
    // Two files of one name have equal places.
    assert!(places.len() * arguments.len() >= fetched.len());
    // Places without texts are those of the same documents.
    let mut watchers = vec![Seen(0); threads];
    let again = source(folder, arguments);
    let located = locate(&again, &ids, &mut watchers, &Silent).unwrap();
    assert_eq!(
        watchers.iter().map(|seen| seen.0).sum::<u32>(),
        documents.len()
    );
    let hashes: FixedMap<Position, u128> = documents
        .all()
        .map(|number| {
            let place = documents.position(number).unwrap();
            (place, documents.text_hash(number).unwrap())
        })
        .collect();
    for (number, located) in documents.all().zip(located) {
        let hash = hashes[&located.unwrap().position];
        assert_eq!(hash, documents.text_hash(number).unwrap());
    }
}

/// Counts what passes.
#[derive(Clone)]
struct Seen(u32);

impl Watcher for Seen {
    fn see(&mut self, _: &neardupe_core::document::Record<'_>) {
        self.0 += 1;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn every_id_leads_to_the_document_that_find_means(
        rows in prop::collection::vec(
            (prop::sample::select(vec![
                None, None, Some("a"), Some("b"), Some("a#2"), Some("a#3"), Some("a#2#2"),
                Some("docs.jsonl:2"), Some("b#02"), Some("#2"),
            ]), 0u32..4),
            1..14,
        ),
        split in 0usize..14,
        threads in 1usize..4,
    ) {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("more")).unwrap();
        let split = split.min(rows.len());
        let write = |name: &str, rows: &[(Option<&str>, u32)]| {
            let rows = rows.iter().map(|(id, text)| row(*id, &format!("text {text}")));
            fs::write(folder.path().join(name), rows.collect::<String>()).unwrap();
        };
        write("docs.jsonl", &rows[..split]);
        write("more/docs.jsonl", &rows[split..]);
        check_all_ids(folder.path(), &["docs.jsonl", "more/docs.jsonl"], threads);
    }
}

#[test]
fn numbers_are_found_across_blocks() {
    let folder = tempfile::tempdir().unwrap();
    let mut rows = String::new();
    for number in 0..3000 {
        // Blank lines count, too.
        if number % 7 == 0 {
            rows.push('\n');
        }
        rows += &row(None, &format!("{number} {}", "word ".repeat(number % 400)));
    }
    assert!(rows.len() > 2 << 20);
    fs::write(folder.path().join("docs.jsonl"), rows).unwrap();
    for threads in [1, 3] {
        check_all_ids(folder.path(), &["docs.jsonl"], threads);
    }
}

#[test]
fn an_unknown_id_is_told_with_those_written_alike() {
    let folder = tempfile::tempdir().unwrap();
    let rows = ["page-12", "page-13", "Other"].map(|id| row(Some(id), "x"));
    fs::write(folder.path().join("docs.jsonl"), rows.concat()).unwrap();
    let message = |id: &str| {
        let ids = [id.to_owned()];
        let found = fetch(&source(folder.path(), &["docs.jsonl"]), &ids, 2, &Silent);
        found.unwrap_err().to_string()
    };
    assert_eq!(
        message("page-14"),
        "\"page-14\": none of the 3 documents that were read has this id; written alike: \
         \"page-12\", \"page-13\""
    );
    assert!(message("other").ends_with("written alike: \"Other\""));
    assert!(message("docs.jsonl:9").ends_with("written alike: \"docs.jsonl:3\""));
    assert!(message("zzz").ends_with("has this id"));
}

#[test]
fn a_file_of_one_document_needs_no_id() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.txt"), "some text").unwrap();
    fs::write(
        folder.path().join("b.jsonl"),
        row(Some("x"), "y") + &row(None, "z"),
    )
    .unwrap();
    fs::write(folder.path().join("c.jsonl"), "{}\n").unwrap();
    let only = |name: &str| fetch_only(&source(folder.path(), &[name]), name, 2, &Silent);
    let document = only("a.txt").unwrap();
    assert_eq!((&*document.id, &*document.text), ("a.txt", "some text"));
    let message = only("b.jsonl").unwrap_err().to_string();
    assert_eq!(
        message,
        "b.jsonl: holds 2 documents; name one by its id, as b.jsonl#x"
    );
    assert!(
        only("c.jsonl")
            .unwrap_err()
            .to_string()
            .contains("missing-text")
    );
}

#[test]
fn texts_of_a_result_are_found_by_id() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(fetch_texts(folder.path(), &[], 1, &Silent).unwrap(), None);
    let rows = row(Some("a"), "<html>as it is") + &row(Some("a#2"), "two");
    fs::write(folder.path().join("texts.jsonl"), rows).unwrap();
    let ids = ["a#2", "a", "b"].map(str::to_owned);
    let found = fetch_texts(folder.path(), &ids, 1, &Silent)
        .unwrap()
        .unwrap();
    let texts: Vec<Option<&str>> = found
        .documents
        .iter()
        .map(|document| document.as_ref().map(|document| &*document.text))
        .collect();
    assert_eq!(texts, [Some("two"), Some("<html>as it is"), None]);
    assert!(found.check(&ids).is_err());
}
