//! How a WARC record begins: a version line, header lines, a blank line
//! (ISO 28500:2017, section 4).
//!
//! Read as well: line feeds alone, as in ClueWeb09; values over several lines, indented
//! or not; a blank line in the middle of the head.

use super::cut::{Framing, Head};
use crate::source::http::{Headers, Line, line_len};

/// The head of a WARC record.
#[derive(Debug, Default)]
pub(in crate::source) struct WarcFraming {
    /// Headers of the record read last, in a buffer that every record uses again.
    pub(in crate::source) headers: Headers,
}

impl Framing for WarcFraming {
    const LOOK_BYTES: usize = 512;

    fn head(&mut self, bytes: &[u8]) -> Head {
        self.headers.clear();
        let mut at = line_len(bytes);
        if !begins_version(bytes) {
            let detail = "no line WARC/1.0 or the like where a record should begin";
            return Head::Bad(at, detail.to_owned());
        }
        loop {
            let rest = &bytes[at..];
            // A head without its blank line would take the next record for header lines, and its
            // Content-Length for its own.
            if begins_version(rest) && version_line(rest).is_some() {
                let detail = "another record begins within the head".to_owned();
                return Head::Bad(at, detail);
            }
            let Some(end) = memchr::memchr(b'\n', rest) else {
                return Head::Open;
            };
            let line = rest[..end].trim_ascii_end();
            at += end + 1;
            if !line.is_empty() {
                // A line without a colon continues the value before it. ISO 28500 allows that for indented
                // lines only, but real files have such lines without it.
                if self.headers.push(line) == Line::Other {
                    self.headers.fold(line);
                }
                continue;
            }
            let Some(length) = self.headers.get("content-length") else {
                // A blank line in the middle of a head: the head goes on if the next line can only be a part
                // of one. What has no length at all cannot be cut, and is passed over.
                if is_head_line(&bytes[at..]) {
                    continue;
                }
                return Head::Unmeasured(at);
            };
            return match parse_length(length) {
                Some(length) => Head::Read(at, length),
                None => {
                    let shown = &length[..length.len().min(40)];
                    let shown = String::from_utf8_lossy(shown);
                    Head::Bad(at, format!("Content-Length {shown:?} is no length"))
                }
            };
        }
    }

    fn may_begin(bytes: &[u8], at_line_start: bool) -> bool {
        // At the end of a file a version line may be cut off. That is damage of the next
        // record and not of this one.
        let pattern = b"WARC/";
        let cut_off = bytes.len() <= pattern.len() + 3
            && bytes.iter().zip(pattern).all(|(a, b)| a == b);
        if begins_version(bytes) || cut_off {
            return true;
        }
        // A record whose version line is damaged does not spoil the one before it.
        let second = &bytes[line_len(bytes)..];
        let third = &second[line_len(second)..];
        at_line_start && [bytes, second, third].into_iter().any(is_head_line)
    }

    fn find(bytes: &[u8], at_line_start: bool) -> Option<usize> {
        if at_line_start && begins(bytes) {
            return Some(0);
        }
        // A line feed before the mark keeps a page that quotes a WARC head in the middle of a
        // line from being cut.
        memchr::memmem::find_iter(bytes, b"\nWARC/")
            .map(|at| at + 1)
            .find(|&at| begins(&bytes[at..]))
    }
}

/// A version line with a header line after it.
fn begins(bytes: &[u8]) -> bool {
    version_line(bytes).is_some_and(|len| {
        // Names of headers are short. Without this limit every version line would cost a look
        // at a long line.
        let line = &bytes[len..bytes.len().min(len + 80)];
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_".contains(byte);
        let name = line.iter().take_while(|byte| is_name(byte)).count();
        name > 0 && line[name..].trim_ascii_start().starts_with(b":")
    })
}

/// Whether the bytes begin with `WARC/` and a version such as `1.0`. Cheap, and true also for
/// damaged lines.
fn begins_version(bytes: &[u8]) -> bool {
    let number = bytes.strip_prefix(b"WARC/").unwrap_or_default();
    matches!(number, [b'0'..=b'9', b'.', b'0'..=b'9', ..])
}

