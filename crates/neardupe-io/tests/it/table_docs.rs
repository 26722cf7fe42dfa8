//! What documents say of tables is what is declared: `docs/result.xsd`, the tables of
//! `docs/formats.md`, and the rows of README.
//!
//! `UPDATE_DOCS=1 cargo test -p neardupe-io --test it table_docs::` rewrites them.

use neardupe_io::tables::column::{Limits, Values};
use neardupe_io::tables::{
    ColumnDeclaration, ColumnKind, Declaration, Formats, TABLES, tables,
};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path)
}

fn read(path: &str) -> String {
    std::fs::read_to_string(repository(path)).unwrap()
}

/// Compares a file with what it must be, or rewrites it.
fn expect(path: &str, expected: &str) {
    if read(path) == expected {
        return;
    }
    let update = std::env::var("UPDATE_DOCS").is_ok_and(|value| value == "1");
    assert!(
        update,
        "{path} is not what the tables of crates/neardupe-io/src/tables declare; rewrite it with \
         UPDATE_DOCS=1 cargo test -p neardupe-io --test it table_docs::"
    );
    std::fs::write(repository(path), expected).unwrap();
}

fn sentence(meaning: &str) -> String {
    meaning.trim().to_owned()
}

#[test]
fn the_schema_of_xml_is_what_is_declared() {
    expect("docs/result.xsd", &xsd());
}

#[test]
fn the_columns_in_formats_are_what_is_declared() {
    let mut page = read("docs/formats.md");
    for (command, tables) in TABLES {
        let text: String = tables.iter().map(|table| described(table)).collect();
        let begin = format!("<!-- tables of {command}: begin -->");
        let end = format!("<!-- tables of {command}: end -->");
        let parts = page.split_once(&begin).and_then(|(before, rest)| {
            let (_, after) = rest.split_once(&end)?;
            Some((before.to_owned(), after.to_owned()))
        });
        let (before, after) = parts.unwrap_or_else(|| panic!("no place for {command}"));
        page = format!("{before}{begin}\n\n{text}{end}{after}");
    }
    expect("docs/formats.md", &page);
}

#[test]
fn the_fields_in_the_readme_are_what_is_declared() {
    let mut readme = String::new();
    let mut found = 0;
    for line in read("README.md").lines() {
        let table = tables()
            .find(|table| line.starts_with(&format!("| `{}` |", file_name(table))));
        match table {
            Some(table) => {
                found += 1;
                let columns = table.columns.iter().filter(|it| !it.is_of_sides);
                let mut names: Vec<String> =
                    columns.map(|column| format!("`{}`", column.name)).collect();
                if table.has_metadata {
                    names.push("`metadata.KEY` for each `--meta-key`".to_owned());
                }
                let meaning = sentence(table.meaning);
                let meaning = meaning.trim_end_matches('.');
                let _ = writeln!(
                    readme,
                    "| `{}` | {meaning}: {} |",
                    file_name(table),
                    names.join(", ")
                );
            }
            None => readme += &format!("{line}\n"),
        }
    }
    assert_eq!(found, 6, "rows of tables in README.md");
    expect("README.md", &readme);
}

/// A table is called by its name, and by that of its file where that is always the same.
fn file_name(table: &Declaration) -> String {
    match table.formats {
        Formats::Chosen => table.name.to_owned(),
        Formats::Jsonl => format!("{}.jsonl", table.name),
        Formats::Tsv => format!("{}.tsv", table.name),
        Formats::Csv => format!("{}.csv", table.name),
    }
}

fn described(table: &Declaration) -> String {
    let mut text = format!("`{}`: {}", file_name(table), sentence(table.meaning));
    let _ = write!(text, " Order: {}.", table.order);
    if table.formats == Formats::Chosen {
        let (root, row) = (table.name, table.row);
        let _ = write!(text, " XML: `<{row}>` in `<{root}>`.");
    }
    text += "\n\n| column | type | meaning |\n|---|---|---|\n";
    for column in table.columns {
        let _ = writeln!(
            text,
            "| `{}` | {} | {} |",
            column.name,
            kind_in_words(column),
            sentence(column.meaning)
        );
    }
    if table.has_metadata {
        text += "| `metadata.KEY` | optional text | Value of a metadata field, for each \
                 `--meta-key`. |\n";
    }
    if let Some(more) = table.more {
        let _ = writeln!(text, "| `{}` | text | {} |", more.name, more.meaning);
    }
    text + "\n"
}

