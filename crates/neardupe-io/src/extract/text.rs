//! Writes the text of a document: white space collapsed, entities decoded.
//!
//! White space is what Unicode calls so, no-break spaces included: pages use them to push
//! things about. Soft hyphens are left out, they stand inside words. NUL, which no text
//! may hold, becomes U+FFFD.

use super::tag::Gap;

/// Appends to a text. A gap is written only when something follows it, so the text has
/// none at its ends and never two in a row.
#[derive(Debug)]
pub(super) struct TextWriter<'a> {
    /// The text that is appended to; other documents may stand before.
    out: &'a mut String,
    /// Where this document's text begins.
    base: usize,
    /// The widest gap since the last text.
    gap: Gap,
}

impl<'a> TextWriter<'a> {
    /// A writer at the end of `out`.
    pub(super) fn new(out: &'a mut String) -> Self {
        let base = out.len();
        TextWriter {
            out,
            base,
            gap: Gap::None,
        }
    }

    /// Where the next text is appended, before the gap that may come first.
    #[inline]
    pub(super) fn end(&self) -> usize {
        self.out.len()
    }

    /// Whether a gap stands at this place, which lies before the end.
    #[inline]
    pub(super) fn is_gap_at(&self, at: usize) -> bool {
        matches!(self.out.as_bytes()[at], b' ' | b'\n')
    }

    /// What follows is apart from what is there by at least this.
    #[inline]
    pub(super) fn part(&mut self, gap: Gap) {
        self.gap = self.gap.max(gap);
    }

    /// Text as written in the document.
    #[inline]
    pub(super) fn push(&mut self, text: &str, entities: bool) {
        let bytes = text.as_bytes();
        // What is read and plain, but not yet written, begins here.
        let mut start = 0;
        let mut at = 0;
        loop {
            // After a gap another space would be one too many.
            if start < at || bytes.get(at) != Some(&b' ') {
                at += plain_length(&bytes[at..]);
            }
            let Some(&byte) = bytes.get(at) else {
                break;
            };
            let (kind, length) = special(text, at, byte, entities);
            if kind != Special::Plain {
                self.write(&text[start..at]);
                start = at + length;
            }
            at += length;
            match kind {
                Special::Plain | Special::Nothing => {}
                Special::Space => self.part(Gap::Space),
                Special::Nul => self.write("\u{FFFD}"),
                Special::Entity => self.entity(&text[at - length..at]),
            }
        }
        self.write(&text[start..]);
    }

    /// Writes text that is ready, after the gap that waits. The gap at the very start is
    /// dropped.
    #[inline]
    fn write(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if self.gap != Gap::None {
            if self.out.len() > self.base {
                let gap = if self.gap == Gap::Line { '\n' } else { ' ' };
                self.out.push(gap);
            }
            self.gap = Gap::None;
        }
        self.out.push_str(text);
    }

    /// Writes a character reference. Six common ones need no search in the table of names.
    fn entity(&mut self, reference: &str) {
        match reference {
            "&nbsp;" => self.part(Gap::Space),
            "&amp;" => self.write("&"),
            "&quot;" => self.write("\""),
            "&#39;" => self.write("'"),
            "&lt;" => self.write("<"),
            "&gt;" => self.write(">"),
            // Decoded text is pushed again, since `&#32;` and `&shy;` become white space and
            // soft hyphens. An entity decodes to no entity.
            other => self.push(&htmlize::unescape(other), false),
        }
    }
}

/// What a byte that is not plain turns out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Special {
    /// It is written as it is.
    Plain,
    /// White space.
    Space,
    /// A soft hyphen, which is dropped.
    Nothing,
    /// A zero byte.
    Nul,
    /// A character reference.
    Entity,
}

/// Looks at the byte at `at`; the answer also says how many bytes belong to it.
#[inline]
fn special(text: &str, at: usize, byte: u8, entities: bool) -> (Special, usize) {
    let bytes = text.as_bytes();
    match byte {
        b' ' | b'\t'..=b'\r' => {
            let spaces = bytes[at..].iter();
            let length = spaces
                .take_while(|&&byte| matches!(byte, b' ' | b'\t'..=b'\r'))
                .count();
            (Special::Space, length)
        }
        0 => (Special::Nul, 1),
        b'&' if entities => match reference_length(&bytes[at..]) {
            0 => (Special::Plain, 1),
            length => (Special::Entity, length),
        },
        // The first bytes of all white space beyond ASCII, and of the soft hyphen.
        0xC2 | 0xE1..=0xE3 => match text[at..].chars().next() {
            Some('\u{AD}') => (Special::Nothing, 2),
            Some(char) if char.is_whitespace() => (Special::Space, char.len_utf8()),
            Some(char) => (Special::Plain, char.len_utf8()),
            None => (Special::Plain, 1),
        },
        _ => (Special::Plain, 1),
    }
}

