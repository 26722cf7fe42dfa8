//! Reuters-21578: news of 1987 as SGML, a thousand `<REUTERS>` elements a file.
//!
//! The text is the title and the body. Items without either (`TYPE="UNPROC"`) are what
//! their TEXT element holds. Those of `TYPE="BRIEF"` have a title alone: what stands
//! beside it is `******` and "Blah blah blah.", put there by the makers of the collection.
//! Control characters such as `&#3;` at the end of bodies are decoded and left in.

use super::entries::{Entries, Entry};
use super::format::{
    Around, EntryLayout, EntryStarts, FieldNames, FormatSpec, Guess, Layout, Sign,
    Trailing,
};
use super::tagged::sgml::{Tags, attribute, flat};
use super::tagged::{Cut, Elements, entity};
use super::values::{TextKind, Values};
use encoding_rs::WINDOWS_1252;
use std::io::Read;
use std::ops::Range;

/// Reuters-21578 as a format. A story can be found from any place by its opening tag.
pub(super) const REUTERS: FormatSpec = FormatSpec {
    name: "reuters",
    title: "Reuters-21578",
    endings: &[],
    sign: Sign::Element {
        names: &["reuters"],
        with: &[],
    },
    guess: Guess::Never,
    layout: Layout::Entries(EntryLayout {
        open: |reader, max_bytes| Box::new(ReutersEntries::new(reader, max_bytes)),
        trailing: Trailing::Line,
        around: Around::Both,
        starts: EntryStarts::Line("<REUTERS"),
    }),
    fields: FieldNames::Known {
        texts: &["title", "body", "dateline", "author", "unknown"],
        others: &[
            "date",
            "topics",
            "has-topics",
            "places",
            "people",
            "orgs",
            "exchanges",
            "companies",
            "newid",
            "oldid",
            "lewissplit",
            "cgisplit",
        ],
        more: "",
    },
    record: "a `REUTERS` element",
    id: "`NEWID`",
    text: "title and body",
};

/// Attributes of the element, and the fields they become.
const ATTRIBUTES: [(&str, &str); 6] = [
    ("NEWID", "id"),
    ("NEWID", "newid"),
    ("OLDID", "oldid"),
    ("LEWISSPLIT", "lewissplit"),
    ("CGISPLIT", "cgisplit"),
    ("TOPICS", "has-topics"),
];
/// Elements that hold a list of `<D>`.
const LISTS: [&str; 6] = [
    "topics",
    "places",
    "people",
    "orgs",
    "exchanges",
    "companies",
];
/// Elements that hold a line.
const LINES: [&str; 4] = ["date", "author", "dateline", "unknown"];

/// The stories of a file.
pub(super) struct ReutersEntries {
    /// Cuts the stories out.
    elements: Elements,
    /// The story as text, in memory that is used again.
    text: String,
}

impl ReutersEntries {
    /// Reads stories from an unpacked file.
    pub(super) fn new(reader: Box<dyn Read + Send>, max_record_bytes: u64) -> Self {
        ReutersEntries {
            elements: Elements::new(reader, &["REUTERS"], max_record_bytes),
            text: String::new(),
        }
    }
}

impl Entries for ReutersEntries {
    fn next(&mut self, values: &mut Values) -> Entry {
        match self.elements.next() {
            Cut::Element(element) => {
                // The collection is Latin-1 and does not say so; copies may be UTF-8.
                let is_utf8 = std::str::from_utf8(element.bytes).is_ok();
                let sent = (!is_utf8).then_some(WINDOWS_1252);
                let plain = Some(TextKind::Plain);
                self.text.clear();
                values.decode(element.bytes, sent, plain, &mut self.text);
                put_story(&self.text, values);
                Entry::Record(element.offset)
            }
            Cut::Bad(offset, fault) => Entry::Bad(offset, fault),
            Cut::End => Entry::End,
        }
    }

    fn span(&self) -> Range<u64> {
        self.elements.span()
    }
}

/// Puts the fields of a story. Body text is opaque: `<` in it is a sign and no tag.
fn put_story(story: &str, values: &mut Values) {
    let tags = Tags::new(story, &["body"]);
    let opening = tags.opening("REUTERS").unwrap_or_default();
    for (name, field) in ATTRIBUTES {
        if values.wants(field)
            && let Some(value) = attribute(opening, name)
        {
            values.put(field, &value);
        }
    }
    for field in LISTS {
        if values.wants(field)
            && let Some(list) = tags.content(field)
        {
            let items = Tags::new(list, &[]).contents(&["D"]);
            let items: Vec<String> = items.into_iter().map(flat).collect();
            if !items.is_empty() {
                values.put(field, &items.join(";"));
            }
        }
    }
    for field in LINES {
        if values.wants(field)
            && let Some(line) = tags.content(field)
        {
            values.put_kind(field, &flat(line), Some(TextKind::Plain));
        }
    }
    put_text(&tags, values);
}

