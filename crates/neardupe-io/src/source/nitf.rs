//! NITF, the News Industry Text Format (IPTC, versions 3.x), as the New York Times
//! Annotated Corpus and press agencies use it.
//!
//! The text is the headline and the article. Where the article comes both in full and as
//! its first paragraph, as in the New York Times, only the full text counts.

use super::entries::{Entries, Entry};
use super::format::{
    self, Around, EntryLayout, EntryStarts, FieldNames, FormatSpec, Guess, Sign, Trailing,
};
use super::tagged::xml::{Element, Layout, XmlElements};
use super::values::{TextKind, Values};
use std::io::Read;
use std::ops::Range;

/// NITF as a format. Its root and declarations are needed by both files that a split makes.
pub(super) const NITF: FormatSpec = FormatSpec {
    name: "nitf",
    title: "NITF",
    endings: &["nitf"],
    sign: Sign::Element {
        names: &["nitf"],
        with: &[],
    },
    guess: Guess::Never,
    layout: format::Layout::Entries(EntryLayout {
        open: |reader, max_bytes| Box::new(NitfEntries::new(reader, max_bytes)),
        trailing: Trailing::Line,
        around: Around::Both,
        starts: EntryStarts::Unknown,
    }),
    fields: FieldNames::Known {
        texts: &["headline", "byline", "abstract", "dateline", "body"],
        others: &[
            "date",
            "url",
            "section",
            "persons",
            "locations",
            "orgs",
            "classifiers",
            "classifier.TYPE",
            "meta.NAME",
        ],
        more: "",
    },
    record: "a `nitf` element",
    id: "`doc-id`",
    text: "headline and body",
};

/// Elements that stand in a line of text ("enriched text" in the DTD).
const INLINE: [&str; 27] = [
    "a",
    "alt-code",
    "b",
    "chron",
    "classifier",
    "copyrite",
    "em",
    "event",
    "frac",
    "frac-den",
    "frac-num",
    "frac-sep",
    "function",
    "i",
    "lang",
    "location",
    "money",
    "num",
    "object.title",
    "org",
    "person",
    "pronounce",
    "q",
    "strong",
    "sub",
    "sup",
    "virtloc",
];
/// Elements about pictures and films that hold no prose.
const LEFT: [&str; 3] = ["media-metadata", "media-object", "media-reference"];

/// The articles of a file.
pub(super) struct NitfEntries(XmlElements);

impl NitfEntries {
    /// Reads `nitf` elements; a file may hold one or many.
    pub(super) fn new(reader: Box<dyn Read + Send>, max_record_bytes: u64) -> Self {
        NitfEntries(XmlElements::new(reader, &["nitf"], max_record_bytes))
    }
}

impl Entries for NitfEntries {
    fn next(&mut self, values: &mut Values) -> Entry {
        self.0.next(values, put_article)
    }

    fn span(&self) -> Range<u64> {
        self.0.span()
    }
}

/// Puts the fields of an article. Always a record: an article without a body is a document
/// without text.
fn put_article(nitf: Element<'_>, values: &mut Values) -> bool {
    if let Some(head) = nitf.child("head") {
        put_ids(nitf, head, values);
        put_meta(head, values);
        put_identified_content(head, values);
    }
    let Some(body) = nitf.child("body") else {
        return true;
    };
    let body_head = body.child("body.head");
    let headline = body_head.and_then(headline);
    if let Some(headline) = &headline {
        values.put_titled("headline", Some(headline), None, TextKind::Plain);
    }
    for field in ["byline", "dateline", "abstract"] {
        let first = || body_head?.all(field).next();
        if values.wants(field)
            && let Some(text) = first().map(prose).filter(|text| !text.is_empty())
        {
            values.put_kind(field, &text, Some(TextKind::Plain));
        }
    }
    if values.wants("body") || values.wants("text") {
        let content = body.child("body.content").map(content);
        let content = content.filter(|text| !text.is_empty());
        if let Some(content) = &content {
            values.put_kind("body", content, Some(TextKind::Plain));
        }
        let (headline, content) = (headline.as_deref(), content.as_deref());
        values.put_titled("text", headline, content, TextKind::Plain);
    }
    true
}

