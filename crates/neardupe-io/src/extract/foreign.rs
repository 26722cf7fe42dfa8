//! SVG and MathML inside HTML, where other rules of reading hold.
//!
//! In foreign content `<title>` and `<style>` hold markup and `<![CDATA[` begins text.
//! Whether the scanner is there depends on the open elements; this follows only those
//! that matter, as lol_html does. Left out of the standard: `<annotation-xml>`, and
//! `<font>` with attributes, which ends foreign content.

use super::tag::{Key, Role, Tag, key_of};

/// An end tag of this name leaves foreign content, though no start tag is open.
const BR: Key = key_of("br");
/// The same.
const P: Key = key_of("p");

/// Namespaces that are remembered. More are never nested in real pages; what is deeper is
/// read like the level above, and memory stays bounded.
const MAX_LEVELS: usize = 16;

/// Whose rules of reading hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Namespace {
    /// Ordinary HTML, also inside of `<foreignObject>`.
    Html,
    /// Within `<svg>`.
    Svg,
    /// Within `<math>`.
    Math,
}

/// The namespaces of the open elements.
#[derive(Debug, Default)]
pub(super) struct Foreign {
    /// From the outside in; the outermost HTML is not in it.
    levels: Vec<Namespace>,
}

impl Foreign {
    /// Whether the innermost open element is SVG or MathML.
    #[inline]
    pub(super) fn is_inside(&self) -> bool {
        self.levels
            .last()
            .is_some_and(|&space| space != Namespace::Html)
    }

    /// A start tag was read. Afterwards `is_inside` holds for what follows; the answer is
    /// whether the element itself is foreign.
    #[inline]
    pub(super) fn start(&mut self, tag: Tag, self_closing: bool) -> bool {
        if self.levels.is_empty() && !matches!(tag.role, Role::Svg | Role::Math) {
            return false;
        }
        self.start_slow(tag, self_closing)
    }

    /// The part that only pages with SVG or MathML need, kept out of the common path.
    fn start_slow(&mut self, tag: Tag, self_closing: bool) -> bool {
        let innermost = self.levels.last().copied().unwrap_or(Namespace::Html);
        let entered = match entered(tag) {
            Some(entered) => entered,
            None if innermost == Namespace::Html => return false,
            // Elements such as `<div>` end foreign content: a page that forgot `</svg>` is
            // read on as HTML.
            None if tag.leaves_foreign => {
                self.leave_foreign();
                return false;
            }
            None if is_integration(innermost, tag) => Namespace::Html,
            None => return true,
        };
        // A self-closing element of foreign content holds nothing.
        if !self_closing && self.levels.len() < MAX_LEVELS {
            self.levels.push(entered);
        }
        true
    }

    /// An end tag was read.
    #[inline]
    pub(super) fn end(&mut self, tag: Tag, key: Key) {
        if !self.levels.is_empty() {
            self.end_slow(tag, key);
        }
    }

    /// The part that only pages with SVG or MathML need.
    fn end_slow(&mut self, tag: Tag, key: Key) {
        if self.is_inside() {
            if matches!(key, P | BR) {
                self.leave_foreign();
            } else if self.levels.last() == entered(tag).as_ref() {
                self.levels.pop();
            }
            return;
        }
        // HTML ends with the element that holds it, or with what is around that.
        let around = self.levels.len().checked_sub(2).map(|at| self.levels[at]);
        if around.is_some_and(|around| is_integration(around, tag)) {
            self.levels.pop();
        } else if around.is_some() && around == entered(tag) {
            self.levels.truncate(self.levels.len() - 2);
        }
    }

    /// To the next HTML around.
    fn leave_foreign(&mut self) {
        while self.is_inside() {
            self.levels.pop();
        }
    }
}

/// The namespace that an element begins.
fn entered(tag: Tag) -> Option<Namespace> {
    match tag.role {
        Role::Svg => Some(Namespace::Svg),
        Role::Math => Some(Namespace::Math),
        _ => None,
    }
}

/// Whether an element of this namespace holds HTML.
fn is_integration(namespace: Namespace, tag: Tag) -> bool {
    match tag.role {
        Role::Title | Role::SvgIntegration => namespace == Namespace::Svg,
        Role::MathIntegration => namespace == Namespace::Math,
        _ => false,
    }
}
