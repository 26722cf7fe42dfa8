//! Keeps documents away from the tree builder that it would take too long for.
//!
//! The tree builder and the search for the main content need time that grows with the
//! square of the nesting: 0.2 MB of nested elements took over a minute. A short document
//! can also grow: formatting elements that are left open are opened again in every block,
//! so that `n` bytes become `n * n` nodes. This pass follows the open elements and the
//! list of active formatting elements (WHATWG HTML 13.2.4.2, 13.2.4.3) closely enough to
//! know the depth and the nodes before anything is built. Where it departs from the
//! standard it counts more, not less.
//!
//! Two more things take the tree builder a time that grows with the square: attributes of
//! one tag, as each is compared with those before it, and ampersands in one text. Their
//! squares are added up.

use super::Remark;
use super::scan::{Scanner, StartTag, Token};
use super::tag::{Gap, Key, Nesting, Tag, key_of, tag_of};

const A: Key = key_of("a");
const CAPTION: Key = key_of("caption");
const DD: Key = key_of("dd");
const DIV: Key = key_of("div");
const DT: Key = key_of("dt");
const HTML: Key = key_of("html");
const LI: Key = key_of("li");
const NOBR: Key = key_of("nobr");
const OBJECT: Key = key_of("object");
const OPTION: Key = key_of("option");
const P: Key = key_of("p");
const TABLE: Key = key_of("table");
const TBODY: Key = key_of("tbody");
const TD: Key = key_of("td");
const TEMPLATE: Key = key_of("template");
const TFOOT: Key = key_of("tfoot");
const TH: Key = key_of("th");
const THEAD: Key = key_of("thead");
const TR: Key = key_of("tr");

/// A formatting element that a parser would open again, or a border of a table cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Active<'a> {
    /// The start of a table cell, caption or the like: formatting elements outside are not
    /// opened again inside.
    Border,
    /// A formatting element, with its attributes as written: two are equal when both parts are.
    Element { key: Key, attributes: &'a str },
}

/// Squares of the number of ampersands in a text that may add up: about a second, at
/// 6 * 10^10 a second as measured.
const MAX_WORK: u64 = 50_000_000_000;

/// Attributes of a tag cost this much more, as measured: 16,000 took 0.3 s.
const ATTRIBUTE_WORK: u64 = 64;

/// What is known of the tree that a parser would build, without building it.
#[derive(Debug)]
struct Guard<'a> {
    /// Open elements, the outermost first.
    open: Vec<Key>,
    /// Formatting elements that a parser would remember, with the borders between them.
    active: Vec<Active<'a>>,
    /// How many of the active elements are not open now.
    closed_active: usize,
    /// Nodes that the tree would have so far.
    nodes: u64,
    /// In the text since the last tag.
    ampersands: u64,
    /// Squares of ampersands and attributes so far.
    work: u64,
}

/// Why the tree of this document must not be built, if so.
pub(super) fn refuse(html: &str, max_depth: u32, max_nodes: u64) -> Option<Remark> {
    let max_depth = max_depth as usize;
    let mut scanner = Scanner::new(html);
    let mut guard = Guard {
        open: Vec::new(),
        active: Vec::new(),
        closed_active: 0,
        nodes: 0,
        ampersands: 0,
        work: 0,
    };
    while let Some(token) = scanner.next_token() {
        match token {
            Token::Text { text, .. } => guard.text(text),
            Token::Start(start) => guard.start(html, start),
            Token::End { tag, key } => guard.end(tag, key),
        }
        if guard.open.len().max(guard.active.len()) > max_depth {
            return Some(Remark::MainTooDeep);
        }
        if guard.nodes > max_nodes || guard.work > MAX_WORK {
            return Some(Remark::MainTooManyNodes);
        }
    }
    None
}

impl<'a> Guard<'a> {
    /// A piece of text. Pieces that only a comment parts count as one text, which errs on
    /// the safe side.
    fn text(&mut self, text: &str) {
        self.content();
        let before = self.ampersands;
        self.ampersands += memchr::memchr_iter(b'&', text.as_bytes()).count() as u64;
        self.add_work(self.ampersands.saturating_pow(2) - before.saturating_pow(2));
    }

    /// Adds to the work; it stops at the largest number, which is over the limit anyway.
    fn add_work(&mut self, work: u64) {
        self.work = self.work.saturating_add(work);
    }

    /// Text or an inline element: opens again what was left open.
    fn content(&mut self) {
        self.nodes += 1;
        if self.closed_active > 0 {
            let begin = self.after_border();
            // Which of them are open does not matter: as many as were lost come back.
            let elements = self.active[begin..].iter().rev();
            let lost: Vec<Key> = elements
                .take(self.closed_active)
                .filter_map(|&active| match active {
                    Active::Element { key, .. } => Some(key),
                    Active::Border => None,
                })
                .collect();
            self.nodes += lost.len() as u64;
            self.open.extend(lost.into_iter().rev());
            self.closed_active = 0;
        }
    }

