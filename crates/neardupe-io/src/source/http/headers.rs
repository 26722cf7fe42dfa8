//! Header lines, `Name: value`, as HTTP and WARC have them.
//!
//! Read line by line and not by a strict parser: crawled heads have line feeds alone,
//! spaces before colons, control characters in values and lines that are no headers
//! (jwarc issues 25 and 86), and a page is worth more than the rules of its head.

use std::borrow::Cow;

/// Header lines in one buffer that is used again.
#[derive(Debug, Default)]
pub(in crate::source) struct Headers {
    /// Name, value, name, value; the names in lower case.
    text: Vec<u8>,
    /// Where each name and each value ends in `text`.
    ends: Vec<(usize, usize)>,
}

/// What a line was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::source) enum Line {
    /// `Name: value`; it was taken.
    Header,
    /// Nothing was taken. In WARC such a line continues a value, in HTTP it is passed over.
    Other,
}

impl Headers {
    /// Forgets all headers and keeps the memory.
    pub(in crate::source) fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
    }

    /// Takes a header line; any other line changes nothing.
    pub(in crate::source) fn push(&mut self, line: &[u8]) -> Line {
        let Some(colon) = memchr::memchr(b':', line) else {
            return Line::Other;
        };
        // RFC 9112, section 5.1, forbids white space before the colon, because proxies disagree about it.
        // Nothing is forwarded here, so such headers are read.
        let name = line[..colon].trim_ascii_end();
        if name.is_empty() || !name.iter().all(u8::is_ascii_graphic) {
            return Line::Other;
        }
        let from = self.text.len();
        self.text.extend_from_slice(name);
        self.text[from..].make_ascii_lowercase();
        let name_end = self.text.len();
        self.text.extend_from_slice(line[colon + 1..].trim_ascii());
        self.ends.push((name_end, self.text.len()));
        Line::Header
    }

    /// Takes a line that goes on with the value of the header before it.
    pub(in crate::source) fn fold(&mut self, line: &[u8]) {
        let Some((name_end, value_end)) = self.ends.last_mut() else {
            return;
        };
        // An obsolete fold (RFC 9112, section 5.2) stands for one space.
        if value_end > name_end {
            self.text.push(b' ');
        }
        self.text.extend_from_slice(line.trim_ascii());
        *value_end = self.text.len();
    }

    /// The value of the first header of this name, which is given in lower case.
    pub(in crate::source) fn get(&self, name: &str) -> Option<&[u8]> {
        let found = self.iter().find(|(other, _)| *other == name);
        found.map(|(_, value)| value)
    }

    /// Names in lower case, and values.
    pub(in crate::source) fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let mut start = 0;
        self.ends.iter().map(move |&(name_end, value_end)| {
            let name = std::str::from_utf8(&self.text[start..name_end]);
            start = value_end;
            // Names are ASCII: `push` takes no others.
            (name.unwrap_or_default(), &self.text[name_end..value_end])
        })
    }
}

/// The text of a value: UTF-8, or else what most servers mean by other bytes.
pub(in crate::source) fn value_text(value: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(value) {
        Ok(text) => Cow::Borrowed(text),
        // Windows-1252 accepts every byte, so a value is never lost.
        Err(_) => {
            encoding_rs::WINDOWS_1252
                .decode_without_bom_handling(value)
                .0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_names_and_values() {
        let mut headers = Headers::default();
        headers.fold(b"no header yet");
        assert_eq!(headers.push(b"P3P : CP=\"ALL\" "), Line::Header);
        assert_eq!(headers.push(b"Server:"), Line::Header);
        headers.fold(b"  Apache");
        headers.fold(b"\t2.0");
        assert_eq!(headers.push(b"X: a:b\x08"), Line::Header);
        for other in [&b"no colon"[..], b": no name", b"a b: c", b"\xe4: c"] {
            assert_eq!(headers.push(other), Line::Other);
        }
        let all: Vec<_> = headers.iter().collect();
        let expected: [(&str, &[u8]); 3] = [
            ("p3p", b"CP=\"ALL\""),
            ("server", b"Apache 2.0"),
            ("x", b"a:b\x08"),
        ];
        assert_eq!(all, expected);
        assert_eq!(headers.get("server"), Some(&b"Apache 2.0"[..]));
        assert_eq!(headers.get("y"), None);
        assert_eq!(value_text(b"caf\xe9"), "café");
        assert_eq!(value_text("café".as_bytes()), "café");
    }
}