fn kind_in_words(column: &ColumnDeclaration) -> String {
    let limits = column.values.map(|values| &values.limits);
    let mut text = match column.kind {
        ColumnKind::Text => "text",
        ColumnKind::OptionalText => "optional text",
        ColumnKind::Number => "whole number",
        ColumnKind::OptionalNumber => "optional whole number",
        ColumnKind::Integer => "whole number, also below 0",
        ColumnKind::Ratio => "ratio",
        ColumnKind::Decimal => "number",
        ColumnKind::OptionalDecimal => "optional number",
        ColumnKind::OptionalRatio => match limits {
            Some(Limits::Decimals) => "optional number, six decimals",
            _ => "optional ratio",
        },
        ColumnKind::List(_) => "list of texts",
    }
    .to_owned();
    match limits {
        Some(Limits::OneOf(words)) => {
            let words: Vec<String> =
                words.iter().map(|word| format!("`{word}`")).collect();
            text += &format!(": {}", words.join(", "));
        }
        Some(Limits::Pattern(pattern)) => text += &format!(": `{pattern}`"),
        Some(Limits::AtMost(most)) => text += &format!(", at most {most}"),
        Some(Limits::Decimals) | None => {}
    }
    if column.is_of_sides {
        text += "; only with `--against`";
    }
    text
}

const XSD_HEAD: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"
           xmlns="urn:neardupe:result:1"
           targetNamespace="urn:neardupe:result:1"
           elementFormDefault="qualified">

  <xs:annotation>
    <xs:documentation xml:lang="en">
      The results of neardupe as XML: each table is a file with the root of its name, pairs.xml
      with pairs. One row is one element and one line. A test makes this schema of what is declared
      in crates/neardupe-io/src/tables.

      XML 1.0 cannot hold the control characters U+0000 to U+001F (but for tab, line feed and
      carriage return), U+FFFE and U+FFFF. A row with one of them, in whatever value, has
      escaped="true". In all values of such a row, and only there, a backslash begins an
      escape: \uXXXX (four hexadecimal digits) is the character of that number, \\ is a
      backslash. Nothing else follows a backslash there. White space in values is part of them.

      A value with a free name, such as metadata.title, and a text that may be absent are a field:
      it is left out where there is no value.

      The number at the end of the namespace changes when the meaning of a file changes.
    </xs:documentation>
  </xs:annotation>
"#;

const XSD_END: &str = r#"
  <xs:complexType name="field">
    <xs:simpleContent>
      <xs:extension base="xs:string">
        <xs:attribute name="name" type="xs:string" use="required"/>
      </xs:extension>
    </xs:simpleContent>
  </xs:complexType>

  <xs:simpleType name="escaped">
    <xs:annotation>
      <xs:documentation>Left out, or true: see the top of this schema.</xs:documentation>
    </xs:annotation>
    <xs:restriction base="xs:string">
      <xs:enumeration value="true"/>
    </xs:restriction>
  </xs:simpleType>

  <xs:simpleType name="ratio">
    <xs:annotation>
      <xs:documentation>From 0 to 1 with six decimals, rounded half up.</xs:documentation>
    </xs:annotation>
    <xs:restriction base="xs:decimal">
      <xs:minInclusive value="0"/>
      <xs:maxInclusive value="1"/>
      <xs:pattern value="[01]\.[0-9]{6}"/>
    </xs:restriction>
  </xs:simpleType>

</xs:schema>
"#;

/// Tables of one name: they differ in some columns.
type Namesakes<'a> = Vec<&'a Declaration>;

fn xsd() -> String {
    let mut text = XSD_HEAD.to_owned();
    let mut named: Vec<Namesakes<'_>> = Vec::new();
    for table in tables().filter(|table| table.formats == Formats::Chosen) {
        match named.iter_mut().find(|known| known[0].name == table.name) {
            Some(known) => known.push(table),
            None => named.push(vec![table]),
        }
    }
    for table in &named {
        let (name, row) = (table[0].name, table[0].row);
        let _ = write!(
            text,
            "\n  <xs:element name=\"{name}\">\n    <xs:complexType>\n      <xs:sequence>\n        \
             <xs:element name=\"{row}\" type=\"{}\" minOccurs=\"0\" maxOccurs=\"unbounded\"/>\n      \
             </xs:sequence>\n    </xs:complexType>\n  </xs:element>\n",
            type_name(name)
        );
    }
    let mut values: Vec<(&Values, ColumnKind)> = Vec::new();
    for table in &named {
        text += &row_type(table);
        for column in table.iter().flat_map(|one| one.columns) {
            if let Some(own) = column.values
                && values.iter().all(|(known, _)| known.name != own.name)
            {
                values.push((own, column.kind));
            }
        }
    }
    for (own, kind) in values {
        text += &value_type(own, kind);
    }
    text + XSD_END
}

/// `passage-pairs` has rows of the type `passagePairsRow`.
fn type_name(table: &str) -> String {
    let mut name = String::new();
    for (at, part) in table.split('-').enumerate() {
        let (first, rest) = part.split_at(1);
        name += &match at {
            0 => first.to_owned(),
            _ => first.to_uppercase(),
        };
        name += rest;
    }
    name + "Row"
}

