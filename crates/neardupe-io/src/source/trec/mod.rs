//! TREC collections: `<DOC>` elements with a `<DOCNO>`, several to a file.
//!
//! Three kinds share these tags: pages of the web with what the server sent before them
//! (WT10g, GOV, GOV2), pages without (SogouT), and articles of newspapers and agencies
//! with tags of their own (disks 1 to 5, AQUAINT, Gigaword, SogouCS).

mod header;
mod news;
mod web;

#[cfg(test)]
mod tests;

use super::entries::{Entries, Entry};
use super::format::{
    Around, EntryLayout, EntryStarts, FieldNames, FormatSpec, Guess, Layout, Sign,
    Trailing,
};
use super::tagged::sgml::{attribute, flat};
use super::tagged::{Cut, Elements};
use super::values::{TextKind, Values};
use header::TrecHeader;
use memchr::{memchr, memrchr};
use std::io::Read;
use std::ops::Range;

/// TREC as a format. `<DOC>` at the start of a line is a place to enter large files at.
pub(super) const TREC: FormatSpec = FormatSpec {
    name: "trec",
    title: "TREC",
    endings: &["trec"],
    sign: Sign::Element {
        names: &["doc"],
        // Any other XML may have elements of this name; those of SogouT have an address.
        with: &["<docno>", "<docid>", "<url>"],
    },
    guess: Guess::Never,
    layout: Layout::Entries(EntryLayout {
        open: |reader, max_bytes| Box::new(TrecEntries::new(reader, max_bytes)),
        trailing: Trailing::Line,
        around: Around::Both,
        starts: EntryStarts::Line("<DOC>"),
    }),
    fields: FieldNames::Known {
        texts: &["headline", "body", "byline", "dateline"],
        others: &["url", "date", "http-NAME"],
        more: "`http-NAME` of a `DOCHDR`; any other child element by its name in lower case",
    },
    record: "a `<DOC>` (`<doc>`) element",
    id: "`DOCNO`, else the URL",
    text: "headline and `TEXT`; after a `DOCHDR` the page",
};

/// The documents of a file.
pub(super) struct TrecEntries {
    /// Cuts the documents out.
    elements: Elements,
    /// The document as text, in memory that is used again.
    text: String,
}

impl TrecEntries {
    /// Reads documents from an unpacked file.
    pub(super) fn new(reader: Box<dyn Read + Send>, max_record_bytes: u64) -> Self {
        TrecEntries {
            elements: Elements::new(reader, &["DOC"], max_record_bytes),
            text: String::new(),
        }
    }
}

impl Entries for TrecEntries {
    fn next(&mut self, values: &mut Values) -> Entry {
        match self.elements.next() {
            Cut::Element(element) => {
                put_document(element.bytes, &mut self.text, values);
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

/// Puts the fields of a document, whichever of the three kinds it is.
fn put_document(element: &[u8], text: &mut String, values: &mut Values) {
    // The cutter has seen both tags.
    let opened = memchr(b'>', element).map_or(0, |at| at + 1);
    let (tag, inner) = element.split_at(opened);
    // The last `<` begins the closing tag of the document.
    let inner = &inner[..memrchr(b'<', inner).unwrap_or(inner.len())];
    let header = TrecHeader::new(inner);
    let tag = String::from_utf8_lossy(tag);
    let url = header.get("url");
    if let Some(url) = &url {
        values.put("url", url);
    }
    // SogouT has no number: the address identifies a page.
    let id = header.get("docno").or_else(|| attribute(&tag, "id"));
    if let Some(id) = id.or(url) {
        values.put("id", &id);
    }
    for (name, content) in &header.fields {
        if values.wants(name) && !["url", "id", "date"].contains(&name.as_str()) {
            values.put(name, &flat(&String::from_utf8_lossy(content)));
        }
    }
    // A page that a server sent goes the way of web archives; its character set may be in the
    // header.
    if let Some(sent) = header.dochdr() {
        web::put_page(sent, header.rest, values);
        return;
    }
    text.clear();
    values.decode(header.rest, None, Some(TextKind::Html), text);
    news::put_article(text, &header, values);
}
