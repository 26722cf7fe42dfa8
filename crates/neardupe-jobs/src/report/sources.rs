//! How much of each source was removed: by file, by folder, by host, by the metadata that
//! was asked for.
//!
//! The rate of a source is what people act on: a host that loses 95 % of its pages need not be
//! crawled. Sources are sorted by the number of removed documents, not by the rate, since a
//! source of two documents easily has 50 %. A grouping that says nothing new (one source, or one
//! document each) is omitted.

use super::hosts::{Hosts, Mirror};
use super::tally::Removed;
use super::{ReportOptions, URL_FIELD};
use neardupe_core::document::DocIdx;
use neardupe_core::error::Result;
use neardupe_core::hash::FixedMap;
use neardupe_core::pipeline::FindResult;
use std::collections::BTreeMap;

/// Values of a field that are counted: a field with more, such as a title, groups nothing.
const MAX_VALUES: usize = 10_000;
/// Sources of a kind that are shown, and kinds: a page must be small.
const SHOWN: usize = 25;
const MAX_GROUPS: usize = 8;

/// Removal rates of all kinds of sources, and hosts that mirror each other.
#[derive(Debug, Default)]
pub(super) struct Sources {
    /// The groupings that say something.
    pub(super) groups: Vec<SourceGroup>,
    /// Documents on hosts beyond those that are counted.
    pub(super) further: u64,
    /// Hosts with documents in common.
    pub(super) mirrors: Vec<Mirror>,
}

/// A host, a file, or what else documents come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Source {
    /// As it is shown.
    pub(super) name: String,
    /// New documents of it.
    pub(super) documents: u64,
    /// How many of these are duplicates.
    pub(super) removed: u64,
}

/// The sources of one kind.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SourceGroup {
    /// What they are: file, folder, host, a metadata field.
    pub(super) kind: String,
    /// Those with most removed documents.
    pub(super) rows: Vec<Source>,
    /// All of them.
    pub(super) num_sources: u64,
}

impl SourceGroup {
    /// Sorts the sources and keeps those that are shown.
    fn new(kind: &str, mut rows: Vec<Source>) -> Self {
        // Those of old documents alone lose nothing.
        rows.retain(|source| source.documents > 0);
        let num_sources = rows.len() as u64;
        rows.sort_by(|left, right| {
            (right.removed.cmp(&left.removed))
                .then_with(|| right.documents.cmp(&left.documents))
                // Names last, so that the order is the same on every machine.
                .then_with(|| left.name.cmp(&right.name))
        });
        rows.truncate(SHOWN);
        SourceGroup {
            kind: kind.to_owned(),
            rows,
            num_sources,
        }
    }

    /// A single source says nothing that the whole does not, nor do sources of one document
    /// each.
    fn says_something(&self) -> bool {
        self.num_sources > 1 && self.rows.iter().any(|source| source.documents > 1)
    }
}

impl Sources {
    /// All groupings: hosts, then fields that were asked for, then folders and files. Goes
    /// through all documents once per grouping.
    pub(super) fn new(
        result: &FindResult,
        removed: &Removed,
        options: &ReportOptions<'_>,
    ) -> Result<Self> {
        let url = options.metadata.iter().position(|field| field == URL_FIELD);
        let mut hosts = Hosts::new(result, removed, url)?;
        let mut groups = vec![SourceGroup::new("host", std::mem::take(&mut hosts.hosts))];
        for field in 0..options.num_asked {
            if groups.len() + 2 >= MAX_GROUPS {
                // Folders and files are added below.
                break;
            }
            groups.extend(by_value(result, removed, &options.metadata[field], field)?);
        }
        let files = by_file(result, removed);
        groups.push(SourceGroup::new("folder", by_folder(&files)));
        groups.push(SourceGroup::new("file", files));
        // Also those without any source, as hosts of a collection without addresses.
        groups.retain(SourceGroup::says_something);
        Ok(Sources {
            groups,
            further: hosts.further,
            mirrors: hosts.mirrors,
        })
    }
}

/// One source per new file. Files of old documents have nothing to remove.
fn by_file(result: &FindResult, removed: &Removed) -> Vec<Source> {
    let files = (0u32..).zip(result.documents.files());
    let files = files.filter(|&(file, _)| file >= result.num_old_files);
    files
        .map(|(file, read)| {
            let documents = result.documents.of_file(file);
            Source {
                name: read.name.clone(),
                documents: (documents.end.index() - documents.start.index()) as u64,
                removed: DocIdx::between(documents)
                    .filter(|&one| removed.has(one))
                    .count() as u64,
            }
        })
        .collect()
}

/// Documents of a source, and how many of them are removed.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct SourceCounts {
    /// All of them.
    pub(super) documents: u64,
    /// Those that are removed.
    pub(super) removed: u64,
}

/// By the folder that a file is in.
fn by_folder(files: &[Source]) -> Vec<Source> {
    let mut folders: BTreeMap<&str, SourceCounts> = BTreeMap::new();
    for file in files {
        // Names have forward slashes on every system.
        let folder = file.name.rsplit_once('/').map_or("", |(folder, _)| folder);
        let sums = folders.entry(folder).or_default();
        sums.documents += file.documents;
        sums.removed += file.removed;
    }
    // One file in each: they are the same.
    if folders.len() == files.len() {
        return Vec::new();
    }
    let folders = folders.into_iter();
    let folders = folders.map(|(folder, SourceCounts { documents, removed })| Source {
        name: match folder {
            "" => "(in no folder)".to_owned(),
            folder => folder.to_owned(),
        },
        documents,
        removed,
    });
    folders.collect()
}

/// By the value of a field; None when it has too many to group anything.
fn by_value(
    result: &FindResult,
    removed: &Removed,
    name: &str,
    field: usize,
) -> Result<Option<SourceGroup>> {
    let documents = &result.documents;
    let mut sums: FixedMap<String, SourceCounts> = FixedMap::default();
    for document in documents.new_ones() {
        let value = documents.metadata(document)?.into_iter().nth(field);
        let value = value.flatten().unwrap_or_else(|| "(none)".to_owned());
        let sum = sums.entry(value).or_default();
        sum.documents += 1;
        sum.removed += u64::from(removed.has(document));
        if sums.len() > MAX_VALUES {
            return Ok(None);
        }
    }
    let num_documents = (documents.len() - documents.num_old()) as usize;
    // More than one value for two documents is nearly an id.
    if sums.len() * 2 > num_documents {
        return Ok(None);
    }
    let mut rows: Vec<Source> = sums
        .into_iter()
        .map(|(name, SourceCounts { documents, removed })| Source {
            name,
            documents,
            removed,
        })
        .collect();
    // The map has no order of its own.
    rows.sort_by(|left, right| left.name.cmp(&right.name));
    Ok(Some(SourceGroup::new(name, rows)))
}
