//! WARC files, and the WET files made of them: every archived page or text is a record.
//!
//! Versions 0.17 to 1.1 are read (ISO 28500:2017 is 1.1). The cutting is our own and not
//! that of the crate `fastwarc`, which is the twin in `tests/twins`: it stops at the first
//! wrong length or, in its lenient mode, passes over what is damaged without a word, and
//! it wants sources that can seek.

pub(super) mod cut;
pub(super) mod frames;
pub(super) mod framing;
mod window;

#[cfg(test)]
mod damage;
#[cfg(test)]
mod samples;

use super::entries::{Entries, Entry};
use super::format::{
    Around, EntryLayout, EntryStarts, FieldNames, FormatSpec, Guess, Layout, Sign,
    Trailing,
};
use super::http::{self, ArchivedContent, Headers, HttpHead, Message, value_text};
use super::plain_text::too_long;
use super::values::Values;
use cut::{Cut, Cutter, Long};
use framing::WarcFraming;
use neardupe_core::document::BadKind;
use std::io::Read;
use std::ops::Range;

/// WARC as a format. Its first bytes are certain (every record begins with a version line), so
/// content is never guessed. The bytes between two records belong to the first one, because a
/// record ends with two line ends that a copy of it needs too.
pub(super) const WARC: FormatSpec = FormatSpec {
    name: "warc",
    title: "WARC",
    endings: &["warc", "wet"],
    sign: Sign::Start(&["WARC/0.", "WARC/1."]),
    guess: Guess::Never,
    layout: Layout::Entries(EntryLayout {
        open: |reader, max_bytes| Box::new(WarcEntries::new(reader, max_bytes)),
        trailing: Trailing::Gap,
        around: Around::Kept,
        starts: EntryStarts::LineOrMember("WARC/"),
    }),
    fields: FieldNames::Known {
        texts: &[],
        others: &["url", "date", "status", "content-type", "ip", "http-NAME"],
        more: "`date` is as written; any other WARC header by its name in lower case",
    },
    record: "versions 0.17 to 1.1 and WET: response, resource and conversion records that hold text",
    id: "`WARC-TREC-ID`, else `WARC-Record-ID` without its angle brackets",
    text: "the payload, unpacked and without tags",
};

/// The entries of a WARC file.
///
/// Fields: `id`, `text`, `url`, `date`, `ip`, `status`, `content-type` (of the content),
/// every other header of the record under its name in lower case, and those of the HTTP
/// head under `http-` and their names.
pub(super) struct WarcEntries {
    /// Cuts the unpacked stream into records and holds the bytes of the current one.
    cutter: Cutter<WarcFraming>,
    /// Buffers for the HTTP head and the unpacked body, used again for every record.
    message: Message,
    /// Limit of a record as stored and of its content after unpacking, in bytes.
    max_bytes: u64,
}

impl WarcEntries {
    /// Reads an unpacked stream from its start. Neither a seekable source nor its total length
    /// is needed.
    pub(super) fn new(reader: Box<dyn Read + Send>, max_record_bytes: u64) -> Self {
        WarcEntries {
            cutter: Cutter::new(reader, max_record_bytes, WarcFraming::default()),
            message: Message::default(),
            max_bytes: max_record_bytes,
        }
    }

    /// The record that was cut last. `offset` is its place in the unpacked stream, which is
    /// what bad records report.
    fn record(&mut self, offset: u64, values: &mut Values) -> Entry {
        let (framing, content) = self.cutter.parts();
        let Some(stored) = stored(&framing.headers, content) else {
            return Entry::Skipped;
        };
        put_headers(&framing.headers, values);
        match self.message.read(stored, self.max_bytes, values) {
            Ok(true) => Entry::Record(offset),
            Ok(false) => Entry::Skipped,
            Err(fault) => Entry::Bad(offset, fault),
        }
    }