/// Bytes at the start that are written as they are. A single space between words is
/// plain, so that whole sentences are copied at once; the last byte never counts as one.
///
/// The inner loop has no branches: the compiler makes vector code of it.
#[inline]
fn plain_length(bytes: &[u8]) -> usize {
    const LANES: usize = 16;
    let mut at = 0;
    while let Some(block) = bytes.get(at..at + LANES + 1) {
        let (block, followers) = (&block[..LANES], &block[1..]);
        let mut found = 0;
        for (&byte, &follower) in block.iter().zip(followers) {
            found |= u8::from(!is_plain(byte, follower));
        }
        if found != 0 {
            // Something in this block may matter to the text; the loop below finds where.
            break;
        }
        at += LANES;
    }
    while let Some(&byte) = bytes.get(at) {
        let follower = bytes.get(at + 1).copied().unwrap_or(b' ');
        if !is_plain(byte, follower) {
            break;
        }
        at += 1;
    }
    at
}

/// A space is plain when a word follows; one that begins a text is not asked about here.
#[inline]
fn is_plain(byte: u8, follower: u8) -> bool {
    !(is_odd(byte) | ((byte == b' ') & (is_odd(follower) | (follower == b' '))))
}

/// Control characters, `&`, and the first bytes of white space beyond ASCII.
#[inline]
fn is_odd(byte: u8) -> bool {
    (byte < b' ') | (byte == b'&') | (byte == 0xC2) | (byte.wrapping_sub(0xE1) <= 2)
}

/// Length of what may be a character reference at the start, `&` and semicolon included;
/// 0 when it cannot be one. The longest name has 31 letters and a semicolon.
fn reference_length(bytes: &[u8]) -> usize {
    const MAX_NAME_LENGTH: usize = 31;
    let (prefix, max) = match bytes.get(1..) {
        Some([b'#', b'x' | b'X', ..]) => (3, usize::MAX),
        Some([b'#', ..]) => (2, usize::MAX),
        _ => (1, MAX_NAME_LENGTH),
    };
    let belongs = |byte: &u8| match prefix {
        3 => byte.is_ascii_hexdigit(),
        2 => byte.is_ascii_digit(),
        _ => byte.is_ascii_alphanumeric(),
    };
    let rest = bytes[prefix..].iter();
    let length = rest.take(max).take_while(|byte| belongs(byte)).count();
    if length == 0 {
        return 0;
    }
    let semicolon = bytes.get(prefix + length) == Some(&b';');
    prefix + length + usize::from(semicolon)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(html: &str) -> String {
        let mut out = String::new();
        TextWriter::new(&mut out).push(html, true);
        out
    }

    #[test]
    fn white_space_collapses() {
        assert_eq!(text("  a \t\r\n b\u{A0}\u{3000}c\u{2003} d  "), "a b c d");
        assert_eq!(text("a b  c"), "a b c");
        assert_eq!(text("co\u{AD}op “é” 。ㅎ"), "coop “é” 。ㅎ");
        assert_eq!(text("a\0b\x01c"), "a\u{FFFD}b\x01c");
        assert_eq!(text(" \n "), "");
        for length in 0..70 {
            let words = "x".repeat(length);
            assert_eq!(
                text(&format!("{words} {words}  y ")).matches(' ').count(),
                { if length == 0 { 0 } else { 2 } }
            );
        }
    }

    #[test]
    fn entities_follow_the_standard() {
        assert_eq!(text("&lt;&amp;&gt;&quot;&#39;&apos;"), "<&>\"''");
        assert_eq!(text("&notit; &notin; &not &copy2"), "¬it; ∉ ¬ ©2");
        assert_eq!(text("&NotEqualTilde;"), "≂\u{338}");
        assert_eq!(text("&#x41;&#65&#X42;&#x80;&#150;"), "AAB€–");
        assert_eq!(
            text("&#0;&#xD800;&#x110000;&#99999999999;"),
            "\u{FFFD}".repeat(4)
        );
        assert_eq!(text("a&nbsp;&#32;&#xA0;&#10;b&shy;c"), "a bc");
        assert_eq!(text("& &; &# &#; &#x; &x; &nosuch; &&amp;"), {
            "& &; &# &#; &#x; &x; &nosuch; &&"
        });
        assert_eq!(text("&CounterClockwiseContourIntegral;"), "∳");
        assert_eq!(text(&format!("&#{}65;", "0".repeat(500))), "A");
        assert_eq!(text("&amp;lt;"), "&lt;");
        assert_eq!(text("é&eacute;&ampé"), "éé&é");
    }
}
