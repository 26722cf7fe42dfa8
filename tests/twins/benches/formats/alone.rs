//! What the crates reach by themselves, doing the least that makes text.

use arrow_array::cast::AsArray;
use fastwarc::warc::iter::{ArchiveIterator, ArchiveIteratorOptions};
use flate2::bufread::GzDecoder;
use jieba_rs::Jieba;
use lol_html::{HtmlRewriter, Settings, doc_text};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde::Deserialize;
use std::borrow::Cow;
use std::cell::Cell;
use std::fs::{self, File};
use std::hint::black_box;
use std::io::{BufReader, Read};
use std::path::Path;
use std::sync::LazyLock;

/// Bytes of the text chunks of a page, as written.
fn html(page: &[u8]) -> usize {
    let bytes = Cell::new(0);
    let settings = Settings::new()
        .with_strict(false)
        .append_document_content_handler(doc_text!(|chunk| {
            bytes.set(bytes.get() + chunk.as_str().len());
            Ok(())
        }));
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
    rewriter.write(page).unwrap();
    rewriter.end().unwrap();
    bytes.get()
}

pub(crate) fn warc(path: &Path) -> u64 {
    let options = ArchiveIteratorOptions {
        inplace: true,
        ..ArchiveIteratorOptions::default()
    };
    let mut documents = 0;
    let mut content = Vec::new();
    for record in ArchiveIterator::from_path_with_options(path, options).unwrap() {
        let record = record.unwrap();
        let mut record = record.borrow_mut();
        content.clear();
        record
            .reader_mut()
            .unwrap()
            .read_to_end(&mut content)
            .unwrap();
        black_box(html(&content));
        documents += 1;
    }
    documents
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
    #[serde(borrow)]
    text: Cow<'a, str>,
}

/// Calls `each` with the text of every line.
fn lines(path: &Path, mut each: impl FnMut(&str)) -> u64 {
    let content = fs::read(path).unwrap();
    let mut documents = 0;
    for line in content
        .split(|&byte| byte == b'\n')
        .filter(|line| !line.is_empty())
    {
        let line: Line<'_> = serde_json::from_slice(line).unwrap();
        black_box(&line.id);
        each(&line.text);
        documents += 1;
    }
    documents
}

pub(crate) fn jsonl(path: &Path) -> u64 {
    lines(path, |text| {
        black_box(text);
    })
}

pub(crate) fn jsonl_of_html(path: &Path) -> u64 {
    lines(path, |text| {
        black_box(html(text.as_bytes()));
    })
}

pub(crate) fn jsonl_cut_by_jieba(path: &Path) -> u64 {
    static JIEBA: LazyLock<Jieba> = LazyLock::new(|| {
        let root = env!("CARGO_MANIFEST_DIR");
        let dictionary = "../../crates/neardupe-core/src/text/dictionary/jieba.txt.gz";
        let packed = fs::read(Path::new(root).join(dictionary)).unwrap();
        let mut words = BufReader::new(GzDecoder::new(&packed[..]));
        Jieba::with_dict(&mut words).unwrap()
    });
    lines(path, |text| {
        black_box(JIEBA.cut(text, true).len());
    })
}

pub(crate) fn parquet(path: &Path) -> u64 {
    let builder =
        ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
    let mask = ProjectionMask::columns(builder.parquet_schema(), ["id", "text"]);
    let reader = builder
        .with_projection(mask)
        .with_batch_size(1024)
        .build()
        .unwrap();
    let mut documents = 0;
    for batch in reader {
        let batch = batch.unwrap();
        for column in batch.columns() {
            for value in column.as_string::<i32>().iter() {
                black_box(value.map(str::len));
            }
        }
        documents += batch.num_rows() as u64;
    }
    documents
}