    /// A record over the limit. What is no text anyway is not missed.
    fn long(&mut self, long: Long) -> Entry {
        let (framing, start) = self.cutter.parts();
        let is_text = stored(&framing.headers, start)
            .is_some_and(|stored| !self.message.is_other(stored));
        match self.cutter.skip_long(long) {
            Err(fault) => Entry::Bad(long.offset, fault),
            Ok(()) if is_text => {
                Entry::Bad(long.offset, (BadKind::TooLong, too_long(self.max_bytes)))
            }
            Ok(()) => Entry::Skipped,
        }
    }
}

impl Entries for WarcEntries {
    fn next(&mut self, values: &mut Values) -> Entry {
        match self.cutter.next() {
            Cut::Record(offset) => self.record(offset, values),
            Cut::Long(long) => self.long(long),
            Cut::Unmeasured(offset) => {
                match record_type(&self.cutter.parts().0.headers) {
                    // The first record of the files of ClueWeb22 is like this.
                    RecordType::Warcinfo => Entry::Skipped,
                    _ => {
                        let detail = "a head without Content-Length".to_owned();
                        Entry::Bad(offset, (BadKind::Format, detail))
                    }
                }
            }
            Cut::Bad(offset, fault) => Entry::Bad(offset, fault),
            Cut::End => Entry::End,
        }
    }

    fn span(&self) -> Range<u64> {
        self.cutter.span()
    }
}

/// What a record holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RecordType {
    /// What a server sent, mostly with its HTTP head.
    Response,
    /// A content without a head, or the text of one, as in WET files.
    Content,
    /// A description of the file itself: never a document, and the only kind that may lack a
    /// length.
    Warcinfo,
    /// Requests, metadata, repeated visits, later parts: no text of their own.
    Other,
}

/// The kind by `WARC-Type`, in any case. A record without this header, or of an unknown type,
/// holds no text.
fn record_type(headers: &Headers) -> RecordType {
    let name = headers.get("warc-type").unwrap_or_default();
    let is = |other: &str| name.eq_ignore_ascii_case(other.as_bytes());
    match () {
        () if is("response") => RecordType::Response,
        () if is("resource") || is("conversion") => RecordType::Content,
        () if is("warcinfo") => RecordType::Warcinfo,
        () => RecordType::Other,
    }
}

/// The content of a record that may hold text.
fn stored<'a>(headers: &'a Headers, bytes: &'a [u8]) -> Option<ArchivedContent<'a>> {
    let content_type = headers.get("content-type");
    // WET files and resources are the content itself; a response begins with an HTTP head
    // unless the crawler lost it, which only its bytes can show.
    let head = match record_type(headers) {
        RecordType::Warcinfo | RecordType::Other => return None,
        _ if content_type.is_some_and(http::is_http) => HttpHead::Expected,
        RecordType::Response => HttpHead::IfSeen,
        RecordType::Content => HttpHead::Never,
    };
    Some(ArchivedContent {
        bytes,
        content_type,
        head,
    })
}

/// Puts the headers of the record under their own names, then those that also have a short name
/// here.
fn put_headers(headers: &Headers, values: &mut Values) {
    for (name, value) in headers.iter() {
        // The content type is that of the content, which is found later.
        if name != "content-type" && values.wants(name) {
            values.put(name, &value_text(value));
        }
    }
    let mut put = |field: &str, value: Option<&[u8]>| {
        if let Some(value) = value {
            values.put(field, &value_text(value));
        }
    };
    // An id stays as it was written, with `urn:uuid:` and all, so that it is found again in
    // the file and in other tools; only the brackets, which are no part of a URI, are removed.
    let id = headers.get("warc-record-id").map(without_brackets);
    // ClueWeb ids come first: qrels of TREC name documents by them and not by the UUID.
    put("id", headers.get("warc-trec-id").or(id));
    let url = headers.get("warc-target-uri").map(without_brackets);
    put("url", url);
    put("date", headers.get("warc-date"));
    put("ip", headers.get("warc-ip-address"));
}

/// WARC 1.0 writes URIs as `<uri>`, later versions without.
fn without_brackets(uri: &[u8]) -> &[u8] {
    let inner = uri
        .strip_prefix(b"<")
        .and_then(|uri| uri.strip_suffix(b">"));
    inner.unwrap_or(uri)
}
