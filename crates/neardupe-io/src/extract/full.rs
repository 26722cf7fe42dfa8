//! The full text of a document.

use super::attribute::{AttributePart, next_part};
use super::region::Regions;
use super::scan::{Scanner, StartTag, Token};
use super::tag::{Key, Role, key_of};
use super::text::TextWriter;
use neardupe_core::document::{Link, Region};
use std::borrow::Cow;

/// Appends the text of a document, and what of its regions and links is wanted. Captions
/// of figures are left out on request.
pub(super) fn append_text(
    html: &str,
    captions: bool,
    out: &mut String,
    regions: Option<&mut Vec<Region>>,
    links: Option<&mut Vec<Link>>,
) {
    let base = out.len();
    let wants_spans = regions.is_some() || links.is_some();
    let mut writer = TextWriter::new(out);
    let mut regions = Regions::new(regions, links);
    let mut scanner = Scanner::new(html);
    let mut hidden = Hidden {
        captions,
        ..Hidden::default()
    };
    while let Some(token) = scanner.next_token() {
        match token {
            // Text within hidden markup is dropped here; the scanner still reads it, to find
            // where it ends.
            Token::Text { text, entities } => {
                if !hidden.is_open() {
                    writer.push(text, entities);
                }
            }
            Token::Start(start) => {
                if wants_spans && !start.foreign && !hidden.is_open() {
                    regions.start(start.tag, &writer);
                    if start.tag.role == Role::Anchor && regions.wants_links() {
                        regions.start_link(&link_target(html, start), &writer);
                    }
                }
                hidden.start(start);
                writer.part(start.tag.gap);
            }
            Token::End { tag, key } => {
                hidden.end(key);
                if wants_spans && !hidden.is_open() {
                    regions.end(tag, &writer);
                }
                writer.part(tag.gap);
            }
        }
    }
    regions.finish(base, &writer);
}

/// Ends a caption, with or without its own end tag.
const FIGCAPTION: Key = key_of("figcaption");
/// Its end tag ends a caption that was left open.
const FIGURE: Key = key_of("figure");
/// In SVG a script is markup with text in it.
const SCRIPT: Key = key_of("script");
/// The same with a style sheet.
const STYLE: Key = key_of("style");
/// Its end tag ends whatever was left open in it.
const SVG: Key = key_of("svg");
/// Templates may be nested, so they are counted.
const TEMPLATE: Key = key_of("template");

/// Markup whose text is not shown: templates, and scripts and styles of SVG, which are
/// markup there.
#[derive(Debug, Default)]
struct Hidden {
    /// Whether captions are wanted.
    captions: bool,
    /// A caption is open and not wanted.
    in_caption: bool,
    /// How many templates are open.
    templates: u64,
    /// The script or style of SVG that is open.
    foreign: Option<Key>,
}

impl Hidden {
    /// Whether text is hidden now.
    #[inline]
    fn is_open(&self) -> bool {
        self.templates > 0 || self.foreign.is_some() || self.in_caption
    }

    /// Notes a start tag.
    #[inline]
    fn start(&mut self, start: StartTag) {
        if start.foreign {
            if matches!(start.key, SCRIPT | STYLE) && !start.self_closing {
                self.foreign = Some(start.key);
            }
            return;
        }
        // HTML again: SVG is over, with what was left open in it.
        self.foreign = None;
        if start.tag.role == Role::Template {
            self.templates += 1;
        }
        if start.key == FIGCAPTION && !self.captions {
            self.in_caption = true;
        }
    }

    /// Notes an end tag. One without its start tag changes nothing.
    #[inline]
    fn end(&mut self, key: Key) {
        if key == TEMPLATE {
            self.templates = self.templates.saturating_sub(1);
        }
        if matches!(key, FIGCAPTION | FIGURE) {
            self.in_caption = false;
        }
        if self.foreign == Some(key) || key == SVG {
            self.foreign = None;
        }
    }
}

/// Where a link leads; empty when it leads nowhere else.
fn link_target(html: &str, start: StartTag) -> Cow<'_, str> {
    let mut at = start.attributes;
    loop {
        match next_part(html.as_bytes(), &mut at) {
            AttributePart::Attribute { name, value } => {
                // Only the first `href` counts, as in browsers; other attributes are not
                // decoded.
                if !html[name].eq_ignore_ascii_case("href") {
                    continue;
                }
                let target = match htmlize::unescape_attribute(&html[value]) {
                    Cow::Borrowed(target) => Cow::Borrowed(target.trim()),
                    Cow::Owned(target) => Cow::Owned(target.trim().to_owned()),
                };
                let leads_on = !target.starts_with('#')
                    && !has_scheme(&target, "javascript:")
                    && !has_scheme(&target, "mailto:");
                return if leads_on { target } else { Cow::Borrowed("") };
            }
            AttributePart::End { .. } | AttributePart::Unfinished => {
                return Cow::Borrowed("");
            }
        }
    }
}

/// Whether a link begins with this scheme, in any case.
fn has_scheme(target: &str, scheme: &str) -> bool {
    let start = target.as_bytes().get(..scheme.len());
    start.is_some_and(|start| start.eq_ignore_ascii_case(scheme.as_bytes()))
}
