//! JSON lines: stretches are taken out of one string of an object, and everything else is
//! kept, byte for byte; also the escapes of what is left.
//!
//! The text that was compared is the meaning of the string, and stretches are given in bytes of
//! that meaning. In the line it is written with escapes, so both positions are followed side by
//! side: an escape of six bytes may mean one, two or three bytes of UTF-8, and a pair of halves
//! means four.

use neardupe_core::error::{Error, Result};
use neardupe_io::source::python_json;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

/// Appends the line without some stretches of the text under `key`, given in bytes of the text,
/// in order and apart.
pub(super) fn cut(
    line: &[u8],
    key: &str,
    gone: &[Range<u32>],
    out: &mut Vec<u8>,
) -> Result<()> {
    let broken = || Error::Internal("the text of a line was not found again".to_owned());
    let content = find_text(line, key).ok_or_else(broken)?;
    // What is before and after the text is copied as it is.
    out.extend_from_slice(&line[..content.start]);
    cut_string(&line[content.clone()], gone, out).ok_or_else(broken)?;
    out.extend_from_slice(&line[content.end..]);
    Ok(())
}

/// Where the text of a line is, without its quotes. A dotted key is a nested field, or one whose
/// own name has the dots; the last of several is what was read.
fn find_text(line: &[u8], key: &str) -> Option<Range<usize>> {
    // Places in a line that Python wrote are those in the line as JSON.
    // Python writes NaN and Infinity, which JSON does not have; mending keeps every byte in
    // its place.
    let mended = python_json::mend_in_place(line);
    let text = std::str::from_utf8(mended.as_deref().unwrap_or(line)).ok()?;
    let parts: Vec<&str> = key.split('.').collect();
    let mut paths: Vec<&[&str]> = vec![std::slice::from_ref(&key)];
    if parts.len() > 1 {
        paths.push(&parts);
    }
    let mut found = None;
    search(text, text.as_ptr() as usize, &paths, &mut found);
    let found = found?;
    Some(found.start + 1..found.end - 1)
}

/// Follows paths of keys into an object.
///
/// Values on the path are taken raw, as slices of the line: their addresses give the position
/// without a parser of our own. All other values are skipped.
fn search(json: &str, base: usize, paths: &[&[&str]], found: &mut Option<Range<usize>>) {
    let mut json = serde_json::Deserializer::from_str(json);
    // The line was read before: it is an object.
    let _ = json.deserialize_map(StringSearch { base, paths, found });
}

struct StringSearch<'a, 'f> {
    /// Where the line begins in memory: values are slices of it.
    base: usize,
    /// What is left of each path below this object.
    paths: &'a [&'a [&'a str]],
    /// The last value that was met under one of the paths.
    found: &'f mut Option<Range<usize>>,
}

impl<'de> Visitor<'de> for StringSearch<'_, '_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            // The rest of each path that begins with this key: an empty one ends here.
            let tails: Vec<&[&str]> = self
                .paths
                .iter()
                .filter_map(|path| path.split_first())
                .filter(|(first, _)| **first == key)
                .map(|(_, rest)| rest)
                .collect();
            if tails.is_empty() {
                // Not parsed into values: numbers out of range and deep nesting do not
                // matter.
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let value = map.next_value::<&'de RawValue>()?.get();
            if value.starts_with('{') {
                search(value, self.base, &tails, self.found);
            } else if value.starts_with('"') && tails.iter().any(|rest| rest.is_empty()) {
                // The value is a slice of the line, so its address says where it is.
                let start = value.as_ptr() as usize - self.base;
                *self.found = Some(start..start + value.len());
            }
        }
        Ok(())
    }
}

/// Appends the content of a string without some stretches of what it means. None when it is no
/// content of a string.
fn cut_string(content: &[u8], gone: &[Range<u32>], out: &mut Vec<u8>) -> Option<()> {
    let mut gone = gone.iter().peekable();
    // Place in the string as it is written, and in what it means.
    let (mut at, mut meant) = (0, 0);
    while at < content.len() {
        let (written, means) = match content[at] {
            b'\\' => escape(&content[at..])?,
            _ => (1, 1),
        };
        // Stretches begin and end at characters, so an escape is kept or removed as a whole.
        // Stretches before this character are done with.
        while gone.next_if(|stretch| stretch.end <= meant).is_some() {}
        if gone.peek().is_none_or(|stretch| stretch.start > meant) {
            out.extend_from_slice(content.get(at..at + written)?);
        }
        at += written;
        meant += means;
    }
    Some(())
}

