//! Lines: which newlines end a sentence.
//!
//! Some texts have a paragraph on each line (what is made of HTML has), others are wrapped at a
//! width, and headings and items of lists have lines of their own in both. A line was wrapped when
//! its next word did not fit, so no line after it is longer than it would have become with that
//! word. Nothing beyond the paragraph, which ends at a blank line, is looked at, and of it only the
//! line before and the two after: so a paragraph is cut alike wherever it is copied to.

use super::marks::{is_lower, is_wordy};
use super::scan;
use crate::numbers;

/// A shorter line was not wrapped, whatever follows: columns of headings and items.
const NARROW: u32 = 25;
/// A longer line is a paragraph by itself.
const WIDE: u32 = 130;
/// The least width for a next line that begins with a capital.
const CAPITAL: u32 = 45;
/// The same where only two lines can be compared.
const CAPITAL_OF_TWO: u32 = 60;
/// Lines of more bytes are wider than [`WIDE`] in any script.
const MAX_BYTES: usize = 4 * WIDE as usize;

/// One line of a text, as far as the rules look at it. Made once, in one pass over the text.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Line {
    /// Where its first sign is.
    pub(super) ink: usize,
    /// White space only.
    pub(super) blank: bool,
    /// An item of a list, by its first signs.
    item: bool,
    /// A heading, by its first sign.
    heading: bool,
    /// The first letter is a small one.
    lower: bool,
    /// Ends with a sign after which something must follow.
    open: bool,
    /// Columns before the text.
    indent: u32,
    /// Columns of the whole.
    columns: u32,
}

/// Puts the lines of a text into `lines`, and one more at its end that is blank: so each line has a
/// next one, and the text ends as a paragraph does.
pub(super) fn lines(text: &str, lines: &mut Vec<Line>) {
    lines.clear();
    let mut start = 0;
    while start < text.len() {
        let (end, is_ascii) = scan::line(text.as_bytes(), start);
        let line = &text[start..end];
        let content = if is_ascii {
            trim_ascii(line)
        } else {
            trim(line)
        };
        let (indent, content) = content;
        lines.push(if content.is_empty() {
            blank(start)
        } else {
            Line {
                ink: content.as_ptr().addr() - text.as_ptr().addr(),
                indent,
                columns: indent + columns(content, is_ascii),
                ..signs(content)
            }
        });
        start = end;
    }
    lines.push(blank(start));
}

/// A line without a sign. Its `ink` is its beginning, for the last one the end of the text.
fn blank(ink: usize) -> Line {
    Line {
        ink,
        blank: true,
        ..Line::default()
    }
}

/// A line without white space around it, and the columns before it.
fn trim(line: &str) -> (u32, &str) {
    let content = line.trim_start();
    let indent = &line[..line.len() - content.len()];
    (columns(indent, false), content.trim_end())
}

/// [`trim`] for ASCII, without decoding.
fn trim_ascii(line: &str) -> (u32, &str) {
    // What `trim` takes as white space in ASCII; without decoding.
    let is_ink = |byte: &u8| !matches!(byte, b'\t'..=b'\r' | b' ');
    let bytes = line.as_bytes();
    let start = bytes.iter().position(is_ink).unwrap_or(bytes.len());
    let end = bytes
        .iter()
        .rposition(is_ink)
        .map_or(start, |last| last + 1);
    (columns(&line[..start], true), &line[start..end])
}

/// The marks of a line that its first and last signs give; places and columns are filled in by the
/// caller.
fn signs(content: &str) -> Line {
    // Quotes and brackets may come before it.
    let first_letter = content.chars().take(16).find(|&ch| is_wordy(ch));
    Line {
        item: is_item(content),
        heading: content.starts_with('#'),
        lower: first_letter.is_some_and(is_lower),
        open: matches!(
            content.chars().next_back(),
            Some('-' | ',' | '，' | '、' | '،' | '‐')
        ),
        ..Line::default()
    }
}

/// Columns of a text on a terminal, nearly: ideographs and their like have two. Very long lines are
/// not counted, and are wider than any limit.
fn columns(text: &str, is_ascii: bool) -> u32 {
    if text.len() > MAX_BYTES {
        return 2 * WIDE;
    }
    let columns = if is_ascii {
        text.len()
    } else {
        let bytes = text.as_bytes();
        let characters = bytes.iter().filter(|&&byte| byte & 0xc0 != 0x80).count();
        // Bytes from 0xe3 on begin the characters from U+3000 on: ideographs, kana, Hangul,
        // fullwidth forms, emoji, nearly all of two columns.
        characters + bytes.iter().filter(|&&byte| byte >= 0xe3).count()
    };
    // At most two for each of `MAX_BYTES`.
    numbers::of_len(columns)
}

