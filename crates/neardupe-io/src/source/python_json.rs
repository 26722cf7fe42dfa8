//! JSON as Python writes it: `NaN`, `Infinity` and halves of characters (`"\ud83d"`).
//!
//! `json.dumps` writes all three without a complaint, and none of them is JSON. A line that
//! cannot be parsed is mended here and parsed again, so lines that are JSON pay nothing.

/// What was mended in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Mended {
    /// Half of a character became U+FFFD.
    pub surrogate: bool,
    /// `NaN`, `Infinity` or `-Infinity` became `null`.
    pub not_a_number: bool,
}

/// The line as JSON; None when there is nothing to mend.
pub fn mend(line: &[u8]) -> Option<(Vec<u8>, Mended)> {
    replace(line, |len, out| {
        out.extend_from_slice(b"null");
        len
    })
}

/// The same, with all other bytes at their places: `NaN` has no room for `null`, so a number
/// stands for it.
pub fn mend_in_place(line: &[u8]) -> Option<Vec<u8>> {
    let mended = replace(line, |len, out| {
        out.push(b'0');
        out.extend(std::iter::repeat_n(b' ', len - 1));
        len
    });
    mended.map(|(line, _)| line)
}

/// The words that Python writes for numbers that JSON does not have.
const WORDS: [&[u8]; 3] = [b"NaN", b"Infinity", b"-Infinity"];

/// Goes through a line once. `word` writes what stands for a word of so many bytes.
fn replace(
    line: &[u8],
    word: impl Fn(usize, &mut Vec<u8>) -> usize,
) -> Option<(Vec<u8>, Mended)> {
    let mut out = Vec::with_capacity(line.len());
    let mut mended = Mended::default();
    let (mut at, mut in_string) = (0, false);
    // Outside of strings only the three words are looked for, inside only escapes: nothing
    // else of a line changes.
    while let Some(&byte) = line.get(at) {
        // Escapes are passed over as a whole, so an escaped quotation mark does not end the string.
        if in_string && byte == b'\\' {
            let (len, is_half) = escape(&line[at..]);
            if is_half {
                out.extend_from_slice(b"\\ufffd")
            } else {
                out.extend_from_slice(&line[at..at + len])
            }
            mended.surrogate |= is_half;
            at += len;
            continue;
        }
        // `NaN` within a string is text and is kept.
        let begins = |word: &&&[u8]| line[at..].starts_with(word);
        if !in_string && let Some(found) = WORDS.iter().find(begins) {
            mended.not_a_number = true;
            at += word(found.len(), &mut out);
            continue;
        }
        in_string ^= byte == b'"';
        out.push(byte);
        at += 1;
    }
    let anything = mended.surrogate || mended.not_a_number;
    anything.then_some((out, mended))
}

/// Bytes of the escape that a text begins with, and whether it is half of a character.
pub fn escape(text: &[u8]) -> (usize, bool) {
    match unit(text) {
        None => (text.len().min(2), false),
        // A high half counts only together with the low half right after it (RFC 8259, section 7).
        Some(0xd800..0xdc00) => match unit(&text[6..]) {
            Some(0xdc00..0xe000) => (12, false),
            _ => (6, true),
        },
        Some(unit) => (6, (0xdc00..0xe000).contains(&unit)),
    }
}

/// The code unit that a text begins with, as `\uXXXX`.
fn unit(text: &[u8]) -> Option<u16> {
    let digits = text.strip_prefix(b"\\u")?.get(..4)?;
    let is_hex = digits.iter().all(u8::is_ascii_hexdigit);
    let digits = std::str::from_utf8(digits).ok().filter(|_| is_hex)?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn mended(line: &str) -> Option<String> {
        mend(line.as_bytes()).map(|(line, _)| String::from_utf8(line).unwrap())
    }

    #[test]
    fn halves_of_characters_and_odd_numbers_are_mended() {
        for (line, expected) in [
            (r#"{"t":"a\ud83d"}"#, Some(r#"{"t":"a\ufffd"}"#)),
            (
                r#"{"t":"\ud83d\ud83d\ude00"}"#,
                Some(r#"{"t":"\ufffd\ud83d\ude00"}"#),
            ),
            (r#"{"t":"\ude00\ud83d"}"#, Some(r#"{"t":"\ufffd\ufffd"}"#)),
            (
                r#"{"t":"\\ud83d","n":NaN}"#,
                Some(r#"{"t":"\\ud83d","n":null}"#),
            ),
            (
                r#"{"a":[-Infinity,Infinity]}"#,
                Some(r#"{"a":[null,null]}"#),
            ),
            (r#"{"t":"NaN \"Infinity"}"#, None),
            (r#"{"t":"\ud83d\ude00\\"}"#, None),
            (r#"{"t":"\"#, None),
            (r#"{"t":"\u12"#, None),
        ] {
            assert_eq!(mended(line).as_deref(), expected, "{line}");
        }
    }

    proptest! {
        #[test]
        fn places_stay_where_they_are(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    "\"", "\\", "\\ud83d", "\\ude00", "NaN", "Infinity", "-", "x", "\\u00e9", "\u{e9}",
                ]),
                0..20,
            )
        ) {
            let line = parts.concat();
            let in_place = mend_in_place(line.as_bytes());
            prop_assert_eq!(in_place.is_some(), mend(line.as_bytes()).is_some());
            if let Some(in_place) = in_place {
                prop_assert_eq!(in_place.len(), line.len());
            }
        }
    }
}
