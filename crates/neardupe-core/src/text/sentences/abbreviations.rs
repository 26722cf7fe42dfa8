//! Full stops that do not end a sentence: abbreviations, initials, numbers of items.
//!
//! `lists` has the words. The rules look at the token before the stop and at the word after it,
//! never at the rest of the document: a copied sentence must be cut as its original was.

use super::super::class::{Class, class};
use super::lists::{
    IS_AMBIGUOUS, IS_ANNOUNCING, IS_COUNTED, IS_NUMBERED, IS_STARTER,
    IS_STARTER_OF_NAMES, kinds,
};
use super::marks::is_lower;

/// Whether the sentence goes on after a full stop: `sentence` is the text before it, and `next`
/// begins with the first letter or digit after it, which is not a small letter. Called only for
/// single full stops, so it may cost some lookups.
pub(super) fn goes_on(sentence: &str, next: &str) -> bool {
    let token = last_token(sentence);
    // "1. Scope" and "A. Scope" are items only at the beginning of a sentence.
    let starts_sentence = is_first(sentence.len() - token.len(), sentence);
    let inner = token.trim_start_matches(|ch: char| !ch.is_alphanumeric());
    // Of "Lt.-Col" the last part counts.
    let word = inner.rsplit(['-', '/', '—', '–']).next().unwrap_or(inner);
    if word.is_empty() || word.len() > 16 {
        return false;
    }
    if word.as_bytes()[0].is_ascii_digit() {
        return number_goes_on(word, starts_sentence, next);
    }
    let next_word = leading_letters(next);
    if starts_sentence && is_item_number(word) {
        return true;
    }
    let mut letters = word.chars();
    if let (Some(letter), None) = (letters.next(), letters.next()) {
        return letter_goes_on(sentence, letter, next, next_word);
    }
    if word.contains('.') {
        return dotted_goes_on(word, next, next_word);
    }
    // "l'art. 5".
    let word = word.rsplit(['\'', '’']).next().unwrap_or(word);
    let digit = next.starts_with(|ch: char| ch.is_ascii_digit());
    let kinds = kinds(word);
    kinds & IS_ANNOUNCING != 0
        || digit && (kinds & IS_NUMBERED != 0 || word.ends_with("str"))
        || kinds & IS_NUMBERED != 0 && is_roman(next_word)
        || kinds & IS_AMBIGUOUS != 0 && !begins_sentence(next_word) && !digit
}

/// The last token of a sentence, after its last white space; of a very long one only the end.
fn last_token(sentence: &str) -> &str {
    let bytes = sentence.as_bytes();
    // More than any abbreviation has.
    let mut from = bytes.len().saturating_sub(40);
    while !sentence.is_char_boundary(from) {
        from += 1;
    }
    let near = &sentence[from..];
    near.rfind(char::is_whitespace)
        .map_or(near, |at| near[at..].trim_start())
}

/// Whether the token at `at` is the first of its sentence: only a few signs, such as quotes and
/// brackets, stand before it.
fn is_first(at: usize, sentence: &str) -> bool {
    at <= 40 && !sentence[..at].contains(char::is_alphanumeric)
}

/// The letters at the beginning, up to the first character that is none.
fn leading_letters(text: &str) -> &str {
    let end = text.find(|ch: char| !ch.is_alphabetic());
    &text[..end.unwrap_or(text.len())]
}

/// Whether a sentence goes on after a number: that of an item at the beginning ("1.2. Scope"), an
/// ordinal in German ("3. Oktober").
fn number_goes_on(word: &str, starts_sentence: bool, next: &str) -> bool {
    let parts = || word.split('.');
    let short = parts().all(|part| {
        (1..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    });
    if !short {
        return false;
    }
    starts_sentence || word.len() <= 2 && kinds(leading_letters(next)) & IS_COUNTED != 0
}

/// A letter or a Roman number, as of items and chapters.
fn is_item_number(word: &str) -> bool {
    word.chars().count() == 1 || is_roman(word)
}

/// A short Roman number in capitals, without C, D and M.
fn is_roman(word: &str) -> bool {
    (1..=5).contains(&word.len())
        && word
            .bytes()
            .all(|byte| matches!(byte, b'I' | b'V' | b'X' | b'L'))
}

/// Whether a sentence goes on after a single letter: an initial ("J. Smith"), or part of an
/// abbreviation as "z. B.".
fn letter_goes_on(sentence: &str, letter: char, next: &str, next_word: &str) -> bool {
    if !letter.is_alphabetic() || class(letter) != Class::Run {
        return false;
    }
    let digit = next.starts_with(|ch: char| ch.is_ascii_digit());
    if digit {
        // "p. 5", German "S. 5", but not "Vitamin C. 12".
        return is_lower(letter) || letter == 'S';
    }
    let mut letters = next_word.chars();
    let one = letters.next().is_some() && letters.next().is_none();
    if letter == 'M' || one && next[next_word.len()..].starts_with('.') {
        return true;
    }
    // The second letter of "z. B.": before it stand a dot, a single small letter, and nothing that
    // makes a longer word of it.
    let before = sentence[..sentence.len() - letter.len_utf8()].trim_end();
    let in_abbreviation = before.strip_suffix('.').is_some_and(|before| {
        let mut chars = before.chars().rev();
        chars.next().is_some_and(is_lower)
            && !chars.next().is_some_and(char::is_alphanumeric)
    });
    in_abbreviation || kinds(next_word) & IS_STARTER == 0
}

/// Whether a sentence goes on after a word of short parts with dots: "U.S.", "e.g.", "Ph.D.".
fn dotted_goes_on(word: &str, next: &str, next_word: &str) -> bool {
    let is_part = |part: &str| {
        (1..=3).contains(&part.chars().count()) && part.chars().all(char::is_alphabetic)
    };
    if !word.split('.').all(is_part) {
        return false;
    }
    let digit = next.starts_with(|ch: char| ch.is_ascii_digit());
    // "H.R. 5", but not "at 5 p.m. 12 people".
    let capitals = !word.contains(is_lower);
    let ends = if digit {
        !capitals
    } else {
        begins_sentence(next_word)
    };
    kinds(word) & IS_ANNOUNCING != 0 || !ends
}

/// Whether a word is one of those that begin sentences, names included.
fn begins_sentence(word: &str) -> bool {
    kinds(word) & (IS_STARTER | IS_STARTER_OF_NAMES) != 0
}
