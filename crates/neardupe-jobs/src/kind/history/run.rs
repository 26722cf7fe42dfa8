//! Follows documents from version to version, and writes tables and store. The store is written last:
//! if anything fails before, the next run compares with the same versions again.
//!
//! Order: read and code all records, merge them with the store by id and date, write tables, then
//! the store. The store comes last and is replaced as a whole; if anything fails before, the next
//! run sees the versions of this one as new again and nothing is lost.

use super::job::HistoryJob;
use crate::exec::Exec;
use crate::history_store::{StoreReader, write_store};
use crate::kind::reading::{of_reading, open};
use neardupe_core::document::BadKind;
use neardupe_core::error::Result;
use neardupe_core::frequency::BadSample;
use neardupe_core::pipeline::codes::Reading;
use neardupe_core::pipeline::history::rules::{PRIORITY_PARTS, Status, Suggestion};
use neardupe_core::pipeline::history::{
    Followed, HistoryConfig, HistoryCounts, HistoryResult, StoredVersion, history,
};
use neardupe_core::ratio::six_decimals;
use neardupe_core::store::WorkDir;
use neardupe_io::output::{
    OutputFormat, ResultFolder, ResultKind, beside, write_history,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// A day in microseconds, the unit of dates and intervals.
const DAY: u64 = 24 * 60 * 60_000_000;

/// What became of documents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HistorySummary {
    /// neardupe.
    pub program: String,
    /// Its version.
    pub version: String,
    /// history.
    pub command: String,
    /// The parameters that the result depends on.
    pub options: Map<String, Value>,
    /// How codes were made: only versions with the same are compared.
    pub identity: String,
    /// Documents.
    pub ids: u64,
    /// Versions, those of the store included.
    pub versions: u64,
    /// Versions that were read.
    pub read: u64,
    /// Versions that were there already.
    pub repeated: u64,
    /// Comparisons by what they showed.
    pub comparisons: BTreeMap<String, u64>,
    /// Documents with one version.
    pub new: u64,
    /// Documents that are only in the store.
    pub not_visited: u64,
    /// Documents by what is suggested.
    pub suggestions: BTreeMap<String, u64>,
    /// Records that were left out.
    pub bad_records: u64,
    /// The same by the kind of fault.
    pub bad_records_by_kind: BTreeMap<String, u64>,
    /// The documents of highest priority; they are not in the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top: Option<Vec<HistoryId>>,
}

/// What became of a document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HistoryId {
    /// Its id.
    pub id: String,
    /// How many versions are known.
    pub versions: u64,
    /// The date of the newest.
    pub date: Option<String>,
    /// What became of it from the version before.
    pub status: String,
    /// Bits in which the codes differ.
    pub distance: Option<u32>,
    /// How urgent it is to index it again.
    pub priority: Option<f64>,
    /// The suggested time to the next visit.
    pub interval_days: Option<f64>,
    /// Whether that is longer or shorter than before.
    pub suggestion: String,
    /// Whether a version is of this run, not of the store.
    pub visited: bool,
}

/// What became of documents.
#[derive(Debug, Clone)]
pub struct HistoryOutcome {
    /// As it is printed.
    pub summary: HistorySummary,
    /// The same counts.
    pub counts: HistoryCounts,
    /// Bad records, by kind.
    pub bad_records: BTreeMap<BadKind, u64>,
    /// The first bad records.
    pub bad_sample: Vec<BadSample>,
    /// The documents of highest priority, and one more.
    pub followed: Vec<Followed>,
    /// How many of them are shown; none when all are.
    pub top: Option<u64>,
    /// Documents without a comparison are listed too.
    pub all: bool,
    /// Where codes are kept.
    pub store: Option<PathBuf>,
    /// Where the tables are.
    pub output: Option<PathBuf>,
    /// How they are written.
    pub format: OutputFormat,
    /// Warnings.
    pub warnings: Vec<String>,
    /// More records were bad than are allowed.
    pub has_left_out: bool,
}