/// Puts id, date and URL. Agencies store them in different places, so the most specific one
/// comes first.
fn put_ids(nitf: Element<'_>, head: Element<'_>, values: &mut Values) {
    let docdata = head.child("docdata");
    let id = docdata
        .and_then(|docdata| docdata.child("doc-id")?.attribute("id-string"))
        .or_else(|| docdata?.attribute("management-doc-idref"))
        .or_else(|| nitf.attribute("uno"))
        .or_else(|| nitf.attribute("id"));
    if let Some(id) = id {
        values.put("id", &id);
    }
    let from_pubdata = |name: &str| head.all("pubdata").find_map(|it| it.attribute(name));
    let issued = || docdata?.child("date.issue")?.attribute("norm");
    if let Some(date) = from_pubdata("date.publication").or_else(issued) {
        values.put("date", &date);
    }
    if let Some(url) = from_pubdata("ex-ref") {
        values.put("url", &url);
    }
}

/// Each `<meta>` under its own name.
fn put_meta(head: Element<'_>, values: &mut Values) {
    for meta in head.all("meta") {
        let Some(name) = meta.attribute("name") else {
            continue;
        };
        let field = format!("meta.{name}");
        let is_section = name == "online_sections" && values.wants("section");
        // Attribute values are decoded only for names that are wanted.
        if (is_section || values.wants(&field))
            && let Some(content) = meta.attribute("content")
        {
            values.put(&field, &content);
            if is_section {
                values.put("section", &content);
            }
        }
    }
}

/// What editors said the article is about.
fn put_identified_content(head: Element<'_>, values: &mut Values) {
    let mut lists: Vec<(String, Vec<String>)> = Vec::new();
    let mut add = |field: &str, text: &str| {
        if !values.wants(field) {
            return;
        }
        let at = lists.iter().position(|(name, _)| name == field);
        let at = at.unwrap_or_else(|| {
            lists.push((field.to_owned(), Vec::new()));
            lists.len() - 1
        });
        lists[at].1.push(text.to_owned());
    };
    let identified = head.all("identified-content");
    for element in identified.flat_map(Element::children) {
        let text = element.text().or_else(|| element.attribute("value"));
        let Some(text) = text else {
            continue;
        };
        match element.name() {
            "classifier" => {
                add("classifiers", &text);
                if let Some(kind) = element.attribute("type") {
                    let kind = kind.to_lowercase().replace(' ', "-");
                    add(&format!("classifier.{kind}"), &text);
                }
            }
            "person" => add("persons", &text),
            "location" => add("locations", &text),
            "org" => add("orgs", &text),
            _ => {}
        }
    }
    for (field, list) in lists {
        values.put(&field, &list.join(";"));
    }
}

/// The main headlines, or all that stands in `<hedline>` where none is marked so.
fn headline(body_head: Element<'_>) -> Option<String> {
    let main: Vec<String> = body_head.all("hl1").filter_map(Element::text).collect();
    if !main.is_empty() {
        return Some(main.join("\n"));
    }
    let hedline = prose(body_head.child("hedline")?);
    Some(hedline).filter(|text| !text.is_empty())
}

/// The article: its full text where that is marked, else everything.
fn content(content: Element<'_>) -> String {
    let blocks = content.all("block");
    let is_full =
        |block: &Element<'_>| block.attribute("class").as_deref() == Some("full_text");
    let full: Vec<String> = blocks.filter(is_full).map(prose).collect();
    if full.is_empty() {
        prose(content)
    } else {
        full.join("\n")
    }
}

