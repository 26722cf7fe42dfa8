//! JSON lines: one object a line, of which only the wanted fields are decoded.
//!
//! Numbers in ids and metadata keep all their digits, however many: a floating point number
//! would make different ids equal. Their text is the same for all ways to write the same number
//! (`1`, `1.0` and `10e-1` are `1`).

use super::fields::{Fields, Node};
use super::format::{FieldNames, FormatSpec, Guess, Layout, Sign};
use super::plain_text;
use super::python_json;
use super::values::{Fault, Values};
use neardupe_core::document::BadKind;
use neardupe_core::value::Decimal;
use serde::Deserialize;
use serde::de::{
    DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// JSON lines as a format. Lines can be cut anywhere, so one file is read by all threads.
pub(super) const JSONL: FormatSpec = FormatSpec {
    name: "jsonl",
    title: "JSON lines",
    endings: &["jsonl", "ndjson", "json"],
    sign: Sign::None,
    guess: Guess::FirstByte(b'{'),
    layout: Layout::Lines,
    fields: FieldNames::Free,
    record: "a line that is a JSON object; blank lines are no records",
    id: "field `id-key`, a string or number",
    text: "fields `text-key`",
};

/// Reads one line of at most `max_bytes` into `values`; the fault says what is wrong.
pub(super) fn read_record(
    line: &[u8],
    max_bytes: u64,
    fields: &Fields,
    values: &mut Values,
) -> Result<(), Fault> {
    if line.len() as u64 > max_bytes {
        Err((BadKind::TooLong, plain_text::too_long(max_bytes)))
    } else {
        read_line(line, fields, values)
    }
}

/// Reads one line into `values`; the fault says what is wrong.
pub(super) fn read_line(
    line: &[u8],
    fields: &Fields,
    values: &mut Values,
) -> Result<(), Fault> {
    if let Err(error) = parse(line, fields, values) {
        // Python writes lines that are not JSON; what else is wrong with one is what the first
        // parsing says.
        let mended = python_json::mend(line);
        let parsed = mended.filter(|(line, _)| parse(line, fields, values).is_ok());
        let (_, mended) = parsed.ok_or_else(|| fault(line, &error))?;
        values.remarks.mended = mended;
    }
    values.check()
}

/// Parses one line strictly. Anything after the object is an error, and values of an earlier
/// attempt are cleared first.
fn parse(line: &[u8], fields: &Fields, values: &mut Values) -> serde_json::Result<()> {
    values.clear();
    let mut json = serde_json::Deserializer::from_slice(line);
    let object = ObjectSeed {
        node: &fields.tree,
        values,
        top: true,
    };
    object.deserialize(&mut json).and_then(|()| json.end())
}

/// Calls `each` with the keys of the object that a line is, as far as it is one.
pub fn for_each_key(line: &[u8], mut each: impl FnMut(&str)) {
    let mended = python_json::mend(line);
    let line = mended.as_ref().map_or(line, |(line, _)| line);
    let mut json = serde_json::Deserializer::from_slice(line);
    // What is wrong with the line is reported when it is read.
    let _ = json.deserialize_map(Keys(&mut each));
}

/// A visitor that sees every key and no value.
struct Keys<F>(F);

impl<'de, F: FnMut(&str)> Visitor<'de> for Keys<F> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            (self.0)(&key);
            map.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}

/// Distinguishes broken JSON from bytes that are not UTF-8.
fn fault(line: &[u8], error: &serde_json::Error) -> Fault {
    match std::str::from_utf8(line) {
        Err(utf8) => {
            let at = utf8.valid_up_to();
            (
                BadKind::InvalidUtf8,
                format!("byte {at} of the line is not UTF-8"),
            )
        }
        Ok(_) => {
            // The line is always 1 of 1: only the column has information.
            let message = error.to_string();
            let message = message.split(" at line ").next().unwrap_or_default();
            (
                BadKind::Json,
                format!("{message} at column {}", error.column()),
            )
        }
    }
}

/// An object of which the children of `node` are wanted.
struct ObjectSeed<'a> {
    /// What is wanted below this place.
    node: &'a Node,
    /// Where the values are put.
    values: &'a mut Values,
    /// The line itself: anything but an object is a fault.
    top: bool,
}

impl<'de> DeserializeSeed<'de> for ObjectSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        if self.top {
            return json.deserialize_map(self);
        }
        // Texts are never numbers, so serde may decode the value at once. Where a number can
        // be wanted, its digits are kept as they are written: serde would make a floating
        // point number of them.
        if !self.node.takes_numbers() {
            return json.deserialize_any(self);
        }
        let raw = <&RawValue>::deserialize(json)?.get();
        match raw.as_bytes().first() {
            Some(b'-' | b'0'..=b'9') => {
                let text = number_text(raw);
                self.values
                    .put_scalar(&self.node.targets, &text, "a number");
                Ok(())
            }
            // Most ids are strings without an escape: what is between their quotes.
            Some(b'"') if !raw.contains('\\') => self.visit_str(&raw[1..raw.len() - 1]),
            _ => serde_json::Deserializer::from_str(raw)
                .deserialize_any(self)
                .map_err(D::Error::custom),
        }
    }
}

