//! Splits HTML into text and tags, as the tokenizer of the standard does (WHATWG HTML
//! 13.2.5), with the feedback of tree construction in the cases that change the text:
//! raw text elements and foreign content.
//!
//! Nothing is built and nothing is looked at twice: the time is linear in the length,
//! whatever the input, and the memory bounded. Comments, doctypes and processing
//! instructions are passed over, so text goes on after them as if they were not there.

use super::attribute::{AttributePart, is_space, next_part};
use super::foreign::Foreign;
use super::raw;
use super::tag::{Inside, Key, MAX_KEY_LENGTH, Tag, tag_of};
use memchr::{memchr, memmem};

/// What stands next in the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// Text, with or without entities to decode.
    Text { text: &'a str, entities: bool },
    /// A start tag.
    Start(StartTag),
    /// An end tag.
    End { tag: Tag, key: Key },
}

/// A start tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StartTag {
    /// What the element means for the text.
    pub(super) tag: Tag,
    /// Its name.
    pub(super) key: Key,
    /// Where its attributes begin in the document.
    pub(super) attributes: usize,
    /// How many attributes it has; the guard counts their cost.
    pub(super) num_attributes: u64,
    /// Whether it ends with `/>`, which has a meaning in foreign content only.
    pub(super) self_closing: bool,
    /// Part of SVG or MathML: the name has not the meaning it has in HTML.
    pub(super) foreign: bool,
}

/// Reads a document from its start.
#[derive(Debug)]
pub(super) struct Scanner<'a> {
    /// The whole page.
    html: &'a str,
    /// Where the next token begins.
    at: usize,
    /// Whether SVG or MathML is open.
    foreign: Foreign,
    /// The raw text element that was opened by the tag before.
    open_raw: Option<(Inside, Key)>,
}

impl<'a> Scanner<'a> {
    /// A scanner at the start of a page.
    pub(super) fn new(html: &'a str) -> Self {
        Scanner {
            html,
            at: 0,
            foreign: Foreign::default(),
            open_raw: None,
        }
    }

    /// Where the next token begins.
    pub(super) fn place(&self) -> usize {
        self.at
    }