/// Text in lines: one for each paragraph, heading, cell of a table and item of a list.
fn prose(element: Element<'_>) -> String {
    element.lines(|name| {
        if INLINE.contains(&name) {
            Layout::Inline
        } else if LEFT.contains(&name) {
            Layout::Left
        } else {
            Layout::Block
        }
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Document, Read as Was, documents, read_all, values};
    use super::*;
    use neardupe_core::document::BadKind;
    use std::io::Cursor;

    const SAMPLE: &[u8] = include_bytes!("../../../../corpus/formats/nitf.xml");

    fn read(bytes: &[u8], text: &[&str], metadata: &[&str]) -> Vec<Was> {
        let reader = Box::new(Cursor::new(bytes.to_vec()));
        let mut entries = NitfEntries::new(reader, 1 << 20);
        read_all(&mut entries, &mut values(text, metadata))
    }

    fn metadata(document: &Document) -> Vec<&str> {
        let metadata = document.metadata.iter();
        metadata
            .map(|value| value.as_deref().unwrap_or("-"))
            .collect()
    }

    #[test]
    fn full_text_counts_and_the_first_paragraph_is_not_repeated() {
        let all = read(SAMPLE, &["text"], &[]);
        let documents = documents(&all);
        assert_eq!((documents.len(), all.len()), (3, 3));
        let first = documents[0];
        assert_eq!(first.id.as_deref(), Some("1680001"));
        assert_eq!(first.kinds, [Some(TextKind::Plain)]);
        let expected = "Harbour Board Votes for Crane\nThe harbour board voted last night to \
            buy a second crane for the north quay, ending a dispute that had lasted two \
            winters.\nWork on the foundations begins in May, and the first ships are \
            expected to use the berth in autumn—if the weather holds.\nThe vote was seven \
            to two.";
        assert_eq!(first.texts[0].as_deref(), Some(expected));
    }

    #[test]
    fn every_field_is_found() {
        let keys = [
            "date",
            "url",
            "headline",
            "byline",
            "dateline",
            "abstract",
            "section",
            "meta.slug",
            "classifiers",
            "classifier.descriptor",
            "classifier.types-of-material",
            "persons",
            "locations",
            "orgs",
        ];
        let all = read(SAMPLE, &["text"], &keys);
        let expected = [
            "20050610T000000",
            "http://news.example.com/1680001.html",
            "Harbour Board Votes for Crane",
            "By JANE DOE",
            "NORTH QUAY, June 10",
            "Harbour board buys a crane",
            "New York and Region; Ports",
            "1680001-slug",
            "Cranes;Ports & Harbours;News",
            "Cranes;Ports & Harbours",
            "News",
            "Doe, Jane;Roe, Richard",
            "North Quay",
            "Harbour Board",
        ];
        assert_eq!(metadata(documents(&all)[0]), expected);
    }

    #[test]
    fn plain_nitf_is_all_of_its_content() {
        let keys = ["date", "classifier.subject-code", "byline"];
        let all = read(SAMPLE, &["text"], &keys);
        let third = documents(&all)[2];
        assert_eq!(third.id.as_deref(), Some("agency.example:20060102:17"));
        assert_eq!(metadata(third), ["20060102T081500Z", "weather", "-"]);
        let expected = "Snow closes mountain roads\nSnow closed four roads on Monday.\n\
            Supplies\nVillages are supplied by helicopter.\nUpper Valley\nHigh Pass\nA road \
            under snow";
        assert_eq!(third.texts[0].as_deref(), Some(expected));
    }

    #[test]
    fn broken_articles_are_bad_records_and_the_next_is_read() {
        let good = "<nitf><body><body.content><p>fine</p></body.content></body></nitf>";
        let broken = "<nitf><body><p></body></nitf>";
        let cdata = "<nitf><body><p><![CDATA[ </nitf> ]]></p></body></nitf>";
        let text = format!("{broken}{good}{cdata}{good}");
        let all = read(text.as_bytes(), &["text"], &[]);
        let bad = |number: usize| match &all[number] {
            Was::Bad(offset, (BadKind::Format, detail)) => (*offset, detail.as_str()),
            other => panic!("{other:?}"),
        };
        let (offset, detail) = bad(0);
        assert_eq!(offset, 0);
        assert!(detail.ends_with(", at byte 15 of the element"), "{detail}");
        let (offset, detail) = bad(2);
        assert_eq!(offset, (broken.len() + good.len()) as u64);
        assert!(detail.contains("CDATA"), "{detail}");
        assert_eq!(documents(&all).len(), 2);
        assert_eq!(all.len(), 4);
    }

    #[test]
    fn entities_of_the_file_itself_are_never_expanded() {
        let text = "<?xml version='1.0'?><!DOCTYPE nitf [<!ENTITY a 'ha'>\
            <!ENTITY b '&a;&a;&a;&a;'><!ENTITY c '&b;&b;&b;&b;&c;'>]>\
            <nitf><body><body.content><p>&c; &amp; &eacute;</p></body.content></body></nitf>";
        let all = read(text.as_bytes(), &["text"], &[]);
        let document = documents(&all)[0];
        assert_eq!(document.texts[0].as_deref(), Some("&c; & é"));
    }

    #[test]
    fn the_declared_character_set_holds_for_the_file() {
        let mut bytes = b"<?xml version='1.0' encoding='windows-1251'?>".to_vec();
        for _ in 0..2 {
            bytes.extend_from_slice(b"<nitf><body><body.content>\xe6\0");
            bytes.extend_from_slice(b"</body.content></body></nitf>");
        }
        let all = read(&bytes, &["text"], &[]);
        for document in documents(&all) {
            assert_eq!(document.texts[0].as_deref(), Some("ж\0"));
        }
        assert_eq!(all.len(), 2);
    }
}