/// Puts title, body, and both as the text.
fn put_text(tags: &Tags<'_>, values: &mut Values) {
    let title = tags.content("title").map(flat);
    let body = tags.content("body").map(entity::decoded);
    if let Some(title) = &title {
        values.put_titled("title", Some(title), None, TextKind::Plain);
    }
    if let Some(body) = &body {
        values.put_kind("body", body, Some(TextKind::Plain));
    }
    // The text costs the copying of the body, so it is made only if it is wanted.
    if !values.wants("text") {
        return;
    }
    if title.is_none() && body.is_none() {
        if let Some(text) = tags.content("text").map(entity::decoded) {
            values.put_kind("text", &text, Some(TextKind::Plain));
        }
        return;
    }
    values.put_titled("text", title.as_deref(), body.as_deref(), TextKind::Plain);
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Read as Was, documents, read_all, values};
    use super::*;
    use neardupe_core::document::BadKind;
    use std::io::Cursor;

    const SAMPLE: &[u8] = include_bytes!("../../../../corpus/formats/reuters.sgm");

    fn read(bytes: &[u8], text: &[&str], metadata: &[&str]) -> Vec<Was> {
        let reader = Box::new(Cursor::new(bytes.to_vec()));
        let mut entries = ReutersEntries::new(reader, 1 << 20);
        read_all(&mut entries, &mut values(text, metadata))
    }

    #[test]
    fn title_and_body_are_the_text() {
        let metadata = [
            "oldid",
            "lewissplit",
            "cgisplit",
            "has-topics",
            "date",
            "topics",
            "places",
            "people",
            "author",
            "dateline",
            "title",
            "unknown",
        ];
        let all = read(SAMPLE, &["text", "body"], &metadata);
        let documents = documents(&all);
        assert_eq!(documents.len(), all.len());
        assert_eq!(documents.len(), 5);
        let first = documents[0];
        assert_eq!(first.id.as_deref(), Some("101"));
        let expected = "RIVER FREIGHT RATES RISE <RIVR> & SETTLE\nFreight rates on the \
            lower river rose\nfor a third week, shippers said, because of low water.\n    \
            Rates for grain were 12.5 to 13 dlrs a tonne against 11\na week earlier & are \
            likely to stay there <until> the rains.\n Wire\n\u{3}";
        assert_eq!(first.texts[0].as_deref(), Some(expected));
        assert_eq!(first.kinds, [Some(TextKind::Plain), Some(TextKind::Plain)]);
        let metadata: Vec<_> = first.metadata.iter().map(Option::as_deref).collect();
        assert_eq!(
            metadata,
            [
                Some("7101"),
                Some("TRAIN"),
                Some("TRAINING-SET"),
                Some("YES"),
                Some("3-MAR-1987 10:11:12.13"),
                Some("ship;grain"),
                Some("usa"),
                None,
                Some("By A. Writer, Wire"),
                Some("PORT CITY, March 3 -"),
                Some("RIVER FREIGHT RATES RISE <RIVR> & SETTLE"),
                Some("\u{5}\u{5}\u{5}C \u{16}\u{16}\u{1}f0101\u{1f}wire"),
            ]
        );
    }

    #[test]
    fn briefs_are_their_title_and_unprocessed_items_their_text() {
        let all = read(SAMPLE, &["text", "body"], &[]);
        let documents = documents(&all);
        let brief = documents[2];
        let title = "PORT CITY FREIGHT INDEX UP 4 POINTS IN WEEK";
        assert_eq!(brief.texts, [Some(title.to_owned()), None]);
        let unprocessed = documents[3];
        let expected = "\u{2}\nFREIGHT TABLE - MARCH 3\n grain.....12.5 vs...11\n ore.......9.1 \
            vs....9\n\u{3}\n";
        assert_eq!(unprocessed.texts, [Some(expected.to_owned()), None]);
    }

    #[test]
    fn latin1_is_known_without_being_told() {
        let all = read(SAMPLE, &["body"], &[]);
        let body = documents(&all)[4].texts[0].clone().unwrap();
        assert!(body.starts_with("Zürich shippers said"), "{body}");
    }

    #[test]
    fn broken_stories_are_bad_records() {
        let bytes =
            b"<REUTERS NEWID=\"1\"><BODY>a\n<REUTERS NEWID='2'><BODY>b</BODY></REUTERS>";
        let all = read(bytes, &["text"], &[]);
        let detail = "no </REUTERS> before the next <REUTERS>".to_owned();
        assert_eq!(all[0], Was::Bad(0, (BadKind::Format, detail)));
        let documents = documents(&all);
        assert_eq!(documents[0].offset, 27);
        assert_eq!(documents[0].texts, [Some("b".to_owned())]);
    }
}