    /// The next token; None at the end.
    #[inline]
    pub(super) fn next_token(&mut self) -> Option<Token<'a>> {
        if let Some((inside, key)) = self.open_raw.take()
            && let Some(token) = self.raw_text(inside, key)
        {
            return Some(token);
        }
        let bytes = self.html.as_bytes();
        loop {
            let rest = bytes.get(self.at..)?;
            if rest.first() != Some(&b'<') {
                return self.text(0);
            }
            match rest.get(1) {
                // "<3" and "a < b" are text: only a letter begins a tag (13.2.5.6, tag open state).
                Some(byte) if byte.is_ascii_alphabetic() => {
                    self.at += 1;
                    return self.start_tag();
                }
                Some(b'/') => match rest.get(2) {
                    Some(byte) if byte.is_ascii_alphabetic() => {
                        self.at += 2;
                        return self.end_tag();
                    }
                    Some(_) => self.skip_past_bracket(2),
                    // At the end of the document "</" is text, before anything else a bogus comment.
                    None => return self.text(2),
                },
                Some(b'!') => {
                    if let Some(text) = self.declaration() {
                        return Some(text);
                    }
                }
                Some(b'?') => self.skip_past_bracket(2),
                _ => return self.text(1),
            }
        }
    }

    /// Text up to the next `<` that is at least `known` bytes away.
    #[inline]
    fn text(&mut self, known: usize) -> Option<Token<'a>> {
        let start = self.at;
        let from = start + known;
        let bytes = self.html.as_bytes();
        let length = memchr(b'<', &bytes[from..]).unwrap_or(bytes.len() - from);
        self.at = from + length;
        if self.at == start {
            return None;
        }
        Some(Token::Text {
            text: &self.html[start..self.at],
            entities: true,
        })
    }

    /// Reads a start tag whose name begins here. None when the page ends within it, which drops
    /// the tag, as in browsers.
    #[inline]
    fn start_tag(&mut self) -> Option<Token<'a>> {
        let key = self.name();
        let attributes = self.at;
        let (self_closing, num_attributes) = self.skip_attributes()?;
        let tag = tag_of(key);
        let foreign = self.foreign.start(tag, self_closing);
        if tag.inside != Inside::Markup && !foreign {
            self.open_raw = Some((tag.inside, key));
        }
        Some(Token::Start(StartTag {
            tag,
            key,
            attributes,
            num_attributes,
            self_closing,
            foreign,
        }))
    }

    /// Reads an end tag. It may have attributes, which mean nothing.
    #[inline]
    fn end_tag(&mut self) -> Option<Token<'a>> {
        let key = self.name();
        self.skip_attributes()?;
        let tag = tag_of(key);
        self.foreign.end(tag, key);
        Some(Token::End { tag, key })
    }

    /// The name that begins here.
    #[inline]
    fn name(&mut self) -> Key {
        let rest = &self.html.as_bytes()[self.at..];
        let mut key: Key = 0;
        let mut length = 0;
        // The number wraps for long names, which is harmless: they become 0 below.
        for &byte in rest {
            if is_space(byte) || byte == b'/' || byte == b'>' {
                break;
            }
            key = key << 8 | Key::from(byte.to_ascii_lowercase());
            length += 1;
        }
        self.at += length;
        if length > MAX_KEY_LENGTH { 0 } else { key }
    }

    /// To the end of the tag; whether it closes itself, and the number of its attributes.
    /// None at the end of the document.
    #[inline]
    fn skip_attributes(&mut self) -> Option<(bool, u64)> {
        let bytes = self.html.as_bytes();
        if bytes.get(self.at) == Some(&b'>') {
            self.at += 1;
            return Some((false, 0));
        }
        let mut num_attributes = 0;
        loop {
            match next_part(bytes, &mut self.at) {
                AttributePart::Attribute { .. } => num_attributes += 1,
                AttributePart::End { self_closing } => {
                    return Some((self_closing, num_attributes));
                }
                AttributePart::Unfinished => return None,
            }
        }
    }

    /// After `<!`: a comment, a doctype, or in foreign content text.
    fn declaration(&mut self) -> Option<Token<'a>> {
        let rest = &self.html.as_bytes()[self.at..];
        if rest.starts_with(b"<!--") {
            self.at += comment_length(rest);
            return None;
        }
        let cdata = b"<![CDATA[";
        if self.foreign.is_inside() && rest.starts_with(cdata) {
            let start = self.at + cdata.len();
            let text = &self.html[start..];
            let end = memmem::find(text.as_bytes(), b"]]>");
            self.at = end.map_or(self.html.len(), |end| start + end + 3);
            let text = end.map_or(text, |end| &text[..end]);
            return Some(Token::Text {
                text,
                entities: false,
            });
        }
        self.skip_past_bracket(2);
        None
    }

    /// What the standard calls a bogus comment, and doctypes.
    fn skip_past_bracket(&mut self, known: usize) {
        let from = self.at + known;
        let rest = &self.html.as_bytes()[from..];
        self.at = memchr(b'>', rest).map_or(self.html.len(), |end| from + end + 1);
    }

    /// The text of a raw text element; None when it is empty or nobody reads it. The end
    /// tag is read next.
    fn raw_text(&mut self, inside: Inside, key: Key) -> Option<Token<'a>> {
        let rest = &self.html[self.at..];
        let bytes = rest.as_bytes();
        let length = match inside {
            Inside::Markup => 0,
            Inside::Script => raw::script_length(bytes),
            Inside::Plaintext => bytes.len(),
            Inside::Rcdata | Inside::Raw | Inside::Dropped => raw::length(bytes, key),
        };
        self.at += length;
        let dropped = matches!(inside, Inside::Script | Inside::Dropped);
        if length == 0 || dropped {
            return None;
        }
        Some(Token::Text {
            text: &rest[..length],
            entities: inside == Inside::Rcdata,
        })
    }
}

