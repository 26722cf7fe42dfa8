//! The pages and texts written in the formats that are measured.

use super::alone;
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use flate2::Compression as Level;
use flate2::write::GzEncoder;
use neardupe_core::text::WordOptions;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file to measure.
pub(crate) struct Carried {
    pub(crate) name: &'static str,
    pub(crate) path: PathBuf,
    pub(crate) documents: u64,
    /// Bytes of the input, unpacked.
    pub(crate) input_bytes: u64,
    pub(crate) text_key: &'static str,
    /// Whether it carries the pages that all others carry.
    pub(crate) same_pages: bool,
    pub(crate) words: WordOptions,
    pub(crate) alone: fn(&Path) -> u64,
}

pub(crate) fn write_all(
    folder: &Path,
    pages: &[String],
    laws: &[String],
) -> Vec<Carried> {
    let warc = warc(pages);
    let packed = folder.join("pages.warc.gz");
    let mut members = Vec::new();
    for record in &warc {
        let mut out = GzEncoder::new(Vec::new(), Level::default());
        out.write_all(record).unwrap();
        members.extend(out.finish().unwrap());
    }
    fs::write(&packed, members).unwrap();
    let warc = warc.concat();
    let carried = |name, file: &str, same_pages, number: usize, alone| Carried {
        name,
        path: folder.join(file),
        documents: number as u64,
        input_bytes: 0,
        text_key: "text",
        same_pages,
        words: WordOptions::default(),
        alone,
    };
    let mut all = vec![
        carried(
            "WARC of HTML",
            "pages.warc",
            true,
            pages.len(),
            alone::warc as fn(&Path) -> u64,
        ),
        carried(
            "WARC of HTML, gzip",
            "pages.warc.gz",
            true,
            pages.len(),
            alone::warc,
        ),
        carried(
            "JSONL of HTML",
            "pages.jsonl",
            true,
            pages.len(),
            alone::jsonl_of_html,
        ),
        carried(
            "Parquet of text",
            "texts.parquet",
            false,
            60_000,
            alone::parquet,
        ),
        carried(
            "Chinese JSONL",
            "laws.jsonl",
            false,
            laws.len(),
            alone::jsonl,
        ),
        carried(
            "Chinese JSONL, segmented",
            "laws.jsonl",
            false,
            laws.len(),
            alone::jsonl_cut_by_jieba,
        ),
    ];
    all[5].words = segmented();
    fs::write(folder.join("pages.warc"), &warc).unwrap();
    fs::write(folder.join("pages.jsonl"), jsonl(pages)).unwrap();
    fs::write(folder.join("laws.jsonl"), jsonl(laws)).unwrap();
    write_parquet(&folder.join("texts.parquet"), pages, 60_000);
    for carried in &mut all {
        carried.input_bytes = fs::metadata(&carried.path).unwrap().len();
        if carried.path == packed {
            carried.input_bytes = warc.len() as u64;
        }
    }
    all[3].input_bytes = parquet_bytes(&folder.join("texts.parquet"));
    all
}

fn segmented() -> WordOptions {
    WordOptions {
        rule: Some(neardupe_core::text::WordRule::Segmented),
        ..WordOptions::default()
    }
}

fn jsonl(texts: &[String]) -> String {
    let line = |(number, text): (usize, &String)| {
        format!(
            "{}\n",
            serde_json::json!({"id": number.to_string(), "text": text})
        )
    };
    texts.iter().enumerate().map(line).collect()
}

fn warc(pages: &[String]) -> Vec<Vec<u8>> {
    let record = |(number, page): (usize, &String)| {
        let http = format!(
            "HTTP/1.1 200 OK\r\nDate: Sun, 15 Nov 2026 10:00:00 GMT\r\nServer: Apache\r\n\
             Vary: Accept-Encoding\r\nContent-Type: text/html; charset=utf-8\r\n\
             Content-Length: {}\r\n\r\n{page}",
            page.len()
        );
        let head = format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: 2026-11-15T10:00:00Z\r\n\
             WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-{number:012}>\r\n\
             WARC-Target-URI: https://example.org/{number}\r\n\
             Content-Type: application/http; msgtype=response\r\n\
             Content-Length: {}\r\n\r\n{http}\r\n\r\n",
            http.len()
        );
        head.into_bytes()
    };
    pages.iter().enumerate().map(record).collect()
}

/// Plain text of about 2 kB a row, cut out of the pages, and a column nobody asks for.
fn write_parquet(path: &Path, pages: &[String], rows: usize) {
    let source: String = pages.iter().take(400).map(String::as_str).collect();
    let source: Vec<char> = source.chars().filter(|ch| !"<>".contains(*ch)).collect();
    let text = |row: usize| -> String {
        let start = row * 7919 % (source.len() - 2500);
        source[start..start + 1500 + row % 1000].iter().collect()
    };
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_dictionary_enabled(false)
        .set_max_row_group_row_count(Some(10_000))
        .build();
    let mut writer = None;
    for start in (0..rows).step_by(5000) {
        let strings = |value: &dyn Fn(usize) -> String| -> ArrayRef {
            let values = (start..start + 5000).map(value);
            Arc::new(StringArray::from_iter_values(values))
        };
        let batch = RecordBatch::try_from_iter([
            ("url", strings(&|row| format!("https://example.org/{row}"))),
            ("text", strings(&text)),
            ("id", strings(&|row| row.to_string())),
        ])
        .unwrap();
        let writer = writer.get_or_insert_with(|| {
            let file = File::create(path).unwrap();
            ArrowWriter::try_new(file, batch.schema(), Some(properties.clone())).unwrap()
        });
        writer.write(&batch).unwrap();
    }
    writer.unwrap().close().unwrap();
}

/// Unpacked bytes of the two columns that are read.
fn parquet_bytes(path: &Path) -> u64 {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let groups = reader.metadata().row_groups().iter();
    let columns = groups.flat_map(|group| group.columns()[1..].iter());
    let bytes: i64 = columns.map(|column| column.uncompressed_size()).sum();
    u64::try_from(bytes).unwrap()
}
