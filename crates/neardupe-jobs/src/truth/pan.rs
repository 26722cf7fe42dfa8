//! Passages as the corpora of the PAN competitions have them: an XML file for each suspicious
//! document (or pair), `<document reference="suspicious-document00001.txt">` with a
//! `<feature name="plagiarism" this_offset="…" this_length="…" source_reference="…"
//! source_offset="…" source_length="…" obfuscation="…"/>` for each passage. Older ones say
//! `artificial-plagiarism` and the like.

use super::passages::{PassageTruth, TrueRow};
use neardupe_core::error::{Error, Result};
use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;
use std::fs;
use std::path::{Path, PathBuf};

/// How deep folders are searched: PAN has parts and languages below each other.
/// A limit, since a link to a folder above would be followed without end.
const MAX_DEPTH: usize = 8;

/// Reads a file, or all files `*.xml` of a folder and of those below it.
pub(super) fn read(path: &Path) -> Result<PassageTruth> {
    let mut files = Vec::new();
    if path.is_dir() {
        find(path, MAX_DEPTH, &mut files)?
    } else {
        files.push(path.to_path_buf())
    }
    // In the order of names, so that messages and results do not depend on the file system.
    files.sort_unstable();
    if files.is_empty() {
        let message =
            "no file *.xml in this folder, as PAN has them beside the documents";
        return Err(Error::input(path.display().to_string(), message));
    }
    let mut truth = PassageTruth {
        of_files: true,
        ..PassageTruth::default()
    };
    for file in &files {
        let text = fs::read(file).map_err(|error| Error::io(file, error))?;
        add(&text, &mut truth)
            .map_err(|what| Error::input(file.display().to_string(), what))?;
    }
    Ok(truth)
}

/// Adds the files `*.xml` of a folder to the list, in any order; `depth` is how many folders
/// further down are looked into.
fn find(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<()> {
    let failed = |error| Error::io(folder, error);
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            if depth > 0 {
                find(&path, depth - 1, files)?;
            }
        } else if path.extension().is_some_and(|ending| ending == "xml") {
            files.push(path);
        }
    }
    Ok(())
}

/// Adds the passages of one file. Only elements are looked at, so a file may have other
/// features and comments. Messages have the line, since these files are edited by hand.
fn add(text: &[u8], truth: &mut PassageTruth) -> Result<(), String> {
    // A byte order mark is no part of the XML.
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let text = std::str::from_utf8(text).map_err(|_| "not UTF-8".to_owned())?;
    let mut reader = Reader::from_str(text);
    let mut document: Option<String> = None;
    loop {
        let at = reader.buffer_position();
        let in_line = |what: String| {
            let before = usize::try_from(at).ok().and_then(|at| text.get(..at));
            let line = 1 + before.unwrap_or(text).matches('\n').count();
            format!("line {line}: {what}")
        };
        let event = reader.read_event();
        match event.map_err(|error| in_line(error.to_string()))? {
            Event::Start(start) | Event::Empty(start) => match &document {
                // The first element must be the document; whatever follows is within it.
                None => document = Some(reference(&start).map_err(in_line)?),
                Some(document) => {
                    feature(document, &start, truth).map_err(in_line)?;
                }
            },
            Event::Eof => break,
            _ => {}
        }
    }
    match document {
        Some(_) => Ok(()),
        None => Err("it has no element <document>".to_owned()),
    }
}

/// The document that a file is of.
fn reference(start: &BytesStart<'_>) -> Result<String, String> {
    let name = start.name().0;
    let reference = attribute(start, "reference")?;
    match reference {
        Some(reference) if name == "document" => Ok(reference),
        _ => Err(format!(
            "not a file of PAN: it begins with <{name}>, not with <document reference=\"…\">"
        )),
    }
}

/// Adds the passage of an element, if it is one. Elements with another name are passed over;
/// a case without a source (PAN has these for intrinsic detection) is counted.
fn feature(
    document: &str,
    start: &BytesStart<'_>,
    truth: &mut PassageTruth,
) -> Result<(), String> {
    let name = attribute(start, "name")?;
    if start.name().0 != "feature" || !name.is_some_and(|n| n.ends_with("plagiarism")) {
        return Ok(());
    }
    let Some(source) = attribute(start, "source_reference")? else {
        truth.without_source += 1;
        return Ok(());
    };
    // Offsets are characters, and are checked against the texts later.
    let places = |side: &str| -> Result<(u32, u32), String> {
        let number = |name: &str| {
            let name = format!("{side}_{name}");
            let text = attribute(start, &name)?;
            let text = text.ok_or_else(|| format!("a passage without {name}"))?;
            let number = text.trim().parse::<u32>();
            number.map_err(|_| format!("{name}: {text:?} is not a whole number"))
        };
        let (offset, length) = (number("offset")?, number("length")?);
        let end = offset.checked_add(length);
        let end = end.ok_or_else(|| format!("{side}_length: {length} is too large"))?;
        Ok((offset, end))
    };
    // Some corpora name it `type`, others have neither.
    let mut kind = attribute(start, "obfuscation")?;
    if kind.as_ref().is_none_or(String::is_empty) {
        kind = attribute(start, "type")?;
    }
    truth.rows.push(TrueRow {
        left: document.to_owned(),
        right: source,
        places: [places("this")?, places("source")?],
        kind: kind.unwrap_or_default(),
    });
    Ok(())
}

/// The value of an attribute with entities resolved; None if the element lacks it.
fn attribute(start: &BytesStart<'_>, name: &str) -> Result<Option<String>, String> {
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|error| error.to_string())?;
        if attribute.key.0 == name {
            let value = attribute.normalized_value(XmlVersion::Explicit1_0);
            let value = value.map_err(|error| error.to_string())?;
            return Ok(Some(value.into_owned()));
        }
    }
    Ok(None)
}
