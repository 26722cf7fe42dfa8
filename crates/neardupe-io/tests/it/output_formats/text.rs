//! Reads JSON lines and TSV back.

use super::Row;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

pub(crate) fn read_jsonl(path: &Path) -> Vec<Row> {
    let text = fs::read_to_string(path).unwrap();
    let rows = text.lines().map(|line| {
        let mut row: Row = serde_json::from_str(line).unwrap();
        row.retain(|_, value| !value.is_null());
        for value in row.values_mut() {
            if let Some(ratio) = value.as_f64().filter(|_| value.is_f64()) {
                *value = json!(format!("{ratio:.6}"));
            }
        }
        row
    });
    rows.collect()
}

pub(crate) fn read_tsv(path: &Path) -> Vec<Row> {
    let text = fs::read_to_string(path).unwrap();
    let mut lines = text.split_terminator('\n');
    let names: Vec<String> = lines.next().unwrap().split('\t').map(unescape).collect();
    let rows = lines.map(|line| {
        let values = line.split('\t');
        assert_eq!(values.clone().count(), names.len(), "{line:?}");
        let cell = |(name, text): (&String, &str)| (name.clone(), typed(name, text));
        names.iter().zip(values).map(cell).collect()
    });
    rows.collect()
}

fn typed(name: &str, text: &str) -> Value {
    match name {
        "members" => serde_json::from_str(text).unwrap(),
        _ => scalar(name, unescape(text)),
    }
}

/// A value of a format that has only texts.
pub(crate) fn scalar(name: &str, text: String) -> Value {
    match name {
        "overlap" | "size" | "left_size" | "right_size" | "characters" | "place" => {
            json!(text.parse::<u64>().unwrap())
        }
        _ => json!(text),
    }
}

fn unescape(text: &str) -> String {
    let mut plain = String::new();
    let mut chars = text.chars();
    while let Some(ch) = chars.next() {
        plain.push(match ch {
            '\\' => match chars.next().unwrap() {
                't' => '\t',
                'n' => '\n',
                'r' => '\r',
                '\\' => '\\',
                other => panic!("\\{other} in {text:?}"),
            },
            other => other,
        });
    }
    plain
}
