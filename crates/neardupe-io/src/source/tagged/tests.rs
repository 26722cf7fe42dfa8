//! The cutter against a slow twin that has the whole text before it.

use super::*;
use proptest::prelude::*;
use std::io;

const NAMES: &[&str] = &["DOC", "Page"];

/// What was cut out, on its own.
#[derive(Debug, PartialEq, Eq)]
enum Owned {
    Element(u64, &'static str, Vec<u8>),
    Bad(u64, Fault),
}

/// Gives its bytes, and then an error if there is one.
struct Torn {
    bytes: Vec<u8>,
    at: usize,
    error: bool,
}

impl Read for Torn {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let rest = &self.bytes[self.at..];
        let len = rest.len().min(out.len());
        if len == 0 && self.error && !out.is_empty() {
            return Err(io::Error::other("torn"));
        }
        out[..len].copy_from_slice(&rest[..len]);
        self.at += len;
        Ok(len)
    }
}

fn cut(bytes: &[u8], chunk_bytes: u64, error: bool, max_bytes: u64) -> Vec<Owned> {
    let torn = Torn {
        bytes: bytes.to_vec(),
        at: 0,
        error,
    };
    let mut elements = Elements::new(Box::new(torn), NAMES, max_bytes);
    elements.chunk_bytes = chunk_bytes;
    let mut all = Vec::new();
    loop {
        all.push(match elements.next() {
            Cut::Element(element) => {
                let Element {
                    offset,
                    name,
                    bytes,
                } = element;
                Owned::Element(offset, name, bytes.to_vec())
            }
            Cut::Bad(offset, fault) => Owned::Bad(offset, fault),
            Cut::End => break,
        });
    }
    assert_eq!(elements.next(), Cut::End);
    all
}

/// Byte by byte, each place tried anew.
fn slow(bytes: &[u8], error: bool, max_bytes: u64) -> Vec<Owned> {
    let is_tag = |at: usize, start: &str, name: &str| {
        let rest = &bytes[at..];
        let len = start.len() + name.len();
        let tag = format!("{start}{name}");
        rest.len() > len
            && rest[..len].eq_ignore_ascii_case(tag.as_bytes())
            && b" \t\n\x0c\r>".contains(&rest[len])
    };
    let mut all = Vec::new();
    let mut at = 0;
    let mut torn = false;
    let mut given_up_to = 0;
    while at < bytes.len() {
        let Some(&name) = NAMES.iter().find(|name| is_tag(at, "<", name)) else {
            at += 1;
            continue;
        };
        let start = at;
        at += 1;
        let mut closed = false;
        while at < bytes.len() && !is_tag(at, "<", name) {
            if is_tag(at, "</", name) {
                let end = (at..bytes.len()).find(|&at| bytes[at] == b'>');
                closed = end.is_some();
                at = end.map_or(bytes.len(), |end| end + 1);
                break;
            }
            at += 1;
        }
        given_up_to = at as u64;
        let fault = if (at - start) as u64 > max_bytes {
            let detail = format!(
                "longer than {max_bytes} bytes; `max-record-bytes` raises the limit"
            );
            (BadKind::TooLong, detail)
        } else if closed {
            let element = bytes[start..at].to_vec();
            all.push(Owned::Element(start as u64, name, element));
            continue;
        } else if at < bytes.len() {
            let detail = format!("no </{name}> before the next <{name}>");
            (BadKind::Format, detail)
        } else if error {
            torn = true;
            lost("torn")
        } else {
            let detail = format!("no </{name}> before the end of the file");
            (BadKind::Format, detail)
        };
        all.push(Owned::Bad(start as u64, fault));
    }
    if error && !torn {
        all.push(Owned::Bad(torn_at(bytes).max(given_up_to), lost("torn")));
    }
    all
}

/// Where the start of a tag at the end of the bytes is given up.
fn torn_at(bytes: &[u8]) -> u64 {
    let tail = |name: &&str| {
        (1..=name.len() + 1).rfind(|&len| {
            let tag = format!("<{name}");
            bytes.len() >= len
                && bytes[bytes.len() - len..].eq_ignore_ascii_case(&tag.as_bytes()[..len])
        })
    };
    let longest = NAMES.iter().filter_map(tail).max().unwrap_or(0);
    (bytes.len() - longest) as u64
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn the_cutter_agrees_with_its_slow_twin(
        pieces in prop::collection::vec(
            prop::sample::select(vec![
                "<DOC>", "</DOC>", "<doc a='1'>", "</Doc\n >", "<DOCNO>", "</DOCNO>",
                "<Page>", "</page>", "<", ">", "/", "<D", "</DO", "DOC", " ", "text",
                "<DOC", "</DOC", "\0", "<doc/>", "\u{e9}",
            ]),
            0..24,
        ),
        chunk_bytes in 2u64..9,
        error: bool,
        max_bytes in prop::sample::select(vec![8u64, 16, 40, 1 << 20]),
    ) {
        let text = pieces.concat();
        prop_assume!(!is_utf16(text.as_bytes()));
        let expected = slow(text.as_bytes(), error, max_bytes);
        prop_assert_eq!(cut(text.as_bytes(), chunk_bytes, error, max_bytes), expected);
    }
}

#[test]
fn elements_across_chunks_are_whole() {
    let chunk = usize::try_from(CHUNK_BYTES).unwrap();
    // Each of these puts another byte of the tags on the edge of a chunk.
    for shift in 0..24 {
        let filler = "x".repeat(chunk - 12 + shift - 5);
        let text = format!("<DOC>{filler}</DOC >\n<doc>\n</doc>");
        let expected = slow(text.as_bytes(), false, 1 << 20);
        assert_eq!(cut(text.as_bytes(), CHUNK_BYTES, false, 1 << 20), expected);
        assert_eq!(expected.len(), 2);
        let expected = slow(text.as_bytes(), false, 1 << 10);
        assert_eq!(cut(text.as_bytes(), CHUNK_BYTES, false, 1 << 10), expected);
        assert!(matches!(expected[0], Owned::Bad(0, (BadKind::TooLong, _))));
    }
}

#[test]
fn a_long_element_is_passed_over_in_little_memory() {
    let mut text = b"<DOC>".to_vec();
    text.resize(32 << 20, b'<');
    text.extend_from_slice(b"</DOC><DOC>small</DOC>");
    let mut elements = Elements::new(Box::new(io::Cursor::new(text)), NAMES, 1000);
    assert!(matches!(
        elements.next(),
        Cut::Bad(0, (BadKind::TooLong, _))
    ));
    let Cut::Element(element) = elements.next() else {
        panic!("no element after the long one");
    };
    assert_eq!(element.bytes, b"<DOC>small</DOC>");
    assert!(elements.buffer.capacity() < 4 << 20);
}

#[test]
fn a_million_opening_tags_take_linear_time() {
    for tag in ["<DOC>", "<DOC", "<DOC>\n</DOC ", "</"] {
        let text = tag.repeat(1_000_000);
        let started = std::time::Instant::now();
        cut(text.as_bytes(), 1 << 16, false, 1 << 30);
        // Quadratic time would be hours.
        assert!(started.elapsed().as_secs() < 20, "{tag}");
    }
}

#[test]
fn utf16_is_refused_in_words() {
    let text = "\u{feff}<DOC>a</DOC>";
    let marked: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let refused = (BadKind::Format, "UTF-16; convert it to UTF-8".to_owned());
    let expected = vec![Owned::Bad(0, refused)];
    assert_eq!(cut(&marked, 100, false, 100), expected);
    assert_eq!(cut(&marked[2..], 100, false, 100), expected);
}
