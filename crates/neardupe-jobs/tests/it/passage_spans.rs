//! The law of places: what a row of `passages` tells of a page slices the text of that page, in
//! characters and in bytes, from word to word and within the sentences that it names.
//!
//! Pages are HTML with entities, Chinese, combining characters and lines that end with CRLF, so
//! that the text is not the file, a character is not a byte, and a word may be several characters.

use arrow_array::RecordBatch;
use neardupe_core::document::Silent;
use neardupe_core::passage::{CutText, PassageRule, TextCutter};
use neardupe_core::pipeline::{PassagesConfig, PassagesResult, passages};
use neardupe_core::store::WorkDir;
use neardupe_io::output::{Offsets, OutputFormat};
use neardupe_io::result::StoredTables;
use neardupe_io::source::{FileSource, ReadOptions, discover};
use neardupe_jobs::passage_tables::{Kinds, passage_batches, write_passages};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Pages that have paragraphs in common.
fn pages() -> impl Strategy<Value = Vec<String>> {
    let paragraph = prop::sample::select(vec![
        "<p>Fish &amp; chips cost &pound;5 &mdash; or &#8364;6&nbsp;&#x2014; in caf&eacute;s by the sea.</p>",
        "<p>Cafe\u{301} cre\u{300}me bru\u{302}le\u{301}e, nai\u{308}ve fac\u{327}ade \u{1f600}\r\nand so on to the end of it.</p>",
        "<p>&#20013;&#21326;人民共和国的一切权力属于人民，人民行使国家权力的机关是大会。</p>",
        "<p>One line here.\r\nAnother line &lt;there&gt;.\r\n\r\nA third one, and a fourth one.</p>",
        "<li>own &alpha;&beta;</li>",
        "<p>&#769;&zwj;= &hellip;</p>",
        "<h2>A heading without a stop</h2>",
    ]);
    let page = prop::collection::vec(paragraph, 0..7).prop_map(|parts| {
        let body = parts.join("\r\n");
        format!("<html><head><title>T</title></head><body>{body}</body></html>\r\n")
    });
    prop::collection::vec(page, 2..6)
}

/// The rows, and the texts by id.
fn run(pages: &[String], offsets: Offsets) -> (Vec<Value>, BTreeMap<String, String>) {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("pages");
    std::fs::create_dir(&input).unwrap();
    for (number, page) in pages.iter().enumerate() {
        std::fs::write(input.join(format!("{number}.html")), page).unwrap();
    }
    let argument = input.to_str().unwrap().to_owned();
    let files = discover(&[argument], None).unwrap().files;
    let source = FileSource::new(files, ReadOptions::default());
    let work = WorkDir::new(folder.path().join("work"));
    let mut config = PassagesConfig::new(folder.path().join("work"));
    config.rule = PassageRule {
        min_words: 5,
        ..config.rule
    };
    let result = passages(&source, &config, &work, &Silent).unwrap();
    let out = folder.path();
    let kinds = Kinds::new(None, &result);
    write_passages(
        out,
        &result,
        &kinds,
        OutputFormat::Jsonl,
        offsets,
        |_, _| {},
    )
    .unwrap();
    assert_same_batches(out, &result, &kinds, offsets);
    let texts = result.documents.all().map(|document| {
        let id = result.documents.id(document).unwrap().into_owned();
        (id, result.text(document).unwrap())
    });
    (rows(&out.join("passages.jsonl")), texts.collect())
}

