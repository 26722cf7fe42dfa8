//! Goes through versions in the order of ids and dates, and says what became of each.
//!
//! One pass over sorted rows with little in memory: the versions of one id and one date, and the few
//! newest of the id. Equal texts of one id and date are one visit that was recorded twice, as by the
//! store and by an input that repeats it; they must be held together, since other texts of the same
//! date may stand between them.

use super::rows::{
    ComparisonRow, IdHash, IdLogs, IdRow, StoredRow, VersionRow, joined, prefix,
};
use super::rules::{
    Date, LAST, PRIORITY_PARTS, Status, Suggestion, priority, usual_interval,
};
use super::{HistoryConfig, HistoryCounts, STORED_VERSIONS};
use crate::error::{Error, Result};
use crate::hash::FixedMap;
use crate::store::{Rows, Sorter, WorkDir};
use std::collections::VecDeque;

/// Versions of one id and one date at most: they are held together.
const MAX_OF_ONE_DATE: usize = 1 << 20;

/// What came out, sorted.
pub(super) struct Followed {
    pub(super) comparisons: Rows<ComparisonRow>,
    pub(super) ids: Rows<IdRow>,
    pub(super) stored: Rows<StoredRow>,
    pub(super) counts: HistoryCounts,
}

/// Follows one id after the other.
pub(super) struct Follower<'a> {
    config: &'a HistoryConfig,
    logs: &'a IdLogs,
    comparisons: Sorter<'a, ComparisonRow>,
    ids: Sorter<'a, IdRow>,
    stored: Sorter<'a, StoredRow>,
    counts: HistoryCounts,
    /// Versions of the id and date at hand, each text once.
    of_date: Vec<VersionRow>,
    /// Where each text is among them.
    texts: FixedMap<[u64; 2], usize>,
    id: Option<OneId>,
}

/// What is known of the id at hand.
struct OneId {
    hash: IdHash,
    name: String,
    num_versions: u64,
    /// The newest versions.
    newest: VecDeque<VersionRow>,
    /// Their last comparisons, the newest last.
    last: VecDeque<(Status, u32)>,
    /// Whether a version is of the input.
    visited: bool,
}

impl<'a> Follower<'a> {
    pub(super) fn new(
        config: &'a HistoryConfig,
        logs: &'a IdLogs,
        work: &'a WorkDir,
    ) -> Self {
        let bytes = config.budget.rows;
        Follower {
            config,
            logs,
            comparisons: Sorter::new(work, "comparisons", bytes),
            ids: Sorter::new(work, "followed", bytes),
            stored: Sorter::new(work, "stored", bytes),
            counts: HistoryCounts::default(),
            of_date: Vec::new(),
            texts: FixedMap::default(),
            id: None,
        }
    }

    /// Takes the next version.
    pub(super) fn version(&mut self, row: VersionRow) -> Result<()> {
        // Without dates all versions of an id have the same one, and each is a visit of its own.
        let dated = self.config.date.is_some();
        let last = self.of_date.last();
        let goes_on = last.is_some_and(|last| (last.id, last.date) == (row.id, row.date));
        if !goes_on || !dated {
            self.end_date()?;
        }
        if self.id.as_ref().is_none_or(|id| id.hash != row.id) {
            self.end_id()?;
            self.id = Some(OneId {
                hash: row.id,
                name: self.logs.id(row.place)?,
                num_versions: 0,
                newest: VecDeque::new(),
                last: VecDeque::new(),
                visited: false,
            });
        }
        match self.texts.get(&row.text) {
            Some(&at) => {
                // The same visit twice: in the store and in the input, or in two files.
                self.counts.repeated += 1;
                self.of_date[at].of_input |= row.of_input;
            }
            None if self.of_date.len() == MAX_OF_ONE_DATE => {
                let id = self.id.as_ref().map_or("", |id| &id.name);
                let shown: String = id.chars().take(80).collect();
                return Err(Error::Limit {
                    what: format!("versions of {shown:?} with one date"),
                    asked: MAX_OF_ONE_DATE as u64 + 1,
                    allowed: MAX_OF_ONE_DATE as u64,
                    remedy: "check `id-key` and `date-key`".to_owned(),
                });
            }
            None => {
                self.texts.insert(row.text, self.of_date.len());
                self.of_date.push(row);
            }
        }
        Ok(())
    }

