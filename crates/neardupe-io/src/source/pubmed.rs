//! PubMed: citations and abstracts as the National Library of Medicine gives them out,
//! `<PubmedArticle>` elements in one set, or `<MedlineCitation>` alone in older files.
//!
//! Files have 30,000 articles and are read one article at a time. An abstract may be missing, which
//! is common for old articles: the title alone is the text then. References have titles and DOIs of
//! their own; only elements at their fixed places are taken.

use super::entries::{Entries, Entry};
use super::format::{
    Around, EntryLayout, EntryStarts, FieldNames, FormatSpec, Guess, Layout, Sign,
    Trailing,
};
use super::tagged::xml::{Element, XmlElements};
use super::values::{TextKind, Values};
use std::io::Read;
use std::ops::Range;

/// PubMed as a format; `.xml` is the ending of too many formats to mean this one.
pub(super) const PUBMED: FormatSpec = FormatSpec {
    name: "pubmed",
    title: "PubMed",
    endings: &[],
    sign: Sign::Element {
        names: &[
            "pubmedarticleset",
            "pubmedarticle",
            "medlinecitationset",
            "medlinecitation",
        ],
        with: &[],
    },
    guess: Guess::Never,
    layout: Layout::Entries(EntryLayout {
        open: |reader, max_bytes| Box::new(PubmedEntries::new(reader, max_bytes)),
        trailing: Trailing::Line,
        around: Around::Both,
        starts: EntryStarts::Unknown,
    }),
    fields: FieldNames::Known {
        texts: &["title", "abstract"],
        others: &[
            "authors", "journal", "date", "doi", "mesh", "keywords", "language", "pmid",
        ],
        more: "",
    },
    record: "a `PubmedArticle`",
    id: "`PMID`",
    text: "title and abstract",
};

/// Elements that are cut out. Books are among them so that their content is not taken for
/// articles.
const NAMES: &[&str] = &["PubmedArticle", "MedlineCitation", BOOK];
/// A book has another structure, and no abstract of its own.
const BOOK: &str = "PubmedBookArticle";

/// The articles of a file.
pub(super) struct PubmedEntries(XmlElements);

impl PubmedEntries {
    /// Reads articles from an unpacked file.
    pub(super) fn new(reader: Box<dyn Read + Send>, max_record_bytes: u64) -> Self {
        PubmedEntries(XmlElements::new(reader, NAMES, max_record_bytes))
    }
}

impl Entries for PubmedEntries {
    fn next(&mut self, values: &mut Values) -> Entry {
        self.0.next(values, put_article)
    }

    fn span(&self) -> Range<u64> {
        self.0.span()
    }
}

/// Puts the fields of an article; false for a book. An article without a citation is a record
/// without text.
fn put_article(root: Element<'_>, values: &mut Values) -> bool {
    if root.is(BOOK) {
        return false;
    }
    let citation = if root.is("MedlineCitation") {
        Some(root)
    } else {
        root.child("MedlineCitation")
    };
    let Some(citation) = citation else {
        return true;
    };
    if let Some(id) = citation.child("PMID").and_then(Element::text) {
        values.put("id", &id);
        values.put("pmid", &id);
    }
    let Some(article) = citation.child("Article") else {
        return true;
    };
    put_text(article, values);
    put(values, "authors", || {
        let list = article.child("AuthorList")?;
        joined(list.children().filter_map(author))
    });
    put(values, "journal", || {
        let journal = article.child("Journal");
        let title = journal.and_then(|journal| journal.child("Title")?.text());
        title.or_else(|| citation.path(&["MedlineJournalInfo", "MedlineTA"])?.text())
    });
    put(values, "date", || date(article));
    put(values, "doi", || doi(root, article));
    put(values, "mesh", || {
        let headings = citation.child("MeshHeadingList")?.children();
        joined(headings.filter_map(|heading| heading.child("DescriptorName")?.text()))
    });
    put(values, "keywords", || {
        let lists = citation.children().filter(|child| child.is("KeywordList"));
        joined(lists.flat_map(Element::children).filter_map(Element::text))
    });
    put(values, "language", || article.child("Language")?.text());
    true
}

/// Puts a field that is wanted and there.
fn put(values: &mut Values, field: &str, value: impl FnOnce() -> Option<String>) {
    if values.wants(field)
        && let Some(value) = value()
    {
        values.put(field, &value);
    }
}

/// Items as one metadata value, parted by semicolons; None when there are none.
fn joined(items: impl Iterator<Item = String>) -> Option<String> {
    let items: Vec<String> = items.collect();
    (!items.is_empty()).then(|| items.join(";"))
}

/// Puts title, abstract, and both as the text.
fn put_text(article: Element<'_>, values: &mut Values) {
    let title = article.child("ArticleTitle").and_then(Element::text);
    let summary = article.child("Abstract").and_then(summary);
    if let Some(title) = &title {
        values.put_titled("title", Some(title), None, TextKind::Plain);
    }
    if let Some(summary) = &summary {
        values.put_kind("abstract", summary, Some(TextKind::Plain));
    }
    let (title, summary) = (title.as_deref(), summary.as_deref());
    values.put_titled("text", title, summary, TextKind::Plain);
}

