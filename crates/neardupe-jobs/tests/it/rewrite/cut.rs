//! Repeated passages taken out of texts: the same in every format that can hold a shortened
//! text, and nothing else changes.

use super::{Job, prose};
use arrow_array::{Array, ArrayRef, Int32Array, RecordBatch, StringArray};
use neardupe_core::document::Silent;
use neardupe_core::pipeline::passages::{KeepOrder, RemovalConfig, passages};
use neardupe_core::pipeline::{PassagesConfig, PassagesResult};
use neardupe_core::store::{Budget, WorkDir};
use neardupe_jobs::rewrite::{FileCounts, PassageRewrite, check_texts};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::properties::WriterProperties;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// Ids, texts and what is left of them.
fn documents() -> Vec<(&'static str, String, Option<String>)> {
    let copied = format!("It said, \"{}, caf\u{e9}\". ", prose(1, 30));
    let own = |number| format!("Own {}. ", prose(number, 30));
    let (first, second) = (own(2), own(3));
    vec![
        (
            "a",
            format!("{first}{copied}"),
            Some(format!("{first}{copied}")),
        ),
        (
            "b",
            format!("{copied}Quoted \"y\" {second}"),
            Some(format!("Quoted \"y\" {second}")),
        ),
        ("c", copied.clone(), None),
        ("d", format!("{second}{}", own(4)), Some(own(4))),
        ("e", own(5), Some(own(5))),
    ]
}

/// Finds, decides, writes; what became of the records of each file.
fn cut(job: &Job, threads: usize) -> Vec<FileCounts> {
    let source = job.source();
    let config = PassagesConfig {
        threads,
        budget: Budget::new(1 << 30, threads),
        ..PassagesConfig::new(job.path("work"))
    };
    let work = WorkDir::new(job.path("work"));
    let result: PassagesResult = passages(&source, &config, &work, &Silent).unwrap();
    let wanted = RemovalConfig {
        keep: KeepOrder::First,
        share: RemovalConfig::usual_share(),
        budget: config.budget,
    };
    let removals = result.removals(&wanted, &work, &Silent).unwrap();
    let files: Vec<u32> = (0u32..).take(result.documents.files().len()).collect();
    check_texts(&source, &files).unwrap();
    let rewrite = PassageRewrite {
        source: &source,
        documents: &result.documents,
        removals: &removals,
        folder: &job.path("out"),
        threads,
    };
    rewrite.run(&files, &Silent).unwrap()
}