/// Bytes of an escape, and of the character that it means in UTF-8.
fn escape(content: &[u8]) -> Option<(usize, u32)> {
    let unit = |at: usize| {
        let digits = std::str::from_utf8(content.get(at..at + 4)?).ok()?;
        u32::from_str_radix(digits, 16).ok()
    };
    if *content.get(1)? != b'u' {
        return Some((2, 1));
    }
    Some(match unit(2)? {
        0..0x80 => (6, 1),
        0x80..0x800 => (6, 2),
        // A character of two halves; a half alone is read as U+FFFD.
        0xd800..0xe000 => match python_json::escape(content) {
            (written, true) => (written, 3),
            (written, false) => (written, 4),
        },
        _ => (6, 3),
    })
}

#[cfg(test)]
#[expect(
    clippy::single_range_in_vec_init,
    reason = "a stretch alone is a list too"
)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cut_line(line: &str, key: &str, gone: &[Range<u32>]) -> String {
        let mut out = Vec::new();
        cut(line.as_bytes(), key, gone, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn only_the_text_changes() {
        assert_eq!(
            cut_line(
                "  {\"n\" : 1e400,\"text\": \"ab\\u00e9cd\", \"x\":\"text\" }\t\r\n",
                "text",
                &[1..4]
            ),
            "  {\"n\" : 1e400,\"text\": \"acd\", \"x\":\"text\" }\t\r\n"
        );
        let nested = "{\"a\":{\"text\":\"xyz\",\"b\":[{\"text\":1}]},\"text\":7}";
        assert_eq!(
            cut_line(nested, "a.text", &[0..2]),
            "{\"a\":{\"text\":\"z\",\"b\":[{\"text\":1}]},\"text\":7}"
        );
        // The last one is what was read, whichever way it is named.
        assert_eq!(
            cut_line(
                "{\"a\":{\"b\":\"xy\"},\"a.b\":\"uv\",\"a\":{\"c\":1}}",
                "a.b",
                &[0..1]
            ),
            "{\"a\":{\"b\":\"xy\"},\"a.b\":\"v\",\"a\":{\"c\":1}}"
        );
        // As Python writes it: half a character is three bytes of the text.
        assert_eq!(
            cut_line("{\"n\":NaN,\"text\":\"a\\ud83dbc\"}", "text", &[1..5]),
            "{\"n\":NaN,\"text\":\"ac\"}"
        );
        let none = cut(b"{\"t\":\"x\"}", "text", &[], &mut Vec::new());
        assert!(none.is_err());
    }

    proptest! {
            #[test]
            fn what_is_left_means_the_text_without_the_stretches(
                text in "[a\u{e9}\u{4e2d}\u{1f600}\\\\\"\n/\u{1}]{0,20}",
                escaped in any::<bool>(),
                places in prop::collection::vec(0usize..21, 0..6),
            ) {
                let mut places: Vec<usize> = places
                    .into_iter()
                    .map(|at| text.char_indices().nth(at).map_or(text.len(), |(at, _)| at))
                    .collect();
                places.sort_unstable();
                places.dedup();
                let gone: Vec<Range<u32>> = places
                    .chunks_exact(2)
                    .map(|two| u32::try_from(two[0]).unwrap()..u32::try_from(two[1]).unwrap())
                    .collect();
                let string = if escaped {
                        let units = text.encode_utf16().map(|unit| format!("\\u{unit:04x}"));
                        format!("\"{}\"", units.collect::<String>())
                    } else {
    serde_json::to_string(&text).unwrap()
    };
                let line = format!("{{\"text\":{string}}}");
                let cut = cut_line(&line, "text", &gone);
                let value: serde_json::Value = serde_json::from_str(&cut).unwrap();
                let mut expected = text.clone();
                for one in gone.iter().rev() {
                    expected.replace_range(one.start as usize..one.end as usize, "");
                }
                prop_assert_eq!(value["text"].as_str().unwrap(), expected);
            }
        }
}
