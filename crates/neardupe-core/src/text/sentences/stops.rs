//! Stops: where sentences end within a paragraph.
//!
//! A full stop, exclamation or question mark ends a sentence when a space follows (after closing
//! quotes and brackets) and then no small letter; a full stop must not belong to an
//! abbreviation either. Stops of other scripts need no space and no capital.

use super::marks::{
    LOOK, char_at, char_before, is_closer, is_ideographic, is_lower, is_stop, is_wordy,
};
use super::{abbreviations, scan};

/// Signs between two sentences that are looked through for the first letter of the second. After
/// more of them, as in a row of dots, the sentence ends.
const MAX_SIGNS: usize = 8;

/// Gives the ends of sentences within `text[start..end]` to `emit`, in ascending order; not `end`
/// itself, which the caller has for other reasons. Nothing behind `end` is looked at.
pub(super) fn stops(text: &str, start: usize, end: usize, mut emit: impl FnMut(usize)) {
    let bytes = &text.as_bytes()[..end];
    let text = &text[..end];
    // Where the sentence began in which a stop is found: abbreviations look back no further.
    let mut sentence = start;
    let mut at = start;
    while let Some(found) = next_look(bytes, at) {
        at = found;
        let Some(ch) = char_at(text, at) else {
            return;
        };
        let is_other = !ch.is_ascii() && ch != '…' && is_stop(ch);
        if !ch.is_ascii() && ch != '…' && !is_other {
            at += ch.len_utf8();
            continue;
        }
        // `after` is behind the stop and its closing signs, so what belongs to one stop is looked
        // at once.
        let (after, found) = if is_other {
            after_other_stop(text, at, ch)
        } else {
            after_stop(text, sentence, at)
        };
        if let Some(found) = found.filter(|&found| found < end) {
            emit(found);
            sentence = found;
        }
        at = after;
    }
}

/// The next place to look at: in ASCII many bytes at a time, else character by character, by the
/// first byte alone. `at` is on a boundary, and so is the place that is returned.
#[inline]
fn next_look(bytes: &[u8], at: usize) -> Option<usize> {
    let mut at = scan::stop_or_high(bytes, at)?;
    loop {
        let byte = *bytes.get(at)?;
        if LOOK[usize::from(byte)] {
            return Some(at);
        }
        match byte {
            // ASCII again: back to eight bytes at a time.
            0..0xc0 => at = scan::stop_or_high(bytes, at)?,
            0xc0..0xe0 => at += 2,
            0xe0..0xf0 => at += 3,
            0xf0.. => at += 4,
        }
    }
}

/// The place after the further stops and closing signs at `at`.
fn skip_closers(text: &str, mut at: usize, ideographic: bool) -> usize {
    while let Some(ch) = char_at(text, at) {
        let more = matches!(ch, '.' | '!' | '?' | '…') && !ideographic;
        if !more && !is_closer(ch, ideographic) && !is_stop(ch) {
            break;
        }
        at += ch.len_utf8();
    }
    at
}

/// The place after the white space at `at`.
fn skip_space(text: &str, at: usize) -> usize {
    text.len() - text[at..].trim_start().len()
}

/// A stop of a script that needs no spaces or has no capitals. Returns where to go on, and where
/// the sentence ends if it does: after the white space, which belongs to it.
fn after_other_stop(text: &str, at: usize, stop: char) -> (usize, Option<usize>) {
    let ideographic = is_ideographic(stop);
    let after = skip_closers(text, at + stop.len_utf8(), ideographic);
    let end = skip_space(text, after);
    let next = char_at(text, end);
    // A fullwidth point within a number, and speech that Japanese goes on after.
    let in_number = stop == '\u{ff0e}' && next.is_some_and(is_wordy);
    // In Japanese と and っ after a closing quote begin "he said".
    let closed = char_before(text, after).is_some_and(|ch| is_closer(ch, true));
    let goes_on = closed && end == after && matches!(next, Some('と' | 'っ'));
    let end = (!in_number && !goes_on && !starts_with_mark(text, end)).then_some(end);
    (after, end)
}

/// The same for full stops, exclamation and question marks, and the ellipsis, in the sentence that
/// began at `sentence`. A space must follow, then no small letter, and a single full stop must not
/// belong to an abbreviation.
fn after_stop(text: &str, sentence: usize, at: usize) -> (usize, Option<usize>) {
    let bytes = text.as_bytes();
    let single = bytes[at] == b'.';
    let length = if bytes[at].is_ascii() {
        1
    } else {
        '…'.len_utf8()
    };
    let mut after = skip_closers(text, at + length, false);
    // No other stop but this one, though closing signs.
    let single = single && !text[at + 1..after].contains(['.', '!', '?', '…']);
    after = skip_references(text, after);
    let mut end = skip_space(text, after);
    // No space: a name of a file, a number, an address.
    if end == after {
        return (after, None);
    }
    // French has a space before what closes.
    if let Some(rest) = text[end..].strip_prefix(['»', '›'])
        && rest.starts_with(char::is_whitespace)
    {
        after = text.len() - rest.len();
        end = skip_space(text, after);
    }
    let Some((next, word)) = next_word(text, end) else {
        return (after, Some(end));
    };
    // A small letter goes on with the sentence, but for an item such as "b) Two".
    let small = is_lower(next) && !is_item(&text[word..]);
    if small || starts_with_mark(text, end) || matches!(next, '.' | '!' | '?' | '…') {
        return (after, None);
    }
    if single && abbreviations::goes_on(&text[sentence..at], &text[word..]) {
        return (after, None);
    }
    (after, Some(end))
}

/// The place after numbers of notes, as `[12]`, directly after a stop: they belong to the sentence.
fn skip_references(text: &str, mut at: usize) -> usize {
    while let Some(rest) = text[at..].strip_prefix('[') {
        let number = rest.trim_start_matches(|ch: char| ch.is_ascii_digit());
        let digits = rest.len() - number.len();
        if !(1..=3).contains(&digits) || !number.starts_with(']') {
            break;
        }
        at += digits + 2;
    }
    at
}

/// The first letter, digit or stop of what follows, and where it is. None where there are only
/// signs for a while.
fn next_word(text: &str, at: usize) -> Option<(char, usize)> {
    let mut signs = text[at..].char_indices().take(MAX_SIGNS);
    let found =
        signs.find(|&(_, ch)| is_wordy(ch) || matches!(ch, '.' | '!' | '?' | '…'))?;
    Some((found.1, at + found.0))
}

/// An item of a list within a line: "a) One", "b. Two". With a dot a capital and a small letter
/// must follow, or "z. B." would be one.
fn is_item(text: &str) -> bool {
    let rest = match text.as_bytes() {
        [b'a'..=b'z', b')', ..] => return true,
        [b'a'..=b'z', b'.', rest @ ..] => rest,
        _ => return false,
    };
    matches!(rest, [b' ', b'A'..=b'Z', second, ..] if second.is_ascii_lowercase())
}

/// Whether a combining mark comes next: it belongs to the character before it, even a space, so no
/// sentence begins there.
fn starts_with_mark(text: &str, at: usize) -> bool {
    use super::super::class::{Class, class};
    char_at(text, at).is_some_and(|ch| class(ch) == Class::Mark)
}
