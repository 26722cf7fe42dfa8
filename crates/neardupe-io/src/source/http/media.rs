//! Which content types are text, and of which kind.
//!
//! Servers send wrong types often, and the cost of the two mistakes differs: a page that is taken
//! for an image is lost, an image that is taken for a page is noticed by its bytes. So types that
//! servers give for lack of a better one count as unknown.

use crate::charset;
use crate::source::values::TextKind;

/// Bytes looked at to detect what a content is.
pub(in crate::source) const SNIFF_BYTES: usize = 8192;

/// What a content type says of its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::source) enum Media {
    /// Text, and how it is made into plain text.
    Text(TextKind),
    /// Images, programs, data: nothing to compare as text.
    Other,
    /// Nothing: the content itself must be looked at.
    Unknown,
}

/// Types that servers and archives give when they know none.
const UNKNOWN: [&str; 7] = [
    "application/octet-stream",
    "binary/octet-stream",
    "application/unknown",
    "application/x-unknown",
    "application/x-httpd-php",
    "application/force-download",
    "application/x-download",
];

/// Texts for machines, and the answers of name servers that crawlers store.
const CODE: [&str; 6] = ["css", "javascript", "ecmascript", "json", "dns", "jscript"];

/// What a content type such as `text/html; charset=utf-8` says.
pub(in crate::source) fn by_content_type(content_type: &str) -> Media {
    // Case and parameters such as the character set do not change what a type means.
    let lower = content_type.to_ascii_lowercase();
    let name = lower.split([';', ',']).next().unwrap_or_default().trim();
    let Some((class, name_in_class)) = name.split_once('/') else {
        return Media::Unknown;
    };
    if UNKNOWN.contains(&name) || ["unknown", "content", "*", ""].contains(&class) {
        return Media::Unknown;
    }
    // Feeds and XHTML are read as HTML: their tags are taken off in the same way.
    let is_xml = name_in_class == "xml" || name_in_class.ends_with("+xml");
    let is_html = matches!(name_in_class, "html" | "x-html" | "rss" | "atom");
    match class {
        "text" | "application" if is_xml || is_html => Media::Text(TextKind::Html),
        "text" if CODE.iter().any(|code| name_in_class.contains(code)) => Media::Other,
        "text" => Media::Text(TextKind::Plain),
        _ => Media::Other,
    }
}

/// What a content is by its first bytes.
pub(in crate::source) fn by_bytes(content: &[u8]) -> Media {
    let head = &content[..content.len().min(SNIFF_BYTES)];
    // Formats that begin with printable characters and so look like text.
    let magic: [&[u8]; 5] = [b"%PDF-", b"%!PS", b"{\\rtf", b"PK\x03\x04", b"GIF8"];
    if !looks_like_text(head) || magic.iter().any(|magic| head.starts_with(magic)) {
        return Media::Other;
    }
    // A byte order mark and blank lines stand before many pages.
    let start = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    match start.trim_ascii_start() {
        [b'<', b'!' | b'?' | b'a'..=b'z' | b'A'..=b'Z', ..] => {
            Media::Text(TextKind::Html)
        }
        _ => Media::Text(TextKind::Plain),
    }
}

/// Whether bytes are text rather than packed or binary data: of random bytes every tenth
/// is a control character, of text hardly any.
pub(in crate::source) fn looks_like_text(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(SNIFF_BYTES)];
    let is_control = |byte: &&u8| matches!(byte, 0x01..=0x08 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f | 0x7f);
    // Two in a hundred. Old pages have some stray controls from text processors.
    let controls = head.iter().filter(is_control).count();
    controls * 50 <= head.len() && !charset::is_binary(head)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HTML: Media = Media::Text(TextKind::Html);
    const PLAIN: Media = Media::Text(TextKind::Plain);

    #[test]
    fn content_types_tell_text_from_the_rest() {
        for (content_type, expected) in [
            ("text/html", HTML),
            ("Text/HTML; charset=utf-8", HTML),
            ("text/html,text/html", HTML),
            ("application/xhtml+xml", HTML),
            ("application/xml", HTML),
            ("text/xml;charset=x", HTML),
            ("application/rss+xml", HTML),
            ("application/atom+xml ; type=feed", HTML),
            ("text/plain", PLAIN),
            ("text/markdown", PLAIN),
            ("text/css", Media::Other),
            ("text/x-javascript", Media::Other),
            ("text/dns", Media::Other),
            ("application/json", Media::Other),
            ("application/javascript", Media::Other),
            ("application/pdf", Media::Other),
            ("image/svg+xml", Media::Other),
            ("video/mp4", Media::Other),
            ("", Media::Unknown),
            ("no-type", Media::Unknown),
            ("unknown/unknown", Media::Unknown),
            ("application/octet-stream", Media::Unknown),
        ] {
            assert_eq!(by_content_type(content_type), expected, "{content_type}");
        }
    }

    #[test]
    fn bytes_tell_what_the_type_does_not() {
        for (content, expected) in [
            (&b"\xef\xbb\xbf \n<!DOCTYPE html>"[..], HTML),
            (b"<p>text", HTML),
            (b"< 5 is less", PLAIN),
            (b"", PLAIN),
            (b"%PDF-1.4\n", Media::Other),
            (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", Media::Other),
            (b"\xff\xd8\xff\xe0\0\x10JFIF\0", Media::Other),
            (b"\x1f\x8b\x08\0\0\0\0\0\0\x03", Media::Other),
            ("Grüße aus Köln".as_bytes(), PLAIN),
        ] {
            assert_eq!(by_bytes(content), expected, "{content:?}");
        }
    }
}
