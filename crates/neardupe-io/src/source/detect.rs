//! What kind of file this is: compression by its first bytes, format by content and name.
//!
//! Content that can be nothing else (a WARC header, a TREC document) tells the format
//! whatever the name; then the name does; then content that merely looks like something.

use crate::charset;
use crate::compress::{self, Compression};
use crate::extract;
use neardupe_core::error::{Error, Result};
use std::io::Read;
use std::path::Path;
use std::str::FromStr;

/// A format that records are read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputFormat {
    /// One JSON object a line.
    Jsonl,
    /// Comma-separated values with a header line.
    Csv,
    /// Tab-separated values with a header line.
    Tsv,
    /// Columns in row groups.
    Parquet,
    /// One document a file.
    Text,
    /// One page a file.
    Html,
    /// Web archives, also of extracted text (WET).
    Warc,
    /// Web archives before WARC.
    Arc,
    /// `<DOC>` elements of TREC collections.
    Trec,
    /// `<REUTERS>` elements of Reuters-21578.
    Reuters,
    /// News articles in XML.
    Nitf,
    /// Articles of PubMed in XML.
    Pubmed,
}

/// All formats with their names and the endings of files that tell of them.
const FORMATS: [(InputFormat, &str, &[&str]); 12] = [
    (InputFormat::Jsonl, "jsonl", &["jsonl", "ndjson", "json"]),
    (InputFormat::Csv, "csv", &["csv"]),
    (InputFormat::Tsv, "tsv", &["tsv"]),
    (InputFormat::Parquet, "parquet", &["parquet", "pq"]),
    (
        InputFormat::Text,
        "text",
        &["txt", "text", "md", "markdown"],
    ),
    (InputFormat::Html, "html", &["html", "htm", "xhtml"]),
    (InputFormat::Warc, "warc", &["warc", "wet"]),
    (InputFormat::Arc, "arc", &["arc"]),
    (InputFormat::Trec, "trec", &["trec"]),
    (InputFormat::Reuters, "reuters", &[]),
    (InputFormat::Nitf, "nitf", &["nitf"]),
    (InputFormat::Pubmed, "pubmed", &[]),
];

/// What can be typed: the formats, and that they are to be recognised.
const NAMES: [&str; FORMATS.len() + 1] = {
    let mut names = ["auto"; FORMATS.len() + 1];
    let mut at = 0;
    while at < FORMATS.len() {
        names[at + 1] = FORMATS[at].1;
        at += 1;
    }
    names
};

impl InputFormat {
    /// What can be typed: `auto`, and the formats.
    pub const NAMES: &'static [&'static str] = &NAMES;

    /// The name, as typed.
    pub fn name(self) -> &'static str {
        let found = FORMATS.iter().find(|(format, ..)| *format == self);
        found.map_or("", |(_, name, _)| name)
    }

    /// The endings of file names that tell of a format.
    pub fn endings() -> impl Iterator<Item = &'static str> {
        FORMATS
            .iter()
            .flat_map(|(.., endings)| endings.iter().copied())
    }
}

impl std::fmt::Display for InputFormat {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.name())
    }
}

impl FromStr for InputFormat {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let found = FORMATS.iter().find(|(_, name, _)| *name == text);
        found.map(|(format, ..)| *format).ok_or_else(|| {
            let message = format!("{text:?} is not one of {}", NAMES.join(", "));
            Error::config("input-format", message)
        })
    }
}

/// The format that a file's name stands for, whatever its compression.
pub(super) fn format_by_name(path: &Path) -> Option<InputFormat> {
    let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
    let packed = compress::ENDINGS.iter();
    let plain = packed
        .into_iter()
        .find_map(|ending| name.strip_suffix(ending));
    let ending = plain.unwrap_or(&name).rsplit_once('.')?.1;
    let found = FORMATS
        .iter()
        .find(|(.., endings)| endings.contains(&ending));
    found.map(|(format, ..)| *format)
}

/// Endings of documents that are not read, and that nobody ends a text with.
const FOREIGN_ENDINGS: [&str; 8] = [
    ".pdf", ".doc", ".docx", ".odt", ".rtf", ".epub", ".xml", ".zip",
];

