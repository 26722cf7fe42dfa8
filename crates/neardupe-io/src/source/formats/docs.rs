//! The tables of formats in the documentation, made of the registry.
//!
//! `UPDATE_DOCS=1 cargo test -p neardupe-io formats::docs` rewrites them.

use super::super::format::{Around, FieldNames, FormatSpec, Guess, Layout, Sign};
use super::InputFormat;
use crate::compress;
use std::fmt::Write;
use std::path::Path;

/// All formats, in the order of the registry.
fn specs() -> impl Iterator<Item = &'static FormatSpec> {
    InputFormat::ALL.iter().map(|format| format.spec())
}

/// Words as Markdown code.
fn in_code(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| format!("`{word}`")).collect()
}

/// One or the other, in code.
fn either(words: &[&str]) -> String {
    let words = in_code(words);
    match &words[..] {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// How a file is recognised, the surest sign first.
fn recognised(spec: &FormatSpec) -> String {
    let tags = |names: &[&str]| -> Vec<String> {
        let tags = names.iter().map(|name| format!("<{name}>"));
        tags.collect()
    };
    let either_of = |tags: Vec<String>| {
        let tags: Vec<&str> = tags.iter().map(String::as_str).collect();
        either(&tags)
    };
    let mut signs = Vec::new();
    match spec.sign {
        Sign::None => {}
        Sign::Bytes(bytes) => {
            signs.push(format!("first bytes `{}`", String::from_utf8_lossy(bytes)));
        }
        Sign::Start(starts) => signs.push(format!("first bytes {}", either(starts))),
        Sign::Element { names, with: [] } => {
            signs.push(format!("first element {}", either_of(tags(names))));
        }
        Sign::Element { names, with } => {
            let first = either_of(tags(names));
            signs.push(format!("first element {first} with {}", either(with)));
        }
    }
    if !spec.endings.is_empty() {
        let endings: Vec<String> =
            spec.endings.iter().map(|it| format!("`.{it}`")).collect();
        signs.push(format!("name {}", endings.join(", ")));
    }
    match spec.guess {
        Guess::Never => {}
        Guess::FirstByte(byte) => {
            signs.push(format!("first character `{}`", char::from(byte)));
        }
        Guess::Rest => signs.push("any other file that is named itself".to_owned()),
    }
    signs.join("; ")
}

/// The table of all formats.
fn formats() -> String {
    let mut table = "| format | `input-format` | recognised by | record | id | text |\n\
                     |---|---|---|---|---|---|\n"
        .to_owned();
    for spec in specs() {
        let cells = [
            spec.title,
            &format!("`{}`", spec.name),
            &recognised(spec),
            spec.record,
            spec.id,
            spec.text,
        ];
        writeln!(table, "| {} |", cells.join(" | ")).unwrap();
    }
    table
}

/// Parameters as they are typed: the registry has their names alone.
fn as_typed(text: &str) -> String {
    let typed = |text: String, name: &str| {
        let flag = ["--", name].concat();
        text.replace(&format!("`{name}`"), &format!("`{flag}`"))
            .replace(&format!(" {name} "), &format!(" {flag} "))
    };
    let names = ["input-format", "id-key", "text-key", "write-text"];
    names.into_iter().fold(text.to_owned(), typed)
}

/// The table of fields of formats that name them.
fn fields() -> String {
    let mut table = "| format | texts | other fields |\n|---|---|---|\n".to_owned();
    for spec in specs() {
        let (texts, others, more) = match spec.fields {
            FieldNames::Known {
                texts,
                others,
                more,
            } => (texts, others, more),
            // Their fields are the users', or there are none.
            FieldNames::Free | FieldNames::None => continue,
        };
        let mut others = in_code(others).join(", ");
        if !more.is_empty() {
            write!(others, "; {more}").unwrap();
        }
        let texts = in_code(texts).join(", ");
        writeln!(table, "| {} | {texts} | {others} |", spec.title).unwrap();
    }
    table
}

/// Formats in groups that are written in the same way, in the order of their first one.
fn groups(
    words: fn(Layout) -> &'static str,
) -> Vec<(Vec<&'static FormatSpec>, &'static str)> {
    let mut groups: Vec<(Vec<&FormatSpec>, &str)> = Vec::new();
    for spec in specs() {
        let words = words(spec.layout);
        match groups.iter_mut().find(|(_, known)| *known == words) {
            Some((group, _)) => group.push(spec),
            None => groups.push((vec![spec], words)),
        }
    }
    groups
}

/// A table with one row per group of formats.
fn table_of_groups(head: &str, words: fn(Layout) -> &'static str) -> String {
    let mut table = head.to_owned();
    for (group, words) in groups(words) {
        let titles: Vec<&str> = group.iter().map(|spec| spec.title).collect();
        writeln!(table, "| {} | {words} |", titles.join(", ")).unwrap();
    }
    table
}

/// What `dedup` writes: kept | removed.
fn rewritten(layout: Layout) -> &'static str {
    match layout {
        Layout::Lines => {
            "lines byte for byte, with their line ends; blank lines and a byte order mark stay | the \
             added fields before the closing brace, the rest of the line byte for byte"
        }
        Layout::Table { .. } => {
            "the head and rows byte for byte | a column for each added field; CSV is quoted where it \
             must be, in TSV tab, line ends and backslash of an id are `\\t`, `\\n`, `\\r`, `\\\\`"
        }
        Layout::Columns => {
            "all columns, types, key-value metadata, codecs and the order of rows; row groups stay \
             groups | a column for each added field: strings, and a double for the similarity"
        }
        Layout::Entries(entries) => match entries.around {
            Around::Kept => {
                "records byte for byte. Records without text (warcinfo, requests, images) stay where \
                 they are. Where a record was a gzip member of its own, it is one again | the record \
                 as it is; `_neardupe/removed` says of which it is a duplicate"
            }
            Around::Both => {
                "elements byte for byte, and everything around them | the same file with the removed \
                 elements alone"
            }
        },
        Layout::Document { .. } => {
            "the file, as it is stored | the file, as it is stored"
        }
    }
}

/// What `dedup` with `passages` writes of a document that loses something.
fn shortened(layout: Layout) -> &'static str {
    match layout {
        Layout::Lines => {
            "the string of the text without the stretches; its other escapes and all else of the line \
             byte for byte"
        }
        Layout::Table { .. } => {
            "the cell without the stretches, quoted as it was or where it must be; all else of the row \
             byte for byte. A text that is not stored as UTF-8 stops the job when it would be cut"
        }
        Layout::Columns => {
            "the column of the text without the stretches; schema, other columns, row groups and \
             metadata as for whole documents. The text must be one column of strings"
        }
        Layout::Document { is_html: false } => {
            "the text without the stretches, in UTF-8 and without a byte order mark, packed as before"
        }
        Layout::Document { is_html: true } | Layout::Entries(_) => {
            "refused before anything is read: `neardupe passages INPUT write-text -o T` writes all \
             texts to `T/texts.jsonl`, which can be cut (its `regions` and `links` still describe the \
             whole text)"
        }
    }
}

