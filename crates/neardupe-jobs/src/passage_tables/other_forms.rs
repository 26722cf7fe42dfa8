//! Passages in the forms of others: PAN (one XML file for each document, as its measuring
//! program reads them) and passim (a JSON object a line, by its names).

use neardupe_core::document::DocIdx;
use neardupe_core::error::{Error, Result};
use neardupe_core::pipeline::PassagesResult;
use neardupe_core::pipeline::passages::{
    PairOfDocuments, PairOfTexts, Passage, TextSide,
};
use neardupe_io::output::Offsets;
use quick_xml::Writer;
use quick_xml::events::{BytesEnd, BytesStart, Event};
use serde_json::json;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// A form of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtherForm {
    /// A folder `pan` of XML files.
    Pan,
    /// `passim.jsonl`.
    Passim,
}

neardupe_core::named!(OtherForm as "also" {
    Pan = "pan",
    Passim = "passim",
});

/// Writes the passages of a result in a form of others. PAN and passim count characters.
pub fn write_other_form(
    folder: &Path,
    result: &PassagesResult,
    form: OtherForm,
    with_text: bool,
) -> Result<()> {
    match form {
        OtherForm::Pan => write_pan(&folder.join("pan"), result),
        OtherForm::Passim => {
            // One file for all pairs, unlike PAN.
            write_passim(&folder.join("passim.jsonl"), result, with_text)
        }
    }
}

/// Writes a line per passage. Places are in characters (code points), counted from 0, the end
/// exclusive.
fn write_passim(path: &Path, result: &PassagesResult, with_text: bool) -> Result<()> {
    let failed = |error: std::io::Error| Error::io(path, error);
    let mut out = BufWriter::new(File::create(path).map_err(failed)?);
    // Pairs come in the order of the result, so the file is the same for any number of
    // threads.
    result.for_each_pair(|texts| {
        let pair = texts.pair;
        let (left, right) = ids(result, pair)?;
        for passage in &pair.passages {
            let (begin, end) = Offsets::Characters.of(&passage.left);
            let (begin2, end2) = Offsets::Characters.of(&passage.right);
            let mut row = json!({
                "id": left, "begin": begin, "end": end,
                "id2": right, "begin2": begin2, "end2": end2,
            });
            if with_text {
                let (one, other) = sides(texts, passage);
                row["text"] = json!(one);
                row["text2"] = json!(other);
            }
            writeln!(out, "{row}").map_err(failed)?;
        }
        Ok(())
    })?;
    out.flush().map_err(failed)
}

/// The ids of both documents.
fn ids(result: &PassagesResult, pair: &PairOfDocuments) -> Result<(String, String)> {
    let id = |document| result.documents.id(document).map(String::from);
    Ok((id(pair.left)?, id(pair.right)?))
}

/// The texts of a passage, cut from the originals by bytes.
fn sides<'a>(texts: &PairOfTexts<'a>, passage: &Passage) -> (&'a str, &'a str) {
    let (left, right) = (passage.left.span, passage.right.span);
    (
        &texts.left_text[left.start..left.end],
        &texts.right_text[right.start..right.end],
    )
}

/// The file of the suspicious document at hand.
struct PanFile {
    /// Whose file it is: it is closed when the next pair belongs to another.
    document: DocIdx,
    path: PathBuf,
    out: BufWriter<File>,
}

/// Writes a file for each suspicious document: of two, the later one in the order of the input. What
/// is old comes before what is new, and the collection before what is checked.
fn write_pan(folder: &Path, result: &PassagesResult) -> Result<()> {
    fs::create_dir_all(folder).map_err(|error| Error::io(folder, error))?;
    // A mark per document: the first time a file is created, after that it is appended to. A
    // file left by an earlier run is so overwritten.
    let mut is_begun = vec![false; result.documents.len() as usize];
    let mut open: Option<PanFile> = None;
    result.for_each_pair(|texts| {
        let pair = texts.pair;
        let (suspicious, source) = if pair.left > pair.right {
            (pair.left, pair.right)
        } else {
            (pair.right, pair.left)
        };
        if open
            .as_ref()
            // Only one file is open at a time; with one per document the system would run out
            // of handles.
            .is_some_and(|file| file.document != suspicious)
            && let Some(file) = open.take()
        {
            file.close()?;
        }
        let file = match &mut open {
            Some(file) => file,
            none => {
                let was_begun = &mut is_begun[suspicious.index()];
                let id = result.documents.id(suspicious)?;
                let file = PanFile::open(folder, suspicious, &id, *was_begun)?;
                *was_begun = true;
                none.insert(file)
            }
        };
        let source_id = result.documents.id(source)?;
        for passage in &pair.passages {
            let (here, there) = if suspicious == pair.left {
                (&passage.left, &passage.right)
            } else {
                (&passage.right, &passage.left)
            };
            file.feature(here, &source_id, there)?;
        }
        Ok(())
    })?;
    // The last file is closed like the others, then all get their end tag. Only now it is
    // known that no pair follows.
    open.map_or(Ok(()), PanFile::close)?;
    let begun = result.documents.all().zip(is_begun);
    for (document, _) in begun.filter(|(_, is_begun)| *is_begun) {
        let id = result.documents.id(document)?;
        let mut file = PanFile::open(folder, document, &id, true)?;
        file.line("", Event::End(BytesEnd::new("document")))?;
        file.close()?;
    }
    Ok(())
}

