//! HTTP messages as web archives store them: the head is taken off, the body becomes
//! text or is found to hold none.
//!
//! Crawlers store what servers sent, and servers send anything: heads without a status line, pages
//! without a head, compressed bodies under plain headers. Each of these is read as far as it makes
//! sense, and only what cannot be text or cannot be unpacked is given up, with a reason.

mod body;
mod headers;
mod media;

pub(super) use headers::{Headers, Line, value_text};

use super::values::{Fault, Values};
use crate::charset;
use body::Buffers;
use media::{Media, SNIFF_BYTES};
use neardupe_core::document::BadKind;

/// Most bytes of a head.
const HEAD_BYTES: usize = 1 << 16;

/// Headers by which a head is known that has lost its status line.
const COMMON: [&str; 11] = [
    "content-type",
    "content-length",
    "content-encoding",
    "transfer-encoding",
    "date",
    "server",
    "connection",
    "cache-control",
    "last-modified",
    "set-cookie",
    "accept-ranges",
];

/// What an archive says of a content.
#[derive(Debug, Clone, Copy)]
pub(super) struct ArchivedContent<'a> {
    /// The content as it is stored, with its HTTP head if it has one.
    pub(super) bytes: &'a [u8],
    /// The type that the archive states. For a whole HTTP message it is that of the message,
    /// not of the page.
    pub(super) content_type: Option<&'a [u8]>,
    /// Whether a head is expected before the page.
    pub(super) head: HttpHead,
}

/// Whether a content begins with an HTTP head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HttpHead {
    /// Resources and WET texts: a line such as `HTTP/1.1 200` at their start is text.
    Never,
    /// When it begins with a status line.
    IfSeen,
    /// Also when the status line is missing.
    Expected,
}

/// What was read of a head.
struct Head {
    /// Its length.
    len: usize,
    /// Three digits.
    status: Option<[u8; 3]>,
}

/// Reads contents, in buffers that are used again.
#[derive(Debug, Default)]
pub(super) struct Message {
    /// The headers of the message read last.
    headers: Headers,
    /// Chunks joined and codings undone.
    buffers: Buffers,
    /// A field name such as `http-server`, put together once per header.
    name: String,
}

impl Message {
    /// Puts text, content type, status and headers into `values`; false when the content
    /// is no text by its own account.
    pub(super) fn read(
        &mut self,
        stored: ArchivedContent<'_>,
        max_bytes: u64,
        values: &mut Values,
    ) -> Result<bool, Fault> {
        let head = self.head(stored)?;
        let body = &stored.bytes[head.as_ref().map_or(0, |head| head.len)..];
        let content_type = content_type(&self.headers, stored);
        let content_type = content_type.map(value_text);
        let media = content_type.as_deref().map(media::by_content_type);
        let media = media.unwrap_or(Media::Unknown);
        // Images and programs are most of some archives, so they are recognised before
        // anything is unpacked.
        if media == Media::Other {
            return Ok(false);
        }
        let content = self.buffers.content(&self.headers, body, max_bytes)?;
        let kind = match media {
            Media::Text(kind) => kind,
            Media::Unknown => match media::by_bytes(content) {
                Media::Text(kind) => kind,
                Media::Other | Media::Unknown => return Ok(false),
            },
            Media::Other => return Ok(false),
        };
        // UTF-16 is full of zero bytes and is text all the same, but only if the server says
        // so.
        let sent = content_type.as_deref().and_then(charset::by_content_type);
        let is_utf16 =
            sent == Some(encoding_rs::UTF_16LE) || sent == Some(encoding_rs::UTF_16BE);
        let start = &content[..content.len().min(SNIFF_BYTES)];
        if !is_utf16 && charset::is_binary(start) {
            let shown = content_type.as_deref().unwrap_or("of no type");
            let detail = format!("zero bytes in a content said to be text ({shown})");
            return Err((BadKind::Binary, detail));
        }
        for (name, value) in self.headers.iter() {
            self.name.clear();
            self.name.push_str("http-");
            self.name.push_str(name);
            // Most headers are wanted by nobody. Only the wanted ones are decoded.
            if values.wants(&self.name) {
                values.put(&self.name, &value_text(value));
            }
        }
        let status = head.as_ref().and_then(|head| head.status.as_ref());
        if let Some(status) = status {
            values.put("status", &value_text(status));
        }
        if let Some(content_type) = &content_type {
            values.put("content-type", content_type);
        }
        // The character set of the server comes along; it is one of several signs and is
        // weighed later.
        values.put_bytes("text", content, sent, Some(kind));
        Ok(true)
    }