impl HistoryJob {
    /// Compares versions, and writes tables and store.
    pub fn run(mut self, exec: &Exec<'_>) -> Result<HistoryOutcome> {
        // An output that must not be replaced is refused before hours of work, not after.
        if let Some(output) = &self.output {
            ResultFolder::check(output, ResultKind::History)?;
        }
        let mut warnings = Vec::new();
        let files = self.discover()?;
        let source = open(&mut self.job, files, exec.progress, &mut warnings)?;
        let (work, _) = WorkDir::begin(self.work_path(), Default::default())?;
        let threads = self.job.config.threads;
        let codes = self.codes.specify(Reading {
            source: &source,
            threads,
            budget: &self.job.config.budget,
            work: &work,
            progress: exec.progress,
        })?;
        let identity = self.identity(&codes);
        let mut store = match &self.store {
            None => None,
            Some(path) => {
                // The lock of the work directory keeps a second run away from the store until it is written.
                work.enter()?;
                StoreReader::open(path, &identity)?
            }
        };
        let config = HistoryConfig {
            codes: Arc::new(codes),
            ids: self.ids,
            date: self.date.clone(),
            factors: self.factors,
            all: self.all,
            store: self.store.is_some(),
            threads,
            budget: self.job.config.budget,
        };
        // Without a store there are no earlier versions; both are handed on as one type.
        let mut none = std::iter::empty::<Result<StoredVersion>>();
        let stored: &mut dyn Iterator<Item = _> = match &mut store {
            Some(store) => store,
            None => &mut none,
        };
        let result = history(&source, stored, &config, &work, exec.progress)?;
        // The iterator has reached the end of the store by now, so its checksum was compared.
        let mut summary = self.summary(&identity, &result);
        if let Some(output) = &self.output {
            let folder = ResultFolder::create(output, ResultKind::History)?;
            write_history(folder.path(), &result, self.format)?;
            let json = serde_json::to_value(&summary)?;
            folder.finish(&(serde_json::to_string_pretty(&json)? + "\n"))?;
        }
        if let Some(path) = &self.store {
            write_store(path, &identity, &result)?;
        }
        warnings.extend(of_reading(&self.given, &self.job));
        let mut followed = Vec::new();
        // One more than is shown: whether there are more is printed too.
        result.for_each_id(self.top.map(|top| top + 1), |one| {
            followed.push(one.clone());
            Ok(())
        })?;
        // No limit where it does not fit: no list is that long.
        let most = self.top.and_then(|top| usize::try_from(top).ok());
        let shown = followed.iter().take(most.unwrap_or(followed.len()));
        summary.top = Some(shown.map(HistoryId::of).collect());
        let outcome = HistoryOutcome {
            has_left_out: result.num_bad() > self.job.allow_bad_records,
            summary,
            counts: result.counts,
            bad_records: result.bad_records.clone(),
            bad_sample: result.bad_sample.clone(),
            followed,
            top: self.top,
            all: self.all,
            store: self.store,
            output: self.output,
            format: self.format,
            warnings,
        };
        // Its rows may be in files of the work directory.
        drop(result);
        work.finish()?;
        Ok(outcome)
    }

    /// The work directory: beside the store or the output, so that its lock keeps a second job away
    /// from them. Without either there is nothing to protect, and the number of the process makes the
    /// name unique.
    fn work_path(&self) -> PathBuf {
        let named = self.store.as_ref().or(self.output.as_ref());
        match (&self.work_dir, named) {
            (None, Some(named)) => beside(named, "work"),
            (Some(folder), Some(named)) => {
                beside(&folder.join(named.file_name().unwrap_or_default()), "work")
            }
            (folder, None) => {
                let folder = folder.clone().unwrap_or_else(std::env::temp_dir);
                let name = format!("neardupe-history-{}", std::process::id());
                beside(&folder.join(name), "work")
            }
        }
    }

    /// The numbers of the result; the documents of highest priority are added after the file is written.
    fn summary(&self, identity: &str, result: &HistoryResult) -> HistorySummary {
        let counts = &result.counts;
        // The first status is that of a document without a comparison, which is counted as `new`.
        let statuses = Status::ALL.into_iter().skip(1);
        let statuses = statuses.map(|status| {
            let count = counts.comparisons[status as usize];
            (status.name().replace(' ', "_"), count)
        });
        let suggestions = Suggestion::ALL.into_iter();
        let suggestions = suggestions.map(|one| {
            let count = counts.suggestions[one as usize];
            (one.name().to_owned(), count)
        });
        let kinds = result.bad_records.iter();
        let kinds = kinds.map(|(kind, &count)| (kind.name().to_owned(), count));
        HistorySummary {
            program: "neardupe".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: "history".to_owned(),
            options: self.recorded(),
            identity: identity.to_owned(),
            ids: counts.ids,
            versions: counts.versions,
            read: counts.read,
            repeated: counts.repeated,
            comparisons: statuses.collect(),
            new: counts.new,
            not_visited: counts.not_visited,
            suggestions: suggestions.collect(),
            bad_records: result.num_bad(),
            bad_records_by_kind: kinds.collect(),
            top: None,
        }
    }
}

impl HistoryId {
    /// A document as it is listed: ratios with six decimals, intervals in days.
    fn of(one: &Followed) -> Self {
        let ratio = |part, whole| six_decimals(part, whole).parse::<f64>().ok();
        HistoryId {
            id: one.id.clone(),
            versions: one.num_versions,
            date: one.date.map(|date| date.to_string()),
            status: one.status.name().to_owned(),
            distance: one.distance,
            priority: ratio(one.priority, PRIORITY_PARTS),
            interval_days: one.interval.and_then(|micros| ratio(micros, DAY)),
            suggestion: one.suggestion.name().to_owned(),
            visited: one.visited,
        }
    }
}
