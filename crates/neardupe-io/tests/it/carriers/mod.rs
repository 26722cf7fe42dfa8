//! Writes documents in each format that can carry them.

use flate2::Compression;
use flate2::write::GzEncoder;
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// What every format carries.
pub(crate) struct Document {
    pub(crate) id: String,
    pub(crate) text: String,
}

/// A format, and how documents are written in it.
pub(crate) struct Carrier {
    /// File name; tells the format unless it is forced.
    pub(crate) name: &'static str,
    pub(crate) forced: Option<&'static str>,
    pub(crate) write: fn(&Path, &[Document]),
}

const fn carrier(name: &'static str, write: fn(&Path, &[Document])) -> Carrier {
    Carrier {
        name,
        forced: None,
        write,
    }
}

pub(crate) const ALL: [Carrier; 18] = [
    carrier("plain.jsonl", |path, documents| {
        fs::write(path, jsonl(documents)).unwrap();
    }),
    carrier("packed.jsonl.gz", |path, documents| {
        fs::write(path, gzip(jsonl(documents).as_bytes())).unwrap();
    }),
    carrier("packed.jsonl.zst", |path, documents| {
        let packed = zstd::encode_all(jsonl(documents).as_bytes(), 3).unwrap();
        fs::write(path, packed).unwrap();
    }),
    carrier("packed.jsonl.bz2", |path, documents| {
        let fast = bzip2::Compression::fast();
        let mut packed = bzip2::write::BzEncoder::new(Vec::new(), fast);
        packed.write_all(jsonl(documents).as_bytes()).unwrap();
        fs::write(path, packed.finish().unwrap()).unwrap();
    }),
    carrier("rows.csv", |path, documents| {
        write_each(path, "url,text,id\r\n", documents, |document| {
            let text = document.text.replace('"', "\"\"");
            format!("http://a/,\"{text}\",{}\r\n", document.id)
        });
    }),
    carrier("rows.tsv", |path, documents| {
        write_each(path, "id\ttext\n", documents, |document| {
            format!("{}\t{}\n", document.id, document.text)
        });
    }),
    carrier("columns.parquet", write_parquet),
    Carrier {
        name: "texts",
        forced: Some("text"),
        write: |path, documents| write_files(path, documents, |text| text.to_owned()),
    },
    Carrier {
        name: "pages",
        forced: Some("html"),
        write: |path, documents| write_files(path, documents, page),
    },
    carrier("html.jsonl", |path, documents| {
        write_each(path, "", documents, |document| {
            let html = page(&document.text);
            format!("{}\n", serde_json::json!({"id": document.id, "text": html}))
        });
    }),
    carrier("crawl.warc.gz", |path, documents| {
        let mut packed =
            gzip(b"WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 0\r\n\r\n\r\n\r\n");
        for document in documents {
            packed.extend(gzip(&response(document)));
        }
        fs::write(path, packed).unwrap();
    }),
    carrier("crawl.warc.wet", |path, documents| {
        write_each(path, "", documents, |document| {
            let fields = "WARC-Type: conversion\r\nContent-Type: text/plain\r\n";
            warc("1.0", &document.id, fields, document.text.as_bytes())
        });
    }),
    carrier("clueweb.warc", |path, documents| {
        let write = |document: &Document| {
            let http = String::from_utf8(http(document, false)).unwrap();
            format!(
                "WARC/0.18\nWARC-Type: response\nWARC-Target-URI: http://a/\n\
                 WARC-Date: 2009-03-65T08:43:19-0800\nWARC-TREC-ID: {}\n\
                 Content-Type: application/http;msgtype=response\n\
                 Content-Length: {}\n\n{http}\n\n",
                document.id,
                http.len()
            )
        };
        write_each(path, "", documents, write);
    }),
    carrier("newswire", |path, documents| {
        write_each(path, "", documents, |document| {
            format!(
                "<DOC>\n<DOCNO> {} </DOCNO>\n<TEXT>\n<P>\n{}\n</P>\n</TEXT>\n</DOC>\n",
                document.id,
                escape(&document.text)
            )
        });
    }),
    carrier("web.trec", |path, documents| {
        write_each(path, "", documents, |document| {
            format!(
                "<DOC>\n<DOCNO>{}</DOCNO>\n<DOCHDR>\nhttp://a/ 1.2.3.4 200\n\
                 Content-Type: text/html; charset=utf-8\n</DOCHDR>\n{}\n</DOC>\n",
                document.id,
                page(&document.text)
            )
        });
    }),
    carrier("reuters.sgm", |path, documents| {
        let head = "<!DOCTYPE lewis SYSTEM \"lewis.dtd\">\n";
        write_each(path, head, documents, |document| {
            format!(
                "<REUTERS TOPICS=\"NO\" OLDID=\"5\" NEWID=\"{}\">\n<TEXT>\n\
                 <BODY>{}</BODY></TEXT>\n</REUTERS>\n",
                document.id,
                escape(&document.text)
            )
        });
    }),
    carrier("news.xml", |path, documents| {
        let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
        write_each(path, head, documents, |document| {
            format!(
                "<nitf><head><docdata><doc-id id-string=\"{}\"/></docdata></head><body>\
                 <body.content><block class=\"full_text\"><p>{}</p></block>\
                 </body.content></body></nitf>\n",
                document.id,
                escape(&document.text)
            )
        });
    }),
    carrier("pubmed.xml", |path, documents| {
        let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<PubmedArticleSet>\n";
        write_each(path, head, documents, |document| {
            format!(
                "<PubmedArticle><MedlineCitation><PMID Version=\"1\">{}</PMID><Article>\
                 <Abstract><AbstractText>{}</AbstractText></Abstract></Article>\
                 </MedlineCitation></PubmedArticle>\n",
                document.id,
                escape(&document.text)
            )
        });
    }),
];

