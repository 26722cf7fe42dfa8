//! JSON lines: one object a line, of which only the wanted fields are decoded.

use super::fields::{FieldKeys, Node, Target};
use neardupe_core::document::BadKind;
use neardupe_core::error::Result;
use serde::de::{
    DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use std::fmt;

/// Reads lines, reusing its buffers.
#[derive(Debug)]
pub(super) struct LineReader {
    tree: Node,
    keys: FieldKeys,
    values: Values,
    joined: String,
}

/// What one line held.
#[derive(Debug, Default)]
struct Values {
    id: Slot,
    texts: Vec<Slot>,
    metadata: Vec<Option<String>>,
    bad: Option<(Target, &'static str)>,
}

#[derive(Debug, Default, Clone)]
struct Slot {
    present: bool,
    value: String,
}

/// A line that is a document.
#[derive(Debug)]
pub(super) struct Line<'a> {
    pub(super) id: Option<&'a str>,
    pub(super) text: &'a str,
    pub(super) metadata: &'a [Option<String>],
}

impl LineReader {
    pub(super) fn new(keys: &FieldKeys) -> Result<Self> {
        let values = Values {
            texts: vec![Slot::default(); keys.text.len()],
            metadata: vec![None; keys.metadata.len()],
            ..Values::default()
        };
        let tree = keys.tree()?;
        Ok(LineReader {
            tree,
            keys: keys.clone(),
            values,
            joined: String::new(),
        })
    }

    /// Reads one line; the error is the kind of fault and what is wrong.
    pub(super) fn read(&mut self, line: &[u8]) -> Result<Line<'_>, (BadKind, String)> {
        self.values.clear();
        let mut json = serde_json::Deserializer::from_slice(line);
        let object = ObjectSeed {
            node: &self.tree,
            values: &mut self.values,
            top: true,
        };
        let parsed = object.deserialize(&mut json).and_then(|()| json.end());
        if let Err(error) = parsed {
            return Err(fault(line, &error));
        }
        if let Some((target, found)) = self.values.bad {
            return Err(self.wrong_type(target, found));
        }
        let text = match &self.values.texts[..] {
            [one] if one.present => &one.value,
            [_] => return Err(self.missing_text()),
            several => {
                let present = several.iter().filter(|slot| slot.present);
                self.joined.clear();
                let mut any = false;
                for slot in present {
                    if any {
                        self.joined.push('\n');
                    }
                    self.joined.push_str(&slot.value);
                    any = true;
                }
                if !any {
                    return Err(self.missing_text());
                }
                &self.joined
            }
        };
        let id = &self.values.id;
        Ok(Line {
            id: (id.present && !id.value.is_empty()).then_some(&id.value),
            text,
            metadata: &self.values.metadata,
        })
    }

    fn missing_text(&self) -> (BadKind, String) {
        let keys = self.keys.text.join(", ");
        let detail = format!("no field {keys}; --text-key names the field of the text");
        (BadKind::MissingText, detail)
    }

    fn wrong_type(&self, target: Target, found: &str) -> (BadKind, String) {
        match target {
            Target::Text(number) => {
                let key = &self.keys.text[number];
                (
                    BadKind::MissingText,
                    format!("field {key} is {found}, not a string"),
                )
            }
            Target::Id => {
                let key = &self.keys.id;
                let detail = format!("field {key} is {found}, not a string or number");
                (BadKind::BadField, detail)
            }
            Target::Metadata(number) => {
                let key = &self.keys.metadata[number];
                let detail =
                    format!("field {key} is {found}, not a string, number or boolean");
                (BadKind::BadField, detail)
            }
        }
    }
}

/// Tells broken JSON from bytes that are not UTF-8.
fn fault(line: &[u8], error: &serde_json::Error) -> (BadKind, String) {
    match std::str::from_utf8(line) {
        Err(utf8) => {
            let at = utf8.valid_up_to();
            (
                BadKind::InvalidUtf8,
                format!("byte {at} of the line is not UTF-8"),
            )
        }
        Ok(_) => {
            // The line is always 1 of 1: only the column tells something.
            let message = error.to_string();
            let message = message.split(" at line ").next().unwrap_or_default();
            (
                BadKind::Json,
                format!("{message} at column {}", error.column()),
            )
        }
    }
}

impl Values {
    fn clear(&mut self) {
        self.id.clear();
        self.texts.iter_mut().for_each(Slot::clear);
        self.metadata.iter_mut().for_each(|value| *value = None);
        self.bad = None;
    }

    fn put(&mut self, targets: &[Target], value: &str) {
        for &target in targets {
            match target {
                Target::Id => self.id.put(value),
                Target::Text(number) => self.texts[number].put(value),
                Target::Metadata(number) => {
                    self.metadata[number] = Some(value.to_owned())
                }
            }
        }
    }