/// Whether what was typed was most likely meant as a file or an address: it begins like a path, has
/// a separator and no white space (as URLs do), or ends as files of documents do. For options that
/// take a file or a text: a mistyped name must not be searched as if it were a text.
pub fn looks_like_path(typed: &str) -> bool {
    let has_space = typed.contains(char::is_whitespace);
    let has_separator = typed.contains(['/', std::path::MAIN_SEPARATOR]);
    let is_rooted = ["./", "../", "/", "~/"].iter().any(|start| {
        let rest = typed.strip_prefix(start);
        rest.is_some_and(|rest| !rest.starts_with(char::is_whitespace))
    });
    let name = typed.to_ascii_lowercase();
    let mut endings = FOREIGN_ENDINGS.iter().chain(&compress::ENDINGS);
    is_rooted
        || (has_separator && !has_space)
        || format_by_name(Path::new(typed)).is_some()
        || endings.any(|ending| name.ends_with(ending))
}

/// Bytes looked at to tell what a file is.
pub(super) const SNIFF_BYTES: u64 = 8192;

/// What a look at the first bytes tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sniffed {
    /// How it is packed.
    pub compression: Compression,
    /// What is in it.
    pub format: InputFormat,
}

/// Looks at the start of a file. The error within is why it is none of ours.
pub(super) fn sniff(
    path: &Path,
    format: Option<InputFormat>,
) -> std::io::Result<Result<Sniffed, String>> {
    let (compression, head) = head(path)?;
    let format = format_of(format, &head, Some(path));
    Ok(format.map(|format| Sniffed {
        compression,
        format,
    }))
}

/// Whether a file is of a format that its content alone makes certain.
pub(super) fn is_certain(path: &Path) -> bool {
    head(path).is_ok_and(|(_, head)| certain(&head).is_some())
}

fn head(path: &Path) -> std::io::Result<(Compression, Vec<u8>)> {
    let (compression, reader) = compress::open(path)?;
    let mut head = Vec::new();
    // Damage beyond the first bytes is found, and recorded, when the file is read.
    let _ = reader.take(SNIFF_BYTES).read_to_end(&mut head);
    Ok((compression, head))
}

/// The format that was asked for, or that by the first bytes and the name. A document of another
/// program is no text, whoever says so.
pub(super) fn format_of(
    asked: Option<InputFormat>,
    head: &[u8],
    path: Option<&Path>,
) -> Result<InputFormat, String> {
    match asked {
        None => by_head(head, path),
        Some(format @ (InputFormat::Text | InputFormat::Html)) => {
            foreign(head).map_or(Ok(format), |what| Err(what.to_owned()))
        }
        Some(format) => Ok(format),
    }
}

/// What a file is that another program has to make a text of, and which.
fn foreign(head: &[u8]) -> Option<&'static str> {
    let has = |part: &[u8]| memchr::memmem::find(head, part).is_some();
    if first_text(head).starts_with(b"%PDF-") {
        return Some("a PDF file; make a text of it first: pdftotext FILE.pdf");
    }
    if first_text(head).starts_with(b"{\\rtf") {
        return Some(
            "an RTF file; make a text of it first: pandoc -t plain -o FILE.txt FILE.rtf",
        );
    }
    if !head.starts_with(b"PK\x03\x04") {
        return None;
    }
    // The names of the first entries are not packed, nor is the type that ODT and EPUB begin with.
    Some(match () {
        () if has(b"word/") && has(b"[Content_Types].xml") => {
            "a Word document; make a text of it first: pandoc -t plain -o FILE.txt FILE.docx"
        }
        () if has(b"application/vnd.oasis.opendocument.text") => {
            "an OpenDocument text; make a text of it first: pandoc -t plain -o FILE.txt FILE.odt"
        }
        () if has(b"application/epub+zip") => {
            "an EPUB book; make a text of it first: pandoc -t plain -o FILE.txt FILE.epub"
        }
        () => "a zip archive; unpack it first",
    })
}

/// What a file that is passed over in folders is, and what can be done about it.
pub(super) fn remedy(path: &Path) -> Option<&'static str> {
    let (_, head) = head(path).ok()?;
    let is_tei = || extract::looks_like_tei(&String::from_utf8_lossy(&head));
    foreign(&head).or_else(|| {
        is_tei().then_some("TEI XML; name the files themselves, with `text-type html`")
    })
}

