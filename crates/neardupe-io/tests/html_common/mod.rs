//! What the tests of the HTML extraction share: real pages, and the slow twin.
#![allow(dead_code, reason = "each test program uses a part of it")]

pub(crate) mod measure;

use lol_html::html_content::TextType;
use lol_html::{HtmlRewriter, Settings, doc_comments, doc_text, doctype, element};
use neardupe_io::extract::{Content, Extracted, HtmlExtractor, HtmlOptions};
use serde_json::Value;
use std::cell::RefCell;
use std::io::{BufRead, BufReader, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

/// Text of a page by the extractor.
pub(crate) fn extract(html: &str, content: Content) -> Extracted {
    let options = HtmlOptions {
        content,
        ..HtmlOptions::default()
    };
    let mut out = Extracted::default();
    HtmlExtractor::new(options).extract(html, &mut out);
    out
}

/// The records of a collection that is not part of the repository. When it is absent:
/// None, and a line on standard error about what is skipped.
pub(crate) fn pages(name: &str, what: &str) -> Option<Vec<Value>> {
    let data = std::env::var_os("NEARDUPE_DATA").unwrap_or("../shared/data".into());
    let folder = repository().join(data).join(name);
    let path = folder.join("pages.jsonl.gz");
    if !path.is_file() {
        say(&format!(
            "skipped: {name}: {what} not compared, as there is no file {}; \
             NEARDUPE_DATA can name the folder that holds {name}",
            path.display()
        ));
        return None;
    }
    let file = std::fs::File::open(path).unwrap();
    let lines = BufReader::new(flate2::read::MultiGzDecoder::new(file)).lines();
    let records = lines.map(|line| serde_json::from_str(&line.unwrap()).unwrap());
    Some(records.collect())
}

/// A line on standard error; the test harness hides what `eprintln` prints.
pub(crate) fn say(line: &str) {
    let line = format!("{line}\n");
    std::io::stderr().write_all(line.as_bytes()).unwrap();
}

/// Time that this thread has had so far, where the system tells it, else the time of day:
/// on a busy machine the clock on the wall says little.
pub(crate) fn cpu_time() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat");
    let text = text.unwrap_or_default();
    match text.split_whitespace().next().map(str::parse) {
        Some(Ok(nanoseconds)) => Duration::from_nanos(nanoseconds),
        _ => UNIX_EPOCH.elapsed().unwrap(),
    }
}

pub(crate) fn repository() -> PathBuf {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    crates.parent().unwrap().to_path_buf()
}

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
pub(crate) fn twin_text(html: &str) -> String {
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
