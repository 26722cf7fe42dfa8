//! Where documents are, by their ids: for many of them at once, without their texts.

use super::sink::{FetchShared, Fetching};
use super::{read_all, wanted};
use crate::source::FileSource;
use neardupe_core::document::{BadRecord, Position, Progress, Record, Sink, Source};
use neardupe_core::error::Result;

/// A document that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// Where it is.
    pub position: Position,
    /// One value for each metadata field of the source's options, in that order.
    pub metadata: Vec<Option<String>>,
}

/// Sees all documents that pass one thread.
pub trait Watcher: Send {
    /// A document.
    fn see(&mut self, record: &Record<'_>);
}

/// Finds where documents are, one for each id; the whole source is read, by one thread for
/// each watcher.
pub fn locate<W: Watcher>(
    source: &FileSource,
    ids: &[String],
    watchers: &mut [W],
    progress: &dyn Progress,
) -> Result<Vec<Option<Located>>> {
    progress.begin("fetch", source.total_bytes());
    let shared = FetchShared::of_places(wanted(source, ids, watchers.len(), progress)?);
    let mut sinks: Vec<Locating<'_, W>> = watchers
        .iter_mut()
        .map(|watcher| Locating {
            fetching: Fetching::new(&shared),
            watcher,
        })
        .collect();
    read_all(source, &mut sinks, progress)?;
    drop(sinks);
    let located = shared.finish_places(ids).into_iter();
    let located = located
        .map(|found| found.map(|(position, metadata)| Located { position, metadata }));
    Ok(located.collect())
}

/// Finds documents in one thread, and shows each of them to a watcher.
struct Locating<'a, W> {
    /// Holds the places of documents that can be meant.
    fetching: Fetching<'a>,
    /// Sees every document, also those that nobody asked for: a job that needs both reads the
    /// source once.
    watcher: &'a mut W,
}

impl<W: Watcher> Sink for Locating<'_, W> {
    fn document(&mut self, record: &Record<'_>) -> Result<()> {
        self.watcher.see(record);
        self.fetching.document(record)
    }

    fn bad_record(&mut self, _: BadRecord) -> Result<()> {
        Ok(())
    }
}
