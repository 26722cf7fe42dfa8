//! From records to versions: each thread makes codes and hands rows to one sorter.
//!
//! A row has no id, only its hash and where the id lies in the log of the thread: rows have one
//! length and are sorted without reading ids. Which log an id is in depends on threads, but nothing
//! is ordered by it.

use super::rows::{IdOffset, VersionRow, of_position, parted};
use super::rules::Date;
use super::{HistoryConfig, StoredVersion};
use crate::document::{BadKind, BadRecord, Progress, Record, Sink, check_cancelled};
use crate::error::Result;
use crate::frequency::Bad;
use crate::hash;
use crate::signature::coder::Coder;
use crate::store::{FrameFile, FrameWriter, Sorter, WorkDir};
use std::sync::{Arc, Mutex, PoisonError};

/// Rows that a thread gathers before it asks for the sorter.
const GATHERED: usize = 1 << 10;

/// Writes ids to a log, one for each thread, so that no thread waits for another; log 0 has those
/// of the store.
pub(super) struct IdLog<'a> {
    work: &'a WorkDir,
    number: usize,
    writer: Option<FrameWriter>,
}

impl<'a> IdLog<'a> {
    pub(super) fn new(work: &'a WorkDir, number: usize) -> Self {
        IdLog {
            work,
            number,
            writer: None,
        }
    }

    /// Appends an id. An id of many versions is there as often: to find the first would cost a
    /// table of all ids.
    pub(super) fn put(&mut self, id: &str) -> Result<IdOffset> {
        let writer = match &mut self.writer {
            Some(writer) => writer,
            none => none.insert(self.work.create(&format!("ids-{:04}", self.number))?),
        };
        Ok(IdOffset {
            start: writer.frame(id.as_bytes())?,
            log: self.number as u64,
        })
    }

    /// The log, to be read.
    pub(super) fn finish(mut self) -> Result<FrameFile> {
        let writer = match self.writer.take() {
            Some(writer) => writer,
            // A thread without records has an empty log, so that the numbers of logs have no gap.
            None => self.work.create(&format!("ids-{:04}", self.number))?,
        };
        self.work.open(&writer.finish()?)
    }
}

/// Makes versions of the records of one thread.
pub(super) struct VersionCollector<'a, 'w> {
    config: &'a HistoryConfig,
    sorter: &'a Mutex<Sorter<'w, VersionRow>>,
    progress: &'a dyn Progress,
    coder: Coder,
    rows: Vec<VersionRow>,
    pub(super) log: IdLog<'a>,
    pub(super) bad: Bad,
    pub(super) num_versions: u64,
}

impl<'a, 'w> VersionCollector<'a, 'w> {
    pub(super) fn new(
        config: &'a HistoryConfig,
        sorter: &'a Mutex<Sorter<'w, VersionRow>>,
        log: IdLog<'a>,
        progress: &'a dyn Progress,
    ) -> Result<Self> {
        Ok(VersionCollector {
            config,
            sorter,
            progress,
            coder: Coder::new(Arc::clone(&config.codes))?,
            rows: Vec::with_capacity(GATHERED),
            log,
            bad: Bad::default(),
            num_versions: 0,
        })
    }

    /// Hands on what was gathered.
    pub(super) fn flush(&mut self) -> Result<()> {
        let sorter = self.sorter.lock();
        let mut sorter = sorter.unwrap_or_else(PoisonError::into_inner);
        self.rows.drain(..).try_for_each(|row| sorter.push(row))
    }

    /// Counts a record as bad that was read well, but cannot be a version.
    fn refuse(&mut self, record: &Record<'_>, detail: String) -> Result<()> {
        self.bad_record(BadRecord {
            position: record.position,
            offset: 0,
            kind: BadKind::BadField,
            detail,
        })
    }

    /// The date of a record, or what is wrong with it. Without a field for dates all have the same
    /// one, and the order of the input decides.
    fn date(&self, record: &Record<'_>) -> Result<Date, String> {
        let Some((field, place)) = &self.config.date else {
            return Ok(Date::default());
        };
        let value = record.metadata.get(*place).and_then(Option::as_deref);
        let Some(value) = value else {
            return Err(format!("no date in the field {field:?}"));
        };
        Date::parse(value).ok_or_else(|| {
            let shown: String = value.chars().take(40).collect();
            format!("the field {field:?} is not a date: {shown:?}")
        })
    }
}

impl Sink for VersionCollector<'_, '_> {
    fn document(&mut self, record: &Record<'_>) -> Result<()> {
        check_cancelled(self.progress)?;
        // A record without an id is no version of anything; elsewhere it would get a generated one.
        let Some(id) = self.config.ids.of(record) else {
            let detail = "no id: it is what versions of a document have in common";
            return self.refuse(record, detail.to_owned());
        };
        let date = match self.date(record) {
            Ok(date) => date,
            Err(detail) => return self.refuse(record, detail),
        };
        let code = self.coder.code(record);
        self.rows.push(VersionRow {
            id: parted(hash::text(id)),
            date: date.0,
            of_input: 1,
            position: of_position(record.position),
            text: parted(hash::text(record.text)),
            code: code.unwrap_or(0),
            has_code: u64::from(code.is_some()),
            place: self.log.put(id)?,
        });
        self.num_versions += 1;
        if self.rows.len() == GATHERED {
            self.flush()?;
        }
        Ok(())
    }

    fn bad_record(&mut self, bad: BadRecord) -> Result<()> {
        self.bad.add(bad);
        Ok(())
    }
}

/// Takes what was stored. Its position is its place in the store, under file 0; versions of the input
/// that have the same id and date come after it (see [`VersionRow`]).
pub(super) fn take_stored(
    stored: &mut dyn Iterator<Item = Result<StoredVersion>>,
    sorter: &mut Sorter<'_, VersionRow>,
    log: &mut IdLog<'_>,
    progress: &dyn Progress,
) -> Result<()> {
    for (number, version) in (0u64..).zip(stored) {
        if number.is_multiple_of(1 << 12) {
            check_cancelled(progress)?;
        }
        let version = version?;
        #[expect(clippy::cast_possible_truncation, reason = "the two halves")]
        let position = [0, (number >> 32) as u32, number as u32];
        sorter.push(VersionRow {
            id: parted(hash::text(&version.id)),
            date: version.date.0,
            of_input: 0,
            position,
            text: parted(version.content.text),
            code: version.content.code.unwrap_or(0),
            has_code: u64::from(version.content.code.is_some()),
            place: log.put(&version.id)?,
        })?;
    }
    Ok(())
}