fn write_each(
    path: &Path,
    head: &str,
    documents: &[Document],
    write: impl Fn(&Document) -> String,
) {
    let rows: String = documents.iter().map(write).collect();
    fs::write(path, format!("{head}{rows}")).unwrap();
}

fn write_files(folder: &Path, documents: &[Document], content: fn(&str) -> String) {
    fs::create_dir(folder).unwrap();
    for document in documents {
        // The name is the id.
        fs::write(folder.join(&document.id), content(&document.text)).unwrap();
    }
}

fn jsonl(documents: &[Document]) -> String {
    let line = |document: &Document| {
        format!(
            "{}\n",
            serde_json::json!({"id": document.id, "text": document.text})
        )
    };
    documents.iter().map(line).collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

fn escape(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;")
}

fn page(text: &str) -> String {
    format!(
        "<!DOCTYPE html><html><head><meta charset=utf-8><script>var x = '<p>';</script>\
         </head><body><!-- none --><p>{}</p></body></html>",
        escape(text)
    )
}

fn warc(version: &str, id: &str, fields: &str, content: &[u8]) -> String {
    format!(
        "WARC/{version}\r\nWARC-Record-ID: <{id}>\r\n{fields}Content-Length: {}\r\n\r\n{}\r\n\r\n",
        content.len(),
        std::str::from_utf8(content).unwrap()
    )
}

/// A page as a server sent it; every other one packed and in chunks.
fn http(document: &Document, packed: bool) -> Vec<u8> {
    let page = page(&document.text).into_bytes();
    if !packed {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
        return [head.as_bytes(), &page].concat();
    }
    let packed = gzip(&page);
    let mut sent = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=UTF-8\r\n\
        Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
        .to_vec();
    for chunk in packed.chunks(1000) {
        sent.extend(format!("{:x}\r\n", chunk.len()).bytes());
        sent.extend(chunk);
        sent.extend(b"\r\n");
    }
    sent.extend(b"0\r\n\r\n");
    sent
}

fn response(document: &Document) -> Vec<u8> {
    let number: usize = document.id.parse().unwrap();
    let content = http(document, number.is_multiple_of(2));
    let mut record = format!(
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <{}>\r\n\
         WARC-Target-URI: http://a/{number}\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n\
         Content-Type: application/http; msgtype=response\r\n\
         Content-Length: {}\r\n\r\n",
        document.id,
        content.len()
    )
    .into_bytes();
    record.extend(content);
    record.extend(b"\r\n\r\n");
    record
}

fn write_parquet(path: &Path, documents: &[Document]) {
    let schema =
        "message schema { required binary url (UTF8); required binary text (UTF8);
                  required binary id (UTF8); }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let properties = Arc::new(WriterProperties::builder().build());
    let file = File::create(path).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema, properties).unwrap();
    for documents in documents.chunks(50) {
        let mut group = writer.next_row_group().unwrap();
        let columns: [fn(&Document) -> &str; 3] = [
            |_| "http://a/",
            |document| &document.text,
            |document| &document.id,
        ];
        for column in columns {
            let values: Vec<ByteArray> = documents
                .iter()
                .map(|document| column(document).into())
                .collect();
            let mut out = group.next_column().unwrap().unwrap();
            let typed = out.typed::<ByteArrayType>();
            typed.write_batch(&values, None, None).unwrap();
            out.close().unwrap();
        }
        group.close().unwrap();
    }
    writer.close().unwrap();
}
