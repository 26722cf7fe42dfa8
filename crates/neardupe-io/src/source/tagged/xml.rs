//! One element of XML as a tree to ask for elements by their names.
//!
//! The tree is a list in document order, where each node knows the end of what it holds:
//! nothing here recurses, however deep the elements are nested.

use super::{Cut, Elements, entity, sgml};
use crate::charset;
use crate::source::entries::Entry;
use crate::source::values::{Fault, TextKind, Values};
use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};
use neardupe_core::document::BadKind;
use quick_xml::Reader;
use quick_xml::events::Event;
use std::io::Read;
use std::ops::Range;

/// Nodes of a tree: 48 MB of them. An article with 3,000 authors has 50,000.
const MAX_NODES: usize = 1 << 20;

/// The elements of a file of XML, one after the other.
pub(in crate::source) struct XmlElements {
    /// Cuts the elements out of the file.
    elements: Elements,
    /// What the file declares for all of them, once its start was read.
    encoding: Option<Option<&'static Encoding>>,
    /// The element as text, in memory that is used again.
    text: String,
}

impl XmlElements {
    /// Reads elements of these names from an unpacked file.
    pub(in crate::source) fn new(
        reader: Box<dyn Read + Send>,
        names: &'static [&'static str],
        max_record_bytes: u64,
    ) -> Self {
        XmlElements {
            elements: Elements::new(reader, names, max_record_bytes),
            encoding: None,
            text: String::new(),
        }
    }

    /// Where the element read last begins and ends.
    pub(in crate::source) fn span(&self) -> Range<u64> {
        self.elements.span()
    }

    /// Reads the next element; `put` decides whether it is a document, and puts its fields.
    pub(in crate::source) fn next(
        &mut self,
        values: &mut Values,
        put: impl FnOnce(Element<'_>, &mut Values) -> bool,
    ) -> Entry {
        let elements = &mut self.elements;
        let sent = *self
            .encoding
            .get_or_insert_with(|| declared_encoding(elements.head()));
        let element = match elements.next() {
            Cut::Element(element) => element,
            Cut::Bad(offset, fault) => return Entry::Bad(offset, fault),
            Cut::End => return Entry::End,
        };
        self.text.clear();
        let plain = Some(TextKind::Plain);
        // Decoded before it is parsed: an element is held as a whole, and the declaration of
        // the file is far away from it.
        values.decode(element.bytes, sent, plain, &mut self.text);
        let tree = match Tree::read(&self.text) {
            Ok(tree) => tree,
            Err(fault) => return Entry::Bad(element.offset, fault),
        };
        match tree.root() {
            Some(root) if put(root, values) => Entry::Record(element.offset),
            _ => Entry::Skipped,
        }
    }
}

/// An element, read.
#[derive(Debug, Default)]
pub(in crate::source) struct Tree<'a> {
    /// In document order; the first one is the element itself.
    nodes: Vec<Node<'a>>,
}

/// A piece of the element.
#[derive(Debug)]
struct Node<'a> {
    /// What it is.
    content: Content<'a>,
    /// The number of the first node that is not within this one.
    end: usize,
}

/// What a node holds. All parts are slices of the element, so a tree copies no text.
#[derive(Debug)]
enum Content<'a> {
    /// Its name, and its attributes as written.
    Element(&'a str, &'a str),
    /// Text as written, or the content of CDATA.
    Text(&'a str),
    /// The name of an entity.
    Entity(&'a str),
}

/// A place in a tree that is an element.
#[derive(Debug, Clone, Copy)]
pub(in crate::source) struct Element<'t> {
    /// All nodes of the tree.
    nodes: &'t [Node<'t>],
    /// Number of its node.
    at: usize,
}

