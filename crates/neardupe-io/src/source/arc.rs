//! ARC files, which came before WARC: the Internet Archive's version 1, as Common Crawl
//! used it until 2012, and version 2 with more columns.
//!
//! A record is a line `url ip-address date content-type length`, the content, mostly with
//! its HTTP head, and a line end. The first record describes the file. There are no ids.

use super::entries::{Entries, Entry};
use super::format::{
    Around, EntryLayout, EntryStarts, FieldNames, FormatSpec, Guess, Layout, Sign,
    Trailing,
};
use super::http::{ArchivedContent, HttpHead, Message, value_text};
use super::plain_text::too_long;
use super::values::Values;
use super::warc::cut::{Cut, Cutter, Framing, Head, Long};
use super::warc::framing::parse_length;
use neardupe_core::document::BadKind;
use std::io::Read;
use std::ops::Range;

/// ARC as a format. It has no ids, and a record can be found only from the one before it.
pub(super) const ARC: FormatSpec = FormatSpec {
    name: "arc",
    title: "ARC",
    endings: &["arc"],
    sign: Sign::Start(&["filedesc://"]),
    guess: Guess::Never,
    layout: Layout::Entries(EntryLayout {
        open: |reader, max_bytes| Box::new(ArcEntries::new(reader, max_bytes)),
        trailing: Trailing::Gap,
        around: Around::Kept,
        starts: EntryStarts::Unknown,
    }),
    fields: FieldNames::Known {
        texts: &[],
        others: &["url", "date", "status", "content-type", "ip", "http-NAME"],
        more: "`date` is as written",
    },
    record: "a record that holds text",
    id: "none: `path:number`",
    text: "as WARC",
};

/// The entries of an ARC file. Fields: `text`, `url`, `date`, `ip`, `status`,
/// `content-type`, and the headers of the HTTP head under `http-` and their names.
pub(super) struct ArcEntries {
    /// Cuts records by the lengths in their lines.
    cutter: Cutter<ArcFraming>,
    /// Takes off the HTTP head and unpacks the body.
    message: Message,
    /// Limit of a record and of its unpacked content, in bytes.
    max_bytes: u64,
}

impl ArcEntries {
    /// Reads an unpacked stream from its start.
    pub(super) fn new(reader: Box<dyn Read + Send>, max_record_bytes: u64) -> Self {
        ArcEntries {
            cutter: Cutter::new(reader, max_record_bytes, ArcFraming::default()),
            message: Message::default(),
            max_bytes: max_record_bytes,
        }
    }

    /// The record that was cut last; `offset` is its place in the unpacked stream.
    fn record(&mut self, offset: u64, values: &mut Values) -> Entry {
        let (line, content) = self.cutter.parts();
        if line.is_description() {
            return Entry::Skipped;
        }
        values.put("url", &value_text(line.field(&line.url)));
        values.put("ip", &value_text(line.field(&line.ip)));
        values.put("date", &value_text(line.field(&line.date)));
        match self
            .message
            .read(line.stored(content), self.max_bytes, values)
        {
            Ok(true) => Entry::Record(offset),
            Ok(false) => Entry::Skipped,
            Err(fault) => Entry::Bad(offset, fault),
        }
    }

    /// A record over the limit. Only one that may hold text is reported; a film is passed over
    /// as it would be at any length.
    fn long(&mut self, long: Long) -> Entry {
        let (line, start) = self.cutter.parts();
        let is_text =
            !line.is_description() && !self.message.is_other(line.stored(start));
        match self.cutter.skip_long(long) {
            Err(fault) => Entry::Bad(long.offset, fault),
            Ok(()) if is_text => {
                Entry::Bad(long.offset, (BadKind::TooLong, too_long(self.max_bytes)))
            }
            Ok(()) => Entry::Skipped,
        }
    }
}

impl Entries for ArcEntries {
    fn next(&mut self, values: &mut Values) -> Entry {
        match self.cutter.next() {
            Cut::Record(offset) => self.record(offset, values),
            Cut::Long(long) => self.long(long),
            Cut::Unmeasured(offset) => {
                // A line without a length: the cutter has found the next record already.
                let line = self.cutter.parts().0;
                if line.is_description() {
                    return Entry::Skipped;
                }
                let shown = value_text(line.field(&line.length));
                let detail = format!("{shown:?} is no length");
                Entry::Bad(offset, (BadKind::Format, detail))
            }
            Cut::Bad(offset, fault) => Entry::Bad(offset, fault),
            Cut::End => Entry::End,
        }
    }

    fn span(&self) -> Range<u64> {
        self.cutter.span()
    }
}

/// The line at the start of a record, and the places of its columns.
#[derive(Debug, Default)]
struct ArcFraming {
    /// The line, without its end.
    line: Vec<u8>,
    /// Place of the URL in `line`; the others likewise.
    url: Range<usize>,
    ip: Range<usize>,
    date: Range<usize>,
    content_type: Range<usize>,
    length: Range<usize>,
}