    /// A start tag: what it closes, what it opens again, and itself.
    fn start(&mut self, html: &'a str, start: StartTag) {
        let StartTag { tag, key, .. } = start;
        self.ampersands = 0;
        self.add_work(
            start
                .num_attributes
                .saturating_pow(2)
                .saturating_mul(ATTRIBUTE_WORK),
        );
        if start.foreign {
            self.nodes += 1;
            if !start.self_closing {
                self.open.push(key);
            }
            return;
        }
        self.close_implied(tag, key);
        if tag.gap == Gap::Line {
            self.nodes += 1;
        } else {
            self.content();
        }
        match tag.nesting {
            Nesting::Void => return,
            Nesting::Formatting => {
                let attributes = attributes_of(html, start);
                self.activate(key, attributes);
            }
            Nesting::Closed | Nesting::Paragraph => {
                if is_border(key) {
                    self.active.push(Active::Border);
                }
            }
        }
        self.open.push(key);
    }

    /// What a start tag closes without an end tag.
    fn close_implied(&mut self, tag: Tag, key: Key) {
        match key {
            TD | TH => self.pop_any(&[TD, TH], is_table_limit),
            TR => self.pop_any(&[TR], is_table_limit),
            TBODY | THEAD | TFOOT => {
                self.pop_any(&[TBODY, THEAD, TFOOT], is_table_limit);
            }
            LI => self.pop_any(&[LI], is_item_limit),
            DT | DD => self.pop_any(&[DT, DD], is_item_limit),
            OPTION => self.pop_any(&[OPTION], is_special),
            A | NOBR => self.end_formatting(key),
            _ => {}
        }
        let is_row = matches!(key, TD | TH | TR | TBODY | THEAD | TFOOT | OPTION);
        if tag.gap == Gap::Line && tag.nesting != Nesting::Void && !is_row {
            self.pop_any(&[P], is_scope_limit);
        }
    }

    /// Remembers a formatting element; of four equal ones the first is forgotten.
    fn activate(&mut self, key: Key, attributes: &'a str) {
        let element = Active::Element { key, attributes };
        let begin = self.after_border();
        let equal = self.active[begin..]
            .iter()
            .filter(|&&other| other == element);
        if equal.count() >= 3
            && let Some(first) = self.active[begin..]
                .iter()
                .position(|&other| other == element)
        {
            self.active.remove(begin + first);
        }
        self.active.push(element);
    }

    /// An end tag. One without its element costs at most a node.
    fn end(&mut self, tag: Tag, key: Key) {
        self.ampersands = 0;
        match tag.nesting {
            Nesting::Formatting => self.end_formatting(key),
            Nesting::Void => self.nodes += 1,
            Nesting::Closed | Nesting::Paragraph => match key {
                // Stays open until the end of the document.
                HTML => {}
                TD | TH | TR | TBODY | THEAD | TFOOT | TABLE | CAPTION => {
                    self.pop_any(&[key], is_table_limit);
                }
                _ if tag.gap == Gap::Line => {
                    // An end tag of a paragraph that is not open makes an empty one.
                    self.nodes += u64::from(key == P);
                    self.pop_any(&[key], is_scope_limit);
                }
                _ => self.pop_any(&[key], is_special),
            },
        }
    }

    /// The end tag of a formatting element, or a start tag that closes one. Close to the
    /// adoption agency algorithm (WHATWG HTML 13.2.6.4.7), but without moving anything: only
    /// nodes are counted.
    fn end_formatting(&mut self, key: Key) {
        let begin = self.after_border();
        let place = self.active[begin..].iter().rposition(
            |&active| matches!(active, Active::Element { key: other, .. } if other == key),
        );
        let Some(place) = place else {
            return;
        };
        self.active.remove(begin + place);
        // When blocks were opened inside, the parser may put clones into them.
        const MAX_CLONES: u64 = 8;
        if self.closed_active > 0 {
            // One that is not open now, as far as is known: less is closed, not more.
            self.closed_active -= 1;
            self.nodes += MAX_CLONES;
        } else if let Some(at) = self.open.iter().rposition(|&other| other == key) {
            let is_innermost = at + 1 == self.open.len();
            self.nodes += if is_innermost { 0 } else { MAX_CLONES };
            self.open.remove(at);
        }
    }

    /// Closes the innermost element of one of these names, and all within, unless another
    /// one that limits the search is nearer.
    fn pop_any(&mut self, keys: &[Key], is_limit: fn(Key) -> bool) {
        for at in (0..self.open.len()).rev() {
            let key = self.open[at];
            if keys.contains(&key) {
                self.pop_to(at);
                return;
            }
            if is_limit(key) {
                return;
            }
        }
    }

