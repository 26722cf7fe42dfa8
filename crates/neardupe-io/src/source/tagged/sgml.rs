//! Elements within an element of SGML, where tags need not be closed and nothing is
//! declared: what counts is the first closing tag of the same name.
//!
//! A tag that is never closed harms only itself: its element is not found, everything else is.
//! Nothing is nested here in a tree, since old SGML leaves out end tags where its DTD allows it and
//! the DTD is never read.

use super::entity;
use memchr::{memchr, memchr2};
use std::ops::Range;

/// The tags of a text, in their order.
pub(in crate::source) struct Tags<'a> {
    /// The markup that the places refer to.
    text: &'a str,
    /// All tags, opening and closing, in the order of the text.
    tags: Vec<Tag>,
}

/// A tag by its places in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Tag {
    /// From `<` to after `>`.
    range: Range<usize>,
    /// The name alone.
    name: Range<usize>,
    /// Whether it begins with `</`.
    closes: bool,
}

impl<'a> Tags<'a> {
    /// Finds all tags but those within elements that are `opaque` by their name.
    pub(in crate::source) fn new(text: &'a str, opaque: &[&str]) -> Self {
        let mut tags: Vec<Tag> = Vec::new();
        // Looked for to the end once, and not there.
        let mut unclosed = vec![false; opaque.len()];
        let mut from = 0;
        while let Some(tag) = next_tag(text, from) {
            from = tag.range.end;
            let name = &text[tag.name.clone()];
            let is_opaque = |other: &&str| other.eq_ignore_ascii_case(name);
            let number = opaque.iter().position(is_opaque);
            let opens = (!tag.closes).then_some(number).flatten();
            let name = tag.name.clone();
            tags.push(tag);
            let Some(number) = opens.filter(|&number| !unclosed[number]) else {
                continue;
            };
            // Within an opaque element `<` is text: only its closing tag is looked for.
            match closing(text, from, &text[name]) {
                Some(tag) => {
                    from = tag.range.end;
                    tags.push(tag);
                }
                None => unclosed[number] = true,
            }
        }
        Tags { text, tags }
    }

    /// Names of the elements, in the order of their opening tags.
    pub(in crate::source) fn names(&self) -> impl Iterator<Item = &'a str> {
        let opening = self.tags.iter().filter(|tag| !tag.closes);
        opening.map(|tag| &self.text[tag.name.clone()])
    }

    /// The first opening tag of a name, for its attributes.
    pub(in crate::source) fn opening(&self, name: &str) -> Option<&'a str> {
        let text = self.text;
        let is_it = |tag: &&Tag| !tag.closes && self.is_named(tag, &[name]);
        self.tags
            .iter()
            .find(is_it)
            .map(|tag| &text[tag.range.clone()])
    }

    /// What the elements of any of these names hold, in their order. Elements within them
    /// are not given again.
    pub(in crate::source) fn contents(&self, names: &[&str]) -> Vec<&'a str> {
        let mut all = Vec::new();
        let mut open: Option<&Tag> = None;
        for tag in &self.tags {
            match open {
                None if !tag.closes && self.is_named(tag, names) => open = Some(tag),
                Some(start)
                    if tag.closes
                        && self.is_named(tag, &[&self.text[start.name.clone()]]) =>
                {
                    all.push(&self.text[start.range.end..tag.range.start]);
                    open = None;
                }
                _ => {}
            }
        }
        all
    }

    /// What the first element of a name holds.
    pub(in crate::source) fn content(&self, name: &str) -> Option<&'a str> {
        self.contents(&[name]).into_iter().next()
    }

    /// Whether a tag has one of these names, in any case.
    fn is_named(&self, tag: &Tag, names: &[&str]) -> bool {
        let own = &self.text[tag.name.clone()];
        names.iter().any(|name| name.eq_ignore_ascii_case(own))
    }
}

/// The first closing tag of a name.
fn closing(text: &str, mut from: usize, name: &str) -> Option<Tag> {
    loop {
        let tag = next_tag(text, from)?;
        if tag.closes && text[tag.name.clone()].eq_ignore_ascii_case(name) {
            return Some(tag);
        }
        from = tag.range.end;
    }
}

/// The next tag: `<` or `</`, a letter, and `>` before any other `<`.
fn next_tag(text: &str, mut from: usize) -> Option<Tag> {
    let bytes = text.as_bytes();
    loop {
        let start = from + memchr(b'<', &bytes[from..])?;
        from = start + 1;
        // A lone `<` in running text is no tag unless a letter follows.
        let closes = bytes.get(from) == Some(&b'/');
        let name = from + usize::from(closes);
        if !bytes.get(name).is_some_and(u8::is_ascii_alphabetic) {
            continue;
        }
        let end = name + memchr2(b'<', b'>', &bytes[name..])?;
        // `a < b and <p>`: the first `<` was text, the second may begin a tag.
        if bytes[end] == b'<' {
            from = end;
            continue;
        }
        let ends_name = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'/';
        let len = bytes[name..end].iter().position(ends_name);
        return Some(Tag {
            range: start..end + 1,
            name: name..len.map_or(end, |len| name + len),
            closes,
        });
    }
}