impl ArcFraming {
    /// The bytes of a column.
    fn field(&self, range: &Range<usize>) -> &[u8] {
        &self.line[range.clone()]
    }

    /// The record that describes the file.
    fn is_description(&self) -> bool {
        self.line.starts_with(b"filedesc:")
    }

    /// The content with what its line says of it. Files of Common Crawl keep HTTP heads; those
    /// of other tools may lack them.
    fn stored<'a>(&'a self, bytes: &'a [u8]) -> ArchivedContent<'a> {
        ArchivedContent {
            bytes,
            content_type: Some(self.field(&self.content_type)),
            head: HttpHead::IfSeen,
        }
    }
}

impl Framing for ArcFraming {
    /// Longer lines are read at their place, but not found after damage.
    const LOOK_BYTES: usize = 1 << 13;

    fn head(&mut self, bytes: &[u8]) -> Head {
        let Some(len) = memchr::memchr(b'\n', bytes) else {
            return Head::Open;
        };
        self.line.clear();
        self.line.extend_from_slice(bytes[..len].trim_ascii_end());
        let Some(columns) = columns(&self.line) else {
            let detail = "no line of URL, address, date, type and length where a record \
                          should begin";
            return Head::Bad(len + 1, detail.to_owned());
        };
        let (url, ip, date, content_type, length) = columns;
        let number = parse_length(&self.line[length.clone()]);
        (self.url, self.ip, self.date) = (url, ip, date);
        (self.content_type, self.length) = (content_type, length);
        match number {
            Some(number) => Head::Read(len + 1, number),
            None => Head::Unmeasured(len + 1),
        }
    }

    fn may_begin(bytes: &[u8], at_line_start: bool) -> bool {
        // Damage to one column does not spoil the record before.
        let line = first_line(bytes);
        let damaged = || line.is_ascii() && line.split(|&byte| byte == b' ').count() == 5;
        at_line_start && has_scheme(line) && (columns(line).is_some() || damaged())
    }

    fn find(bytes: &[u8], at_line_start: bool) -> Option<usize> {
        let begins = |at: &usize| {
            let line = first_line(&bytes[*at..]);
            // The end of the line must be seen, or its length may be cut.
            at + line.len() < bytes.len() && is_whole(line)
        };
        let first = at_line_start.then_some(0);
        let others = memchr::memchr_iter(b'\n', bytes).map(|at| at + 1);
        first.into_iter().chain(others).find(begins)
    }
}

/// The line at the start, as far as it is looked at.
fn first_line(bytes: &[u8]) -> &[u8] {
    let shown = &bytes[..bytes.len().min(ArcFraming::LOOK_BYTES - 1)];
    let len = memchr::memchr(b'\n', shown).unwrap_or(shown.len());
    &shown[..len]
}

/// Whether a line is the start of a record beyond doubt: scheme, address, date and a length
/// that is a number.
fn is_whole(line: &[u8]) -> bool {
    let line = line.trim_ascii_end();
    line.last().is_some_and(u8::is_ascii_digit)
        && has_scheme(line)
        && columns(line).is_some_and(|(.., length)| {
            // Some writers have -1 where they know none: a record all the same.
            let digits = line[length.clone()].strip_prefix(b"-");
            parse_length(digits.unwrap_or(&line[length])).is_some()
        })
}

/// `http:` and the like.
fn has_scheme(line: &[u8]) -> bool {
    let is_scheme = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    let len = line.iter().take_while(is_scheme).count();
    line.first().is_some_and(u8::is_ascii_alphabetic) && line.get(len) == Some(&b':')
}

/// URL, address, date, content type and length.
type Columns = (
    Range<usize>,
    Range<usize>,
    Range<usize>,
    Range<usize>,
    Range<usize>,
);

/// Places of URL, address, date, content type and length.
///
/// URLs were written with their spaces, so the columns are found by the address and date
/// in their midst. Version 2 has four more columns between type and length.
fn columns(line: &[u8]) -> Option<Columns> {
    let mut words = Vec::with_capacity(12);
    let mut start = 0;
    for space in memchr::memchr_iter(b' ', line).chain([line.len()]) {
        words.push(start..space);
        start = space + 1;
    }
    let last = words.len().checked_sub(1)?;
    // From the right: what a URL holds cannot be mistaken for the columns after it.
    let at = (1..last.saturating_sub(2)).rev().find(|&at| {
        is_address(&line[words[at].clone()]) && is_date(&line[words[at + 1].clone()])
    })?;
    let url = 0..words[at].start - 1;
    let type_start = words[at + 2].start;
    let type_end = match last - at {
        // Address, date, type, result, checksum, location, offset, file, length.
        // Version 2 has nine words from the address on. In version 1 everything between date
        // and length is the type, which may have spaces.
        8 => words[at + 2].end,
        _ => words[last].start - 1,
    };
    Some((
        url,
        words[at].clone(),
        words[at + 1].clone(),
        type_start..type_end.max(type_start),
        words[last].clone(),
    ))
}

