//! Elements cut out of a stream by their tags: `<DOC ...>` up to the next `</DOC>`.
//!
//! Nothing but these tags is looked at, so a file of any size needs the memory of one
//! element, and what is broken inside an element harms no other. The price: a tag of that
//! name within a comment or CDATA counts too. An XML element that is cut short there no
//! longer parses, so it becomes a bad record and not a wrong document.
//!
//! The bytes of a tag mean the same in every character set the formats come in (UTF-8,
//! Latin, GBK, Big5, Shift_JIS) but UTF-16, which is refused.

pub(super) mod entity;
pub(super) mod sgml;
pub(super) mod xml;

#[cfg(test)]
mod tests;

use super::values::Fault;
use memchr::{memchr, memchr_iter};
use neardupe_core::document::BadKind;
use std::io::Read;
use std::ops::Range;

/// Bytes read at a time.
const CHUNK_BYTES: u64 = 1 << 18;
/// Bytes of the start of a file that are kept: its declaration is there.
const HEAD_BYTES: usize = 1024;

/// Cuts a stream into the outermost elements of some names.
pub(super) struct Elements {
    /// The unpacked file; an empty one after a fault.
    reader: Box<dyn Read + Send>,
    /// Names that are cut out, in lower or upper case.
    names: &'static [&'static str],
    /// Limit of an element with its tags, in bytes.
    max_bytes: u64,
    /// Bytes read at a time. Tests make it small to cut tags anywhere.
    chunk_bytes: u64,
    /// What was read and not given up.
    buffer: Vec<u8>,
    /// Where in the buffer the part begins that was not given out.
    start: usize,
    /// Offset in the stream of the buffer's first byte.
    base: u64,
    /// Offset of the element cut last.
    last: u64,
    /// The first bytes of the file, kept because the buffer moves on.
    head: Vec<u8>,
    /// The first bytes were read.
    begun: bool,
    /// What the reader failed with; nothing is read after that.
    broken: Option<String>,
}

/// What was cut out.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Cut<'a> {
    /// A whole element.
    Element(Element<'a>),
    /// An element that cannot be given, and where it begins.
    Bad(u64, Fault),
    /// Nothing is left.
    End,
}

/// An element with both its tags.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Element<'a> {
    /// Where its opening tag begins in the unpacked file.
    pub(super) offset: u64,
    /// Which of the names it has, as they were given.
    pub(super) name: &'static str,
    /// From `<` of the opening tag to `>` of the closing one.
    pub(super) bytes: &'a [u8],
}

impl Elements {
    /// Elements of these names, in upper or lower case. Inside an element only tags of its
    /// own name count.
    pub(super) fn new(
        reader: Box<dyn Read + Send>,
        names: &'static [&'static str],
        max_bytes: u64,
    ) -> Self {
        Elements {
            reader,
            names,
            max_bytes,
            chunk_bytes: CHUNK_BYTES,
            buffer: Vec::new(),
            start: 0,
            base: 0,
            last: 0,
            head: Vec::new(),
            begun: false,
            broken: None,
        }
    }

    /// The first bytes of the file.
    pub(super) fn head(&mut self) -> &[u8] {
        if !self.begun {
            self.begun = true;
            self.fill();
            self.head = self.buffer[..self.buffer.len().min(HEAD_BYTES)].to_vec();
        }
        &self.head
    }

    /// Where the element cut last begins and ends.
    pub(super) fn span(&self) -> Range<u64> {
        self.last..self.offset()
    }

    /// The next element. What stands between elements is passed over: the root of XML,
    /// comments, blank lines.
    pub(super) fn next(&mut self) -> Cut<'_> {
        // Tags are searched as bytes, which finds nothing in UTF-16: without this the file would be one without
        // documents, and nobody would notice.
        if self.base == 0 && self.start == 0 && is_utf16(self.head()) {
            self.start = self.buffer.len();
            self.reader = Box::new(std::io::empty());
            return bad(0, BadKind::Format, "UTF-16; convert it to UTF-8");
        }
        let Some(name) = self.find_opening() else {
            let offset = self.offset();
            self.last = offset;
            return match self.broken.take() {
                Some(error) => Cut::Bad(offset, lost(&error)),
                None => Cut::End,
            };
        };
        self.cut(name)
    }

    /// Goes to the next opening tag.
    fn find_opening(&mut self) -> Option<&'static str> {
        loop {
            match find(&self.buffer[self.start..], 0, self.names, false) {
                FoundTag::Tag { at, name, .. } => {
                    self.start += at;
                    return Some(name);
                }
                FoundTag::Nothing { resume } => self.start += resume,
            }
            if !self.fill() {
                return None;
            }
        }
    }

    /// Cuts out the element that begins here.
    fn cut(&mut self, name: &'static str) -> Cut<'_> {
        let offset = self.offset();
        self.last = offset;
        let mut search = TagSearch {
            names: &[name],
            scanned: name.len() + 1,
            closing: false,
        };
        // Bytes of an element that is too long: they are let go of.
        let mut dropped = 0u64;
        let edge = loop {
            let edge = search.step(&self.buffer[self.start..]);
            if edge.is_some() {
                break edge;
            }
            let len = self.buffer.len() - self.start;
            // An element beyond the limit is not held; only what may be the start of its end tag is. Its end is still
            // searched, so that the elements after it are read.
            if dropped > 0 || len as u64 > self.max_bytes {
                dropped += search.scanned as u64;
                self.start += search.scanned;
                search.scanned = 0;
            }
            if !self.fill() {
                break None;
            }
        };
        // An opening tag ends the element before it; without any edge the file ends within it.
        let end = match edge {
            Some(Edge::Closed(end) | Edge::Opened(end)) => end,
            None => self.buffer.len() - self.start,
        };
        let from = self.start;
        self.start += end;
        if dropped + end as u64 > self.max_bytes {
            let detail = format!(
                "longer than {} bytes; `max-record-bytes` raises the limit",
                self.max_bytes
            );
            return bad(offset, BadKind::TooLong, detail);
        }
        match edge {
            Some(Edge::Closed(_)) => Cut::Element(Element {
                offset,
                name,
                bytes: &self.buffer[from..self.start],
            }),
            // One bad record, and the next element is read as usual: a missing end tag loses one document.
            Some(Edge::Opened(_)) => {
                let detail = format!("no </{name}> before the next <{name}>");
                bad(offset, BadKind::Format, detail)
            }
            None => match self.broken.take() {
                Some(error) => Cut::Bad(offset, lost(&error)),
                None => {
                    let detail = format!("no </{name}> before the end of the file");
                    bad(offset, BadKind::Format, detail)
                }
            },
        }
    }

    /// Offset in the stream of what comes next.
    fn offset(&self) -> u64 {
        self.base + self.start as u64
    }

    /// Reads on. Whether anything came.
    fn fill(&mut self) -> bool {
        self.buffer.drain(..self.start);
        self.base += self.start as u64;
        self.start = 0;
        if self.broken.is_some() {
            return false;
        }
        let before = self.buffer.len();
        let mut chunk = (&mut self.reader).take(self.chunk_bytes);
        if let Err(error) = chunk.read_to_end(&mut self.buffer) {
            // What came before the fault is good.
            self.broken = Some(error.to_string());
            self.reader = Box::new(std::io::empty());
        }
        self.buffer.len() > before
    }
}

