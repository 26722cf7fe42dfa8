//! Entities such as `&amp;` and `&#3;`: each becomes its character, once.
//!
//! Entities that a file declares for itself are never looked up, so there is nothing that
//! could expand without end. What is not known stays as it is written.

use memchr::memchr;
use quick_xml::escape::resolve_html5_entity;

/// No entity of HTML has a longer name.
const MAX_NAME_BYTES: usize = 32;

/// Appends `raw` with its entities decoded.
pub(in crate::source) fn decode(raw: &str, out: &mut String) {
    let mut rest = raw;
    while let Some(at) = memchr(b'&', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let window = &rest.as_bytes()[..rest.len().min(MAX_NAME_BYTES + 1)];
        let name = memchr(b';', window).map(|end| &rest[..end]);
        match name {
            Some(name) if push_entity(name, out) => rest = &rest[name.len() + 1..],
            _ => out.push('&'),
        }
    }
    out.push_str(rest);
}

/// `raw` with its entities decoded.
pub(in crate::source) fn decoded(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    decode(raw, &mut out);
    out
}

/// Appends what the entity of this name (without `&` and `;`) stands for, if it is known.
pub(in crate::source) fn push_entity(name: &str, out: &mut String) -> bool {
    if let Some(number) = name.strip_prefix('#') {
        let Some(ch) = numbered(number) else {
            return false;
        };
        out.push(ch);
        return true;
    }
    let known = match name {
        // The usual ones, before two thousand names are gone through.
        "amp" => Some("&"),
        "lt" => Some("<"),
        "gt" => Some(">"),
        "quot" => Some("\""),
        "apos" => Some("'"),
        // ISO names as the TREC collections use them; HTML has none or another meaning.
        "hyph" => Some("-"),
        "blank" => Some(" "),
        _ => resolve_html5_entity(name),
    };
    known.map(|known| out.push_str(known)).is_some()
}

/// The character of a number, decimal or after `x` hexadecimal; U+FFFD where there is none.
fn numbered(number: &str) -> Option<char> {
    let (digits, radix) = match number.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16),
        None => (number, 10),
    };
    if digits.is_empty() || !digits.chars().all(|ch| ch.is_digit(radix)) {
        return None;
    }
    let code = u32::from_str_radix(digits, radix)
        .ok()
        .filter(|&code| code > 0);
    Some(code.and_then(char::from_u32).unwrap_or('\u{fffd}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_entities_are_decoded_once_and_others_stay() {
        for (raw, expected) in [
            ("a &lt;b&gt; &amp;amp; c", "a <b> &amp; c"),
            ("&#3;&#x41;&#X42;&#65;", "\u{3}ABA"),
            ("&#0;&#xd800;&#99999999999;", "\u{fffd}\u{fffd}\u{fffd}"),
            ("cut&hyph;off&blank;here &sect; &AMP;", "cut-off here § &"),
            (
                "AT&T & &; &#; &#x; &#12a; &nonsense; &",
                "AT&T & &; &#; &#x; &#12a; &nonsense; &",
            ),
            ("&amp", "&amp"),
            ("&日本;&eacute;", "&日本;é"),
        ] {
            assert_eq!(decoded(raw), expected);
        }
    }

    #[test]
    fn many_ampersands_take_linear_time() {
        for raw in ["&", "&;", "&aaaaaaaaaaaaaaaaaaaaaaa;"] {
            let raw = raw.repeat(200_000);
            let started = std::time::Instant::now();
            assert_eq!(decoded(&raw), raw);
            assert!(started.elapsed().as_secs() < 10);
        }
    }
}
