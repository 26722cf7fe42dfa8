//! Writes documents in each format that can carry them.

use flate2::Compression;
use flate2::write::GzEncoder;
use neardupe_io::source::{
    FieldKeys, FileSource, InputFormat, ReadOptions, TextOptions, TextType, discover,
};
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What every format carries.
pub(crate) struct Document {
    pub(crate) id: String,
    pub(crate) text: String,
}

/// A format, and how documents are written in it. There is one for each format at least: `every_format`
/// holds that.
pub(crate) struct Carrier {
    pub(crate) format: InputFormat,
    /// File name, or that of a folder with a file for each document.
    pub(crate) name: &'static str,
    /// Neither the name nor the content is that of the format.
    pub(crate) is_forced: bool,
    /// The field that holds the id.
    pub(crate) id_key: &'static str,
    /// What comes before every id, where an id of the format must begin with something.
    pub(crate) id_prefix: &'static str,
    pub(crate) write: fn(&Path, &[Document]),
    damage: Damage,
}

/// What makes at least one record of a file a bad one.
#[derive(Clone, Copy)]
enum Damage {
    /// The end is not there, from within a record.
    Cut,
    /// The middle is zeros.
    Zeros,
    /// This is replaced, once.
    Replace(&'static str, &'static str),
}

impl Carrier {
    /// The format that has to be named when its files are read.
    pub(crate) fn forced(&self) -> Option<InputFormat> {
        self.is_forced.then_some(self.format)
    }

    /// How its files are read.
    pub(crate) fn options(&self) -> ReadOptions {
        ReadOptions {
            format: self.forced(),
            keys: FieldKeys {
                id: self.id_key.to_owned(),
                ..FieldKeys::default()
            },
            // One of them holds pages in fields of JSON.
            text: TextOptions {
                text_type: TextType::Auto,
                ..TextOptions::default()
            },
            ..ReadOptions::default()
        }
    }

    /// A source over what was written.
    pub(crate) fn source(&self, path: &Path) -> FileSource {
        self.source_of(&[path.to_path_buf()])
    }

    /// A source over several files.
    pub(crate) fn source_of(&self, paths: &[PathBuf]) -> FileSource {
        let arguments = paths.iter().map(|path| path.to_str().unwrap().to_owned());
        let arguments: Vec<String> = arguments.collect();
        let files = discover(&arguments, self.forced()).unwrap().files;
        FileSource::new(files, self.options())
    }

    /// Damages what was written: a file, or one of a folder.
    pub(crate) fn damage(&self, path: &Path) {
        let mut path = path.to_path_buf();
        if path.is_dir() {
            let entries = fs::read_dir(&path).unwrap();
            path = entries.map(|entry| entry.unwrap().path()).min().unwrap();
        }
        let mut bytes = fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        match self.damage {
            // Not in the middle: there a member of the archive ends, and nothing shows that more came.
            Damage::Cut => bytes.truncate(middle - middle / 9),
            Damage::Zeros => bytes[middle..middle + 3].fill(0),
            Damage::Replace(good, bad) => {
                let at = memchr::memmem::find(&bytes, good.as_bytes()).unwrap();
                bytes.splice(at..at + good.len(), bad.bytes());
            }
        }
        fs::write(path, bytes).unwrap();
    }
}

const fn carrier(
    format: InputFormat,
    name: &'static str,
    damage: Damage,
    write: fn(&Path, &[Document]),
) -> Carrier {
    Carrier {
        format,
        name,
        is_forced: false,
        id_key: "id",
        id_prefix: "",
        write,
        damage,
    }
}

