//! Documents from the `texts.jsonl` of a result, where ids are unique already.
//!
//! It is a file of JSON lines like any other, so it is read by the same source as the input. Texts
//! in it were extracted by the job that wrote them and are taken as they are.

use super::{Fetched, Found, find_by_id};
use crate::source::{
    FileSource, InputFormat, ReadOptions, TextOptions, TextType, discover,
};
use neardupe_core::document::Progress;
use neardupe_core::error::Result;
use std::path::Path;

/// Finds documents by id in the `texts.jsonl` of a result folder; none when the folder has no
/// such file. Metadata is not written there, so what is found has none; file and number are
/// those of `texts.jsonl`.
pub fn fetch_texts(
    folder: &Path,
    ids: &[String],
    threads: usize,
    progress: &dyn Progress,
) -> Result<Option<Found>> {
    let Some(source) = texts_source(folder)? else {
        return Ok(None);
    };
    let mut found = find_by_id(&source, ids, threads, progress)?;
    let documents = found.documents.iter_mut().flatten();
    documents.for_each(|document: &mut Fetched| document.metadata.clear());
    Ok(Some(found))
}

/// The `texts.jsonl` of a result folder as a source; none when the folder has no such file.
pub fn texts_source(folder: &Path) -> Result<Option<FileSource>> {
    let path = folder.join("texts.jsonl");
    if !path.is_file() {
        return Ok(None);
    }
    let argument = path.to_string_lossy().into_owned();
    let files = discover(&[argument], Some(InputFormat::Jsonl))?.files;
    let options = ReadOptions {
        format: Some(InputFormat::Jsonl),
        // Escaped text is longer than the record that it comes from.
        // They were records once, so they are as long as a job allowed.
        max_record_bytes: u64::MAX,
        text: TextOptions {
            // It was extracted already.
            text_type: TextType::Plain,
            ..TextOptions::default()
        },
        ..ReadOptions::default()
    };
    Ok(Some(FileSource::new(files, options)))
}
