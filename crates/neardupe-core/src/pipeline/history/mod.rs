//! What became of documents from version to version: the same id, several dates.
//!
//! One pass over the input makes a row of each record: id, date, identity of the text, code
//! (`collect`). Sorted by id and date they are gone through once (`follow`), each version is
//! compared with the one before by [`rules`], and what came out is sorted again for those who
//! read it. Rows that do not fit go to the work directory, and no result depends on the number
//! of threads.
//!
//! Codes can be kept from run to run instead of texts ([`StoredVersion`]): then today's
//! crawl is compared with yesterday's by eight bytes a document.

mod collect;
mod follow;
mod rows;
pub mod rules;

use crate::document::{
    BadKind, Progress, Record, Sink, Source, SourceRead, check_cancelled,
};
use crate::error::{Error, Result};
use crate::frequency::{Bad, BadSample};
use crate::numbers::in_memory;
use crate::signature::coder::CodeSpec;
use crate::store::{Budget, Rows, Sorter, WorkDir};
use collect::{IdLog, VersionCollector, take_stored};
use follow::Follower;
use rows::{ComparisonRow, IdLogs, IdRow, StoredRow};
use rules::{Date, Factors, PRIORITY_PARTS, Status, Suggestion, VersionContent};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Versions of an id that are stored at most, the newest: four decide, the others are for
/// people who look.
pub const STORED_VERSIONS: usize = 10;

/// Which value of a record is the id that its versions have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdField {
    /// The id of the record.
    Given,
    /// In web archives records have ids of their own, and documents have addresses. The places
    /// of two metadata fields: one that only records of archives have, and the address.
    AddressInArchives {
        /// Records that have it are of an archive.
        mark: usize,
        /// The address.
        url: usize,
    },
}

impl IdField {
    fn of<'a>(self, record: &Record<'a>) -> Option<&'a str> {
        let value = |place: usize| record.metadata.get(place)?.as_deref();
        match self {
            IdField::Given => record.id,
            IdField::AddressInArchives { mark, url } => match value(mark) {
                Some(marked) => value(url).or(Some(marked)),
                None => record.id.or(value(url)),
            },
        }
    }
}

/// What is asked for.
#[derive(Debug, Clone)]
pub struct HistoryConfig {
    /// How codes are made.
    pub codes: Arc<CodeSpec>,
    /// What is the id.
    pub ids: IdField,
    /// The field of the date, and its place among the metadata; without it versions come in the
    /// order of the input.
    pub date: Option<(String, usize)>,
    /// By what intervals change.
    pub factors: Factors,
    /// Whether ids with one version, and those that were not visited, are listed too.
    pub all: bool,
    /// Whether versions are stored for the next time.
    pub store: bool,
    /// Number of threads; no result depends on it.
    pub threads: usize,
    /// What may be held; no result depends on it.
    pub budget: Budget,
}

/// A version as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredVersion {
    /// The id.
    pub id: String,
    /// When it was made.
    pub date: Date,
    /// Its text and code.
    pub content: VersionContent,
}

/// A version compared with the one before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// The id.
    pub id: String,
    /// When it was made, where dates were read.
    pub date: Option<Date>,
    /// When the one before was.
    pub before: Option<Date>,
    /// What became of the document.
    pub status: Status,
    /// Distance of the codes.
    pub distance: u32,
}

/// What is known of an id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Followed {
    /// The id.
    pub id: String,
    /// How many versions are known.
    pub num_versions: u64,
    /// The date of the newest.
    pub date: Option<Date>,
    /// What became of the document from the version before.
    pub status: Status,
    /// Distance to the version before.
    pub distance: Option<u32>,
    /// How urgent it is to index it again, in [`PRIORITY_PARTS`].
    pub priority: u64,
    /// The suggested time to the next visit, in microseconds.
    pub interval: Option<u64>,
    /// Whether that is longer or shorter than before.
    pub suggestion: Suggestion,
    /// Whether a version is of this run, not of the store.
    pub visited: bool,
}

/// What was counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HistoryCounts {
    /// Ids.
    pub ids: u64,
    /// Versions, those of the store included.
    pub versions: u64,
    /// Versions of the input.
    pub read: u64,
    /// Versions that were given twice: same id, date and text.
    pub repeated: u64,
    /// Comparisons, by [`Status`].
    pub comparisons: [u64; 4],
    /// Ids with a single version.
    pub new: u64,
    /// Other ids, by [`Suggestion`].
    pub suggestions: [u64; 3],
    /// Ids of the store that the input does not have.
    pub not_visited: u64,
}

/// What came out.
#[derive(Debug)]
pub struct HistoryResult {
    /// What was counted.
    pub counts: HistoryCounts,
    /// Bad records, by kind.
    pub bad_records: BTreeMap<BadKind, u64>,
    /// The first bad records of the input.
    pub bad_sample: Vec<BadSample>,
    dated: bool,
    comparisons: Rows<ComparisonRow>,
    ids: Rows<IdRow>,
    stored: Rows<StoredRow>,
    logs: IdLogs,
}