impl<'a> Tree<'a> {
    /// Reads one whole element.
    pub(in crate::source) fn read(xml: &'a str) -> Result<Self, Fault> {
        let mut reader = Reader::from_str(xml);
        // `AT&T` stands in real files. Strictly it is an error; as text it loses nothing.
        reader.config_mut().allow_dangling_amp = true;
        let mut nodes: Vec<Node<'a>> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        let mut from = 0;
        loop {
            // One mismatched tag makes the element a bad record: a guess where it ends could
            // put text into the wrong field.
            let event = reader.read_event().map_err(|error| {
                let at = reader.error_position();
                let detail = format!("{error}, at byte {at} of the element");
                (BadKind::Format, detail)
            })?;
            // The reader reports events; the bytes of an event are those between two
            // positions.
            let position = usize::try_from(reader.buffer_position());
            let to = position.unwrap_or(xml.len());
            let piece = &xml[from..to];
            from = to;
            let name = nodes.len();
            let content = match &event {
                Event::Start(start) => {
                    open.push(name);
                    let len = start.name().as_ref().len();
                    Content::Element(&piece[1..=len], &piece[1 + len..piece.len() - 1])
                }
                Event::Empty(start) => {
                    let len = start.name().as_ref().len();
                    Content::Element(&piece[1..=len], &piece[1 + len..piece.len() - 2])
                }
                Event::End(_) => {
                    if let Some(start) = open.pop() {
                        nodes[start].end = nodes.len();
                    }
                    continue;
                }
                Event::Text(_) => Content::Text(piece),
                Event::CData(_) => {
                    Content::Text(&piece["<![CDATA[".len()..piece.len() - "]]>".len()])
                }
                Event::GeneralRef(_) => Content::Entity(&piece[1..piece.len() - 1]),
                Event::Eof => break,
                Event::Comment(_) | Event::PI(_) | Event::Decl(_) | Event::DocType(_) => {
                    continue;
                }
            };
            if nodes.len() == MAX_NODES {
                let detail = format!("more than {MAX_NODES} elements and pieces of text");
                return Err((BadKind::Format, detail));
            }
            // Of what holds nothing the end is right already; for an element it is corrected
            // at its end tag.
            let end = nodes.len() + 1;
            nodes.push(Node { content, end });
        }
        Ok(Tree { nodes })
    }

    /// The element itself.
    pub(in crate::source) fn root(&self) -> Option<Element<'_>> {
        let nodes = &self.nodes;
        (!nodes.is_empty()).then_some(Element { nodes, at: 0 })
    }
}

impl<'t> Element<'t> {
    /// Whether it has this name, in any case.
    pub(in crate::source) fn is(self, name: &str) -> bool {
        self.name().eq_ignore_ascii_case(name)
    }

    /// Its name as written; empty for a place that is no element.
    pub(in crate::source) fn name(self) -> &'t str {
        match self.nodes[self.at].content {
            Content::Element(name, _) => name,
            Content::Text(_) | Content::Entity(_) => "",
        }
    }

    /// The elements directly within.
    pub(in crate::source) fn children(self) -> impl Iterator<Item = Element<'t>> {
        let nodes = self.nodes;
        let end = nodes[self.at].end;
        let mut next = self.at + 1;
        std::iter::from_fn(move || {
            while next < end {
                let at = next;
                next = nodes[at].end;
                if matches!(nodes[at].content, Content::Element(..)) {
                    return Some(Element { nodes, at });
                }
            }
            None
        })
    }

    /// The first element of that name directly within.
    pub(in crate::source) fn child(self, name: &str) -> Option<Element<'t>> {
        self.children().find(|child| child.is(name))
    }

    /// The first element at the end of a path of names.
    pub(in crate::source) fn path(self, names: &[&str]) -> Option<Element<'t>> {
        names
            .iter()
            .try_fold(self, |element, name| element.child(name))
    }

    /// All elements of that name within, at any depth.
    pub(in crate::source) fn all(self, name: &str) -> impl Iterator<Item = Element<'t>> {
        let nodes = self.nodes;
        let within = self.at + 1..nodes[self.at].end;
        let elements = within.map(move |at| Element { nodes, at });
        elements.filter(move |element| element.is(name))
    }

    /// The value of an attribute, unless it is empty.
    pub(in crate::source) fn attribute(self, name: &str) -> Option<String> {
        let Content::Element(_, attributes) = self.nodes[self.at].content else {
            return None;
        };
        sgml::attribute(attributes, name).filter(|value| !value.is_empty())
    }

    /// All text within, its runs of space single. `None` when there is none.
    pub(in crate::source) fn text(self) -> Option<String> {
        let text = self.lines(|_| Layout::Inline);
        Some(text).filter(|text| !text.is_empty())
    }

    /// All text within, in lines that end where the layout says so.
    pub(in crate::source) fn lines(self, layout: impl Fn(&str) -> Layout) -> String {
        let mut out = String::new();
        let mut line = String::new();
        // Where the blocks end that are open.
        let mut ends: Vec<usize> = Vec::new();
        let last = self.nodes[self.at].end;
        let mut at = self.at + 1;
        while at < last {
            let mut breaks = false;
            // Several blocks may end here, which makes one line break.
            while ends.last().is_some_and(|&end| end <= at) {
                ends.pop();
                breaks = true;
            }
            let node = &self.nodes[at];
            at += 1;
            match node.content {
                Content::Element(name, _) => match layout(name) {
                    Layout::Inline => {}
                    Layout::Block => {
                        breaks = true;
                        ends.push(node.end);
                    }
                    // Jumps over all that is within.
                    Layout::Left => at = node.end,
                },
                Content::Text(_) | Content::Entity(_) => {}
            }
            if breaks {
                push_line(&mut line, &mut out);
            }
            match node.content {
                Content::Text(text) => line.push_str(text),
                Content::Entity(name) => {
                    if !entity::push_entity(name, &mut line) {
                        line.extend(["&", name, ";"]);
                    }
                }
                Content::Element(..) => {}
            }
        }
        push_line(&mut line, &mut out);
        out
    }
}

