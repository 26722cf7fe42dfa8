//! Documents by their ids: what a result names, with its text again.
//!
//! Ids are those that `find` gives: as written in the record, `path:number` where there is
//! none, `id#2` and so on where one repeats. Which document an `id#2` is depends on all that
//! have the id, so the whole source is read, once and by all threads, and only what can still
//! be meant is held. The number of a record in its file is known only when the file has been
//! read: for ids of the form `path:number` these files are read once more before.

mod locate;
mod nearest;
mod sink;
mod texts;
mod wanted;

pub use locate::{Located, Watcher, locate};
pub use texts::{fetch_texts, texts_source};
pub use wanted::numbered_id;

use crate::source::FileSource;
use neardupe_core::document::{
    Position, Progress, Sink, Source, SourceRead, check_cancelled,
};
use neardupe_core::error::{Error, Result};
use neardupe_core::hash::FixedMap;
use sink::{Counting, FetchShared, Fetching, OnlyOne};
use wanted::WantedIds;

/// A document with its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// Its unique id.
    pub id: String,
    /// The text that was compared.
    pub text: String,
    /// One value for each metadata field of the source's options, in that order.
    pub metadata: Vec<Option<String>>,
    /// Name of its file, relative to the argument under which it was found.
    pub file: String,
    /// Its number in the file, from 1.
    pub number: u64,
}

/// What was found of the ids that were asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// One for each id, in their order; none where no document has it.
    pub documents: Vec<Option<Fetched>>,
    /// For each id that no document has, a few that are written alike.
    pub nearest: Vec<Vec<String>>,
    /// Documents that were read.
    pub num_documents: u64,
}

impl Found {
    /// All documents, or an error that names the first id that no document has.
    pub fn all(self) -> Result<Vec<Fetched>> {
        self.documents
            .into_iter()
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| {
                Error::Internal("a document that was found is missing".to_owned())
            })
    }

    /// An error that names the first id that no document has, if there is one.
    pub fn check(&self, ids: &[String]) -> Result<()> {
        let missing = self.documents.iter().position(Option::is_none);
        match missing {
            None => Ok(()),
            Some(at) => Err(unknown(&ids[at], self.num_documents, &self.nearest[at])),
        }
    }
}

/// An error that says that no document has an id, and which ids are written similarly.
pub fn unknown(id: &str, num_documents: u64, nearest: &[String]) -> Error {
    let mut message = match num_documents {
        0 => "no document could be read, so none has this id; `text-key` names the field of \
              the text"
            .to_owned(),
        1 => "the one document that was read has another id".to_owned(),
        many => format!("none of the {many} documents that were read has this id"),
    };
    if !nearest.is_empty() {
        let shown: Vec<String> = nearest.iter().map(|id| format!("{id:?}")).collect();
        message += &format!("; written alike: {}", shown.join(", "));
    }
    Error::input(format!("{id:?}"), message)
}

/// Fetches the documents with these ids; an id that no document has is an error. The source
/// is read from beginning to end by `threads` threads.
///
/// ```no_run
/// use neardupe_core::document::Silent;
/// use neardupe_io::fetch::fetch;
/// use neardupe_io::source::{FileSource, ReadOptions, discover};
///
/// let files = discover(&["docs.jsonl".to_owned()], None)?.files;
/// let source = FileSource::new(files, ReadOptions::default());
/// let ids = ["a".to_owned(), "a#2".to_owned(), "docs.jsonl:7".to_owned()];
/// let documents = fetch(&source, &ids, 4, &Silent)?;
/// assert_eq!(documents[1].id, "a#2");
/// # Ok::<(), neardupe_core::error::Error>(())
/// ```
pub fn fetch(
    source: &FileSource,
    ids: &[String],
    threads: usize,
    progress: &dyn Progress,
) -> Result<Vec<Fetched>> {
    let found = find_by_id(source, ids, threads, progress)?;
    found.check(ids)?;
    found.all()
}

/// Like [`fetch`], but an id that no document has is no error.
pub fn find_by_id(
    source: &FileSource,
    ids: &[String],
    threads: usize,
    progress: &dyn Progress,
) -> Result<Found> {
    progress.begin("fetch", source.total_bytes());
    let shared = FetchShared::new(wanted(source, ids, threads, progress)?);
    let mut sinks: Vec<Fetching<'_>> = (0..threads.max(1))
        .map(|_| Fetching::new(&shared))
        .collect();
    let read = read_all(source, &mut sinks, progress)?;
    let nearest = sinks.into_iter().map(Fetching::finish).collect::<Vec<_>>();
    Ok(shared.finish(ids, &read, nearest))
}

