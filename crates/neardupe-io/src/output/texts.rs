//! `texts.jsonl`: the text of every document as it was compared, for offsets to refer to.
//!
//! Texts pass once, while they are read, and ids are known only at the end. So each thread
//! writes its rows to a part of its own, without their ids; when all is done the rows are
//! copied in the order of the input, each with its id in front.

use neardupe_core::document::{
    BadRecord, DocIdx, Position, Progress, Record, Sink, Source, SourceRead, Span,
};
use neardupe_core::error::{Error, Result};
use neardupe_core::pipeline::documents::Documents;
use serde::Serialize;
use serde::ser::{SerializeSeq, Serializer};
use std::fs::{self, File};
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// A source whose texts are written down as they pass.
pub struct TextLog<'a> {
    source: &'a dyn Source,
    folder: PathBuf,
    parts: Mutex<Vec<Part>>,
}

/// The rows of one thread.
#[derive(Debug)]
struct Part {
    path: PathBuf,
    rows: Vec<Row>,
}

/// Where a row is in its part.
#[derive(Debug, Clone, Copy)]
struct Row {
    position: Position,
    start: u64,
    len: u64,
}

impl<'a> TextLog<'a> {
    /// Writes parts to `folder`, which exists.
    pub fn new(source: &'a dyn Source, folder: &Path) -> Self {
        TextLog {
            source,
            folder: folder.to_path_buf(),
            parts: Mutex::default(),
        }
    }

    /// Puts the parts together as `texts.jsonl` and removes them.
    pub fn finish(self, documents: &Documents) -> Result<()> {
        let parts = self
            .parts
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let mut files = Vec::new();
        for part in &parts {
            files.push(
                File::open(&part.path).map_err(|error| Error::io(&part.path, error))?,
            );
        }
        // Documents are numbered in the order of the input.
        let mut rows: Vec<(Row, usize)> = Vec::new();
        for (number, part) in parts.iter().enumerate() {
            rows.extend(part.rows.iter().map(|&row| (row, number)));
        }
        rows.sort_unstable_by_key(|(row, _)| row.position);
        let path = self.folder.join("texts.jsonl");
        let file = File::create(&path).map_err(|error| Error::io(&path, error))?;
        let mut out = BufWriter::with_capacity(1 << 18, file);
        let mut bytes = Vec::new();
        let mut copy = |document: DocIdx, row: Row, part: usize| {
            bytes.clear();
            let part = &mut files[part];
            part.seek(SeekFrom::Start(row.start))?;
            part.take(row.len).read_to_end(&mut bytes)?;
            out.write_all(b"{\"id\":")?;
            serde_json::to_writer(&mut out, documents.id(document))?;
            out.write_all(&bytes)
        };
        for (document, (row, part)) in (0u32..).zip(rows) {
            copy(document, row, part).map_err(|error| Error::io(&path, error))?;
        }
        let written = out.flush().and_then(|()| out.get_ref().sync_data());
        written.map_err(|error| Error::io(&path, error))?;
        for part in &parts {
            fs::remove_file(&part.path).map_err(|error| Error::io(&part.path, error))?;
        }
        Ok(())
    }
}

impl Source for TextLog<'_> {
    fn total_bytes(&self) -> u64 {
        self.source.total_bytes()
    }

    fn read(
        &self,
        sinks: Vec<&mut dyn Sink>,
        progress: &dyn Progress,
    ) -> Result<SourceRead> {
        let mut logs = Vec::new();
        for (number, sink) in sinks.into_iter().enumerate() {
            let path = self.folder.join(format!("texts.part-{number}"));
            let file = File::create(&path).map_err(|error| Error::io(&path, error))?;
            logs.push(LogSink {
                sink,
                out: BufWriter::with_capacity(1 << 18, file),
                row: Vec::new(),
                written: 0,
                part: Part {
                    path,
                    rows: Vec::new(),
                },
            });
        }
        let sinks = logs.iter_mut().map(|log| log as &mut dyn Sink).collect();
        let read = self.source.read(sinks, progress)?;
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        for mut log in logs {
            let flushed = log.out.flush();
            flushed.map_err(|error| Error::io(&log.part.path, error))?;
            parts.push(log.part);
        }
        Ok(read)
    }
}