/// Length of a comment whose `<!--` stands at the start. It ends with `-->` or `--!>`;
/// the dashes of the former may be those of the beginning.
fn comment_length(html: &[u8]) -> usize {
    let opening = "<!--".len();
    match html.get(opening..) {
        Some([b'>', ..]) => return opening + 1,
        Some([b'-', b'>', ..]) => return opening + 2,
        _ => {}
    }
    let mut at = opening;
    while let Some(dashes) = memmem::find(&html[at..], b"--") {
        at += dashes + 2;
        while html.get(at) == Some(&b'-') {
            at += 1;
        }
        match html.get(at..) {
            Some([b'>', ..]) => return at + 1,
            Some([b'!', b'>', ..]) => return at + 2,
            _ => {}
        }
    }
    html.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts as they are, tags as their names in brackets.
    fn tokens(html: &str) -> String {
        let mut scanner = Scanner::new(html);
        let mut all = String::new();
        while let Some(token) = scanner.next_token() {
            match token {
                Token::Text { text, .. } => all += text,
                Token::Start(start) => all += &format!("[{}]", name(start.key)),
                Token::End { key, .. } => all += &format!("[/{}]", name(key)),
            }
        }
        all
    }

    fn name(key: Key) -> String {
        let bytes = key.to_be_bytes();
        let bytes = bytes.into_iter().skip_while(|&byte| byte == 0).collect();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn tags_and_text_are_told_apart() {
        assert_eq!(tokens("a<B c='>'>d</b >e"), "a[b]d[/b]e");
        assert_eq!(tokens("1 < 2 <3 <"), "1 < 2 <3 <");
        assert_eq!(tokens("a</"), "a</");
        assert_eq!(tokens("a</>b</ c>d"), "abd");
        assert_eq!(tokens("a<b c=\"d>e"), "a");
        assert_eq!(tokens("a<b/>c<?x y?>d<!doctype '>'>e"), "a[b]cd'>e");
        assert_eq!(tokens("<a-very-long-name-indeed>x"), "[]x");
        assert_eq!(tokens(""), "");
    }

    #[test]
    fn comments_end_as_the_standard_says() {
        assert_eq!(tokens("a<!-->b"), "ab");
        assert_eq!(tokens("a<!--->b"), "ab");
        assert_eq!(tokens("a<!---->b"), "ab");
        assert_eq!(tokens("a<!-- - -- > --->b"), "ab");
        assert_eq!(tokens("a<!-- <!-- --!>b"), "ab");
        assert_eq!(tokens("a<!--!>b-->c"), "ac");
        assert_eq!(tokens("a<!---!>b-->c"), "ac");
        assert_eq!(tokens("a<!----!>b-->c"), "ab-->c");
        assert_eq!(tokens("a<!-- b"), "a");
        assert_eq!(tokens("a<!-b>c"), "ac");
    }

    #[test]
    fn raw_text_ends_at_its_end_tag_only() {
        assert_eq!(tokens("<style>a<b></b></STYLE >c"), "[style][/style]c");
        assert_eq!(tokens("<xmp>a<b></xmpx></xmp>c"), "[xmp]a<b></xmpx>[/xmp]c");
        assert_eq!(tokens("<title>a<b</title/>c"), "[title]a<b[/title]c");
        assert_eq!(tokens("<script>a"), "[script]");
        assert_eq!(tokens("<textarea>a"), "[textarea]a");
        assert_eq!(
            tokens("<plaintext>a</plaintext>"),
            "[plaintext]a</plaintext>"
        );
        assert_eq!(tokens("<title/>a<b></title>c"), "[title]a<b>[/title]c");
    }

    #[test]
    fn foreign_content_has_rules_of_its_own() {
        assert_eq!(
            tokens("<svg><title>a<b>c</b></title><style>d<x></style></svg>"),
            "[svg][title]a[b]c[/b][/title][style]d[x][/style][/svg]"
        );
        assert_eq!(tokens("<svg><![CDATA[a<b>]]>c"), "[svg]a<b>c");
        assert_eq!(tokens("<svg/><![CDATA[a<b>]]>c"), "[svg]]]>c");
        assert_eq!(
            tokens("<svg><p><style>a</style>"),
            "[svg][p][style][/style]"
        );
        assert_eq!(
            tokens(
                "<svg><foreignObject><style>a</style></foreignObject><style>b</style>"
            ),
            "[svg][foreignobject][style][/style][/foreignobject][style]b[/style]"
        );
    }
}