impl PanFile {
    /// Begins the file of a document, or continues it: its pairs need not follow each other.
    fn open(folder: &Path, document: DocIdx, id: &str, was_begun: bool) -> Result<Self> {
        let path = folder.join(format!("{}.xml", file_name(id)));
        let file = if was_begun {
            File::options().append(true).open(&path)
        } else {
            File::create(&path)
        };
        let out = BufWriter::new(file.map_err(|error| Error::io(&path, error))?);
        let mut file = PanFile {
            document,
            path,
            out,
        };
        if !was_begun {
            let mut start = BytesStart::new("document");
            start.push_attribute(("reference", reference(id).as_str()));
            file.line("", Event::Start(start))?;
        }
        Ok(file)
    }

    /// Writes a passage: the place in the suspicious document first, then the source and the
    /// place in it.
    fn feature(
        &mut self,
        here: &TextSide,
        source_id: &str,
        there: &TextSide,
    ) -> Result<()> {
        let (this, this_end) = Offsets::Characters.of(here);
        let (source, source_end) = Offsets::Characters.of(there);
        let numbers = [
            ("this_offset", this),
            ("this_length", this_end - this),
            ("source_offset", source),
            ("source_length", source_end - source),
        ];
        let mut feature = BytesStart::new("feature");
        feature.push_attribute(("name", "detected-plagiarism"));
        for (at, (name, number)) in numbers.into_iter().enumerate() {
            // The source is named before its offset.
            if at == 2 {
                let reference = reference(source_id);
                feature.push_attribute(("source_reference", reference.as_str()));
            }
            feature.push_attribute((name, number.to_string().as_str()));
        }
        self.line("  ", Event::Empty(feature))
    }

    /// Writes an element on a line of its own.
    fn line(&mut self, indent: &str, event: Event<'_>) -> Result<()> {
        let failed = |error: std::io::Error| Error::io(&self.path, error);
        write!(self.out, "{indent}").map_err(failed)?;
        let mut writer = Writer::new(&mut self.out);
        writer.write_event(event).map_err(failed)?;
        writeln!(self.out).map_err(failed)
    }

    /// Closes the file. An error of the last write would be lost if it were only dropped.
    fn close(mut self) -> Result<()> {
        let flushed = self.out.flush();
        flushed.map_err(|error| Error::io(&self.path, error))
    }
}

/// Documents of PAN are text files.
fn reference(id: &str) -> String {
    if id.ends_with(".txt") {
        id.to_owned()
    } else {
        format!("{id}.txt")
    }
}

/// A name for the file of a document: a character other than a letter, digit, point, hyphen or underscore is
/// written as its bytes.
fn file_name(id: &str) -> String {
    let id = id.strip_suffix(".txt").unwrap_or(id);
    let mut name = String::new();
    for (at, byte) in id.bytes().enumerate() {
        // A name must not begin with a point: it would be hidden, or mean a folder.
        let plain = byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        if plain || (byte == b'.' && at > 0) {
            name.push(char::from(byte))
        } else {
            // Writing to a string does not fail.

            let _ = write!(name, "%{byte:02X}");
        }
    }
    // File systems allow 255 bytes. The hash of the whole id keeps long ids with the same
    // beginning apart.
    if name.len() > 200 {
        let hash = neardupe_core::hash::text(id);
        name.truncate(160);
        let _ = write!(name, "-{hash:032x}");
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_has_a_file_name_of_its_own() {
        assert_eq!(
            file_name("suspicious-document00001.txt"),
            "suspicious-document00001"
        );
        assert_eq!(file_name("../a b"), "%2E.%2Fa%20b");
        assert_eq!(file_name("中"), "%E4%B8%AD");
        let long = "x".repeat(300);
        assert!(file_name(&long).len() < 200);
        assert_ne!(file_name(&long), file_name(&(long.clone() + "y")));
    }
}