/// The parts of an abstract in a line each, with the label that PubMed shows before them.
fn summary(of: Element<'_>) -> Option<String> {
    let parts = of.children().filter(|part| part.is("AbstractText"));
    let lines = parts.filter_map(|part| {
        let text = part.text()?;
        let label = part
            .attribute("Label")
            .filter(|label| label != "UNLABELLED");
        Some(match label {
            Some(label) => format!("{label}: {text}"),
            None => text,
        })
    });
    let lines: Vec<String> = lines.collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// The name of an author, last name first, or that of a group.
fn author(author: Element<'_>) -> Option<String> {
    let part = |name: &str| author.child(name).and_then(Element::text);
    if let Some(name) = part("CollectiveName") {
        return Some(name);
    }
    let last = part("LastName")?;
    match part("ForeName").or_else(|| part("Initials")) {
        Some(first) => Some(format!("{last} {first}")),
        None => Some(last),
    }
}

/// The date of publication, as exact as it is given.
fn date(article: Element<'_>) -> Option<String> {
    let date = article.path(&["Journal", "JournalIssue", "PubDate"])?;
    let part = |name: &str| date.child(name).and_then(Element::text);
    let Some(year) = part("Year") else {
        return part("MedlineDate");
    };
    let month = part("Month").or_else(|| part("Season"));
    let parts: Vec<String> = [Some(year), month, part("Day")]
        .into_iter()
        .flatten()
        .collect();
    Some(parts.join("-"))
}

/// The DOI of the article itself: its references have theirs too.
fn doi(root: Element<'_>, article: Element<'_>) -> Option<String> {
    let ids = root.path(&["PubmedData", "ArticleIdList"]);
    let in_list = ids.and_then(|ids| {
        let is_doi = |id: &Element<'_>| id.attribute("IdType").as_deref() == Some("doi");
        ids.children().find(is_doi)?.text()
    });
    in_list.or_else(|| {
        let is_doi = |id: &Element<'_>| {
            id.is("ELocationID") && id.attribute("EIdType").as_deref() == Some("doi")
        };
        article.children().find(is_doi)?.text()
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Read as Was, documents, read_all, values};
    use super::*;
    use neardupe_core::document::BadKind;
    use std::io::Cursor;

    const SAMPLE: &[u8] = include_bytes!("../../../../corpus/formats/pubmed.xml");

    fn read(bytes: &[u8], text: &[&str], metadata: &[&str]) -> Vec<Was> {
        let reader = Box::new(Cursor::new(bytes.to_vec()));
        let mut entries = PubmedEntries::new(reader, 1 << 20);
        read_all(&mut entries, &mut values(text, metadata))
    }

    #[test]
    fn title_and_abstract_are_the_text() {
        let all = read(SAMPLE, &["text"], &["title", "abstract"]);
        let documents = documents(&all);
        let ids: Vec<_> = documents.iter().map(|it| it.id.as_deref()).collect();
        let expected = ["90000001", "90000002", "90000003", "90000004"].map(Some);
        assert_eq!(ids, expected);
        assert_eq!(all.iter().filter(|it| **it == Was::Skipped).count(), 1);
        let first = documents[0];
        let expected = "Carbon in river water: H2CO3 & its neighbours.\nBACKGROUND: Levels of \
            a river were read at one gauge for thirty years, and nobody knew how much CO2 \
            the water held.\nRESULTS: The share rose with p < 0.01 in every season but \
            winter, and most of all in spring.";
        assert_eq!(first.texts[0].as_deref(), Some(expected));
        assert_eq!(first.kinds, [Some(TextKind::Plain)]);
        let letter = documents[2];
        let title = "[A letter without an abstract].".to_owned();
        assert_eq!(letter.texts[0], Some(title.clone()));
        assert_eq!(letter.metadata, [Some(title), None]);
    }

    #[test]
    fn every_field_is_found() {
        let keys = [
            "pmid", "authors", "journal", "date", "doi", "mesh", "keywords", "language",
        ];
        let all = read(SAMPLE, &["text"], &keys);
        let documents = documents(&all);
        let metadata = |number: usize| -> Vec<&str> {
            let metadata = documents[number].metadata.iter();
            metadata
                .map(|value| value.as_deref().unwrap_or("-"))
                .collect()
        };
        let expected = [
            "90000001",
            "Doe Jane A;Roe R;Example Study Group",
            "Journal of Written Examples",
            "2003-Jan-15",
            "10.5555/example.1",
            "Water;Rivers",
            "gauge;level",
            "eng",
        ];
        assert_eq!(metadata(0), expected);
        assert_eq!(metadata(1)[4], "-");
        assert_eq!(metadata(2)[4], "10.5555/example.3");
        let old = [
            "90000004",
            "-",
            "J Writ Ex",
            "1998 Dec-1999 Jan",
            "-",
            "-",
            "-",
            "-",
        ];
        assert_eq!(metadata(3), old);
    }

    #[test]
    fn broken_articles_are_bad_records() {
        let text = "<PubmedArticleSet><PubmedArticle><a></PubmedArticle><PubmedArticle>\
            <MedlineCitation><PMID>5</PMID></MedlineCitation></PubmedArticle><PubmedArticle>";
        let all = read(text.as_bytes(), &["text"], &[]);
        assert!(matches!(&all[0], Was::Bad(18, (BadKind::Format, _))));
        let document = documents(&all)[0];
        assert_eq!(
            (document.id.as_deref(), &document.texts[0]),
            (Some("5"), &None)
        );
        let detail = "no </PubmedArticle> before the end of the file".to_owned();
        assert!(matches!(&all[2], Was::Bad(_, (BadKind::Format, it)) if *it == detail));
    }
}