    /// No more of this date.
    fn end_date(&mut self) -> Result<()> {
        // Taken out while it is read, then put back empty: its room serves the next date.
        let of_date = std::mem::take(&mut self.of_date);
        self.texts.clear();
        for &row in &of_date {
            self.next(row)?;
        }
        self.of_date = of_date;
        self.of_date.clear();
        Ok(())
    }

    /// Compares a version with the one before it, and remembers it.
    fn next(&mut self, row: VersionRow) -> Result<()> {
        let Some(id) = &mut self.id else {
            return Err(Error::Internal("a version of no id".to_owned()));
        };
        id.num_versions += 1;
        id.visited |= row.of_input != 0;
        self.counts.versions += 1;
        if let Some(before) = id.newest.back() {
            let (status, distance) = row.content().since(&before.content());
            id.last.push_back((status, distance));
            if id.last.len() > LAST {
                id.last.pop_front();
            }
            // Two versions of the store were compared in an earlier run, and reported then.
            if row.of_input != 0 || before.of_input != 0 {
                self.counts.comparisons[status as usize] += 1;
                self.comparisons.push(ComparisonRow {
                    prefix: prefix(&id.name),
                    id: id.hash,
                    number: id.num_versions,
                    date: row.date,
                    before: before.date,
                    status: status as u32,
                    distance,
                    place: row.place,
                })?;
            }
        }
        id.newest.push_back(row);
        if id.newest.len() > STORED_VERSIONS {
            id.newest.pop_front();
        }
        Ok(())
    }

    /// No more of this id: what follows from its last versions.
    fn end_id(&mut self) -> Result<()> {
        let Some(id) = self.id.take() else {
            return Ok(());
        };
        let Some(newest) = id.newest.back() else {
            return Ok(());
        };
        let prefix = prefix(&id.name);
        // An id with a single version has no comparison, and is new.
        let (status, distance) = id.last.back().copied().unwrap_or((Status::New, 0));
        let statuses: Vec<Status> = id.last.iter().map(|&(status, _)| status).collect();
        let suggestion = Suggestion::of(&statuses);
        let dates: Vec<Date> = id.newest.iter().map(VersionRow::date).collect();
        // Without dates of their own, versions say in which order they came, not how long apart.
        let usual = match self.config.date {
            None => None,
            Some(_) => usual_interval(&dates),
        };
        let factors = &self.config.factors;
        let interval = usual.map(|usual| factors.apply(suggestion, usual));
        self.counts.ids += 1;
        if !id.visited {
            self.counts.not_visited += 1;
        } else if status == Status::New {
            self.counts.new += 1;
        } else {
            self.counts.suggestions[suggestion as usize] += 1;
        }
        // What is new or was not visited needs no decision, unless all ids are asked for.
        if self.config.all || (id.visited && status != Status::New) {
            self.ids.push(IdRow {
                // Rows are sorted in ascending order, so the highest priority is the smallest number.
                below: PRIORITY_PARTS - priority(status, distance),
                prefix,
                id: id.hash,
                num_versions: id.num_versions,
                date: newest.date,
                interval: interval.unwrap_or(0),
                status: status as u32,
                distance,
                suggestion: suggestion as u32,
                visited: u32::from(id.visited),
                place: newest.place,
            })?;
        }
        if self.config.store {
            for (number, row) in (0u64..).zip(&id.newest) {
                self.stored.push(StoredRow {
                    prefix,
                    id: id.hash,
                    number,
                    date: row.date,
                    text: row.text,
                    code: row.code,
                    has_code: row.has_code,
                    place: row.place,
                })?;
            }
        }
        Ok(())
    }

    /// No more at all.
    pub(super) fn finish(mut self) -> Result<Followed> {
        self.end_date()?;
        self.end_id()?;
        Ok(Followed {
            comparisons: self.comparisons.finish()?,
            ids: self.ids.finish()?,
            stored: self.stored.finish()?,
            counts: self.counts,
        })
    }
}

/// What a stored row says of the content.
pub(super) fn content(row: &StoredRow) -> super::rules::VersionContent {
    super::rules::VersionContent {
        text: joined(row.text),
        code: (row.has_code != 0).then_some(row.code),
    }
}