/// A JSON number as text: with all its digits, and the same for all ways to write it.
fn number_text(raw: &str) -> Cow<'_, str> {
    let digits = raw.strip_prefix('-').unwrap_or(raw);
    let is_plain = digits != "0" && digits.bytes().all(|byte| byte.is_ascii_digit());
    match Decimal::parse(raw) {
        Some(number) if !is_plain => Cow::Owned(number.canonical()),
        // Of an exponent beyond all measure only the text is left.
        _ => Cow::Borrowed(raw),
    }
}

impl<'de> Visitor<'de> for ObjectSeed<'_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let node = self.node;
        if node.children.is_empty() {
            self.values.refuse(&node.targets, "an object");
        }
        // Keys that nobody wants cost a comparison and are not allocated.
        while let Some(child) = map.next_key_seed(KeySeed(node))? {
            match child {
                Some(node) => {
                    let values = &mut *self.values;
                    map.next_value_seed(ObjectSeed {
                        node,
                        values,
                        top: false,
                    })?;
                }
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }

    fn visit_str<E>(self, value: &str) -> Result<(), E> {
        self.values.put_targets(&self.node.targets, value, None);
        Ok(())
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        let text = if value { "true" } else { "false" };
        self.values
            .put_scalar(&self.node.targets, text, "a boolean");
        Ok(())
    }

    // Numbers come here only where a text is wanted: they are refused, whatever they are.
    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        self.values.put_scalar(&self.node.targets, "", "a number");
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        self.values.put_scalar(&self.node.targets, "", "a number");
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        self.values.put_scalar(&self.node.targets, "", "a number");
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        // null is as good as absent.
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        self.values.refuse(&self.node.targets, "an array");
        // The array must be consumed, or the parser would stop within it.
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }
}

/// A key: the child it leads to, if it is wanted.
struct KeySeed<'a>(&'a Node);

impl<'de, 'a> DeserializeSeed<'de> for KeySeed<'a> {
    type Value = Option<&'a Node>;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Self::Value, D::Error> {
        json.deserialize_str(self)
    }
}

