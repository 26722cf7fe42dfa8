//! The full text of a page from the tokens of lol_html, put together by the rules of the
//! extraction in the plainest way.

use lol_html::html_content::TextType;
use lol_html::{HtmlRewriter, Settings, doc_comments, doc_text, doctype, element};
use std::cell::RefCell;
use std::ops::Range;

/// What lol_html sees in a page, by place.
#[derive(Debug, PartialEq, Eq)]
enum Seen {
    Text(TextType),
    Comment,
    Start {
        name: String,
        foreign: bool,
        empty: bool,
    },
}

/// The full text of a page by the rules of the extraction, from the tokens of lol_html.
pub fn twin_text(html: &str) -> String {
    let mut twin = Twin {
        lines: vec![String::new()],
        text: None,
        element: String::new(),
        templates: 0,
        hidden: None,
    };
    let mut at = 0;
    for (place, seen) in seen_by_lol_html(html) {
        // What is neither text nor comment nor start tag must be end tags.
        for end_tag in html[at..place.start].split("</").skip(1) {
            twin.flush(html);
            let name = end_tag
                .split([' ', '\n', '\t', '\r', '\x0C', '/', '>'])
                .next();
            twin.end(&name.unwrap().to_ascii_lowercase());
        }
        at = place.end;
        match seen {
            Seen::Text(kind) => twin.text(html, place, kind),
            Seen::Comment => twin.flush(html),
            Seen::Start {
                name,
                foreign,
                empty,
            } => {
                twin.flush(html);
                twin.start(name, foreign, empty);
            }
        }
    }
    twin.flush(html);
    let lines = twin.lines.iter().map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words.join(" ")
    });
    let lines: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
    lines.join("\n")
}

fn seen_by_lol_html(html: &str) -> Vec<(Range<usize>, Seen)> {
    let seen: RefCell<Vec<(Range<usize>, Seen)>> = RefCell::default();
    let settings = Settings::new()
        .with_strict(false)
        .append_document_content_handler(doc_text!(|chunk| {
            let place = chunk.source_location().bytes();
            if !place.is_empty() {
                seen.borrow_mut()
                    .push((place, Seen::Text(chunk.text_type())));
            }
            Ok(())
        }))
        .append_document_content_handler(doc_comments!(|comment| {
            let place = comment.source_location().bytes();
            seen.borrow_mut().push((place, Seen::Comment));
            Ok(())
        }))
        .append_document_content_handler(doctype!(|doctype| {
            let place = doctype.source_location().bytes();
            seen.borrow_mut().push((place, Seen::Comment));
            Ok(())
        }))
        .append_element_content_handler(element!("*", |element| {
            let start = Seen::Start {
                name: element.tag_name(),
                foreign: element.namespace_uri() != "http://www.w3.org/1999/xhtml",
                empty: element.is_self_closing(),
            };
            let place = element.start_tag().source_location().bytes();
            seen.borrow_mut().push((place, start));
            Ok(())
        }));
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
    rewriter.write(html.as_bytes()).unwrap();
    rewriter.end().unwrap();
    seen.into_inner()
}

struct Twin {
    lines: Vec<String>,
    /// Text that goes on, as written.
    text: Option<(Range<usize>, TextType)>,
    /// Name of the last start tag.
    element: String,
    templates: u32,
    hidden: Option<String>,
}

impl Twin {
    fn text(&mut self, html: &str, place: Range<usize>, kind: TextType) {
        match &mut self.text {
            Some((before, other)) if before.end == place.start && *other == kind => {
                before.end = place.end;
            }
            _ => {
                self.flush(html);
                self.text = Some((place, kind));
            }
        }
    }

    /// A text is whole: decodes it.
    fn flush(&mut self, html: &str) {
        let Some((place, kind)) = self.text.take() else {
            return;
        };
        if self.templates > 0 || self.hidden.is_some() {
            return;
        }
        let text = html[place].replace('\0', "\u{FFFD}");
        let text = match kind {
            TextType::Data | TextType::RCData => htmlize::unescape(text).into_owned(),
            TextType::RawText if self.element != "xmp" => return,
            TextType::ScriptData => return,
            _ => text,
        };
        let line = self.lines.last_mut().unwrap();
        line.extend(text.chars().filter(|&char| char != '\u{AD}'));
    }

    fn start(&mut self, name: String, foreign: bool, empty: bool) {
        self.part(&name);
        if !foreign {
            self.hidden = None;
            self.templates += u32::from(name == "template");
        } else if ["script", "style"].contains(&name.as_str()) && !empty {
            self.hidden = Some(name.clone());
        }
        self.element = name;
    }

    fn end(&mut self, name: &str) {
        self.part(name);
        if name == "template" {
            self.templates = self.templates.saturating_sub(1);
        }
        if self.hidden.as_deref() == Some(name) || name == "svg" {
            self.hidden = None;
        }
    }

    fn part(&mut self, name: &str) {
        let blocks = "address article aside blockquote body br caption center colgroup dd \
            details dialog dir div dl dt fieldset figcaption figure footer form frameset \
            h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li listing main menu nav \
            ol optgroup option p plaintext pre search section select summary table tbody \
            td template textarea tfoot th thead title tr ul xmp";
        if blocks.split_whitespace().any(|block| block == name) {
            self.lines.push(String::new());
        } else if name != "wbr" {
            self.lines.last_mut().unwrap().push(' ');
        }
    }
}