/// A bad record at a place.
fn bad(offset: u64, kind: BadKind, detail: impl Into<String>) -> Cut<'static> {
    Cut::Bad(offset, (kind, detail.into()))
}

/// The fault of a stream that broke.
fn lost(error: &str) -> Fault {
    (
        BadKind::Compression,
        format!("{error}; the rest of the file is lost"),
    )
}

/// UTF-16 with its mark, or beginning with a tag.
fn is_utf16(head: &[u8]) -> bool {
    let starts: [&[u8]; 4] = [b"\xff\xfe", b"\xfe\xff", b"<\0", b"\0<"];
    starts.iter().any(|start| head.starts_with(start))
}

/// The search for the end of an element, which goes on when more bytes have come.
struct TagSearch<'a> {
    /// The one name that counts within the element.
    names: &'a [&'static str; 1],
    /// Up to here nothing is left to find.
    scanned: usize,
    /// The closing tag was found, its `>` not yet.
    closing: bool,
}

/// What ends an element.
enum Edge {
    /// Its closing tag, which ends here.
    Closed(usize),
    /// The next opening tag of that name, which begins here.
    Opened(usize),
}

impl TagSearch<'_> {
    /// Looks at the bytes of the element so far. None asks for more bytes; what was searched is
    /// not searched again, so a long element costs time by its length only.
    fn step(&mut self, bytes: &[u8]) -> Option<Edge> {
        if !self.closing {
            match find(bytes, self.scanned, self.names, true) {
                FoundTag::Tag {
                    at, closes: false, ..
                } => return Some(Edge::Opened(at)),
                FoundTag::Tag { at, .. } => {
                    self.closing = true;
                    self.scanned = at;
                }
                FoundTag::Nothing { resume } => {
                    self.scanned = resume;
                    return None;
                }
            }
        }
        // Attributes are not expected in a closing tag, but white space before `>` is.
        let Some(at) = memchr(b'>', &bytes[self.scanned..]) else {
            self.scanned = bytes.len();
            return None;
        };
        Some(Edge::Closed(self.scanned + at + 1))
    }
}

/// What a search for tags found.
enum FoundTag {
    /// A tag.
    Tag {
        /// Place of its `<`.
        at: usize,
        /// Which name it has.
        name: &'static str,
        /// Whether it is a closing tag.
        closes: bool,
    },
    /// No tag begins before `resume`; there one may, if more bytes come.
    Nothing { resume: usize },
}

/// The first tag of one of the names at `from` or after it.
fn find(bytes: &[u8], from: usize, names: &[&'static str], closing: bool) -> FoundTag {
    // Jumps from `<` to `<`; most of a text is passed over by `memchr`.
    for at in memchr_iter(b'<', &bytes[from..]) {
        let at = from + at;
        let after = &bytes[at + 1..];
        let (closes, after) = match after.strip_prefix(b"/") {
            Some(after) if closing => (true, after),
            Some(_) => continue,
            None => (false, after),
        };
        for &name in names {
            match names_tag(after, name) {
                Some(true) => return FoundTag::Tag { at, name, closes },
                // The name may go on in bytes that have not been read yet.
                None => return FoundTag::Nothing { resume: at },
                Some(false) => {}
            }
        }
    }
    let resume = bytes.len();
    FoundTag::Nothing { resume }
}

/// Whether a tag goes on with this name and no longer one; `None` when the bytes end first.
fn names_tag(after: &[u8], name: &str) -> Option<bool> {
    let shared = after.len().min(name.len());
    if !after[..shared].eq_ignore_ascii_case(&name.as_bytes()[..shared]) {
        return Some(false);
    }
    let next = after.get(name.len())?;
    Some(*next == b'>' || next.is_ascii_whitespace())
}