/// Writes what passes to one part.
struct LogSink<'a> {
    sink: &'a mut dyn Sink,
    out: BufWriter<File>,
    row: Vec<u8>,
    written: u64,
    part: Part,
}

impl Sink for LogSink<'_> {
    fn document(&mut self, record: &Record<'_>) -> Result<()> {
        self.row.clear();
        let written =
            write_row(record, &mut self.row).and_then(|()| self.out.write_all(&self.row));
        written.map_err(|error| Error::io(&self.part.path, error))?;
        let len = self.row.len() as u64;
        self.part.rows.push(Row {
            position: record.position,
            start: self.written,
            len,
        });
        self.written += len;
        self.sink.document(record)
    }

    fn bad_record(&mut self, bad: BadRecord) -> Result<()> {
        self.sink.bad_record(bad)
    }
}

/// Everything of a row after its id.
fn write_row(record: &Record<'_>, out: &mut Vec<u8>) -> std::io::Result<()> {
    let spans = record.regions.iter().map(|region| region.span);
    let spans = spans.chain(record.links.iter().map(|link| link.span));
    let points = CodePoints::new(record.text, spans);
    out.extend_from_slice(b",\"text\":");
    serde_json::to_writer(&mut *out, record.text)?;
    out.extend_from_slice(b",\"regions\":");
    let regions = record.regions.iter().map(|region| {
        let (start, end) = points.of(region.span);
        RegionRow {
            kind: region.kind,
            start,
            end,
        }
    });
    write_list(regions, out)?;
    out.extend_from_slice(b",\"links\":");
    let links = record.links.iter().map(|link| {
        let (start, end) = points.of(link.span);
        LinkRow {
            target: &link.target,
            start,
            end,
        }
    });
    write_list(links, out)?;
    out.extend_from_slice(b",\"remarks\":");
    serde_json::to_writer(&mut *out, record.remarks)?;
    out.extend_from_slice(b"}\n");
    Ok(())
}

#[derive(Serialize)]
struct RegionRow {
    kind: neardupe_core::document::RegionKind,
    start: usize,
    end: usize,
}

#[derive(Serialize)]
struct LinkRow<'a> {
    target: &'a str,
    start: usize,
    end: usize,
}

fn write_list<T: Serialize>(
    items: impl Iterator<Item = T>,
    out: &mut Vec<u8>,
) -> std::io::Result<()> {
    let mut json = serde_json::Serializer::new(&mut *out);
    let mut list = json.serialize_seq(None)?;
    for item in items {
        list.serialize_element(&item)?;
    }
    Ok(list.end()?)
}

/// Offsets in code points, which every front shows, of offsets in bytes.
struct CodePoints(Vec<(usize, usize)>);

impl CodePoints {
    fn new(text: &str, spans: impl Iterator<Item = Span>) -> Self {
        let mut offsets: Vec<usize> =
            spans.flat_map(|span| [span.start, span.end]).collect();
        offsets.sort_unstable();
        offsets.dedup();
        let (mut from, mut points) = (0, 0);
        let counted = offsets.into_iter().map(|offset| {
            points += text[from..offset].chars().count();
            from = offset;
            (offset, points)
        });
        CodePoints(counted.collect())
    }

    fn of(&self, span: Span) -> (usize, usize) {
        let point = |offset: usize| {
            let found = self.0.binary_search_by_key(&offset, |&(bytes, _)| bytes);
            found.map_or(offset, |at| self.0[at].1)
        };
        (point(span.start), point(span.end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use neardupe_core::document::{Link, Region, RegionKind};

    #[test]
    fn offsets_are_shown_in_code_points() {
        let text = "Übergrößen ändern";
        let record = Record {
            text,
            regions: &[Region {
                kind: RegionKind::Title,
                span: Span { start: 0, end: 13 },
            }],
            links: &[Link {
                target: "http://a/".to_owned(),
                span: Span { start: 14, end: 21 },
            }],
            ..Record::default()
        };
        let mut row = b"{\"id\":1".to_vec();
        write_row(&record, &mut row).unwrap();
        let row: serde_json::Value = serde_json::from_slice(&row).unwrap();
        assert_eq!(row["regions"][0]["end"], 10);
        assert_eq!(row["links"][0]["start"], 11);
        assert_eq!(row["links"][0]["end"], 17);
        assert_eq!(row["regions"][0]["kind"], "title");
    }
}