/// The sentence of the README.
fn list() -> String {
    let titles: Vec<&str> = specs().map(|spec| spec.title).collect();
    let is_packed_inside = |spec: &&FormatSpec| match spec.layout {
        Layout::Columns => true,
        Layout::Lines
        | Layout::Table { .. }
        | Layout::Entries(_)
        | Layout::Document { .. } => false,
    };
    let packed_inside = specs().filter(is_packed_inside).map(|spec| spec.title);
    let packed_inside: Vec<&str> = packed_inside.collect();
    format!(
        "{}. Files of all but {} may be compressed: {}.\n",
        titles.join(", "),
        packed_inside.join(", "),
        in_code(&compress::ENDINGS).join(", ")
    )
}

/// Compares the part of a page between two markers with what it must be, or rewrites it.
fn expect(page: &str, name: &str, expected: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path = root.join(page);
    let text = std::fs::read_to_string(&path).unwrap();
    let (begin, end) = (
        format!("<!-- {name}:begin -->"),
        format!("<!-- {name}:end -->"),
    );
    let parts = text.split_once(&begin).and_then(|(before, rest)| {
        let (_, after) = rest.split_once(&end)?;
        Some((before, after))
    });
    let (before, after) =
        parts.unwrap_or_else(|| panic!("{page} has no lines {begin} and {end}"));
    let updated = format!(
        "{before}{begin}\n\n{}\n\n{end}{after}",
        as_typed(expected.trim_end())
    );
    if updated == text {
        return;
    }
    assert!(
        std::env::var("UPDATE_DOCS").is_ok_and(|value| value == "1"),
        "{page}, {name}: not what the registry of formats says; rewrite it with \
         UPDATE_DOCS=1 cargo test -p neardupe-io formats::docs"
    );
    std::fs::write(&path, updated).unwrap();
}

#[test]
fn pages_say_what_the_registry_says() {
    expect("README.md", "formats", &list());
    expect("docs/formats.md", "formats", &formats());
    expect("docs/formats.md", "fields", &fields());
    let head = "| format | kept | removed |\n|---|---|---|\n";
    let rewritten = table_of_groups(head, rewritten);
    expect("docs/dedup.md", "formats", &rewritten);
    let head = "| format | a document that loses something |\n|---|---|\n";
    let shortened = table_of_groups(head, shortened);
    expect("docs/dedup.md", "passages", &shortened);
}
