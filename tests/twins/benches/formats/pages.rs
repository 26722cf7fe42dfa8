//! The pages and texts that are carried.

use serde_json::Value;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Texts, and where they are from.
pub(crate) struct Texts {
    pub(crate) origin: String,
    pub(crate) texts: Vec<String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Real pages where the labelled collections are at hand, else the example pages in HTML.
pub(crate) fn web() -> Texts {
    let names = ["html-articles", "postgresql-docs-html"];
    let texts: Vec<String> = names
        .iter()
        .flat_map(|name| lines(&format!("{name}/pages.jsonl.gz"), "html"))
        .collect();
    if !texts.is_empty() {
        let origin = format!("{} of {}", texts.len(), names.join(" and "));
        return Texts { origin, texts };
    }
    let texts: Vec<String> = examples().iter().map(|text| page(text)).collect();
    let origin = format!("{} made of the example pages", texts.len());
    Texts { origin, texts }
}

/// Chinese laws where they are at hand, else one paragraph in many variations.
pub(crate) fn chinese() -> Texts {
    let texts = lines("chinese-laws/docs.jsonl.gz", "text");
    if !texts.is_empty() {
        let origin = format!("{} of chinese-laws", texts.len());
        return Texts { origin, texts };
    }
    let law = "中华人民共和国公民在法律面前一律平等。国家尊重和保障人权。任何公民享有宪法和\
               法律规定的权利，同时必须履行宪法和法律规定的义务。";
    let texts: Vec<String> = (0..1500)
        .map(|number| format!("第{number}条 {law}").repeat(60))
        .collect();
    let origin = format!("{} made of one paragraph", texts.len());
    Texts { origin, texts }
}

fn lines(name: &str, field: &str) -> Vec<String> {
    let path = root().join("../shared/data").join(name);
    let Ok((_, mut reader)) = neardupe_io::compress::open(&path) else {
        return Vec::new();
    };
    let mut text = String::new();
    reader.read_to_string(&mut text).unwrap();
    text.lines()
        .map(|line| {
            let value: Value = serde_json::from_str(line).unwrap();
            value[field].as_str().unwrap().to_owned()
        })
        .collect()
}

fn examples() -> Vec<String> {
    let mut paths: Vec<PathBuf> = Vec::new();
    let mut folders = vec![root().join("examples/pages")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                paths.push(path);
            }
        }
    }
    paths.sort();
    paths
        .iter()
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect()
}

fn page(text: &str) -> String {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;");
    let paragraphs: String = escaped
        .split("\n\n")
        .map(|part| format!("<div class=\"block\"><p id=\"p\">{part}</p></div>\n"))
        .collect();
    let menu = "<li><a href=\"/menu\" class=\"item\">Menu</a></li>\n".repeat(40);
    format!(
        "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>Page</title>\
         <script>{}</script></head><body><ul>{menu}</ul>{paragraphs}</body></html>",
        "var x = 1;\n".repeat(200)
    )
}
