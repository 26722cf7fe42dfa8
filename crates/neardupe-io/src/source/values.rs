//! What was read of one record: the values of the fields that were asked for.

use super::fields::{Fields, Target};
use super::python_json::Mended;
use crate::charset::{self, Decoded, Hints};
use encoding_rs::Encoding;
use neardupe_core::document::BadKind;
use std::borrow::Cow;
use std::sync::Arc;

/// What a text is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextKind {
    /// Text without tags.
    Plain,
    /// A page.
    Html,
    /// Text with tags in it that is no page: nothing stands around its content.
    Marked,
}

/// Why a record is no document, and what exactly is wrong.
pub type Fault = (BadKind, String);

/// The wanted values of a record, in buffers that are used again.
#[derive(Debug, Clone)]
pub(super) struct Values {
    /// Which fields are wanted, and the numbers they have.
    fields: Arc<Fields>,
    /// Character set asked for by the user.
    charset: Option<&'static Encoding>,
    /// The id of the record, if it has one.
    pub(super) id: Option<String>,
    /// One slot per text key, in their order.
    pub(super) texts: Vec<TextSlot>,
    /// One value per metadata key.
    pub(super) metadata: Vec<Option<String>>,
    /// What was noticed while decoding.
    pub(super) remarks: DecodingRemarks,
    /// Metadata fields whose value is of a kind that cannot be used, and that kind.
    pub(super) unusable: Vec<(usize, &'static str)>,
    /// The first field whose value cannot be used: the record is bad by it.
    bad: Option<(Target, &'static str)>,
}

/// One of the texts that make up a document.
#[derive(Debug, Clone, Default)]
pub(super) struct TextSlot {
    /// Whether the record has this field. An empty text is there and counts.
    pub(super) present: bool,
    /// The text; what it held for an earlier record is cleared.
    pub(super) value: String,
    /// What the text is, where the format says so.
    pub(super) kind: Option<TextKind>,
    /// So many bytes at its start are the title, where the format says so.
    pub(super) title_len: usize,
}

/// What was noticed while bytes became text.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct DecodingRemarks {
    /// Character set of the text, where it is not UTF-8.
    pub(super) charset: Option<&'static Encoding>,
    /// The character set was asked for, and bytes beyond ASCII were read in it.
    pub(super) forced: bool,
    /// Bytes that mean nothing in it became U+FFFD.
    pub(super) replaced: bool,
    /// What made JSON of a line that was none.
    pub(super) mended: Mended,
}

impl Values {
    /// Buffers for records of these fields.
    pub(super) fn new(fields: Arc<Fields>, charset: Option<&'static Encoding>) -> Self {
        Values {
            id: None,
            texts: vec![TextSlot::default(); fields.keys.text.len()],
            metadata: vec![None; fields.keys.metadata.len()],
            remarks: DecodingRemarks::default(),
            unusable: Vec::new(),
            bad: None,
            fields,
            charset,
        }
    }

    /// Forgets the record and keeps the memory of its texts.
    pub(super) fn clear(&mut self) {
        self.id = None;
        for text in &mut self.texts {
            text.present = false;
            text.value.clear();
            text.kind = None;
            text.title_len = 0;
        }
        self.metadata.iter_mut().for_each(|value| *value = None);
        self.remarks = DecodingRemarks::default();
        self.unusable.clear();
        self.bad = None;
    }

    /// The wanted fields, for formats that look them up once a file.
    pub(super) fn fields(&self) -> &Arc<Fields> {
        &self.fields
    }

    /// Whether a field is wanted at all: what is not need not be decoded.
    pub(super) fn wants(&self, name: &str) -> bool {
        !self.fields.targets(name).is_empty()
    }

    /// Whether these are the buffers of the same fields.
    pub(super) fn is_of(&self, fields: &Arc<Fields>) -> bool {
        Arc::ptr_eq(&self.fields, fields)
    }

    /// Bytes of all texts.
    pub(super) fn num_bytes(&self) -> u64 {
        self.texts.iter().map(|text| text.value.len() as u64).sum()
    }

    /// Whether any of the wanted texts was there.
    pub(super) fn has_text(&self) -> bool {
        self.texts.iter().any(|text| text.present)
    }

    /// A field of text.
    pub(super) fn put(&mut self, name: &str, value: &str) {
        self.put_kind(name, value, None);
    }

    /// A field of text that the format says to be plain or HTML.
    pub(super) fn put_kind(&mut self, name: &str, value: &str, kind: Option<TextKind>) {
        let fields = Arc::clone(&self.fields);
        self.put_targets(fields.targets(name), value, kind);
    }

    /// A text that begins with its title, on a line of its own, where it has one.
    pub(super) fn put_titled(
        &mut self,
        name: &str,
        title: Option<&str>,
        body: Option<&str>,
        kind: TextKind,
    ) {
        let text = match (title, body) {
            (None, None) => return,
            (Some(text), None) | (None, Some(text)) => Cow::Borrowed(text),
            (Some(title), Some(body)) => Cow::Owned(format!("{title}\n{body}")),
        };
        let fields = Arc::clone(&self.fields);
        let targets = fields.targets(name);
        self.put_targets(targets, &text, Some(kind));
        for target in targets {
            if let Target::Text(number) = *target {
                self.texts[number].title_len = title.map_or(0, str::len);
            }
        }
    }

    /// A field of bytes in a character set that its sender may have declared.
    pub(super) fn put_bytes(
        &mut self,
        name: &str,
        bytes: &[u8],
        sent: Option<&'static Encoding>,
        kind: Option<TextKind>,
    ) {
        let fields = Arc::clone(&self.fields);
        self.put_bytes_to(fields.targets(name), bytes, sent, kind);
    }

