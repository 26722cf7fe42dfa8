//! Lists of ids: what to take and what to leave, for data that is kept elsewhere.
//!
//! One id a line. An id that has a line end in it, or begins with a quote, is written as a
//! string of JSON: a line that begins with a quote is always one.
//!
//! For formats that cannot be written again, and for collections that live in a database: the
//! lists alone are enough to delete or to copy there.

use super::decisions::Decisions;
use neardupe_core::document::DocIdx;
use neardupe_core::error::{Error, Result};
use neardupe_core::pipeline::FindResult;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Bytes gathered before they are handed to the system.
const BUFFER_BYTES: usize = 1 << 18;

/// Writes `kept-ids.txt` and `removed-ids.txt` for the documents of some files, in the order
/// of the input.
pub fn write_ids(folder: &Path, result: &FindResult, files: &[u32]) -> Result<()> {
    let decisions = Decisions::new(result, false);
    let create = |name: &str| {
        let path = folder.join(name);
        let file = File::create(&path).map_err(|error| Error::io(&path, error))?;
        Ok::<_, Error>((BufWriter::with_capacity(BUFFER_BYTES, file), path))
    };
    let (mut kept, kept_path) = create("kept-ids.txt")?;
    let (mut removed, removed_path) = create("removed-ids.txt")?;
    for &file in files {
        let range = result.documents.of_file(file);
        let mut place = decisions.first_removed(range.start);
        for document in DocIdx::between(range) {
            let id = result.documents.id(document)?;
            let duplicate = decisions.removed(place);
            if duplicate.is_some_and(|duplicate| duplicate.document == document) {
                place += 1;
                write_id(&mut removed, &id)
                    .map_err(|error| Error::io(&removed_path, error))?;
            } else {
                write_id(&mut kept, &id).map_err(|error| Error::io(&kept_path, error))?;
            }
        }
    }
    for (out, path) in [(kept, kept_path), (removed, removed_path)] {
        let file = out.into_inner().map_err(io::IntoInnerError::into_error);
        let synced = file.and_then(|file| file.sync_data());
        synced.map_err(|error| Error::io(&path, error))?;
    }
    Ok(())
}

fn write_id(out: &mut impl Write, id: &str) -> io::Result<()> {
    if id.contains(['\n', '\r']) || id.starts_with('"') {
        serde_json::to_writer(&mut *out, id)?;
    } else {
        out.write_all(id.as_bytes())?;
    }
    out.write_all(b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_is_one_line_and_can_be_read_back() {
        let ids = ["a b", "x\ny", "\"q", "\\n", "", "r\r", "ü\u{2028}"];
        let mut out = Vec::new();
        ids.iter().for_each(|id| write_id(&mut out, id).unwrap());
        let text = String::from_utf8(out).unwrap();
        let lines = text.split_terminator('\n').map(|line| {
            if line.starts_with('"') {
                serde_json::from_str(line).unwrap()
            } else {
                line.to_owned()
            }
        });
        assert_eq!(lines.collect::<Vec<String>>(), ids);
    }
}