/// Record batches without files are those of the files.
fn assert_same_batches(
    folder: &Path,
    result: &PassagesResult,
    kinds: &Kinds,
    offsets: Offsets,
) {
    let summary = json!({"program": "neardupe", "options": {}, "counts": {}});
    std::fs::write(folder.join("summary.json"), summary.to_string()).unwrap();
    let stored = StoredTables::open(folder).unwrap();
    let tables = stored.tables().unwrap();
    let names: Vec<&str> = tables.iter().map(|table| table.name).collect();
    let expected = [
        "bad-records",
        "passages",
        "passage-pairs",
        "copies",
        "boilerplate",
    ];
    assert_eq!(names, expected);
    for table in tables {
        let made = passage_batches(result, kinds, offsets, table.name).unwrap();
        let read = stored.batches(table).unwrap();
        assert_eq!(made.schema(), read.schema());
        let made: Vec<RecordBatch> = made.map(Result::unwrap).collect();
        let read: Vec<RecordBatch> = read.map(Result::unwrap).collect();
        assert_eq!(made, read, "{}", table.name);
    }
    let num_rows = passage_batches(result, kinds, offsets, "passages").unwrap();
    let num_rows = num_rows.map(|batch| batch.unwrap().num_rows() as u64);
    assert_eq!(num_rows.sum::<u64>(), result.num_passages());
}

fn rows(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    let rows = text.lines().map(|line| serde_json::from_str(line).unwrap());
    rows.collect()
}

fn number(row: &Value, name: &str) -> usize {
    usize::try_from(row[name].as_u64().unwrap()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn places_slice_the_texts(pages in pages()) {
        let (by_characters, texts) = run(&pages, Offsets::Characters);
        let (by_bytes, _) = run(&pages, Offsets::Bytes);
        prop_assert_eq!(by_characters.len(), by_bytes.len());
        for (row, in_bytes) in by_characters.iter().zip(&by_bytes) {
            let mut sides = Vec::new();
            for side in ["left", "right"] {
                let text = &texts[row[side].as_str().unwrap()];
                let place = |row: &Value, end: &str| number(row, &format!("{side}_{end}"));
                let (start, end) = (place(row, "start"), place(row, "end"));
                let cut: String = text.chars().skip(start).take(end - start).collect();
                let (start, end) = (place(in_bytes, "start"), place(in_bytes, "end"));
                prop_assert_eq!(&cut, &text[start..end]);
                // From word to word.
                let mut all = CutText::default();
                TextCutter::default().cut(text, &mut all);
                let first = all.places.iter().position(|one| one.start == start).unwrap();
                let last = all.places.iter().position(|one| one.end == end).unwrap();
                sides.push(all.words[first..=last].to_vec());
                // Within the sentences that are named.
                let sentence = |word: usize| {
                    let ends = all.sentence_words.iter();
                    ends.filter(|&&until| until as usize <= word).count() + 1
                };
                let named = format!("{}-{}", sentence(first), sentence(last));
                prop_assert_eq!(&row[format!("{side}_sentences")], &Value::from(named));
                let share = sides.last().unwrap().len() as f64 / all.words.len() as f64;
                let told = row[format!("{side}_share")].as_f64().unwrap();
                prop_assert!((share - told).abs() < 1e-6, "{share} {told}");
            }
            let shorter = sides.iter().map(Vec::len).min().unwrap();
            prop_assert_eq!(number(row, "words"), shorter);
            let sets: Vec<BTreeSet<u32>> =
                sides.into_iter().map(|words| words.into_iter().collect()).collect();
            let common = sets[0].intersection(&sets[1]).count() as f64;
            let similarity = common / sets[0].union(&sets[1]).count() as f64;
            let told = row["similarity"].as_f64().unwrap();
            prop_assert!((similarity - told).abs() < 1e-6, "{similarity} {told}");
        }
    }
}

/// The pages above are not without passages.
#[test]
fn pages_in_common_have_passages() {
    let mut pages = Vec::new();
    let paragraph = "<p>Fish &amp; chips cost &pound;5 &mdash; or &#8364;6 in caf&eacute;s by the sea.</p>";
    for own in ["<p>one</p>", "<p>two &alpha;</p>"] {
        pages.push(format!("<html><body>{own}{paragraph}</body></html>"));
    }
    let (rows, texts) = run(&pages, Offsets::Characters);
    assert_eq!(rows.len(), 1);
    let text = &texts[rows[0]["left"].as_str().unwrap()];
    assert!(
        text.contains("Fish & chips cost £5 — or €6 in cafés"),
        "{text}"
    );
}
