//! What all fuzz targets share: samples that are damaged, and a sink that checks what any
//! record must be.
//!
//! `cargo test -p neardupe-fuzz` runs each target for a second on damaged samples;
//! `cargo bolero test -p neardupe-fuzz TARGET` runs one for as long as wanted, guided by
//! coverage. See README.md.

use bolero::TypeGenerator;
use neardupe_core::document::{
    BadRecord, Progress, Record, Silent, Sink, Source, SourceRead,
};
use neardupe_core::error::Result;
use neardupe_io::source::{FileSource, InputFormat, ReadOptions};

/// Damage done to a sample. Places are taken modulo what is there.
#[derive(Debug, Clone, TypeGenerator)]
pub enum Edit {
    /// A byte becomes another.
    Set(u32, u8),
    /// A piece of syntax is put in.
    Insert(u32, u8),
    /// Bytes go.
    Remove(u32, u8),
    /// A stretch is repeated elsewhere.
    Repeat(u32, u32, u16),
    /// The rest goes.
    Cut(u32),
}

/// Pieces that mean something to one parser or another.
const PIECES: [&[u8]; 40] = [
    b"<", b">", b"&", b";", b"\"", b"'", b"\0", b"\r\n", b"\n\n", b"\t", b",", b"{", b"}",
    b"[", b"]", b":", b"<!--", b"-->", b"<![CDATA[", b"]]>", b"<script>", b"</script",
    b"<title>", b"<p>", b"<b>", b"</DOC>", b"<DOC>", b"</TEXT>", b"<!DOCTYPE x [",
    b"&#x10ffff;", b"&#0;", b"&amp", b"WARC/1.0\r\n", b"Content-Length: 18446744073709551615\r\n",
    b"Transfer-Encoding: chunked\r\n", b"\xff\xfe", b"\xef\xbb\xbf", b"\xe4\xb8", b"\x1f\x8b",
    b"ffffffff\r\n",
];

/// A sample after its damage.
pub fn damaged(sample: &[u8], edits: &[Edit]) -> Vec<u8> {
    let mut bytes = sample.to_vec();
    for edit in edits {
        if bytes.is_empty() {
            break;
        }
        let len = bytes.len();
        let place = |at: u32| at as usize % len;
        match *edit {
            Edit::Set(at, byte) => bytes[place(at)] = byte,
            Edit::Insert(at, piece) => {
                let piece = PIECES[piece as usize % PIECES.len()];
                let at = place(at);
                bytes.splice(at..at, piece.iter().copied());
            }
            Edit::Remove(at, number) => {
                let at = place(at);
                bytes.drain(at..len.min(at + number as usize));
            }
            Edit::Repeat(from, to, number) => {
                let from = place(from);
                let piece = bytes[from..len.min(from + number as usize)].to_vec();
                let to = place(to);
                bytes.splice(to..to, piece);
            }
            Edit::Cut(at) => bytes.truncate(place(at)),
        }
    }
    bytes
}

/// Checks what any record must be.
#[derive(Debug, Default)]
struct Check {
    documents: u64,
    bad: u64,
}

impl Sink for Check {
    fn document(&mut self, record: &Record<'_>) -> Result<()> {
        self.documents += 1;
        let spans = record.regions.iter().map(|region| region.span);
        for span in spans.chain(record.links.iter().map(|link| link.span)) {
            assert!(record.text.get(span.start..span.end).is_some(), "{span:?}");
        }
        Ok(())
    }

    fn bad_record(&mut self, bad: BadRecord) -> Result<()> {
        self.bad += 1;
        assert!(!bad.detail.is_empty());
        Ok(())
    }
}

fn check(source: &FileSource) -> Result<SourceRead> {
    let mut sink = Check::default();
    let read = source.read(vec![&mut sink], &Silent as &dyn Progress)?;
    let records: u64 = read.files.iter().map(|file| file.records).sum();
    assert_eq!(records, sink.documents + sink.bad, "something was lost");
    Ok(read)
}

fn options(format: Option<InputFormat>) -> ReadOptions {
    let mut options = ReadOptions {
        format,
        max_record_bytes: 1 << 20,
        ..ReadOptions::default()
    };
    options.text.html.keep_regions = true;
    options.text.html.keep_links = true;
    options
}

/// Reads bytes in a format, or in the one they look like.
#[expect(clippy::missing_panics_doc, reason = "a panic is what it is for")]
pub fn read(bytes: Vec<u8>, format: Option<InputFormat>) {
    let reader = std::io::Cursor::new(bytes);
    check(&FileSource::from_reader(reader, "fuzzed", options(format)))
        .expect("no input ends a job");
}

/// Reads a file in a format.
#[expect(clippy::missing_panics_doc, reason = "a panic is what it is for")]
pub fn read_file(path: &std::path::Path, format: Option<InputFormat>) {
    let arguments = [path.to_string_lossy().into_owned()];
    let found = neardupe_io::source::discover(&arguments, format).expect("it is there");
    check(&FileSource::new(found.files, options(format))).expect("no input ends a job");
}
