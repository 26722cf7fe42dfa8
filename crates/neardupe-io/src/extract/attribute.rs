//! The inside of a tag: attributes and the end of the tag (WHATWG HTML 13.2.5.32 to 40).

use memchr::memchr;
use std::ops::Range;

/// What stands next inside a tag.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum AttributePart {
    /// An attribute; the value is as written, empty when there is none.
    Attribute {
        /// Place of the name in the page.
        name: Range<usize>,
        /// Place of the value in the page, without its quotes.
        value: Range<usize>,
    },
    /// `>` or `/>`.
    End { self_closing: bool },
    /// The document ends inside the tag.
    Unfinished,
}

/// HTML's white space.
#[inline]
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | b'\r' | b'\x0C')
}

/// Reads what stands at `at`, a place after the tag's name or after an attribute, and
/// moves `at` past it.
#[inline]
pub(super) fn next_part(html: &[u8], at: &mut usize) -> AttributePart {
    let mut place = *at;
    let mut after_slash = false;
    // Between attributes: white space and slashes.
    loop {
        match html.get(place) {
            None => return unfinished(html, at),
            Some(b'>') => {
                *at = place + 1;
                return AttributePart::End {
                    self_closing: after_slash,
                };
            }
            Some(b'/') => after_slash = true,
            Some(&byte) if is_space(byte) => after_slash = false,
            Some(_) => break,
        }
        place += 1;
    }
    // A name; an equals sign is part of it in the first place only.
    let name_start = place;
    place += 1;
    while let Some(&byte) = html.get(place) {
        if is_space(byte) || matches!(byte, b'=' | b'>' | b'/') {
            break;
        }
        place += 1;
    }
    let name = name_start..place;
    // White space may stand on both sides of the equals sign.
    let mut equals = place;
    while html.get(equals).is_some_and(|&byte| is_space(byte)) {
        equals += 1;
    }
    if html.get(equals) != Some(&b'=') {
        // The space is read again: a slash may follow it.
        *at = place;
        return AttributePart::Attribute {
            name,
            value: place..place,
        };
    }
    place = equals + 1;
    while html.get(place).is_some_and(|&byte| is_space(byte)) {
        place += 1;
    }
    match html.get(place) {
        None => unfinished(html, at),
        Some(&quote @ (b'"' | b'\'')) => {
            let start = place + 1;
            let Some(length) = find_quote(quote, &html[start..]) else {
                return unfinished(html, at);
            };
            *at = start + length + 1;
            AttributePart::Attribute {
                name,
                value: start..start + length,
            }
        }
        Some(_) => {
            let start = place;
            while let Some(&byte) = html.get(place) {
                if is_space(byte) || byte == b'>' {
                    break;
                }
                place += 1;
            }
            *at = place;
            AttributePart::Attribute {
                name,
                value: start..place,
            }
        }
    }
}

/// Most values are short, where a plain loop beats the start of a vector search.
#[inline]
fn find_quote(quote: u8, html: &[u8]) -> Option<usize> {
    const SHORT: usize = 16;
    let short = &html[..html.len().min(SHORT)];
    if let Some(place) = short.iter().position(|&byte| byte == quote) {
        return Some(place);
    }
    Some(short.len() + memchr(quote, &html[short.len()..])?)
}

// Out of line, since it ends a page and so happens at most once.
#[cold]
fn unfinished(html: &[u8], at: &mut usize) -> AttributePart {
    *at = html.len();
    AttributePart::Unfinished
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `name=value` of all attributes, then the end.
    fn parts(tag: &str) -> String {
        let mut at = 0;
        let mut text = String::new();
        loop {
            match next_part(tag.as_bytes(), &mut at) {
                AttributePart::Attribute { name, value } => {
                    text += &format!("[{}|{}]", &tag[name], &tag[value]);
                }
                AttributePart::End { self_closing } => {
                    return text + if self_closing { "/" } else { "." };
                }
                AttributePart::Unfinished => return text + "!",
            }
        }
    }

    #[test]
    fn attributes_are_read_as_the_standard_says() {
        assert_eq!(parts(" a=b c = 'd>' E=\"\" f>"), "[a|b][c|d>][E|][f|].");
        assert_eq!(parts("/>"), "/");
        assert_eq!(parts(" a/>"), "[a|]/");
        assert_eq!(parts(" a=b/>"), "[a|b/].");
        assert_eq!(parts(" a / b>"), "[a|][b|].");
        assert_eq!(parts(" ='x' y>"), "[='x'|][y|].");
        assert_eq!(parts(" =a=b>"), "[=a|b].");
        assert_eq!(parts(" a=b\"c>"), "[a|b\"c].");
        assert_eq!(parts(" a==\"c>"), "[a|=\"c].");
        assert_eq!(parts(" a=>"), "[a|].");
        assert_eq!(parts(" a=\"b\"c>"), "[a|b][c|].");
        assert_eq!(parts(" a=\"b>"), "!");
        assert_eq!(parts(" a="), "!");
        assert_eq!(parts(" a"), "[a|]!");
    }
}