/// Text within an element, in lines.
fn documentation(text: &str, indent: &str) -> String {
    let text = text
        .replace('`', "")
        .replace('&', "&amp;")
        .replace('<', "&lt;");
    let mut lines = format!("{indent}<xs:annotation>\n{indent}  <xs:documentation>\n");
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && line.len() + word.len() > 88 {
            let _ = writeln!(lines, "{indent}    {line}");
            line.clear();
        }
        line += if line.is_empty() { "" } else { " " };
        line += word;
    }
    let _ = writeln!(lines, "{indent}    {line}");
    lines + &format!("{indent}  </xs:documentation>\n{indent}</xs:annotation>\n")
}

fn row_type(tables: &[&Declaration]) -> String {
    let mut about = String::new();
    let mut columns: Vec<(&ColumnDeclaration, bool)> = Vec::new();
    for table in tables {
        about += table.meaning;
        for column in table.columns {
            if columns.iter().all(|(known, _)| known.name != column.name) {
                let has = |one: &&Declaration| {
                    one.columns.iter().any(|other| other.name == column.name)
                };
                let everywhere = tables.iter().all(has);
                columns.push((column, everywhere && column.is_required()));
            }
        }
    }
    for (column, _) in &columns {
        let _ = write!(about, " {}: {}", column.name, sentence(column.meaning));
    }
    let name = type_name(tables[0].name);
    let mut text = format!("\n  <xs:complexType name=\"{name}\">\n");
    text += &documentation(&about, "    ");
    let is_field = |column: &ColumnDeclaration| column.kind == ColumnKind::OptionalText;
    let num_fields = columns
        .iter()
        .filter(|(column, _)| is_field(column))
        .count();
    let most = if tables.iter().any(|table| table.has_metadata) {
        "unbounded".to_owned()
    } else {
        num_fields.to_string()
    };
    let mut children = String::new();
    if most != "0" {
        let _ = writeln!(
            children,
            "      <xs:element name=\"field\" type=\"field\" minOccurs=\"0\" maxOccurs=\"{most}\"/>"
        );
    }
    for (column, _) in &columns {
        if let ColumnKind::List(item) = column.kind {
            let _ = writeln!(
                children,
                "      <xs:element name=\"{item}\" type=\"xs:string\" minOccurs=\"0\" \
                 maxOccurs=\"unbounded\"/>"
            );
        }
    }
    if !children.is_empty() {
        let _ = write!(text, "    <xs:sequence>\n{children}    </xs:sequence>\n");
    }
    text += "    <xs:attribute name=\"escaped\" type=\"escaped\"/>\n";
    for (column, required) in columns {
        let kind = match (column.values, column.kind) {
            (_, ColumnKind::OptionalText | ColumnKind::List(_)) => continue,
            (Some(values), _) => values.name,
            (None, ColumnKind::Text) => "xs:string",
            (None, ColumnKind::Number | ColumnKind::OptionalNumber) => "xs:unsignedLong",
            (None, ColumnKind::Ratio | ColumnKind::OptionalRatio) => "ratio",
            (None, ColumnKind::Integer) => "xs:long",
            (None, ColumnKind::Decimal | ColumnKind::OptionalDecimal) => "xs:decimal",
        };
        let needed = if required { " use=\"required\"" } else { "" };
        let name = column.name;
        let _ = writeln!(
            text,
            "    <xs:attribute name=\"{name}\" type=\"{kind}\"{needed}/>"
        );
    }
    text + "  </xs:complexType>\n"
}

fn value_type(values: &Values, kind: ColumnKind) -> String {
    let base = match kind {
        ColumnKind::Number | ColumnKind::OptionalNumber => "xs:unsignedLong",
        ColumnKind::Ratio | ColumnKind::OptionalRatio => "xs:decimal",
        _ => "xs:string",
    };
    let mut text = format!("\n  <xs:simpleType name=\"{}\">\n", values.name);
    if !values.meaning.is_empty() {
        text += &documentation(values.meaning, "    ");
    }
    let _ = writeln!(text, "    <xs:restriction base=\"{base}\">");
    let facets = match values.limits {
        Limits::OneOf(words) => words
            .iter()
            .map(|word| format!("<xs:enumeration value=\"{word}\"/>"))
            .collect(),
        Limits::Pattern(pattern) => vec![format!("<xs:pattern value=\"{pattern}\"/>")],
        Limits::AtMost(most) => vec![format!("<xs:maxInclusive value=\"{most}\"/>")],
        Limits::Decimals => vec![
            "<xs:minInclusive value=\"0\"/>".to_owned(),
            "<xs:pattern value=\"[0-9]+\\.[0-9]{6}\"/>".to_owned(),
        ],
    };
    for facet in facets {
        let _ = writeln!(text, "      {facet}");
    }
    text + "    </xs:restriction>\n  </xs:simpleType>\n"
}