    /// Whether a content of which only the start is known is no text by its own account.
    pub(super) fn is_other(&mut self, stored: ArchivedContent<'_>) -> bool {
        // A damaged head decides nothing. The record then counts as text that was lost, which
        // is the safe side.
        if self.head(stored).is_err() {
            return false;
        }
        let content_type = content_type(&self.headers, stored);
        let content_type = content_type.map(value_text).unwrap_or_default();
        media::by_content_type(&content_type) == Media::Other
    }

    /// Length of the body, as stored.
    pub(super) fn body_len(&mut self, stored: ArchivedContent<'_>) -> usize {
        let head = self.head(stored).ok().flatten();
        stored.bytes.len() - head.map_or(0, |head| head.len)
    }

    /// Reads the head, if there is one.
    fn head(&mut self, stored: ArchivedContent<'_>) -> Result<Option<Head>, Fault> {
        self.headers.clear();
        if stored.head == HttpHead::Never {
            return Ok(None);
        }
        let bytes = stored.bytes;
        let is_line_end = |byte: &&u8| matches!(byte, b'\r' | b'\n');
        let mut at = bytes.iter().take_while(is_line_end).count();
        let mut status = None;
        if is_status_line(&bytes[at..]) {
            let line = &bytes[at..at + line_len(&bytes[at..])];
            let mut words = line.split(u8::is_ascii_whitespace);
            let code = words.nth(1).and_then(|code| <[u8; 3]>::try_from(code).ok());
            status = code.filter(|code| code.iter().all(u8::is_ascii_digit));
            at += line.len();
        // Not a head: everything is content. Expected heads are also known by a header without
        // a status line before it.
        } else if stored.head == HttpHead::IfSeen || !self.is_known_header(&bytes[at..]) {
            return Ok(None);
        }
        while at < bytes.len() {
            if at > HEAD_BYTES {
                let detail = format!("an HTTP head of more than {HEAD_BYTES} bytes");
                return Err((BadKind::Format, detail));
            }
            // A line without an end would be searched to the end of the content for every
            // line; this bounds the work.
            let len = line_len(&bytes[at..bytes.len().min(at + HEAD_BYTES)]);
            let line = &bytes[at..at + len];
            // A page may follow without the blank line.
            if line.starts_with(b"<") {
                break;
            }
            at += len;
            let text = line.trim_ascii_end();
            match line.first() {
                _ if text.is_empty() => break,
                Some(b' ' | b'\t') => self.headers.fold(text),
                // Lines that are no headers are passed over.
                _ => {
                    self.headers.push(text);
                }
            }
        }
        Ok(Some(Head { len: at, status }))
    }

    /// Whether the first line is a header that servers usually send. It uses `headers` for the
    /// parsing and leaves it empty.
    fn is_known_header(&mut self, bytes: &[u8]) -> bool {
        let line = &bytes[..line_len(&bytes[..bytes.len().min(HEAD_BYTES)])];
        self.headers.push(line);
        let known = self.headers.iter().any(|(name, _)| COMMON.contains(&name));
        self.headers.clear();
        known
    }
}

/// The content type of the body.
fn content_type<'a>(
    headers: &'a Headers,
    stored: ArchivedContent<'a>,
) -> Option<&'a [u8]> {
    let outer = match stored.head {
        // The type of the whole, `application/http`, is not the type of its body.
        HttpHead::Expected => None,
        HttpHead::IfSeen | HttpHead::Never => stored.content_type,
    };
    headers.get("content-type").or(outer)
}

/// `HTTP/1.1 200 OK`, also the `HTTP 200` of some old servers.
fn is_status_line(bytes: &[u8]) -> bool {
    let after = bytes.strip_prefix(b"HTTP").unwrap_or_default();
    matches!(after, [b'/', b'0'..=b'9', ..] | [b' ', b'1'..=b'5', ..])
}

/// Length of the first line with its line feed.
pub(super) fn line_len(bytes: &[u8]) -> usize {
    memchr::memchr(b'\n', bytes).map_or(bytes.len(), |at| at + 1)
}