    /// A number or boolean: fine for ids (numbers) and metadata, not for text.
    fn put_scalar(&mut self, targets: &[Target], value: &str, found: &'static str) {
        for &target in targets {
            match target {
                Target::Text(_) => self.refuse(&[target], found),
                Target::Id if found == "a boolean" => self.refuse(&[target], found),
                Target::Id | Target::Metadata(_) => self.put(&[target], value),
            }
        }
    }

    fn refuse(&mut self, targets: &[Target], found: &'static str) {
        if let Some(&target) = targets.first() {
            self.bad.get_or_insert((target, found));
        }
    }
}

impl Slot {
    fn clear(&mut self) {
        self.present = false;
        self.value.clear();
    }

    fn put(&mut self, value: &str) {
        self.present = true;
        self.value.clear();
        self.value.push_str(value);
    }
}

/// An object of which the children of `node` are wanted.
struct ObjectSeed<'a> {
    node: &'a Node,
    values: &'a mut Values,
    /// The line itself: anything but an object is a fault.
    top: bool,
}

impl<'de> DeserializeSeed<'de> for ObjectSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        if self.top {
            json.deserialize_map(self)
        } else {
            json.deserialize_any(self)
        }
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
        self.values.put(&self.node.targets, value);
        Ok(())
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        let text = if value { "true" } else { "false" };
        self.values
            .put_scalar(&self.node.targets, text, "a boolean");
        Ok(())
    }

    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        self.values
            .put_scalar(&self.node.targets, &value.to_string(), "a number");
        Ok(())
    }

    fn visit_i64<E>(self, value: i64) -> Result<(), E> {
        self.values
            .put_scalar(&self.node.targets, &value.to_string(), "a number");
        Ok(())
    }

    fn visit_f64<E>(self, value: f64) -> Result<(), E> {
        self.values
            .put_scalar(&self.node.targets, &value.to_string(), "a number");
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        // null is as good as absent.
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        self.values.refuse(&self.node.targets, "an array");
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

    fn reader(id: &str, text: &[&str], metadata: &[&str]) -> LineReader {
        let owned = |keys: &[&str]| keys.iter().map(|&key| key.to_owned()).collect();
        let keys = FieldKeys {
            id: id.to_owned(),
            text: owned(text),
            metadata: owned(metadata),
        };
        LineReader::new(&keys).unwrap()
    }

    #[test]
    fn wanted_fields_are_found_at_any_depth() {
        let mut reader =
            reader("meta.id", &["title", "body.text"], &["meta.score", "a.b"]);
        let line = br#"{"x":[1,{"y":2}],"meta":{"id":7,"score":1.5,"z":null},
            "body":{"text":"b\n\u00e9"},"title":"a","a.b":true}"#;
        let line = reader.read(line).unwrap();
        assert_eq!(line.id, Some("7"));
        assert_eq!(line.text, "a\nb\né");
        assert_eq!(
            line.metadata,
            [Some("1.5".to_owned()), Some("true".to_owned())]
        );
    }

    #[test]
    fn absent_parts_are_left_out_and_nothing_of_the_line_before_stays() {
        let mut reader = reader("id", &["title", "text"], &["url"]);
        reader
            .read(br#"{"id":"a","title":"t","text":"x","url":"u"}"#)
            .unwrap();
        let line = reader.read(br#"{"text":"only","id":null}"#).unwrap();
        assert_eq!(
            (line.id, line.text, &line.metadata[0]),
            (None, "only", &None)
        );
    }

    #[test]
    fn faults_are_told_apart() {
        let mut reader = reader("id", &["text"], &["url"]);
        let mut kind = |line: &[u8]| reader.read(line).unwrap_err().0;
        assert_eq!(kind(b"{\"text\":\"a\""), BadKind::Json);
        assert_eq!(kind(b"{\"text\":\"a\"} x"), BadKind::Json);
        assert_eq!(kind(b"[1]"), BadKind::Json);
        assert_eq!(kind(b"{\"text\":\"\xff\"}"), BadKind::InvalidUtf8);
        assert_eq!(kind(b"{\"text\":\"\\ud800\"}"), BadKind::Json);
        assert_eq!(kind(b"{\"id\":\"a\"}"), BadKind::MissingText);
        assert_eq!(kind(b"{\"text\":5}"), BadKind::MissingText);
        assert_eq!(kind(b"{\"text\":null}"), BadKind::MissingText);
        assert_eq!(kind(b"{\"text\":{\"a\":1}}"), BadKind::MissingText);
        assert_eq!(kind(b"{\"text\":\"a\",\"id\":[]}"), BadKind::BadField);
        assert_eq!(kind(b"{\"text\":\"a\",\"id\":true}"), BadKind::BadField);
        assert_eq!(kind(b"{\"text\":\"a\",\"url\":{}}"), BadKind::BadField);
    }
}