/// Follows documents from version to version. `stored` are versions of earlier runs, whose
/// codes were made in the same way: whoever has them must know.
pub fn history(
    source: &dyn Source,
    stored: &mut dyn Iterator<Item = Result<StoredVersion>>,
    config: &HistoryConfig,
    work: &WorkDir,
    progress: &dyn Progress,
) -> Result<HistoryResult> {
    // The store first and by one thread: it is read in its order, and needs no codes.
    let mut sorter = Sorter::new(work, "versions", config.budget.rows);
    let mut log = IdLog::new(work, 0);
    take_stored(stored, &mut sorter, &mut log, progress)?;
    let mut logs = vec![log.finish()?];
    let sorter = Mutex::new(sorter);
    let threads = config.budget.read_threads.min(config.threads).max(1);
    // One collector for each thread and all parts; the sorter brings their rows in order.
    let mut collectors = (1..=threads)
        .map(|number| {
            VersionCollector::new(config, &sorter, IdLog::new(work, number), progress)
        })
        .collect::<Result<Vec<_>>>()?;
    progress.begin("read", source.total_bytes());
    let mut parts = Vec::new();
    for part in 0..source.num_parts()? {
        check_cancelled(progress)?;
        let sinks = collectors.iter_mut().map(|one| one as &mut dyn Sink);
        parts.push(source.read_part(part, sinks.collect(), progress)?);
    }
    let read = SourceRead::gather(source.file_names(), &parts);
    let (mut bad, mut num_read) = (Bad::default(), 0);
    for mut collector in collectors {
        collector.flush()?;
        bad.append(std::mem::take(&mut collector.bad));
        num_read += collector.num_versions;
        logs.push(collector.log.finish()?);
    }
    let sorter = sorter.into_inner();
    let versions = sorter.unwrap_or_else(PoisonError::into_inner).finish()?;
    let logs = IdLogs(logs);
    progress.begin("compare", versions.len());
    let mut follower = Follower::new(config, &logs, work);
    let mut num_compared = 0u64;
    versions.for_each(|row| {
        num_compared += 1;
        if num_compared.is_multiple_of(1 << 12) {
            check_cancelled(progress)?;
            progress.advance(1 << 12);
        }
        follower.version(row)
    })?;
    let followed = follower.finish()?;
    Ok(HistoryResult {
        counts: HistoryCounts {
            read: num_read,
            ..followed.counts
        },
        bad_sample: bad.sample(&read),
        bad_records: bad.kinds,
        dated: config.date.is_some(),
        comparisons: followed.comparisons,
        ids: followed.ids,
        stored: followed.stored,
        logs,
    })
}

impl HistoryResult {
    /// Number of bad records.
    pub fn num_bad(&self) -> u64 {
        self.bad_records.values().sum()
    }

    /// Ids that are listed.
    pub fn num_listed(&self) -> u64 {
        self.ids.len()
    }

    /// Calls `visit` with each comparison, by id and date.
    pub fn for_each_comparison(
        &self,
        mut visit: impl FnMut(&Comparison) -> Result<()>,
    ) -> Result<()> {
        self.each_comparison().try_for_each(|one| visit(&one?))
    }

    /// The comparisons in order, for those who take them one by one.
    pub fn each_comparison(&self) -> impl Iterator<Item = Result<Comparison>> + '_ {
        self.comparisons.iter().map(|row| {
            let row = row?;
            Ok(Comparison {
                id: self.logs.id(row.place)?,
                date: self.date(row.date),
                before: self.date(row.before),
                status: numbered(&Status::ALL, row.status)?,
                distance: row.distance,
            })
        })
    }

    /// Calls `visit` with the `most` ids of highest priority, or with all.
    pub fn for_each_id(
        &self,
        most: Option<u64>,
        mut visit: impl FnMut(&Followed) -> Result<()>,
    ) -> Result<()> {
        let most = most.map_or(usize::MAX, in_memory);
        let mut ids = self.each_id().take(most);
        ids.try_for_each(|one| visit(&one?))
    }

    /// The ids by falling priority, for those who take them one by one.
    pub fn each_id(&self) -> impl Iterator<Item = Result<Followed>> + '_ {
        self.ids.iter().map(|row| {
            let row = row?;
            let status = numbered(&Status::ALL, row.status)?;
            Ok(Followed {
                id: self.logs.id(row.place)?,
                num_versions: row.num_versions,
                date: self.date(row.date),
                status,
                // A row has 0 where there is nothing to compare with.
                distance: (status != Status::New).then_some(row.distance),
                priority: PRIORITY_PARTS - row.below,
                interval: (row.interval > 0).then_some(row.interval),
                suggestion: numbered(&Suggestion::ALL, row.suggestion)?,
                visited: row.visited != 0,
            })
        })
    }

    /// Calls `visit` with each version to be stored, by id and date.
    pub fn for_each_stored(
        &self,
        mut visit: impl FnMut(&StoredVersion) -> Result<()>,
    ) -> Result<()> {
        self.stored.for_each(|row| {
            visit(&StoredVersion {
                id: self.logs.id(row.place)?,
                date: Date(row.date),
                content: follow::content(&row),
            })
        })
    }

    fn date(&self, micros: i64) -> Option<Date> {
        self.dated.then_some(Date(micros))
    }
}

/// The status or suggestion of a number that a row has.
fn numbered<T: Copy>(all: &[T], number: u32) -> Result<T> {
    let one = all.get(number as usize).copied();
    one.ok_or_else(|| Error::Internal("a row that cannot be".to_owned()))
}

#[cfg(test)]
mod tests;
