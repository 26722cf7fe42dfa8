//! What kind of file this is: compression by its first bytes, format by content and name.
//!
//! Content that can be nothing else (a WARC header, a TREC document) decides the format
//! whatever the name; then the name does; then content that merely looks like something.

use super::format::{Guess, Layout, Sign};
use super::formats::InputFormat;
use crate::charset;
use crate::compress::{self, Compression};
use crate::extract;
use std::io::Read;
use std::path::Path;

/// The format that a file's name stands for, whatever its compression.
pub(super) fn format_by_name(path: &Path) -> Option<InputFormat> {
    let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
    let ending = compress::without_ending(&name).rsplit_once('.')?.1;
    let has_ending = |format: &&InputFormat| format.spec().endings.contains(&ending);
    InputFormat::ALL.iter().find(has_ending).copied()
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

/// Bytes looked at to detect what a file is.
pub(super) const SNIFF_BYTES: u64 = 8192;

/// What a look at the first bytes shows.
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

/// Compression and first bytes, unpacked.
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
    let Some(format) = asked else {
        return by_head(head, path);
    };
    match format.spec().layout {
        Layout::Document { .. } => {
            foreign(head).map_or(Ok(format), |what| Err(what.to_owned()))
        }
        // What is wrong with their records is found when they are read.
        Layout::Lines | Layout::Table { .. } | Layout::Columns | Layout::Entries(_) => {
            Ok(format)
        }
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
    // A zip archive is refused with advice, since Word, OpenDocument and EPUB look alike to a user who sees
    // only that nothing was read.
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
    // The order: what content proves, then what name and content agree on, then the name, then a guess.
    // A name alone is weak, since `.txt`, `.json` and `.xml` are endings of many formats.
    let named = path.and_then(format_by_name);
    let by_first_byte = guess_by_first_byte(head);
    if let Some(format) = by_first_byte.filter(|guessed| named == Some(*guessed)) {
        // Zero bytes spoil their records, not the file.
        return Ok(format);
    }
    // Unless the name says so too, a file with zero bytes is no text: an image in a folder must not become
    // thousands of bad records.
    if charset::is_binary(head) {
        return Err("zero bytes: no text, and no format that is read".to_owned());
    }
    if let Some(format) = named {
        return Ok(format);
    }
    by_first_byte
        .or_else(fallback)
        .ok_or_else(|| "no format that is read".to_owned())
}

/// The format that this first byte makes likely.
fn guess_by_first_byte(head: &[u8]) -> Option<InputFormat> {
    let first = *first_text(head).first()?;
    let mut formats = InputFormat::ALL.iter().copied();
    formats.find(|format| match format.spec().guess {
        Guess::FirstByte(byte) => byte == first,
        Guess::Never | Guess::Rest => false,
    })
}

/// The format that a file has when nothing says otherwise.
fn fallback() -> Option<InputFormat> {
    let mut formats = InputFormat::ALL.iter().copied();
    formats.find(|format| match format.spec().guess {
        Guess::Rest => true,
        Guess::Never | Guess::FirstByte(_) => false,
    })
}

/// The bytes from the first that is neither a byte order mark nor white space.
fn first_text(head: &[u8]) -> &[u8] {
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    text.trim_ascii_start()
}

/// The format that the first bytes make certain.
fn certain(head: &[u8]) -> Option<InputFormat> {
    let text = first_text(head);
    let mut formats = InputFormat::ALL.iter().copied();
    let by_start = formats.find(|format| match format.spec().sign {
        Sign::Bytes(bytes) => head.starts_with(bytes),
        Sign::Start(starts) => starts.iter().any(|it| text.starts_with(it.as_bytes())),
        Sign::None | Sign::Element { .. } => false,
    });
    by_start.or_else(|| by_first_elements(text))
}

/// Elements that some collections wrap their documents in.
const WRAPPERS: [&str; 4] = ["docs", "root", "corpus", "collection"];
/// Bytes from the start of an element in which a tag is looked for that must follow it.
const ELEMENT_BYTES: usize = 1024;

/// The format of marked-up text by the names of its first elements.
fn by_first_elements(text: &[u8]) -> Option<InputFormat> {
    if !text.starts_with(b"<") {
        return None;
    }
    // Ends at the first element that is neither a declaration nor a wrapper, so a long file
    // costs no more than a short one.
    for at in memchr::memchr_iter(b'<', text) {
        let tag = &text[at + 1..];
        let name_end = tag
            .iter()
            .position(|byte| byte.is_ascii_whitespace() || b"/>".contains(byte));
        let name = &tag[..name_end.unwrap_or(tag.len())];
        if let [b'!' | b'?', ..] = name {
            // Declarations and comments come before the first element.
            continue;
        }
        let is_one_of = |names: &[&str]| {
            let mut names = names.iter();
            names.any(|one| name.eq_ignore_ascii_case(one.as_bytes()))
        };
        let mut formats = InputFormat::ALL.iter().copied();
        let found = formats.find(|format| match format.spec().sign {
            Sign::Element { names, with } => is_one_of(names) && has_any(tag, with),
            Sign::None | Sign::Bytes(_) | Sign::Start(_) => false,
        });
        if found.is_some() || !is_one_of(&WRAPPERS) {
            return found;
        }
    }
    None
}

/// Whether one of some tags stands at the beginning of an element, or there are none to look for.
fn has_any(element: &[u8], tags: &[&str]) -> bool {
    let head = element[..element.len().min(ELEMENT_BYTES)].to_ascii_lowercase();
    let has = |tag: &&str| memchr::memmem::find(&head, tag.as_bytes()).is_some();
    tags.is_empty() || tags.iter().any(has)
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
}