/// Whether a content type is that of a whole HTTP message.
pub(super) fn is_http(content_type: &[u8]) -> bool {
    let name = content_type.split(|&byte| byte == b';').next();
    let name = name.unwrap_or_default().trim_ascii();
    name.eq_ignore_ascii_case(b"application/http")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::testing;
    use crate::source::values::TextKind;

    type Got = Result<Option<(String, TextKind, Vec<Option<String>>)>, Fault>;

    const FIELDS: [&str; 3] = ["status", "content-type", "http-x-y"];

    fn read(bytes: &[u8], content_type: Option<&[u8]>, head: HttpHead) -> Got {
        let mut values = testing::values(&["text"], &FIELDS);
        let stored = ArchivedContent {
            bytes,
            content_type,
            head,
        };
        let is_text = Message::default().read(stored, 10_000, &mut values)?;
        let text = &values.texts[0];
        Ok(is_text.then(|| {
            let kind = text.kind.unwrap();
            (text.value.clone(), kind, values.metadata.clone())
        }))
    }

    fn expected(bytes: &str) -> (String, TextKind, Vec<Option<String>>) {
        let got = read(bytes.as_bytes(), None, HttpHead::Expected);
        got.unwrap().unwrap()
    }

    fn some(texts: [&str; 3]) -> Vec<Option<String>> {
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        texts.map(text).to_vec()
    }

    #[test]
    fn heads_are_taken_off_in_all_their_forms() {
        for (bytes, fields) in [
            (
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Y: 1\r\n\r\n<p>a",
                ["200", "text/html", "1"],
            ),
            (
                "HTTP/1.0 404\nContent-Type: text/html\nx-y:\n 2\n\n<p>a",
                ["404", "text/html", "2"],
            ),
            (
                "\r\nHTTP/1.1 abc\nbad line\n: worse\nX-Y : 3\n\n<p>a",
                ["", "", "3"],
            ),
            (
                "Content-Type: text/html\r\nX-Y: 4\r\n\r\n<p>a",
                ["", "text/html", "4"],
            ),
            ("HTTP 200 OK\nX-Y: 5\n<p>a", ["200", "", "5"]),
            ("<p>a", ["", "", ""]),
        ] {
            let (text, kind, metadata) = expected(bytes);
            assert_eq!((text.as_str(), kind), ("<p>a", TextKind::Html), "{bytes}");
            assert_eq!(metadata, some(fields), "{bytes}");
        }
        let no_body = "HTTP/1.1 301 Moved\r\nLocation: /\r\n";
        assert_eq!(expected(no_body).0, "");
        let prose = expected("Note: this is no head.\n\nReally.");
        assert_eq!(prose.0, "Note: this is no head.\n\nReally.");
    }

    #[test]
    fn the_inner_type_counts_and_the_outer_one_without_it() {
        let with = b"HTTP/1.1 200 OK\nContent-Type: text/plain\n\n<p>";
        let without = b"HTTP/1.1 200 OK\n\n<p>";
        let kind = |bytes: &[u8], content_type: &[u8], head| {
            let got = read(bytes, Some(content_type), head).unwrap();
            got.map(|(text, kind, _)| (text, kind))
        };
        let plain = Some(("<p>".to_owned(), TextKind::Plain));
        let html = Some(("<p>".to_owned(), TextKind::Html));
        assert_eq!(kind(with, b"text/html", HttpHead::IfSeen), plain);
        assert_eq!(kind(without, b"text/html", HttpHead::IfSeen), html);
        assert_eq!(kind(without, b"image/png", HttpHead::IfSeen), None);
        assert_eq!(kind(without, b"application/http", HttpHead::Expected), html);
        assert_eq!(kind(b"<p>", b"text/plain", HttpHead::IfSeen), plain);
        let whole = kind(with, b"text/plain", HttpHead::Never).unwrap();
        assert_eq!(whole.0.as_bytes(), with);
        assert!(is_http(b"application/http; msgtype=response"));
        assert!(!is_http(b"text/html"));
    }

    #[test]
    fn what_is_no_text_is_told_from_text_that_is_binary() {
        let http = |head: &str, body: &[u8]| {
            let bytes = [head.as_bytes(), body].concat();
            read(&bytes, None, HttpHead::Expected)
        };
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01";
        assert_eq!(
            http("HTTP/1.1 200 OK\nContent-Type: image/png\n\n", png),
            Ok(None)
        );
        assert_eq!(http("HTTP/1.1 200 OK\n\n", png), Ok(None));
        let (kind, _) =
            http("HTTP/1.1 200 OK\nContent-Type: text/html\n\n", png).unwrap_err();
        assert_eq!(kind, BadKind::Binary);
        let utf16: Vec<u8> = "<p>中文 text"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        let head = "HTTP/1.1 200 OK\nContent-Type: text/html; charset=utf-16le\n\n";
        assert_eq!(http(head, &utf16).unwrap().unwrap().0, "<p>中文 text");
        let gbk = encoding_rs::GBK.encode("中文").0;
        let head = "HTTP/1.1 200 OK\nContent-Type: text/html; charset=gb2312\n\n";
        assert_eq!(http(head, &gbk).unwrap().unwrap().0, "中文");
    }

    #[test]
    fn endless_heads_are_refused() {
        for line in ["X: y\n", "no header\n", "X"] {
            let head = format!("HTTP/1.1 200 OK\n{}", line.repeat(100_000));
            let got = read(head.as_bytes(), None, HttpHead::Expected);
            assert_eq!(got.unwrap_err().0, BadKind::Format, "{line}");
        }
    }
}