/// The format by the first bytes and the name; the error is why it is none of ours.
pub(super) fn by_head(head: &[u8], path: Option<&Path>) -> Result<InputFormat, String> {
    if let Some(format) = certain(head) {
        return Ok(format);
    }
    if let Some(what) = foreign(head) {
        return Err(what.to_owned());
    }
    let named = path.and_then(format_by_name);
    if named == Some(InputFormat::Jsonl) && first_text(head).starts_with(b"{") {
        // Zero bytes spoil their lines, not the file.
        return Ok(InputFormat::Jsonl);
    }
    if charset::is_binary(head) {
        return Err("zero bytes: no text, and no format that is read".to_owned());
    }
    if let Some(format) = named {
        return Ok(format);
    }
    match first_text(head).first() {
        Some(b'{') => Ok(InputFormat::Jsonl),
        _ => Ok(InputFormat::Text),
    }
}

fn first_text(head: &[u8]) -> &[u8] {
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    text.trim_ascii_start()
}

/// Formats whose first bytes can be nothing else.
fn certain(head: &[u8]) -> Option<InputFormat> {
    let text = first_text(head);
    match text {
        _ if head.starts_with(b"PAR1") => return Some(InputFormat::Parquet),
        [b'W', b'A', b'R', b'C', b'/', b'0' | b'1', b'.', ..] => {
            return Some(InputFormat::Warc);
        }
        _ if text.starts_with(b"filedesc://") => return Some(InputFormat::Arc),
        _ => {}
    }
    first_elements(text)
}

/// The format of marked-up text by the names of its first elements.
fn first_elements(text: &[u8]) -> Option<InputFormat> {
    if !text.starts_with(b"<") {
        return None;
    }
    for at in memchr::memchr_iter(b'<', text) {
        let tag = &text[at + 1..];
        let name_end = tag
            .iter()
            .position(|byte| byte.is_ascii_whitespace() || b"/>".contains(byte));
        let name = &tag[..name_end.unwrap_or(tag.len())];
        match &name.to_ascii_lowercase()[..] {
            // Declarations and comments come before the first element.
            [b'!' | b'?', ..] => {}
            b"reuters" => return Some(InputFormat::Reuters),
            b"nitf" => return Some(InputFormat::Nitf),
            b"pubmedarticleset"
            | b"pubmedarticle"
            | b"medlinecitationset"
            | b"medlinecitation" => return Some(InputFormat::Pubmed),
            b"doc" => return trec_document(tag).then_some(InputFormat::Trec),
            // Some collections wrap their documents.
            b"docs" | b"root" | b"corpus" | b"collection" => {}
            _ => return None,
        }
    }
    None
}

