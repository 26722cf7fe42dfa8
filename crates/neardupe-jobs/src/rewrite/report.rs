//! What became of the records: in total, by file, by folder.
//!
//! The three numbers must add up to the records that were read; a difference is an internal error
//! and stops the job before the output folder gets its name. Files and folders with the highest
//! rates are listed in the summary: a folder that loses nearly everything is often a copy of
//! another one.

use super::decisions::Decisions;
use crate::rewrite::tables::{write_files, write_removed};
use neardupe_core::error::{Error, Result};
use neardupe_core::pipeline::FindResult;
use neardupe_core::pipeline::documents::Documents;
use neardupe_core::ratio::six_decimals;
use neardupe_io::output::OutputFormat;
use neardupe_io::source::FileSource;
use neardupe_io::tables::RemovedRow;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

/// Files or folders that a summary lists.
const SHOWN: usize = 20;

/// What became of the records of a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FileCounts {
    /// The file.
    pub file: u32,
    /// Records, bad ones included.
    pub records: u64,
    /// Documents that are kept.
    pub kept: u64,
    /// Documents that are removed.
    pub removed: u64,
    /// Records that are no documents.
    pub bad_records: u64,
    /// Entries that hold no text by their own account: no records.
    pub skipped: u64,
}

impl FileCounts {
    /// What the first pass found in a file that loses so many documents.
    pub(super) fn expected(documents: &Documents, file: u32, removed: u64) -> Self {
        let read = &documents.files()[file as usize];
        let range = documents.of_file(file);
        let num_documents = (range.end.index() - range.start.index()) as u64;
        FileCounts {
            file,
            records: read.records,
            kept: num_documents - removed,
            removed,
            bad_records: read.records.saturating_sub(num_documents),
            skipped: read.skipped,
        }
    }

    /// Whether anything was read: a file that could not be has one bad record and no more.
    pub(super) fn is_readable(&self) -> bool {
        self.kept + self.removed + self.skipped > 0 || self.bad_records != 1
    }

    /// Kept, removed and bad records are all records.
    pub(super) fn check(&self, path: &Path) -> Result<()> {
        let accounted = self.kept + self.removed + self.bad_records;
        if accounted == self.records {
            return Ok(());
        }
        Err(Error::Internal(format!(
            "{}: {} records but {accounted} kept, removed or bad",
            path.display(),
            self.records
        )))
    }
}

/// How much was removed of a file or folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rate {
    /// Its path relative to the argument under which it was found.
    pub path: String,
    /// Documents.
    pub documents: u64,
    /// Documents that were removed.
    pub removed: u64,
    /// Their share.
    pub removed_share: f64,
}

/// What became of all records.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Dedup {
    /// What was written: `split`, `annotate` or `ids-only`.
    pub mode: Cow<'static, str>,
    /// Documents that are kept.
    pub kept: u64,
    /// Documents that are removed, or marked as duplicates.
    pub removed: u64,
    /// Records that are no documents; they are not written.
    pub bad_records: u64,
    /// Share of the documents that are removed.
    pub removed_share: f64,
    /// Files.
    pub files: u64,
    /// Files that could not be read at all; none of their records is written.
    pub unread_files: Vec<String>,
    /// The files of two and more documents that lost the largest share, at most
    /// 20.
    pub most_removed_files: Vec<Rate>,
    /// The same by the first folder of their path, when there are more files than that.
    pub most_removed_folders: Vec<Rate>,
}

/// A share with six decimals, as the tables print it, so that summary and tables show the
/// same digits.
fn share(removed: u64, documents: u64) -> f64 {
    let decimals = match documents {
        0 => return 0.0,
        _ => six_decimals(removed, documents),
    };
    decimals.parse().unwrap_or(0.0)
}

impl Rate {
    /// The rate of a file or folder.
    fn new(path: &str, kept: u64, removed: u64) -> Self {
        Rate {
            path: path.to_owned(),
            documents: kept + removed,
            removed,
            removed_share: share(removed, kept + removed),
        }
    }
}

/// Those that lost the largest share; ties by path.
fn highest(mut rates: Vec<Rate>) -> Vec<Rate> {
    rates.retain(|rate| rate.removed > 0);
    rates.sort_by(|left, right| {
        // As fractions, exactly.
        // In 128 bits: a product of two counts can exceed 64.
        let product = |one: &Rate, other: &Rate| {
            u128::from(one.removed) * u128::from(other.documents)
        };
        product(right, left)
            .cmp(&product(left, right))
            .then_with(|| right.removed.cmp(&left.removed))
            .then_with(|| left.path.cmp(&right.path))
    });
    rates.truncate(SHOWN);
    rates
}