/// How an element stands in the text around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::source) enum Layout {
    /// In the same line, without any separator.
    Inline,
    /// In lines of its own.
    Block,
    /// Not at all.
    Left,
}

/// Appends a line, its runs of space single; a blank one is dropped.
fn push_line(line: &mut String, out: &mut String) {
    let text = sgml::single_spaces(line);
    if !text.is_empty() {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&text);
    }
    line.clear();
}

/// The character set that the declaration at the head of a file names. One of two bytes a
/// character is a mistake: the declaration could be read byte by byte.
pub(in crate::source) fn declared_encoding(head: &[u8]) -> Option<&'static Encoding> {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let head = String::from_utf8_lossy(head.trim_ascii_start());
    let declaration = head.strip_prefix("<?xml")?.split("?>").next()?;
    let label = sgml::attribute(declaration, "encoding")?;
    charset::by_label(&label)
        .filter(|&encoding| encoding != UTF_16LE && encoding != UTF_16BE)
}

#[cfg(test)]
mod tests {
    use super::*;

    const XML: &str = "<a x='1'>one<b y=\"&amp;\">t&lt;w&#111;</b><c/><b>two</b>\
        <!-- <b>no</b> --><d z = 'q' ><b><![CDATA[<3>]]></b>&x; & done </d></a>";

    #[test]
    fn elements_are_found_by_name_and_path() {
        let tree = Tree::read(XML).unwrap();
        let root = tree.root().unwrap();
        assert_eq!(root.attribute("x").as_deref(), Some("1"));
        let names: Vec<_> = root.children().map(Element::name).collect();
        assert_eq!(names, ["b", "c", "b", "d"]);
        assert_eq!(root.child("b").unwrap().text().as_deref(), Some("t<wo"));
        assert_eq!(
            root.child("b").unwrap().attribute("y").as_deref(),
            Some("&")
        );
        assert_eq!(root.child("c").unwrap().text(), None);
        assert_eq!(
            root.path(&["d", "b"]).unwrap().text().as_deref(),
            Some("<3>")
        );
        assert_eq!(root.all("b").count(), 3);
        let expected = "onet<wotwo<3>&x; & done";
        assert_eq!(root.text().as_deref(), Some(expected));
    }

    #[test]
    fn lines_end_where_blocks_begin_and_end() {
        let xml = "<r>a<p>b <i>c</i>\n d</p>e<p/><p>f<x>no</x></p><p><p>g</p></p>h</r>";
        let tree = Tree::read(xml).unwrap();
        let lines = tree.root().unwrap().lines(|name| match name {
            "p" => Layout::Block,
            "x" => Layout::Left,
            _ => Layout::Inline,
        });
        assert_eq!(lines, "a\nb c d\ne\nf\ng\nh");
    }

    #[test]
    fn broken_xml_is_told_with_its_place() {
        for (xml, expected) in [
            ("<a><b></a>", "byte 6"),
            ("<a><b c='</a>", "byte 3"),
            ("<a><![CDATA[ </a>", "byte 3"),
            ("<a><!-- </a>", "byte 3"),
        ] {
            let (kind, detail) = Tree::read(xml).unwrap_err();
            assert_eq!(kind, BadKind::Format);
            assert!(detail.contains(expected), "{xml}: {detail}");
        }
    }

    #[test]
    fn hostile_trees_are_bounded() {
        let deep = format!("{}{}", "<a>".repeat(400_000), "</a>".repeat(400_000));
        assert_eq!(Tree::read(&deep).unwrap().root().unwrap().text(), None);
        let many = format!("<a>{}</a>", "<b/>".repeat(MAX_NODES));
        let (_, detail) = Tree::read(&many).unwrap_err();
        assert_eq!(detail, "more than 1048576 elements and pieces of text");
    }

    #[test]
    fn the_declaration_names_the_character_set() {
        for (head, expected) in [
            (
                "<?xml version='1.0' encoding='ISO-8859-1'?><a>",
                Some("windows-1252"),
            ),
            (
                "\u{feff}<?xml version=\"1.0\" encoding=\"utf-8\"?>",
                Some("UTF-8"),
            ),
            ("<?xml encoding='utf-16'?>", None),
            ("<?xml version='1.0'?><a encoding='gbk'>", None),
            ("<a encoding='gbk'>", None),
        ] {
            let found = declared_encoding(head.as_bytes()).map(Encoding::name);
            assert_eq!(found, expected, "{head}");
        }
    }
}