/// Whether a `<DOC>` is one of TREC or like those of SogouT, not any other XML.
fn trec_document(tag: &[u8]) -> bool {
    let head = tag[..tag.len().min(1024)].to_ascii_lowercase();
    let has = |name: &[u8]| memchr::memmem::find(&head, name).is_some();
    has(b"<docno>") || has(b"<url>") || has(b"<docid>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_format_whatever_the_compression() {
        let format = |name: &str| format_by_name(Path::new(name));
        assert_eq!(format("a/b.jsonl"), Some(InputFormat::Jsonl));
        assert_eq!(format("b.JSONL.gz"), Some(InputFormat::Jsonl));
        assert_eq!(format("b.txt.zst"), Some(InputFormat::Text));
        assert_eq!(format("CC-MAIN.warc.wet.gz"), Some(InputFormat::Warc));
        assert_eq!(format("b.gz"), None);
        assert_eq!(format("image.png"), None);
    }

    #[test]
    fn names_of_files_are_told_from_texts() {
        for path in [
            "quary.txt",
            "my notes.txt",
            "my notes.JSONL.gz",
            "an article.pdf",
            "notes/quary",
            "../my notes",
            "./x",
            "/tmp/my notes",
            "~/my notes",
            "http://example.org/page",
            "ftp://example.org",
        ] {
            assert!(looks_like_path(path), "{path}");
        }
        for text in [
            "two words",
            "this and/or that",
            "/ is a separator",
            "~ 40 people came.",
            "http://example.org/page is an address",
            "it was version 2.0",
            "规的规定结合本市实际情况制定本条例",
            "one",
            "...",
        ] {
            assert!(!looks_like_path(text), "{text}");
        }
    }

    #[test]
    fn content_tells_the_format_without_a_name() {
        for (head, expected) in [
            (&b"\xef\xbb\xbf \n{\"a\":1}"[..], InputFormat::Jsonl),
            (b"Once upon a time", InputFormat::Text),
            (b"", InputFormat::Text),
            (b"WARC/1.0\r\nWARC-Type: warcinfo\r\n", InputFormat::Warc),
            (b"filedesc://x 0.0.0.0 2009", InputFormat::Arc),
            (b"PAR1\x15\0\x15\0", InputFormat::Parquet),
            (b"<!DOCTYPE lewis SYSTEM \"lewis.dtd\">\n<REUTERS TOPICS=", InputFormat::Reuters),
            (b"\n<DOC>\n<DOCNO> FT911-1 </DOCNO>", InputFormat::Trec),
            (b"<doc>\n<docno>1</docno>\n<url>http://a/</url>", InputFormat::Trec),
            (b"<?xml version=\"1.0\"?>\n<!-- x --><nitf change.date=\"x\">", InputFormat::Nitf),
            (b"<?xml version=\"1.0\"?><!DOCTYPE PubmedArticleSet SYSTEM \"x\"><PubmedArticleSet>", InputFormat::Pubmed),
            (b"<doc><title>some XML</title></doc>", InputFormat::Text),
            (b"<html><body><p>page</p>", InputFormat::Text),
        ] {
            assert_eq!(by_head(head, None), Ok(expected), "{head:?}");
        }
    }

    #[test]
    fn certain_content_wins_over_the_name_and_the_name_over_a_guess() {
        let by = |head: &[u8], name: &str| by_head(head, Some(Path::new(name)));
        assert_eq!(by(b"WARC/0.18\n", "a.txt"), Ok(InputFormat::Warc));
        assert_eq!(by(b"{\"a\":1}", "a.txt"), Ok(InputFormat::Text));
        assert_eq!(by(b"<p>x", "a.html"), Ok(InputFormat::Html));
        assert!(
            by(b"PK\x03\x04\x14\0", "a.jsonl")
                .unwrap_err()
                .contains("zip")
        );
        assert!(by(b"\x89PNG\r\n\x1a\n\0\0\0\r", "a.txt").is_err());
    }

    #[test]
    fn documents_of_other_programs_are_named_with_a_remedy() {
        let pdf: &[u8] = b"%PDF-1.7\n1 0 obj << /Type /Catalog >> endobj";
        let docx: &[u8] =
            b"PK\x03\x04\x14\0[Content_Types].xml..PK\x03\x04word/document.xml";
        let odt: &[u8] =
            b"PK\x03\x04\x14\0mimetypeapplication/vnd.oasis.opendocument.textPK";
        let rtf: &[u8] = b"{\\rtf1\\ansi Hello}";
        for (head, remedy) in [
            (pdf, "pdftotext"),
            (docx, "FILE.docx"),
            (odt, "FILE.odt"),
            (rtf, "pandoc"),
            (b"PK\x03\x04\x14\0a.txt", "unpack"),
        ] {
            for name in ["a.txt", "a.pdf", "a"] {
                let named = by_head(head, Some(Path::new(name)));
                assert!(named.unwrap_err().contains(remedy), "{remedy}");
            }
            let as_text = format_of(Some(InputFormat::Text), head, None);
            assert!(as_text.unwrap_err().contains(remedy), "{remedy}");
        }
        let speaks_of_it = b"A file that begins with %PDF- is a PDF file.";
        assert_eq!(by_head(speaks_of_it, None), Ok(InputFormat::Text));
    }

    #[test]
    fn every_format_is_typed_by_its_name() {
        for (format, name, _) in FORMATS {
            assert_eq!(name.parse::<InputFormat>().unwrap(), format);
            assert_eq!(format.name(), name);
        }
        assert!("xls".parse::<InputFormat>().is_err());
    }
}
