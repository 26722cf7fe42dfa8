//! A truth that the documents carry themselves: those with the same value of a field belong
//! together. Ids are those that `find` makes.
//!
//! A field such as a page id or a checksum of the publisher gives classes without reading a file.
//! Documents without a value are alone. Values are known by their hashes, like ids, so a field of
//! long texts needs no more memory than one of numbers.

use super::passing::for_each_document;
use super::relation::{Ids, Partition};
use neardupe_core::document::{Progress, Record};
use neardupe_core::error::Result;
use neardupe_io::source::FileSource;

/// The documents of a collection.
#[derive(Debug)]
pub struct CollectedIds {
    /// All ids.
    pub ids: Ids,
    /// Documents with the same value; empty when no field was asked for.
    pub clusters: Partition,
    /// How many documents have a value.
    pub with_value: u64,
}

/// Reads all ids of a source, and the value of the metadata field of this number.
pub fn collect(
    source: &FileSource,
    field: Option<usize>,
    threads: usize,
    progress: &dyn Progress,
) -> Result<CollectedIds> {
    let value = || {
        move |record: &Record<'_>| {
            let value = field.and_then(|field| record.metadata.get(field));
            value.cloned().flatten()
        }
    };
    let mut collected = CollectedIds {
        ids: Ids::default(),
        clusters: Partition::default(),
        with_value: 0,
    };
    let mut values = Ids::default();
    for_each_document(source, threads, progress, value, |id, value| {
        let document = collected.ids.number(id)?;
        if let Some(value) = value {
            collected.with_value += 1;
            collected.clusters.put(document, values.number(&value)?);
        }
        Ok(())
    })?;
    Ok(collected)
}