/// Whether a line begins as an item of a list does: a bullet; a number, a letter or a Roman number
/// with a dot or brackets; the like in Chinese. A dash or star needs a space after it: otherwise it
/// begins a number or emphasis.
fn is_item(text: &str) -> bool {
    let mut chars = text.chars();
    let first = chars.next().unwrap_or(' ');
    match first {
        '-' | '*' | '+' | '–' | '—' => chars.next().is_some_and(char::is_whitespace),
        '#'
        | '|'
        | '•'
        | '·'
        | '‣'
        | '◦'
        | '▪'
        | '●'
        | '○'
        | '■'
        | '□'
        | '►'
        | '▶'
        | '①'..='⑳'
        | '※'
        | '◆'
        | '★' => true,
        '(' | '[' | '（' | '〔' => {
            let inner = chars.as_str();
            let end = inner.find([')', ']', '）', '〕']);
            end.is_some_and(|end| is_number(&inner[..end]))
        }
        '第' => {
            let rest = chars.as_str().trim_start_matches(is_chinese_digit);
            rest.len() < chars.as_str().len()
                && rest.starts_with(['条', '章', '节', '编', '款'])
        }
        _ if first.is_ascii_alphanumeric() => {
            // Most lines begin with a word.
            if text
                .as_bytes()
                .get(..5)
                .is_some_and(|begin| begin.iter().all(u8::is_ascii_alphabetic))
            {
                return false;
            }
            let end = text.find(|ch: char| !ch.is_ascii_alphanumeric() && ch != '.');
            let (number, rest) = text.split_at(end.unwrap_or(text.len()));
            if rest.starts_with(')') {
                return is_number(number);
            }
            let Some(number) = number.strip_suffix('.') else {
                return false;
            };
            // A capital with a dot is the beginning of a name at least as often.
            let initial = number.len() == 1 && first.is_ascii_uppercase();
            !initial && rest.starts_with(char::is_whitespace) && is_number(number)
        }
        _ if is_chinese_digit(first) => {
            text.trim_start_matches(is_chinese_digit).starts_with('、')
        }
        _ => false,
    }
}

/// `12`, `1.2`, `a`, `iv`, `十二`.
fn is_number(text: &str) -> bool {
    let bytes = text.as_bytes();
    match bytes.first() {
        None => false,
        Some(byte) if byte.is_ascii_digit() => text
            .split('.')
            .all(|part| (1..=3).contains(&part.len()) && part.bytes().all(is_digit)),
        Some(byte) if byte.is_ascii_alphabetic() => {
            text.len() == 1
                || text.len() <= 4 && bytes.iter().all(|byte| b"ivxIVX".contains(byte))
        }
        _ => text.len() <= 9 && text.chars().all(is_chinese_digit),
    }
}

fn is_digit(byte: u8) -> bool {
    byte.is_ascii_digit()
}

/// Digits in which Chinese numbers items and articles of laws.
fn is_chinese_digit(ch: char) -> bool {
    matches!(
        ch,
        '一' | '二' | '三' | '四' | '五' | '六' | '七' | '八' | '九' | '十' | '百' | '零'
            | '〇' | '0'..='9' | '０'..='９'
    )
}

/// Whether the newline after line `at` ends a sentence; `num_before` is the number of newlines
/// right before it that did not. There is a line after it. The first rule that applies decides:
/// signs of structure, then a small letter or an open end, then indentation, then widths.
pub(super) fn ends(text: &str, lines: &[Line], at: usize, num_before: usize) -> bool {
    let (line, next) = (&lines[at], &lines[at + 1]);
    // Structure ends a sentence whatever the letters say.
    if line.blank || next.blank || next.item || line.heading || line.columns > WIDE {
        return true;
    }
    // No sentence begins with a small letter: the line goes on, unless it is too short to have been
    // wrapped.
    if next.lower || line.open {
        return line.columns < NARROW;
    }
    if next.begins_paragraph(line) {
        return true;
    }
    // A third line of the same paragraph is a further witness of its width.
    let after = lines.get(at + 2);
    let after = after
        .filter(|after| !after.blank && !after.item && !after.begins_paragraph(next));
    // Two lines that begin with capitals may be two headings: they must be wider to be taken as one
    // sentence.
    let two = num_before == 0 && after.is_none();
    let least = if two { CAPITAL_OF_TWO } else { CAPITAL };
    let fits = |line: &Line, next: &Line| fits(text, line, next);
    let wrapped = line.columns >= least
        && fits(line, next)
        // The first line of a paragraph may have begun further right.
        && (num_before < 2 || fits(&lines[at - 1], line))
        && after.is_none_or(|after| next.columns >= CAPITAL && fits(next, after));
    !wrapped
}

/// Whether `next` can be a line after `line` in a text wrapped at some width: the width is less
/// than that of `line` with the first word of `next`, so `next` must not be longer than that.
fn fits(text: &str, line: &Line, next: &Line) -> bool {
    let longest = line.columns + 1;
    // The usual case, without looking for the word.
    if next.columns <= longest {
        return true;
    }
    let begin = &text[next.ink..];
    let word = begin.find(char::is_whitespace).unwrap_or(begin.len());
    next.columns <= longest + columns(&begin[..word], false)
}

impl Line {
    /// Whether it begins further right than the line before, as paragraphs do. The text of an item
    /// is indented too, so after an item it does not count.
    fn begins_paragraph(&self, before: &Line) -> bool {
        self.indent >= 2 && self.indent > before.indent && !before.item
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_known_by_their_first_signs() {
        for text in [
            "- x",
            "* x",
            "• x",
            "1. x",
            "12) x",
            "(3) x",
            "a) x",
            "b. x",
            "(iv) x",
            "1.2. x",
            "[7] x",
            "IV. x",
            "一、总则",
            "（二）x",
            "第十二条 x",
            "# x",
            "① x",
        ] {
            assert!(is_item(text), "{text}");
        }
        for text in [
            "-5 degrees",
            "1987. x",
            "3.14 is",
            "J. Smith",
            "mix. x",
            "(see x)",
            "x) y",
            "",
            "1.",
            "e.g. x",
            "一个人",
            "第二天",
            "www.x.org x",
            "100 x",
            "1. ",
        ] {
            let expected = text == "x) y";
            assert_eq!(is_item(text.trim_end()), expected, "{text}");
        }
    }
}