impl<'a> Visitor<'_> for KeySeed<'a> {
    type Value = Option<&'a Node>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        let child = self.0.children.iter().find(|(name, _)| name == key);
        Ok(child.map(|(_, node)| node))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::FieldKeys;
    use std::sync::Arc;

    struct Reader(Arc<Fields>, Values);

    impl Reader {
        fn new(id: &str, text: &[&str], metadata: &[&str]) -> Self {
            let owned = |keys: &[&str]| keys.iter().map(|&key| key.to_owned()).collect();
            let keys = FieldKeys {
                id: id.to_owned(),
                text: owned(text),
                metadata: owned(metadata),
            };
            let fields = Arc::new(Fields::new(&keys).unwrap());
            Reader(Arc::clone(&fields), Values::new(fields, None))
        }

        fn read(&mut self, line: &[u8]) -> Result<&Values, Fault> {
            read_line(line, &self.0, &mut self.1)?;
            Ok(&self.1)
        }
    }

    fn texts(values: &Values) -> Vec<Option<&str>> {
        let value = |text: &'_ crate::source::values::TextSlot| text.present;
        let texts = values.texts.iter();
        texts
            .map(|text| value(text).then_some(text.value.as_str()))
            .collect()
    }

    #[test]
    fn wanted_fields_are_found_at_any_depth() {
        let mut reader =
            Reader::new("meta.id", &["title", "body.text"], &["meta.score", "a.b"]);
        let line = br#"{"x":[1,{"y":2}],"meta":{"id":7,"score":1.5,"z":null},
            "body":{"text":"b\n\u00e9"},"title":"a","a.b":true}"#;
        let values = reader.read(line).unwrap();
        assert_eq!(values.id.as_deref(), Some("7"));
        assert_eq!(texts(values), [Some("a"), Some("b\né")]);
        assert_eq!(
            values.metadata,
            [Some("1.5".to_owned()), Some("true".to_owned())]
        );
    }

    #[test]
    fn absent_parts_are_left_out_and_nothing_of_the_line_before_stays() {
        let mut reader = Reader::new("id", &["title", "text"], &["url"]);
        reader
            .read(br#"{"id":"a","title":"t","text":"x","url":"u"}"#)
            .unwrap();
        let values = reader.read(br#"{"text":"only","id":null}"#).unwrap();
        assert_eq!(texts(values), [None, Some("only")]);
        assert_eq!((&values.id, &values.metadata[0]), (&None, &None));
    }

    #[test]
    fn lines_that_python_writes_are_read_and_counted() {
        let mut reader = Reader::new("id", &["text"], &["score"]);
        let values = reader.read(br#"{"text":"a\ud83d","score":NaN}"#).unwrap();
        assert_eq!(texts(values), [Some("a\u{fffd}")]);
        assert_eq!(values.metadata, [None]);
        assert!(values.remarks.mended.surrogate && values.remarks.mended.not_a_number);
        let values = reader.read(br#"{"text":"a","score":-Infinity}"#).unwrap();
        assert!(!values.remarks.mended.surrogate && values.remarks.mended.not_a_number);
        let values = reader.read(br#"{"text":"a","score":1}"#).unwrap();
        assert!(!values.remarks.mended.not_a_number);
        // No text is no text, however it is written; and other faults stay faults.
        assert_eq!(
            reader.read(br#"{"text":NaN}"#).unwrap_err().0,
            BadKind::MissingText
        );
        assert_eq!(
            reader.read(br#"{"text":"a","score":nan}"#).unwrap_err().0,
            BadKind::Json
        );
    }

    #[test]
    fn metadata_that_is_no_single_value_is_no_value_and_is_counted() {
        let mut reader = Reader::new("id", &["text"], &["tags", "url"]);
        let line = br#"{"text":"a","tags":["x","y"],"url":{"host":"h"}}"#;
        let values = reader.read(line).unwrap();
        assert_eq!(values.metadata, [None, None]);
        assert_eq!(values.unusable, [(0, "an array"), (1, "an object")]);
        assert_eq!(values.metadata_name(1), "url");
        let values = reader.read(br#"{"text":"a","tags":"x"}"#).unwrap();
        assert!(values.unusable.is_empty());
    }

    #[test]
    fn numbers_keep_all_their_digits() {
        let mut reader = Reader::new("id", &["text"], &["a", "a.b"]);
        for (written, expected) in [
            ("0", "0"),
            ("-0", "0"),
            ("-0.0", "0"),
            ("7", "7"),
            ("-7", "-7"),
            ("1.0", "1"),
            ("1e3", "1000"),
            ("2.50", "2.5"),
            ("1E-7", "0.0000001"),
            ("18446744073709551616", "18446744073709551616"),
            (
                "123456789012345678901234567890",
                "123456789012345678901234567890",
            ),
            (
                "-123456789012345678901234567890",
                "-123456789012345678901234567890",
            ),
            ("0.1234567890123456789012345", "0.1234567890123456789012345"),
            ("1e400", "1e400"),
            ("10e399", "1e400"),
            ("1e99999999999999999999", "1e99999999999999999999"),
        ] {
            let line = format!(r#"{{"id": {written} ,"a":{written},"text":"x"}}"#);
            let values = reader.read(line.as_bytes()).unwrap();
            assert_eq!(values.id.as_deref(), Some(expected), "{written}");
            assert_eq!(values.metadata[0].as_deref(), Some(expected), "{written}");
        }
        let values = reader.read(br#"{"text":"x","a":{"b":1.0}}"#).unwrap();
        assert_eq!(values.metadata, [None, Some("1".to_owned())]);
        let mut reader = Reader::new("id", &["text"], &["a.b"]);
        let values = reader.read(br#"{"text":"x","a":{"b":12345678901234567890123}}"#);
        let metadata = values.unwrap().metadata[0].as_deref();
        assert_eq!(metadata, Some("12345678901234567890123"));
    }

    #[test]
    fn faults_are_told_apart() {
        let mut reader = Reader::new("id", &["text"], &["url"]);
        let mut kind = |line: &[u8]| reader.read(line).unwrap_err().0;
        assert_eq!(kind(b"{\"text\":\"a\""), BadKind::Json);
        assert_eq!(kind(b"{\"text\":\"a\"} x"), BadKind::Json);
        assert_eq!(kind(b"[1]"), BadKind::Json);
        assert_eq!(kind(b"{\"text\":\"\xff\"}"), BadKind::InvalidUtf8);
        assert_eq!(
            kind(b"{\"text\":\"a\",\"id\":\"\xff\"}"),
            BadKind::InvalidUtf8
        );
        assert_eq!(kind(b"{\"text\":\"a\",\"id\":01}"), BadKind::Json);
        assert_eq!(kind(b"{\"text\":1e400}"), BadKind::Json);
        assert_eq!(kind(b"{\"id\":\"a\"}"), BadKind::MissingText);
        assert_eq!(kind(b"{\"text\":5}"), BadKind::MissingText);
        assert_eq!(kind(b"{\"text\":null}"), BadKind::MissingText);
        assert_eq!(kind(b"{\"text\":{\"a\":1}}"), BadKind::MissingText);
        assert_eq!(kind(b"{\"text\":\"a\",\"id\":[]}"), BadKind::BadField);
        assert_eq!(kind(b"{\"text\":\"a\",\"id\":true}"), BadKind::BadField);
    }
}