/// Length of a line that holds nothing but a version.
fn version_line(bytes: &[u8]) -> Option<usize> {
    if !begins_version(bytes) {
        return None;
    }
    // Versions are short: a longer line is none.
    let len = memchr::memchr(b'\n', &bytes[..bytes.len().min(40)])? + 1;
    let number = bytes[b"WARC/".len()..len].trim_ascii_end();
    let is_number = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    number.iter().all(is_number).then_some(len)
}

/// A header line that only WARC heads have.
fn is_head_line(line: &[u8]) -> bool {
    let starts = |name: &[u8]| {
        line.get(..name.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(name))
    };
    starts(b"WARC-") || starts(b"Content-Length:")
}

/// A number of bytes. One beyond all numbers becomes the largest: it is over every limit, and no file
/// has so many bytes, so the record is judged to be too long or cut off, as it should be.
pub(in crate::source) fn parse_length(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let text = std::str::from_utf8(digits).ok()?;
    Some(text.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(bytes: &[u8]) -> (Head, Vec<(String, String)>) {
        let mut framing = WarcFraming::default();
        let head = framing.head(bytes);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let headers = framing.headers.iter();
        let headers = headers.map(|(name, value)| (name.to_owned(), text(value)));
        (head, headers.collect())
    }

    #[test]
    fn heads_are_read_in_all_their_forms() {
        for text in [
            "WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 12\r\n\r\n",
            "WARC/0.18\nWARC-Type: response\nContent-Length: 12\n\n",
            "WARC/1.1 \nwarc-type:response\ncontent-LENGTH :  12 \n \n",
            "WARC/0.17\r\nWARC-Type: response\r\n\r\nContent-Length: 12\r\n\r\n",
            "WARC/1.7\nWARC-Type: resp\nonse\nContent-Length: 12\n\n",
            "WARC/1.0\nWARC-Type:\n response\nContent-Length:\n\t12\n\n",
        ] {
            let (read, headers) = head(text.as_bytes());
            assert_eq!(read, Head::Read(text.len(), 12), "{text}");
            let names: Vec<_> = headers.iter().map(|(name, _)| name.as_str()).collect();
            assert_eq!(names, ["warc-type", "content-length"], "{text}");
            let value = headers[0].1.replace(' ', "");
            assert_eq!((value.as_str(), headers[1].1.as_str()), ("response", "12"));
        }
    }

    #[test]
    fn heads_that_cannot_be_used_say_why() {
        let bad = |text: &str| match head(text.as_bytes()).0 {
            Head::Bad(bytes, detail) => (bytes, detail),
            other => panic!("{text}: {other:?}"),
        };
        let length = "WARC/1.0\r\nContent-Length: -5\r\n\r\n";
        let detail = "Content-Length \"-5\" is no length".to_owned();
        assert_eq!(bad(length), (length.len(), detail));
        assert_eq!(bad("<html>\nWARC/1.0\n").0, 7);
        assert_eq!(bad("WARC/1.0\nA: b\nWARC/1.0\nA: b\n").0, 14);
        let unmeasured = "WARC/1.0\nWARC-Type: warcinfo\n\n";
        assert_eq!(
            head(unmeasured.as_bytes()).0,
            Head::Unmeasured(unmeasured.len())
        );
        assert_eq!(head(b"WARC/1.0\r\nContent-Length: 12\r\n").0, Head::Open);
        let huge = "WARC/1.0\nContent-Length: 99999999999999999999999\n\n";
        assert_eq!(head(huge.as_bytes()).0, Head::Read(huge.len(), u64::MAX));
    }

    #[test]
    fn records_are_found_by_version_and_header_line() {
        let find = |text: &str| WarcFraming::find(text.as_bytes(), true);
        assert_eq!(find("WARC/1.0\r\nA: b"), Some(0));
        assert_eq!(find("x\nWARC/0.18\nWARC-Type: response\n"), Some(2));
        assert_eq!(find("WARC/1.0 is a format\nA: b\n"), None);
        assert_eq!(find("x WARC/1.0\nA: b\nWARC/1.0\n\nWARC/1\nA: b\n"), None);
        assert_eq!(WarcFraming::find(b"WARC/1.0\r\nA: b", false), None);
    }
}