pub(crate) const ALL: [Carrier; 20] = [
    carrier(
        InputFormat::Jsonl,
        "plain.jsonl",
        Damage::Cut,
        |path, documents| {
            fs::write(path, jsonl(documents)).unwrap();
        },
    ),
    carrier(
        InputFormat::Jsonl,
        "packed.jsonl.gz",
        Damage::Cut,
        |path, documents| {
            fs::write(path, gzip(jsonl(documents).as_bytes())).unwrap();
        },
    ),
    carrier(
        InputFormat::Jsonl,
        "packed.jsonl.zst",
        Damage::Cut,
        |path, documents| {
            let packed = zstd::encode_all(jsonl(documents).as_bytes(), 3).unwrap();
            fs::write(path, packed).unwrap();
        },
    ),
    carrier(
        InputFormat::Jsonl,
        "packed.jsonl.bz2",
        Damage::Cut,
        |path, documents| {
            let fast = bzip2::Compression::fast();
            let mut packed = bzip2::write::BzEncoder::new(Vec::new(), fast);
            packed.write_all(jsonl(documents).as_bytes()).unwrap();
            fs::write(path, packed.finish().unwrap()).unwrap();
        },
    ),
    carrier(
        InputFormat::Jsonl,
        "packed.jsonl.lz4",
        Damage::Cut,
        |path, documents| {
            let mut packed = lz4_flex::frame::FrameEncoder::new(Vec::new());
            packed.write_all(jsonl(documents).as_bytes()).unwrap();
            fs::write(path, packed.finish().unwrap()).unwrap();
        },
    ),
    carrier(
        InputFormat::Csv,
        "rows.csv",
        Damage::Cut,
        |path, documents| {
            write_each(path, "url,text,id\r\n", documents, |document| {
                let text = document.text.replace('"', "\"\"");
                format!("http://a/,\"{text}\",{}\r\n", document.id)
            });
        },
    ),
    carrier(
        InputFormat::Tsv,
        "rows.tsv",
        Damage::Replace("\n2\t", "\n2 "),
        |path, documents| {
            write_each(path, "id\ttext\n", documents, |document| {
                format!("{}\t{}\n", document.id, document.text)
            });
        },
    ),
    carrier(
        InputFormat::Parquet,
        "columns.parquet",
        Damage::Cut,
        write_parquet,
    ),
    Carrier {
        is_forced: true,
        ..carrier(
            InputFormat::Text,
            "texts",
            Damage::Zeros,
            |path, documents| {
                write_files(path, documents, |text| text.to_owned());
            },
        )
    },
    Carrier {
        is_forced: true,
        ..carrier(
            InputFormat::Html,
            "pages",
            Damage::Zeros,
            |path, documents| {
                write_files(path, documents, page);
            },
        )
    },
    carrier(
        InputFormat::Jsonl,
        "html.jsonl",
        Damage::Cut,
        |path, documents| {
            write_each(path, "", documents, |document| {
                let html = page(&document.text);
                format!("{}\n", serde_json::json!({"id": document.id, "text": html}))
            });
        },
    ),
    carrier(
        InputFormat::Warc,
        "crawl.warc.gz",
        Damage::Cut,
        |path, documents| {
            let mut packed = gzip(
                b"WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 0\r\n\r\n\r\n\r\n",
            );
            for document in documents {
                packed.extend(gzip(&response(document)));
            }
            fs::write(path, packed).unwrap();
        },
    ),
    carrier(
        InputFormat::Warc,
        "crawl.warc.wet",
        Damage::Cut,
        |path, documents| {
            write_each(path, "", documents, |document| {
                let fields = "WARC-Type: conversion\r\nContent-Type: text/plain\r\n";
                warc("1.0", &document.id, fields, document.text.as_bytes())
            });
        },
    ),
    carrier(
        InputFormat::Warc,
        "clueweb.warc",
        Damage::Cut,
        |path, documents| {
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
        },
    ),
    // A record of ARC has no id but its address, which has a scheme.
    Carrier {
        id_key: "url",
        id_prefix: "a:",
        ..carrier(
            InputFormat::Arc,
            "crawl.arc",
            Damage::Cut,
            |path, documents| {
                let version = "1 0 Archive\nURL IP-address Archive-date Content-type Archive-length\n";
                let head = format!(
                    "filedesc://crawl.arc 0.0.0.0 20090101000000 text/plain {}\n{version}\n",
                    version.len()
                );
                write_each(path, &head, documents, |document| {
                    let page = page(&document.text);
                    format!(
                        "a:{} 1.2.3.4 20090101000000 text/html {}\n{page}\n",
                        document.id,
                        page.len()
                    )
                });
            },
        )
    },
    carrier(
        InputFormat::Trec,
        "newswire",
        Damage::Cut,
        |path, documents| {
            write_each(path, "", documents, |document| {
                format!(
                    "<DOC>\n<DOCNO> {} </DOCNO>\n<TEXT>\n<P>\n{}\n</P>\n</TEXT>\n</DOC>\n",
                    document.id,
                    escape(&document.text)
                )
            });
        },
    ),
    carrier(
        InputFormat::Trec,
        "web.trec",
        Damage::Cut,
        |path, documents| {
            write_each(path, "", documents, |document| {
                format!(
                    "<DOC>\n<DOCNO>{}</DOCNO>\n<DOCHDR>\nhttp://a/ 1.2.3.4 200\n\
                 Content-Type: text/html; charset=utf-8\n</DOCHDR>\n{}\n</DOC>\n",
                    document.id,
                    page(&document.text)
                )
            });
        },
    ),
    carrier(
        InputFormat::Reuters,
        "reuters.sgm",
        Damage::Cut,
        |path, documents| {
            let head = "<!DOCTYPE lewis SYSTEM \"lewis.dtd\">\n";
            write_each(path, head, documents, |document| {
                format!(
                    "<REUTERS TOPICS=\"NO\" OLDID=\"5\" NEWID=\"{}\">\n<TEXT>\n\
                 <BODY>{}</BODY></TEXT>\n</REUTERS>\n",
                    document.id,
                    escape(&document.text)
                )
            });
        },
    ),
    carrier(
        InputFormat::Nitf,
        "news.xml",
        Damage::Cut,
        |path, documents| {
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
        },
    ),
    carrier(
        InputFormat::Pubmed,
        "pubmed.xml",
        Damage::Cut,
        |path, documents| {
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
        },
    ),
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