/// What is looked for, with the places of records that have no ids of their own.
fn wanted(
    source: &FileSource,
    ids: &[String],
    threads: usize,
    progress: &dyn Progress,
) -> Result<WantedIds> {
    let mut wanted = WantedIds::new(ids);
    let numbered = wanted.numbered(&source.file_names());
    if !numbered.is_empty() {
        let places = places(source, &numbered, threads, progress)?;
        wanted.add_places(places);
    }
    Ok(wanted)
}

/// The one document of a source: an error when there is none, or another.
pub fn fetch_only(
    source: &FileSource,
    name: &str,
    threads: usize,
    progress: &dyn Progress,
) -> Result<Fetched> {
    progress.begin("fetch", source.total_bytes());
    let mut sinks: Vec<OnlyOne> =
        (0..threads.max(1)).map(|_| OnlyOne::default()).collect();
    let read = read_all(source, &mut sinks, progress)?;
    let num_documents: u64 = sinks.iter().map(|sink| sink.num_documents).sum();
    let bad = sinks.iter_mut().find_map(|sink| sink.bad.take());
    let first = sinks.into_iter().filter_map(|sink| sink.first);
    // Threads take parts of the input in any order; the earliest place is the same in every
    // run.
    let first = first.min_by_key(|(position, _)| *position);
    match (first, num_documents) {
        (Some((position, mut document)), 1) => {
            let file = &read.files[position.file as usize];
            document.file = file.name.clone();
            document.number = file.record_number(position);
            if document.id.is_empty() {
                document.id = format!("{}:{}", document.file, document.number);
            }
            Ok(document)
        }
        (Some((position, document)), many) => {
            let file = &read.files[position.file as usize];
            let made = format!("{}:{}", file.name, file.record_number(position));
            let id = if document.id.is_empty() {
                made
            } else {
                document.id
            };
            let message =
                format!("holds {many} documents; name one by its id, as {name}#{id}");
            Err(Error::input(name, message))
        }
        (None, _) => {
            let message = match bad {
                Some(bad) => {
                    format!("holds no document ({}: {})", bad.kind.name(), bad.detail)
                }
                None => "holds no document".to_owned(),
            };
            Err(Error::input(name, message))
        }
    }
}

/// Reads a source to its end, one thread for each sink.
fn read_all<S: Sink>(
    source: &FileSource,
    sinks: &mut [S],
    progress: &dyn Progress,
) -> Result<SourceRead> {
    // Parts follow each other, because ids that repeat are numbered over the whole source.
    let mut parts = Vec::new();
    for part in 0..source.num_parts()? {
        check_cancelled(progress)?;
        let sinks = sinks.iter_mut().map(|sink| sink as &mut dyn Sink).collect();
        parts.push(source.read_part(part, sinks, progress)?);
    }
    Ok(SourceRead::gather(source.file_names(), &parts))
}

/// Where the records with these numbers are, in all files of each name.
fn places(
    source: &FileSource,
    numbered: &[(String, u64)],
    threads: usize,
    progress: &dyn Progress,
) -> Result<Vec<(Position, String)>> {
    // Thousands of ids in thousands of files: each file is asked for its own only.
    let mut by_name: FixedMap<&str, Vec<u64>> = FixedMap::default();
    for (name, number) in numbered.iter().filter(|(_, number)| *number > 0) {
        by_name.entry(name).or_default().push(*number);
    }
    let is_named = |name: &str| by_name.contains_key(name);
    if let Some(file) = source
        .files()
        .iter()
        .find(|file| !file.regular && is_named(&file.name))
    {
        let message = "standard input and pipes can be read only once, so a document cannot \
                       be found by its number; name a file";
        return Err(Error::input(&file.name, message));
    }
    let (some, numbers) = source.only(|file| is_named(&file.name));
    let mut sinks = vec![Counting; threads.max(1)];
    let read = read_all(&some, &mut sinks, progress)?;
    let mut places = Vec::new();
    for (&file, read) in numbers.iter().zip(&read.files) {
        let name = &read.name;
        for number in by_name.get(name.as_str()).into_iter().flatten() {
            // The last block that begins at or before the record. Places count from 0, numbers
            // of records from 1.
            let before = &read.places_before;
            let block = before.partition_point(|&places| places < *number);
            let Some(block) = block.checked_sub(1) else {
                continue;
            };
            let index = number - 1 - before[block];
            if let (Ok(block), Ok(index)) = (u32::try_from(block), u32::try_from(index)) {
                let position = Position { file, block, index };
                places.push((position, format!("{name}:{number}")));
            }
        }
    }
    Ok(places)
}

#[cfg(test)]
mod tests;