fn check(name: &str, kept: &[u8], removed: &[u8], write: impl Fn(&Path)) {
    for threads in [1, 2] {
        let job = Job::new();
        write(&job.path("in").join(name));
        let counts = cut(&job, threads);
        assert_eq!((counts[0].kept, counts[0].removed), (4, 1), "{name}");
        let read = |folder: &str| fs::read(job.path(folder).join(name)).unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert_eq!(text(&read("out")), text(kept), "{name}");
        assert_eq!(text(&read("out/removed")), text(removed), "{name}");
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

#[test]
fn lines_and_tables_change_in_the_text_alone() {
    type Row = fn(&str, &str) -> String;
    let formats: [(&str, &str, Row); 3] = [
        ("x.jsonl", "", |id, text| {
            let text = serde_json::to_string(text)
                .unwrap()
                .replace('\u{e9}', "\\u00e9");
            format!("{{\"n\": 1.0, \"text\":{text} , \"id\":\"{id}\"}}\r\n")
        }),
        ("x.csv", "n,\"text\",id\n", |id, text| {
            format!("\"1\",{},{id}\n", quoted(text))
        }),
        ("x.tsv", "n\ttext\tid\n", |id, text| {
            format!("1\t{text}\t{id}\n")
        }),
    ];
    for (name, head, row) in formats {
        let (mut all, mut kept, mut removed) =
            (head.to_owned(), head.to_owned(), head.to_owned());
        for (id, text, left) in documents() {
            all += &row(id, &text);
            match left {
                Some(left) => kept += &row(id, &left),
                None => removed += &row(id, &text),
            }
        }
        check(name, kept.as_bytes(), removed.as_bytes(), |path| {
            fs::write(path, &all).unwrap();
        });
    }
}

#[test]
fn text_files_and_packed_lines() {
    let job = Job::new();
    for (id, text, _) in documents() {
        fs::write(job.path("in").join(format!("{id}.txt")), text).unwrap();
    }
    cut(&job, 2);
    for (id, text, left) in documents() {
        let read =
            |folder: &str| fs::read_to_string(job.path(folder).join(format!("{id}.txt")));
        assert_eq!(read("out").ok(), left);
        assert_eq!(read("out/removed").ok(), left.is_none().then_some(text));
    }
    let job = Job::new();
    let lines = |left: bool| -> String {
        let texts = documents().into_iter();
        let texts =
            texts.filter_map(|(_, text, rest)| if left { rest } else { Some(text) });
        texts
            .map(|text| serde_json::json!({ "text": text }).to_string() + "\n")
            .collect()
    };
    let file = File::create(job.path("in/x.jsonl.zst")).unwrap();
    let mut packed = zstd::Encoder::new(file, 1).unwrap();
    packed.write_all(lines(false).as_bytes()).unwrap();
    packed.finish().unwrap();
    cut(&job, 1);
    let written = fs::read(job.path("out/x.jsonl.zst")).unwrap();
    assert_eq!(
        zstd::decode_all(&written[..]).unwrap(),
        lines(true).as_bytes()
    );
}

fn parquet_rows(path: &Path) -> Vec<(i32, Option<String>, String)> {
    let reader =
        ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
    let mut rows = Vec::new();
    for batch in reader.build().unwrap() {
        let batch = batch.unwrap();
        let column = |name: &str| Arc::clone(batch.column_by_name(name).unwrap());
        let text = |name: &str| {
            let column = column(name);
            let column = column.as_any().downcast_ref::<StringArray>().unwrap();
            column
                .iter()
                .map(|text| text.map(str::to_owned))
                .collect::<Vec<_>>()
        };
        let numbers = column("n");
        let numbers = numbers.as_any().downcast_ref::<Int32Array>().unwrap();
        let texts = text("text").into_iter().zip(text("id"));
        for (number, (text, id)) in numbers.values().iter().zip(texts) {
            rows.push((*number, text, id.unwrap()));
        }
    }
    rows
}

#[test]
fn parquet_keeps_its_rows_groups_and_nulls() {
    let job = Job::new();
    // A row without a text is a bad record: it is in neither file.
    let mut all: Vec<(i32, Option<String>, String)> = Vec::new();
    let (mut kept, mut removed) = (Vec::new(), Vec::new());
    for (number, (id, text, left)) in (0..).zip(documents()) {
        all.push((number, Some(text.clone()), id.to_owned()));
        match left {
            Some(left) => kept.push((number, Some(left), id.to_owned())),
            None => removed.push((number, Some(text), id.to_owned())),
        }
        all.push((-1, None, "none".to_owned()));
    }
    let column = |name: &str| -> ArrayRef {
        match name {
            "n" => Arc::new(Int32Array::from_iter_values(all.iter().map(|row| row.0))),
            "text" => {
                Arc::new(StringArray::from_iter(all.iter().map(|row| row.1.clone())))
            }
            _ => Arc::new(StringArray::from_iter_values(
                all.iter().map(|row| row.2.clone()),
            )),
        }
    };
    let names = ["n", "text", "id"];
    let batch =
        RecordBatch::try_from_iter(names.map(|name| (name, column(name)))).unwrap();
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(3))
        .build();
    let file = File::create(job.path("in/x.parquet")).unwrap();
    let mut writer =
        ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let counts = cut(&job, 2);
    assert_eq!(
        (counts[0].kept, counts[0].removed, counts[0].bad_records),
        (4, 1, 5)
    );
    assert_eq!(parquet_rows(&job.path("out/x.parquet")), kept);
    assert_eq!(parquet_rows(&job.path("out/removed/x.parquet")), removed);
}
