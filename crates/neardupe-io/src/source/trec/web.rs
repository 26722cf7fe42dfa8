//! A page of the web with what its server sent: WT10g, GOV, GOV2.
//!
//! DOCHDR holds the URL in its first line, alone or with address, time, type and length as
//! in an ARC file, then the status and the headers of HTTP.
//!
//! The page behind the header goes through the same steps as one of a WARC file: the character set
//! of the server is a hint, and tags are taken off later.

use super::super::values::{TextKind, Values};
use crate::charset;

/// Puts the page and what its server said of it. `sent` is the content of DOCHDR.
pub(super) fn put_page(sent: &[u8], page: &[u8], values: &mut Values) {
    let sent = String::from_utf8_lossy(sent);
    let mut lines = sent.trim_start().lines();
    let first = lines.next().unwrap_or_default();
    if let Some(url) = first.split_ascii_whitespace().next() {
        values.put("url", url);
        // Without a DOCNO the address names the page.
        if values.id.is_none() {
            values.put("id", url);
        }
    }
    let mut content_type = None;
    for line in lines {
        let Some((name, value)) = line.split_once(':') else {
            continue;
        };
        let (name, value) = (name.trim().to_ascii_lowercase(), value.trim());
        let field = format!("http-{name}");
        if values.wants(&field) {
            values.put(&field, value);
        }
        if name == "content-type" {
            content_type = Some(value);
        }
    }
    let charset = content_type.and_then(charset::by_content_type);
    let kind = Some(kind(content_type, page));
    values.put_bytes("text", page, charset, kind);
    // The body is the page too: there is no headline to be parted from it.
    values.put_bytes("body", page, charset, kind);
}

/// GOV2 holds the text of PDF and other files too, as plain text under their own type.
fn kind(content_type: Option<&str>, page: &[u8]) -> TextKind {
    let is_markup = |content_type: &str| {
        let lower = content_type.to_ascii_lowercase();
        lower.contains("html") || lower.contains("xml")
    };
    if content_type.is_none_or(is_markup) || page.starts_with(b"<") {
        TextKind::Html
    } else {
        TextKind::Plain
    }
}