    /// A field of bytes that is UTF-8 unless the user or the bytes say otherwise.
    pub(super) fn put_field(&mut self, targets: &[Target], bytes: &[u8]) {
        let other = self.charset.is_some_and(|set| set != encoding_rs::UTF_8);
        match std::str::from_utf8(bytes) {
            Ok(value) if !other => self.put_targets(targets, value, None),
            _ => self.put_bytes_to(targets, bytes, None, None),
        }
    }

    /// Puts bytes where they are wanted, decoded once.
    fn put_bytes_to(
        &mut self,
        targets: &[Target],
        bytes: &[u8],
        sent: Option<&'static Encoding>,
        kind: Option<TextKind>,
    ) {
        // Texts are long: those are decoded where they will stay.
        if let [Target::Text(number)] = *targets {
            self.decode_text(number, bytes, sent, kind);
        } else if !targets.is_empty() {
            let mut value = String::new();
            self.decode(bytes, sent, kind, &mut value);
            self.put_targets(targets, &value, kind);
        }
    }

    /// For formats whose fields are cut out of the text: appends the text of `bytes`.
    pub(super) fn decode(
        &mut self,
        bytes: &[u8],
        sent: Option<&'static Encoding>,
        kind: Option<TextKind>,
        out: &mut String,
    ) {
        let decoded = charset::decode(bytes, self.hints(sent, kind), out);
        self.notice(decoded, bytes);
    }

    /// A whole file: its name is the id, its content the text, whatever the keys.
    pub(super) fn put_file(&mut self, name: &str, bytes: &[u8], kind: Option<TextKind>) {
        self.id = Some(name.to_owned());
        self.decode_text(0, bytes, None, kind);
    }

    /// Decodes bytes right into a text.
    fn decode_text(
        &mut self,
        number: usize,
        bytes: &[u8],
        sent: Option<&'static Encoding>,
        kind: Option<TextKind>,
    ) {
        let hints = self.hints(sent, kind);
        let text = &mut self.texts[number];
        text.present = true;
        text.kind = kind;
        text.value.clear();
        let decoded = charset::decode(bytes, hints, &mut text.value);
        self.notice(decoded, bytes);
    }

    /// What is known of the character set: plain text cannot declare one.
    fn hints(&self, sent: Option<&'static Encoding>, kind: Option<TextKind>) -> Hints {
        Hints {
            forced: self.charset,
            sent,
            declares: kind != Some(TextKind::Plain),
        }
    }

    /// Notes what decoding met. A character set other than UTF-8 is reported per document.
    fn notice(&mut self, decoded: Decoded, bytes: &[u8]) {
        self.remarks.forced |= self.charset.is_some() && !bytes.is_ascii();
        if decoded.encoding != encoding_rs::UTF_8 {
            self.remarks.charset = Some(decoded.encoding);
        }
        self.remarks.replaced |= decoded.replaced;
    }

    /// Puts a value; one that came before is replaced. JSON with a repeated key keeps the last
    /// value, as most readers do.
    pub(super) fn put_targets(
        &mut self,
        targets: &[Target],
        value: &str,
        kind: Option<TextKind>,
    ) {
        for &target in targets {
            match target {
                Target::Id => self.id = Some(value.to_owned()),
                Target::Metadata(number) => {
                    self.metadata[number] = Some(value.to_owned())
                }
                Target::Text(number) => {
                    let text = &mut self.texts[number];
                    text.present = true;
                    text.kind = kind;
                    text.title_len = 0;
                    text.value.clear();
                    text.value.push_str(value);
                }
            }
        }
    }

    /// A number or boolean: fine for ids (numbers) and metadata, not for text.
    pub(super) fn put_scalar(
        &mut self,
        targets: &[Target],
        value: &str,
        found: &'static str,
    ) {
        for &target in targets {
            match target {
                Target::Text(_) => self.refuse(&[target], found),
                Target::Id if found == "a boolean" => self.refuse(&[target], found),
                Target::Id | Target::Metadata(_) => {
                    self.put_targets(&[target], value, None)
                }
            }
        }
    }

    /// A value of a kind that cannot be used. A text or an id of it spoils the record; metadata
    /// has no value then, which is counted.
    pub(super) fn refuse(&mut self, targets: &[Target], found: &'static str) {
        for &target in targets {
            match target {
                Target::Metadata(number) => {
                    self.metadata[number] = None;
                    self.unusable.push((number, found));
                }
                Target::Text(_) | Target::Id => {
                    self.bad.get_or_insert((target, found));
                }
            }
        }
    }

    /// For formats where users name the fields: a record whose fields cannot be used, or
    /// that has none of the texts, is no document.
    pub(super) fn check(&self) -> Result<(), Fault> {
        if let Some((target, found)) = self.bad {
            return Err(self.wrong_type(target, found));
        }
        if !self.has_text() {
            let keys = self.fields.keys.text.join(", ");
            let detail =
                format!("no field {keys}; `text-key` names the field of the text");
            return Err((BadKind::MissingText, detail));
        }
        Ok(())
    }

    /// The fault of a text or id of the wrong type.
    fn wrong_type(&self, target: Target, found: &str) -> Fault {
        let keys = &self.fields.keys;
        let (kind, key, wanted) = match target {
            Target::Text(number) => {
                (BadKind::MissingText, &keys.text[number], "a string")
            }
            Target::Id | Target::Metadata(_) => {
                (BadKind::BadField, &keys.id, "a string or number")
            }
        };
        (kind, format!("field {key} is {found}, not {wanted}"))
    }

    /// The name of a metadata field.
    pub(super) fn metadata_name(&self, number: usize) -> &str {
        &self.fields.keys.metadata[number]
    }
}