/// An address of version 4 or 6: digits and points or colons. Whether it is a possible address
/// does not matter here.
fn is_address(word: &[u8]) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_hexdigit() || b".:".contains(byte);
    word.iter().all(is_part) && word.iter().any(|byte| b".:".contains(byte))
}

/// Fourteen digits; some writers have more or fewer.
fn is_date(word: &[u8]) -> bool {
    (8..=18).contains(&word.len()) && word.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::testing::{self, Read as Got};
    use crate::source::values::TextKind;
    use std::io::Cursor;

    const DESCRIPTION: &str = "filedesc://a.arc 0.0.0.0 20100106234911 text/plain 72\n\
        1 0 CommonCrawl\nURL IP-address Archive-date Content-type Archive-length\n\n";

    fn record(url: &str, content: &str, length: usize) -> String {
        format!("{url} 1.2.3.4 20091121004501 text/html {length}\n{content}\n")
    }

    fn good(url: &str, content: &str) -> String {
        record(url, content, content.len())
    }

    fn read(file: &str) -> Vec<Got> {
        let reader = Box::new(Cursor::new(file.as_bytes().to_vec()));
        let fields = ["url", "ip", "date", "content-type", "status"];
        let mut values = testing::values(&["text"], &fields);
        testing::read_all(&mut ArcEntries::new(reader, 10_000), &mut values)
    }

    fn urls(all: &[Got]) -> Vec<&str> {
        let documents = testing::documents(all).into_iter();
        let urls = documents.map(|document| document.metadata[0].as_deref());
        urls.map(Option::unwrap).collect()
    }

    #[test]
    fn columns_become_fields_and_the_description_is_skipped() {
        let page = "HTTP/1.1 404 No\r\nContent-Type: text/plain\r\n\r\nwords";
        let second =
            "http://b/ 1.2.3.4 20091121004501 text/html 200 c4 - 0 a.arc 5\n<p>bb\n";
        let file = [DESCRIPTION, &good("http://a/x y?z 1", page), second].concat();
        let all = read(&file);
        assert_eq!((all.len(), &all[0]), (3, &Got::Skipped));
        let documents = testing::documents(&all);
        let fields = |number: usize| {
            let fields = documents[number].metadata.iter();
            fields
                .map(|field| field.as_deref().unwrap_or("none"))
                .collect::<Vec<_>>()
        };
        let address = ["1.2.3.4", "20091121004501"];
        let expected = [
            "http://a/x y?z 1",
            address[0],
            address[1],
            "text/plain",
            "404",
        ];
        assert_eq!(fields(0), expected);
        assert_eq!(
            fields(1),
            ["http://b/", address[0], address[1], "text/html", "none"]
        );
        assert_eq!(documents[0].id, None);
        assert_eq!(documents[0].offset, DESCRIPTION.len() as u64);
        assert_eq!(documents[0].texts[0].as_deref(), Some("words"));
        assert_eq!(documents[0].kinds, [Some(TextKind::Plain)]);
        assert_eq!(documents[1].texts[0].as_deref(), Some("<p>bb"));
        assert_eq!(documents[1].kinds, [Some(TextKind::Html)]);
    }

    #[test]
    fn wrong_lengths_spoil_one_record_only() {
        let text = "<p>some words\n\nand more\n";
        for length in [0, 5, text.len() - 2, text.len() + 3, 2000, 1_000_000] {
            let file = [
                DESCRIPTION.to_owned(),
                good("http://before/", text),
                record("http://wrong/", text, length),
                good("http://after/", text),
                good("dns:last", text),
            ];
            let all = read(&file.concat());
            let expected = ["http://before/", "http://after/", "dns:last"];
            assert_eq!(urls(&all), expected, "{length}");
            let Got::Bad(offset, (kind, _)) = &all[2] else {
                panic!("{length}: {all:?}");
            };
            let place = file[0].len() + file[1].len();
            assert_eq!((*offset, *kind), (place as u64, BadKind::Format));
        }
    }

    #[test]
    fn damage_and_long_records_leave_the_others() {
        let long = good("http://long/", &"words\n".repeat(20_000));
        let file = [
            good("http://a/", "words"),
            good("http://b/", "words").replace("1.2.3.4", "@"),
            good("http://c/", "words"),
            long,
            good("http://d/", "words"),
        ];
        let all = read(&file.concat());
        assert_eq!(urls(&all), ["http://a/", "http://c/", "http://d/"]);
        let kinds: Vec<BadKind> = all
            .iter()
            .filter_map(|got| match got {
                Got::Bad(_, (kind, _)) => Some(*kind),
                Got::Document(_) | Got::Skipped => None,
            })
            .collect();
        assert_eq!(kinds, [BadKind::Format, BadKind::TooLong]);
        let cut = file[0].len() + 60;
        let all = read(&file.concat()[..cut]);
        assert_eq!((urls(&all), all.len()), (vec!["http://a/"], 2));
    }
}