impl Dedup {
    /// Sums up what became of the files, and checks that nothing is missing.
    pub fn new(
        mode: &'static str,
        result: &FindResult,
        files: &[FileCounts],
    ) -> Result<Self> {
        let sum = |count: fn(&FileCounts) -> u64| files.iter().map(count).sum::<u64>();
        let (kept, removed) = (sum(|it| it.kept), sum(|it| it.removed));
        let bad_records = sum(|it| it.bad_records);
        let read = result.documents.files();
        let records: u64 = files.iter().map(|it| read[it.file as usize].records).sum();
        // Each record must be kept, removed or bad: one that is missing would be lost without
        // a sign.
        if kept + removed + bad_records != records {
            return Err(Error::Internal(format!(
                "{records} records but {kept} kept, {removed} removed and {bad_records} bad"
            )));
        }
        let name = |counts: &FileCounts| read[counts.file as usize].name.as_str();
        let rates = files
            .iter()
            .map(|it| Rate::new(name(it), it.kept, it.removed));
        // With few files their folders say nothing more.
        let mut folders = Vec::new();
        if files.len() > SHOWN {
            let mut sums: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
            for counts in files {
                // The first folder only: deeper ones split a collection into too many.
                let folder = name(counts).split_once('/').map_or("", |(first, _)| first);
                let sum = sums.entry(folder).or_default();
                sum.0 += counts.kept;
                sum.1 += counts.removed;
            }
            let rate = |(path, (kept, removed))| Rate::new(path, kept, removed);
            folders = highest(sums.into_iter().map(rate).collect());
        }
        Ok(Dedup {
            mode: mode.into(),
            kept,
            removed,
            bad_records,
            removed_share: share(removed, kept + removed),
            files: files.len() as u64,
            unread_files: files
                .iter()
                .filter(|it| it.bad_records > 0 && it.kept + it.removed + it.skipped == 0)
                .map(|it| name(it).to_owned())
                .collect(),
            // A file of one document loses all or nothing.
            most_removed_files: highest(rates.filter(|it| it.documents > 1).collect()),
            most_removed_folders: folders,
        })
    }

    /// Writes the tables of files and of removed documents.
    pub fn write_tables(
        folder: &Path,
        source: &FileSource,
        result: &FindResult,
        files: &[FileCounts],
        format: OutputFormat,
    ) -> Result<()> {
        let read = result.documents.files();
        write_files(
            folder,
            files.iter().map(|counts| {
                let name = read[counts.file as usize].name.as_str();
                (name, *counts)
            }),
        )?;
        let decisions = Decisions::new(result, false).with_paths(source);
        let documents = &result.documents;
        let rows = decisions.all_removed().map(|duplicate| {
            let (one, other) = (duplicate.document, duplicate.representative);
            let (position, kept) = (documents.position(one)?, documents.position(other)?);
            Ok(RemovedRow {
                path: Cow::Borrowed(&read[position.file as usize].name),
                number: read[position.file as usize].record_number(position),
                id: documents.id(one)?,
                duplicate_of: documents.id(other)?,
                duplicate_of_path: Cow::Borrowed(&read[kept.file as usize].name),
                similarity: decisions.similarity(duplicate),
                duplicate_of_record: decisions.place(other)?.into(),
                duplicate_of_source: decisions.side(other).unwrap_or_default(),
            })
        });
        write_removed(folder, rows, result.against, format)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_rates_come_first() {
        let rates = vec![
            Rate::new("a", 1, 1),
            Rate::new("b", 2, 2),
            Rate::new("c", 5, 0),
            Rate::new("d", 0, 1),
            Rate::new("e", 2, 2),
        ];
        let paths = |rates: Vec<Rate>| rates.into_iter().map(|rate| rate.path);
        let order: Vec<String> = paths(highest(rates)).collect();
        assert_eq!(order, ["d", "b", "e", "a"]);
        let many = (1..50).map(|n| Rate::new(&n.to_string(), n, 1)).collect();
        assert_eq!(highest(many).len(), SHOWN);
    }

    #[test]
    fn nothing_may_be_missing() {
        let whole = FileCounts {
            records: 6,
            kept: 3,
            removed: 2,
            bad_records: 1,
            ..FileCounts::default()
        };
        assert!(whole.check(Path::new("a")).is_ok());
        let lost = FileCounts { kept: 2, ..whole };
        let message = lost.check(Path::new("a")).unwrap_err().to_string();
        assert!(message.contains("6 records but 5"), "{message}");
    }
}