/// The value of an attribute in a tag, quoted or not, its entities decoded.
pub(in crate::source) fn attribute(tag: &str, name: &str) -> Option<String> {
    let rest = tag.trim_start_matches('<').trim_end_matches(['>', '/']);
    let mut rest = rest.trim_start_matches(|ch: char| !ch.is_ascii_whitespace());
    loop {
        // Each round takes one attribute; one without a value is passed over.
        rest = rest.trim_start();
        let end = rest.find(|ch: char| ch == '=' || ch.is_whitespace())?;
        let key = &rest[..end];
        rest = rest[end..].trim_start();
        let Some(after) = rest.strip_prefix('=') else {
            continue;
        };
        let after = after.trim_start();
        let quote = after.chars().next().filter(|ch| matches!(ch, '"' | '\''));
        let value = match quote {
            Some(quote) => after[1..].split(quote).next().unwrap_or_default(),
            None => after.split(char::is_whitespace).next().unwrap_or_default(),
        };
        if key.eq_ignore_ascii_case(name) {
            return Some(entity::decoded(value));
        }
        let used = value.len() + 2 * usize::from(quote.is_some());
        rest = after.get(used..).unwrap_or_default();
    }
}

/// Text without its tags, its entities decoded and its runs of space single.
pub(in crate::source) fn flat(markup: &str) -> String {
    let mut out = String::with_capacity(markup.len());
    let mut from = 0;
    while let Some(tag) = next_tag(markup, from) {
        entity::decode(&markup[from..tag.range.start], &mut out);
        out.push(' ');
        from = tag.range.end;
    }
    entity::decode(&markup[from..], &mut out);
    single_spaces(&out)
}

/// Text with every run of white space made one space, and none at its ends.
pub(in crate::source) fn single_spaces(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_ascii_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_found_by_name_in_any_case() {
        let text = "<A>one</a> x < y <b c=1>two</B><A>three <B>four</B></A><C>";
        let tags = Tags::new(text, &[]);
        assert_eq!(tags.contents(&["a"]), ["one", "three <B>four</B>"]);
        assert_eq!(tags.contents(&["b"]), ["two", "four"]);
        assert_eq!(tags.contents(&["B", "A"]).len(), 3);
        assert_eq!(tags.content("c"), None);
        assert_eq!(tags.opening("B"), Some("<b c=1>"));
        assert_eq!(tags.names().collect::<Vec<_>>(), ["A", "b", "A", "B", "C"]);
    }

    #[test]
    fn nothing_is_seen_within_what_is_opaque() {
        let text = "<TEXT>a <TI>no</TI> <b </TEXT><TI>yes</TI><TEXT><TI>late</TI>";
        let tags = Tags::new(text, &["text"]);
        assert_eq!(tags.contents(&["TI"]), ["yes", "late"]);
        assert_eq!(tags.contents(&["text"]), ["a <TI>no</TI> <b "]);
    }

    #[test]
    fn attributes_are_read_quoted_or_not() {
        let tag = "<R A = \"x y\" NEWID='1&amp;2' c=3 d>";
        assert_eq!(attribute(tag, "a").as_deref(), Some("x y"));
        assert_eq!(attribute(tag, "newid").as_deref(), Some("1&2"));
        assert_eq!(attribute(tag, "C").as_deref(), Some("3"));
        assert_eq!(attribute(tag, "d"), None);
        assert_eq!(attribute("<R a='b", "a").as_deref(), Some("b"));
        assert_eq!(attribute("<R>", "a"), None);
    }

    #[test]
    fn tags_become_spaces() {
        let markup = "<P>\n Fish &amp; <B>chips</B>\n</P> 1 < 2 <P>&lt;P&gt;";
        assert_eq!(flat(markup), "Fish & chips 1 < 2 <P>");
    }

    #[test]
    fn strange_tags_take_linear_time() {
        for piece in ["<a ", "<a>", "</a>", "<text>", "<", "<a b=\"", "<text <"] {
            let text = piece.repeat(300_000);
            let started = std::time::Instant::now();
            let tags = Tags::new(&text, &["text", "a"]);
            tags.contents(&["text"]);
            flat(&text);
            assert!(started.elapsed().as_secs() < 10, "{piece}");
        }
    }
}
