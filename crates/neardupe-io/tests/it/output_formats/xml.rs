//! Reads XML back with a parser that shares nothing with the writer.

use super::Row;
use super::text::scalar;
use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

pub(crate) fn read(path: &Path) -> Vec<Row> {
    let text = fs::read_to_string(path).unwrap();
    let mut reader = Reader::from_str(&text);
    let mut rows = Vec::new();
    let mut row = Row::new();
    let mut escaped = false;
    let mut depth = 0;
    let mut child = (String::new(), String::new());
    loop {
        match reader.read_event().unwrap() {
            // Only rows without children are empty.
            Event::Empty(start) => rows.push(attributes(&start).0),
            Event::Start(start) => {
                depth += 1;
                let (values, row_escaped) = attributes(&start);
                match depth {
                    1 => assert_eq!(values["xmlns"], "urn:neardupe:result:1"),
                    2 => (row, escaped) = (values, row_escaped),
                    _ => {
                        let raw = values.get("name").and_then(Value::as_str);
                        let name = raw.unwrap_or(start.name().0);
                        child = (plain(name, escaped), String::new());
                    }
                }
            }
            Event::Text(text) => child.1 += &text.xml10_content(),
            Event::GeneralRef(reference) => {
                let ch = reference.resolve_char_ref().unwrap();
                child
                    .1
                    .push(ch.unwrap_or_else(|| match &*reference.xml10_content() {
                        "amp" => '&',
                        "lt" => '<',
                        "gt" => '>',
                        "quot" => '"',
                        other => panic!("&{other};"),
                    }));
            }
            Event::End(end) => {
                match end.name().0 {
                    "field" => {
                        row.insert(child.0.clone(), json!(plain(&child.1, escaped)));
                    }
                    "member" => {
                        let members =
                            row.entry("members".to_owned()).or_insert(json!([]));
                        let member = json!(plain(&child.1, escaped));
                        members.as_array_mut().unwrap().push(member);
                    }
                    _ if depth == 2 => rows.push(std::mem::take(&mut row)),
                    _ => {}
                }
                depth -= 1;
            }
            Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!(depth, 0);
    rows
}

/// The attributes of an element, and whether it says that its values are escaped.
fn attributes(start: &BytesStart<'_>) -> (Row, bool) {
    let mut texts: Vec<(String, String)> = Vec::new();
    for attribute in start.attributes() {
        let attribute = attribute.unwrap();
        let value = attribute.normalized_value(XmlVersion::Explicit1_0).unwrap();
        texts.push((attribute.key.0.to_owned(), value.into_owned()));
    }
    let escaped = texts.iter().any(|(name, _)| name == "escaped");
    let values = texts.into_iter().filter(|(name, _)| name != "escaped");
    let values = values.map(|(name, text)| {
        let value = scalar(&name, plain(&text, escaped));
        (name, value)
    });
    (values.collect(), escaped)
}

/// A value without the escapes of a row that has them.
fn plain(text: &str, escaped: bool) -> String {
    if !escaped {
        return text.to_owned();
    }
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        plain += before;
        if let Some(after) = after.strip_prefix('\\') {
            plain.push('\\');
            rest = after;
        } else {
            let digits = after.strip_prefix('u').unwrap();
            let number = u32::from_str_radix(&digits[..4], 16).unwrap();
            plain.push(char::from_u32(number).unwrap());
            rest = &digits[4..];
        }
    }
    plain + rest
}