    /// Closes the element at a place and all within. Formatting elements among them count as
    /// lost: the next text opens them again.
    fn pop_to(&mut self, at: usize) {
        for &key in self.open[at..].iter().rev() {
            if tag_of(key).nesting == Nesting::Formatting {
                self.closed_active += 1;
            } else if is_border(key) {
                let border = self.active.iter().rposition(|&a| a == Active::Border);
                self.active.truncate(border.unwrap_or(0));
                self.closed_active = 0;
            }
        }
        self.open.truncate(at);
        let begin = self.after_border();
        self.closed_active = self.closed_active.min(self.active.len() - begin);
    }

    /// Where the active elements begin that belong to this table cell.
    fn after_border(&self) -> usize {
        let border = self.active.iter().rposition(|&a| a == Active::Border);
        border.map_or(0, |border| border + 1)
    }
}

/// The attributes as written, up to the end of the tag.
fn attributes_of(html: &str, start: StartTag) -> &str {
    let rest = &html[start.attributes..];
    let end = memchr::memchr(b'>', rest.as_bytes());
    end.map_or(rest, |end| &rest[..end])
}

/// Whether formatting elements stop at this element.
fn is_border(key: Key) -> bool {
    matches!(key, TD | TH | CAPTION | OBJECT | TEMPLATE)
}

/// Elements at which the search for a cell or row stops, so that a table in a cell closes
/// nothing of the table around it.
fn is_table_limit(key: Key) -> bool {
    matches!(key, TABLE | TEMPLATE | HTML)
}

/// Elements at which the search for a block stops.
fn is_scope_limit(key: Key) -> bool {
    is_table_limit(key) || is_border(key)
}

/// Blocks other than `div` and `p` keep a list item open.
fn is_item_limit(key: Key) -> bool {
    is_special(key) && key != DIV && key != P
}

/// Elements at which the search for an inline element stops: an end tag of `<span>` closes no
/// block.
fn is_special(key: Key) -> bool {
    is_scope_limit(key) || tag_of(key).gap == Gap::Line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(html: &str) -> Option<Remark> {
        refuse(html, 20, 1000)
    }

    #[test]
    fn ordinary_markup_passes() {
        assert_eq!(refused(&"<div><p>a <b>b</b></div>".repeat(100)), None);
        assert_eq!(refused(&"<p>a<br><img>".repeat(100)), None);
        assert_eq!(refused(&"<ul><li>a<li><p>b</ul>".repeat(50)), None);
        assert_eq!(refused(&"<p><b>a<p>c".repeat(50)), None);
        let rows = "<tr><td><font>a<td><font size=1>b".repeat(50);
        assert_eq!(refused(&format!("<table>{rows}</table>")), None);
        let options = "<option>a".repeat(50);
        assert_eq!(refused(&format!("<select>{options}</select>")), None);
    }

    #[test]
    fn depth_is_found_whatever_the_end_tags_say() {
        let deep = Some(Remark::MainTooDeep);
        assert_eq!(refused(&"<div>".repeat(30)), deep);
        assert_eq!(refused(&"<div></x>".repeat(30)), deep);
        assert_eq!(refused(&"<div></p>".repeat(30)), deep);
        assert_eq!(refused(&"<span></div>".repeat(30)), deep);
        assert_eq!(refused(&"<table><td>".repeat(30)), deep);
        assert_eq!(refused(&"<svg></p>".repeat(30)), deep);
        assert_eq!(refused(&"<x></b>".repeat(30)), deep);
        assert_eq!(refuse(&"<div>".repeat(20), 20, 1000), None);
    }

    #[test]
    fn formatting_that_is_opened_again_counts() {
        let open: String = (0..15).map(|n| format!("<font size={n}>")).collect();
        let blocks = "<p>a</p>".repeat(100);
        let html = format!("<p>{open}</p>{blocks}");
        assert_eq!(refused(&html), Some(Remark::MainTooManyNodes));
        let many: String = (0..30).map(|n| format!("<p><b id={n}>x</p>")).collect();
        assert_eq!(refused(&many), Some(Remark::MainTooDeep));
    }

    #[test]
    fn squares_are_bounded() {
        let many = Some(Remark::MainTooManyNodes);
        let attributes = |count: usize| format!("<p{}>", " a".repeat(count));
        assert_eq!(refused(&attributes(20_000)), None);
        assert_eq!(refused(&attributes(30_000)), many);
        assert_eq!(refused(&"&".repeat(200_000)), None);
        assert_eq!(refused(&"&".repeat(250_000)), many);
        assert_eq!(
            refused(&("<p>".to_owned() + &"&".repeat(20_000)).repeat(50)),
            None
        );
    }

    #[test]
    fn nodes_are_counted() {
        assert_eq!(
            refused(&"<br>".repeat(1001)),
            Some(Remark::MainTooManyNodes)
        );
        assert_eq!(refused(&"<br>".repeat(1000)), None);
    }
}
